/* SPDX-License-Identifier: Apache-2.0 */
/* spla_upper: flags the entries of a matrix above its diagonal; the inclusive scan of the flags numbers the edges of E
 * from 1.
 * Shapes  matrix of n entries -> flag[n] i32
 * Launch  item, n entries
 * Cost    a search over the column pointers
 * Result  1 where row < column, else 0, so that the entries (i, j) and (j, i) of a symmetric matrix have one 1 between
 *         them.
 * Threads any queue
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
