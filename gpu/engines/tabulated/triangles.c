/* SPDX-License-Identifier: Apache-2.0 */
/* triangles.c: the pieces of triangles under Loop, for tables.c and rows.c: it sorts them by class, makes the tables of
 * the classes and queues the launches that use these. */
#include "gpu/engines/tabulated/triangles.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/bspline/row_bands.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_classes.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_columns.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_describe.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_keys.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_rows.k.h"
#include "gpu/levels/levels.h"
#include "gpu/engines/tabulated/cache.h"
#include <stdlib.h>

/* Scratch on the device while the n pieces are sorted by class. A rank is the number of flags set up to and including
 * an element. */
struct sorting {
    uint64_t *key, *sorted; /* Shape [n] each: the class of each piece, hashed, as listed and in order. */
    uint32_t *list, *piece; /* Shape [n] each: all pieces as listed, and in the order of their classes. */
    int32_t *head, *rank;   /* Shape [n] each: flags the first piece of each class. */
    /* The same memory later on, by piece: classes, the numbers of columns, and where the columns end. */
    uint32_t *class_of; /* That of `list`. */
    int32_t *n_columns; /* That of `head`. */
    int32_t *end;       /* Shape [n]. */
    uint32_t *heads;    /* Shape [TABLE_MAX_CLASSES]: the list of these. */
    float *words;       /* Shape [TABLE_MAX_CLASSES][SDD_TRI_WORDS]: each class in numbers. */
    uint32_t *flags;    /* Shape [2]: a piece can have no table; two classes have one key. */
    void *scratch;
};

static void lay_out_sorting(sdd_device *d, int64_t n, struct arena *a, struct sorting *s)
{
    int64_t scan = d->b->scan_scratch(d->dev, n), sort = d->b->sort_scratch(d->dev, n, 64);
    s->key = ARENA(a, uint64_t, n);
    s->sorted = ARENA(a, uint64_t, n);
    s->list = ARENA(a, uint32_t, n);
    s->piece = ARENA(a, uint32_t, n);
    s->head = ARENA(a, int32_t, n);
    s->rank = ARENA(a, int32_t, n);
    s->end = ARENA(a, int32_t, n);
    s->class_of = s->list;
    s->n_columns = s->head;
    s->heads = ARENA(a, uint32_t, TABLE_MAX_CLASSES);
    s->words = ARENA(a, float, TABLE_MAX_CLASSES *SDD_TRI_WORDS);
    s->flags = ARENA(a, uint32_t, 2);
    s->scratch = ARENA(a, char, scan > sort ? scan : sort);
}

static int sort_pieces(sdd_device *d, const struct sdd_control *m, int64_t n, struct table_triangles *t,
                       struct sorting *s, struct sdd_error *err)
{
    int32_t n_classes = 0;
    uint32_t flags[2];
    struct table_tri_keys_args keys = {*m, NULL, s->key, s->list, s->flags};
    struct run_heads_args heads = {s->sorted, s->head};
    struct compact_args firsts = {s->head, s->rank, s->heads};
    dev_fill(d, s->flags, 0, sizeof flags);
    DEV_LAUNCH(d, table_tri_keys, &keys, n);
    dev_sort(d, s->key, s->sorted, (int32_t *)s->list, (int32_t *)s->piece, n, 64, s->scratch);
    DEV_LAUNCH(d, run_heads, &heads, n);
    dev_scan(d, s->head, s->rank, n, s->scratch);
    dev_download(d, &n_classes, s->rank + (n - 1), sizeof n_classes);
    dev_download(d, flags, s->flags, sizeof flags);
    int rc = dev_finish(d, err);
    if (!rc && flags[0])
        return table_refuse(err, "a vertex has more than 32 triangles or a crease runs where surfaces touch");
    if (!rc && n_classes > TABLE_MAX_CLASSES)
        return table_refuse(err, "their surroundings take too many forms");
    if (rc)
        return rc;
    t->n_classes = n_classes;
    DEV_LAUNCH(d, compact, &firsts, n);
    return SDD_OK;
}

