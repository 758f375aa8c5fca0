/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_levels.c: scheme sqrt3 level by level (rules/sqrt3_grid.h has the rules), for engines mesh-matrix, spla and
 * subdivision-matrix. A level's matrix and adjacency are the start and the twin of each half-edge. They need no sort
 * and no scan, because each face comes from one half-edge of the level before. Two levels are held at a time. */
#include "gpu/levels/sqrt3_levels.h"
#include "gpu/levels/levels.h"
#include "gpu/levels/isolated_points.k.h"
#include "gpu/levels/kernels/sqrt3_children.k.h"
#include "gpu/levels/sqrt3_faces.k.h"
#include "gpu/levels/kernels/sqrt3_fans.k.h"
#include "gpu/levels/kernels/sqrt3_firsts.k.h"
#include "gpu/levels/kernels/sqrt3_indices.k.h"
#include "gpu/levels/kernels/sqrt3_tangents.k.h"
#include "gpu/levels/kernels/sqrt3_uvs.k.h"
#include "gpu/levels/sqrt3_follow.k.h"
#include "gpu/levels/sqrt3_vertices.k.h"
#include <math.h>
#include <stdlib.h>

static int64_t power_of_3(int level)
{
    return level ? 3 * power_of_3(level - 1) : 1;
}

static int64_t faces_at(const sdd_topology *t, int level)
{
    return t->info.n_faces * power_of_3(level);
}

static int wants_points(const struct sdd_refine_request *r)
{
    return (r->include & ENGINE_POINTS) != 0;
}

static int is_limit(const struct sdd_refine_request *r)
{
    return r->surface != SDD_SURFACE_REFINED && wants_points(r);
}

/* Beside lines and sharp vertices limits are exact only on even levels. The vertices of an odd level are the first
 * ones of the next level, so limits are made there. */
int sqrt3_last_points(const sdd_topology *t, const struct sdd_refine_request *r)
{
    int has_sharp = t->edge_sharp || t->vert_sharp;
    return wants_points(r) ? r->level + (is_limit(r) && has_sharp && r->level % 2) : 0;
}

int sqrt3_last_uvs(const struct sdd_refine_request *r)
{
    return r->include & SDD_UVS ? (r->level - 1) & ~1 : -1;
}

/* The last level whose faces are made. A step needs the faces of the level before it, all else those of its own
 * level. */
static int last_faces(const sdd_topology *t, const struct sdd_refine_request *r)
{
    int points = sqrt3_last_points(t, r);
    if (is_limit(r) || (r->include & ENGINE_AROUND))
        return points;
    if (r->include & SDD_INDICES)
        return r->level;
    return points ? points - 1 : sqrt3_last_uvs(r);
}

struct layout {
    struct sqrt3_levels levels;
    float *points[2]; /* Row k is for the levels of parity k. */
    struct sqrt3_tables tables;
};

/* The highest level of this parity up to `last`. */
static int highest(int last, int parity)
{
    return last % 2 == parity ? last : last - 1;
}

static int has_sharp_lines(const sdd_topology *t)
{
    return t->info.has_creases && t->edge_sharp;
}

void sqrt3_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                          struct sqrt3_tables *out)
{
    /* A dart has one more neighbour on odd levels, and new vertices have up to six. */
    out->n_weights = wants_points(r) ? (t->info.max_valence > 6 ? t->info.max_valence : 6) + 2 : 0;
    out->weights = ARENA(a, struct sdd_float2, out->n_weights);
    out->n_angles = is_limit(r) && (r->include & ENGINE_AROUND) ? topology_angles(t) : 0;
    out->angle = ARENA(a, struct sdd_float2, out->n_angles);
    follow_lay_out(t, NULL, sqrt3_last_points(t, r), is_limit(r) ? r->surface : SDD_SURFACE_REFINED, a, &out->follow);
    for (int k = 0; k < 2; k++) {
        int uvs = sqrt3_last_uvs(r), most = uvs / 2 % 2 == k ? uvs : uvs - 2;
        out->uv[k] = ARENA(a, struct sdd_float2, most > 0 ? 3 * faces_at(t, most) : 0);
    }
}

