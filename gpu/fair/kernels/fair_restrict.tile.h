/* SPDX-License-Identifier: Apache-2.0 */
/* fair_restrict: what is left to solve, summed over groups.
 * Shapes  level (fair_cycle.dev.h), b, x[n][4] f64, begin[groups + 1], member[n] u32 -> left[n][4], out[groups][4] f64
 * Launch  tile, FAIR_GROUPS groups each
 * Cost    44 B an entry, 96 B a row
 * Result  left = b - A x; out has its sums over the members of each group, in order.
 * Threads any queue */
#ifndef SDD_K_FAIR_RESTRICT_H
#define SDD_K_FAIR_RESTRICT_H
#include "gpu/fair/fair_cycle.dev.h"

#define FAIR_GROUPS 64 /* They have about as many members as a block has threads. */

struct fair_restrict_args {
    struct fair_level level;
    const double *b, *x;
    const uint32_t *begin, *member;
    double *left, *out;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
    int64_t n_groups;
};

enum { fair_restrict_threads = 256 };

SDD_FN void k_fair_restrict(int64_t tile, const struct fair_restrict_args *a)
{
    const int64_t first = tile * FAIR_GROUPS, left = a->n_groups - first;
    const int32_t n = left < FAIR_GROUPS ? (int32_t)left : FAIR_GROUPS;
    if (a->solver->done)
        return;
    const uint32_t from = a->begin[first], n_members = a->begin[first + n] - from;
    SDD_EACH (k, (int32_t)n_members) {
        const uint32_t i = a->member[from + (uint32_t)k];
        fair_put(a->left, i, fair_residual(&a->level, a->b, a->x, i));
    }
    SDD_SYNC;
    SDD_EACH (k, n)
        fair_put(a->out, (uint32_t)(first + k), fair_gathered(a->left, a->begin, a->member, first + k));
}
#endif
