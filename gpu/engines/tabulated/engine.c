/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: the engine `tabulated`, for clients that ask for many results of one topology, of which only the positions
 * are new. It makes the rows of level 1 by the rules of the mesh matrix, and then all points of the last level, or
 * their limits, and normals at once from tables (internal.h) that stay with the topology. If there can be no tables, it
 * makes points of quads from patches of all levels (gpu/patches/adaptive.h) and normals from the last level as the mesh
 * matrix does. There are no such patches of triangles, so it refuses a mesh of them that can have no tables. */
#include "gpu/engines/tabulated/internal.h"
#include "gpu/device/sizes.h"
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/result.h"
#include "gpu/levels/levels.h"
#include <string.h>

_Static_assert(ENGINE_BATCH <= SDD_TABLE_BATCH, "a launch takes them all");

/* The scratch of a run. */
struct layout {
    float *first; /* The rows of level 1. */
    float *last;  /* The points of the last level, if normals may be made from them and they are not the result. */
    struct finish_tables tables;
};

/* Whether normals or tangents must be made from the points of the last level, because no tables make them. No plan may
 * depend on this, as the answer changes once the tables have been made. */
static int needs_last(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_AROUND) && !tabulated_has_normals(tabulated_of(t, NULL), r->level, r->surface);
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int in_scratch = (r->include & ENGINE_AROUND) && !finish_in_place(r);
    struct sdd_control m = topology_control(t);
    out->first = ARENA(a, float, tabulated_first_floats(&m, 3)); /* Patches need less than this. */
    out->last = ARENA(a, float, in_scratch ? 3 * topology_points(t, r->level) : 0);
    finish_lay_out_tables(t, r, a, &out->tables);
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    if (r->include & ENGINE_POINTS)
        lay_out(t, r, &count, &l);
    return count.used;
}

static int check_level(const struct sdd_refine_request *r, int last, struct sdd_error *err)
{
    if (r->level <= last)
        return SDD_OK;
    sdd_fail(err, SDD_ETOO_LARGE, "level", "level %d; tabulated goes to %d, choose mesh-matrix", r->level, last);
    err->needed = r->level;
    err->available = last;
    return SDD_ETOO_LARGE;
}

static int check_quads(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    (void)t;
    return check_level(r, SDD_MAX_PATCH_LEVEL, err);
}

static int check_triangles(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const struct sdd_topology_info *i = &t->info;
    /* max_valence counts the edges of a vertex, and an open fan has one edge more than it has triangles. */
    if (i->manifold && i->max_valence > TABLE_MAX_VALENCE + (i->n_boundary_edges > 0))
        return table_refuse(err, "a vertex has more than 32 triangles");
    return check_level(r, TABULATED_MAX_LEVEL, err);
}

/* Do tables take less time than the steps of mesh-matrix (docs/figures.md)? For few levels they do so only for points
 * of the limit surface, which take one step more. For triangles a GPU makes tangents, and rows of few levels, one by
 * one. */
static int pays(const sdd_topology *t, const struct sdd_refine_request *r)
{
    const int limit_points = r->surface != SDD_SURFACE_REFINED && !(r->include & ENGINE_AROUND);
    if (!(r->include & SDD_POSITIONS) || r->level < (limit_points ? 2 : 3))
        return 0;
    return t->scheme->kind != SCHEME_TRIANGLES || (r->level > 2 && !(r->include & SDD_TANGENTS)) ||
           strcmp(t->device->b->name, "cpu") == 0;
}

/* Makes tables, which are the fastest way. If a mesh of quads can have none, it makes patches instead, which make
 * only points. */
