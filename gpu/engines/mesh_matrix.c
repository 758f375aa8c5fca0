/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_matrix.c: the mesh matrix (Mlakar 2018) in its optimised form, for topology of any kind. The control mesh's
 * matrix is stored by rows and by columns with its adjacency (E and F), built by sort and scan; from level 1 on matrix
 * and adjacency are formulas (quad_spot.h), so a level is its points alone, in grid order, and two launches
 * make the next. Only two levels of points are held. */
#include "gpu/engine.h"
#include "gpu/kernels/isolated_points.h"
#include "gpu/kernels/mm_edges.h"
#include "gpu/kernels/mm_faces.h"
#include "gpu/kernels/mm_finish.h"
#include "gpu/kernels/mm_linear.h"
#include "gpu/kernels/mm_inside.h"
#include "gpu/kernels/mm_seams.h"
#include "gpu/kernels/mm_vertices.h"

/* buffer k holds the points of the levels last - k, last - k - 2, ..; those of the last level may be the result */
struct layout {
    float *buffer[2];
    struct sdd_float2 *angle;
    int64_t n_angles;
};

/* Are the points of the last level the result? */
static int in_place(const struct sdd_refine_request *r)
{
    return (r->include & SDD_POSITIONS) && r->surface == SDD_SURFACE_REFINED;
}

static int is_linear(const sdd_topology *t)
{
    return t->info.options.scheme == SDD_SCHEME_BILINEAR;
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int limit_normals = r->surface == SDD_SURFACE_LIMIT && (r->include & SDD_NORMALS) && !is_linear(t);
    int64_t last = in_place(r) ? 0 : topology_points(t, r->level);
    int64_t before = r->level > 1 && !is_linear(t) ? topology_points(t, r->level - 1) : 0;
    out->buffer[0] = ARENA(a, float, 3 * last);
    out->buffer[1] = ARENA(a, float, 3 * before);
    if (in_place(r) && r->level > 2 && !is_linear(t)) /* the levels before the last two take turns there */
        out->buffer[0] = ARENA(a, float, 3 * topology_points(t, r->level - 2));
    out->n_angles = limit_normals ? topology_angles(t) : 0;
    out->angle = ARENA(a, struct sdd_float2, out->n_angles);
}

static int wants_points(const struct sdd_refine_request *r)
{
    return (r->include & (SDD_POSITIONS | SDD_NORMALS)) != 0;
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    if (wants_points(r))
        lay_out(t, r, &count, &l);
    return count.used;
}

static int check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    (void)r;
    if (t->info.options.scheme == SDD_SCHEME_CATMULL_CLARK || is_linear(t))
        return SDD_OK;
    return sdd_fail(err, SDD_EUNSUPPORTED, "method", "engine mesh-matrix does catmullClark and bilinear, not %s",
                    sdd_option_token(&t->info.options, 0));
}

static struct sdd_control control_of(const sdd_topology *t)
{
    struct sdd_control m = {
        .vert = t->vert,
        .next = t->next,
        .prev = t->prev,
        .face = t->face,
        .edge = t->edge,
        .twin = t->twin,
        .edge_corner = t->edge_corner,
        .begin = t->vert_begin,
        .end = t->vert_end,
        .corner = t->vert_corner,
        .face_end = t->face_end,
        .edge_sharp = t->edge_sharp,
        .vert_sharp = t->vert_sharp,
        .n_vertices = (uint32_t)t->info.n_vertices,
        .n_faces = (uint32_t)t->info.n_faces,
        .n_edges = (uint32_t)t->info.n_edges,
        .n_corners = (uint32_t)t->info.n_corners,
    };
    return m;
}

static void first_step(const sdd_topology *t, const struct sdd_control *m, const float *p, float *to)
{
    struct mm_faces_args faces = {*m, p, to};
    struct mm_edges_args edges = {*m, p, to, t->info.options.triangle_rule == SDD_TRIANGLE_SMOOTH};
    struct mm_vertices_args vertices = {*m, p, to};
    DEV_LAUNCH(t->device, mm_faces, &faces, t->info.n_faces);
    DEV_LAUNCH(t->device, mm_edges, &edges, t->info.n_edges);
    DEV_LAUNCH(t->device, mm_vertices, &vertices, t->info.n_vertices);
}

static void linear(const sdd_topology *t, const struct sdd_control *m, const float *p, float *to, int level)
{
    struct mm_faces_args faces = {*m, p, to};
    struct mm_linear_args all = {*m, p, to, level};
    DEV_LAUNCH(t->device, mm_faces, &faces, t->info.n_faces);
    DEV_LAUNCH(t->device, mm_linear, &all, topology_points(t, level));
}

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    const struct sdd_control m = control_of(t);
    const float *p = run->mesh->points;
    struct arena a = {run->scratch, 0};
    struct layout lay;
    float *last;
    if (!wants_points(r))
        return SDD_OK;
    lay_out(t, r, &a, &lay);
    if (lay.n_angles) {
        int rc = topology_upload_angles(t, lay.angle, err);
        if (rc)
            return rc;
    }
    last = in_place(r) ? run->positions : lay.buffer[0];
    if (is_linear(t)) {
        linear(t, &m, p, last, r->level);
    } else {
        first_step(t, &m, p, r->level == 1 ? last : lay.buffer[(r->level - 1) % 2]);
        for (int level = 1; level < r->level; level++) {
            struct mm_seams_args seams = {m, lay.buffer[(r->level - level) % 2],
                                          lay.buffer[(r->level - level - 1) % 2], level};
            if (level + 1 == r->level)
                seams.to = last;
            if (r->cancel && atomic_load(r->cancel))
                return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", level + 1);
            struct mm_inside_args inside = {topology_grid(t, level), seams.from, seams.to};
            int64_t cells = t->info.n_corners << (2 * (level - 1)), along = ((int64_t)2 << (level - 1)) - 1;
            DEV_LAUNCH(t->device, mm_seams, &seams, topology_points(t, level + 1) - t->info.n_corners * along * along);
            DEV_LAUNCH(t->device, mm_inside, &inside, cells);
        }
    }
    struct mm_finish_args finish = {
        .mesh = m,
        .angle = lay.n_angles ? lay.angle : NULL,
        .from = last,
        .out = in_place(r) ? NULL : run->positions,
        .normal = run->normals,
        .level = r->level,
        .limit = r->surface == SDD_SURFACE_LIMIT && !is_linear(t),
    };
    if (finish.out || finish.normal)
        DEV_LAUNCH(t->device, mm_finish, &finish, topology_points(t, r->level));
    struct isolated_points_args lone = {t->isolated, p, run->positions, run->normals};
    DEV_LAUNCH(t->device, isolated_points, &lone, t->info.n_isolated);
    return SDD_OK;
}

const struct engine sdd_engine_mesh_matrix = {
    &sdd_engine_table[1],
    check,
    scratch,
    run,
};
