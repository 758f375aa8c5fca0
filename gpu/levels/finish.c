/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c: limits, normals and tangents of the last level, from what is around each of its points; for the engines that
 * have that level in grid order. */
#include "gpu/levels/levels.h"
#include "gpu/levels/isolated_points.k.h"
#include "gpu/levels/loop_tangents.k.h"
#include "gpu/levels/mm_tangents.k.h"

int finish_in_place(const struct sdd_refine_request *r)
{
    return (r->include & SDD_POSITIONS) && r->surface == SDD_SURFACE_REFINED;
}

static int is_linear(const sdd_topology *t)
{
    return t->info.options.scheme == SDD_SCHEME_BILINEAR;
}

void finish_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                           struct finish_tables *out)
{
    int limit_normals = r->surface == SDD_SURFACE_LIMIT && (r->include & ENGINE_AROUND) && !is_linear(t);
    out->n_angles = limit_normals ? topology_angles(t) : 0;
    out->angle = ARENA(a, struct sdd_float2, out->n_angles);
    out->n_weights = step_weights(t);
    out->weights = ARENA(a, struct sdd_float2, out->n_weights);
}

int finish_upload_tables(const sdd_topology *t, const struct finish_tables *l, struct sdd_error *err)
{
    int rc = l->n_angles ? topology_upload_angles(t, l->angle, err) : SDD_OK;
    return rc ? rc : step_upload_weights(t, l->weights, err);
}

void finish_rows(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                 const float *from, const uint32_t *rows, int64_t n)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    const struct sdd_float2 *angle = l->n_angles ? l->angle : NULL;
    float *out = finish_in_place(r) ? NULL : run->positions;
    int limit = r->surface == SDD_SURFACE_LIMIT && !is_linear(t);
    struct isolated_points_args lone = {t->isolated, run->mesh->points, run->positions, run->normals, run->tangents};
    if (topology_is_triangles(t)) {
        struct loop_finish_args a = {*m, l->weights, angle, from, out, run->normals, r->level, limit, rows};
        struct loop_tangents_args with = {a, run->tangents};
        if (run->tangents)
            DEV_LAUNCH(t->device, loop_tangents, &with, n);
        else if (out || run->normals)
            DEV_LAUNCH(t->device, loop_finish, &a, n);
    } else {
        struct mm_finish_args a = {*m, angle, from, out, run->normals, r->level, limit, rows};
        struct mm_tangents_args with = {a, run->tangents};
        if (run->tangents)
            DEV_LAUNCH(t->device, mm_tangents, &with, n);
        else if (out || run->normals)
            DEV_LAUNCH(t->device, mm_finish, &a, n);
    }
    DEV_LAUNCH(t->device, isolated_points, &lone, t->info.n_isolated);
}

void finish_level(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                  const float *from)
{
    const sdd_topology *t = run->mesh->topology;
    finish_rows(run, m, l, from, NULL, topology_points(t, run->request->level));
}