void sqrt3_lay_out_levels(const sdd_topology *t, int last, int fans, struct arena *a, struct sqrt3_levels *out)
{
    out->fans = fans;
    for (int k = 0; k < 2; k++) {
        int f = highest(last, k);
        int64_t n = f < 1 ? 0 : 3 * faces_at(t, f);
        out->vert[k] = ARENA(a, uint32_t, n);
        out->twin[k] = ARENA(a, uint32_t, n);
        out->sharp[k] = ARENA(a, float, has_sharp_lines(t) ? n : 0);
        out->first[k] = ARENA(a, uint32_t, f < 0 || !fans ? 0 : topology_points(t, f));
    }
}

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct layout *out)
{
    int points = sqrt3_last_points(t, r), last = points - finish_in_place(r);
    sqrt3_lay_out_levels(t, last_faces(t, r), points > 0, a, &out->levels);
    for (int k = 0; k < 2; k++) {
        int p = highest(last, k);
        out->points[k] = ARENA(a, float, p < 1 ? 0 : 3 * topology_points(t, p));
    }
    sqrt3_lay_out_tables(t, r, a, &out->tables);
}

int64_t sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct layout l;
    lay_out(t, r, &count, &l);
    return count.used;
}

int sqrt3_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    int last = last_faces(t, r) > r->level ? last_faces(t, r) : r->level;
    int64_t n = 3 * faces_at(t, last) + t->n_open * power_of_3(last / 2);
    if (n < UINT32_MAX)
        return SDD_OK;
    sdd_fail(err, SDD_ETOO_LARGE, "level", "level %d has %lld half-edges; ids of 32 bits end at %lld", last,
             (long long)n, (long long)UINT32_MAX);
    if (err) {
        err->needed = n;
        err->available = UINT32_MAX;
    }
    return SDD_ETOO_LARGE;
}

int sqrt3_upload_tables(const sdd_topology *t, const struct sqrt3_tables *l, struct sdd_error *err)
{
    int rc = l->n_angles ? topology_upload_angles(t, l->angle, err) : SDD_OK;
    if (rc || !l->n_weights)
        return rc;
    struct sdd_float2 *table = calloc((size_t)l->n_weights, sizeof *table);
    if (!table)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a table of weights");
    for (int64_t n = 1; n < l->n_weights; n++) {
        double count = (double)n, alpha = (4.0 - 2.0 * cos(6.283185307179586476925286766559 / count)) / 9.0;
        table[n].s[0] = (float)(alpha / count);
        table[n].s[1] = (float)(3.0 * alpha / (1.0 + 3.0 * alpha) / count);
    }
    dev_upload(t->device, l->weights, table, l->n_weights * (int64_t)sizeof *table);
    free(table);
    return SDD_OK;
}

struct sdd_sqrt3 sqrt3_first_level(const sdd_topology *t, const struct sqrt3_levels *l)
{
    struct sdd_sqrt3 m = {
        .vert = t->vert,
        .twin = t->twin,
        .first = l->first[0],
        .sharp = has_sharp_lines(t) ? t->edge_sharp : NULL,
        .edge = t->edge,
        .vert_sharp = t->vert_sharp,
        .n_vertices = (uint32_t)t->info.n_vertices,
        .n_faces = (uint32_t)t->info.n_faces,
        .n_control = (uint32_t)t->info.n_vertices,
    };
    struct sqrt3_firsts_args firsts = {t->vert_begin, t->vert_end, t->vert_corner,
                                       t->twin,       l->first[0], (uint32_t)t->info.n_corners};
    if (l->fans)
        DEV_LAUNCH(t->device, sqrt3_firsts, &firsts, t->info.n_vertices);
    return m;
}

void sqrt3_next_level(const sdd_topology *t, struct sdd_sqrt3 *m, const struct sqrt3_levels *l)
{
    int k = (m->level + 1) % 2;
    float *sharp = m->sharp ? l->sharp[k] : NULL;
    struct sqrt3_children_args children = {*m, l->vert[k], l->twin[k], sharp};
    struct sqrt3_fans_args fans = {*m, l->first[k]};
    DEV_LAUNCH(t->device, sqrt3_children, &children, 3 * (int64_t)m->n_faces);
    if (l->fans)
        DEV_LAUNCH(t->device, sqrt3_fans, &fans, (int64_t)m->n_vertices + m->n_faces);
    m->vert = l->vert[k];
    m->twin = l->twin[k];
    m->first = l->first[k];
    m->sharp = sharp;
    m->edge = NULL;
    m->level++;
    m->n_vertices = (uint32_t)topology_points(t, m->level);
    m->n_faces *= 3;
}

