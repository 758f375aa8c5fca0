/* SPDX-License-Identifier: Apache-2.0 */
/* smooth_step: a step of smoothing by any method but the uniform one (smooth_mean).
 * Shapes  rows: VV, neighbors, from[V][3] f32, rate[1] f64 (smooth_rate) -> to[V][3] f32
 * Launch  query, n = V
 * Cost    about 40 B (cached) read a triangle of the vertex; 12 B written
 * Result  as sdd_fields.h tells of each method. Sums run in the order of the row. Vertices without neighbours stay.
 * Threads any queue
 * Source  Fleishman et al. 2003, bilateral mesh denoising; Desbrun et al. 1999 */
#ifndef SDD_K_SMOOTH_STEP_H
#define SDD_K_SMOOTH_STEP_H
#include "gpu/fields/kernels/smooth.dev.h"

struct smooth_step_args {
    struct sdd_query_rows rows;
    struct sdd_neighbors neighbors;
    const float *from;
    const double *rate; /* Of SDD_BY_CURVATURE (smooth_rate). */
    float *to;
    double strength;
    int32_t method, keeps_rim;
};

/* The bilateral mean of the heights of the neighbours above the tangent plane, along the normal. */
SDD_FN struct sdd_real3 sdd_way_by_heights(const struct smooth_step_args *a, uint32_t v, struct sdd_query_row row,
                                           int32_t n, struct sdd_real3 p)
{
    const struct sdd_real3 normal = sdd_normal_of(&a->neighbors, a->from, v);
    double far2 = 0.0, high2 = 0.0, sum = 0.0, weights = 0.0;
    for (int32_t k = 0; k < n; k++) {
        const struct sdd_real3 way = sdd_minus(sdd_point_of(a->from, sdd_neighbor(row, k)), p);
        const double h = sdd_dot(way, normal);
        far2 += sdd_dot(way, way) / (double)n;
        high2 += h * h / (double)n;
    }
    for (int32_t k = 0; k < n; k++) {
        const struct sdd_real3 way = sdd_minus(sdd_point_of(a->from, sdd_neighbor(row, k)), p);
        const double h = sdd_dot(way, normal), d2 = sdd_dot(way, way);
        const double w =
            (far2 > 0.0 ? sdd_decay(d2 / (2.0 * far2)) : 1.0) * (high2 > 0.0 ? sdd_decay(h * h / (2.0 * high2)) : 1.0);
        sum += w * h;
        weights += w;
    }
    return sdd_plus(sdd_real3_of(0.0, 0.0, 0.0), weights > 0.0 ? sum / weights : 0.0, normal);
}

SDD_FN void k_smooth_step(int64_t v, struct sdd_query_row row, int32_t n, const struct smooth_step_args *a)
{
    const struct sdd_real3 p = sdd_point_of(a->from, (uint32_t)v);
    const int rim = sdd_on_rim(&a->neighbors, (uint32_t)v);
    struct sdd_real3 way = sdd_real3_of(0.0, 0.0, 0.0);
    if (rim && !a->keeps_rim) {
        way = sdd_way_along_rim(&a->neighbors, a->from, (uint32_t)v, row, n, p);
    } else if (!rim && a->method == SDD_BY_HEIGHTS) {
        way = sdd_way_by_heights(a, (uint32_t)v, row, n, p);
    } else if (!rim) {
        const struct sdd_cotangents c = sdd_cotangents_of(&a->neighbors, a->from, (uint32_t)v);
        const double by = a->method == SDD_BY_CURVATURE ? *a->rate / c.area : 1.0 / c.weight;
        if (c.area > 0.0 && c.weight > 0.0)
            way = sdd_plus(way, by, c.pull);
    }
    sdd_smooth_to(a->to, (uint32_t)v, p, a->strength, way);
}
#endif
