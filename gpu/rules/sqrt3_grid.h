/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_grid.h: scheme sqrt3, the numbering of its levels and what its kernels share.
 *
 * Order: level k + 1 is [vertices of level k | one for each of its F faces | of a second step, one for each of its B
 * boundary edges], and face c of it comes from half-edge c of level k. Steps go in pairs; the first is from level 0.
 * Half-edges 3f, 3f+1, 3f+2 of face f start at its corners; twin[h] >= 3F says that h is on boundary edge twin[h] - 3F.
 *
 * A line is a boundary edge, or an edge that was sharp when its pair of steps began. O(h) is the new point of h's side.
 *   first step   O(h) is the centre of h's face. Half-edge c with ends v, w makes the face (v, O(twin c), O(c)): the
 *                edge is flipped. A line is not: it makes (v, w, O(c)) on each side.
 *   second step  a face (v, w, b) has at most one line, its first edge v w. That is cut at p, the face's new vertex,
 *                and q, which is the p of the face across or the new vertex of the boundary edge. The line makes
 *                (p, q, b). All other half-edges flip as in the first step, where O is q on w b and p on b v.
 * Boundary edge o keeps its number in the first step; the second makes 3o (v p), 3o+1 (p q) and 3o+2 (q w) of it. On
 * level 0 boundary edges are numbered in the order of their corners.
 * Sharpness goes down by one a step, so by two a pair; what is left at the start of a pair, however little, makes a
 * line for both its steps: an edge is flipped or it is not, there is nothing between. So do vertices' own.
 * Source: Kobbelt 2000; Zayer 2008 (faces by half-edges) */
#ifndef SDD_SQRT3_GRID_H
#define SDD_SQRT3_GRID_H
#include "gpu/rules/crease_rule.h"
#include "gpu/grid/quad_location.h"

/* A level. */
struct sdd_sqrt3 {
    const uint32_t *vert, *twin; /* [3 F]                                                              */
    const uint32_t *first;       /* [V] a half-edge that starts there, on the boundary if there is one */
    const float *sharp;          /* NULL: boundary edges alone are lines                               */
    const uint32_t *edge;        /* [3 F] rows of sharp; NULL: they are half-edges                     */
    const float *vert_sharp;     /* [n_control] on level 0; NULL: no vertex is sharp                   */
    uint32_t n_vertices, n_faces, n_control;
    int32_t level;
};

SDD_FN uint32_t sdd_sqrt3_next(uint32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

SDD_FN uint32_t sdd_sqrt3_prev(uint32_t h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

SDD_FN float sdd_sqrt3_sharp(const struct sdd_sqrt3 *m, uint32_t h)
{
    return m->sharp ? m->sharp[m->edge ? m->edge[h] : h] : 0.0f;
}

SDD_FN int sdd_sqrt3_is_boundary(const struct sdd_sqrt3 *m, uint32_t h)
{
    return m->twin[h] >= 3 * m->n_faces;
}

SDD_FN int sdd_sqrt3_is_line(const struct sdd_sqrt3 *m, uint32_t h)
{
    return sdd_sqrt3_is_boundary(m, h) || sdd_sqrt3_sharp(m, h) > 0.0f;
}

/* Is the step from this level the second of its pair? */
SDD_FN int sdd_sqrt3_is_second(const struct sdd_sqrt3 *m)
{
    return m->level & 1;
}

/* The q of face f, whose first edge is a line, in the second step. */
SDD_FN uint32_t sdd_sqrt3_q(const struct sdd_sqrt3 *m, uint32_t f)
{
    uint32_t t = m->twin[3 * f], n = 3 * m->n_faces;
    return m->n_vertices + (t < n ? t / 3 : m->n_faces + t - n);
}

/* O(h) in the second step. */
SDD_FN uint32_t sdd_sqrt3_own(const struct sdd_sqrt3 *m, uint32_t h)
{
    uint32_t f = h / 3;
    return h % 3 == 1 && sdd_sqrt3_is_line(m, 3 * f) ? sdd_sqrt3_q(m, f) : m->n_vertices + f;
}

/* Row k of the faces that are shown, of a level that makes `each` of a control face; shown[] are corners, NULL: all. */
SDD_FN int64_t sdd_sqrt3_visible(const uint32_t *shown, int64_t each, int64_t k)
{
    int64_t f = k / each;
    return shown ? (int64_t)(shown[3 * f] / 3) * each + (k - f * each) : k;
}

/* What stands around a vertex. */
struct sdd_sqrt3_ring {
    double x, y, z;       /* the sum of its neighbours                     */
    struct sdd_vec3 ends; /* of those at the other end of a line           */
    int32_t n, n_lines;   /* neighbours, lines                             */
    uint32_t last;        /* the half-edge that comes in after the last face */
};

SDD_FN void sdd_sqrt3_meet(struct sdd_sqrt3_ring *r, struct sdd_vec3 p, int is_line)
{
    r->x += (double)p.x;
    r->y += (double)p.y;
    r->z += (double)p.z;
    r->n++;
    if (is_line) {
        r->ends = sdd_add(r->ends, p);
        r->n_lines++;
    }
}

/* The fan of vertex v, counter-clockwise; at a vertex that is not manifold, that of first[v]. n = 0: none. */
SDD_FN struct sdd_sqrt3_ring sdd_sqrt3_ring_of(const struct sdd_sqrt3 *m, struct sdd_points p, uint32_t v)
{
    struct sdd_sqrt3_ring r;
    uint32_t first = m->first[v], h = first;
    r.x = r.y = r.z = 0.0;
    r.ends = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    r.n = r.n_lines = 0;
    r.last = SDD_NONE;
    if (first == SDD_NONE)
        return r;
    do {
        sdd_sqrt3_meet(&r, sdd_points_load(p, m->vert[sdd_sqrt3_next(h)]), sdd_sqrt3_is_line(m, h));
        r.last = sdd_sqrt3_prev(h);
        h = m->twin[r.last];
    } while (h < 3 * m->n_faces && h != first);
    if (h != first)
        sdd_sqrt3_meet(&r, sdd_points_load(p, m->vert[r.last]), 1);
    return r;
}

/* A vertex on two lines is on a curve; on more, or sharp, it stays for good; on one (a dart) it is smooth. */
SDD_FN int32_t sdd_sqrt3_rule(const struct sdd_sqrt3 *m, uint32_t v, const struct sdd_sqrt3_ring *r)
{
    float s = 0.0f;
    if (v < m->n_control && m->vert_sharp)
        s = sdd_decayed(m->vert_sharp[v], m->level & ~1);
    return r->n == 0 ? SDD_RULE_CORNER : sdd_rule_of(s, r->n_lines);
}

/* (1 - n w) at + w ring */
SDD_FN struct sdd_vec3 sdd_sqrt3_smooth(struct sdd_vec3 at, const struct sdd_sqrt3_ring *r, float w)
{
    struct sdd_vec3 sum = sdd_vec3_of((float)r->x, (float)r->y, (float)r->z);
    return sdd_fma((float)(1.0 - (double)r->n * (double)w), at, sdd_scale(w, sum));
}
#endif
