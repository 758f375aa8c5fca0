/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: engine subdivision-matrix, which refine/ calls: for animations in which only positions change. A level
 * or its limit is one product of a sparse matrix with the control points (subdivision_matrix.h). The matrices stay
 * with the topology. */
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/result.h"
#include "gpu/levels/levels.h"
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/engines/subdivision_matrix/subdivision_matrix.h"

#define MAX_AROUND 1024 /* The time to make a row grows with the square of what it reads. */

struct layout {
    float *last; /* The last level, where it is looked around in and is not the result. */
    float *parts[2];
    struct finish_tables tables;
};

static int needs_last(const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_AROUND) != 0;
}

/* Whether tangents come from matrices. Those of the limit do, except in bare rows (subdivision_matrix.h); other
 * normals come from the points around a point. */
static int has_masks(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return needs_last(r) && r->surface != SDD_SURFACE_REFINED && !t->scheme->is_linear;
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int in_scratch = needs_last(r) && !finish_in_place(r);
    out->last = ARENA(a, float, in_scratch ? 3 * topology_points(t, r->level) : 0);
    if (!needs_last(r))
        return;
    chaikin_lay_out(t, chaikin_last(r), a, out->parts);
    finish_lay_out_tables(t, r, a, &out->tables);
}

/* The part of a request that sqrt3_levels.h serves: faces, UVs, and the normals that have no masks. */
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
    lay_out(t, r, &count, &l);
    return count.used;
}

static int64_t scratch_sqrt3(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct sdd_refine_request rest = without_positions(r);
    return sqrt3_scratch(t, &rest);
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
    (void)r;
    return SDD_OK;
}

static int check_sqrt3(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    int rc = check(t, r, err);
    return rc ? rc : sqrt3_check(t, r, err);
}

static int prepare(const sdd_topology *t, const struct sdd_refine_request *r, const atomic_int *cancel,
                   struct sdd_error *err)
{
    unsigned wanted = r->include & SDD_POSITIONS ? 1u << r->surface : 0;
    if (has_masks(t, r))
        wanted |= 1u << MATRIX_TANGENTS_1 | 1u << MATRIX_TANGENTS_2;
    else if (needs_last(r) && t->scheme->has_grids)
        wanted |= 1u << MATRIX_POINTS;
    return matrices_prepare(t, NULL, r, wanted, cancel, err);
}

/* Makes normals and tangents of the n rows in `rows`, or of all where that is NULL, from what is around them on the
 * last level. */
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
    around.positions = NULL; /* The positions are there already. */
    if (!finish_in_place(r)) {
        matrix_rows(t->device, matrices_of(t, NULL)->of + MATRIX_POINTS, 3, run->mesh->points, 0,
                    topology_points(t, r->level), l.last);
        last = l.last;
    }
    for (int level = 0; level <= r->level; level++)
        chaikin_reach(t, l.parts, level, chaikin_last(r), &m);
    finish_rows(&around, &m, &l.tables, last, rows, n);
    return SDD_OK;
}

static void run_positions(const struct engine_run *run)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    if (r->include & SDD_POSITIONS)
        matrix_rows(t->device, matrices_of(t, NULL)->of + r->surface, 3, run->mesh->points, run->first_row, run->n_rows,
                    run->positions);
}

/* Where masks make the normals and no row is bare, sqrt3_levels.h has no points to make. */
static int run_sqrt3(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct matrices *all = matrices_of(t, NULL);
    const int masks = has_masks(t, run->request);
    struct sdd_refine_request rest = without_positions(run->request);
    struct engine_run rest_run = *run;
    rest_run.request = &rest;
    rest_run.positions = NULL;
    run_positions(run);
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
    run_positions(run);
    if (!needs_last(r))
        return SDD_OK;
    if (!has_masks(t, r))
        return look_around(run, NULL, topology_points(t, r->level), err);
    matrices_normals(t->device, all, run->mesh->points, run->normals, run->tangents);
    return all->n_bare ? look_around(run, all->bare, all->n_bare, err) : SDD_OK;
}

static int prepare_rows(const struct engine_rows *rows, struct sdd_error *err)
{
    return matrices_prepare(rows->topology, rows->channel, rows->request, 1u << rows->request->surface, rows->cancel,
                            err);
}

/* A product needs no scratch. */
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
    .of = {[SCHEME_QUADS] = {check, scratch, run},
           [SCHEME_TRIANGLES] = {check, scratch, run},
           [SCHEME_SQRT3] = {check_sqrt3, scratch_sqrt3, run_sqrt3}},
    .prepare = prepare,
    .by_name_alone = 1,
    .ranges = 1,
    .prepare_rows = prepare_rows,
    .rows_scratch = rows_scratch,
    .run_rows = run_rows,
};
