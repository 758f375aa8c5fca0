/* SPDX-License-Identifier: Apache-2.0 */
/* smooth_rate: the longest time of an explicit step of mean curvature flow that moves no point past its neighbours.
 * Shapes  neighbors, points[V][3] f32 -> rate[1] f64, as bits
 * Launch  item, n = V
 * Cost    about 40 B (cached) read a triangle of the vertex
 * Result  rate = min(rate, area / sum of weights) over the vertices whose weights have a sum above 0. Floats that are
 *         not negative are ordered as their bits are.
 * Threads any queue */
#ifndef SDD_K_SMOOTH_RATE_H
#define SDD_K_SMOOTH_RATE_H
#include "gpu/fields/kernels/field_ring.dev.h"

struct smooth_rate_args {
    struct sdd_neighbors neighbors;
    const float *points;
    uint64_t *rate;
};

SDD_FN void k_smooth_rate(int64_t v, const struct smooth_rate_args *a)
{
    union {
        double value;
        uint64_t bits;
    } rate;
    const struct sdd_cotangents c = sdd_cotangents_of(&a->neighbors, a->points, (uint32_t)v);
    if (!(c.weight > 0.0) || !(c.area > 0.0))
        return;
    rate.value = c.area / c.weight;
    sdd_atomic_min(a->rate, rate.bits);
}
#endif
