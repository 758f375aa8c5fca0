/* SPDX-License-Identifier: Apache-2.0 */
/* classify.c: finds out on the device which pieces of a mesh are bicubic and sorts the others by the class of what
 * surrounds them, for tables.c. It also makes the matrix of the first pass. */
#include "gpu/engines/tabulated/classify.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/kernel/compact_keys.k.h"
#include "gpu/mesh/isolated_flags.k.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/engines/tabulated/kernels/table_columns.k.h"
#include "gpu/engines/tabulated/kernels/table_describe.k.h"
#include "gpu/levels/matrix_triangles.k.h"
#include "gpu/engines/tabulated/kernels/table_first_terms.k.h"
#include "gpu/engines/tabulated/kernels/table_keys.k.h"
#include "gpu/engines/tabulated/kernels/table_kinds.k.h"
#include "gpu/engines/tabulated/kernels/table_locations.k.h"
#include "gpu/sparse/sparse.h"
#include <stdlib.h>

_Static_assert(TABLE_MAX_VALENCE == SDD_TABLE_MAX, "tables and kernels take fans of one size");
_Static_assert(TABLE_MAX_CLASSES < 1 << (32 - SDD_TABLE_CLASS), "what a piece makes, and its class");

/* Scratch on the device while pieces are sorted by class. The arrays before `others` are for all pieces. Those after it
 * are in its memory and only for the O pieces that are not bicubic. A rank is the number of flags set up to and
 * including an element. */
struct sorting {
    int32_t *irregular;                          /* Shape [C]: flags the pieces that are not bicubic. */
    int32_t *kind;                               /* Shape [C]: a value of enum sdd_table_kind for each piece. */
    int32_t *regular_quad;                       /* Shape [C]: flags the pieces of regular quads. */
    int32_t *bicubic;                            /* Shape [C]: flags the other bicubic pieces. */
    int32_t *irregular_rank, *regular_quad_rank; /* Shape [C] each. */
    int32_t *bicubic_rank;                       /* Shape [C]. */
    int32_t *isolated, *isolated_rank;           /* Shape [V] each: flags the vertices without faces. */
    uint64_t *key;                               /* Shape [C]: the class of each piece, hashed. */
    uint32_t *regular;                           /* Shape [C]: the list of bicubic pieces. */
    int32_t *read, *read_rank;                   /* Shape [V + F + E] each: flags the rows of level 1 that are read. */
    uint32_t *flags;                             /* Shape [2]: a piece can have no table; two classes have one key. */
    void *scan;
    struct device_block others;
    uint64_t *sorted[2];  /* Shape [O] each: the keys, as listed and in order. */
    uint32_t *list;       /* Shape [O]: the pieces as listed. */
    uint32_t *other;      /* Shape [O]: the pieces in the order of their classes. */
    int32_t *head, *rank; /* Shape [O] each: flags the first piece of each class. */
    uint32_t *heads;      /* Shape [TABLE_MAX_CLASSES]: the list of these. */
    float *words;         /* Shape [TABLE_MAX_CLASSES][SDD_TABLE_WORDS]: each class in numbers. */
    void *scratch;
};

int64_t table_first_rows(const struct sdd_control *m)
{
    return (int64_t)m->n_vertices + m->n_faces + m->n_edges;
}

static void lay_out_sorting(sdd_device *d, const struct sdd_control *m, struct arena *a, struct sorting *s)
{
    int64_t C = m->n_corners, V = m->n_vertices, n = table_first_rows(m);
    s->irregular = ARENA(a, int32_t, C);
    s->kind = ARENA(a, int32_t, C);
    s->regular_quad = ARENA(a, int32_t, C);
    s->bicubic = ARENA(a, int32_t, C);
    s->irregular_rank = ARENA(a, int32_t, C);
    s->regular_quad_rank = ARENA(a, int32_t, C);
    s->bicubic_rank = ARENA(a, int32_t, C);
    s->isolated = ARENA(a, int32_t, V);
    s->isolated_rank = ARENA(a, int32_t, V);
    s->key = ARENA(a, uint64_t, C);
    s->regular = ARENA(a, uint32_t, C);
    s->read = ARENA(a, int32_t, n);
    s->read_rank = ARENA(a, int32_t, n);
    s->flags = ARENA(a, uint32_t, 2);
    s->scan = ARENA(a, char, d->b->scan_scratch(d->dev, C > n ? C : n));
}

