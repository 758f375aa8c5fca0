/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3.c: scheme sqrt3 in sparse linear algebra (Mlakar 2018, section 4.1.2), for engine.c. A step makes F by a
 * mapped product, face points and vertex points by products with vectors, and the next matrix from F.
 *
 * The thesis has closed meshes. Here boundary edges are a second matrix L, with a column of two entries for each of
 * them. The product of L with itself says which vertices are neighbours along a line, and moves them. The products
 * of L with the points cut each line in three, every second step (the rules are in docs/engines.md). The points of a
 * level are in grid order from the start. */
#include "gpu/levels/levels.h"
#include "gpu/engines/spla/internal.h"
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_borders.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_cuts.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_firsts.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_triangles.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_twins.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_weights.k.h"

struct sizes {
    int64_t V, F, B; /* The vertices, triangles and boundary edges of a level. */
};

static struct sizes sizes_of(const sdd_topology *t, int level)
{
    struct sizes s = {topology_points(t, level), t->info.n_faces, t->n_open};
    for (int k = 0; k < level; k++) {
        s.F *= 3;
        s.B *= k % 2 ? 3 : 1;
    }
    return s;
}

static int wants_points(const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_POINTS) != 0;
}

/* The last level whose matrices are made. */
static int last_level(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return wants_points(r) ? sqrt3_last_points(t, r) : r->level;
}

/* Whether each vertex of the last level is looked around, as limits and normals need. */
static int looks_around(const struct sdd_refine_request *r)
{
    return wants_points(r) && (!finish_in_place(r) || (r->include & ENGINE_AROUND));
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */
/* What one step holds. The next step holds its own in the same place. */
struct step {
    struct sdd_thirds around;
    double *own, *ring, *line; /* The weights of a vertex, of its ring, and of its neighbours along a line. */
    double *sum, *cut_sum;     /* Shapes [V][3] and [B][3]. */
    float *near;               /* Shape [B][3]: the point p of each line. */
    uint32_t *twin, *first;    /* The half-edges of the last level. */
    void *work;
};

struct layout {
    struct sqrt3_tables tables;
    /* `vert` k has the matrices M of the levels of parity k, and `lines` k the L of the pairs of levels of parity k. */
    uint32_t *vert[2], *lines[2];
    float *points[2];
    char *step;
};

static struct sdd_spla matrix_of(const sdd_topology *t, const struct layout *l, int level)
{
    struct sizes s = sizes_of(t, level);
    struct arena none = {NULL, 0};
    struct sdd_spla m = algebra_reduced(&none, s.V, s.F, 3);
    m.rid = level ? l->vert[level % 2] : t->vert;
    return m;
}

static struct sdd_spla lines_of(const sdd_topology *t, const struct layout *l, int level)
{
    struct sizes s = sizes_of(t, level);
    struct arena none = {NULL, 0};
    struct sdd_spla m = algebra_reduced(&none, s.V, s.B, 2);
    m.rid = l->lines[level / 2 % 2];
    return m;
}

static void lay_out_step(const sdd_topology *t, const struct layout *l, int level, struct arena *a, struct step *out)
{
    sdd_device *d = t->device;
    struct sizes s = sizes_of(t, level);
    struct sdd_spla m = matrix_of(t, l, level), lines = lines_of(t, l, level);
    struct sdd_product faces = spla_faces_of(&m), both = spla_faces_of(&lines);
    struct arena none = {NULL, 0};
    out->around.m = m;
    out->around.f = algebra_matrix(a, s.V, s.V, 3 * s.F);
    out->around.lines = s.B ? algebra_matrix(a, s.V, s.V, 2 * s.B) : algebra_reduced(&none, s.V, s.V, 0);
    out->around.level = level;
    out->own = ARENA(a, double, s.V);
    out->ring = ARENA(a, double, s.V);
    out->line = ARENA(a, double, s.V);
    out->sum = ARENA(a, double, 3 * s.V);
    out->cut_sum = ARENA(a, double, 3 * s.B);
    out->near = ARENA(a, float, 3 * s.B);
    out->twin = ARENA(a, uint32_t, 3 * s.F);
    out->first = ARENA(a, uint32_t, s.V);
    out->work =
        ARENA(a, char, larger(algebra_product_work(d, &faces, 3 * s.F), algebra_product_work(d, &both, 2 * s.B)));
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int last = last_level(t, r), last_step = last - !looks_around(r), most[2] = {0}, most_lines[2] = {0};
    int64_t step_bytes = 0;
    for (int level = 0; level <= last; level++) {
        most[level % 2] = level;
        most_lines[level / 2 % 2] = level;
    }
    sqrt3_lay_out_tables(t, r, a, &out->tables);
    for (int k = 0; k < 2; k++) {
        int in_place = finish_in_place(r) && most[k] == last, p = most[k] - 2 * in_place;
        out->vert[k] = ARENA(a, uint32_t, most[k] > 0 ? 3 * sizes_of(t, most[k]).F : 0);
        out->lines[k] = ARENA(a, uint32_t, 2 * sizes_of(t, most_lines[k]).B);
        out->points[k] = ARENA(a, float, wants_points(r) && p > 0 ? 3 * sizes_of(t, p).V : 0);
    }
    for (int level = 0; level <= last_step; level++) {
        struct arena count = {NULL, 0};
        struct step s;
        lay_out_step(t, out, level, &count, &s);
        step_bytes = larger(step_bytes, count.used);
    }
    out->step = ARENA(a, char, step_bytes);
}

int64_t spla_sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    lay_out(t, r, &count, &l);
    return count.used;
}

