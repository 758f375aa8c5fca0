/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/same_tables.h"
#include "gpu/engines/tabulated/internal.h"
#include "gpu/levels/levels.h"
#include "gpu/sdd/err.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is being compared. */
struct pair {
    sdd_device *device;
    const char *what;
    const struct tabulated *a, *b;
};

static void *fetch(const struct pair *p, const void *from, int64_t bytes)
{
    struct sdd_error err = {0};
    void *to = calloc(1, (size_t)bytes + 1);
    assert_non_null(to);
    dev_download(p->device, to, from, bytes);
    assert_int_equal(dev_finish(p->device, &err), SDD_OK);
    return to;
}

static void same_words(const struct pair *p, const char *name, const void *a, const void *b, int64_t bytes)
{
    const uint32_t *x = a, *y = b;
    for (int64_t i = 0; i < bytes / 4; i++)
        if (x[i] != y[i])
            fail_msg("%s: word %lld of %lld of %s is %u, not %u", p->what, (long long)i, (long long)bytes / 4, name,
                     y[i], x[i]);
}

static void same_array(const struct pair *p, const char *name, const void *a, const void *b, int64_t bytes)
{
    if (!a != !b)
        fail_msg("%s: %s is there in one of them", p->what, name);
    if (!a || bytes == 0)
        return;
    void *x = fetch(p, a, bytes), *y = fetch(p, b, bytes);
    same_words(p, name, x, y, bytes);
    free(x);
    free(y);
}

static void same_number(const struct pair *p, const char *name, int64_t a, int64_t b)
{
    if (a != b)
        fail_msg("%s: %s is %lld, not %lld", p->what, name, (long long)b, (long long)a);
}

#define NUMBER(field) same_number(p, #field, (int64_t)p->a->field, (int64_t)p->b->field)
#define SAME(field, n) same_array(p, #field, p->a->field, p->b->field, (int64_t)(n) * (int64_t)sizeof *p->a->field)

/* A record of a class has padding. */
static void same_classes(const struct pair *p, const struct sdd_table_table *a, const struct sdd_table_table *b,
                         int64_t n)
{
    struct sdd_table_table *x = fetch(p, a, n * (int64_t)sizeof *x), *y = fetch(p, b, n * (int64_t)sizeof *y);
    for (int64_t k = 0; k < n; k++) {
        same_number(p, "first of a class", x[k].first, y[k].first);
        same_number(p, "column of a class", x[k].column, y[k].column);
        same_number(p, "table of a class", x[k].table, y[k].table);
        same_number(p, "columns of a class", x[k].n_columns, y[k].n_columns);
    }
    free(x);
    free(y);
}

static void same_pieces(const struct pair *p)
{
    NUMBER(n_regular);
    NUMBER(n_regular_quads);
    NUMBER(n_others);
    NUMBER(n_isolated_rows);
    NUMBER(n_classes);
    NUMBER(n_runs);
    NUMBER(n_columns);
    NUMBER(n_column);
    NUMBER(n_rows);
    NUMBER(pieces.bytes);
    NUMBER(lists.bytes);
    NUMBER(rows.bytes);
    NUMBER(terms.bytes);
    SAME(regular, p->a->n_regular);
    SAME(regular_column, SDD_TABLE_REGULAR * p->a->n_regular);
    SAME(other, p->a->n_others);
    SAME(runs, p->a->n_runs);
    SAME(column, p->a->n_column);
    SAME(location, p->a->n_regular + p->a->n_others);
    SAME(isolated, p->a->n_isolated_rows);
    SAME(row, p->a->n_rows);
    SAME(row_end, p->a->n_rows);
    same_array(p, "term", p->a->term, p->b->term, p->a->terms.bytes);
    same_classes(p, p->a->classes, p->b->classes, p->a->n_classes);
    if (p->a->n_classes)
        same_words(p, "words", p->a->words, p->b->words,
                   p->a->n_classes * SDD_TABLE_WORDS * (int64_t)sizeof *p->a->words);
}

