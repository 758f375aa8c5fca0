/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: engine mesh-matrix-spla, which refine/ calls: the mesh matrix (Mlakar 2018, chapter 4) as the thesis writes
 * it, level by level, with explicit matrices, in sparse linear algebra. It is the readable reference of mesh-matrix,
 * and the baseline of its benchmark.
 *
 * A level is its mesh matrix M and its points p. A step makes the rows of M, E and F by mapped products, makes new
 * points by products with vectors, mends the boundary, and writes the next matrix. The points of a level are
 * numbered [vertices | face points | edge points] or, with triangles, [vertices | edge points]; after the last step
 * they are put into grid order. On a manifold mesh all sizes are formulas, so the memory is planned to the byte.
 * sqrt3 has a file of its own, spla_sqrt3.c. */
#include "gpu/engines/spla/internal.h"
#include "gpu/engine_api/capabilities.h"
#include "gpu/levels/levels.h"
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/engines/spla/kernels/spla_mend_edges.k.h"
#include "gpu/engines/spla/kernels/spla_mend_vertices.k.h"
#include "gpu/engines/spla/kernels/spla_quad_edges.k.h"
#include "gpu/engines/spla/kernels/spla_quad_points.k.h"
#include "gpu/engines/spla/kernels/spla_quads.k.h"
#include "gpu/engines/spla/kernels/spla_triangle_edges.k.h"
#include "gpu/engines/spla/kernels/spla_triangle_points.k.h"
#include "gpu/engines/spla/kernels/spla_triangles.k.h"
#include "gpu/engines/spla/kernels/spla_vertex_weights.k.h"

/* ---- sizes ----------------------------------------------------------------------------------------------------- */
struct sizes {
    int64_t V, F, C, E; /* The vertices, faces, corners and edges of a level. */
};

static struct sizes quad_sizes(struct sizes s)
{
    return (struct sizes){s.V + s.F + s.E, s.C, 4 * s.C, 2 * s.E + s.C};
}

static struct sizes triangle_sizes(struct sizes s)
{
    return (struct sizes){s.V + s.E, 4 * s.F, 4 * s.C, 2 * s.E + s.C};
}

struct layout;
struct step;
/* How one level becomes the next under the schemes of a kind. sqrt3 is not among them. */
static const struct rules {
    int parts;       /* Floats that each of the three arrays of p_klm (4.15) has for a face. */
    int checks_size; /* Whether spla_check_size is needed on level 1. */
    struct sizes (*sizes)(struct sizes s);
    void (*step)(const sdd_topology *t, const struct layout *l, const struct sdd_spla *m, const float *p,
                 const struct step *at, const struct sdd_spla *next, float *to);
    void (*to_grid)(const sdd_topology *t, const struct sdd_control *m, const struct layout *l, int level, float *to);
} rules[SCHEME_KINDS];

