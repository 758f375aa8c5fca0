/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c: makes the matrices of a mesh level by level, keeps them with the topology and applies them, for engine.c
 * and matrix_market/. */
#include "gpu/engines/subdivision_matrix/internal.h"
#include "gpu/levels/levels.h"
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_empty.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_normals.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_product.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_quads.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_sqrt3.k.h"
#include "gpu/levels/matrix_triangles.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_wide.k.h"
#include "gpu/sparse/sparse.h"
#include <stdlib.h>

#define PARTS 64        /* A product is made in at most this many parts. */
#define LEAST_PART 4096 /* A part has at least this many rows, unless it is the last. */

/* What matrices are made with. */
struct build {
    const sdd_topology *t;
    const struct sdd_refine_request *request;
    const atomic_int *cancel;
    const struct topology_channel *channel;
    struct sdd_control mesh; /* The mesh on the current level, as in struct refine_levels. */
    struct device_block tools;
    float *parts[2];
    struct follow follow;
    struct sdd_float2 *weights, *angle;
    /* The levels of sqrt3; other schemes have none. The mesh of the current one is `sqrt3`. */
    struct sqrt3_levels levels;
    struct sqrt3_tables tables;
    struct sdd_sqrt3 sqrt3;
};

/* A matrix to be made: either rows by rules, or the product of two matrices. */
struct recipe {
    int kind, level;
    int64_t n_rows;
    const struct csr *a, *b; /* The factors; NULL for rows by rules. */
};

/* How matrices are made under the schemes of a kind. */
static const struct maker {
    void (*lay_out)(struct build *b, unsigned missing, struct arena *a);
    int (*upload)(const struct build *b, struct sdd_error *err);
    void (*rows)(const struct build *b, const struct recipe *r, struct sdd_matrix_rows to);
    /* Makes the matrix of the points of the request's level. */
    int (*points)(struct build *b, struct csr *to, struct sdd_error *err);
} makers[SCHEME_KINDS];

static struct sdd_csr view(const struct csr *m)
{
    return (struct sdd_csr){m->end, m->column, m->weight};
}

