/* SPDX-License-Identifier: Apache-2.0 */
/* smooth.c: smoothing of the points of a mesh, for sdd_fields.h. */
#include "gpu/fair/fair.h"
#include "gpu/fields/internal.h"
#include "gpu/fields/kernels/smooth_mean.q.k.h"
#include "gpu/fields/kernels/smooth_rate.k.h"
#include "gpu/fields/kernels/smooth_step.q.k.h"
#include <string.h>

_Static_assert((int)SDD_SMOOTH_UNIFORM == (int)SDD_BY_MEAN && (int)SDD_SMOOTH_COTANGENT == (int)SDD_BY_COTANGENTS &&
                   (int)SDD_SMOOTH_BILATERAL == (int)SDD_BY_HEIGHTS &&
                   (int)SDD_SMOOTH_CURVATURE_FLOW == (int)SDD_BY_CURVATURE,
               "kernels number the methods as the door does");

static const char *const names[SDD_N_SMOOTHINGS] = {"uniform", "cotangent", "bilateral", "curvatureFlow",
                                                    "implicitFlow"};

const char *sdd_smoothing_name(int method)
{
    return method >= 0 && method < SDD_N_SMOOTHINGS ? names[method] : NULL;
}

int sdd_smoothing_find(const char *name, int *out, struct sdd_error *err)
{
    for (int k = 0; k < SDD_N_SMOOTHINGS; k++)
        if (strcmp(name, names[k]) == 0) {
            *out = k;
            return SDD_OK;
        }
    return sdd_fail(err, SDD_EQUERY, "method",
                    "\"%.20s\" is not one of uniform, cotangent, bilateral, curvatureFlow, implicitFlow", name);
}

struct smoothing {
    uint64_t *word; /* The rate, or the first face without area. */
    float *points, *other;
};

/* An implicit flow has its points in a flow of its own. */
static void lay_out(const sdd_mesh *m, int method, struct arena *a, struct smoothing *s)
{
    const int64_t V = method == SDD_SMOOTH_IMPLICIT_FLOW ? 0 : m->topology->info.n_vertices;
    s->word = ARENA(a, uint64_t, 1);
    s->points = ARENA(a, float, 3 * V);
    s->other = ARENA(a, float, 3 * V);
}

static int check(const struct sdd_smooth_request *r, struct sdd_error *err)
{
    if (!sdd_smoothing_name(r->method))
        return sdd_fail(err, SDD_EQUERY, "method", "%d is not a method; there are %d", r->method, SDD_N_SMOOTHINGS);
    if (r->iterations < 1 || r->iterations > SDD_MAX_SMOOTHINGS)
        return sdd_fail(err, SDD_EQUERY, "iterations", "%d iterations; 1 to %d are allowed", r->iterations,
                        SDD_MAX_SMOOTHINGS);
    if (!(r->strength > 0.0f && r->strength <= 1.0f))
        return sdd_fail(err, SDD_EQUERY, "strength", "a strength of %g; it must be above 0 and at most 1",
                        (double)r->strength);
    if (r->boundary != SDD_SMOOTH_BOUNDARY_KEPT && r->boundary != SDD_SMOOTH_BOUNDARY_ALONG)
        return sdd_fail(err, SDD_EQUERY, "boundary", "%d is not a treatment of boundaries; 0 and 1 are", r->boundary);
    return SDD_OK;
}

/* Queues a step from one array of points to another. */
static void queue_step(const sdd_mesh *m, const struct sdd_smooth_request *r, const struct sdd_neighbors *q,
                       const struct device_rows *rows, const struct smoothing *s, const float *from, float *to)
{
    sdd_device *d = m->topology->device;
    const int keeps_rim = r->boundary == SDD_SMOOTH_BOUNDARY_KEPT;
    struct smooth_mean_args mean = {rows->rows, *q, from, to, (double)r->strength, keeps_rim};
    struct smooth_step_args step = {.rows = rows->rows,
                                    .neighbors = *q,
                                    .from = from,
                                    .rate = (const double *)(const void *)s->word,
                                    .to = to,
                                    .strength = (double)r->strength,
                                    .method = r->method,
                                    .keeps_rim = keeps_rim};
    if (r->method == SDD_SMOOTH_UNIFORM)
        QUERY_LAUNCH(d, smooth_mean, &mean, rows);
    else
        QUERY_LAUNCH(d, smooth_step, &step, rows);
}

static int run_steps(const sdd_mesh *m, const struct sdd_smooth_request *r, const struct sdd_neighbors *q,
                     const struct device_rows *rows, struct smoothing *s, const struct sdd_run *run,
                     struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    struct smooth_rate_args rate = {*q, m->points, s->word};
    const float *from = m->points;
    int rc = SDD_OK;
    if (r->method == SDD_SMOOTH_COTANGENT || r->method == SDD_SMOOTH_CURVATURE_FLOW)
        rc = fields_check_areas(m, q, s->word, err);
    if (rc)
        return rc;
    dev_mark(d, MARK_BEGUN);
    if (r->method == SDD_SMOOTH_CURVATURE_FLOW) {
        dev_fill(d, s->word, 0x7f, sizeof *s->word); /* A large number. */
        DEV_LAUNCH(d, smooth_rate, &rate, m->topology->info.n_vertices);
    }
    for (int k = 0; !rc && k < r->iterations; k++) {
        float *to = s->other;
        queue_step(m, r, q, rows, s, from, to);
        s->other = s->points;
        from = s->points = to;
        rc = fields_cancelled(run, err);
        if (!rc && run && run->cancel && k % 16 == 15) /* So that a flag which is set later stops the rest. */
            rc = dev_finish(d, err);
    }
    dev_mark(d, MARK_ENDED);
    return rc;
}

