/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: makes rows of points and of normals with the tables of tables.c, for engine.c. It queues the launches, and it
 * sorts their items into the order in which a GPU should take them. */
#include "gpu/engine_api/result.h"
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/kernels/table_first.tile.h"
#include "gpu/engines/tabulated/kernels/table_variants.ks.h"
#include "gpu/engines/tabulated/kernels/table_isolated.k.h"
#include "gpu/engines/tabulated/kernels/table_points_batch.k.h"
#include "gpu/engines/tabulated/kernels/table_order.k.h"
#include <string.h>

/* The most rows of level 1 that a launch makes before all else: eight times what an H100 makes at once. */
#define FUSED_ROWS (1 << 18)

/* Up to three floats of all rows of one mesh, which is what one launch makes. */
struct pass {
    struct sdd_width width;
    const float *control, *first;
    float *to;
    struct sdd_rows_as as;
};

/* How to queue what is made of the pieces of each kind of scheme. */
static const struct launches {
    int combines; /* Whether one launch can make several meshes, points with normals, and the first pass as well. */
    void (*rows)(struct tabulated *t, int surface, const struct pass *p);
    void (*range)(const struct tabulated *t, int surface, const float *points, const float *first, int64_t first_row,
                  int64_t n_rows, float *to);
    void (*normals)(const struct tabulated *t, int surface, const float *points, const float *first, float *to,
                    struct sdd_rows_as as, float *tangents);
} launches[SCHEME_KINDS];

static const struct launches *launches_of(const struct tabulated *t)
{
    return launches + t->topology->scheme->kind;
}

/* How many groups of pieces of regular quads an item has: what a warp makes at once or, if there are many pieces, up to
 * four times that, so that it can load the next ones while it makes the ones before. */
static int32_t pieces_each(int64_t n, int level)
{
    int64_t once = SDD_TABLE_ONCE(level), times = n / (once * 8192);
    return (int32_t)(once * (times < 1 ? 1 : times > 4 ? 4 : times));
}

/* The width of the part of a row that begins with float k. Kernels take up to three floats of a row at a time. */
static struct sdd_width width_at(int width, int k)
{
    return (struct sdd_width){width - k < 3 ? width - k : 3, width};
}

int64_t tabulated_first_floats(const struct sdd_control *mesh, int width)
{
    return table_first_rows(mesh) * (width / 3 * sdd_table_width(3).stride + width % 3);
}

/* Where the part of the rows of level 1 that begins with float k is. The first three floats of all rows come before the
 * next three of all rows. */
static int64_t first_at(const struct sdd_control *mesh, int k)
{
    return table_first_rows(mesh) * (k / 3) * sdd_table_width(3).stride;
}

static struct sdd_first_step first_step(const struct tabulated *t)
{
    return (struct sdd_first_step){t->row, t->row_end, t->term, (uint32_t)t->n_rows};
}

/* Queues the first pass for one part of the rows of all meshes, as one launch. */
static void first_launch(const struct tabulated *t, struct sdd_width width, int k, const struct tabulated_batch *c)
{
    struct table_first_args a = {.step = first_step(t), .rows = {.n = c->n}, .width = width};
    for (int j = 0; j < c->n; j++) {
        a.rows.from[j] = c->control[j] + k;
        a.rows.to[j] = c->first[j] + first_at(&t->mesh, k);
    }
    DEV_LAUNCH(t->topology->device, table_first, &a, sdd_table_step_items(&a.step) * c->n);
}

void tabulated_first(const struct tabulated *t, int width, const struct tabulated_batch *c)
{
    for (int k = 0; k < width; k += 3)
        first_launch(t, width_at(width, k), k, c);
}

/* Sets up the pieces of a launch; normals says whether the launch makes normals, with points or without. */
static struct table_points_args points_args(const struct tabulated *t, const struct tabulated_surface *of, int normals,
                                            struct sdd_width width, const float *control, const float *first, float *to,
                                            struct sdd_rows_as as)
{
    struct table_points_args a = {.grid = sdd_grid_of(&t->mesh, of->level),
                                  .control = control,
                                  .from = first,
                                  .to = to,
                                  .width = width,
                                  .as = as,
                                  .regular = t->regular,
                                  .regular_column = t->regular_column,
                                  .basis = of->basis,
                                  .n_regular = t->n_regular,
                                  .n_regular_quads = t->n_regular_quads,
                                  .each = pieces_each(t->n_regular_quads, of->level),
                                  .runs = t->runs,
                                  .tables = t->classes,
                                  .table = of->table,
                                  .other = t->other,
                                  .column = t->column,
                                  .n_runs = t->n_runs,
                                  .log_each = normals ? SDD_TABLE_LOG_NORMALS : SDD_TABLE_LOG_POINTS,
                                  .location = t->location,
                                  .order = of->order[normals].memory};
    memcpy(a.weights, of->weights, sizeof a.weights);
    return a;
}