static void same_surface(const struct pair *p, const struct tabulated_surface *a, const struct tabulated_surface *b)
{
    const int32_t m = a->level ? 1 << (a->level - 1) : 1;
    const int64_t bases = 2 * ((int64_t)m + 1), n = p->a->n_columns * sdd_table_slots(m) * (int64_t)sizeof *a->table;
    same_number(p, "level", a->level, b->level);
    same_number(p, "bytes", a->memory.bytes, b->memory.bytes);
    same_array(p, "basis", a->basis, b->basis, bases * (int64_t)sizeof *a->basis);
    same_array(p, "slope", a->slope, b->slope, bases * (int64_t)sizeof *a->slope);
    same_array(p, "table", a->table, b->table, n);
    same_array(p, "t1", a->t1, b->t1, n);
    same_array(p, "t2", a->t1 ? a->t2 : NULL, b->t1 ? b->t2 : NULL, n);
    same_array(p, "shared", a->t1 ? a->shared : NULL, b->t1 ? b->shared : NULL,
               p->a->n_classes * (int64_t)sizeof *a->shared);
    assert_memory_equal(a->weights, b->weights, sizeof a->weights);
    assert_memory_equal(a->slopes, b->slopes, sizeof a->slopes);
}

static void same_triangles(const struct pair *p)
{
    const struct table_triangles *a = &p->a->triangles, *b = &p->b->triangles;
    const int64_t word = sizeof(uint32_t), n = 4 * (int64_t)p->a->mesh.n_faces;
    NUMBER(triangles.n_classes);
    NUMBER(triangles.n_columns);
    NUMBER(triangles.n_column);
    NUMBER(triangles.memory.bytes);
    if (!a->n_classes)
        return;
    same_array(p, "pieces of triangles", a->piece, b->piece, 2 * n * word);
    same_array(p, "columns of triangles", a->column, b->column, a->n_column * word);
    same_array(p, "weights", a->weights, b->weights, step_weights(p->a->topology) * (int64_t)sizeof *a->weights);
    same_classes(p, a->classes, b->classes, a->n_classes);
    same_words(p, "words of triangles", a->words, b->words, a->n_classes * SDD_TRI_WORDS * word);
    for (int k = 0; k < SDD_N_SURFACES; k++) {
        const struct table_triangles_surface *x = a->surface + k, *y = b->surface + k;
        same_number(p, "level of triangles", x->level, y->level);
        same_number(p, "bytes of triangles", x->memory.bytes, y->memory.bytes);
        same_array(p, "tables of triangles", x->memory.memory, y->memory.memory, x->memory.bytes);
    }
}

int same_tables(const sdd_topology *a, const sdd_topology *b, int level, int surface, int normals, const char *what)
{
    const int n = topology_has_smooth_channels(a) ? a->n_channels : 0;
    int updated = 0;
    for (int k = -1; k < n; k++) {
        const struct topology_channel *x = k < 0 ? NULL : a->channel + k, *y = k < 0 ? NULL : b->channel + k;
        struct sdd_error want = {0}, err = {0};
        const int wanted = tabulated_prepare(a, x, level, surface, normals && k < 0, &want);
        const int rc = tabulated_prepare(b, y, level, surface, normals && k < 0, &err);
        if (rc != wanted || strcmp(err.text, want.text) != 0)
            fail_msg("%s: %d %s, not %d %s", what, rc, err.text, wanted, want.text);
        if (rc)
            continue;
        const struct pair pair = {a->device, what, tabulated_of(a, x), tabulated_of(b, y)};
        updated += pair.b->is_updated;
        assert_null(pair.b->seed);
        same_pieces(&pair);
        same_triangles(&pair);
        for (int s = 0; s < SDD_N_SURFACES; s++)
            same_surface(&pair, pair.a->surface + s, pair.b->surface + s);
    }
    return updated;
}
