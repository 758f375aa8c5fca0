/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/engines/tabulated/tables.h"
#include "gpu/engines/tabulated/kernels/table_first.tile.h"
#include "gpu/engines/tabulated/kernels/table_variants.ks.h"
#include "gpu/engines/tabulated/kernels/table_isolated.k.h"
#include "gpu/engines/tabulated/kernels/table_points_batch.k.h"
#include "gpu/engines/tabulated/kernels/table_order.k.h"
#include "gpu/engine_api/result.h"
#include "gpu/bspline/basis_table.h"
#include "gpu/engines/tabulated/cache.h"
#include "gpu/engines/tabulated/classify.h"
#include <stdlib.h>
#include <string.h>

#define TABLE_THREADS 8     /* where the device has none of the host's */
#define TABLE_SERIAL 100000 /* floats: below, a team costs more than it saves */
_Static_assert(1 << (TABULATED_MAX_LEVEL - 1) == SDD_TABLE_SIDE, "tables and kernels take levels alike");
#define AHEAD_ROWS (1 << 18) /* of level 1, eight times what an H100 makes at once */

/* Tables of a level in host memory, and their place in the device's. */
struct tables {
    struct sdd_table_basis *basis, *slope;
    float *table, *t1, *t2; /* all classes, one after the other */
    uint32_t *shared;
};

static void lay_out_tables(const struct tabulated *t, int steps, int normals, struct arena *a, struct tables *out)
{
    /* a GPU reads SDD_TABLE_TERMS columns at a time, also where some are beyond the table */
    int64_t side = (1 << steps) + 1, n = (t->n_columns + SDD_TABLE_TERMS - 1) * sdd_table_slots(1 << steps);
    out->basis = ARENA(a, struct sdd_table_basis, 2 * side);
    out->slope = ARENA(a, struct sdd_table_basis, 2 * side);
    out->table = ARENA(a, float, n);
    out->t1 = ARENA(a, float, normals ? n : 0);
    out->t2 = ARENA(a, float, normals ? n : 0);
    out->shared = ARENA(a, uint32_t, normals ? t->n_classes : 0);
}

/* Of pieces on level 1, then of those of whole quads: the first half of what a step more makes of the quad. */
static void make_bases(int steps, enum table_basis_of of, struct sdd_table_basis *to)
{
    struct sdd_table_basis whole[2 * SDD_TABLE_SIDE + 1];
    int32_t side = (1 << steps) + 1;
    table_basis(steps, of, to);
    table_basis(steps + 1, of, whole);
    memcpy(to + side, whole, (size_t)side * sizeof *whole);
}

/* The same for the arguments of kernels. */
static void put_weights(const struct sdd_table_basis *pair, int64_t side, sdd_table_weights to)
{
    for (int k = 0; k < 2; k++)
        memcpy(to[k], pair + k * side, (size_t)side * sizeof *pair);
}

/* A table's points, of a closed grid, as kernels take them. */
static void put_slots(const float *grid, int steps, int64_t n_columns, float *to)
{
    const int32_t m = 1 << steps, side = m + 1, slots = sdd_table_slots(m);
    for (int64_t j = 0; j < n_columns; j++, grid += side * side, to += slots)
        for (int32_t y = 0; y <= m; y++)
            for (int32_t x = 0; x <= m; x++)
                if (y < m || x == m)
                    to[sdd_table_slot(m, x, y)] = grid[y * side + x];
}

/* The tables of a class; t1, t2: NULL without normals. */
static int make_class(sdd_device *d, const struct table_class *c, int steps, int limit, float *table, float *t1,
                      float *t2)
{
    int64_t side = (1 << steps) + 1, n_columns = table_class_columns(c), n = side * side * n_columns;
    float *grid = malloc((size_t)(t1 ? 3 * n : n) * sizeof *grid);
    int rc = !grid ||
             table_cache_table(d->tables, c, steps, limit, grid, t1 ? grid + n : NULL, t1 ? grid + 2 * n : NULL, NULL);
    if (!rc)
        put_slots(grid, steps, n_columns, table);
    if (!rc && t1) {
        put_slots(grid + n, steps, n_columns, t1);
        put_slots(grid + 2 * n, steps, n_columns, t2);
    }
    free(grid);
    return rc;
}

