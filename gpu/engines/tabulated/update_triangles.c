/* SPDX-License-Identifier: Apache-2.0 */
/* update_triangles.c: makes the arrays of a mesh's pieces and its first pass after an edit, under Loop (update.h). The
 * columns of a face, and the terms of a row, are a range each. */
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/kernels/table_tri_columns.k.h"
#include "gpu/engines/tabulated/kernels/table_update_pairs.tile.h"
#include "gpu/engines/tabulated/update.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/mesh/update_patch.k.h"
#include "gpu/sparse/sparse.h"
#include <stdlib.h>
#include <string.h>

#define MOST_ISOLATED 256 /* More vertices of a channel without faces are not worth listing. */

/* What the device gets of the host, in one piece of memory, which is laid out once on the host and once on the device;
 * and scratch behind it. */
struct inputs {
    struct sdd_runs faces, columns, rows, terms;                                /* From new rows to old ones. */
    struct sdd_runs class_values, column_values, level1, term_values, vertices; /* By old rows. */
    uint32_t *piece, *class_of, *end; /* Shape [n_touched] each, in the order of the pieces. */
    uint32_t *row, *row_end;          /* Shape [rows.n_made] each. */
    float *words;                     /* Shape [n_classes][SDD_TRI_WORDS]. */
    uint32_t *wrong;
};

struct triangles {
    struct table_update *u;
    struct topology_runs level1, classes; /* Rows of level 1: the vertices, then the edges; the classes. */
    struct table_ranges columns, terms;   /* By face, and by row of level 1. */
};

