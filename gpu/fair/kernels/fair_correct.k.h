/* SPDX-License-Identifier: Apache-2.0 */
/* fair_correct: adds the coarse correction, and makes the first damped Jacobi step after it.
 * Shapes  level (fair_cycle.dev.h), b, x[n][4], coarse[groups][4] f64 -> out[n][4] f64
 * Launch  item, n rows
 * Cost    80 B an entry
 * Result  y = x + 1.6 coarse[group], out = y + d (b - A y); y is made again at each entry.
 * Threads any queue */
#ifndef SDD_K_FAIR_CORRECT_H
#define SDD_K_FAIR_CORRECT_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_correct_args {
    struct fair_level level;
    const double *b, *x, *coarse;
    double *out;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
};

SDD_FN void k_fair_correct(int64_t i, const struct fair_correct_args *a)
{
    if (!a->solver->done)
        fair_put(a->out, (uint32_t)i, fair_corrected(&a->level, a->b, a->x, a->coarse, (uint32_t)i));
}
#endif
