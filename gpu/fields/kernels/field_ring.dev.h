/* SPDX-License-Identifier: Apache-2.0 */
/* field_ring.dev.h: walks over the triangles and the boundary around a vertex. Polygons are cut from their corner 0. */
#ifndef SDD_FIELD_RING_DEV_H
#define SDD_FIELD_RING_DEV_H
#include "gpu/fields/kernels/field_math.dev.h"

/* Whether the edge after corner c has one face alone. In a manifold mesh its twin says so, without a way through the
 * edge. */
SDD_FN int sdd_is_open(const struct sdd_neighbors *q, uint32_t c)
{
    const struct sdd_control *m = &q->mesh;
    return q->use_begin ? sdd_n_uses(q, m->edge[c]) == 1 : m->twin[c] >= m->n_corners;
}

/* Whether vertex v has an edge of one face. In a manifold mesh it has two, which are sharp, so that it is a feature
 * vertex. */
SDD_FN int sdd_on_rim(const struct sdd_neighbors *q, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    if (m->edges == SDD_EDGES_CLOSED)
        return 0;
    if (m->edges == SDD_EDGES_MANIFOLD && m->edge_sharp && !sdd_is_feature(&m->feature_vertices, v))
        return 0;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k];
        if (sdd_is_open(q, c) || sdd_is_open(q, sdd_prev(&m->faces, c)))
            return 1;
    }
    return 0;
}

/* The triangles of one corner of a face, one after the other: those that its vertex is in. */
struct sdd_fan_walk {
    uint32_t first, end; /* The corners of the face. */
    uint32_t corner;     /* The vertex's own. */
    uint32_t at;         /* The triangle (first, at, at + 1). */
};

SDD_FN struct sdd_fan_walk sdd_walk_begin(const struct sdd_control *m, uint32_t c)
{
    struct sdd_fan_walk w;
    const uint32_t f = sdd_face(&m->faces, c);
    w.first = f > 0 ? (uint32_t)m->face_end[f - 1] : 0;
    w.end = (uint32_t)m->face_end[f];
    w.corner = c;
    w.at = c > w.first + 2 ? c - 1 : w.first + 1;
    return w;
}

/* Takes the next triangle, as the two corners that follow the vertex's own in it; 0 at the end. */
SDD_FN int sdd_walk_next(struct sdd_fan_walk *w, uint32_t *b, uint32_t *c)
{
    const uint32_t at = w->at++;
    if (at + 1 >= w->end || (w->corner > w->first && at > w->corner))
        return 0;
    *b = w->corner == w->first ? at : w->corner == at ? at + 1 : w->first;
    *c = w->corner == w->first ? at + 1 : w->corner == at ? w->first : at;
    return 1;
}

/* The cotangent of the angle at a between b and c. `sine` gets twice the area of the triangle. */
SDD_FN double sdd_cotangent(struct sdd_real3 a, struct sdd_real3 b, struct sdd_real3 c, double *sine)
{
    const struct sdd_real3 u = sdd_minus(b, a), w = sdd_minus(c, a);
    *sine = sdd_length(sdd_cross(u, w));
    return sdd_dot(u, w) / *sine;
}

/* What cotangent weights say of a vertex. */
struct sdd_cotangents {
    struct sdd_real3 pull; /* Sum of weight times (neighbour - point). */
    double weight, area;   /* Sum of weights, and a third of the area of the triangles around. */
};

SDD_FN struct sdd_cotangents sdd_cotangents_of(const struct sdd_neighbors *q, const float *points, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    const struct sdd_real3 p = sdd_point_of(points, v);
    struct sdd_cotangents sum;
    sum.pull = sdd_real3_of(0.0, 0.0, 0.0);
    sum.weight = sum.area = 0.0;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        struct sdd_fan_walk w = sdd_walk_begin(m, m->corner[k]);
        uint32_t b, c;
        while (sdd_walk_next(&w, &b, &c)) {
            const struct sdd_real3 pb = sdd_point_of(points, m->vert[b]), pc = sdd_point_of(points, m->vert[c]);
            double sine;
            const double at_b = sdd_cotangent(pb, pc, p, &sine) / 2.0, at_c = sdd_cotangent(pc, p, pb, &sine) / 2.0;
            sum.pull = sdd_plus(sdd_plus(sum.pull, at_c, sdd_minus(pb, p)), at_b, sdd_minus(pc, p));
            sum.weight += at_b + at_c;
            sum.area += sine / 6.0;
        }
    }
    return sum;
}

/* The normal of a vertex by Max, not yet of length 1. */
SDD_FN struct sdd_real3 sdd_normal_sum(const struct sdd_neighbors *q, const float *points, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    const struct sdd_real3 p = sdd_point_of(points, v);
    struct sdd_real3 sum = sdd_real3_of(0.0, 0.0, 0.0);
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k];
        const struct sdd_real3 x = sdd_minus(sdd_point_of(points, m->vert[sdd_next(&m->faces, c)]), p);
        const struct sdd_real3 y = sdd_minus(sdd_point_of(points, m->vert[sdd_prev(&m->faces, c)]), p);
        const double w = sdd_dot(x, x) * sdd_dot(y, y);
        if (w > 0.0)
            sum = sdd_plus(sum, 1.0 / w, sdd_cross(x, y));
    }
    return sum;
}

SDD_FN struct sdd_real3 sdd_normal_of(const struct sdd_neighbors *q, const float *points, uint32_t v)
{
    const struct sdd_real3 sum = sdd_normal_sum(q, points, v);
    const double length = sdd_length(sum);
    return length > 0.0 ? sdd_real3_of(sum.x / length, sum.y / length, sum.z / length) : sum;
}
#endif
