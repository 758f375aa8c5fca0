/* SPDX-License-Identifier: Apache-2.0 */
/* fair_distortion: how much each triangle is sheared.
 * Shapes  triangle[T][3] u32, from, to[..][4] f64 -> ratio[T], area[T] f64, key[T] u64
 * Launch  item, n = T triangles
 * Cost    six points read, 24 B written a triangle
 * Result  The ratio of the singular values of the map from the old to the new triangle, at least 1; the old area; and
 *         the ratio's bits, which sort as it does.
 * Threads any queue */
#ifndef SDD_K_FAIR_DISTORTION_H
#define SDD_K_FAIR_DISTORTION_H
#include "gpu/fair/fair.dev.h"

struct fair_distortion_args {
    const uint32_t *triangle;
    const double *from, *to;
    double *ratio, *area;
    uint64_t *key;
};

/* A triangle laid into the plane, its first side along x: that side's length, and the third corner. */
struct fair_plane {
    double length, x, y;
};

SDD_FN struct fair_plane fair_plane_of(const uint32_t *v, const double *points)
{
    const struct fair_quat a = fair_edge(v, points, 2), b = fair_edge(v, points, 1), n = fair_normal(v, points);
    struct fair_plane p;
    p.length = sqrt(fair_dot(a, a));
    p.x = -fair_dot(a, b) / p.length;
    p.y = sqrt(fair_dot(n, n)) / p.length;
    return p;
}

SDD_FN void k_fair_distortion(int64_t i, const struct fair_distortion_args *a)
{
    const struct fair_plane p = fair_plane_of(a->triangle + 3 * i, a->from),
                            q = fair_plane_of(a->triangle + 3 * i, a->to);
    const double s = q.length / p.length, t = q.y / p.y, u = (q.x - p.x * s) / p.y; /* The map is (s u; 0 t). */
    const double sum = s * s + t * t + u * u, root = sqrt(((s - t) * (s - t) + u * u) * ((s + t) * (s + t) + u * u));
    union {
        double number;
        uint64_t word;
    } bits;
    bits.number = (sum + root) / (2.0 * s * t);
    a->ratio[i] = bits.number;
    a->area[i] = p.length * p.y / 2.0;
    a->key[i] = bits.word;
}
#endif
