/* SPDX-License-Identifier: Apache-2.0 */
/* fair_store: rounds the points of the rows to the vertices that they are.
 * Shapes  vertex[n] u32, from[n][4] f64 -> points[V][3] f32
 * Launch  item, n rows
 * Cost    36 B read, 12 B written a row
 * Result  Vertices without a row keep what they have.
 * Threads any queue */
#ifndef SDD_K_FAIR_STORE_H
#define SDD_K_FAIR_STORE_H
#include "gpu/fair/fair.dev.h"

struct fair_store_args {
    const uint32_t *vertex;
    const double *from;
    float *points;
};

SDD_FN void k_fair_store(int64_t i, const struct fair_store_args *a)
{
    const struct fair_quat p = fair_get(a->from, (uint32_t)i);
    float *to = a->points + 3 * (size_t)a->vertex[i];
    to[0] = (float)p.x;
    to[1] = (float)p.y;
    to[2] = (float)p.z;
}
#endif
