/* SPDX-License-Identifier: Apache-2.0 */
/* fair_direction: the next direction of conjugate gradients.
 * Shapes  z[n][4] f64 -> p[n][4] f64, changed
 * Launch  item, n rows
 * Cost    96 B a row
 * Result  p = z + beta p, or z where beta is 0 and p holds nothing yet; unchanged once the solve is done.
 * Threads any queue */
#ifndef SDD_K_FAIR_DIRECTION_H
#define SDD_K_FAIR_DIRECTION_H
#include "gpu/fair/fair.dev.h"

struct fair_direction_args {
    const double *z;
    double *p;
    const struct fair_solver *solver;
};

SDD_FN void k_fair_direction(int64_t i, const struct fair_direction_args *a)
{
    const struct fair_quat z = fair_get(a->z, (uint32_t)i);
    const double beta = a->solver->beta;
    if (!a->solver->done)
        fair_put(a->p, (uint32_t)i, beta == 0.0 ? z : fair_add(z, beta, fair_get(a->p, (uint32_t)i)));
}
#endif
