/* SPDX-License-Identifier: Apache-2.0 */
/* fair_load: the points of the rows, in double.
 * Shapes  vertex[n] u32, points[V][3] f32 -> out[n][4] f64
 * Launch  item, n rows
 * Cost    16 B read, 32 B written a row
 * Result  (0, x, y, z).
 * Threads any queue */
#ifndef SDD_K_FAIR_LOAD_H
#define SDD_K_FAIR_LOAD_H
#include "gpu/fair/fair.dev.h"

struct fair_load_args {
    const uint32_t *vertex;
    const float *points;
    double *out;
};

SDD_FN void k_fair_load(int64_t i, const struct fair_load_args *a)
{
    const float *p = a->points + 3 * (size_t)a->vertex[i];
    fair_put(a->out, (uint32_t)i, fair_quat_of(0.0, (double)p[0], (double)p[1], (double)p[2]));
}
#endif
