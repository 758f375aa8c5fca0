/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: makes the tables of a level for all classes of pieces of a mesh, and keeps them with the mesh. engine.c
 * asks for them, and rows.c makes rows with them. */
#include "gpu/engines/tabulated/internal.h"
#include "gpu/engine_api/result.h"
#include "gpu/bspline/basis_table.h"
#include "gpu/engines/tabulated/cache.h"
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/update.h"
#include <stdlib.h>
#include <string.h>

#define TABLE_THREADS 8     /* The threads that make tables if the device does not say how many it uses. */
#define TABLE_SERIAL 100000 /* With no more floats than this, starting threads costs more than they save. */
_Static_assert(1 << (TABULATED_MAX_LEVEL - 1) == SDD_TABLE_SIDE, "tables and kernels take levels alike");

/* The arrays of a tabulated_surface, laid out alike in host memory and in that of the device. */
struct tables {
    struct sdd_table_basis *basis, *slope;
    float *table, *t1, *t2; /* The tables of all classes, one after the other. */
    uint32_t *shared;
};

static void lay_out_tables(const struct tabulated *t, int steps, int normals, struct arena *a, struct tables *out)
{
    /* A GPU reads SDD_TABLE_TERMS columns at a time, so it may read past the last table. */
    int64_t side = (1 << steps) + 1, n = (t->n_columns + SDD_TABLE_TERMS - 1) * sdd_table_slots(1 << steps);
    out->basis = ARENA(a, struct sdd_table_basis, 2 * side);
    out->slope = ARENA(a, struct sdd_table_basis, 2 * side);
    out->table = ARENA(a, float, n);
    out->t1 = ARENA(a, float, normals ? n : 0);
    out->t2 = ARENA(a, float, normals ? n : 0);
    out->shared = ARENA(a, uint32_t, normals ? t->n_classes : 0);
}

/* Makes the weights of pieces on level 1 and after them those of the pieces of regular quads. Such a piece is a quarter
 * of its quad, so its weights are the first half of those of the quad after one step more. */
static void make_bases(int steps, enum table_basis_of of, struct sdd_table_basis *to)
{
    struct sdd_table_basis regular[2 * SDD_TABLE_SIDE + 1];
    int32_t side = (1 << steps) + 1;
    table_basis(steps, of, to);
    table_basis(steps + 1, of, regular);
    memcpy(to + side, regular, (size_t)side * sizeof *regular);
}

/* Copies both sets of weights into the form that the arguments of kernels have. */
static void put_weights(const struct sdd_table_basis *pair, int64_t side, sdd_table_weights to)
{
    for (int k = 0; k < 2; k++)
        memcpy(to[k], pair + k * side, (size_t)side * sizeof *pair);
}

/* Puts the points of a table, row by row of the grid, into the order in which kernels write them (sdd_table_slot). The
 * side at the top belongs to other pieces, except for its corner at x = m. */
static void put_slots(const float *grid, int steps, int64_t n_columns, float *to)
{
    const int32_t m = 1 << steps, side = m + 1, slots = sdd_table_slots(m);
    for (int64_t j = 0; j < n_columns; j++, grid += side * side, to += slots)
        for (int32_t y = 0; y <= m; y++)
            for (int32_t x = 0; x <= m; x++)
                if (y < m || x == m)
                    to[sdd_table_slot(m, x, y)] = grid[y * side + x];
}

/* Makes the tables of one class; t1 and t2 are NULL without normals. It fails only if there is no memory. */
static int make_class(struct table_cache *cache, const struct table_class *c, int steps, int limit, float *table,
                      float *t1, float *t2)
{
    int64_t side = (1 << steps) + 1, n_columns = table_class_columns(c), n = side * side * n_columns;
    float *grid = malloc((size_t)(t1 ? 3 * n : n) * sizeof *grid);
    int rc =
        !grid || table_cache_table(cache, c, steps, limit, grid, t1 ? grid + n : NULL, t1 ? grid + 2 * n : NULL, NULL);
    if (!rc)
        put_slots(grid, steps, n_columns, table);
    if (!rc && t1) {
        put_slots(grid + n, steps, n_columns, t1);
        put_slots(grid + 2 * n, steps, n_columns, t2);
    }
    free(grid);
    return rc;
}

