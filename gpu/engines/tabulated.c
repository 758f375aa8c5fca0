/* SPDX-License-Identifier: Apache-2.0 */
/* tabulated.c: frames of which only positions are new: the first step of the mesh matrix, then all points of the last
 * level at once from tables (gpu/tabulated.h), which stay with the topology. Normals and tangents, and limits beside
 * them, are made of the last level as the mesh matrix makes them. */
#include "gpu/tabulated.h"
#include "gpu/capabilities.h"
#include "gpu/engines/mesh_matrix.h"
#include "gpu/primvars.h"

struct layout {
    float *first, *last; /* level 1; the last level, where it is not the result */
    struct mesh_matrix_tables tables;
};

/* Do limits come from tables? Beside normals they come from the last level. */
static int limits_from_tables(const struct sdd_refine_request *r)
{
    return r->surface == SDD_SURFACE_LIMIT && !(r->include & ENGINE_AROUND);
}

static int in_place(const struct sdd_refine_request *r)
{
    return mesh_matrix_in_place(r) || limits_from_tables(r);
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    out->first = ARENA(a, float, 3 * topology_points(t, 1));
    out->last = ARENA(a, float, in_place(r) ? 0 : 3 * topology_points(t, r->level));
    mesh_matrix_lay_out_tables(t, r, a, &out->tables);
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    if (r->include & ENGINE_POINTS)
        lay_out(t, r, &count, &l);
    return count.used;
}

static int check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    (void)t;
    if (r->level <= TABULATED_MAX_LEVEL)
        return SDD_OK;
    sdd_fail(err, SDD_ETOO_LARGE, "level", "level %d; tabulated goes to %d, choose mesh-matrix", r->level,
             TABULATED_MAX_LEVEL);
    err->needed = r->level;
    err->available = TABULATED_MAX_LEVEL;
    return SDD_ETOO_LARGE;
}

static int surface_of(const struct sdd_refine_request *r)
{
    return limits_from_tables(r) ? SDD_SURFACE_LIMIT : SDD_SURFACE_REFINED;
}

static int prepare(const sdd_mesh *mesh, const struct sdd_refine_request *r, struct sdd_error *err)
{
    sdd_topology *t = mesh->topology;
    struct sdd_control m = topology_control(t);
    int rc = SDD_OK;
    if (r->include & ENGINE_POINTS)
        rc = tabulated_prepare(t->device, &m, t->tabulated, r->level, surface_of(r), err);
    return rc ? rc : primvars_prepare(mesh, r, err);
}

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct sdd_control m = topology_control(t);
    struct arena a = {run->scratch, 0};
    struct layout l;
    if (!(r->include & ENGINE_POINTS))
        return SDD_OK;
    lay_out(t, r, &a, &l);
    int rc = mesh_matrix_upload_tables(t, &l.tables, err);
    if (rc)
        return rc;
    float *last = in_place(r) ? run->positions : l.last;
    tabulated_rows(t, &m, t->tabulated, surface_of(r), 3, run->mesh->points, l.first, last);
    if (!limits_from_tables(r))
        mesh_matrix_finish(run, &m, &l.tables, last);
    return SDD_OK;
}

const uint8_t tabulated_schemes[N_FEATURES] = {
    FEATURES_OF_ALL(UNDER_CATMULL_CLARK),
    [FEATURE_ANY_TOPOLOGY] = UNDER_CATMULL_CLARK,
    [FEATURE_CREASES] = UNDER_CATMULL_CLARK,
    [FEATURE_SMOOTH_TRIANGLES] = UNDER_CATMULL_CLARK,
};

const struct engine sdd_engine_tabulated = {
    &sdd_engine_table[3], check, prepare, scratch, run, 1,
};
