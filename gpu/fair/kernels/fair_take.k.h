/* SPDX-License-Identifier: Apache-2.0 */
/* fair_take: takes from a vector its parts along vectors that are orthonormal.
 * Shapes  basis[k][stride] f64, coefficient[k] f64 -> vector[n] f64, changed
 * Launch  item, n items
 * Cost    8 k + 16 B an item
 * Result  vector -= sum of coefficient[j] basis[j], one after the other.
 * Threads any queue */
#ifndef SDD_K_FAIR_TAKE_H
#define SDD_K_FAIR_TAKE_H
#include "gpu/fair/fair.dev.h"

struct fair_take_args {
    const double *basis, *coefficient;
    double *vector;
    int64_t stride;
    int32_t k;
};

SDD_FN void k_fair_take(int64_t i, const struct fair_take_args *a)
{
    double value = a->vector[i];
    for (int32_t j = 0; j < a->k; j++)
        value -= a->coefficient[j] * a->basis[i + j * a->stride];
    a->vector[i] = value;
}
#endif