/* The floats before the tables of each class, and at the end those of all; NULL if there is no memory. */
static int64_t *offsets_of(const struct tabulated *t, int steps)
{
    int64_t n = t->n_classes, *at = calloc((size_t)n + 1, sizeof *at);
    for (int64_t k = 0; k < n && at; k++)
        at[k + 1] = at[k] + sdd_table_slots(1 << steps) * table_class_columns(t->description + k);
    return at;
}

/* The same tables of an older mesh, on the device. */
struct older {
    const struct tabulated_surface *of; /* NULL if there are none. */
    const uint32_t *class_of;           /* Shape [n_classes]: which of them each class has, or SDD_NONE. */
    int64_t *at;                        /* Its offsets_of. */
};

static int is_older(const struct older *o, int64_t k)
{
    return o->of && o->class_of[k] != SDD_NONE;
}

/* Makes the tables of all classes that the older mesh does not have, by several threads. A class that the cache does
 * not hold takes much longer than one that it does, so threads take classes one by one. */
static int make_table(sdd_device *d, const struct tabulated *t, int steps, int limit, int normals,
                      const struct older *older, const int64_t *at, struct tables *to, struct sdd_error *err)
{
    struct table_cache *cache = table_cache_of(d, err);
    const int64_t n = t->n_classes;
    int team = d->b->threads(d->dev), failed = 0;
    if (!cache)
        return SDD_ENO_MEMORY;
    team = team > 0 ? team : TABLE_THREADS; /* NOLINT: the pragma reads it */
    make_bases(steps, limit ? TABLE_LIMIT : TABLE_REFINED, to->basis);
    make_bases(steps, TABLE_SLOPE, to->slope);
#pragma omp parallel for num_threads(team) schedule(dynamic) reduction(| : failed) if (at[n] > TABLE_SERIAL)
    for (int64_t k = 0; k < n; k++) {
        if (!is_older(older, k))
            failed |= make_class(cache, t->description + k, steps, limit, to->table + at[k],
                                 normals ? to->t1 + at[k] : NULL, normals ? to->t2 + at[k] : NULL);
        if (normals)
            to->shared[k] = (uint32_t)table_class_shared(t->description + k, steps, limit);
    }
    return failed ? sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables") : SDD_OK;
}

/* Queues the tables of one kind: those that the older mesh has are copied on the device, the others are uploaded, and
 * so is what may be read behind the last one. */
static void put_table(sdd_device *d, int64_t n_classes, const struct older *older, const int64_t *at, int64_t end,
                      const float *from_old, const float *from_host, float *to)
{
    const int64_t bytes = (int64_t)sizeof *to;
    for (int64_t k = 0, next; k < n_classes; k = next) {
        const int copied = is_older(older, k);
        for (next = k + 1; next < n_classes && is_older(older, next) == copied; next++)
            if (copied && older->class_of[next] != older->class_of[next - 1] + 1)
                break;
        if (copied)
            dev_copy(d, to + at[k], from_old + older->at[older->class_of[k]], (at[next] - at[k]) * bytes);
        else
            dev_upload(d, to + at[k], from_host + at[k], (at[next] - at[k]) * bytes);
    }
    dev_upload(d, to + at[n_classes], from_host + at[n_classes], (end - at[n_classes]) * bytes);
}

