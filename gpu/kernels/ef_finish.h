/* SPDX-License-Identifier: Apache-2.0 */
/* ef_finish: from a finished level to grid order: refined or limit positions, and normals.
 * Shapes  level L: F quads, N slots -> out[n][3] f32 and normal[n][3] f32, n grid points of level L; either may be NULL
 * Shape   item, n = N      Cost  about 60 B read (cached neighbours) and 24 B written a vertex
 * Result  limit positions and tangents as OpenSubdiv's masks (rules taken from the sharpness that is left). Normals
 *         are unit: of the limit surface where its tangents are defined (smooth and dart vertices, boundary creases,
 *         corners of one face), elsewhere and for the refined surface the sum of the corners' cross products; a
 *         collapsed one is zero.
 * Source  Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h      Threads any queue */
#ifndef SDD_K_EF_FINISH_H
#define SDD_K_EF_FINISH_H
#include "gpu/kernels/ef_level.h"
#include "gpu/kernels/grid.h"

struct ef_finish_args {
    struct ef_level from;
    struct sdd_grid grid;           /* of level from.level                                               */
    const struct sdd_float2 *angle; /* [2 max valence + 1]: cos and sin of 2 pi / n; NULL: no limit normals */
    float *out, *normal;
    uint32_t n_real_quads;
    int32_t limit;
};

/* Normals are made in double: products of accepted coordinates, from 1e-30 to 1e30, would leave the range of float. */
struct sdd_dvec3 {
    double x, y, z;
};

/* What one turn around a vertex gathers. */
struct ef_ring {
    struct sdd_vec3 edges, diagonals;
    struct sdd_dvec3 cross;
    struct sdd_ring sharp;
    uint32_t first;    /* the corner after the last ghost, in the order of the walk; the loop corner without ghosts */
    int32_t n, n_real; /* corners, real ones */
};

SDD_FN struct sdd_dvec3 sdd_cross(struct sdd_vec3 a, struct sdd_vec3 b)
{
    struct sdd_dvec3 r;
    r.x = (double)a.y * (double)b.z - (double)a.z * (double)b.y;
    r.y = (double)a.z * (double)b.x - (double)a.x * (double)b.z;
    r.z = (double)a.x * (double)b.y - (double)a.y * (double)b.x;
    return r;
}

SDD_FN struct ef_ring sdd_ring_of(const struct ef_level *l, struct sdd_slot s, uint32_t n_real_quads)
{
    struct ef_ring r;
    struct sdd_vec3 at = sdd_slot_point(s);
    uint32_t c = s.loop, i;
    int was_ghost = 0;
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
            struct sdd_dvec3 corner = sdd_cross(sdd_sub(on, at), sdd_sub(off, at));
            r.cross.x += corner.x;
            r.cross.y += corner.y;
            r.cross.z += corner.z;
            r.n_real++;
            if (was_ghost)
                r.first = c;
        }
        was_ghost = ghost;
        uint32_t next = sdd_next_around(l, c, &i);
        if (l->sharp)
            sdd_ring_edge(&r.sharp, l->sharp[c >> 2].s[i], off);
        c = next;
    } while (c != s.loop && (uint32_t)r.n < l->n_quads);
    return r;
}

SDD_FN struct sdd_vec3 sdd_limit_point(struct sdd_vec3 at, int32_t rule, const struct ef_ring *r)
{
    if (rule == SDD_RULE_CORNER || (rule == SDD_RULE_SMOOTH && r->n == 2))
        return at;
    if (rule == SDD_RULE_CREASE)
        return sdd_fma((float)(1.0 / 6.0), r->sharp.ends, sdd_scale((float)(2.0 / 3.0), at));
    float wv = (float)(4.0 / 9.0), we = (float)(4.0 / 36.0), wd = (float)(1.0 / 36.0);
    if (r->n != 4) {
        double n = (double)r->n, d = n * (n + 5.0);
        wv = (float)(n / (n + 5.0));
        we = (float)(4.0 / d);
        wd = (float)(1.0 / d);
    }
    return sdd_fma(wv, at, sdd_fma(we, r->edges, sdd_scale(wd, r->diagonals)));
}