static void csr_free(sdd_device *d, struct csr *m)
{
    block_give(d, &m->ends);
    block_give(d, &m->entries);
    *m = (struct csr){0};
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */
static int cancelled(const struct build *b, int level, struct sdd_error *err)
{
    if (!b->cancel || !atomic_load(b->cancel))
        return SDD_OK;
    return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before the matrix of level %d", level);
}

/* Makes a product in parts, because rows around a vertex of a thousand faces take seconds, and whoever cancels must
 * not wait for all of it. */
static int multiply_rows(const struct build *b, const struct recipe *r, struct sdd_matrix_rows to,
                         struct sdd_error *err)
{
    sdd_device *d = b->t->device;
    const int64_t some = (r->n_rows + PARTS - 1) / PARTS, part = some > LEAST_PART ? some : LEAST_PART;
    int rc = SDD_OK;
    for (int64_t first = 0; first < r->n_rows && !rc; first += part) {
        struct matrix_product_args product = {view(r->a), view(r->b), to, first};
        const int64_t left = r->n_rows - first;
        DEV_LAUNCH(d, matrix_product, &product, left < part ? left : part);
        rc = left > part ? dev_finish(d, err) : SDD_OK;
        if (!rc)
            rc = cancelled(b, b->request->level, err);
    }
    return rc;
}

/* The rings for the rows of a recipe; steps need none. */
static struct sdd_limit_rings rings_of(const struct build *b, const struct recipe *r)
{
    struct sdd_limit_rings rings = b->t->scheme->kind == SCHEME_SQRT3 ? b->tables.follow.rings : b->follow.rings;
    if (r->kind < SDD_MATRIX_LIMIT)
        rings.n = 0;
    return rings;
}

static void quad_rows(const struct build *b, const struct recipe *r, struct sdd_matrix_rows to)
{
    const sdd_topology *t = b->t;
    const int smooth_triangles = t->info.options.triangle_rule == SDD_TRIANGLE_SMOOTH;
    struct sdd_limit_rings rings = rings_of(b, r);
    struct matrix_quads_args quads = {
        b->mesh,  to, rings, b->angle, r->kind, r->level, smooth_triangles, t->scheme->is_linear, b->request->surface,
        r->n_rows};
    DEV_LAUNCH(t->device, matrix_quads, &quads, rings.n ? rings.n : r->n_rows);
}

static void triangle_rows(const struct build *b, const struct recipe *r, struct sdd_matrix_rows to)
{
    struct matrix_triangles_args triangles = {{.mesh = b->mesh, .weights = b->weights, .level = r->level},
                                              to,
                                              rings_of(b, r),
                                              b->angle,
                                              NULL,
                                              r->kind,
                                              r->n_rows};
    DEV_LAUNCH(b->t->device, matrix_triangles, &triangles, triangles.rings.n ? triangles.rings.n : r->n_rows);
}

static void sqrt3_rows(const struct build *b, const struct recipe *r, struct sdd_matrix_rows to)
{
    struct matrix_sqrt3_args sqrt3 = {b->sqrt3,        to,      rings_of(b, r), b->tables.weights,
                                      b->tables.angle, r->kind, r->n_rows};
    int64_t n = r->kind == SDD_MATRIX_STEP ? (int64_t)sqrt3.mesh.n_vertices + sqrt3.mesh.n_faces : r->n_rows;
    DEV_LAUNCH(b->t->device, matrix_sqrt3, &sqrt3, sqrt3.rings.n && sqrt3.rings.n < n ? sqrt3.rings.n : n);
}

static int launch_rows(const struct build *b, const struct recipe *r, struct sdd_matrix_rows to, struct sdd_error *err)
{
    if (r->a)
        return multiply_rows(b, r, to, err);
    makers[b->t->scheme->kind].rows(b, r, to);
    return SDD_OK;
}

static int too_large(int level, int64_t n, struct sdd_error *err)
{
    (void)sdd_fail(err, SDD_ETOO_LARGE, "level", "the subdivision matrix of level %d has %lld entries; %d are allowed",
                   level, (long long)n, SPARSE_MAX_ENTRIES);
    err->needed = n;
    err->available = SPARSE_MAX_ENTRIES;
    return SDD_ETOO_LARGE;
}

/* Finds the ends of rows by a launch that only counts. */
static int count_rows(const struct build *b, const struct recipe *r, struct csr *out, struct sdd_error *err)
{
    sdd_device *d = b->t->device;
    int rc = block_take(d, r->n_rows * (int64_t)sizeof *out->end, &out->ends, err);
    if (rc)
        return rc;
    out->end = out->ends.memory;
    out->n_rows = r->n_rows;
    rc = launch_rows(b, r, (struct sdd_matrix_rows){.count = out->end}, err);
    if (!rc)
        rc = sparse_row_ends(d, out->end, r->n_rows, &out->n_entries, err);
    return !rc && out->n_entries > SPARSE_MAX_ENTRIES ? too_large(b->request->level, out->n_entries, err) : rc;
}

/* Makes a matrix in two launches, one that counts and one that writes. On error *out is empty. */
static int make(const struct build *b, struct recipe r, struct csr *out, struct sdd_error *err)
{
    sdd_device *d = b->t->device;
    *out = (struct csr){0};
    int rc = count_rows(b, &r, out, err);
    if (!rc)
        rc = block_take(d, out->n_entries * (int64_t)(sizeof *out->column + sizeof *out->weight), &out->entries, err);
    if (!rc) {
        out->weight = out->entries.memory;
        out->column = (uint32_t *)(out->weight + out->n_entries);
        rc = launch_rows(b, &r, (struct sdd_matrix_rows){.end = out->end, .column = out->column, .weight = out->weight},
                         err);
    }
    if (rc) {
        dev_drain(d);
        csr_free(d, out);
    }
    return rc;
}

/* ---- levels ---------------------------------------------------------------------------------------------------- */
/* Makes *to = step * *to, or *to = step where *to is empty. It frees the factors. */
static int multiply(const struct build *b, struct csr *step, struct csr *to, struct sdd_error *err)
{
    struct csr product = *step;
    int rc = SDD_OK;
    if (to->end) {
        rc = make(b, (struct recipe){.n_rows = step->n_rows, .a = step, .b = to}, &product, err);
        csr_free(b->t->device, step);
        csr_free(b->t->device, to);
    }
    *to = product;
    return rc;
}

static int add_step(struct build *b, struct recipe r, struct csr *to, struct sdd_error *err)
{
    struct csr step;
    int rc = cancelled(b, r.level + 1, err);
    if (!rc)
        rc = make(b, r, &step, err);
    return rc ? rc : multiply(b, &step, to, err);
}

static int64_t points(const struct build *b, int level)
{
    return b->channel ? topology_channel_points(b->t, b->channel, level) : topology_points(b->t, level);
}

/* Makes the matrix from the control points to the points of the request's level. */
static int make_points(struct build *b, struct csr *to, struct sdd_error *err)
{
    const sdd_topology *t = b->t;
    const int last = b->request->level, last_parts = chaikin_last(b->request);
    int rc = SDD_OK;
    for (int level = 0; level < last && !rc; level++) {
        chaikin_reach(t, b->parts, level, last_parts, &b->mesh);
        struct recipe r = {.kind = SDD_MATRIX_STEP, .level = level, .n_rows = points(b, level + 1)};
        rc = add_step(b, r, to, err);
    }
    chaikin_reach(t, b->parts, last, last_parts, &b->mesh);
    return rc;
}

/* Makes the same matrix for quads, whose points are made of the means of faces too. Linear points are made in one
 * step from level 0. */
static int make_quad_points(struct build *b, struct csr *to, struct sdd_error *err)
{
    const int64_t faces = (int64_t)b->mesh.n_vertices + b->mesh.n_faces;
    const int last = b->request->level;
    int rc = add_step(b, (struct recipe){.kind = SDD_MATRIX_FACES, .n_rows = faces}, to, err);
    if (rc || !b->t->scheme->is_linear)
        return rc ? rc : make_points(b, to, err);
    return add_step(b, (struct recipe){.kind = SDD_MATRIX_STEP, .level = last, .n_rows = points(b, last)}, to, err);
}

/* Makes the same matrix under sqrt3, or that of one level more where limits ask for it. */
static int make_sqrt3_points(struct build *b, struct csr *to, struct sdd_error *err)
{
    const sdd_topology *t = b->t;
    int last = sqrt3_last_points(t, b->request), rc = SDD_OK;
    b->sqrt3 = sqrt3_first_level(t, &b->levels);
    for (int level = 0; level < last && !rc; level++) {
        struct recipe r = {.kind = SDD_MATRIX_STEP, .level = level, .n_rows = points(b, level + 1)};
        rc = add_step(b, r, to, err);
        if (!rc)
            sqrt3_next_level(t, &b->sqrt3, &b->levels);
    }
    return rc;
}

static int pack(const struct build *b, const struct csr *from, struct matrix *out, struct sdd_error *err)
{
    sdd_device *d = b->t->device;
    struct matrix made = {.n_entries = from->n_entries, .level = b->request->level, .surface = b->request->surface};
    int rc = matrix_pack(d, from, b->mesh.n_vertices, &made, err);
    if (!rc)
        rc = dev_finish(d, err); /* The matrix stays, so all of it must be there. */
    block_give(d, rc ? &made.memory : &out->memory);
    if (rc)
        return rc;
    *out = made;
    return SDD_OK;
}

/* Lists the bare rows, which have no mask: `tangents` over the level leaves them empty. */
static int find_bare(sdd_device *d, const struct csr *tangents, struct matrices *all, struct sdd_error *err)
{
    const int64_t n = tangents->n_rows, bytes = n * (int64_t)sizeof(int32_t);
    struct device_block work = {0};
    int32_t n_bare = 0;
    int rc = block_take(d, 2 * bytes + d->b->scan_scratch(d->dev, n), &work, err);
    if (rc)
        return rc;
    int32_t *flag = work.memory, *rank = flag + n;
    struct matrix_empty_args empty = {tangents->end, flag};
    DEV_LAUNCH(d, matrix_empty, &empty, n);
    dev_scan(d, flag, rank, n, rank + n);
    dev_download(d, &n_bare, rank + (n - 1), sizeof n_bare);
    rc = dev_finish(d, err);
    block_give(d, &all->bare_memory);
    block_give(d, &all->of[MATRIX_TANGENTS_1].memory); /* The list was of the bare rows of that matrix. */
    all->of[MATRIX_TANGENTS_1].level = 0;
    all->n_bare = rc ? 0 : n_bare;
    if (!rc)
        rc = block_take(d, n_bare * (int64_t)sizeof *all->bare, &all->bare_memory, err);
    all->bare = all->bare_memory.memory;
    struct compact_args bare = {flag, rank, all->bare};
    if (!rc)
        DEV_LAUNCH(d, compact, &bare, n);
    block_give(d, &work);
    return rc;
}

static int make_last(const struct build *b, const struct csr *points_of, int of, struct matrices *all,
                     struct sdd_error *err)
{
    static const int kinds[] = {
        [MATRIX_LIMITS] = SDD_MATRIX_LIMIT,
        [MATRIX_LIMITS_AT_LEVEL] = SDD_MATRIX_LIMIT,
        [MATRIX_TANGENTS_1] = SDD_MATRIX_TANGENT_1,
        [MATRIX_TANGENTS_2] = SDD_MATRIX_TANGENT_2,
    };
    struct recipe r = {.kind = kinds[of], .level = b->request->level, .n_rows = points(b, b->request->level)};
    struct csr step = {0}, product = {0};
    if (of == MATRIX_POINTS || b->t->scheme->is_linear)
        return pack(b, points_of, all->of + of, err);
    int rc = make(b, r, &step, err);
    if (!rc && of == MATRIX_TANGENTS_1)
        rc = find_bare(b->t->device, &step, all, err);
    if (!rc)
        rc = make(b, (struct recipe){.n_rows = step.n_rows, .a = &step, .b = points_of}, &product, err);
    if (!rc)
        rc = pack(b, &product, all->of + of, err);
    csr_free(b->t->device, &step);
    csr_free(b->t->device, &product);
    return rc;
}

/* ---- what is kept ---------------------------------------------------------------------------------------------- */
static void *create(void)
{
    return calloc(1, sizeof(struct matrices));
}

static int64_t bytes_of(const void *what)
{
    const struct matrices *all = what;
    int64_t bytes = all->bare_memory.bytes;
    for (int k = 0; k < N_MATRICES; k++)
        bytes += all->of[k].memory.bytes;
    return bytes;
}

static void free_all(sdd_device *d, void *what)
{
    struct matrices *all = what;
    for (int k = 0; k < N_MATRICES; k++)
        block_give(d, &all->of[k].memory);
    block_give(d, &all->bare_memory);
    free(all);
}

static const struct kept_ops matrices_ops = {.create = create, .bytes = bytes_of, .free = free_all};

const struct matrices *matrices_of(const sdd_topology *t, const struct topology_channel *c)
{
    return topology_kept_find(t, c, &matrices_ops);
}

/* ---- all ------------------------------------------------------------------------------------------------------- */
enum { TANGENTS = 1u << MATRIX_TANGENTS_1 | 1u << MATRIX_TANGENTS_2 };

static void grid_lay_out(struct build *b, unsigned missing, struct arena *a)
{
    chaikin_lay_out(b->t, chaikin_last(b->request), a, b->parts);
    follow_lay_out(b->t, b->channel, b->request->level, b->request->surface, a, &b->follow);
    b->weights = ARENA(a, struct sdd_float2, step_weights(b->t));
    b->angle = missing & TANGENTS ? ARENA(a, struct sdd_float2, topology_angles(b->t)) : NULL;
}

static int grid_upload(const struct build *b, struct sdd_error *err)
{
    int rc = step_upload_weights(b->t, b->weights, err);
    return rc || !b->angle ? rc : topology_upload_angles(b->t, b->angle, err);
}

static void sqrt3_lay_out(struct build *b, unsigned missing, struct arena *a)
{
    struct sdd_refine_request rows = *b->request;
    rows.include = missing & TANGENTS ? SDD_TANGENTS : SDD_POSITIONS;
    sqrt3_lay_out_levels(b->t, sqrt3_last_points(b->t, b->request), 1, a, &b->levels);
    sqrt3_lay_out_tables(b->t, &rows, a, &b->tables);
}

static int sqrt3_upload(const struct build *b, struct sdd_error *err)
{
    return sqrt3_upload_tables(b->t, &b->tables, err);
}

static const struct maker makers[SCHEME_KINDS] = {
    [SCHEME_QUADS] = {grid_lay_out, grid_upload, quad_rows, make_quad_points},
    [SCHEME_TRIANGLES] = {grid_lay_out, grid_upload, triangle_rows, make_points},
    [SCHEME_SQRT3] = {sqrt3_lay_out, sqrt3_upload, sqrt3_rows, make_sqrt3_points},
};

static int take_tools(struct build *b, unsigned missing, struct sdd_error *err)
{
    const struct maker *maker = makers + b->t->scheme->kind;
    struct arena count = {NULL, 0};
    maker->lay_out(b, missing, &count);
    int rc = block_take(b->t->device, count.used, &b->tools, err);
    if (rc)
        return rc;
    struct arena real = {b->tools.memory, 0};
    maker->lay_out(b, missing, &real);
    return maker->upload(b, err);
}

/* The matrices that are missing, of those that are wanted or needed beside them. */
static unsigned which_miss(const sdd_topology *t, const struct matrices *all, unsigned wanted,
                           const struct sdd_refine_request *r)
{
    const int level = r->level;
    unsigned missing = 0;
    if ((wanted >> MATRIX_TANGENTS_1 & 1) && all->of[MATRIX_TANGENTS_1].level == level &&
        all->of[MATRIX_TANGENTS_1].surface == r->surface && all->n_bare && t->scheme->has_grids)
        wanted |= 1u << MATRIX_POINTS;
    for (int k = 0; k < N_MATRICES; k++)
        if ((wanted >> k & 1) &&
            (all->of[k].level != level || ((TANGENTS >> k & 1) && all->of[k].surface != r->surface)))
            missing |= 1u << k;
    return missing;
}

int matrices_prepare(const sdd_topology *t, const struct topology_channel *c, const struct sdd_refine_request *r,
                     unsigned wanted, const atomic_int *cancel, struct sdd_error *err)
{
    struct build b = {.t = t, .request = r, .cancel = cancel, .channel = c, .mesh = topology_channel_control(t, c)};
    struct csr all_points = {0};
    struct matrices *all = topology_kept_get(t, c, &matrices_ops, err);
    unsigned missing = all ? which_miss(t, all, wanted, r) : 0;
    if (!missing)
        return all ? SDD_OK : SDD_ENO_MEMORY;
    int rc = take_tools(&b, missing, err);
    if (!rc)
        rc = makers[t->scheme->kind].points(&b, &all_points, err);
    for (int k = N_MATRICES; k-- > 0 && !rc; missing = which_miss(t, all, wanted, r))
        if (missing >> k & 1)
            rc = make_last(&b, &all_points, k, all, err);
    if (rc)
        dev_drain(t->device);
    csr_free(t->device, &all_points);
    block_give(t->device, &b.tools);
    return rc;
}

void matrix_rows(sdd_device *d, const struct matrix *m, int width, const float *x, int64_t first, int64_t n, float *y)
{
    for (int k = 0, each; k < width; k += each) {
        each = width - k < SDD_WIDE ? width - k : SDD_WIDE;
        struct matrix_wide_args a = {{m->m, x + k, y + k, {each, width}, first}};
        if (each > 3)
            DEV_LAUNCH(d, matrix_wide, &a, n);
        else
            DEV_LAUNCH(d, matrix_apply, &a.apply, n);
    }
}

void matrices_normals(sdd_device *d, const struct matrices *all, const float *x, float *normals, float *tangents)
{
    struct matrix_normals_args a = {all->of[MATRIX_TANGENTS_1].m, all->of[MATRIX_TANGENTS_2].m, x, normals, tangents};
    DEV_LAUNCH(d, matrix_normals, &a, a.t1.n_rows);
}