/* A class from its numbers, which sdd_tri_words writes. */
static struct table_tri_class class_of(const float *words)
{
    struct table_tri_class c = {.corner = (int32_t)words[0]};
    if (c.corner == SDD_TRI_MIDDLE) {
        for (int i = 0; i < 3; i++) {
            c.edge[i] = words[1 + i];
            c.has_across[i] = (int32_t)words[4 + i];
        }
        return c;
    }
    c.fan = table_class_of(words + 1);
    return c;
}

static void lay_out_pieces(const sdd_topology *topology, int64_t n, const struct table_triangles *t, struct arena *a,
                           struct table_triangles *out)
{
    out->weights = ARENA(a, struct sdd_float2, step_weights(topology));
    out->piece = ARENA(a, struct sdd_tri_piece, n);
    out->classes = ARENA(a, struct sdd_table_table, t->n_classes);
    out->column = ARENA(a, uint32_t, t->n_column);
}

int table_triangles_classes(struct table_triangles *t, int64_t n)
{
    t->n_classes = n;
    t->description = calloc((size_t)n + 1, sizeof *t->description);
    t->words = calloc((size_t)n + 1, SDD_TRI_WORDS * sizeof *t->words);
    return t->description && t->words;
}

int table_triangles_take(const sdd_topology *topology, int64_t n, const uint32_t *heads, struct table_triangles *t,
                         struct sdd_error *err)
{
    sdd_device *d = topology->device;
    struct arena count = {NULL, 0};
    struct sdd_table_table *classes = calloc((size_t)t->n_classes + 1, sizeof *classes);
    if (!classes)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    for (int64_t k = 0; k < t->n_classes; k++) {
        t->description[k] = class_of(t->words + SDD_TRI_WORDS * k);
        int32_t n_columns = table_tri_columns(t->description + k);
        classes[k] = (struct sdd_table_table){heads[k], 0, t->n_columns, n_columns};
        t->n_columns += n_columns;
        t->n_column += n_columns * ((k + 1 < t->n_classes ? heads[k + 1] : n) - heads[k]);
    }
    int rc = t->n_column > INT32_MAX ? table_refuse(err, "the mesh is too large") : SDD_OK;
    lay_out_pieces(topology, n, t, &count, t);
    rc = rc ? rc : block_take(d, count.used, &t->memory, err);
    if (!rc) {
        struct arena real = {t->memory.memory, 0};
        lay_out_pieces(topology, n, t, &real, t);
        dev_upload(d, t->classes, classes, t->n_classes * (int64_t)sizeof *classes);
        rc = step_upload_weights(topology, t->weights, err);
    }
    free(classes);
    return rc;
}

/* Describes each class by its first piece, and takes the memory of all that stays. heads[n_classes] is host memory. */
static int describe(const sdd_topology *topology, const struct sdd_control *m, int64_t n, struct table_triangles *t,
                    struct sorting *s, uint32_t *heads, struct sdd_error *err)
{
    sdd_device *d = topology->device;
    struct table_tri_describe_args words = {*m, s->heads, s->piece, s->words};
    DEV_LAUNCH(d, table_tri_describe, &words, t->n_classes);
    dev_download(d, heads, s->heads, t->n_classes * (int64_t)sizeof *heads);
    dev_download(d, t->words, s->words, t->n_classes * SDD_TRI_WORDS * (int64_t)sizeof *t->words);
    int rc = dev_finish(d, err);
    return rc ? rc : table_triangles_take(topology, n, heads, t, err);
}

/* Puts the columns of all pieces one after the other, in the order of the pieces. */
static int put_columns(sdd_device *d, const struct sdd_control *m, int64_t n, struct table_triangles *t,
                       struct sorting *s, struct sdd_error *err)
{
    uint32_t flags[2];
    struct table_tri_classes_args classes = {s->piece, s->rank, t->classes, s->class_of, s->n_columns};
    struct table_tri_columns_args columns = {*m,       NULL,     s->class_of, s->end,      t->classes,
                                             s->words, t->piece, t->column,   s->flags + 1};
    DEV_LAUNCH(d, table_tri_classes, &classes, n);
    dev_scan(d, s->n_columns, s->end, n, s->scratch);
    DEV_LAUNCH(d, table_tri_columns, &columns, n);
    dev_download(d, flags, s->flags, sizeof flags);
    int rc = dev_finish(d, err);
    return !rc && flags[1] ? table_refuse(err, "two forms of surroundings have one key") : rc;
}

