/* SPDX-License-Identifier: Apache-2.0 */
/* spla_upper: marks the entries of a matrix above its diagonal; their inclusive scan numbers the edges of E from 1.
 * Shapes  matrix of n entries -> flag[n] i32 = 1 where row < column, else 0
 * Result  two entries (i, j) and (j, i) of a symmetric matrix have one flag between them
 * Shape   item, n entries      Cost  a search over the column pointers      Threads any queue
 * Source  Mlakar 2018, section 4.2.2 */
#ifndef SDD_K_SPLA_UPPER_H
#define SDD_K_SPLA_UPPER_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_upper_args {
    struct sdd_spla m;
    int32_t *flag;
};

SDD_FN void k_spla_upper(int64_t z, const struct spla_upper_args *a)
{
    a->flag[z] = sdd_spla_row(&a->m, (uint32_t)z) < sdd_spla_column(&a->m, (uint32_t)z);
}
#endif
