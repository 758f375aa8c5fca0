/* SPDX-License-Identifier: Apache-2.0 */
/* fair_relax: a damped Jacobi step.
 * Shapes  level (fair_cycle.dev.h), b, x[n][4] f64 -> out[n][4] f64
 * Launch  item, n rows
 * Cost    44 B an entry
 * Result  x + d (b - A x).
 * Threads any queue */
#ifndef SDD_K_FAIR_RELAX_H
#define SDD_K_FAIR_RELAX_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_relax_args {
    struct fair_level level;
    const double *b, *x;
    double *out;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
};

SDD_FN void k_fair_relax(int64_t i, const struct fair_relax_args *a)
{
    const uint32_t row = (uint32_t)i;
    if (!a->solver->done)
        fair_put(a->out, row,
                 fair_add(fair_get(a->x, row), a->level.inverse[row], fair_residual(&a->level, a->b, a->x, row)));
}
#endif