static int flow(sdd_mesh *m, const struct sdd_smooth_request *r, const struct sdd_run *run, sdd_values *v,
                struct sdd_error *err)
{
    const struct sdd_fair_request request = {
        .tau = 1.0, .boundary = SDD_FAIR_FREE, .solves = 1, .cancel = run ? run->cancel : NULL};
    sdd_device *d = m->topology->device;
    sdd_fair *f;
    int rc = sdd_fair_begin(m, &request, &f, err);
    if (rc)
        return rc;
    const struct sdd_fair_info *held = sdd_fair_info(f);
    v->info.device_bytes += held->device_bytes + held->build_bytes;
    dev_mark(d, MARK_BEGUN);
    for (int k = 0; !rc && k < r->iterations; k++)
        rc = fair_shrink(f, (double)r->strength, r->boundary == SDD_SMOOTH_BOUNDARY_ALONG, err);
    dev_mark(d, MARK_ENDED);
    if (!rc)
        rc = sdd_fair_points(f, v->memory, err);
    sdd_fair_free(f);
    return rc;
}

/* Smooths the points of a mesh at its own level. */
static int smooth(sdd_mesh *m, const struct sdd_smooth_request *r, const struct sdd_neighbors *q,
                  const struct device_rows *rows, struct smoothing *s, const struct sdd_run *run, sdd_values *v,
                  struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    int rc = SDD_OK;
    if (r->method != SDD_SMOOTH_IMPLICIT_FLOW) {
        rc = run_steps(m, r, q, rows, s, run, err);
        if (!rc)
            dev_download(d, v->memory, s->points, v->info.bytes);
    } else if (!m->topology->info.manifold) {
        rc = sdd_fail(err, SDD_EQUERY, "method", "%s; implicitFlow is for manifold meshes, curvatureFlow for all",
                      m->topology->fault);
    } else {
        rc = fields_check_areas(m, q, s->word, err);
        if (!rc)
            rc = flow(m, r, run, v, err);
    }
    if (rc)
        return rc;
    v->info.device_seconds = dev_elapsed(d, MARK_BEGUN, MARK_ENDED);
    return dev_finish(d, err);
}

static int smooth_level(sdd_mesh *m, const struct sdd_smooth_request *r, int way, const struct sdd_run *run,
                        sdd_values **out, struct sdd_error *err)
{
    struct sdd_smooth_request own = *r;
    sdd_mesh *of_level;
    int rc = fields_level_mesh(m, r->level, run, &of_level, err);
    own.level = 0;
    if (!rc)
        rc = smooth_by(of_level, &own, way, run, out, err);
    sdd_mesh_free(of_level);
    return rc;
}

int sdd_smooth(sdd_mesh *m, const struct sdd_smooth_request *r, const struct sdd_run *run, sdd_values **out,
               struct sdd_error *err)
{
    return smooth_by(m, r, QUERY_BY_RULE, run, out, err);
}

int smooth_by(sdd_mesh *m, const struct sdd_smooth_request *r, int way, const struct sdd_run *run, sdd_values **out,
              struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    struct sdd_values_info info = {.components = 3};
    struct sdd_neighbors q;
    struct device_rows rows = {0};
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct smoothing s;
    sdd_values *v = NULL;
    *out = NULL;
    int rc = check(r, err);
    if (!rc)
        rc = fields_level(m, r->level, &info.n_rows, err);
    info.bytes = 3 * info.n_rows * (int64_t)sizeof(float);
    if (!rc)
        rc = values_within(&info, r->max_bytes, err);
    if (!rc)
        rc = fields_cancelled(run, err);
    if (!rc && r->level > 0)
        return smooth_level(m, r, way, run, out, err);
    if (!rc)
        rc = tiles_neighbors(m->topology, &q, err);
    if (!rc && r->method != SDD_SMOOTH_IMPLICIT_FLOW)
        rc = queries_rows(m->topology, SDD_RELATION_VV, way, r->iterations, run, &rows, err);
    lay_out(m, r->method, &a, &s);
    info.device_bytes = a.used + rows.block.bytes;
    if (!rc)
        rc = values_create(m, &info, run, &v, err);
    if (!rc)
        rc = block_take(d, a.used, &block, err);
    if (!rc) {
        a = (struct arena){block.memory, 0};
        lay_out(m, r->method, &a, &s);
        rc = smooth(m, r, &q, &rows, &s, run, v, err);
    }
    if (rc)
        dev_drain(d);
    block_give(d, &block);
    block_give(d, &rows.block);
    if (rc) {
        sdd_values_free(v);
        return rc;
    }
    *out = v;
    return SDD_OK;
}