static int prepare_surface(const sdd_topology *t, const struct sdd_refine_request *r, int surface, int include,
                           const atomic_int *cancel, struct sdd_error *err)
{
    int rc = tabulated_prepare(t, NULL, r->level, surface, include & ENGINE_AROUND, err);
    if (rc != SDD_EUNSUPPORTED || t->scheme->kind != SCHEME_QUADS)
        return rc;
    struct tabulated_surface *of = tabulated_of(t, NULL)->surface + surface;
    err->code = SDD_OK; /* Patches or the last level do the work, so this is no failure. */
    if (!(include & SDD_POSITIONS) || (of->adaptive && of->adaptive->plan.request.level == r->level))
        return SDD_OK;
    adaptive_free(of->adaptive);
    return adaptive_create(t, r->level, surface, cancel, &of->adaptive, err);
}

static int prepare(const sdd_topology *t, const struct sdd_refine_request *r, const atomic_int *cancel,
                   struct sdd_error *err)
{
    int rc = SDD_OK;
    if (r->include & ENGINE_POINTS)
        rc = prepare_surface(t, r, r->surface, r->include, cancel, err);
    if (!rc && needs_last(t, r))
        rc = prepare_surface(t, r, SDD_SURFACE_REFINED, SDD_POSITIONS, cancel, err);
    return rc;
}

/* Queues rows [first_row, first_row + n) of a surface. level1 is scratch for the rows of level 1. If tables make only a
 * part of the rows, the caller has queued those of level 1 before. */
static void make_rows(const struct engine_run *run, int surface, float *level1, int64_t first_row, int64_t n, float *to,
                      struct sdd_rows_as as)
{
    const sdd_topology *t = run->mesh->topology;
    struct tabulated *kept = tabulated_of(t, NULL);
    int level = run->request->level;
    if (!tabulated_has(kept, level, surface))
        adaptive_rows(kept->surface[surface].adaptive, run->mesh, level1, first_row, n, to);
    else if (n < topology_points(t, level))
        tabulated_range(kept, surface, run->mesh->points, level1, first_row, n, to);
    else
        tabulated_rows(kept, surface, 3, &(struct tabulated_batch){1, {run->mesh->points}, {level1}, {to}, as});
}

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct tabulated *kept = tabulated_of(t, NULL);
    struct sdd_control m = topology_control(t);
    struct arena a = {run->scratch, 0};
    struct layout l;
    if (!(r->include & ENGINE_POINTS))
        return SDD_OK;
    lay_out(t, r, &a, &l);
    const int all = (r->include & SDD_POSITIONS) && run->n_rows == topology_points(t, r->level);
    const int tables = tabulated_has(kept, r->level, r->surface), last_too = needs_last(t, r);
    const struct tabulated_batch one = {1, {run->mesh->points}, {l.first}, {run->positions}, run->positions_as};
    if (all && tables && run->normals && !run->tangents && !last_too &&
        tabulated_points_normals(kept, r->surface, &one, run->normals, run->normals_as))
        return SDD_OK;
    if (!all && tables)
        tabulated_first(kept, 3, &one);
    if (r->include & SDD_POSITIONS)
        make_rows(run, r->surface, l.first, run->first_row, run->n_rows, run->positions, run->positions_as);
    if (!last_too) {
        if (r->include & ENGINE_AROUND)
            tabulated_normals(kept, r->surface, run->mesh->points, l.first, run->normals, run->normals_as,
                              run->tangents);
        return SDD_OK;
    }
    int rc = finish_upload_tables(t, &l.tables, err);
    if (rc)
        return rc;
    struct engine_run around = *run;
    around.positions = NULL; /* They are made already, and must not depend on what else is asked for. */
    const float *last = run->positions;
    if (!finish_in_place(r)) {
        make_rows(run, SDD_SURFACE_REFINED, l.first, 0, topology_points(t, r->level), l.last, rows_f32);
        last = l.last;
    }
    finish_level(&around, &m, &l.tables, last);
    return SDD_OK;
}