/* Scratch on the device while items are sorted. */
struct ordering {
    uint64_t *key, *sorted; /* The sort keys of items (table_order.k.h), as made and in order. */
    uint32_t *item;         /* The items of `key`. */
    void *scratch;
};

enum { KEY_BITS = 32 }; /* Keys have no bits above these. */

static struct ordering lay_out_order(const sdd_device *d, int64_t n, struct arena *a)
{
    struct ordering of = {.key = ARENA(a, uint64_t, n)};
    of.sorted = ARENA(a, uint64_t, n);
    of.item = ARENA(a, uint32_t, n);
    of.scratch = ARENA(a, char, d->b->sort_scratch(d->dev, n, KEY_BITS));
    return of;
}

int table_order_items(const struct tabulated *t, struct tabulated_surface *of, int normals, struct sdd_error *err)
{
    sdd_device *d = t->topology->device;
    if (!d->b->in_order || t->n_regular_quads == t->n_regular + t->n_others || of->order[normals].memory)
        return SDD_OK;
    struct table_order_args a = {.pieces =
                                     points_args(t, of, normals, sdd_xyz(), NULL, NULL, NULL, (struct sdd_rows_as){0})};
    const int64_t n = sdd_table_items(&a.pieces);
    struct device_block work, order;
    struct arena count = {NULL, 0};
    lay_out_order(d, n, &count);
    int rc = block_take(d, count.used, &work, err);
    if (rc)
        return rc;
    rc = block_take(d, n * (int64_t)sizeof *a.item, &order, err);
    if (!rc) {
        struct arena there = {work.memory, 0};
        const struct ordering w = lay_out_order(d, n, &there);
        a.key = w.key;
        a.item = w.item;
        DEV_LAUNCH(d, table_order, &a, n);
        dev_sort(d, w.key, w.sorted, (int32_t *)w.item, order.memory, n, KEY_BITS, w.scratch);
        rc = dev_finish(d, err);
        if (rc)
            dev_free(d, order.memory, order.bytes);
        else
            of->order[normals] = order;
    }
    dev_free(d, work.memory, work.bytes);
    return rc;
}

/* Whether the first pass of n meshes is fused into the launch that reads its rows. A long one is not, because the
 * blocks that wait for it would take the place of those that make it. */
static int is_fused(const struct tabulated *t, int n)
{
    return t->topology->device->b->in_order && launches_of(t)->combines && t->n_rows <= FUSED_ROWS / n;
}

static void fuse_first_pass(const struct tabulated *t, int n, struct table_points_args *a)
{
    if (!is_fused(t, n))
        return;
    a->first = first_step(t);
    a->made = t->made;
    a->due = t->due + (uint32_t)sdd_table_first_items(a, n);
}

/* Counts the items of a first pass that has been queued. */
static void first_pass_fused(struct tabulated *t, const struct table_points_args *a)
{
    if (a->made && !t->topology->device->status)
        t->due = a->due;
}

/* Queues the positions of several meshes as one launch. */
static void points_launch(struct tabulated *t, int surface, const struct tabulated_batch *c)
{
    sdd_device *d = t->topology->device;
    const struct tabulated_surface *of = t->surface + surface;
    struct table_points_batch_args a = {.of = points_args(t, of, 0, sdd_xyz(), NULL, NULL, NULL, c->as),
                                        .rows = {.n = c->n}};
    fuse_first_pass(t, c->n, &a.of);
    for (int j = 0; j < c->n; j++) {
        a.control[j] = c->control[j];
        a.rows.from[j] = c->first[j];
        a.rows.to[j] = c->to[j];
    }
    DEV_LAUNCH(d, table_points_batch, &a, sdd_table_first_items(&a.of, c->n) + sdd_table_items(&a.of) * c->n);
    first_pass_fused(t, &a.of);
}

