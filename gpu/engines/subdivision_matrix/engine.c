/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: frames of which only positions are new: one product of a sparse matrix with the control points
 * (subdivision_matrix.h), to any level and to the limit. The matrices stay with the topology. */
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/result.h"
#include "gpu/levels/levels.h"
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/engines/subdivision_matrix/subdivision_matrix.h"

#define MAX_AROUND 1024 /* the time to make a row goes with the square of what it reads */

struct layout {
    float *last; /* the last level, where it is looked around in and is not the result */
    float *parts[2];
    struct finish_tables tables;
};

static int needs_last(const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_AROUND) != 0;
}

/* Limit tangents have matrices, but of bare rows (subdivision_matrix.h); other normals come from around points. */
static int has_masks(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return needs_last(r) && r->surface == SDD_SURFACE_LIMIT && t->info.options.scheme != SDD_SCHEME_BILINEAR;
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int in_scratch = needs_last(r) && !finish_in_place(r);
    out->last = ARENA(a, float, in_scratch ? 3 * topology_points(t, r->level) : 0);
    if (!needs_last(r))
        return;
    chaikin_lay_out(t, r->level, a, out->parts);
    finish_lay_out_tables(t, r, a, &out->tables);
}

/* Under sqrt3 the mesh matrix makes all but positions and masked normals: faces, and normals from around them. */
static struct sdd_refine_request without_positions(const struct sdd_refine_request *r)
{
    struct sdd_refine_request rest = *r;
    rest.include &= ~SDD_POSITIONS;
    return rest;
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    struct sdd_refine_request rest = without_positions(r);
    if (topology_is_sqrt3(t))
        return sqrt3_scratch(t, &rest);
    lay_out(t, r, &count, &l);
    return count.used;
}

static int check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const struct sdd_topology_info *i = &t->info;
    const int most = i->max_valence > i->max_face_size ? i->max_valence : i->max_face_size;
    if (most > MAX_AROUND)
        return sdd_fail(err, SDD_EUNSUPPORTED, "method",
                        "engine subdivision-matrix does not do this mesh: a vertex or a face has %d corners, %d are "
                        "allowed",
                        most, MAX_AROUND);
    return topology_is_sqrt3(t) ? sqrt3_check(t, r, err) : SDD_OK;
}

static int prepare(const sdd_topology *t, const struct sdd_refine_request *r, const atomic_int *cancel,
                   struct sdd_error *err)
{
    unsigned wanted = r->include & SDD_POSITIONS ? 1u << r->surface : 0;
    if (has_masks(t, r))
        wanted |= 1u << MATRIX_TANGENTS_1 | 1u << MATRIX_TANGENTS_2;
    else if (needs_last(r) && !topology_is_sqrt3(t))
        wanted |= 1u << MATRIX_POINTS;
    return matrices_prepare(t, NULL, r, wanted, cancel, err);
}

/* Normals and tangents of rows, all or `rows`, from what is around them on the last level. */
static int look_around(const struct engine_run *run, const uint32_t *rows, int64_t n, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct engine_run around = *run;
    struct sdd_control m = topology_control(t);
    struct arena a = {run->scratch, 0};
    struct layout l;
    lay_out(t, r, &a, &l);
    int rc = finish_upload_tables(t, &l.tables, err);
    if (rc)
        return rc;
    const float *last = run->positions;
    around.positions = NULL; /* they are there, the same whatever else is asked for */
    if (!finish_in_place(r)) {
        matrix_rows(t->device, matrices_of(t, NULL)->of + MATRIX_POINTS, 3, run->mesh->points, 0,
                    topology_points(t, r->level), l.last);
        last = l.last;
    }
    for (int level = 0; level <= r->level; level++)
        chaikin_reach(t, l.parts, level, r->level, &m);
    finish_rows(&around, &m, &l.tables, last, rows, n);
    return SDD_OK;
}

/* Without bare rows nothing of the points is left to it. */
static int run_sqrt3(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct matrices *all = matrices_of(t, NULL);
    const int masks = has_masks(t, run->request);
    struct sdd_refine_request rest = without_positions(run->request);
    struct engine_run rest_run = *run;
    rest_run.request = &rest;
    rest_run.positions = NULL;
    if (masks) {
        matrices_normals(t->device, all, run->mesh->points, run->normals, run->tangents);
        if (!all->n_bare)
            rest.include &= ~ENGINE_AROUND;
    }
    return sqrt3_run(&rest_run, masks ? all->bare : NULL, all->n_bare, err);
}

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    const struct matrices *all = matrices_of(t, NULL);
    const float *from = run->mesh->points;
    if (r->include & SDD_POSITIONS)
        matrix_rows(t->device, all->of + r->surface, 3, from, run->first_row, run->n_rows, run->positions);
    if (topology_is_sqrt3(t))
        return run_sqrt3(run, err);
    if (!needs_last(r))
        return SDD_OK;
    if (!has_masks(t, r))
        return look_around(run, NULL, topology_points(t, r->level), err);
    matrices_normals(t->device, all, from, run->normals, run->tangents);
    return all->n_bare ? look_around(run, all->bare, all->n_bare, err) : SDD_OK;
}

static int prepare_rows(const struct engine_rows *rows, struct sdd_error *err)
{
    return matrices_prepare(rows->topology, rows->channel, rows->request, 1u << rows->request->surface, rows->cancel,
                            err);
}

/* A product needs none. */
static int64_t rows_scratch(const struct engine_rows *rows)
{
    (void)rows;
    return 0;
}

static int run_rows(const struct engine_rows *rows, struct sdd_error *err)
{
    const struct matrix *m = matrices_of(rows->topology, rows->channel)->of + rows->request->surface;
    int rc = result_cancelled(rows->cancel, "a primvar", err);
    if (!rc)
        matrix_rows(rows->topology->device, m, rows->width, rows->values, 0, m->m.n_rows, rows->out);
    return rc;
}

static const uint8_t schemes[N_FEATURES] = {
    FEATURES_OF_ALL(UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_BILINEAR | UNDER_SQRT3),
    [FEATURE_ANY_TOPOLOGY] = UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_BILINEAR | UNDER_SQRT3,
    [FEATURE_CREASES] = UNDER_CATMULL_CLARK | UNDER_LOOP | UNDER_SQRT3,
    [FEATURE_CHAIKIN] = UNDER_CATMULL_CLARK | UNDER_LOOP,
    [FEATURE_SMOOTH_TRIANGLES] = UNDER_CATMULL_CLARK,
};

const struct engine sdd_engine_subdivision_matrix = {
    .info =
        {MATRIX_METHOD,
         "a level, or its limit, as one product of a sparse matrix with the control points; the matrix stays with the "
         "topology",
         schemes},
    .check = check,
    .prepare = prepare,
    .scratch = scratch,
    .run = run,
    .by_name_alone = 1,
    .ranges = 1,
    .prepare_rows = prepare_rows,
    .rows_scratch = rows_scratch,
    .run_rows = run_rows,
};
