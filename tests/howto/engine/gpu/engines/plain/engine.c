/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: a sample engine: smooth Catmull-Clark, level by level in two buffers, with the kernels of levels/. It shows
 * the whole of what an engine must have: what it can do, how much memory it works in, and a run. */
#include "gpu/engine_api/capabilities.h"
#include "gpu/levels/levels.h"

/* The engine's memory, once counted (base NULL) and once for real. */
static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                    struct refine_levels *out, struct finish_tables *tables)
{
    out->buffer[0] = ARENA(a, float, 3 * topology_points(t, r->level));
    out->buffer[1] = ARENA(a, float, 3 * topology_points(t, r->level - 1));
    chaikin_lay_out(t, r->level, a, out->parts);
    finish_lay_out_tables(t, r, a, tables);
    out->weights = tables->weights;
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct refine_levels s;
    struct finish_tables tables;
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
    if (!(r->include & ENGINE_POINTS))
        return SDD_OK;
    lay_out(t, r, &a, &s, &tables);
    int rc = finish_upload_tables(t, &tables, err);
    float *last = finish_in_place(r) ? run->positions : s.buffer[0];
    if (!rc)
        rc = refine_levels(&s, run->mesh->points, last, r->level, run->cancel, err);
    if (!rc)
        finish_level(run, &s.mesh, &tables, last);
    return rc;
}

static const uint8_t schemes[N_FEATURES] = {FEATURES_OF_ALL(UNDER_CATMULL_CLARK)};

const struct engine sdd_engine_plain = {
    .info = {"plain", "a sample: smooth catmullClark of manifold meshes", schemes},
    .of = {[SCHEME_QUADS] = {NULL, scratch, run}},
    .by_name_alone = 1,
};
