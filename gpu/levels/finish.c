/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c: limits, normals and tangents of the last level, made from the points around each of its points, for the
 * engines that have that level in grid order. */
#include "gpu/levels/levels.h"
#include "gpu/levels/isolated_points.k.h"
#include "gpu/levels/level_tangents.ks.h"

int finish_in_place(const struct sdd_refine_request *r)
{
    return (r->include & SDD_POSITIONS) && r->surface == SDD_SURFACE_REFINED;
}

void finish_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                           struct finish_tables *out)
{
    int limit_normals = r->surface == SDD_SURFACE_LIMIT && (r->include & ENGINE_AROUND) && !t->scheme->is_linear;
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

/* What a launch takes, whichever kernel it is of. */
struct rows {
    const struct sdd_control *mesh;
    const struct finish_tables *tables;
    const float *from;
    float *out;
    int limit;
    const uint32_t *rows;
    int64_t n;
};

static void finish_quads(const struct engine_run *run, const struct rows *r, const struct sdd_float2 *angle)
{
    sdd_device *d = run->mesh->topology->device;
    struct mm_finish_args a = {*r->mesh, angle, r->from, r->out, run->normals, run->request->level, r->limit, r->rows};
    struct mm_tangents_args with = {a, run->tangents};
    if (run->tangents)
        DEV_LAUNCH(d, mm_tangents, &with, r->n);
    else if (r->out || run->normals)
        DEV_LAUNCH(d, mm_finish, &a, r->n);
}

static void finish_triangles(const struct engine_run *run, const struct rows *r, const struct sdd_float2 *angle)
{
    sdd_device *d = run->mesh->topology->device;
    struct loop_finish_args a = {*r->mesh,     r->tables->weights,  angle,    r->from, r->out,
                                 run->normals, run->request->level, r->limit, r->rows};
    struct loop_tangents_args with = {a, run->tangents};
    if (run->tangents)
        DEV_LAUNCH(d, loop_tangents, &with, r->n);
    else if (r->out || run->normals)
        DEV_LAUNCH(d, loop_finish, &a, r->n);
}

static void (*const finish[SCHEME_KINDS])(const struct engine_run *, const struct rows *, const struct sdd_float2 *) = {
    [SCHEME_QUADS] = finish_quads,
    [SCHEME_TRIANGLES] = finish_triangles,
};

void finish_rows(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                 const float *from, const uint32_t *rows, int64_t n)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    const struct rows of = {m,
                            l,
                            from,
                            finish_in_place(r) ? NULL : run->positions,
                            r->surface == SDD_SURFACE_LIMIT && !t->scheme->is_linear,
                            rows,
                            n};
    struct isolated_points_args isolated = {t->isolated, run->mesh->points, run->positions, run->normals,
                                            run->tangents};
    finish[t->scheme->kind](run, &of, l->n_angles ? l->angle : NULL);
    DEV_LAUNCH(t->device, isolated_points, &isolated, t->info.n_isolated);
}

void finish_level(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                  const float *from)
{
    const sdd_topology *t = run->mesh->topology;
    finish_rows(run, m, l, from, NULL, topology_points(t, run->request->level));
}