/* Queues all that is in `here`, which is laid out like `there`. */
static void put_tables(sdd_device *d, const struct tabulated *t, int steps, int normals, const struct older *older,
                       const int64_t *at, const struct tables *here, const struct tables *there)
{
    const int64_t bases = 2 * (((int64_t)1 << steps) + 1);
    const int64_t end = at[t->n_classes] + (SDD_TABLE_TERMS - 1) * sdd_table_slots(1 << steps);
    dev_upload(d, there->basis, here->basis, bases * (int64_t)sizeof *here->basis);
    dev_upload(d, there->slope, here->slope, bases * (int64_t)sizeof *here->slope);
    put_table(d, t->n_classes, older, at, end, older->of->table, here->table, there->table);
    if (!normals)
        return;
    put_table(d, t->n_classes, older, at, end, older->of->t1, here->t1, there->t1);
    put_table(d, t->n_classes, older, at, end, older->of->t2, here->t2, there->t2);
    dev_upload(d, there->shared, here->shared, t->n_classes * (int64_t)sizeof *here->shared);
}

static void free_order(sdd_device *d, struct tabulated_surface *of)
{
    for (int k = 0; k < 2; k++)
        block_give(d, of->order + k);
}

/* Makes the tables in host memory and on the device, in the place of those of the surface. */
static int make_both(sdd_device *d, const struct tabulated *t, struct tabulated_surface *of, int level, int normals,
                     const struct older *older, const int64_t *at, struct tables *here, struct arena host,
                     struct sdd_error *err)
{
    const int steps = level - 1, limit = (int)(of - t->surface);
    const int64_t side = (1 << steps) + 1;
    struct tabulated_surface made = {.level = level, .adaptive = of->adaptive};
    struct tables there;
    int rc = make_table(d, t, steps, limit, normals, older, at, here, err);
    if (!rc)
        rc = block_take(d, host.used, &made.memory, err);
    if (rc)
        return rc;
    struct arena device = {made.memory.memory, 0};
    lay_out_tables(t, steps, normals, &device, &there);
    made.basis = there.basis;
    made.slope = there.slope;
    put_weights(here->basis, side, made.weights);
    put_weights(here->slope, side, made.slopes);
    made.table = there.table;
    made.t1 = normals ? there.t1 : NULL;
    made.t2 = there.t2;
    made.shared = there.shared;
    if (older->of) {
        put_tables(d, t, steps, normals, older, at, here, &there);
        rc = dev_finish(d, err);
        block_give(d, rc ? &made.memory : &of->memory);
    } else {
        rc = block_settle(d, host.base, made.memory, of->memory, err);
    }
    if (rc)
        return rc;
    if (of->level == level)
        memcpy(made.order, of->order, sizeof made.order);
    else
        free_order(d, of);
    *of = made;
    return SDD_OK;
}

/* What an older mesh has of these tables, if there is one whose classes are known. */
static struct older older_of(const struct tabulated *t, int surface, int level, int normals)
{
    const struct table_seed *s = t->seed;
    const struct tabulated_surface *of = s && s->old_class ? s->old->surface + surface : NULL;
    struct older o = {0};
    if (!of || of->level != level || (normals && !of->t1))
        return o;
    o.at = offsets_of(s->old, level - 1);
    if (o.at) {
        o.of = of;
        o.class_of = s->old_class;
    }
    return o;
}

static int make_tables(sdd_device *d, const struct tabulated *t, struct tabulated_surface *of, int level, int normals,
                       struct sdd_error *err)
{
    struct arena count = {NULL, 0}, host = {NULL, 0};
    struct tables here;
    if (t->n_columns * sdd_table_slots(1 << (level - 1)) > TABLE_MAX_FLOATS)
        return table_refuse(err, "their surroundings take too many forms for this level");
    lay_out_tables(t, level - 1, normals, &count, &here);
    struct older older = older_of(t, (int)(of - t->surface), level, normals);
    int64_t *at = offsets_of(t, level - 1);
    host.base = at ? calloc(1, (size_t)count.used) : NULL;
    int rc = SDD_ENO_MEMORY;
    if (host.base) {
        lay_out_tables(t, level - 1, normals, &host, &here);
        rc = make_both(d, t, of, level, normals, &older, at, &here, host, err);
    } else {
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    }
    free(host.base);
    free(older.at);
    free(at);
    return rc;
}