static void lay_out_others(sdd_device *d, int64_t n, struct arena *a, struct sorting *s)
{
    int64_t scan = d->b->scan_scratch(d->dev, n), sort = d->b->sort_scratch(d->dev, n, 64);
    s->sorted[0] = ARENA(a, uint64_t, n);
    s->sorted[1] = ARENA(a, uint64_t, n);
    s->list = ARENA(a, uint32_t, n);
    s->other = ARENA(a, uint32_t, n);
    s->head = ARENA(a, int32_t, n);
    s->rank = ARENA(a, int32_t, n);
    s->heads = ARENA(a, uint32_t, TABLE_MAX_CLASSES);
    s->words = ARENA(a, float, TABLE_MAX_CLASSES *SDD_TABLE_WORDS);
    s->scratch = ARENA(a, char, scan > sort ? scan : sort);
}

static void lay_out_pieces(struct arena *a, struct tabulated *t)
{
    t->location = ARENA(a, uint32_t, t->n_regular + t->n_others);
    t->isolated = ARENA(a, uint32_t, t->n_isolated_rows);
    t->regular = ARENA(a, struct sdd_table_quad, t->n_regular);
    t->regular_column = ARENA(a, uint32_t, SDD_TABLE_REGULAR * t->n_regular);
    t->other = ARENA(a, struct sdd_table_quad, t->n_others);
}

int table_take_pieces(sdd_device *d, struct tabulated *t, struct sdd_error *err)
{
    struct arena count = {NULL, 0};
    lay_out_pieces(&count, t);
    int rc = block_take(d, count.used, &t->pieces, err);
    if (rc)
        return rc;
    struct arena real = {t->pieces.memory, 0};
    lay_out_pieces(&real, t);
    return SDD_OK;
}

/* Finds which pieces are bicubic and which of those belong to regular quads, and counts them. It counts isolated
 * vertices too. */
static int count_kinds(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                       struct sdd_error *err)
{
    int64_t C = m->n_corners;
    int32_t n_others = 0, n_regular_quads = 0, n_isolated_rows = 0;
    uint32_t flags[2] = {0, 0};
    struct table_keys_args keys = {*m, s->key, s->irregular, s->kind, s->flags};
    struct table_kinds_args kinds = {m->faces, s->kind, s->regular_quad, s->bicubic};
    struct isolated_flags_args isolated = {m->begin, m->end, s->isolated};
    dev_fill(d, s->flags, 0, sizeof flags);
    DEV_LAUNCH(d, table_keys, &keys, C);
    dev_scan(d, s->irregular, s->irregular_rank, C, s->scan);
    DEV_LAUNCH(d, table_kinds, &kinds, C);
    dev_scan(d, s->regular_quad, s->regular_quad_rank, C, s->scan);
    dev_scan(d, s->bicubic, s->bicubic_rank, C, s->scan);
    DEV_LAUNCH(d, isolated_flags, &isolated, m->n_vertices);
    dev_scan(d, s->isolated, s->isolated_rank, m->n_vertices, s->scan);
    dev_download(d, &n_isolated_rows, s->isolated_rank + (m->n_vertices - 1), sizeof n_isolated_rows);
    dev_download(d, &n_regular_quads, s->regular_quad_rank + (C - 1), sizeof n_regular_quads);
    dev_download(d, &n_others, s->irregular_rank + (C - 1), sizeof n_others);
    dev_download(d, flags, s->flags, sizeof flags);
    int rc = dev_finish(d, err);
    if (!rc && flags[0])
        return table_refuse(err,
                            "a vertex or a face has more than 32 corners, the faces of a vertex have more than 128, "
                            "or a crease runs where "
                            "surfaces touch");
    t->n_isolated_rows = n_isolated_rows;
    t->n_others = n_others;
    t->n_regular_quads = n_regular_quads;
    t->n_regular = C - n_others;
    return rc;
}