/* Limit normal of a smooth vertex, or of a boundary crease of k faces; cosines of the steps by rotation. */
SDD_FN struct sdd_dvec3 sdd_limit_normal(const struct ef_finish_args *a, struct sdd_vec3 at, const struct ef_ring *r,
                                         int32_t boundary)
{
    const struct ef_level *l = &a->from;
    int32_t k = boundary ? r->n_real : r->n, m = boundary ? 2 * k : k; /* angles of 2 pi / m */
    struct sdd_float2 step = a->angle[m];
    float co = 1.0f, si = 0.0f, ct = step.s[0], st = step.s[1], t, kd = 0.0f;
    struct sdd_vec3 t1 = sdd_vec3_of(0.0f, 0.0f, 0.0f), t2 = t1, first = t1, last = t1;
    uint32_t c = r->first, i;
    if (!boundary) {
        float half = a->angle[2 * k].s[0];
        float lambda = 0.3125f + 0.0625f * (ct + half * sqrtf(2.0f * (9.0f + ct)));
        kd = 1.0f / (4.0f * lambda - 1.0f);
    }
    for (int32_t j = 0; j < k; j++) { /* face j lies between edge j (along the on-edge) and edge j + 1 */
        struct sdd_quad q = sdd_quad_at(l, c >> 2);
        struct sdd_vec3 e = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 1));
        struct sdd_vec3 d = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 2));
        float nc = co * ct - si * st, ns = si * ct + co * st; /* of edge j + 1 */
        if (boundary) {
            if (j == 0)
                first = e;
            else
                t2 = sdd_fma(4.0f * si, e, t2);
            t2 = sdd_fma(si + ns, d, t2);
            last = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 3));
        } else {
            t1 = sdd_fma(4.0f * co, e, sdd_fma(kd * (co + nc), d, t1));
            t2 = sdd_fma(4.0f * si, e, sdd_fma(kd * (si + ns), d, t2));
        }
        co = nc;
        si = ns;
        c = sdd_next_around(l, c, &i);
    }
    if (boundary) {
        t1 = sdd_sub(first, last);
        if (k == 1) {
            t2 = sdd_fma(-2.0f, at, sdd_add(first, last));
        } else {
            t = (1.0f + ct) / st;
            t2 = sdd_fma(4.0f * t * (ct - 1.0f), at, sdd_fma(-t * (1.0f + 2.0f * ct), sdd_add(first, last), t2));
        }
    }
    return sdd_cross(t1, t2);
}

/* n, or its opposite where sign is -1, of length 1; zero where it has none. */
SDD_FN struct sdd_vec3 sdd_unit(struct sdd_dvec3 n, double sign)
{
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0.0))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    sign /= length;
    return sdd_vec3_of((float)(n.x * sign), (float)(n.y * sign), (float)(n.z * sign));
}

SDD_FN void k_ef_finish(int64_t i, const struct ef_finish_args *a)
{
    const struct ef_level *l = &a->from;
    struct sdd_slot s = sdd_slot_at(l, (uint32_t)i);
    if (s.loop == SDD_NONE || s.loop >> 2 >= a->n_real_quads)
        return;
    struct sdd_place p = sdd_place_of(s.loop >> 2, l->level);
    int32_t k = (int32_t)(s.loop & 3) + p.turn;
    uint32_t row = sdd_grid_point(&a->grid, p.corner, p.x + (((k + 1) & 2) >> 1), p.y + ((k & 2) >> 1));
    struct sdd_vec3 at = sdd_slot_point(s);
    if (!a->limit && !a->normal) {
        sdd_put_vec3(a->out, row, at);
        return;
    }
    struct ef_ring r = sdd_ring_of(l, s, a->n_real_quads);
    int32_t rule = sdd_rule_of(sdd_vertex_sharpness(l, (uint32_t)i), r.sharp.n_sharp);
    if (a->out)
        sdd_put_vec3(a->out, row, a->limit ? sdd_limit_point(at, rule, &r) : at);
    if (!a->normal)
        return;
    struct sdd_dvec3 n = r.cross;
    int32_t boundary = r.n_real < r.n;
    if (a->limit && ((rule == SDD_RULE_SMOOTH && r.n > 2) || (rule == SDD_RULE_CREASE && boundary)))
        n = sdd_limit_normal(a, at, &r, boundary);
    /* even corners are walked counter-clockwise, odd ones clockwise (the cross products turn with the on- and
     * off-edges) */
    sdd_put_vec3(a->normal, row, sdd_unit(n, s.loop & 1 ? -1.0 : 1.0));
}
#endif
