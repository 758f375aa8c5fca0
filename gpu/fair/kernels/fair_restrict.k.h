/* SPDX-License-Identifier: Apache-2.0 */
/* fair_restrict: what is left to solve, summed over groups.
 * Shapes  level (fair_cycle.dev.h), b, x[n][4] f64, begin[groups + 1], member[n] u32 -> out[groups][4] f64
 * Launch  item, n = groups
 * Cost    44 B an entry
 * Result  The sums of b - A x over the members of each group, in order.
 * Threads any queue */
#ifndef SDD_K_FAIR_RESTRICT_H
#define SDD_K_FAIR_RESTRICT_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_restrict_args {
    struct fair_level level;
    const double *b, *x;
    const uint32_t *begin, *member;
    double *out;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
};

SDD_FN void k_fair_restrict(int64_t i, const struct fair_restrict_args *a)
{
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    if (a->solver->done)
        return;
    for (uint32_t k = a->begin[i]; k < a->begin[i + 1]; k++)
        sum = fair_add(sum, 1.0, fair_residual(&a->level, a->b, a->x, a->member[k]));
    fair_put(a->out, (uint32_t)i, sum);
}
#endif