static void next_points(const sdd_topology *t, const struct sdd_sqrt3 *m, const struct layout *l, const float *from,
                        float *to)
{
    struct sqrt3_vertices_args vertices = {*m, l->tables.weights, from, to};
    struct sqrt3_faces_args faces = {*m, from, to};
    DEV_LAUNCH(t->device, sqrt3_vertices, &vertices, m->n_vertices);
    DEV_LAUNCH(t->device, sqrt3_faces, &faces, m->n_faces);
}

void sqrt3_indices(const struct engine_run *run, const uint32_t *vert)
{
    const sdd_topology *t = run->mesh->topology;
    struct sqrt3_indices_args indices = {vert, t->visible, run->indices, power_of_3(run->request->level)};
    if (run->indices)
        DEV_LAUNCH(t->device, sqrt3_indices, &indices, t->n_visible / 3 * indices.each);
}

void sqrt3_uvs(const struct engine_run *run, const struct sdd_sqrt3 *m, const struct sqrt3_tables *l)
{
    const sdd_topology *t = run->mesh->topology;
    int level = run->request->level, left = level - m->level, last = left <= 2, steps = left == 1 ? 1 : 2;
    struct sqrt3_uvs_args uvs = {.mesh = *m, .uv = l->uv[m->level / 2 % 2], .steps = steps};
    if (!run->uvs || m->level > sqrt3_last_uvs(run->request) || m->level % 2)
        return;
    if (m->level == 0) {
        uvs.row = t->channel[0].vert;
        uvs.uv = (const struct sdd_float2 *)run->mesh->uvs;
    }
    uvs.visible = last ? t->visible : NULL;
    uvs.each = power_of_3(m->level + steps);
    uvs.out = last ? (struct sdd_float2 *)run->uvs : l->uv[(m->level / 2 + 1) % 2];
    DEV_LAUNCH(t->device, sqrt3_uvs, &uvs, (last ? t->n_visible / 3 : t->info.n_faces) * uvs.each);
}

void sqrt3_finish(const struct engine_run *run, const struct sdd_sqrt3 *m, const struct sqrt3_tables *l,
                  const float *from, const uint32_t *rows, int64_t n)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct sqrt3_finish_args args = {*m,   l->weights, l->n_angles ? l->angle : NULL, from, NULL, run->normals,
                                     rows, is_limit(r)};
    struct isolated_points_args isolated = {t->isolated, run->mesh->points, run->positions, run->normals,
                                            run->tangents};
    n = rows ? n : topology_points(t, r->level);
    args.out = finish_in_place(r) ? NULL : run->positions;
    struct sqrt3_tangents_args with = {args, run->tangents};
    struct sqrt3_follow_args follow = {args, run->tangents, l->follow.rings, n};
    follow.rings.n = rows ? 0 : follow.rings.n;
    if (run->tangents)
        DEV_LAUNCH(t->device, sqrt3_tangents, &with, n);
    else if (args.out || args.normal)
        DEV_LAUNCH(t->device, sqrt3_finish, &args, n);
    DEV_LAUNCH(t->device, sqrt3_follow, &follow, follow.rings.n);
    DEV_LAUNCH(t->device, isolated_points, &isolated, t->info.n_isolated);
}

int sqrt3_run(const struct engine_run *run, const uint32_t *rows, int64_t n, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_refine_request *r = run->request;
    struct arena a = {run->scratch, 0};
    struct layout l;
    lay_out(t, r, &a, &l);
    int rc = sqrt3_upload_tables(t, &l.tables, err);
    if (rc)
        return rc;
    int points = sqrt3_last_points(t, r), faces = last_faces(t, r), uvs = sqrt3_last_uvs(r);
    struct sdd_sqrt3 m = sqrt3_first_level(t, &l.levels);
    const float *from = run->mesh->points;
    for (int level = 0; level < points || level < faces || level <= uvs; level++) {
        if (run->cancel && atomic_load(run->cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled before level %d", level + 1);
        sqrt3_uvs(run, &m, &l.tables);
        if (level < points) {
            float *to = level + 1 == points && finish_in_place(r) ? run->positions : l.points[(level + 1) % 2];
            next_points(t, &m, &l, from, to);
            from = to;
        }
        if (level < faces) {
            sqrt3_next_level(t, &m, &l.levels);
            if (m.level == r->level)
                sqrt3_indices(run, m.vert);
        }
    }
    if (wants_points(r))
        sqrt3_finish(run, &m, &l.tables, from, rows, n);
    return SDD_OK;
}