/* All classes at once: those that are new take the longer. */
static int make_table(sdd_device *d, const struct tabulated *t, int steps, int limit, int normals, struct tables *to,
                      struct sdd_error *err)
{
    int64_t n = t->n_classes, *at = calloc((size_t)n + 1, sizeof *at);
    int team = d->b->threads(d->dev), failed = 0;
    if (!at)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    for (int64_t k = 0; k < n; k++)
        at[k + 1] = at[k] + sdd_table_slots(1 << steps) * table_class_columns(t->description + k);
    team = team > 0 ? team : TABLE_THREADS; /* NOLINT: the pragma reads it */
    make_bases(steps, limit ? TABLE_LIMIT : TABLE_REFINED, to->basis);
    make_bases(steps, TABLE_SLOPE, to->slope);
#pragma omp parallel for num_threads(team) schedule(dynamic) reduction(| : failed) if (at[n] > TABLE_SERIAL)
    for (int64_t k = 0; k < n; k++) {
        failed |= make_class(d, t->description + k, steps, limit, to->table + at[k], normals ? to->t1 + at[k] : NULL,
                             normals ? to->t2 + at[k] : NULL);
        if (normals)
            to->shared[k] = (uint32_t)table_class_shared(t->description + k, steps, limit);
    }
    free(at);
    return failed ? sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables") : SDD_OK;
}

static void free_order(sdd_device *d, const struct tabulated_surface *of)
{
    for (int k = 0; k < 2; k++)
        dev_free(d, of->turns[k].memory, of->turns[k].bytes);
}