int tabulated_has(const struct tabulated *t, int level, int surface)
{
    return t && (t->surface[surface].level == level || t->triangles.surface[surface].level == level);
}

int tabulated_has_normals(const struct tabulated *t, int level, int surface)
{
    return tabulated_has(t, level, surface) && (t->surface[surface].t1 || t->triangles.surface[surface].away);
}

/* ---- what is kept ---------------------------------------------------------------------------------------------- */
static void *create(void)
{
    return calloc(1, sizeof(struct tabulated));
}

int64_t tabulated_bytes(const struct tabulated *t)
{
    int64_t bytes =
        t->pieces.bytes + t->lists.bytes + t->rows.bytes + t->terms.bytes + table_triangles_bytes(&t->triangles);
    for (int k = 0; k < SDD_N_SURFACES; k++)
        bytes += t->surface[k].memory.bytes + t->surface[k].order[0].bytes + t->surface[k].order[1].bytes +
                 adaptive_bytes(t->surface[k].adaptive);
    return bytes;
}

static int64_t bytes_of(const void *what)
{
    return tabulated_bytes(what);
}

static void free_first(sdd_device *d, struct tabulated *t)
{
    block_give(d, &t->rows);
    block_give(d, &t->terms);
}

/* Frees what no mesh after an edit reads (update.h): under Catmull-Clark the first pass, under Loop the tables. Patches
 * stand on the topology, so they go before it. */
static void shed(sdd_device *d, struct tabulated *t)
{
    if (!t->triangles.piece)
        free_first(d, t);
    table_triangles_shed(d, &t->triangles);
    for (int k = 0; k < SDD_N_SURFACES; k++) {
        free_order(d, t->surface + k);
        adaptive_free(t->surface[k].adaptive);
        t->surface[k].adaptive = NULL;
    }
}

/* Frees all but the seed. */
static void empty(sdd_device *d, struct tabulated *t)
{
    struct table_seed *seed = t->seed;
    shed(d, t);
    free_first(d, t);
    block_give(d, &t->pieces);
    block_give(d, &t->lists);
    table_triangles_free(d, &t->triangles);
    for (int k = 0; k < SDD_N_SURFACES; k++)
        block_give(d, &t->surface[k].memory);
    free(t->description);
    free(t->words);
    *t = (struct tabulated){.topology = t->topology, .mesh = t->mesh, .seed = seed};
}

void tabulated_free(sdd_device *d, struct tabulated *t)
{
    empty(d, t);
    free(t);
}

static void free_all(sdd_device *d, void *what)
{
    struct tabulated *t = what;
    table_seed_free(d, t);
    shed(d, t);
    if (!table_seeds_hold(d, t))
        tabulated_free(d, t);
}

static void *update(sdd_device *d, void *old, const struct topology_edit *edit)
{
    struct tabulated *t = create();
    if (t && !table_seed_create(d, old, t, edit)) {
        free(t);
        return NULL;
    }
    return t;
}

static const struct kept_ops tabulated_ops = {.create = create, .bytes = bytes_of, .free = free_all, .update = update};

struct tabulated *tabulated_of(const sdd_topology *topology, const struct topology_channel *c)
{
    return topology_kept_find(topology, c, &tabulated_ops);
}

/* ---- by scheme --------------------------------------------------------------------------------------------------- */
/* Makes the pieces from those of the older mesh, if there is one. It returns TABLE_ANEW, with all emptied, where they
 * have to be classified anew. */
static int update_pieces(struct tabulated *t, int smooth_triangles, struct sdd_error *err)
{
    int rc = t->seed ? table_update(t->topology, t, smooth_triangles, err) : TABLE_ANEW;
    t->is_updated = !rc;
    if (rc != TABLE_ANEW && rc != SDD_ENO_MEMORY)
        return rc;
    table_seed_free(t->topology->device, t);
    empty(t->topology->device, t);
    *err = (struct sdd_error){0};
    return TABLE_ANEW;
}

