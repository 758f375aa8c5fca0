/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/smooth.h"
#include "gpu/chaikin.h"
#include "gpu/steps.h"

#define PASS 3 /* components that kernels refine at a time */

struct layout {
    struct sdd_float2 *weights;
    float *parts[2]; /* chaikin.h */
    float *buffer
        [2]; /* [0]: levels last - 2, last - 4, ..; [1]: last - 1, ..; where limits are asked for, [0] has the last */
};

static int64_t points(const sdd_topology *t, const struct sdd_control *m, int level)
{
    return level < 1 ? 0 : topology_grid_points(t, m->n_vertices, m->n_edges, level);
}

static void lay_out(const sdd_topology *t, const struct sdd_control *m, int width, const struct sdd_refine_request *r,
                    struct arena *a, struct layout *out)
{
    int limit = r->surface == SDD_SURFACE_LIMIT;
    out->weights = ARENA(a, struct sdd_float2, step_weights(t));
    out->buffer[0] = ARENA(a, float, width *points(t, m, limit ? r->level : r->level - 2));
    out->buffer[1] = ARENA(a, float, width *points(t, m, r->level - 1));
    chaikin_lay_out(t, r->level, a, out->parts);
}

int64_t smooth_scratch(const sdd_topology *t, const struct sdd_control *mesh, int width,
                       const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    lay_out(t, mesh, width, r, &count, &l);
    return count.used;
}

/* All levels up to the last, which goes to `last`. */
static int run_levels(struct step_rows *s, float *const parts[2], const float *from, float *const buffer[2],
                      float *last, const struct sdd_refine_request *r, struct sdd_error *err)
{
    for (int k = 1; k <= r->level; k++) {
        float *to = k == r->level ? last : buffer[(r->level - k) % 2];
        if (r->cancel && atomic_load(r->cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", k);
        chaikin_reach(s->topology, parts, k - 1, r->level, &s->mesh);
        step_run(s, from, to, k - 1);
        from = to;
    }
    chaikin_reach(s->topology, parts, r->level, r->level, &s->mesh);
    return SDD_OK;
}

int smooth_run(const sdd_topology *t, const struct sdd_control *mesh, int width, const struct sdd_refine_request *r,
               const float *values, float *out, void *scratch, struct sdd_error *err)
{
    struct arena a = {scratch, 0};
    struct layout l;
    lay_out(t, mesh, width, r, &a, &l);
    int rc = step_upload_weights(t, l.weights, err);
    for (int k = 0; k < width && !rc; k += PASS) {
        int limit = r->surface == SDD_SURFACE_LIMIT, n = width - k < PASS ? width - k : PASS;
        struct step_rows rows = {t, *mesh, {n, width}, l.weights};
        float *const buffer[2] = {l.buffer[0] + k, l.buffer[1] + k};
        float *last = limit ? buffer[0] : out + k;
        rc = run_levels(&rows, l.parts, values + k, buffer, last, r, err);
        if (!rc && limit)
            step_limits(&rows, last, out + k, r->level);
    }
    return rc;
}
