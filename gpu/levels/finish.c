/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c: limits, normals and tangents of the last level, made from the points around each of its points, for the
 * engines that have that level in grid order. */
#include "gpu/levels/levels.h"
#include "gpu/levels/isolated_points.k.h"
#include "gpu/levels/level_follow.ks.h"
#include "gpu/levels/level_tangents.ks.h"

_Static_assert((int)SDD_LIMIT == SDD_SURFACE_LIMIT && (int)SDD_LIMIT_AT_LEVEL == SDD_SURFACE_LIMIT_AT_LEVEL,
               "kernels know the surfaces by number");

#define RING_BYTES ((int64_t)16 << 20) /* So much memory gives enough rings to keep a GPU busy. */

void follow_lay_out(const sdd_topology *t, const struct topology_channel *c, int level, int surface, struct arena *a,
                    struct follow *out)
{
    /* A seam that ends in a vertex is two edges of the row of values there. */
    const int64_t stride = t->info.max_valence < 6 ? 6 : t->info.max_valence + 1;
    int64_t n = surface == SDD_SURFACE_LIMIT ? topology_sharp_points(t, c, level) : 0;
    int64_t most = RING_BYTES / (stride * (int64_t)sizeof(struct sdd_spoke));
    *out = (struct follow){.n_points = n, .rings = {NULL, 0, (uint32_t)stride}};
    most = most < 64 ? 64 : most;
    out->rings.n = (uint32_t)(n < most ? n : most);
    out->rings.spoke = ARENA(a, struct sdd_spoke, out->rings.n * stride);
}

int finish_in_place(const struct sdd_refine_request *r)
{
    return (r->include & SDD_POSITIONS) && r->surface == SDD_SURFACE_REFINED;
}

void finish_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                           struct finish_tables *out)
{
    int limit_normals = r->surface != SDD_SURFACE_REFINED && (r->include & ENGINE_AROUND) && !t->scheme->is_linear;
    out->n_angles = limit_normals ? topology_angles(t) : 0;
    out->angle = ARENA(a, struct sdd_float2, out->n_angles);
    out->n_weights = step_weights(t);
    out->weights = ARENA(a, struct sdd_float2, out->n_weights);
    follow_lay_out(t, NULL, r->level, r->surface, a, &out->follow);
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

/* The points that are followed. Those that `rows` names have no masks of tangents, and have their limits already. */
static struct sdd_follow view(const struct engine_run *run, const struct rows *r)
{
    const struct follow *f = &r->tables->follow;
    const int quads = run->mesh->topology->scheme->kind == SCHEME_QUADS;
    struct sdd_follow v = {f->rings, run->tangents, sdd_xyz(), (uint32_t)f->n_points,
                           r->mesh->n_vertices + (quads ? r->mesh->n_faces : 0)};
    v.rings.n = r->rows ? 0 : v.rings.n;
    return v;
}

static void finish_quads(const struct engine_run *run, const struct rows *r, const struct sdd_float2 *angle)
{
    sdd_device *d = run->mesh->topology->device;
    struct mm_finish_args a = {*r->mesh, angle, r->from, r->out, run->normals, run->request->level, r->limit, r->rows};
    struct mm_tangents_args with = {a, run->tangents};
    struct mm_follow_args follow = {a, view(run, r)};
    if (run->tangents)
        DEV_LAUNCH(d, mm_tangents, &with, r->n);
    else if (r->out || run->normals)
        DEV_LAUNCH(d, mm_finish, &a, r->n);
    DEV_LAUNCH(d, mm_follow, &follow, follow.follow.rings.n);
}

static void finish_triangles(const struct engine_run *run, const struct rows *r, const struct sdd_float2 *angle)
{
    sdd_device *d = run->mesh->topology->device;
    struct loop_finish_args a = {*r->mesh,     r->tables->weights,  angle,    r->from, r->out,
                                 run->normals, run->request->level, r->limit, r->rows};
    struct loop_tangents_args with = {a, run->tangents};
    struct loop_follow_args follow = {a, view(run, r)};
    if (run->tangents)
        DEV_LAUNCH(d, loop_tangents, &with, r->n);
    else if (r->out || run->normals)
        DEV_LAUNCH(d, loop_finish, &a, r->n);
    DEV_LAUNCH(d, loop_follow, &follow, follow.follow.rings.n);
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
    const struct rows of = {
        m, l, from, finish_in_place(r) ? NULL : run->positions, t->scheme->is_linear ? 0 : r->surface, rows, n};
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