static int make_tables(sdd_device *d, const struct tabulated *t, struct tabulated_surface *of, int level, int limit,
                       int normals, struct sdd_error *err)
{
    int steps = level - 1;
    int64_t side = (1 << steps) + 1;
    struct tabulated_surface made = {.level = level, .adaptive = of->adaptive};
    const int same_level = of->level == level;
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    struct tables here, there;
    if (t->n_columns * sdd_table_slots(1 << steps) > TABLE_MAX_FLOATS)
        return table_refuse(err, "their surroundings take too many forms for this level");
    lay_out_tables(t, steps, normals, &count, &here);
    void *memory = calloc(1, (size_t)count.used);
    if (!memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    host.base = memory;
    lay_out_tables(t, steps, normals, &host, &here);
    int rc = make_table(d, t, steps, limit, normals, &here, err);
    if (!rc)
        rc = block_take(d, count.used, &made.memory, err);
    if (!rc) {
        device.base = made.memory.memory;
        lay_out_tables(t, steps, normals, &device, &there);
        made.basis = there.basis;
        made.slope = there.slope;
        put_weights(here.basis, side, made.weights);
        put_weights(here.slope, side, made.slopes);
        made.table = there.table;
        made.t1 = normals ? there.t1 : NULL;
        made.t2 = there.t2;
        made.shared = there.shared;
        rc = block_settle(d, memory, made.memory, of->memory, err);
        if (!rc) {
            if (same_level)
                memcpy(made.turns, of->turns, sizeof made.turns);
            else
                free_order(d, of);
            *of = made;
        }
    }
    free(memory);
    return rc;
}

/* All rows of level 1 are read. */
static int classify_triangles(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t,
                              struct sdd_error *err)
{
    int rc = table_triangles_classify(topology, mesh, &t->triangles, err);
    const struct table_first_rule rule = {mesh, t->triangles.weights, 0};
    t->n_rows = (int64_t)mesh->n_vertices + mesh->n_edges;
    return rc ? rc : table_first_matrix(topology->device, &rule, t, err);
}

int tabulated_has(const struct tabulated *t, int level, int surface)
{
    return t->surface[surface].level == level || t->triangles.surface[surface].level == level;
}

int tabulated_has_normals(const struct tabulated *t, int level, int surface)
{
    return tabulated_has(t, level, surface) && (t->surface[surface].t1 || t->triangles.surface[surface].away);
}

int64_t tabulated_bytes(const struct tabulated *t)
{
    int64_t bytes =
        t->pieces.bytes + t->lists.bytes + t->rows.bytes + t->terms.bytes + table_triangles_bytes(&t->triangles);
    for (int k = 0; k < 2; k++)
        bytes += t->surface[k].memory.bytes + t->surface[k].turns[0].bytes + t->surface[k].turns[1].bytes +
                 adaptive_bytes(t->surface[k].adaptive);
    return bytes;
}

/* Of many pieces some times as many as a warp makes at once: there is something to look ahead to. */
static int32_t pieces_each(int64_t n, int level)
{
    int64_t once = SDD_TABLE_ONCE(level), times = n / (once * 8192);
    return (int32_t)(once * (times < 1 ? 1 : times > 4 ? 4 : times));
}

/* Three floats of a row at a time, as kernels take them. */
static struct sdd_width width_at(int width, int k)
{
    return (struct sdd_width){width - k < 3 ? width - k : 3, width};
}

int64_t tabulated_first_floats(const struct sdd_control *mesh, int width)
{
    return table_first_rows(mesh) * (width / 3 * sdd_table_width(3).stride + width % 3);
}

/* Where floats k, .. of rows of level 1 stand: those of three components after each other. */
static int64_t first_at(const struct sdd_control *mesh, int k)
{
    return table_first_rows(mesh) * (k / 3) * sdd_table_width(3).stride;
}

static struct sdd_first_step first_step(const struct tabulated *t)
{
    return (struct sdd_first_step){t->row, t->row_end, t->term, (uint32_t)t->n_rows};
}

/* Three floats of rows of all meshes, in one launch. */
static void first_launch(sdd_device *d, const struct sdd_control *mesh, const struct tabulated *t,
                         struct sdd_width width, int k, const struct tabulated_batch *c)
{
    struct table_first_args a = {.step = first_step(t), .rows = {.n = c->n}, .width = width};
    for (int j = 0; j < c->n; j++) {
        a.rows.from[j] = c->control[j] + k;
        a.rows.to[j] = c->first[j] + first_at(mesh, k);
    }
    DEV_LAUNCH(d, table_first, &a, sdd_table_step_items(&a.step) * c->n);
}

void tabulated_first(const sdd_topology *topology, const struct sdd_control *mesh, const struct tabulated *t, int width,
                     const struct tabulated_batch *c)
{
    for (int k = 0; k < width; k += 3)
        first_launch(topology->device, mesh, t, width_at(width, k), k, c);
}

/* normals: for a launch that makes these, or these too. */
static struct table_points_args points_args(const struct sdd_control *mesh, const struct tabulated *t,
                                            const struct tabulated_surface *of, int normals, struct sdd_width width,
                                            const float *control, const float *first, float *to, struct sdd_rows_as as)
{
    struct table_points_args a = {.grid = sdd_grid_of(mesh, of->level),
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
                                  .where = t->where,
                                  .turn = of->turns[normals].memory};
    memcpy(a.weights, of->weights, sizeof a.weights);
    return a;
}

/* Arrays in which items are put in order. */
struct turns {
    uint64_t *key, *sorted;
    uint32_t *item;
    void *scratch;
};

enum { TURN_BITS = 32 };

static struct turns lay_out_order(const sdd_device *d, int64_t n, struct arena *a)
{
    struct turns of = {.key = ARENA(a, uint64_t, n)};
    of.sorted = ARENA(a, uint64_t, n);
    of.item = ARENA(a, uint32_t, n);
    of.scratch = ARENA(a, char, d->b->sort_scratch(d->dev, n, TURN_BITS));
    return of;
}

/* The items of a GPU in the order of what they write, of launches for points, or with normals; those of whole quads
 * alone are listed in it. */
static int order_items(sdd_device *d, const struct sdd_control *mesh, const struct tabulated *t,
                       struct tabulated_surface *of, int normals, struct sdd_error *err)
{
    if (!d->b->in_order || t->n_regular_quads == t->n_regular + t->n_others || of->turns[normals].memory)
        return SDD_OK;
    struct table_order_args a = {
        .pieces = points_args(mesh, t, of, normals, sdd_xyz(), NULL, NULL, NULL, (struct sdd_rows_as){0})};
    const int64_t n = sdd_table_items(&a.pieces);
    struct device_block work, turns;
    struct arena count = {NULL, 0};
    lay_out_order(d, n, &count);
    int rc = block_take(d, count.used, &work, err);
    if (rc)
        return rc;
    rc = block_take(d, n * (int64_t)sizeof *a.item, &turns, err);
    if (!rc) {
        struct arena there = {work.memory, 0};
        const struct turns w = lay_out_order(d, n, &there);
        a.key = w.key;
        a.item = w.item;
        DEV_LAUNCH(d, table_order, &a, n);
        dev_sort(d, w.key, w.sorted, (int32_t *)w.item, turns.memory, n, TURN_BITS, w.scratch);
        rc = dev_finish(d, err);
        if (rc)
            dev_free(d, turns.memory, turns.bytes);
        else
            of->turns[normals] = turns;
    }
    dev_free(d, work.memory, work.bytes);
    return rc;
}

int tabulated_prepare(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t, int level,
                      int surface, int normals, struct sdd_error *err)
{
    sdd_device *d = topology->device;
    const int triangles = topology_is_triangles(topology);
    struct tabulated_surface *of = t->surface + surface;
    if (level > TABULATED_MAX_LEVEL)
        return table_refuse(err, "they would be too large for this level");
    if (t->refused.code) {
        *err = t->refused;
        return err->code;
    }
    int rc = t->ready    ? SDD_OK
             : triangles ? classify_triangles(topology, mesh, t, err)
                         : table_classify(d, mesh, topology->info.options.triangle_rule == SDD_TRIANGLE_SMOOTH, t, err);
    if (rc) {
        tabulated_free(d, t);
        if (rc == SDD_EUNSUPPORTED)
            t->refused = *err;
        return rc;
    }
    t->ready = 1;
    if (triangles)
        return table_triangles_tables(d, &t->triangles, level, surface, normals, err);
    if (of->level == level && (of->t1 || !normals))
        return SDD_OK;
    rc = make_tables(d, t, of, level, surface == SDD_SURFACE_LIMIT, normals, err);
    if (rc)
        return rc;
    rc = order_items(d, mesh, t, of, 0, err);
    if (!rc && normals)
        rc = order_items(d, mesh, t, of, 1, err);
    if (rc == SDD_ENO_MEMORY) { /* frames are made as items are listed, which takes longer */
        *err = (struct sdd_error){0};
        rc = SDD_OK;
    }
    return rc;
}

/* Is the first step of n meshes of the launch that needs it? A long one is not: who waits for it is in the way. */
static int is_fused(const sdd_device *d, const struct tabulated *t, int n)
{
    return d->b->in_order && !t->triangles.description && t->n_rows <= AHEAD_ROWS / n;
}

static void fuse_first_pass(const sdd_device *d, const struct tabulated *t, int n, struct table_points_args *a)
{
    if (!is_fused(d, t, n))
        return;
    a->first = first_step(t);
    a->made = t->made;
    a->due = t->due + (uint32_t)sdd_table_first_items(a, n);
}

/* It has been queued. */
static void first_pass_fused(const sdd_device *d, struct tabulated *t, const struct table_points_args *a)
{
    if (a->made && !d->status)
        t->due = a->due;
}

/* Positions of many meshes in one launch. */
static void points_launch(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t,
                          int surface, const struct tabulated_batch *c)
{
    sdd_device *d = topology->device;
    const struct tabulated_surface *of = t->surface + surface;
    struct table_points_batch_args a = {.of = points_args(mesh, t, of, 0, sdd_xyz(), NULL, NULL, NULL, c->as),
                                        .rows = {.n = c->n}};
    fuse_first_pass(d, t, c->n, &a.of);
    for (int j = 0; j < c->n; j++) {
        a.control[j] = c->control[j];
        a.rows.from[j] = c->first[j];
        a.rows.to[j] = c->to[j];
    }
    DEV_LAUNCH(d, table_points_batch, &a, sdd_table_first_items(&a.of, c->n) + sdd_table_items(&a.of) * c->n);
    first_pass_fused(d, t, &a.of);
}

/* Which kernel makes rows of a format and width: the first one that fits; n 0: any width. All have the arguments of
 * table_points. */
static const struct {
    int kernel, unorm16, n, stride;
} rows_kernels[] = {{SDD_K_table_points_unorm16, 1, 0, 0},
                    {SDD_K_table_points, 0, 3, 3},
                    {SDD_K_table_points_uv, 0, 2, 2},
                    {SDD_K_table_points_n, 0, 0, 0}};

static void rows_launch(sdd_device *d, struct table_points_args *a)
{
    int k = 0;
    while (rows_kernels[k].unorm16 != (a->as.format == SDD_ROWS_UNORM16) ||
           (rows_kernels[k].n && (rows_kernels[k].n != a->width.n || rows_kernels[k].stride != a->width.stride)))
        k++;
    DEV_CLEAR_PADDING(a);
    dev_launch(d, rows_kernels[k].kernel, a, sizeof *a, sdd_table_first_items(a, 1) + sdd_table_items(a));
}

/* Of mesh j. */
static void mesh_rows(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t, int surface,
                      int width, const struct tabulated_batch *c, int j)
{
    sdd_device *d = topology->device;
    float *to = c->to[j];
    for (int k = 0; k < width; k += 3) {
        const struct sdd_width w = width_at(width, k);
        float *first = c->first[j] + first_at(mesh, k);
        if (t->triangles.description) {
            table_triangles_rows(d, mesh, &t->triangles, surface, w, first, 0,
                                 table_triangles_points(mesh, &t->triangles, surface), to + k, c->as);
            continue;
        }
        struct table_points_args a =
            points_args(mesh, t, t->surface + surface, 0, w, c->control[j] + k, first, to + k, c->as);
        fuse_first_pass(d, t, 1, &a);
        rows_launch(d, &a);
        first_pass_fused(d, t, &a);
    }
}

/* from NULL: zeros. */
static void isolated_rows(sdd_device *d, const struct tabulated *t, const float *from, float *to, int width,
                          struct sdd_rows_as as)
{
    struct table_isolated_args lone = {t->lone, from, to, width, as};
    DEV_LAUNCH(d, table_isolated, &lone, t->n_isolated_rows * (as.format == SDD_ROWS_F32 ? width : 1));
}

void tabulated_rows(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t, int surface,
                    int width, const struct tabulated_batch *c)
{
    sdd_device *d = topology->device;
    const int many = c->n > 1 && width == 3 && !t->triangles.description;
    dev_l2_window(d, t->pieces.memory, t->pieces.bytes);
    if (!is_fused(d, t, many ? c->n : 1))
        tabulated_first(topology, mesh, t, width, c);
    if (many)
        points_launch(topology, mesh, t, surface, c);
    for (int j = 0; j < c->n; j++) {
        if (!many)
            mesh_rows(topology, mesh, t, surface, width, c, j);
        isolated_rows(d, t, c->control[j], c->to[j], width, c->as);
    }
    dev_l2_window(d, NULL, 0);
}

static struct table_rows_args rows_args(const struct sdd_control *mesh, const struct tabulated *t, int surface,
                                        int normals, const float *points, const float *first, int64_t first_row,
                                        int64_t n_rows, float *to, struct sdd_rows_as as)
{
    return (struct table_rows_args){
        .pieces = points_args(mesh, t, t->surface + surface, normals, sdd_xyz(), points, first, to, as),
        .mesh = *mesh,
        .to = to,
        .first = first_row,
        .n = n_rows,
        .each = sdd_rows_each(n_rows)};
}

void tabulated_range(sdd_device *d, const struct sdd_control *mesh, const struct tabulated *t, int surface,
                     const float *points, const float *first, int64_t first_row, int64_t n_rows, float *to)
{
    if (t->triangles.description) {
        table_triangles_rows(d, mesh, &t->triangles, surface, sdd_xyz(), first, first_row, n_rows, to, rows_f32);
        return;
    }
    struct table_rows_args a = rows_args(mesh, t, surface, 0, points, first, first_row, n_rows, to, rows_f32);
    DEV_LAUNCH(d, table_rows, &a, (n_rows + a.each - 1) / a.each);
}

static struct table_normals_args normals_args(const sdd_topology *topology, const struct sdd_control *mesh,
                                              const struct tabulated *t, int surface, const float *points,
                                              const float *first, float *to, struct sdd_rows_as as, float *tangents)
{
    const struct tabulated_surface *of = t->surface + surface;
    int64_t n = topology_points(topology, of->level);
    struct table_normals_args a = {.rows = rows_args(mesh, t, surface, 1, points, first, 0, n, to, as),
                                   .slope = of->slope,
                                   .t1 = of->t1,
                                   .t2 = of->t2,
                                   .shared = of->shared,
                                   .tangents = tangents,
                                   .by_pieces = tangents == NULL};
    memcpy(a.slopes, of->slopes, sizeof a.slopes);
    return a;
}

void tabulated_normals(const sdd_topology *topology, const struct sdd_control *mesh, const struct tabulated *t,
                       int surface, const float *points, const float *first, float *to, struct sdd_rows_as as,
                       float *tangents)
{
    if (t->triangles.description) {
        table_triangles_normals(topology->device, mesh, &t->triangles, surface, first, to, as, tangents);
        return;
    }
    struct table_normals_args a = normals_args(topology, mesh, t, surface, points, first, to, as, tangents);
    int64_t items = (a.rows.n + a.rows.each - 1) / a.rows.each;
    if (a.by_pieces) {
        items = sdd_table_items(&a.rows.pieces);
        isolated_rows(topology->device, t, NULL, to, 3, as);
    }
    struct table_normals_oct16_args oct16 = {a};
    if (a.by_pieces && as.format == SDD_ROWS_OCT16)
        DEV_LAUNCH(topology->device, table_normals_oct16, &oct16, items);
    else
        DEV_LAUNCH(topology->device, table_normals, &a, items);
}

int tabulated_points_normals(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t,
                             int surface, const struct tabulated_batch *one, float *normals,
                             struct sdd_rows_as normals_as)
{
    sdd_device *d = topology->device;
    const int compact = one->as.format == SDD_ROWS_UNORM16;
    if (t->triangles.description || compact != (normals_as.format == SDD_ROWS_OCT16))
        return 0;
    struct table_points_normals_args a = {
        .normals = normals_args(topology, mesh, t, surface, one->control[0], one->first[0], normals, normals_as, NULL),
        .to = one->to[0],
        .as = one->as};
    struct table_points_args *pieces = &a.normals.rows.pieces;
    if (!is_fused(d, t, 1))
        tabulated_first(topology, mesh, t, 3, one);
    fuse_first_pass(d, t, 1, pieces);
    dev_l2_window(d, t->pieces.memory, t->pieces.bytes);
    const int64_t items = sdd_table_first_items(pieces, 1) + 2 * sdd_table_items(pieces);
    struct table_points_normals_16_args both = {a};
    if (compact)
        DEV_LAUNCH(d, table_points_normals_16, &both, items);
    else
        DEV_LAUNCH(d, table_points_normals, &a, items);
    first_pass_fused(d, t, pieces);
    dev_l2_window(d, NULL, 0);
    isolated_rows(d, t, one->control[0], one->to[0], 3, one->as);
    isolated_rows(d, t, NULL, normals, 3, normals_as);
    return 1;
}

void tabulated_free(sdd_device *d, struct tabulated *t)
{
    dev_free(d, t->pieces.memory, t->pieces.bytes);
    dev_free(d, t->lists.memory, t->lists.bytes);
    dev_free(d, t->rows.memory, t->rows.bytes);
    dev_free(d, t->terms.memory, t->terms.bytes);
    for (int k = 0; k < 2; k++) {
        dev_free(d, t->surface[k].memory.memory, t->surface[k].memory.bytes);
        free_order(d, t->surface + k);
        adaptive_free(t->surface[k].adaptive);
    }
    table_triangles_free(d, &t->triangles);
    free(t->description);
    *t = (struct tabulated){0};
}