/* The kernels that make rows, for a format and a width each. The first row that fits is taken; n 0 fits any width. All
 * of them have the arguments of table_points. */
static const struct {
    int kernel, unorm16, n, stride;
} rows_kernels[] = {{SDD_K_table_points_unorm16, 1, 0, 0},
                    {SDD_K_table_points, 0, 3, 3},
                    {SDD_K_table_points_uv, 0, 2, 2},
                    {SDD_K_table_points_n, 0, 0, 0}};

/* Queues the rows of one pass by the kernel for their format and width. */
static void rows_launch(sdd_device *d, struct table_points_args *a)
{
    int k = 0;
    while (rows_kernels[k].unorm16 != (a->as.format == SDD_ROWS_UNORM16) ||
           (rows_kernels[k].n && (rows_kernels[k].n != a->width.n || rows_kernels[k].stride != a->width.stride)))
        k++;
    DEV_CLEAR_PADDING(a);
    dev_launch(d, rows_kernels[k].kernel, a, sizeof *a, sdd_table_first_items(a, 1) + sdd_table_items(a));
}

static void quad_rows(struct tabulated *t, int surface, const struct pass *p)
{
    struct table_points_args a = points_args(t, t->surface + surface, 0, p->width, p->control, p->first, p->to, p->as);
    fuse_first_pass(t, 1, &a);
    rows_launch(t->topology->device, &a);
    first_pass_fused(t, &a);
}

static void triangle_rows(struct tabulated *t, int surface, const struct pass *p)
{
    table_triangles_rows(t->topology->device, &t->mesh, &t->triangles, surface, p->width, p->first, 0,
                         table_triangles_points(&t->mesh, &t->triangles, surface), p->to, p->as);
}

/* Queues all floats of the rows of mesh j, three at a time. */
static void mesh_rows(struct tabulated *t, int surface, int width, const struct tabulated_batch *c, int j)
{
    for (int k = 0; k < width; k += 3) {
        const struct pass p = {width_at(width, k), c->control[j] + k, c->first[j] + first_at(&t->mesh, k), c->to[j] + k,
                               c->as};
        launches_of(t)->rows(t, surface, &p);
    }
}

/* Queues the rows without faces: copies of `from` or, if that is NULL, zeros, as they have no normals. */
static void isolated_rows(const struct tabulated *t, const float *from, float *to, int width, struct sdd_rows_as as)
{
    struct table_isolated_args isolated = {t->isolated, from, to, width, as};
    DEV_LAUNCH(t->topology->device, table_isolated, &isolated,
               t->n_isolated_rows * (as.format == SDD_ROWS_F32 ? width : 1));
}

void tabulated_rows(struct tabulated *t, int surface, int width, const struct tabulated_batch *c)
{
    sdd_device *d = t->topology->device;
    const int batch = c->n > 1 && width == 3 && launches_of(t)->combines;
    dev_l2_window(d, t->pieces.memory, t->pieces.bytes);
    if (!is_fused(t, batch ? c->n : 1))
        tabulated_first(t, width, c);
    if (batch)
        points_launch(t, surface, c);
    for (int j = 0; j < c->n; j++) {
        if (!batch)
            mesh_rows(t, surface, width, c, j);
        isolated_rows(t, c->control[j], c->to[j], width, c->as);
    }
    dev_l2_window(d, NULL, 0);
}

static struct table_rows_args rows_args(const struct tabulated *t, int surface, int normals, const float *points,
                                        const float *first, int64_t first_row, int64_t n_rows, float *to,
                                        struct sdd_rows_as as)
{
    return (struct table_rows_args){.pieces =
                                        points_args(t, t->surface + surface, normals, sdd_xyz(), points, first, to, as),
                                    .mesh = t->mesh,
                                    .to = to,
                                    .first = first_row,
                                    .n = n_rows,
                                    .each = sdd_rows_each(n_rows)};
}

static void quad_range(const struct tabulated *t, int surface, const float *points, const float *first,
                       int64_t first_row, int64_t n_rows, float *to)
{
    struct table_rows_args a = rows_args(t, surface, 0, points, first, first_row, n_rows, to, rows_f32);
    DEV_LAUNCH(t->topology->device, table_rows, &a, (n_rows + a.each - 1) / a.each);
}