static int classify_quads(struct tabulated *t, struct sdd_error *err)
{
    const int smooth_triangles = t->topology->info.options.triangle_rule == SDD_TRIANGLE_SMOOTH;
    int rc = update_pieces(t, smooth_triangles, err);
    return rc == TABLE_ANEW ? table_classify(t->topology->device, &t->mesh, smooth_triangles, t, err) : rc;
}

/* Pieces of triangles read all rows of level 1, so the first pass makes all of them. */
static int classify_triangles(struct tabulated *t, struct sdd_error *err)
{
    int rc = update_pieces(t, 0, err);
    if (rc != TABLE_ANEW)
        return rc;
    rc = table_triangles_classify(t->topology, &t->mesh, &t->triangles, err);
    const struct table_first_rule rule = {&t->mesh, t->triangles.weights, 0};
    t->n_rows = (int64_t)t->mesh.n_vertices + t->mesh.n_edges;
    return rc ? rc : table_first_matrix(t->topology->device, &rule, t, err);
}

static int quad_tables(struct tabulated *t, int level, int surface, int normals, struct sdd_error *err)
{
    sdd_device *d = t->topology->device;
    struct tabulated_surface *of = t->surface + surface;
    if (of->level == level && (of->t1 || !normals))
        return SDD_OK;
    int rc = make_tables(d, t, of, level, normals, err);
    if (rc)
        return rc;
    rc = table_order_items(t, of, 0, err);
    if (!rc && normals)
        rc = table_order_items(t, of, 1, err);
    if (rc == SDD_ENO_MEMORY) {
        /* Items can be taken as they are listed too, which is slower. */
        *err = (struct sdd_error){0};
        rc = SDD_OK;
    }
    return rc;
}

static int triangle_tables(struct tabulated *t, int level, int surface, int normals, struct sdd_error *err)
{
    return table_triangles_tables(t->topology->device, &t->triangles, level, surface, normals, err);
}

/* What makes pieces and tables under each kind of scheme. */
static const struct makers {
    int (*classify)(struct tabulated *t, struct sdd_error *err);
    int (*tables)(struct tabulated *t, int level, int surface, int normals, struct sdd_error *err);
} makers[SCHEME_KINDS] = {
    [SCHEME_QUADS] = {classify_quads, quad_tables},
    [SCHEME_TRIANGLES] = {classify_triangles, triangle_tables},
};

/* Classifies the pieces of the mesh on the first call. If the mesh can have no tables, every call fails with the same
 * error. */
static int classify(struct tabulated *t, struct sdd_error *err)
{
    if (t->refused.code) {
        *err = t->refused;
        return err->code;
    }
    if (t->ready)
        return SDD_OK;
    int rc = makers[t->topology->scheme->kind].classify(t, err);
    if (rc)
        empty(t->topology->device, t);
    if (rc == SDD_EUNSUPPORTED)
        t->refused = *err;
    t->ready = !rc;
    return rc;
}

static void use_seed(struct tabulated *t, int is_used)
{
    if (t->seed)
        t->seed->is_used = is_used;
}

int tabulated_prepare(const sdd_topology *topology, const struct topology_channel *c, int level, int surface,
                      int normals, struct sdd_error *err)
{
    struct tabulated *t = topology_kept_get(topology, c, &tabulated_ops, err);
    if (!t)
        return SDD_ENO_MEMORY;
    t->topology = topology;
    t->mesh = topology_channel_control(topology, c);
    if (level > TABULATED_MAX_LEVEL)
        return table_refuse(err, "they would be too large for this level");
    use_seed(t, 1);
    int rc = classify(t, err);
    if (!rc)
        rc = makers[topology->scheme->kind].tables(t, level, surface, normals, err);
    use_seed(t, 0);
    if (t->ready)
        table_seed_free(topology->device, t);
    return rc;
}