/* Sorts the pieces that are not bicubic by class and counts the classes. */
static int sort_others(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                       struct sdd_error *err)
{
    int64_t C = m->n_corners, n = t->n_others;
    int32_t n_classes = 0;
    struct arena count = {NULL, 0};
    lay_out_others(d, n, &count, s);
    int rc = block_take(d, count.used, &s->others, err);
    if (rc)
        return rc;
    struct arena real = {s->others.memory, 0};
    lay_out_others(d, n, &real, s);
    struct compact_args others = {s->irregular, s->irregular_rank, s->list};
    struct compact_keys_args other_keys = {s->key, s->irregular, s->irregular_rank, s->sorted[0]};
    struct run_heads_args heads = {s->sorted[1], s->head};
    struct compact_args firsts = {s->head, s->rank, s->heads};
    DEV_LAUNCH(d, compact, &others, C);
    DEV_LAUNCH(d, compact_keys, &other_keys, C);
    dev_sort(d, s->sorted[0], s->sorted[1], (int32_t *)s->list, (int32_t *)s->other, n, 64, s->scratch);
    DEV_LAUNCH(d, run_heads, &heads, n);
    dev_scan(d, s->head, s->rank, n, s->scratch);
    dev_download(d, &n_classes, s->rank + (n - 1), sizeof n_classes);
    rc = dev_finish(d, err);
    if (!rc && n_classes > TABLE_MAX_CLASSES)
        return table_refuse(err, "their surroundings take too many forms");
    if (rc)
        return rc;
    t->n_classes = n_classes;
    DEV_LAUNCH(d, compact, &firsts, n);
    return SDD_OK;
}

/* Lists the bicubic pieces, those of regular quads first, and then the others by class. */
static int sort_pieces(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                       struct sdd_error *err)
{
    int rc = count_kinds(d, m, t, s, err);
    if (!rc)
        rc = table_take_pieces(d, t, err);
    if (rc)
        return rc;
    struct compact_args regular_quads = {s->regular_quad, s->regular_quad_rank, s->regular};
    struct compact_args bicubic = {s->bicubic, s->bicubic_rank, s->regular + t->n_regular_quads};
    struct compact_args isolated = {s->isolated, s->isolated_rank, t->isolated};
    DEV_LAUNCH(d, compact, &isolated, m->n_vertices);
    DEV_LAUNCH(d, compact, &regular_quads, m->n_corners);
    DEV_LAUNCH(d, compact, &bicubic, m->n_corners);
    return t->n_others ? sort_others(d, m, t, s, err) : dev_finish(d, err);
}

static void lay_out_lists(const struct tabulated *t, int64_t n_column, struct arena *a, struct tabulated *out)
{
    out->classes = ARENA(a, struct sdd_table_table, t->n_classes);
    out->runs = ARENA(a, struct sdd_table_run, t->n_runs);
    out->column = ARENA(a, uint32_t, n_column);
}

/* Fills in where the pieces of each class, their columns and its table begin, and counts the runs. Returns the number
 * of columns of all pieces together. */
static int64_t locate_classes(struct tabulated *t, const uint32_t *heads, struct sdd_table_table *classes)
{
    int64_t column = 0;
    t->n_columns = t->n_runs = 0;
    for (int64_t k = 0; k < t->n_classes; k++) {
        int64_t end = k + 1 < t->n_classes ? heads[k + 1] : t->n_others, n = end - heads[k];
        int32_t n_columns = table_class_columns(t->description + k);
        classes[k] = (struct sdd_table_table){heads[k], column, t->n_columns, n_columns};
        column += n * n_columns;
        t->n_columns += n_columns;
        int32_t per_run = sdd_table_run_pieces(n_columns);
        t->n_runs += (n + per_run - 1) / per_run;
    }
    return column;
}

/* Cuts the pieces of each class into runs, each of which a GPU evaluates together. */
static void cut_runs(const struct tabulated *t, const struct sdd_table_table *classes, struct sdd_table_run *runs)
{
    for (int64_t k = 0; k < t->n_classes; k++) {
        const struct sdd_table_table c = classes[k];
        int64_t end = k + 1 < t->n_classes ? classes[k + 1].first : t->n_others;
        int32_t per_run = sdd_table_run_pieces(c.n_columns);
        for (int64_t at = c.first; at < end; at += per_run)
            *runs++ = (struct sdd_table_run){.column = c.column + (at - c.first) * c.n_columns,
                                             .table = c.table,
                                             .first = (uint32_t)at,
                                             .of_class = (uint32_t)k,
                                             .n = end - at < per_run ? (int32_t)(end - at) : per_run,
                                             .n_columns = c.n_columns};
    }
}

