/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of table_tri_keys, table_tri_describe, table_tri_classes and table_tri_columns: fans are found by trying all
 * corners (table_around.h), and the columns must be such that the triangles between them, as places of a lattice, are
 * triangles of level 1. What the pieces then make: test_triangle_rows.c. */
#include "gpu/engines/tabulated/kernels/table_tri_classes.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_columns.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_describe.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_keys.k.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include "tests/kernels/tabulated/table_around.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = MOST_OF_FAN, MOST_WORDS = 8 + MOST, MOST_COLUMNS = MOST + 7 };

static uint64_t seed = 20251122;

/* ---- classes of pieces ------------------------------------------------------------------------------------------- */
struct around {
    int32_t n_words, n_columns, regular; /* no words: no table */
    float words[MOST_WORDS];
};

struct oracle {
    struct wild_case k;
    struct fans fans;
    int64_t n;               /* pieces */
    uint32_t (*triangle)[3]; /* [n] rows of the corners of each: the control vertex first, of the middle one any */
    struct around *around;   /* [n] */
};

static void find_corner(const struct oracle *o, int64_t piece, struct fan *f, struct around *a)
{
    uint32_t c = (uint32_t)(piece / 4 * 3 + piece % 4);
    fan_find(&o->fans, c, f);
    a->n_words = fan_words(&o->fans, c, f, a->words + 1);
    if (a->n_words == 0)
        return;
    int32_t n = f->n, zeros = 1;
    for (int32_t i = 5; i <= a->n_words; i++)
        zeros = zeros && a->words[i] == 0;
    a->regular = n == 6 && !f->open && zeros;
    a->words[0] = a->regular ? 0.0f : (float)(piece % 4);
    a->n_words++;
    a->n_columns = 1 + n + f->open + 3 + (!f->open || f->own > 0) + (!f->open || f->own < n - 1);
}

static void find_middle(const struct oracle *o, int64_t piece, struct around *a)
{
    a->words[0] = 3;
    a->n_words = 7, a->n_columns = 6;
    for (int i = 0; i < 3; i++) {
        int64_t c = piece / 4 * 3 + i;
        int across = o->fans.mate[c] != BRUTE_NONE;
        a->words[1 + i] = on_level_1(o->k.o.edge_sharp[o->k.o.edge[c]]);
        a->words[4 + i] = (float)across;
        a->n_columns += 2 * across;
    }
}

static void oracle_init(struct oracle *o, const struct poly *p)
{
    wild_case_init(&o->k, p, 0);
    fans_init(&o->fans, &o->k);
    const struct brute *b = &o->k.b;
    struct fan f = {.quad = xalloc(b->C, 4)};
    o->n = 4 * b->F;
    o->triangle = xalloc(o->n, sizeof *o->triangle), o->around = xalloc(o->n, sizeof *o->around);
    for (int64_t i = 0; i < o->n; i++) {
        int64_t c = i / 4 * 3, t = i % 4;
        uint32_t e[3], *to = o->triangle[i];
        for (int k = 0; k < 3; k++)
            e[k] = (uint32_t)b->V + o->k.o.edge[c + k];
        to[0] = t == 3 ? e[0] : b->vert[c + t], to[1] = t == 3 ? e[1] : e[t], to[2] = t == 3 ? e[2] : e[(t + 2) % 3];
        if (t == 3)
            find_middle(o, i, o->around + i);
        else
            find_corner(o, i, &f, o->around + i);
    }
    free(f.quad);
}

static void oracle_fini(struct oracle *o)
{
    free(o->triangle), free(o->around);
    fans_fini(&o->fans);
    wild_case_fini(&o->k);
}

static int same_words(const struct around *a, const struct around *b)
{
    return a->n_words == b->n_words && memcmp(a->words, b->words, (size_t)a->n_words * 4) == 0;
}

/* ---- keys and words ---------------------------------------------------------------------------------------------- */
static int64_t n_regular[4], n_closed[MOST + 1], n_open[MOST + 1], n_semisharp, n_without, n_edges_alone;

