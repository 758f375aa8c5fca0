/* SPDX-License-Identifier: Apache-2.0 */
/* fair_unit: scales a vector to length 1, or to nothing where hardly anything of it is left.
 * Shapes  square[1] f64: the square of its length -> vector[n] f64, changed
 * Launch  item, n items
 * Cost    16 B an item
 * Result  Zeros where the length is at most `least`.
 * Threads any queue */
#ifndef SDD_K_FAIR_UNIT_H
#define SDD_K_FAIR_UNIT_H
#include "gpu/fair/fair.dev.h"

struct fair_unit_args {
    const double *square;
    double *vector;
    double least;
};

SDD_FN void k_fair_unit(int64_t i, const struct fair_unit_args *a)
{
    const double size = sqrt(*a->square);
    a->vector[i] = size > a->least ? a->vector[i] / size : 0.0;
}
#endif