int64_t spla_sqrt3_terms(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return 3 * sizes_of(t, last_level(t, r) - !looks_around(r)).F;
}

/* ---- a step ---------------------------------------------------------------------------------------------------- */
static int make_adjacency(const sdd_topology *t, const struct layout *l, int level, struct step *out,
                          struct sdd_error *err)
{
    struct arena a = {l->step, 0};
    lay_out_step(t, l, level, &a, out);
    struct sdd_spla lines = lines_of(t, l, level);
    struct sdd_product faces = spla_faces_of(&out->around.m), both = spla_faces_of(&lines);
    /* Equation 4.6: F = M [Q, gamma] M^T. */
    algebra_product(t->device, &faces, &out->around.f, faces.a.n_entries, out->work);
    /* L [Q, gamma] L^T has the neighbours along lines. */
    if (lines.n_entries)
        algebra_product(t->device, &both, &out->around.lines, lines.n_entries, out->work);
    return level == 1 ? spla_check_size(t, &out->around.f, err) : SDD_OK;
}

/* Cuts lines at p and q. Each is 5/12 of the nearer end, 1/3 of the other end and 1/4 of the nearer end's new
 * position. */
static void cut_points(const sdd_topology *t, const struct layout *l, const struct step *at, const float *p, float *to)
{
    sdd_device *d = t->device;
    const struct sdd_spla *m = &at->around.m, lines = lines_of(t, l, at->around.level);
    const double near = 5.0 / 12.0, far = 1.0 / 3.0, moved = 0.25;
    float *q = to + 3 * ((int64_t)m->n_rows + m->n_cols);
    algebra_add(d, &lines, algebra_values(near, far, 0.0), p, at->cut_sum, 1, NULL);
    algebra_add(d, &lines, algebra_values(moved, 0.0, 0.0), to, at->cut_sum, 0, at->near);
    algebra_add(d, &lines, algebra_values(far, near, 0.0), p, at->cut_sum, 1, NULL);
    algebra_add(d, &lines, algebra_values(0.0, moved, 0.0), to, at->cut_sum, 0, q);
}

static void next_points(const sdd_topology *t, const struct layout *l, const struct step *at, const float *p, float *to)
{
    sdd_device *d = t->device;
    const struct sdd_thirds *m = &at->around;
    struct sdd_spla one = algebra_identity(m->m.n_rows);
    int corners = t->info.options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER;
    struct spla_sqrt3_weights_args weights = {m->f,     m->lines, l->tables.weights, at->own,
                                              at->ring, at->line, m->level,          corners};
    DEV_LAUNCH(d, spla_sqrt3_weights, &weights, m->m.n_rows);
    algebra_add(d, &one, algebra_by_column(at->own), p, at->sum, 1, NULL); /* Equation 4.2: the weight is 1 - alpha. */
    if (m->lines.n_entries)
        algebra_add(d, &m->lines, algebra_by_column(at->line), p, at->sum, 0, NULL);
    /* Equation 4.9: F p, where every value becomes alpha / n. */
    algebra_add(d, &m->f, algebra_by_column(at->ring), p, at->sum, 0, to);
    /* Equation 4.8: M^T p, where every value becomes 1/3. */
    algebra_multiply(d, &m->m, algebra_mean(), p, to + 3 * (int64_t)m->m.n_rows);
    if (m->level % 2 && m->lines.n_entries)
        cut_points(t, l, at, p, to);
}