static void check_keys(const struct oracle *o, const struct sdd_control *m)
{
    uint32_t zero = 0, none = 0, *list = xalloc(o->n, 4);
    struct table_tri_keys_args a = {*m, NULL, launch_out(o->n, 8), launch_out(o->n, 4), launch_inout(&zero, 1, 4)};
    LAUNCH(table_tri_keys, &a, o->n);
    const uint64_t *key = launch_got(a.key);
    for (int64_t i = 0; i < o->n; i++) {
        const struct around *x = o->around + i;
        list[i] = (uint32_t)i;
        none |= x->n_words == 0;
        for (int64_t j = 0; j < i; j++)
            if (x->n_words && o->around[j].n_words && same_words(x, o->around + j) != (key[i] == key[j]))
                fail_msg("%s: the keys of pieces %d and %d", launch_case(), (int)i, (int)j);
    }
    launch_same(a.list, list, "list");
    launch_same(a.none, &none, "none");
    uint64_t *some = xalloc(o->n, 8);
    none = 0;
    for (int64_t i = 0; i < o->n; i++) {
        list[i] = (uint32_t)random_below(&seed, o->n);
        some[i] = key[list[i]];
        none |= o->around[list[i]].n_words == 0;
    }
    struct table_tri_keys_args b = {*m, launch_in(list, o->n, 4), launch_out(o->n, 8), NULL, launch_inout(&zero, 1, 4)};
    LAUNCH(table_tri_keys, &b, o->n);
    launch_same(b.key, some, "keys of some pieces");
    launch_same(b.none, &none, "none of some pieces");
    free(list), free(some);
}

static void check_words(const struct oracle *o, const struct sdd_control *m)
{
    const int64_t n = 2 * o->n;
    uint32_t *piece = xalloc(o->n, 4), *head = xalloc(n, 4);
    float *want = xalloc(n, sizeof(float[SDD_TRI_WORDS]));
    for (int64_t i = 0; i < o->n; i++)
        piece[i] = (uint32_t)random_below(&seed, o->n);
    for (int64_t i = 0; i < n; i++) {
        head[i] = (uint32_t)random_below(&seed, o->n);
        const struct around *x = o->around + piece[head[i]];
        memcpy(want + SDD_TRI_WORDS * i, x->words, (size_t)x->n_words * 4);
        want[SDD_TRI_WORDS * (i + 1) - 1] = (float)x->n_words;
    }
    struct table_tri_describe_args a = {*m, launch_in(head, n, 4), launch_in(piece, o->n, 4),
                                        launch_out(n, sizeof(float[SDD_TRI_WORDS]))};
    LAUNCH(table_tri_describe, &a, n);
    launch_same(a.words, want, "words");
    free(piece), free(head), free(want);
}

