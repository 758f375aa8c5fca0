/* SPDX-License-Identifier: Apache-2.0 */
/* fair_coarsest: solves the last level by its inverse.
 * Shapes  inverse[n][n], b[n][4] f64 -> x[n][4] f64
 * Launch  item, n rows
 * Cost    8 B an entry
 * Result  inverse times b.
 * Threads any queue */
#ifndef SDD_K_FAIR_COARSEST_H
#define SDD_K_FAIR_COARSEST_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_coarsest_args {
    const double *inverse, *b;
    double *x;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
    int64_t n;
};

SDD_FN void k_fair_coarsest(int64_t i, const struct fair_coarsest_args *a)
{
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    if (a->solver->done)
        return;
    for (int64_t j = 0; j < a->n; j++)
        sum = fair_add(sum, a->inverse[i * a->n + j], fair_get(a->b, (uint32_t)j));
    fair_put(a->x, (uint32_t)i, sum);
}
#endif