static struct sizes sizes_of(const sdd_topology *t, int level)
{
    struct sizes s = {t->info.n_vertices, t->info.n_faces, t->info.n_corners, t->info.n_edges};
    for (int l = 0; l < level; l++)
        s = rules[t->scheme->kind].sizes(s);
    return s;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */
/* What one step holds. The next step holds its own in the same place. */
struct step {
    struct sdd_spla rows; /* M^T. */
    struct sdd_adjacency around;
    int32_t *number;      /* The numbers of the entries of E, which are around.number. */
    double *own, *others; /* The weights of a vertex, and of what is around it. */
    double *sum;          /* Shape [V][3]. */
    float *part[3];       /* The p_klm of 4.15, for triangles. */
    void *work;
};

struct layout {
    struct finish_tables tables;
    int32_t *control_ptr;      /* The column pointers of the control mesh's matrix. */
    struct sdd_spla matrix[2]; /* Matrix k is for the levels last - k, last - k - 2 and so on. */
    float *points[2];          /* The points of the same levels. */
    float *grid;               /* The points of the last level, in grid order. */
    char *step;
};

static struct sdd_product edges_of(const struct sdd_spla *m)
{
    struct sdd_product p = {*m, *m, {SDD_ACTION_POWERS, 2, {1, -1}, NULL, 0}, SDD_GAMMA_SUM};
    return p;
}

struct sdd_product spla_faces_of(const struct sdd_spla *m)
{
    struct sdd_product p = {*m, *m, {SDD_ACTION_POWERS, 1, {1, 0}, NULL, 0}, SDD_GAMMA_FACE};
    return p;
}

static void lay_out_step(const sdd_topology *t, const struct sdd_spla *m, struct sizes s, struct arena *a,
                         struct step *out)
{
    sdd_device *d = t->device;
    struct sdd_product edges = edges_of(m), faces = spla_faces_of(m);
    int64_t thirds = rules[t->scheme->kind].parts * s.F;
    out->rows = algebra_matrix(a, s.F, s.V, s.C);
    out->around.e = algebra_matrix(a, s.V, s.V, 2 * s.E);
    out->around.f = algebra_matrix(a, s.V, s.V, s.C);
    out->around.number = out->number = ARENA(a, int32_t, 2 * s.E);
    out->own = ARENA(a, double, s.V);
    out->others = ARENA(a, double, s.V);
    out->sum = ARENA(a, double, 3 * s.V);
    for (int i = 0; i < 3; i++)
        out->part[i] = ARENA(a, float, thirds);
    int64_t work = larger(algebra_transpose_work(d, m), algebra_number_work(d, &out->around.e));
    work = larger(work, algebra_product_work(d, &edges, 2 * s.C));
    out->work = ARENA(a, char, larger(work, algebra_product_work(d, &faces, s.C)));
}

/* The mesh matrix of a level. Its rows are those of the control mesh, or lie in the layout. */
static struct sdd_spla matrix_of(const sdd_topology *t, int level, const struct layout *l, int last)
{
    struct sizes s = sizes_of(t, level);
    struct arena none = {NULL, 0};
    struct sdd_spla m = algebra_reduced(&none, s.V, s.F, t->scheme->face_corners);
    if (level > 0) {
        m.rid = l->matrix[(last - level) % 2].rid;
        return m;
    }
    m.rid = t->vert;
    m.ptr = l->control_ptr;
    m.n_entries = (uint32_t)s.C;
    return m;
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    const int last = r->level, size = t->scheme->face_corners;
    int64_t step_bytes = 0;
    finish_lay_out_tables(t, r, a, &out->tables);
    out->control_ptr = ARENA(a, int32_t, t->info.n_faces + 1);
    for (int k = 0; k < 2; k++) {
        struct sizes s = sizes_of(t, last - k);
        out->matrix[k] = algebra_reduced(a, s.V, last - k > 0 ? s.F : 0, size);
        out->points[k] = ARENA(a, float, last - k > 0 ? 3 * s.V : 0);
    }
    out->grid = ARENA(a, float, finish_in_place(r) ? 0 : 3 * topology_points(t, last));
    for (int level = 0; level < last; level++) {
        struct sdd_spla m = matrix_of(t, level, out, last);
        struct arena count = {NULL, 0};
        struct step s;
        lay_out_step(t, &m, sizes_of(t, level), &count, &s);
        step_bytes = larger(step_bytes, count.used);
    }
    out->step = ARENA(a, char, step_bytes);
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    if (r->include & ENGINE_POINTS)
        lay_out(t, r, &count, &l);
    return count.used;
}

/* The collisions of the largest product are counted in 32 bits. */
static int check_terms(int64_t most, struct sdd_error *err)
{
    if (most < INT32_MAX)
        return SDD_OK;
    sdd_fail(err, SDD_ETOO_LARGE, "level", "engine mesh-matrix-spla would make a product of %lld terms; it ends at %d",
             (long long)most, INT32_MAX);
    if (err) {
        err->needed = most;
        err->available = INT32_MAX;
    }
    return SDD_ETOO_LARGE;
}

static int check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    return check_terms(2 * sizes_of(t, r->level - 1).C, err);
}

static int check_sqrt3(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    int rc = sqrt3_check(t, r, err);
    return rc ? rc : check_terms(spla_sqrt3_terms(t, r), err);
}

/* ---- a step ---------------------------------------------------------------------------------------------------- */
static void make_adjacency(sdd_device *d, const struct sdd_spla *m, struct sizes s, const struct step *at)
{
    struct sdd_product edges = edges_of(m), faces = spla_faces_of(m);
    algebra_transpose(d, m, &at->rows, at->work);
    algebra_product(d, &edges, &at->around.e, 2 * s.C, at->work); /* Equation 4.16: E = M [Q + Q^(n-1)] M^T. */
    algebra_product(d, &faces, &at->around.f, s.C, at->work);     /* Equation 4.6: F = M [Q, gamma] M^T. */
    algebra_number(d, &at->around.e, at->number, at->work);
}