int table_take_classes(struct tabulated *t, int64_t n)
{
    t->n_classes = n;
    t->description = calloc((size_t)n + 1, sizeof *t->description);
    t->words = calloc((size_t)n + 1, SDD_TABLE_WORDS * sizeof *t->words);
    return t->description && t->words;
}

int table_take_lists(sdd_device *d, struct tabulated *t, const uint32_t *heads, struct sdd_table_table *classes,
                     struct sdd_error *err)
{
    struct arena count = {NULL, 0};
    const int64_t n_column = t->n_column = locate_classes(t, heads, classes);
    lay_out_lists(t, n_column, &count, t);
    struct sdd_table_run *runs = calloc((size_t)t->n_runs + 1, sizeof *runs);
    int rc = runs ? block_take(d, count.used, &t->lists, err)
                  : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for lists of pieces");
    if (!rc) {
        struct arena real = {t->lists.memory, 0};
        lay_out_lists(t, n_column, &real, t);
        cut_runs(t, classes, runs);
        dev_upload(d, t->classes, classes, t->n_classes * (int64_t)sizeof *classes);
        dev_upload(d, t->runs, runs, t->n_runs * (int64_t)sizeof *runs);
    }
    free(runs);
    return rc;
}

/* Host memory while the classes are described. */
struct describing {
    uint32_t *heads; /* Shape [n_classes]: the first piece of each class in the sorted list. */
    struct sdd_table_table *classes;
};

static int describe(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                    struct describing *h, struct sdd_error *err)
{
    struct table_describe_args words = {*m, s->heads, s->other, s->words};
    DEV_LAUNCH(d, table_describe, &words, t->n_classes);
    dev_download(d, h->heads, s->heads, t->n_classes * (int64_t)sizeof *h->heads);
    dev_download(d, t->words, s->words, t->n_classes * SDD_TABLE_WORDS * (int64_t)sizeof *t->words);
    int rc = dev_finish(d, err);
    if (rc)
        return rc;
    for (int64_t k = 0; k < t->n_classes; k++)
        t->description[k] = table_class_of(t->words + SDD_TABLE_WORDS * k);
    return table_take_lists(d, t, h->heads, h->classes, err);
}

/* Lays out the memory of the first pass. listed says that it makes only some rows of level 1, those of a list. */
static void lay_out_rows(struct arena *a, int listed, struct tabulated *t)
{
    t->row = listed ? ARENA(a, uint32_t, t->n_rows) : NULL;
    t->row_end = ARENA(a, int32_t, t->n_rows);
    t->made = ARENA(a, uint32_t, 1);
}

int table_take_rows(sdd_device *d, int listed, struct tabulated *t, struct sdd_error *err)
{
    struct arena count = {NULL, 0};
    lay_out_rows(&count, listed, t);
    int rc = block_take(d, count.used, &t->rows, err);
    if (rc)
        return rc;
    struct arena real = {t->rows.memory, 0};
    lay_out_rows(&real, listed, t);
    /* The count begins at its highest value, so that it wraps around in the first launch and not after many. */
    dev_fill(d, t->made, 0xff, sizeof *t->made);
    t->due = UINT32_MAX;
    return SDD_OK;
}

void table_launch_terms(sdd_device *d, const struct table_first_rule *rule, const struct tabulated *t,
                        const uint32_t *list, int64_t n, struct sdd_matrix_rows to)
{
    struct table_first_terms_args quads = {*rule->mesh, t->row, to, rule->smooth_triangles};
    struct matrix_triangles_args triangles = {
        .step = {.mesh = *rule->mesh, .weights = rule->weights}, .to = to, .row = list, .kind = SDD_MATRIX_STEP};
    if (rule->weights)
        DEV_LAUNCH(d, matrix_triangles, &triangles, n);
    else
        DEV_LAUNCH(d, table_first_terms, &quads, n);
}

static int fill_terms(sdd_device *d, const struct table_first_rule *rule, struct tabulated *t, struct sdd_error *err)
{
    int64_t n_terms = 0;
    table_launch_terms(d, rule, t, NULL, t->n_rows, (struct sdd_matrix_rows){.count = t->row_end});
    int rc = sparse_row_ends(d, t->row_end, t->n_rows, &n_terms, err);
    if (!rc && n_terms > SPARSE_MAX_ENTRIES)
        return table_refuse(err, "the faces around them are too many");
    if (!rc)
        rc = block_take(d, n_terms * (int64_t)sizeof *t->term, &t->terms, err);
    if (rc)
        return rc;
    t->term = t->terms.memory;
    table_launch_terms(d, rule, t, NULL, t->n_rows, (struct sdd_matrix_rows){.end = t->row_end, .term = t->term});
    return dev_finish(d, err);
}