/* Queues the matrices of the next level. `to` is its points, or NULL where no points are made. */
static void next_matrices(const sdd_topology *t, const struct layout *l, const struct step *at, float *to)
{
    const struct sdd_thirds *m = &at->around;
    struct sdd_spla lines = lines_of(t, l, m->level), next_lines = lines_of(t, l, m->level + 1);
    struct spla_sqrt3_triangles_args triangles = {*m, l->vert[(m->level + 1) % 2]};
    struct spla_sqrt3_cuts_args cuts = {*m, lines.rid, at->near, next_lines.rid, to};
    DEV_LAUNCH(t->device, spla_sqrt3_triangles, &triangles, m->m.n_entries); /* See table 4.1. */
    if (m->level % 2)
        DEV_LAUNCH(t->device, spla_sqrt3_cuts, &cuts, lines.n_cols);
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */
/* Queues the level as half-edges, made from its matrices. */
static struct sdd_sqrt3 half_edges(const sdd_topology *t, const struct step *at)
{
    struct spla_sqrt3_twins_args twins = {at->around, at->twin};
    struct spla_sqrt3_firsts_args firsts = {at->around, at->first};
    struct sdd_sqrt3 m = {
        .vert = at->around.m.rid,
        .twin = at->twin,
        .first = at->first,
        .vert_sharp = t->vert_sharp,
        .n_vertices = at->around.m.n_rows,
        .n_faces = at->around.m.n_cols,
        .n_control = (uint32_t)t->info.n_vertices,
        .level = at->around.level,
    };
    DEV_LAUNCH(t->device, spla_sqrt3_twins, &twins, at->around.m.n_entries);
    DEV_LAUNCH(t->device, spla_sqrt3_firsts, &firsts, at->around.m.n_rows);
    return m;
}

static int finish(const struct engine_run *run, const struct layout *l, const float *p, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    struct sdd_sqrt3 m = {0};
    struct step at;
    if (looks_around(run->request)) {
        int rc = make_adjacency(t, l, last_level(t, run->request), &at, err);
        if (rc)
            return rc;
        m = half_edges(t, &at);
    }
    sqrt3_finish(run, &m, &l->tables, p, NULL, 0);
    return SDD_OK;
}

int spla_sqrt3_run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    const float *p = run->mesh->points;
    int last = last_level(t, r);
    struct arena a = {run->scratch, 0};
    struct layout l;
    lay_out(t, r, &a, &l);
    struct spla_sqrt3_borders_args borders = {t->vert, t->twin, l.lines[0], (uint32_t)t->info.n_corners};
    int rc = sqrt3_upload_tables(t, &l.tables, err);
    if (!rc)
        DEV_LAUNCH(t->device, spla_sqrt3_borders, &borders, t->info.n_corners);
    for (int level = 0; level < last && !rc; level++) {
        float *to = level + 1 == last && finish_in_place(r) ? run->positions : l.points[(level + 1) % 2];
        struct step at;
        if (run->cancel && atomic_load(run->cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", level + 1);
        rc = make_adjacency(t, &l, level, &at, err);
        if (rc)
            break;
        if (level % 2 == 0 && level <= sqrt3_last_uvs(r)) {
            struct sdd_sqrt3 m = half_edges(t, &at);
            sqrt3_uvs(run, &m, &l.tables);
        }
        if (wants_points(r))
            next_points(t, &l, &at, p, to);
        next_matrices(t, &l, &at, wants_points(r) ? to : NULL);
        if (level + 1 == r->level)
            sqrt3_indices(run, l.vert[r->level % 2]);
        p = to;
    }
    return rc || !wants_points(r) ? rc : finish(run, &l, p, err);
}
