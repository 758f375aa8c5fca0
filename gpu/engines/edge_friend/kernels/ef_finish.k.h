/* SPDX-License-Identifier: Apache-2.0 */
/* ef_finish: from a finished level to grid order: refined or limit positions, and normals.
 * Shapes  level L: F quads, N slots -> out[n][3] f32 and normal[n][3] f32, n grid points of level L; either may be NULL
 * Launch  item, n = N
 * Cost    about 60 B read (cached neighbours) and 24 B written a vertex
 * Result  Limit positions and tangents follow OpenSubdiv's masks, with rules taken from the sharpness that is left.
 *         Normals have length 1. They are those of the limit surface where its tangents are defined (smooth and dart
 *         vertices, boundary creases, corners of one face); elsewhere, and for the refined surface, they are the sum of
 *         the corners' cross products. A collapsed normal is zero.
 * Threads any queue
 * Source  Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h */
#ifndef SDD_K_EF_FINISH_H
#define SDD_K_EF_FINISH_H
#include "gpu/engines/edge_friend/kernels/ef_level.dev.h"
#include "gpu/grid/grid.h"
#include "gpu/rules/tangents.h"

struct ef_finish_args {
    struct ef_level from;
    struct sdd_grid grid; /* The grid of level from.level. */
    /* Shape [2 max valence + 1]: cosine and sine of 2 pi / n in row n; NULL where no limit normals are wanted. */
    const struct sdd_float2 *angle;
    float *out, *normal;
    uint32_t n_real_quads;
    int32_t limit; /* A value of enum sdd_limit_of, or 0 for refined points. */
};

/* What one walk around a vertex gathers. */
struct ef_ring {
    struct sdd_vec3 edges, diagonals;
    struct sdd_dvec3 cross;
    struct sdd_ring sharp;
    /* The corner after the last ghost, in the order of the walk; without ghosts the corner where the walk begins. */
    uint32_t first;
    int32_t n, n_real; /* The corners of all quads and those of real ones. */
};

SDD_FN struct ef_ring sdd_ring_of(const struct ef_level *l, struct sdd_slot s, uint32_t n_real_quads)
{
    struct ef_ring r;
    struct sdd_vec3 at = sdd_slot_point(s);
    uint32_t c = s.loop;
    int was_ghost = 0;
    float sharp;
    r.edges = r.diagonals = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    r.cross.x = r.cross.y = r.cross.z = 0.0;
    r.sharp = sdd_ring_empty();
    r.first = c;
    r.n = r.n_real = 0;
    do {
        struct sdd_quad q = sdd_quad_at(l, c >> 2);
        struct sdd_vec3 off = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 3));
        r.edges = sdd_add(r.edges, off);
        r.diagonals = sdd_add(r.diagonals, sdd_point_at(l, sdd_vertex_of(l, q, c ^ 2)));
        r.n++;
        int ghost = c >> 2 >= n_real_quads;
        if (!ghost) {
            struct sdd_vec3 on = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 1));
            sdd_dvec3_add(&r.cross, sdd_cross(sdd_sub(on, at), sdd_sub(off, at)));
            r.n_real++;
            if (was_ghost)
                r.first = c;
        }
        was_ghost = ghost;
        c = sdd_next_around(l, c, &sharp);
        sdd_ring_edge(&r.sharp, sdd_uniform(sharp), off);
    } while (c != s.loop && (uint32_t)r.n < l->n_quads);
    return r;
}

/* Writes tangents that a walk gathered, and whose normal is n. Where the walk is clockwise they become those of a
 * counter-clockwise one. */
SDD_FN void sdd_ef_put_tangents(float *to, const struct sdd_tangents *t, int32_t rule, int32_t clockwise,
                                struct sdd_dvec3 n)
{
    if (clockwise && rule == SDD_RULE_CREASE)
        sdd_put_tangents(to, sdd_scale(-1.0f, t->t1), t->t2, n);
    else
        sdd_put_tangents(to, clockwise ? t->t2 : t->t1, clockwise ? t->t1 : t->t2, n);
}