static int classify(const sdd_topology *topology, const struct sdd_control *m, int64_t n, struct table_triangles *t,
                    struct sorting *s, struct sdd_error *err)
{
    sdd_device *d = topology->device;
    int rc = sort_pieces(d, m, n, t, s, err);
    if (rc)
        return rc;
    uint32_t *heads = calloc((size_t)t->n_classes, sizeof *heads);
    if (!heads || !table_triangles_classes(t, t->n_classes))
        rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    else
        rc = describe(topology, m, n, t, s, heads, err);
    free(heads);
    return rc ? rc : put_columns(d, m, n, t, s, err);
}

int table_triangles_classify(const sdd_topology *topology, const struct sdd_control *m, struct table_triangles *t,
                             struct sdd_error *err)
{
    sdd_device *d = topology->device;
    int64_t n = 4 * (int64_t)m->n_faces;
    struct arena count = {NULL, 0};
    struct sorting s;
    void *memory = NULL;
    lay_out_sorting(d, n, &count, &s);
    int rc = n > INT32_MAX ? table_refuse(err, "the mesh is too large") : dev_alloc(d, count.used, &memory, err);
    if (rc)
        return rc;
    struct arena real = {memory, 0};
    lay_out_sorting(d, n, &real, &s);
    rc = classify(topology, m, n, t, &s, err);
    if (rc)
        dev_drain(d);
    dev_free(d, memory, count.used);
    return rc;
}

/* Lays the tables of a level out, alike in host memory and in that of the device. n_away is the number of columns of
 * all tables of tangents, 0 without normals. */
static void lay_out_tables(const struct table_triangles *t, int level, int64_t n_away, struct arena *a,
                           struct table_triangles_surface *out)
{
    const int64_t rows = sdd_tri_table_rows(1 << (level - 1));
    out->location = ARENA(a, uint32_t, sdd_tri_locations(level));
    /* A GPU may read up to SDD_TRI_REGULAR columns past the last table. */
    out->table = ARENA(a, float, (t->n_columns + SDD_TRI_REGULAR) * rows);
    out->away_table = n_away ? ARENA(a, float, (n_away + SDD_TRI_REGULAR) * rows) : NULL;
    out->away = n_away ? ARENA(a, struct sdd_tri_away, t->n_classes) : NULL;
}

/* The number of columns of the tables of tangents. */
static int64_t count_away(const struct table_triangles *t, int steps, int limit)
{
    int64_t n = 0;
    for (int64_t k = 0; k < t->n_classes; k++)
        n += 2 * table_tri_pairs(t->description + k, steps, limit) * table_tri_columns(t->description + k);
    return n;
}

static int make_tables(sdd_device *d, const struct table_triangles *t, int steps, int limit,
                       const struct table_triangles_surface *to, struct sdd_error *err)
{
    struct table_cache *cache = table_cache_of(d, err);
    int64_t rows = sdd_tri_table_rows(1 << steps), at = 0, away = 0;
    int rc = cache ? SDD_OK : SDD_ENO_MEMORY;
    for (int64_t k = 0; k < t->n_classes && !rc; k++) {
        const struct table_tri_class *c = t->description + k;
        const int columns = table_tri_columns(c), pairs = table_tri_pairs(c, steps, limit);
        rc = table_cache_triangle(cache, c, steps, limit, to->table + at * rows,
                                  to->away ? to->away_table + away * rows : NULL, err);
        if (to->away)
            to->away[k] = (struct sdd_tri_away){away, pairs, table_tri_shared(c, steps, limit)};
        at += columns;
        away += 2 * pairs * columns;
    }
    return rc;
}

