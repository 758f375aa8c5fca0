/* SPDX-License-Identifier: Apache-2.0 */
/* fair_flat: finds triangles without area.
 * Shapes  triangle[T][3], face[T] u32, points[..][4] f64 -> error[1] u64, which starts as ~0
 * Launch  item, n = T triangles
 * Cost    16 B and three points read a triangle
 * Result  The lowest face that has such a triangle, or ~0.
 * Threads any queue */
#ifndef SDD_K_FAIR_FLAT_H
#define SDD_K_FAIR_FLAT_H
#include "gpu/fair/fair.dev.h"

struct fair_flat_args {
    const uint32_t *triangle, *face;
    const double *points;
    uint64_t *error;
};

SDD_FN void k_fair_flat(int64_t i, const struct fair_flat_args *a)
{
    const struct fair_quat n = fair_normal(a->triangle + 3 * i, a->points);
    if (!(fair_dot(n, n) > 0.0))
        sdd_atomic_min(a->error, a->face[i]);
}
#endif
