/* SPDX-License-Identifier: Apache-2.0 */
/* geodesic_start: puts the sources at distance 0.
 * Shapes  source[n] u32 -> distance[V] f64
 * Launch  item, n sources
 * Cost    12 B a source
 * Result  distance[source] = 0; a source may come more than once. Other distances stay.
 * Threads any queue */
#ifndef SDD_K_GEODESIC_START_H
#define SDD_K_GEODESIC_START_H
#include "gpu/kernel/kernel.h"

struct geodesic_start_args {
    const uint32_t *source;
    double *distance;
};

SDD_FN void k_geodesic_start(int64_t i, const struct geodesic_start_args *a)
{
    a->distance[a->source[i]] = 0.0;
}
#endif
