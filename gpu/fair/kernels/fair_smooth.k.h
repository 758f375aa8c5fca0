/* SPDX-License-Identifier: Apache-2.0 */
/* fair_smooth: the two damped Jacobi steps before the coarse correction, from zero.
 * Shapes  level (fair_cycle.dev.h), b[n][4] f64 -> x[n][4] f64
 * Launch  item, n rows
 * Cost    52 B an entry
 * Result  y = d b, x = y + d (b - A y), where d is the damping divided by the diagonal; y is made again at each entry.
 * Threads any queue */
#ifndef SDD_K_FAIR_SMOOTH_H
#define SDD_K_FAIR_SMOOTH_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_smooth_args {
    struct fair_level level;
    const double *b;
    double *x;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
};

SDD_FN void k_fair_smooth(int64_t i, const struct fair_smooth_args *a)
{
    if (!a->solver->done)
        fair_put(a->x, (uint32_t)i, fair_smoothed(&a->level, a->b, (uint32_t)i));
}
#endif