int table_triangles_tables(sdd_device *d, struct table_triangles *t, int level, int surface, int normals,
                           struct sdd_error *err)
{
    const int limit = surface;
    struct table_triangles_surface *of = t->surface + surface, made = {.level = level}, here;
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    int64_t rows = sdd_tri_table_rows(1 << (level - 1)), n_away = normals ? count_away(t, level - 1, limit) : 0;
    if (of->level == level && (of->away || !normals))
        return SDD_OK;
    if (t->n_columns * rows > TABLE_MAX_FLOATS)
        return table_refuse(err, "their surroundings take too many forms for this level");
    lay_out_tables(t, level, n_away, &count, &here);
    void *memory = calloc(1, (size_t)count.used);
    if (!memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    host.base = memory;
    lay_out_tables(t, level, n_away, &host, &here);
    sdd_tri_fill_locations(level, here.location);
    int rc = make_tables(d, t, level - 1, limit, &here, err);
    if (!rc)
        rc = block_take(d, count.used, &made.memory, err);
    if (!rc) {
        device.base = made.memory.memory;
        lay_out_tables(t, level, n_away, &device, &made);
        rc = block_settle(d, memory, made.memory, of->memory, err);
        *of = rc ? *of : made;
    }
    free(memory);
    return rc;
}

int64_t table_triangles_points(const struct sdd_control *mesh, const struct table_triangles *t, int surface)
{
    int64_t along = ((int64_t)1 << t->surface[surface].level) - 1;
    return mesh->n_vertices + mesh->n_edges * along + mesh->n_faces * (along * (along - 1) / 2);
}

/* Whether the device is a GPU that makes this level triangle by triangle, from level `least` on, if all rows but no
 * tangents are asked for. */
static int by_triangles(const sdd_device *d, const struct table_triangles_surface *of, int least)
{
    return d->b->in_order && of->level >= least;
}

void table_triangles_rows(sdd_device *d, const struct sdd_control *mesh, const struct table_triangles *t, int surface,
                          struct sdd_width width, const float *first, int64_t first_row, int64_t n, float *to,
                          struct sdd_rows_as as)
{
    const struct table_triangles_surface *of = t->surface + surface;
    struct table_tri_rows_args a = {
        .pieces = {*mesh, t->piece, t->classes, of->table, t->column, of->location, of->level},
        .from = first,
        .to = to,
        .width = width,
        .as = as,
        .first = first_row,
        .n = n,
        .each = sdd_rows_each(n)};
    a.by_triangles = n == table_triangles_points(mesh, t, surface) && by_triangles(d, of, SDD_TRI_LEAST_OF_ROWS);
    DEV_LAUNCH(d, table_tri_rows, &a, a.by_triangles ? sdd_tri_items(&a.pieces) : (n + a.each - 1) / a.each);
}

void table_triangles_normals(sdd_device *d, const struct sdd_control *mesh, const struct table_triangles *t,
                             int surface, const float *first, float *to, struct sdd_rows_as as, float *tangents)
{
    const struct table_triangles_surface *of = t->surface + surface;
    int64_t n = table_triangles_points(mesh, t, surface);
    struct table_tri_normals_args a = {
        .pieces = {*mesh, t->piece, t->classes, of->away_table, t->column, of->location, of->level},
        .away = of->away,
        .from = first,
        .to = to,
        .tangents = tangents,
        .as = as,
        .n = n,
        .each = sdd_rows_each(n),
        .by_triangles = !tangents && by_triangles(d, of, SDD_TRI_LEAST_OF_NORMALS)};
    DEV_LAUNCH(d, table_tri_normals, &a, a.by_triangles ? sdd_tri_items(&a.pieces) : (n + a.each - 1) / a.each);
}

int64_t table_triangles_bytes(const struct table_triangles *t)
{
    int64_t bytes = t->memory.bytes;
    for (int k = 0; k < SDD_N_SURFACES; k++)
        bytes += t->surface[k].memory.bytes;
    return bytes;
}

void table_triangles_shed(sdd_device *d, struct table_triangles *t)
{
    for (int k = 0; k < SDD_N_SURFACES; k++) {
        block_give(d, &t->surface[k].memory);
        t->surface[k] = (struct table_triangles_surface){0};
    }
}

void table_triangles_free(sdd_device *d, struct table_triangles *t)
{
    table_triangles_shed(d, t);
    block_give(d, &t->memory);
    free(t->description);
    free(t->words);
    *t = (struct table_triangles){0};
}
