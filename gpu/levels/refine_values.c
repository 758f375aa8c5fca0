/* SPDX-License-Identifier: Apache-2.0 */
/* refine_values.c: refines rows of values from the control mesh over all levels, a few components at a time, for
 * engines and primvars. */
#include "gpu/levels/levels.h"
#include "gpu/levels/mm_faces.k.h"
#include "gpu/levels/mm_linear.k.h"

#define PASS 3 /* How many components a kernel refines at a time. */

static int64_t points(const sdd_topology *t, const struct sdd_control *m, int level)
{
    return level < 1 ? 0 : t->scheme->grid_points(&t->info, m->n_vertices, m->n_edges, level);
}

/* Where limits are wanted, buffer[0] has room for the last level too. */
static void lay_out(const struct engine_rows *rows, struct arena *a, struct refine_levels *out, struct follow *follow)
{
    const sdd_topology *t = rows->topology;
    const struct sdd_refine_request *r = rows->request;
    const struct sdd_control m = topology_channel_control(t, rows->channel);
    const int limit = r->surface != SDD_SURFACE_REFINED, width = rows->width;
    struct sdd_float2 *weights = ARENA(a, struct sdd_float2, step_weights(t));
    *out = (struct refine_levels){.topology = t, .mesh = m, .width = width, .weights = weights};
    out->buffer[0] = ARENA(a, float, width *points(t, &m, limit ? r->level : r->level - 2));
    out->buffer[1] = ARENA(a, float, width *points(t, &m, r->level - 1));
    out->last_parts = chaikin_last(r);
    chaikin_lay_out(t, out->last_parts, a, out->parts);
    follow_lay_out(t, rows->channel, r->level, r->surface, a, follow);
}

int64_t refine_values_scratch(const struct engine_rows *rows)
{
    struct arena count = {NULL, 0};
    struct refine_levels s;
    struct follow follow;
    lay_out(rows, &count, &s, &follow);
    return count.used;
}

/* The components from `first` on that one pass refines. */
static struct step_rows pass_of(const struct refine_levels *s, int first)
{
    int n = s->width - first < PASS ? s->width - first : PASS;
    return (struct step_rows){s->topology, s->mesh, {n, s->width}, s->weights};
}

/* Scheme bilinear makes the points of any level at once. */
static void linear(const struct refine_levels *s, const float *from, float *to, int level)
{
    const sdd_topology *t = s->topology;
    struct mm_faces_args faces = {s->mesh, from, to};
    struct mm_linear_args all = {s->mesh, from, to, level};
    DEV_LAUNCH(t->device, mm_faces, &faces, t->info.n_faces);
    DEV_LAUNCH(t->device, mm_linear, &all, topology_points(t, level));
}

int refine_levels(struct refine_levels *s, const float *from, float *last, int last_level, const atomic_int *cancel,
                  struct sdd_error *err)
{
    if (s->topology->scheme->is_linear) {
        linear(s, from, last, last_level);
        return SDD_OK;
    }
    for (int level = 1; level <= last_level; level++) {
        float *to = level == last_level ? last : s->buffer[(last_level - level) % 2];
        if (cancel && atomic_load(cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", level);
        chaikin_reach(s->topology, s->parts, level - 1, s->last_parts, &s->mesh);
        for (int k = 0; k < s->width; k += PASS) {
            struct step_rows rows = pass_of(s, k);
            step_run(&rows, from + k, to + k, level - 1);
        }
        from = to;
    }
    chaikin_reach(s->topology, s->parts, last_level, s->last_parts, &s->mesh);
    return SDD_OK;
}

int refine_values_run(const struct engine_rows *rows, struct sdd_error *err)
{
    const sdd_topology *t = rows->topology;
    const struct sdd_refine_request *r = rows->request;
    struct arena a = {rows->scratch, 0};
    struct refine_levels s;
    struct follow follow;
    lay_out(rows, &a, &s, &follow);
    const int limit = r->surface != SDD_SURFACE_REFINED;
    int rc = step_upload_weights(t, s.weights, err);
    if (!rc)
        rc = refine_levels(&s, rows->values, limit ? s.buffer[0] : rows->out, r->level, rows->cancel, err);
    for (int k = 0; k < s.width && !rc && limit; k += PASS) {
        struct step_rows pass = pass_of(&s, k);
        step_limits(&pass, &follow, s.buffer[0] + k, rows->out + k, r->level, r->surface);
    }
    return rc;
}