int table_first_matrix(sdd_device *d, const struct table_first_rule *rule, struct tabulated *t, struct sdd_error *err)
{
    int rc = table_take_rows(d, 0, t, err);
    return rc ? rc : fill_terms(d, rule, t, err);
}

int table_list_rows(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                    const struct table_reading *s, struct sdd_error *err)
{
    const int64_t n = table_first_rows(m);
    int32_t n_read = 0;
    uint32_t wrong = 0;
    dev_scan(d, s->read, s->rank, n, s->scan);
    dev_download(d, &n_read, s->rank + (n - 1), sizeof n_read);
    dev_download(d, &wrong, s->wrong, sizeof wrong);
    int rc = dev_finish(d, err);
    if (!rc && wrong)
        return table_refuse(err, "two forms of surroundings have one key");
    t->n_rows = n_read;
    if (!rc && n_read) /* If all quads are regular, nothing reads level 1. */
        rc = table_take_rows(d, 1, t, err);
    if (rc || !n_read)
        return rc;
    struct compact_args rows = {s->read, s->rank, t->row};
    DEV_LAUNCH(d, compact, &rows, n);
    return fill_terms(d, &(struct table_first_rule){m, NULL, smooth_triangles}, t, err);
}

static int fill_columns(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                        struct sorting *s, struct sdd_error *err)
{
    int64_t n = table_first_rows(m);
    struct table_columns_args regular = {.mesh = *m,
                                         .piece = s->regular,
                                         .n_regular_quads = t->n_regular_quads,
                                         .quad = t->regular,
                                         .column = t->regular_column,
                                         .read = (uint32_t *)s->read};
    struct table_columns_args others = {.mesh = *m,
                                        .piece = s->other,
                                        .rank = s->rank,
                                        .classes = t->classes,
                                        .words = s->words,
                                        .quad = t->other,
                                        .column = t->column,
                                        .wrong = s->flags + 1,
                                        .read = (uint32_t *)s->read};
    dev_fill(d, s->read, 0, n * (int64_t)sizeof *s->read);
    DEV_LAUNCH(d, table_columns, &regular, t->n_regular);
    DEV_LAUNCH(d, table_columns, &others, t->n_others);
    struct table_locations_args locations[2] = {{s->regular, t->location, 0, NULL},
                                                {s->other, t->location, SDD_TABLE_OTHER, NULL}};
    DEV_LAUNCH(d, table_locations, locations, t->n_regular);
    DEV_LAUNCH(d, table_locations, locations + 1, t->n_others);
    return table_list_rows(d, m, smooth_triangles, t,
                           &(struct table_reading){s->read, s->read_rank, s->flags + 1, s->scan}, err);
}

static int classify(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                    struct sorting *s, struct sdd_error *err)
{
    int rc = sort_pieces(d, m, t, s, err);
    if (rc)
        return rc;
    size_t n = (size_t)t->n_classes + 1;
    struct describing h = {calloc(n, sizeof *h.heads), calloc(n, sizeof *h.classes)};
    if (!h.heads || !h.classes || !table_take_classes(t, t->n_classes))
        rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    else if (t->n_classes)
        rc = describe(d, m, t, s, &h, err);
    if (!rc)
        rc = fill_columns(d, m, smooth_triangles, t, s, err);
    free(h.heads);
    free(h.classes);
    return rc;
}

int table_classify(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                   struct sdd_error *err)
{
    struct arena count = {NULL, 0};
    struct sorting s = {0};
    void *memory;
    lay_out_sorting(d, m, &count, &s);
    int rc = dev_alloc(d, count.used, &memory, err);
    if (rc)
        return rc;
    struct arena real = {memory, 0};
    lay_out_sorting(d, m, &real, &s);
    rc = classify(d, m, smooth_triangles, t, &s, err);
    if (rc)
        dev_drain(d);
    dev_free(d, s.others.memory, s.others.bytes);
    dev_free(d, memory, count.used);
    return rc;
}
