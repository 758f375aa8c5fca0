/* SPDX-License-Identifier: Apache-2.0 */
/* geodesic_values: distances as floats, and which vertices have none.
 * Shapes  distance[V] f64 -> value[V] f32, unreached[V] i32
 * Launch  item, n = V
 * Cost    8 B read and 8 B written a vertex
 * Result  unreached = 1 where the distance is infinite, else 0
 * Threads any queue */
#ifndef SDD_K_GEODESIC_VALUES_H
#define SDD_K_GEODESIC_VALUES_H
#include "gpu/kernel/kernel.h"

struct geodesic_values_args {
    const double *distance;
    float *value;
    int32_t *unreached;
};

SDD_FN void k_geodesic_values(int64_t v, const struct geodesic_values_args *a)
{
    a->value[v] = (float)a->distance[v];
    a->unreached[v] = !(a->distance[v] < (double)INFINITY);
}
#endif
