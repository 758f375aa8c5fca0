/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: engine edge-friend, which refine/ calls: breadth-first Catmull-Clark (Kuth et al. 2023). A first step
 * makes quads of polygons, and then each launch makes a level. Levels live in two buffers that take turns. When only
 * refined positions are asked for, the last step writes points straight into grid order, and the structure of the
 * last level is never made. */
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/engine_api.h"
#include "gpu/engines/edge_friend/kernels/ef_edges.k.h"
#include "gpu/engines/edge_friend/kernels/ef_faces.k.h"
#include "gpu/engines/edge_friend/kernels/ef_finish.k.h"
#include "gpu/engines/edge_friend/kernels/ef_follow.k.h"
#include "gpu/engines/edge_friend/kernels/ef_last.k.h"
#include "gpu/engines/edge_friend/kernels/ef_quads.k.h"
#include "gpu/engines/edge_friend/kernels/ef_step.k.h"
#include "gpu/engines/edge_friend/kernels/ef_tangents.k.h"
#include "gpu/engines/edge_friend/kernels/ef_vertices.k.h"
#include "gpu/levels/isolated_points.k.h"
#include "gpu/levels/levels.h"

#define MAX_QUADS ((int64_t)1 << 30) /* The corners of a level must fit 32 bits. */

/* The buffers of one level. */
struct level {
    struct sdd_slot *slot;
    struct sdd_quad *quad;
    struct sdd_pair *friends;
    float *sharp;
    int64_t n_slots, n_quads;
};

struct layout {
    struct level buffer[2];
    struct sdd_float2 *angle;
    int64_t n_angles;
    struct follow follow;
};

static void size_of_level(const sdd_topology *t, int level, int64_t *n_slots, int64_t *n_quads)
{
    const struct sdd_topology_info *i = &t->info;
    *n_quads = i->n_corners + i->n_boundary_edges;
    *n_slots = i->n_vertices + i->n_faces + i->n_edges + i->n_boundaries;
    for (int d = 1; d < level; d++) {
        *n_slots = *n_slots > *n_quads ? 3 * *n_quads + *n_slots : 4 * *n_quads;
        *n_quads *= 4;
    }
}

/* Whether the structure of the last level is needed. */
static int needs_structure(const struct sdd_refine_request *r)
{
    return r->level == 1 || r->surface != SDD_SURFACE_REFINED || (r->include & ENGINE_AROUND);
}

static int deepest(const struct sdd_refine_request *r)
{
    return needs_structure(r) ? r->level : r->level - 1;
}

static int wants_points(const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_POINTS) != 0;
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int last = deepest(r), limit_normals = r->surface != SDD_SURFACE_REFINED && (r->include & ENGINE_AROUND);
    for (int k = 0; k < 2; k++) { /* Buffer k holds the levels last - k, last - k - 2 and so on. */
        struct level *l = out->buffer + k;
        int64_t n_slots = 0, n_quads = 0;
        if (last - k >= 1)
            size_of_level(t, last - k, &n_slots, &n_quads);
        l->slot = ARENA(a, struct sdd_slot, n_slots);
        l->quad = ARENA(a, struct sdd_quad, n_quads);
        l->friends = ARENA(a, struct sdd_pair, n_quads);
        l->sharp = t->edge_sharp ? ARENA(a, float, n_quads) : NULL;
    }
    out->n_angles = limit_normals ? topology_angles(t) : 0;
    out->angle = ARENA(a, struct sdd_float2, out->n_angles);
    follow_lay_out(t, NULL, r->level, r->surface, a, &out->follow);
}

static int64_t scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    if (wants_points(r))
        lay_out(t, r, &count, &l);
    return count.used;
}

static int check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    int64_t n_slots, n_quads;
    size_of_level(t, deepest(r) > 0 ? deepest(r) : 1, &n_slots, &n_quads);
    if (!wants_points(r) || (n_quads < MAX_QUADS && n_slots < UINT32_MAX))
        return SDD_OK;
    sdd_fail(err, SDD_ETOO_LARGE, "level", "level %d needs %lld quads in engine edge-friend; the limit is %lld",
             r->level, (long long)n_quads, (long long)MAX_QUADS);
    if (err) {
        err->needed = n_quads;
        err->available = MAX_QUADS;
    }
    return SDD_ETOO_LARGE;
}

