/* SPDX-License-Identifier: Apache-2.0 */
/* point_check: finds the first control point that is NaN, infinite or too large.
 * Shapes  p[n][3] f32 -> error[1] u64
 * Launch  item, n = points
 * Cost    12 B read a point
 * Result  error = min(error, index of the point); it is left alone when all are good.
 * Threads any queue */
#ifndef SDD_K_POINT_CHECK_H
#define SDD_K_POINT_CHECK_H
#include "gpu/kernel/kernel.h"

struct point_check_args {
    const float *p;
    uint64_t *error;
    float limit; /* The largest allowed magnitude, which is finite. */
};

SDD_FN void k_point_check(int64_t i, const struct point_check_args *a)
{
    const float *p = a->p + 3 * i;
    /* Written so that a NaN fails the comparison. */
    if (!(fabsf(p[0]) <= a->limit && fabsf(p[1]) <= a->limit && fabsf(p[2]) <= a->limit))
        sdd_atomic_min(a->error, (uint64_t)i);
}
#endif
