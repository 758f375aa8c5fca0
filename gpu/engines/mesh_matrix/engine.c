/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: the mesh matrix (Mlakar 2018) in its optimised form, for topology of any kind. The control mesh's
 * matrix is stored by rows and by columns with its adjacency (E and F), built by sort and scan; from level 1 on matrix
 * and adjacency are formulas (quad_location.h), so a level is its points alone, in grid order, and two launches
 * make the next. Only two levels of points are held. */
#include "gpu/levels/levels.h"
#include "gpu/engine_api/capabilities.h"
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/levels/isolated_points.k.h"
#include "gpu/levels/loop_tangents.k.h"
#include "gpu/levels/mm_faces.k.h"
#include "gpu/levels/mm_linear.k.h"
#include "gpu/levels/mm_tangents.k.h"

static int is_linear(const sdd_topology *t)
{
    return t->info.options.scheme == SDD_SCHEME_BILINEAR;
}

/* Points of a level that is made on the way to the last. */
static int64_t points_before(const sdd_topology *t, int level)
{
    return level < 1 || is_linear(t) ? 0 : topology_points(t, level);
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct smooth *out,
                    struct finish_tables *tables)
{
    /* a result in place leaves buffer 0 to the levels before the last two */
    int64_t even = finish_in_place(r) ? points_before(t, r->level - 2) : topology_points(t, r->level);
    out->buffer[0] = ARENA(a, float, 3 * even);
    out->buffer[1] = ARENA(a, float, 3 * points_before(t, r->level - 1));
    chaikin_lay_out(t, r->level, a, out->parts);
    finish_lay_out_tables(t, r, a, tables);
    out->weights = tables->weights;
}

static int wants_points(const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_POINTS) != 0;
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct smooth s;
    struct finish_tables tables;
    if (topology_is_sqrt3(t))
        return sqrt3_scratch(t, r);
    if (wants_points(r))
        lay_out(t, r, &count, &s, &tables);
    return count.used;
}

static int check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    return topology_is_sqrt3(t) ? sqrt3_check(t, r, err) : SDD_OK;
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
    struct smooth s = {.topology = t, .mesh = topology_control(t), .width = 3};
    struct arena a = {run->scratch, 0};
    struct finish_tables tables;
    if (topology_is_sqrt3(t))
        return sqrt3_run(run, NULL, 0, err);
    if (!wants_points(r))
        return SDD_OK;
    lay_out(t, r, &a, &s, &tables);
    int rc = finish_upload_tables(t, &tables, err);
    if (rc)
        return rc;
    float *last = finish_in_place(r) ? run->positions : s.buffer[0];
    if (is_linear(t))
        linear(t, &s.mesh, run->mesh->points, last, r->level);
    else if ((rc = smooth_levels(&s, run->mesh->points, last, r->level, run->cancel, err)))
        return rc;
    finish_level(run, &s.mesh, &tables, last);
    return SDD_OK;
}

static const uint8_t schemes[N_FEATURES] = {
    FEATURES_OF_ALL(UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_BILINEAR | UNDER_SQRT3),
    [FEATURE_ANY_TOPOLOGY] = UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_BILINEAR | UNDER_SQRT3,
    [FEATURE_CREASES] = UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_SQRT3,
    [FEATURE_CHAIKIN] = UNDER_CATMULL_CLARK | UNDER_LOOP,
    [FEATURE_SMOOTH_TRIANGLES] = UNDER_CATMULL_CLARK,
};

const struct engine sdd_engine_mesh_matrix = {
    .info = {LEVELS_METHOD,
             "catmullClark, loop and bilinear of any mesh, manifold or not, and sqrt3; after the control mesh only "
             "points are "
             "held",
             schemes},
    .check = check,
    .scratch = scratch,
    .run = run,
};