static void first_step(const struct engine_run *run, struct level *to)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_topology_info *i = &t->info;
    const float *p = run->mesh->points;
    uint32_t V = (uint32_t)i->n_vertices, F = (uint32_t)i->n_faces, E = (uint32_t)i->n_edges,
             C = (uint32_t)i->n_corners;
    int smooth_triangles = i->options.triangle_rule == SDD_TRIANGLE_SMOOTH;
    struct ef_faces_args faces = {t->face_end, t->vert, t->ghost_first, p, to->slot, V, F, E};
    struct ef_edges_args edges = {t->edge_corner, t->vert,  t->twin, t->faces, smooth_triangles ? t->face_end : NULL, p,
                                  t->edge_sharp,  to->slot, V,       F};
    const struct sdd_feature_vertices feature_vertices = topology_control(t).feature_vertices;
    struct ef_vertices_args vertices = {
        t->vert_begin, t->vert_end,   t->vert_corner,   t->vert,  t->edge, t->twin, t->faces, p,
        t->edge_sharp, t->vert_sharp, feature_vertices, to->slot, V,       F,       C};
    struct ef_quads_args quads = {t->vert,   t->edge, t->twin, t->faces, t->edge_sharp, to->quad, to->friends,
                                  to->sharp, V,       F,       E};
    DEV_LAUNCH(t->device, ef_faces, &faces, i->n_faces + i->n_boundaries);
    DEV_LAUNCH(t->device, ef_edges, &edges, i->n_edges);
    DEV_LAUNCH(t->device, ef_vertices, &vertices, i->n_vertices + feature_vertices.n_items);
    DEV_LAUNCH(t->device, ef_quads, &quads, i->n_corners + i->n_boundary_edges);
}

static struct ef_level view(const sdd_topology *t, const struct level *l, int level)
{
    struct ef_level v = {
        .slot = l->slot,
        .quad = l->quad,
        .friends = l->friends,
        .sharp = l->sharp,
        .vert_sharp = t->vert_sharp,
        .n_slots = (uint32_t)l->n_slots,
        .n_quads = (uint32_t)l->n_quads,
        .n_first_quads = (uint32_t)(t->info.n_corners + t->info.n_boundary_edges),
        .n_vertices = (uint32_t)t->info.n_vertices,
        .level = level,
    };
    return v;
}

static int64_t n_tasks(const struct level *l)
{
    return l->n_slots > l->n_quads ? l->n_slots : l->n_quads;
}

static uint32_t real_quads(const sdd_topology *t, int level)
{
    return (uint32_t)(t->info.n_corners << (2 * (level - 1)));
}

static void finish(const struct engine_run *run, const struct level *l, const struct layout *lay)
{
    const sdd_topology *t = run->mesh->topology;
    int level = run->request->level;
    struct ef_finish_args a = {
        .from = view(t, l, level),
        .grid = topology_grid(t, level),
        .angle = lay->n_angles ? lay->angle : NULL,
        .out = run->positions,
        .normal = run->normals,
        .n_real_quads = real_quads(t, level),
        .limit = run->request->surface,
    };
    struct ef_tangents_args with = {a, run->tangents};
    struct ef_follow_args follow = {a, run->tangents, lay->follow.rings};
    if (run->tangents)
        DEV_LAUNCH(t->device, ef_tangents, &with, l->n_slots);
    else
        DEV_LAUNCH(t->device, ef_finish, &a, l->n_slots);
    DEV_LAUNCH(t->device, ef_follow, &follow, follow.rings.n);
}

static void last_step(const struct engine_run *run, const struct level *l)
{
    const sdd_topology *t = run->mesh->topology;
    int level = run->request->level;
    struct ef_last_args a = {view(t, l, level - 1), topology_grid(t, level), run->positions, real_quads(t, level - 1)};
    DEV_LAUNCH(t->device, ef_last, &a, n_tasks(l));
}

static int run(const struct engine_run *run, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct arena a = {run->scratch, 0};
    struct layout lay;
    int last = deepest(r);
    if (!wants_points(r))
        return SDD_OK;
    lay_out(t, r, &a, &lay);
    if (lay.n_angles) {
        int rc = topology_upload_angles(t, lay.angle, err);
        if (rc)
            return rc;
    }
    struct level *from = lay.buffer + (last - 1) % 2, *to = lay.buffer + last % 2;
    size_of_level(t, 1, &from->n_slots, &from->n_quads);
    first_step(run, from);
    for (int level = 1; level < last; level++) {
        struct ef_step_args step = {view(t, from, level), to->slot,  to->quad,
                                    to->friends,          to->sharp, real_quads(t, level)};
        if (run->cancel && atomic_load(run->cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", level + 1);
        DEV_LAUNCH(t->device, ef_step, &step, n_tasks(from));
        size_of_level(t, level + 1, &to->n_slots, &to->n_quads);
        struct level *swap = from;
        from = to;
        to = swap;
    }
    if (run->cancel && atomic_load(run->cancel))
        return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before the last step");
    if (needs_structure(r))
        finish(run, from, &lay);
    else
        last_step(run, from);
    struct isolated_points_args isolated = {t->isolated, run->mesh->points, run->positions, run->normals,
                                            run->tangents};
    DEV_LAUNCH(t->device, isolated_points, &isolated, t->info.n_isolated);
    return SDD_OK;
}

static const uint8_t schemes[N_FEATURES] = {
    FEATURES_OF_ALL(UNDER_CATMULL_CLARK),
    [FEATURE_CREASES] = UNDER_CATMULL_CLARK,
    [FEATURE_SMOOTH_TRIANGLES] = UNDER_CATMULL_CLARK,
};

const struct engine sdd_engine_edge_friend = {
    .info = {"edge-friend", "breadth-first Catmull-Clark of manifold meshes, one launch a level", schemes},
    .of = {[SCHEME_QUADS] = {check, scratch, run}},
};