/* Queues the weights of vertices by valence. Where beta is NULL they are those of Catmull-Clark. */
static void vertex_weights(const sdd_topology *t, const struct step *at, const struct sdd_float2 *beta, int64_t n_beta)
{
    struct spla_vertex_weights_args args = {at->rows, beta, at->own, at->others, (int32_t)n_beta};
    DEV_LAUNCH(t->device, spla_vertex_weights, &args, at->rows.n_cols);
}

static void mend_boundary(const sdd_topology *t, const struct step *at, const float *p, float *to, float *edges)
{
    int corners = t->info.options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER;
    struct spla_mend_edges_args lines = {at->around, p, edges};
    struct spla_mend_vertices_args vertices = {at->around.e, at->rows, p, to, corners};
    if (t->info.n_boundary_edges == 0)
        return;
    DEV_LAUNCH(t->device, spla_mend_edges, &lines, at->around.e.n_entries);    /* Equations 4.18 and 4.26. */
    DEV_LAUNCH(t->device, spla_mend_vertices, &vertices, at->around.e.n_cols); /* Equations 4.19 to 4.21 and 4.25. */
}

/* Makes one step of Catmull-Clark, section 4.3.2. */
static void quad_step(const sdd_topology *t, const struct layout *l, const struct sdd_spla *m, const float *p,
                      const struct step *at, const struct sdd_spla *next, float *to)
{
    sdd_device *d = t->device;
    float *faces = to + 3 * (int64_t)m->n_rows, *edges = faces + 3 * (int64_t)m->n_cols;
    struct sdd_spla one = algebra_identity(m->n_rows);
    struct spla_quad_edges_args mids = {at->around, p, faces, edges};
    struct spla_quads_args quads = {*m, at->around, (struct sdd_quad *)(void *)next->rid};
    (void)l;
    vertex_weights(t, at, NULL, 0);
    /* Equation 4.27: f = M^T p, where every value becomes 1 / c. */
    algebra_multiply(d, m, algebra_mean(), p, faces);
    /* Equation 4.23: an edge point is (p_k + p_l + f_m + f_n) / 4. */
    DEV_LAUNCH(d, spla_quad_edges, &mids, at->around.e.n_entries);
    /* Equations 4.30 to 4.32: I p with the weight 1 - 2 / n, E p and M f with the weight 1 / n^2. */
    algebra_add(d, &one, algebra_by_column(at->own), p, at->sum, 1, NULL);
    algebra_add(d, &at->around.e, algebra_by_column(at->others), p, at->sum, 0, NULL);
    algebra_add(d, &at->rows, algebra_by_column(at->others), faces, at->sum, 0, to);
    mend_boundary(t, at, p, to, edges);
    DEV_LAUNCH(d, spla_quads, &quads, m->n_entries); /* See figure 4.16. */
}

