/* SPDX-License-Identifier: Apache-2.0 */
/* smooth_mean: a step of uniform smoothing. It is a kernel of its own because the other methods need so many registers
 * that few of its threads would wait for memory at once.
 * Shapes  rows: VV, neighbors, from[V][3] f32 -> to[V][3] f32
 * Launch  query, n = V
 * Cost    about 16 B (cached) read a neighbour, 12 B written
 * Result  as smooth_step
 * Threads any queue */
#ifndef SDD_K_SMOOTH_MEAN_H
#define SDD_K_SMOOTH_MEAN_H
#include "gpu/fields/kernels/smooth.dev.h"

struct smooth_mean_args {
    struct sdd_query_rows rows;
    struct sdd_neighbors neighbors;
    const float *from;
    float *to;
    double strength;
    int32_t keeps_rim;
};

SDD_FN void k_smooth_mean(int64_t v, struct sdd_query_row row, int32_t n, const struct smooth_mean_args *a)
{
    const struct sdd_real3 p = sdd_point_of(a->from, (uint32_t)v);
    struct sdd_real3 way = sdd_real3_of(0.0, 0.0, 0.0);
    if (sdd_on_rim(&a->neighbors, (uint32_t)v)) {
        if (!a->keeps_rim)
            way = sdd_way_along_rim(&a->neighbors, a->from, (uint32_t)v, row, n, p);
    } else {
        SDD_UNROLL(4)
        for (int32_t k = 0; k < n; k++)
            way = sdd_plus(way, 1.0, sdd_minus(sdd_point_of(a->from, sdd_neighbor(row, k)), p));
        way = sdd_mean(way, (double)n);
    }
    sdd_smooth_to(a->to, (uint32_t)v, p, a->strength, way);
}
#endif