static void count_kinds(const struct oracle *o)
{
    for (int64_t i = 0; i < o->n; i++) {
        const struct around *x = o->around + i;
        const float *w = x->words + 1;
        n_regular[i % 4] += x->regular;
        n_without += x->n_words == 0;
        if (i % 4 == 3)
            for (int k = 0; k < 3; k++)
                n_edges_alone += w[3 + k] == 0, n_semisharp += w[k] > 0 && w[k] < 10;
        else if (x->n_words)
            (w[2] > 0 ? n_open : n_closed)[(int)w[0]]++;
    }
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
struct looking {
    const struct oracle *o;
    int64_t piece;
    const uint32_t *column;
};

static int is_triangle(const uint32_t *t, uint32_t a, uint32_t b, uint32_t c)
{
    return (t[0] == a && t[1] == b && t[2] == c) || (t[1] == a && t[2] == b && t[0] == c) ||
           (t[2] == a && t[0] == b && t[1] == c);
}

static void need(const struct looking *l, int32_t a, int32_t b, int32_t c)
{
    const uint32_t *p = l->column;
    for (int64_t i = 0; i < l->o->n; i++)
        if (is_triangle(l->o->triangle[i], p[a], p[b], p[c]))
            return;
    fail_msg("%s: piece %d: columns %d, %d, %d are no triangle", launch_case(), (int)l->piece, a, b, c);
}

static void need_own(const struct looking *l, int32_t a, int32_t b, int32_t c)
{
    const uint32_t *t = l->o->triangle[l->piece], *p = l->column;
    if (t[0] != p[a] || t[1] != p[b] || t[2] != p[c])
        fail_msg("%s: piece %d: columns %d, %d, %d are not its corners", launch_case(), (int)l->piece, a, b, c);
}

/* In the order of table_tri_class.h. */
static void check_corner(const struct looking *l, const struct around *x)
{
    const float *w = x->words + 1;
    int32_t n = (int32_t)w[0], open = (int32_t)w[2], own = (int32_t)w[3], ends = n + open, at = 1 + ends;
    int32_t on = 1 + own, off = 1 + (own + 1) % ends;
    for (int32_t i = 0; i < n; i++)
        need(l, 0, 1 + i, 1 + (i + 1) % ends);
    /* seen from the first corner of the control triangle, which only the regular class is */
    int32_t turn = x->regular ? (int32_t)(l->piece % 4) : 0;
    const int32_t own_corners[5] = {0, on, off, 0, on};
    need_own(l, own_corners[turn], own_corners[turn + 1], own_corners[turn + 2]);
    need(l, on, at, at + 1), need(l, on, at + 1, off), need(l, off, at + 1, at + 2);
    int32_t next = at + 3;
    if (!open || own > 0) {
        int32_t before = 1 + (own + ends - 1) % ends;
        need(l, on, before, next), need(l, on, next, at);
        next++;
    }
    if (!open || own < n - 1)
        need(l, off, at + 2, next), need(l, off, next, 1 + (own + 2) % ends);
}

static void check_middle(const struct looking *l, const struct around *x)
{
    int32_t next = 6;
    need_own(l, 0, 1, 2);
    for (int32_t i = 0; i < 3; i++) { /* corner i is between control corners from and to */
        int32_t from = 3 + i, to = 3 + (i + 1) % 3;
        need(l, i, to, (i + 1) % 3);
        if (x->words[4 + i] == 0)
            continue;
        need(l, from, next, i), need(l, next, next + 1, i), need(l, next + 1, to, i);
        next += 2;
    }
}

static void check_piece(const struct looking *l)
{
    if (l->piece % 4 == 3)
        check_middle(l, l->o->around + l->piece);
    else
        check_corner(l, l->o->around + l->piece);
}

/* Pieces class by class. */
struct classes {
    int64_t n, n_pieces, n_column;
    uint32_t *piece, *class_of;
    int32_t *rank, *end; /* where its columns end, with gaps between pieces */
    struct sdd_table_table *table;
    float *words; /* [n][SDD_TRI_WORDS] */
};

static void classes_of(const struct oracle *o, struct classes *k)
{
    unsigned char *done = xalloc(o->n, 1);
    *k = (struct classes){.piece = xalloc(o->n, 4), .class_of = xalloc(o->n, 4)};
    k->rank = xalloc(o->n, 4), k->end = xalloc(o->n, 4);
    k->table = xalloc(o->n, sizeof *k->table), k->words = xalloc(o->n, sizeof(float[SDD_TRI_WORDS]));
    for (int64_t i = o->n - 1; i >= 0; i--) {
        const struct around *x = o->around + i;
        if (done[i] || x->n_words == 0)
            continue;
        float *words = k->words + SDD_TRI_WORDS * k->n;
        k->table[k->n++] = (struct sdd_table_table){-1, -1, -1, x->n_columns};
        memcpy(words, x->words, (size_t)x->n_words * 4);
        words[SDD_TRI_WORDS - 1] = (float)x->n_words;
        for (int64_t j = i; j >= 0; j--)
            if (same_words(x, o->around + j)) {
                done[j] = 1;
                k->n_column += x->n_columns + random_below(&seed, 2);
                k->end[k->n_pieces] = (int32_t)k->n_column;
                k->class_of[k->n_pieces] = (uint32_t)k->n - 1;
                k->rank[k->n_pieces] = (int32_t)k->n;
                k->piece[k->n_pieces++] = (uint32_t)j;
            }
    }
    free(done);
}

static void classes_free(struct classes *k)
{
    free(k->piece), free(k->class_of), free(k->rank), free(k->end), free(k->table), free(k->words);
}

/* spoilt: a class that gets other words than its pieces have; -1: none. */
static void check_classes(const struct oracle *o, const struct sdd_control *m, struct classes *k, int64_t spoilt)
{
    uint32_t wrong = spoilt >= 0, zero = 0;
    if (spoilt >= 0) {
        float *words = k->words + SDD_TRI_WORDS * spoilt, *last = words + SDD_TRI_WORDS - 1;
        int32_t at = random_below(&seed, (int64_t)*last + 1);
        *(at == (int32_t)*last ? last : words + at) += 1;
    }
    struct table_tri_columns_args a = {*m,
                                       launch_in(k->piece, k->n_pieces, 4),
                                       launch_in(k->class_of, k->n_pieces, 4),
                                       launch_in(k->end, k->n_pieces, 4),
                                       launch_in(k->table, k->n, sizeof *k->table),
                                       launch_in(k->words, k->n, sizeof(float[SDD_TRI_WORDS])),
                                       launch_out(o->n, sizeof(struct sdd_tri_piece)),
                                       launch_out(k->n_column, 4),
                                       launch_inout(&zero, 1, 4)};
    LAUNCH(table_tri_columns, &a, k->n_pieces);
    launch_same(a.wrong, &wrong, "wrong");
    const struct sdd_tri_piece *of = launch_got(a.of);
    const uint32_t *column = launch_got(a.column);
    for (int64_t i = 0; i < k->n_pieces; i++) {
        const struct sdd_table_table *t = k->table + k->class_of[i];
        const struct looking l = {o, k->piece[i], column + k->end[i] - t->n_columns};
        assert_int_equal(of[l.piece].class_of, k->class_of[i]);
        assert_true(column + of[l.piece].column == l.column);
        if (k->class_of[i] == spoilt)
            assert_int_equal(l.column[0], LAUNCH_POISON32);
        else
            check_piece(&l);
    }
}

/* Without a list of pieces these are all of them, so only a mesh whose pieces all have tables will do. */
static void check_all(const struct oracle *o, const struct sdd_control *m, const struct classes *k)
{
    uint32_t *class_of = xalloc(o->n, 4), zero = 0;
    int32_t *count = xalloc(o->n, 4), *end = xalloc(o->n, 4), last = 0;
    struct sdd_tri_piece *of = xalloc(o->n, sizeof *of);
    for (int64_t i = 0; i < o->n; i++) {
        class_of[k->piece[i]] = k->class_of[i];
        count[k->piece[i]] = o->around[k->piece[i]].n_columns;
    }
    for (int64_t i = 0; i < o->n; i++) {
        of[i] = (struct sdd_tri_piece){class_of[i], (uint32_t)last};
        end[i] = last += count[i];
    }
    struct table_tri_classes_args a = {launch_in(k->piece, o->n, 4), launch_in(k->rank, o->n, 4),
                                       launch_in(k->table, k->n, sizeof *k->table), launch_out(o->n, 4),
                                       launch_out(o->n, 4)};
    LAUNCH(table_tri_classes, &a, o->n);
    launch_same(a.class_of, class_of, "classes");
    launch_same(a.count, count, "numbers of columns");
    struct table_tri_columns_args c = {*m,
                                       NULL,
                                       launch_in(class_of, o->n, 4),
                                       launch_in(end, o->n, 4),
                                       launch_in(k->table, k->n, sizeof *k->table),
                                       launch_in(k->words, k->n, sizeof(float[SDD_TRI_WORDS])),
                                       launch_out(o->n, sizeof *of),
                                       launch_out(last, 4),
                                       launch_inout(&zero, 1, 4)};
    LAUNCH(table_tri_columns, &c, o->n);
    launch_same(c.of, of, "pieces");
    launch_same(c.wrong, &zero, "wrong");
    const uint32_t *column = launch_got(c.column);
    for (int64_t i = 0; i < o->n; i++)
        check_piece(&(struct looking){o, i, column + of[i].column});
    free(class_of), free(count), free(end), free(of);
}

/* ---- all of it, on meshes ---------------------------------------------------------------------------------------- */
static void check(const struct poly *p)
{
    struct oracle o;
    struct classes k;
    oracle_init(&o, p);
    count_kinds(&o);
    classes_of(&o, &k);
    for (int no_arrays = 0; no_arrays < 2; no_arrays++) {
        const struct sdd_control m = wild_upload(&o.k, no_arrays);
        check_keys(&o, &m);
        check_words(&o, &m);
        check_classes(&o, &m, &k, -1);
        if (k.n_pieces == o.n)
            check_all(&o, &m, &k);
        if (no_arrays && k.n > 0)
            check_classes(&o, &m, &k, random_below(&seed, k.n));
        launch_end();
    }
    classes_free(&k);
    oracle_fini(&o);
}

static void test_shapes(void **state)
{
    (void)state;
    loop_each(60, 300, check);
    for (int n = 3; n <= 8; n++)
        assert_true(n_closed[n] > 100 && n_open[n] > 20);
    for (int t = 0; t < 3; t++)
        assert_true(n_regular[t] > 50);
    assert_true(n_semisharp > 1000 && n_edges_alone > 1000);
}

static void test_odd(void **state)
{
    int64_t before = n_without;
    (void)state;
    loop_each_odd(100, 300, check);
    assert_true(n_without > before);
}

/* The largest fans that have tables, and those beyond. */
static void test_limits(void **state)
{
    (void)state;
    for (int32_t n = MOST - 1; n <= MOST + 1; n++) {
        int64_t before = n_without;
        loop_valences(n, check);
        assert_true((n_without > before) == (n > MOST));
    }
    assert_true(n_closed[MOST] > 0 && n_open[MOST] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_limits)};
    return LAUNCH_GROUP("classes of triangles", tests);
}