/* The limit normal of a smooth vertex, a boundary crease or the corner of one face, with k real faces; writes its
 * tangents where they are wanted. Where the walk is clockwise the normal is the one that it gives. */
SDD_FN struct sdd_dvec3 sdd_limit_normal(const struct ef_finish_args *a, struct sdd_vec3 at, const struct ef_ring *r,
                                         int32_t rule, int32_t k, int32_t clockwise, float *tangents)
{
    const struct ef_level *l = &a->from;
    int32_t boundary = r->n_real < r->n;
    struct sdd_tangents t = sdd_tangents_of(at, k, boundary, a->angle);
    uint32_t c = r->first;
    float sharp;
    for (int32_t j = 0; j < k; j++) {
        struct sdd_quad q = sdd_quad_at(l, c >> 2);
        sdd_tangents_add(&t, sdd_point_at(l, sdd_vertex_of(l, q, c ^ 1)), sdd_point_at(l, sdd_vertex_of(l, q, c ^ 2)),
                         sdd_point_at(l, sdd_vertex_of(l, q, c ^ 3)));
        c = sdd_next_around(l, c, &sharp);
    }
    struct sdd_dvec3 n = sdd_tangents_normal(&t, tangents && rule == SDD_RULE_CORNER, r->cross);
    if (tangents)
        sdd_ef_put_tangents(tangents, &t, rule, clockwise, n);
    return n;
}

/* The row in grid order of a slot whose loop begins in a real quad. */
SDD_FN uint32_t sdd_ef_row(const struct ef_finish_args *a, struct sdd_slot s)
{
    struct sdd_grid_cell p = sdd_grid_cell_of(s.loop >> 2, a->from.level);
    int32_t k = (int32_t)(s.loop & 3) + p.rotation;
    return sdd_grid_point(&a->grid, p.corner, p.x + (((k + 1) & 2) >> 1), p.y + ((k & 2) >> 1));
}

/* Finishes slot i. `tangents` has the rows of ef_tangents, or is NULL; where that is a constant it costs nothing. */
SDD_FN void sdd_ef_finish(int64_t i, const struct ef_finish_args *a, float *tangents)
{
    const struct ef_level *l = &a->from;
    struct sdd_slot s = sdd_slot_at(l, (uint32_t)i);
    if (s.loop == SDD_NONE || s.loop >> 2 >= a->n_real_quads)
        return;
    uint32_t row = sdd_ef_row(a, s);
    struct sdd_vec3 at = sdd_slot_point(s);
    if (!a->limit && !a->normal) {
        sdd_put_vec3(a->out, row, at);
        return;
    }
    struct ef_ring r = sdd_ring_of(l, s, a->n_real_quads);
    int32_t rule = sdd_rule_of(sdd_vertex_sharpness(l, (uint32_t)i), r.sharp.n_sharp);
    if (a->out)
        sdd_put_vec3(a->out, row,
                     a->limit ? sdd_limit_point(at, rule, r.n, r.edges, r.diagonals, r.sharp.ends, a->limit) : at);
    if (!a->normal && !tangents)
        return;
    /* Even corners are walked counter-clockwise, odd ones clockwise, and the cross products change sign with the on-
     * and off-edges. */
    int32_t clockwise = s.loop & 1, boundary = r.n_real < r.n, faces = boundary ? r.n_real : r.n;
    double sign = clockwise ? -1.0 : 1.0;
    tangents = tangents ? tangents + 6 * (size_t)row : NULL;
    struct sdd_dvec3 n = r.cross;
    if (a->limit && sdd_has_tangents(rule, faces, boundary, tangents != NULL))
        n = sdd_limit_normal(a, at, &r, rule, faces, clockwise, tangents);
    else if (tangents)
        sdd_put_basis(tangents, n, sign);
    if (a->normal)
        sdd_put_vec3(a->normal, row, sdd_unit(n, sign));
}

SDD_FN void k_ef_finish(int64_t i, const struct ef_finish_args *a)
{
    sdd_ef_finish(i, a, NULL);
}
#endif
