/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: engine mesh-matrix, which refine/ calls: the mesh matrix (Mlakar 2018) in its optimised form, for any
 * topology. The matrix of the control mesh is stored by rows and by columns with its adjacency (E and F), built by
 * sort and scan. From level 1 on matrix and adjacency are formulas (quad_location.h), so a level is only its points,
 * in grid order, and two launches make the next level. Only two levels of points are held. */
#include "gpu/levels/levels.h"
#include "gpu/engine_api/capabilities.h"
#include "gpu/levels/sqrt3_levels.h"

/* The points of a level that is made on the way to the last one. */
static int64_t points_before(const sdd_topology *t, int level)
{
    return level < 1 || t->scheme->is_linear ? 0 : topology_points(t, level);
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                    struct refine_levels *out, struct finish_tables *tables)
{
    /* With a result in place, buffer 0 is only for the levels before the last two. */
    int64_t even = finish_in_place(r) ? points_before(t, r->level - 2) : topology_points(t, r->level);
    out->buffer[0] = ARENA(a, float, 3 * even);
    out->buffer[1] = ARENA(a, float, 3 * points_before(t, r->level - 1));
    out->last_parts = chaikin_last(r);
    chaikin_lay_out(t, out->last_parts, a, out->parts);
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
    struct refine_levels s;
    struct finish_tables tables;
    if (wants_points(r))
        lay_out(t, r, &count, &s, &tables);
    return count.used;
}

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct refine_levels s = {.topology = t, .mesh = topology_control(t), .width = 3};
    struct arena a = {run->scratch, 0};
    struct finish_tables tables;
    if (!wants_points(r))
        return SDD_OK;
    lay_out(t, r, &a, &s, &tables);
    float *last = finish_in_place(r) ? run->positions : s.buffer[0];
    int rc = finish_upload_tables(t, &tables, err);
    if (!rc)
        rc = refine_levels(&s, run->mesh->points, last, r->level, run->cancel, err);
    if (rc)
        return rc;
    finish_level(run, &s.mesh, &tables, last);
    return SDD_OK;
}

static int run_sqrt3(const struct engine_run *run, struct sdd_error *err)
{
    return sqrt3_run(run, NULL, 0, err);
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
    .of = {[SCHEME_QUADS] = {NULL, scratch, run},
           [SCHEME_TRIANGLES] = {NULL, scratch, run},
           [SCHEME_SQRT3] = {sqrt3_check, sqrt3_scratch, run_sqrt3}},
};
