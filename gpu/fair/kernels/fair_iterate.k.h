/* SPDX-License-Identifier: Apache-2.0 */
/* fair_iterate: what the next inverse iteration solves, X x = M l, and where it begins.
 * Shapes  mass[n] f64, sum[5] f64: four of l . M l, and l . X l -> x[n][4] f64: l before, changed; b[n][4] f64
 * Launch  item, n rows
 * Cost    104 B a row
 * Result  l is scaled to length 1 under M; b = M l, and x = l divided by its Rayleigh quotient, at least `least`.
 * Threads any queue */
#ifndef SDD_K_FAIR_ITERATE_H
#define SDD_K_FAIR_ITERATE_H
#include "gpu/fair/fair.dev.h"

struct fair_iterate_args {
    const double *mass, *sum;
    double *x, *b;
    double least;
};

SDD_FN void k_fair_iterate(int64_t i, const struct fair_iterate_args *a)
{
    const double square = a->sum[0] + a->sum[1] + a->sum[2] + a->sum[3];
    const double size = sqrt(square), quotient = a->sum[4] / square;
    const struct fair_quat l = fair_scale(1.0 / size, fair_get(a->x, (uint32_t)i));
    fair_put(a->b, (uint32_t)i, fair_scale(a->mass[i], l));
    fair_put(a->x, (uint32_t)i, fair_scale(1.0 / (quotient > a->least ? quotient : a->least), l));
}
#endif
