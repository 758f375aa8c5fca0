/* SPDX-License-Identifier: Apache-2.0 */
/* midpoints: the middle of each edge.
 * Shapes  ends[E][2] u32 rows of p, p[V][3] f32 -> out[E][3] f32
 * Launch  item, n = E      Cost  32 B read and 12 B written an edge
 * Result  same bits on every backend; out must not overlap p
 * Threads any queue */
#ifndef SDD_K_MIDPOINTS_H
#define SDD_K_MIDPOINTS_H
#include "gpu/kernel/kernel.h"

struct midpoints_args {
    const uint32_t *ends;
    const float *p;
    float *out;
};

SDD_FN void k_midpoints(int64_t i, const struct midpoints_args *a)
{
    const float *from = a->p + 3 * (size_t)a->ends[2 * i], *to = a->p + 3 * (size_t)a->ends[2 * i + 1];
    for (int k = 0; k < 3; k++)
        a->out[3 * i + k] = 0.5f * (from[k] + to[k]);
}
#endif
