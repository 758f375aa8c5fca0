/* SPDX-License-Identifier: Apache-2.0 */
/* geodesic_round: a Jacobi round of distances over the surface.
 * Shapes  neighbors, points[V][3] f32, from[V] f64 -> to[V] f64, changed[1] u32
 * Launch  item, n = V
 * Cost    about 60 B (cached) read a triangle of the vertex, 8 B written
 * Result  to is the least of from, of the way along an edge, and of the way over a triangle whose other two distances
 *         are known. changed = 1 where that is less than from by more than 1e-6 of it.
 * Threads any queue
 * Source  Romero Calla et al. 2019, minimalistic and parallel geodesics; Novotni and Klein 2002 for the way over a
 *         triangle */
#ifndef SDD_K_GEODESIC_ROUND_H
#define SDD_K_GEODESIC_ROUND_H
#include "gpu/fields/kernels/field_ring.dev.h"

struct geodesic_round_args {
    struct sdd_neighbors neighbors;
    const float *points;
    const double *from;
    double *to;
    uint32_t *changed;
};

/* The distance of the origin from a source that is as far from b and c as tb and tc say, where the plane of the
 * triangle goes on beyond their edge; or by the nearer of the two edges, where the straight way does not come through
 * it. */
SDD_FN double sdd_over_triangle(struct sdd_real3 b, struct sdd_real3 c, double tb, double tc)
{
    const double bb = sdd_dot(b, b), cc = sdd_dot(c, c), by_b = tb + sqrt(bb), by_c = tc + sqrt(cc);
    const double edges = by_b < by_c ? by_b : by_c, side = sdd_length(sdd_minus(c, b));
    if (!(side > 0.0))
        return edges;
    /* b is at 0 and c at `side` of the x axis, the vertex above it and the source below. */
    const double x = (bb - cc + side * side) / (2.0 * side), y2 = bb - x * x;
    const double from = (tb * tb - tc * tc + side * side) / (2.0 * side), down2 = tb * tb - from * from;
    if (!(y2 > 0.0) || !(down2 >= 0.0))
        return edges;
    const double y = sqrt(y2), down = sqrt(down2), through = from + (x - from) * down / (down + y);
    if (through < 0.0 || through > side)
        return edges;
    const double way = sqrt((x - from) * (x - from) + (y + down) * (y + down));
    return way < edges ? way : edges;
}

SDD_FN void k_geodesic_round(int64_t v, const struct geodesic_round_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const struct sdd_real3 p = sdd_point_of(a->points, (uint32_t)v);
    const double before = a->from[v], far_away = (double)INFINITY;
    double least = before;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        struct sdd_fan_walk w = sdd_walk_begin(m, m->corner[k]);
        uint32_t b, c;
        while (sdd_walk_next(&w, &b, &c)) {
            const double tb = a->from[m->vert[b]], tc = a->from[m->vert[c]];
            const struct sdd_real3 pb = sdd_minus(sdd_point_of(a->points, m->vert[b]), p);
            const struct sdd_real3 pc = sdd_minus(sdd_point_of(a->points, m->vert[c]), p);
            double t = far_away;
            if (tb < far_away && tc < far_away)
                t = sdd_over_triangle(pb, pc, tb, tc);
            else if (tb < far_away)
                t = tb + sdd_length(pb);
            else if (tc < far_away)
                t = tc + sdd_length(pc);
            least = t < least ? t : least;
        }
    }
    a->to[v] = least;
    if (least < before && !(before - least <= 1e-6 * before))
        sdd_mark(a->changed);
}
#endif
