/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_grid.h: the numbering of the levels of scheme sqrt3, and what its kernels share.
 *
 * Level k + 1 has the vertices [vertices of level k | one for each of its F faces | in a second step, one for each of
 * its B boundary edges], and its face c comes from half-edge c of level k. Steps go in pairs; the first is from level
 * 0. Half-edges 3f, 3f + 1, 3f + 2 of face f start at its corners; twin[h] >= 3F says that h is boundary edge twin[h] -
 * 3F.
 *
 * A line is a boundary edge, or an edge that was sharp when its pair of steps began. O(h) is the new point on h's side.
 *
 * In the first step O(h) is the centre of h's face. Half-edge c with ends v, w makes the face (v, O(twin c), O(c)),
 * which flips the edge. A line is not flipped: it makes (v, w, O(c)) on each side.
 *
 * In the second step a face (v, w, b) has at most one line, its first edge v w. That is cut at p, the face's new
 * vertex, and at q, which is the p of the face across or the new vertex of the boundary edge. The line makes (p, q, b).
 * All other half-edges flip as in the first step, where O is q on w b and p on b v.
 *
 * Boundary edge o keeps its number in the first step; the second makes 3o (v p), 3o + 1 (p q) and 3o + 2 (q w) of it.
 * On level 0, boundary edges are numbered in the order of their corners.
 *
 * Sharpness goes down by one in each step, so by two in a pair. An edge with any sharpness left at the start of a pair
 * is a line for both of its steps, because an edge is either flipped or not. The sharpness of vertices works alike.
 * Source  Kobbelt 2000; Zayer 2008 (faces by half-edges) */
#ifndef SDD_SQRT3_GRID_H
#define SDD_SQRT3_GRID_H
#include "gpu/rules/crease_rule.h"
#include "gpu/grid/quad_location.h"

/* One level of the scheme. */
struct sdd_sqrt3 {
    const uint32_t *vert, *twin; /* Shape [3 F]. */
    /* Shape [V]: a half-edge that starts at each vertex, on the boundary if there is one. */
    const uint32_t *first;
    const float *sharp;      /* NULL where boundary edges alone are lines. */
    const uint32_t *edge;    /* Shape [3 F]: rows of `sharp`; NULL where they are half-edges. */
    const float *vert_sharp; /* Shape [n_control], on level 0; NULL where no vertex is sharp. */
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

/* Whether the step from this level is the second of its pair. */
SDD_FN int sdd_sqrt3_is_second(const struct sdd_sqrt3 *m)
{
    return m->level & 1;
}

/* The vertex q of face f, whose first edge is a line, in the second step. */
SDD_FN uint32_t sdd_sqrt3_q(const struct sdd_sqrt3 *m, uint32_t f)
{
    uint32_t t = m->twin[3 * f], n = 3 * m->n_faces;
    return m->n_vertices + (t < n ? t / 3 : m->n_faces + t - n);
}

/* The point O(h) in the second step. */
SDD_FN uint32_t sdd_sqrt3_own(const struct sdd_sqrt3 *m, uint32_t h)
{
    uint32_t f = h / 3;
    return h % 3 == 1 && sdd_sqrt3_is_line(m, 3 * f) ? sdd_sqrt3_q(m, f) : m->n_vertices + f;
}

/* The k-th visible face of a level that makes `each` faces of a control face. `visible` lists the corners of visible
 * control faces; it is NULL where all are visible. */
SDD_FN int64_t sdd_sqrt3_visible(const uint32_t *visible, int64_t each, int64_t k)
{
    int64_t f = k / each;
    return visible ? (int64_t)(visible[3 * f] / 3) * each + (k - f * each) : k;
}

/* What is around a vertex. */
struct sdd_sqrt3_ring {
    double x, y, z;       /* The sum of its neighbours. */
    struct sdd_vec3 ends; /* The sum of those at the other end of a line. */
    int32_t n, n_lines;   /* How many neighbours and lines there are. */
    uint32_t last;        /* The half-edge that comes in after the last face. */
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

/* The ring of vertex v, counter-clockwise around its fan; at a non-manifold vertex that is the fan of first[v]. A
 * vertex without faces has n = 0. */
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

/* The rule of vertex v: a vertex on two lines is on a crease. One on more lines, or a sharp one, is a corner. One on a
 * single line (a dart) is smooth. */
SDD_FN int32_t sdd_sqrt3_rule(const struct sdd_sqrt3 *m, uint32_t v, const struct sdd_sqrt3_ring *r)
{
    float s = 0.0f;
    if (v < m->n_control && m->vert_sharp)
        s = sdd_decayed(m->vert_sharp[v], m->level & ~1);
    return r->n == 0 ? SDD_RULE_CORNER : sdd_rule_of(s, r->n_lines);
}

/* The point (1 - n w) at + w ring. */
SDD_FN struct sdd_vec3 sdd_sqrt3_smooth(struct sdd_vec3 at, const struct sdd_sqrt3_ring *r, float w)
{
    struct sdd_vec3 sum = sdd_vec3_of((float)r->x, (float)r->y, (float)r->z);
    return sdd_fma((float)(1.0 - (double)r->n * (double)w), at, sdd_scale(w, sum));
}
#endif