static void triangle_range(const struct tabulated *t, int surface, const float *points, const float *first,
                           int64_t first_row, int64_t n_rows, float *to)
{
    (void)points; /* `first` has all rows of level 1. */
    table_triangles_rows(t->topology->device, &t->mesh, &t->triangles, surface, sdd_xyz(), first, first_row, n_rows, to,
                         rows_f32);
}

void tabulated_range(const struct tabulated *t, int surface, const float *points, const float *first, int64_t first_row,
                     int64_t n_rows, float *to)
{
    launches_of(t)->range(t, surface, points, first, first_row, n_rows, to);
}

static struct table_normals_args normals_args(const struct tabulated *t, int surface, const float *points,
                                              const float *first, float *to, struct sdd_rows_as as, float *tangents)
{
    const struct tabulated_surface *of = t->surface + surface;
    int64_t n = topology_points(t->topology, of->level);
    struct table_normals_args a = {.rows = rows_args(t, surface, 1, points, first, 0, n, to, as),
                                   .slope = of->slope,
                                   .t1 = of->t1,
                                   .t2 = of->t2,
                                   .shared = of->shared,
                                   .tangents = tangents,
                                   .by_pieces = tangents == NULL};
    memcpy(a.slopes, of->slopes, sizeof a.slopes);
    return a;
}

static void quad_normals(const struct tabulated *t, int surface, const float *points, const float *first, float *to,
                         struct sdd_rows_as as, float *tangents)
{
    struct table_normals_args a = normals_args(t, surface, points, first, to, as, tangents);
    int64_t items = (a.rows.n + a.rows.each - 1) / a.rows.each;
    if (a.by_pieces) {
        items = sdd_table_items(&a.rows.pieces);
        isolated_rows(t, NULL, to, 3, as);
    }
    struct table_normals_oct16_args oct16 = {a};
    if (a.by_pieces && as.format == SDD_ROWS_OCT16)
        DEV_LAUNCH(t->topology->device, table_normals_oct16, &oct16, items);
    else
        DEV_LAUNCH(t->topology->device, table_normals, &a, items);
}

static void triangle_normals(const struct tabulated *t, int surface, const float *points, const float *first, float *to,
                             struct sdd_rows_as as, float *tangents)
{
    (void)points; /* `first` has all rows of level 1. */
    table_triangles_normals(t->topology->device, &t->mesh, &t->triangles, surface, first, to, as, tangents);
}

void tabulated_normals(const struct tabulated *t, int surface, const float *points, const float *first, float *to,
                       struct sdd_rows_as as, float *tangents)
{
    launches_of(t)->normals(t, surface, points, first, to, as, tangents);
}

int tabulated_points_normals(struct tabulated *t, int surface, const struct tabulated_batch *one, float *normals,
                             struct sdd_rows_as normals_as)
{
    sdd_device *d = t->topology->device;
    const int compact = one->as.format == SDD_ROWS_UNORM16;
    if (!launches_of(t)->combines || compact != (normals_as.format == SDD_ROWS_OCT16))
        return 0;
    struct table_points_normals_args a = {
        .normals = normals_args(t, surface, one->control[0], one->first[0], normals, normals_as, NULL),
        .to = one->to[0],
        .as = one->as};
    struct table_points_args *pieces = &a.normals.rows.pieces;
    if (!is_fused(t, 1))
        tabulated_first(t, 3, one);
    fuse_first_pass(t, 1, pieces);
    dev_l2_window(d, t->pieces.memory, t->pieces.bytes);
    const int64_t items = sdd_table_first_items(pieces, 1) + 2 * sdd_table_items(pieces);
    struct table_points_normals_16_args both = {a};
    if (compact)
        DEV_LAUNCH(d, table_points_normals_16, &both, items);
    else
        DEV_LAUNCH(d, table_points_normals, &a, items);
    first_pass_fused(t, pieces);
    dev_l2_window(d, NULL, 0);
    isolated_rows(t, one->control[0], one->to[0], 3, one->as);
    isolated_rows(t, NULL, normals, 3, normals_as);
    return 1;
}

static const struct launches launches[SCHEME_KINDS] = {
    [SCHEME_QUADS] = {1, quad_rows, quad_range, quad_normals},
    [SCHEME_TRIANGLES] = {0, triangle_rows, triangle_range, triangle_normals},
};