/* Makes one step of Loop, section 4.2.2. */
static void triangle_step(const sdd_topology *t, const struct layout *l, const struct sdd_spla *m, const float *p,
                          const struct step *at, const struct sdd_spla *next, float *to)
{
    sdd_device *d = t->device;
    float *edges = to + 3 * (int64_t)m->n_rows;
    struct sdd_spla one = algebra_identity(m->n_rows);
    struct spla_triangle_edges_args mids = {at->around, *m, {at->part[0], at->part[1], at->part[2]}, edges};
    struct spla_triangles_args triangles = {*m, at->around, next->rid};
    const double near = 3.0 / 16.0, far = 1.0 / 8.0;
    vertex_weights(t, at, l->tables.weights, l->tables.n_weights);
    /* Equation 4.15: M^T p, where the values (k, l, m) become (3/16, 3/16, 1/8) in all three rotations. */
    for (int s = 0; s < 3; s++) {
        struct sdd_weights map = algebra_values(s == 0 ? far : near, s == 1 ? far : near, s == 2 ? far : near);
        algebra_multiply(d, m, map, p, at->part[s]);
    }
    DEV_LAUNCH(d, spla_triangle_edges, &mids, at->around.e.n_entries); /* See figure 4.11. */
    /* Equations 4.11 and 4.17: I p with the weight 1 - n beta, and E p with the weight beta. */
    algebra_add(d, &one, algebra_by_column(at->own), p, at->sum, 1, NULL);
    algebra_add(d, &at->around.e, algebra_by_column(at->others), p, at->sum, 0, to);
    mend_boundary(t, at, p, to, edges);
    DEV_LAUNCH(d, spla_triangles, &triangles, m->n_cols); /* See table 4.2. */
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */
/* Two triangles back to back are manifold, but both children in their middles join the same edge points (under
 * sqrt3, all six children the same centres), so E or F of level 1 would take two edges for one. Nothing else can
 * make the products smaller than their formulas. */
int spla_check_size(const sdd_topology *t, const struct sdd_spla *product, struct sdd_error *err)
{
    int32_t n = 0;
    dev_download(t->device, &n, product->ptr + product->n_cols, sizeof n);
    int rc = dev_finish(t->device, err);
    if (!rc && (uint32_t)n != product->n_entries)
        return sdd_fail(err, SDD_EUNSUPPORTED, "method",
                        "engine mesh-matrix-spla does not do two triangles that share all three edges");
    return rc;
}

static int run_step(const struct engine_run *run, const struct layout *l, int level, const float *p, float *to,
                    struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    int last = run->request->level;
    struct sdd_spla m = matrix_of(t, level, l, last), next = matrix_of(t, level + 1, l, last);
    struct sizes s = sizes_of(t, level);
    struct arena a = {l->step, 0};
    struct step at;
    lay_out_step(t, &m, s, &a, &at);
    make_adjacency(t->device, &m, s, &at);
    int rc = rules[t->scheme->kind].checks_size && level == 1 ? spla_check_size(t, &at.around.e, err) : SDD_OK;
    if (rc)
        return rc;
    rules[t->scheme->kind].step(t, l, &m, p, &at, &next, to);
    return SDD_OK;
}

static void quads_to_grid(const sdd_topology *t, const struct sdd_control *m, const struct layout *l, int level,
                          float *to)
{
    struct spla_quad_points_args quads = {*m, l->matrix[0].rid, l->points[0], to, level};
    DEV_LAUNCH(t->device, spla_quad_points, &quads, topology_points(t, level));
}

static void triangles_to_grid(const sdd_topology *t, const struct sdd_control *m, const struct layout *l, int level,
                              float *to)
{
    struct spla_triangle_points_args triangles = {*m, l->matrix[0].rid, l->points[0], to, level};
    DEV_LAUNCH(t->device, spla_triangle_points, &triangles, topology_points(t, level));
}

static const struct rules rules[SCHEME_KINDS] = {
    [SCHEME_QUADS] = {0, 0, quad_sizes, quad_step, quads_to_grid},
    [SCHEME_TRIANGLES] = {3, 1, triangle_sizes, triangle_step, triangles_to_grid},
};

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    const struct sdd_control m = topology_control(t);
    const float *p = run->mesh->points;
    struct arena a = {run->scratch, 0};
    struct layout l;
    if (!(r->include & ENGINE_POINTS))
        return SDD_OK;
    lay_out(t, r, &a, &l);
    int rc = finish_upload_tables(t, &l.tables, err);
    dev_fill(t->device, l.control_ptr, 0, sizeof *l.control_ptr);
    dev_copy(t->device, l.control_ptr + 1, t->face_end, t->info.n_faces * (int64_t)sizeof *l.control_ptr);
    for (int level = 0; level < r->level && !rc; level++) {
        float *to = l.points[(r->level - level - 1) % 2];
        if (run->cancel && atomic_load(run->cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", level + 1);
        rc = run_step(run, &l, level, p, to, err);
        p = to;
    }
    if (rc)
        return rc;
    float *grid = finish_in_place(r) ? run->positions : l.grid;
    rules[t->scheme->kind].to_grid(t, &m, &l, r->level, grid);
    finish_level(run, &m, &l.tables, grid);
    return SDD_OK;
}

static const uint8_t schemes[N_FEATURES] = {
    FEATURES_OF_ALL(UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_SQRT3),
};

const struct engine sdd_engine_mesh_matrix_spla = {
    .info = {"mesh-matrix-spla",
             "catmullClark, loop and sqrt3 of manifold meshes without creases, in sparse linear algebra; "
             "the reference of mesh-matrix",
             schemes},
    .of = {[SCHEME_QUADS] = {check, scratch, run},
           [SCHEME_TRIANGLES] = {check, scratch, run},
           [SCHEME_SQRT3] = {check_sqrt3, spla_sqrt3_scratch, spla_sqrt3_run}},
    .by_name_alone = 1,
};