static int run_batch(const struct engine_run *runs, int n, struct sdd_error *err)
{
    const sdd_topology *t = runs->mesh->topology;
    const struct sdd_refine_request *r = runs->request;
    struct tabulated *kept = tabulated_of(t, NULL);
    struct tabulated_batch c = {.n = n};
    int rc = SDD_OK;
    if (!tabulated_has(kept, r->level, r->surface)) {
        /* Patches keep the points of one mesh at a time. */
        for (int k = 0; k < n && !rc; k++)
            rc = run(runs + k, err);
        return rc;
    }
    for (int k = 0; k < n; k++) {
        struct arena a = {runs[k].scratch, 0};
        struct layout l;
        lay_out(t, r, &a, &l);
        c.control[k] = runs[k].mesh->points;
        c.first[k] = l.first;
        c.to[k] = runs[k].positions;
    }
    tabulated_rows(kept, r->surface, 3, &c);
    return SDD_OK;
}

static const char *by(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return tabulated_has(tabulated_of(t, NULL), r->level, r->surface) ? "tables" : "patches";
}

/* What tables make directly in 16 bits. If normals come from the points of the last level, these must be floats. */
static int direct(const sdd_topology *t, const struct sdd_refine_request *r)
{
    int points = !needs_last(t, r) && tabulated_has(tabulated_of(t, NULL), r->level, r->surface);
    int uvs = (r->compact & SDD_UVS) && topology_has_smooth_channels(t) &&
              tabulated_has(tabulated_of(t, t->channel), r->level, r->surface);
    return (points ? SDD_POSITIONS | SDD_NORMALS : 0) | (uvs ? SDD_UVS : 0);
}

/* ---- rows of values ---------------------------------------------------------------------------------------------- */
static int prepare_rows(const struct engine_rows *rows, struct sdd_error *err)
{
    const struct sdd_refine_request *r = rows->request;
    int rc = tabulated_prepare(rows->topology, rows->channel, r->level, r->surface, 0, err);
    if (rc != SDD_EUNSUPPORTED)
        return rc;
    err->code = SDD_OK; /* Without tables run_rows refines the values level by level. */
    return SDD_OK;
}

static int64_t rows_scratch(const struct engine_rows *rows)
{
    const struct sdd_control m = topology_channel_control(rows->topology, rows->channel);
    return larger(refine_values_scratch(rows), tabulated_first_floats(&m, rows->width) * (int64_t)sizeof(float));
}

static int run_rows(const struct engine_rows *rows, struct sdd_error *err)
{
    const sdd_topology *t = rows->topology;
    const struct sdd_refine_request *r = rows->request;
    struct tabulated *kept = tabulated_of(t, rows->channel);
    if (!tabulated_has(kept, r->level, r->surface))
        return refine_values_run(rows, err);
    int rc = result_cancelled(rows->cancel, "a primvar", err);
    if (!rc)
        tabulated_rows(kept, r->surface, rows->width,
                       &(struct tabulated_batch){1, {rows->values}, {rows->scratch}, {rows->out}, rows->as});
    return rc;
}

static const uint8_t schemes[N_FEATURES] = {
    FEATURES_OF_ALL(UNDER_CATMULL_CLARK | UNDER_LOOP),
    [FEATURE_ANY_TOPOLOGY] = UNDER_CATMULL_CLARK | UNDER_LOOP,
    [FEATURE_CREASES] = UNDER_CATMULL_CLARK | UNDER_LOOP,
    [FEATURE_SMOOTH_TRIANGLES] = UNDER_CATMULL_CLARK,
};

const struct engine sdd_engine_tabulated = {
    .info = {"tabulated",
             "catmullClark to level 10, from tables to level 6 or else from patches, and loop to level 6, from tables, "
             "which "
             "stay with the topology: for frames of which only positions are new",
             schemes},
    .of = {[SCHEME_QUADS] = {check_quads, scratch, run}, [SCHEME_TRIANGLES] = {check_triangles, scratch, run}},
    .prepare = prepare,
    .by_name_alone = 1,
    .pays = pays,
    .ranges = 1,
    .by = by,
    .direct = direct,
    .run_batch = run_batch,
    .prepare_rows = prepare_rows,
    .rows_scratch = rows_scratch,
    .run_rows = run_rows,
};