static int compare_pieces(const void *a, const void *b)
{
    const struct touched *x = a, *y = b;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
/* Says where the columns of all faces are. The touched pieces are in the order of the pieces by then. */
static int place_columns(struct triangles *s, struct sdd_error *err)
{
    struct table_update *u = s->u;
    struct table_ranges *r = &s->columns;
    const struct table_triangles *old = &u->old->triangles, *t = &u->t->triangles;
    const uint32_t *piece = (const uint32_t *)old->piece;
    r->made = u->face;
    r->n_made = u->n_faces;
    int rc = table_ranges_items(&u->memory, &u->edit->faces, r, err);
    uint32_t *row = rc ? NULL : table_update_memory(u, 2 * r->items.n, sizeof *row, err);
    uint32_t *got = row ? table_update_memory(u, 2 * r->items.n, sizeof *got, err) : NULL;
    if (!got)
        return rc ? rc : SDD_ENO_MEMORY;
    /* The second number of a record says where columns begin: those of a run, and those of the face after it. */
    for (int64_t k = 0; k < r->items.n; k++) {
        row[2 * k] = 8 * r->first[k] + 1;
        row[2 * k + 1] = r->last[k] + 1 < u->edit->faces.n_old ? 8 * (r->last[k] + 1) + 1 : 0;
    }
    rc = table_update_gather(u, piece, row, 2 * r->items.n, got, err);
    for (int64_t k = 0; k < r->items.n; k++) {
        r->begin[k] = got[2 * k];
        r->stop[k] = row[2 * k + 1] ? got[2 * k + 1] : (uint32_t)old->n_column;
    }
    for (int64_t i = 0; i < u->n_touched; i++)
        r->size[i / 4] += (uint32_t)table_tri_columns(t->description + u->touched[i].class_of);
    if (!rc)
        rc = table_ranges_place(&u->memory, r, old->n_column, err);
    return rc ? rc : r->content.n_new == t->n_column ? SDD_OK : TABLE_ANEW;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* Joins the runs of vertices and edges, and those of classes. */
static int join_runs(struct triangles *s, struct sdd_error *err)
{
    struct table_update *u = s->u;
    const struct topology_runs *v = &u->edit->vertices, *e = &u->edit->edges;
    struct table_runs rows = {.n_old = v->n_old + e->n_old, .n_new = v->n_new + e->n_new};
    struct table_runs classes = {.n_old = u->was.n_classes, .n_new = u->n_classes};
    rows.run = table_update_memory(u, v->n + e->n, sizeof *rows.run, err);
    classes.run = rows.run ? table_update_memory(u, u->was.n_classes, sizeof *classes.run, err) : NULL;
    if (!classes.run)
        return SDD_ENO_MEMORY;
    for (int64_t k = 0; k < v->n; k++)
        table_runs_add(&rows, v->run[k].from, v->run[k].to, v->run[k].n);
    for (int64_t k = 0; k < e->n; k++)
        table_runs_add(&rows, v->n_old + e->run[k].from, v->n_new + e->run[k].to, e->run[k].n);
    for (int64_t k = 0; k < u->was.n_classes; k++)
        if (u->class_of[k] != SDD_NONE)
            table_runs_add(&classes, k, u->class_of[k], 1);
    s->level1 = table_runs_of(&rows);
    s->classes = table_runs_of(&classes);
    return SDD_OK;
}

/* Lists the vertices of a channel that have no faces: an edit may have taken the last ones. */
static int list_isolated(struct table_update *u, uint32_t *to, int64_t *n, struct sdd_error *err)
{
    struct table_isolated s;
    int rc = table_update_isolated(u, &s, err);
    if (!rc && s.n > MOST_ISOLATED)
        rc = TABLE_ANEW;
    if (!rc && s.n > 0)
        rc = block_take(u->d, s.n * (int64_t)sizeof *to, &u->scratch, err);
    if (rc || s.n == 0)
        return rc;
    struct compact_args compact = {s.flag, s.rank, u->scratch.memory};
    DEV_LAUNCH(u->d, compact, &compact, u->t->mesh.n_vertices);
    dev_download(u->d, to, u->scratch.memory, s.n * (int64_t)sizeof *to);
    *n = s.n;
    return table_update_finish(u, err);
}

/* Lists the rows of level 1 that are made again. */
static int list_rows(struct triangles *s, struct sdd_error *err)
{
    struct table_update *u = s->u;
    const struct sdd_control *m = &u->t->mesh;
    const int is_control = m->vert == u->topology->vert;
    const int64_t n = 3 * u->n_faces, most = 2 * n + (is_control ? u->edit->n_dirty : MOST_ISOLATED);
    uint32_t *corner = table_update_memory(u, n, sizeof *corner, err);
    uint32_t *row = corner ? table_update_memory(u, most, sizeof *row, err) : NULL;
    if (!row)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n; i++)
        corner[i] = 3 * u->face[i / 3] + (uint32_t)(i % 3);
    int64_t more = is_control ? u->edit->n_dirty : 0, unique = 0;
    int rc = table_update_gather(u, m->vert, corner, n, row, err);
    if (!rc)
        rc = table_update_gather(u, m->edge, corner, n, row + n, err);
    for (int64_t i = 0; i < n; i++)
        row[n + i] += m->n_vertices;
    if (is_control && more)
        memcpy(row + 2 * n, u->edit->dirty, (size_t)more * sizeof *row);
    else if (!rc && !is_control)
        rc = list_isolated(u, row + 2 * n, &more, err);
    if (rc)
        return rc;
    qsort(row, (size_t)(2 * n + more), sizeof *row, by_number);
    for (int64_t i = 0; i < 2 * n + more; i++)
        if (unique == 0 || row[unique - 1] != row[i])
            row[unique++] = row[i];
    s->terms.made = row;
    s->terms.n_made = unique;
    return table_ranges_items(&u->memory, &s->level1, &s->terms, err);
}

/* Counts the terms of these rows, where their ends will be. */
static int count_terms(struct triangles *s, const struct table_first_rule *rule, struct sdd_error *err)
{
    struct table_update *u = s->u;
    struct table_ranges *r = &s->terms;
    const int64_t bytes = r->n_made * (int64_t)sizeof *r->made;
    int rc = table_take_rows(u->d, 0, u->t, err);
    if (!rc)
        rc = block_take(u->d, bytes + 1, &u->scratch, err);
    if (rc)
        return rc;
    uint32_t *list = u->scratch.memory;
    dev_upload(u->d, list, r->made, bytes);
    table_launch_terms(u->d, rule, u->t, list, r->n_made, (struct sdd_matrix_rows){.count = u->t->row_end});
    rc = table_update_finish(u, err);
    return rc ? rc : table_update_gather(u, (const uint32_t *)u->t->row_end, r->made, r->n_made, r->size, err);
}

/* Says where the terms of all rows are, and takes their memory. */
static int place_terms(struct triangles *s, const struct table_first_rule *rule, struct sdd_error *err)
{
    struct table_update *u = s->u;
    struct table_ranges *r = &s->terms;
    struct tabulated *t = u->t;
    const uint32_t *end = (const uint32_t *)u->old->row_end;
    int rc = count_terms(s, rule, err);
    uint32_t *before = rc ? NULL : table_update_memory(u, r->items.n, sizeof *before, err);
    if (!before)
        return rc ? rc : SDD_ENO_MEMORY;
    for (int64_t k = 0; k < r->items.n; k++)
        before[k] = r->first[k] ? r->first[k] - 1 : 0;
    rc = table_update_gather(u, end, before, r->items.n, r->begin, err);
    if (!rc)
        rc = table_update_gather(u, end, r->last, r->items.n, r->stop, err);
    for (int64_t k = 0; k < r->items.n; k++)
        r->begin[k] = r->first[k] ? r->begin[k] : 0;
    if (!rc)
        rc = table_ranges_place(&u->memory, r, u->old->terms.bytes / (int64_t)sizeof *t->term, err);
    if (!rc && r->content.n_new > SPARSE_MAX_ENTRIES)
        rc = TABLE_ANEW;
    if (!rc)
        rc = block_take(u->d, r->content.n_new * (int64_t)sizeof *t->term, &t->terms, err);
    t->term = t->terms.memory;
    return rc;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
static void put_all(const struct triangles *s, int is_real, struct inputs *in)
{
    const struct topology_runs content[] = {table_runs_of(&s->columns.content), table_runs_of(&s->terms.content)};
    const struct topology_runs rows = table_runs_of(&s->terms.items);
    struct sdd_runs *values[] = {&in->class_values, &in->column_values, &in->level1, &in->term_values, &in->vertices};
    const struct topology_runs *from[] = {&s->classes, content, &s->level1, content + 1, &s->u->edit->vertices};
    table_put_rows(&s->u->edit->faces, 4, is_real, &in->faces);
    table_put_rows(content, 1, is_real, &in->columns);
    table_put_rows(&rows, 1, is_real, &in->rows);
    table_put_rows(content + 1, 1, is_real, &in->terms);
    for (int k = 0; k < 5; k++) {
        values[k]->n = 0;
        table_put_values(from[k], 0, 0, is_real, values[k]);
    }
}

static void lay_out(const struct triangles *s, struct arena *a, struct inputs *in)
{
    struct sdd_runs *all[] = {&in->faces,         &in->columns, &in->rows,        &in->terms,   &in->class_values,
                              &in->column_values, &in->level1,  &in->term_values, &in->vertices};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        table_lay_out_runs(a, all[k]);
    in->piece = ARENA(a, uint32_t, s->u->n_touched);
    in->class_of = ARENA(a, uint32_t, s->u->n_touched);
    in->end = ARENA(a, uint32_t, s->u->n_touched);
    in->row = ARENA(a, uint32_t, s->terms.n_made);
    in->row_end = ARENA(a, uint32_t, s->terms.n_made);
    in->words = ARENA(a, float, s->u->n_classes *SDD_TRI_WORDS);
    in->wrong = ARENA(a, uint32_t, 1);
}

static void fill(const struct triangles *s, struct inputs *in)
{
    const struct table_update *u = s->u;
    const struct table_triangles *t = &u->t->triangles;
    put_all(s, 1, in);
    for (int64_t i = u->n_touched; i-- > 0;) { /* The last piece of a face ends where the face does. */
        const int is_last = i % 4 == 3;
        in->piece[i] = u->touched[i].corner;
        in->class_of[i] = u->touched[i].class_of;
        in->end[i] = is_last ? s->columns.end[i / 4]
                             : in->end[i + 1] - (uint32_t)table_tri_columns(t->description + in->class_of[i + 1]);
    }
    memcpy(in->row, s->terms.made, (size_t)s->terms.n_made * sizeof *in->row);
    memcpy(in->row_end, s->terms.end, (size_t)s->terms.n_made * sizeof *in->row_end);
    memcpy(in->words, t->words, (size_t)u->n_classes * SDD_TRI_WORDS * sizeof *in->words);
}

static int upload(const struct triangles *s, struct inputs *out, struct sdd_error *err)
{
    struct table_update *u = s->u;
    struct inputs here = {0};
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    put_all(s, 0, &here);
    *out = here;
    lay_out(s, &count, out);
    host.base = table_update_memory(u, count.used, 1, err);
    int rc = host.base ? block_take(u->d, count.used, &u->scratch, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    device.base = u->scratch.memory;
    lay_out(s, &host, &here);
    lay_out(s, &device, out);
    fill(s, &here);
    dev_upload(u->d, u->scratch.memory, host.base, count.used);
    return SDD_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
static void stream_pairs(sdd_device *d, struct table_update_pairs_args a)
{
    if (a.rows.n > 0)
        DEV_LAUNCH(d, table_update_pairs, &a, (a.n + TABLE_UPDATE_PAIRS - 1) / TABLE_UPDATE_PAIRS);
}

static void make_pieces(const struct table_update *u, const struct inputs *in)
{
    const struct table_triangles *old = &u->old->triangles, *t = &u->t->triangles;
    struct table_tri_columns_args columns = {u->t->mesh, in->piece, in->class_of, (const int32_t *)in->end,
                                             t->classes, in->words, t->piece,     t->column,
                                             in->wrong};
    stream_pairs(u->d, (struct table_update_pairs_args){(const uint32_t *)old->piece,
                                                        (uint32_t *)t->piece,
                                                        in->faces,
                                                        {in->class_values, in->column_values},
                                                        u->n_others});
    table_stream(u->d, old->column, t->column, 0, t->n_column, &in->columns, &in->level1, 0);
    DEV_LAUNCH(u->d, table_tri_columns, &columns, u->n_touched);
}

static void make_terms(const struct triangles *s, const struct table_first_rule *rule, const struct inputs *in)
{
    const struct table_update *u = s->u;
    const struct tabulated *t = u->t;
    struct update_patch_args ends = {in->row, in->row_end, (uint32_t *)t->row_end};
    table_stream(u->d, (const uint32_t *)u->old->row_end, (uint32_t *)t->row_end, 0, t->n_rows, &in->rows,
                 &in->term_values, 1);
    stream_pairs(u->d, (struct table_update_pairs_args){(const uint32_t *)u->old->term,
                                                        (uint32_t *)t->term,
                                                        in->terms,
                                                        {in->vertices, {NULL, NULL, 0}},
                                                        s->terms.content.n_new});
    DEV_LAUNCH(u->d, update_patch, &ends, s->terms.n_made);
    table_launch_terms(u->d, rule, t, in->row, s->terms.n_made,
                       (struct sdd_matrix_rows){.end = t->row_end, .term = t->term});
}

int table_update_triangles(struct table_update *u, struct sdd_error *err)
{
    struct triangles s = {.u = u};
    struct tabulated *t = u->t;
    struct inputs in;
    uint32_t wrong = 0;
    if (!table_triangles_classes(&t->triangles, u->n_classes))
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    t->n_rows = (int64_t)t->mesh.n_vertices + t->mesh.n_edges;
    int rc = table_update_words(u, t->triangles.words, err);
    if (!rc)
        rc = table_triangles_take(u->topology, u->n_others, u->heads, &t->triangles, err);
    qsort(u->touched, (size_t)u->n_touched, sizeof *u->touched, compare_pieces);
    const struct table_first_rule rule = {&t->mesh, t->triangles.weights, 0};
    if (!rc)
        rc = place_columns(&s, err);
    if (!rc)
        rc = join_runs(&s, err);
    if (!rc)
        rc = list_rows(&s, err);
    if (!rc)
        rc = place_terms(&s, &rule, err);
    if (!rc)
        rc = upload(&s, &in, err);
    if (rc)
        return rc == SDD_EUNSUPPORTED ? TABLE_ANEW : rc;
    make_pieces(u, &in);
    make_terms(&s, &rule, &in);
    dev_download(u->d, &wrong, in.wrong, sizeof wrong);
    rc = dev_finish(u->d, err);
    return rc ? rc : wrong ? TABLE_ANEW : SDD_OK;
}
