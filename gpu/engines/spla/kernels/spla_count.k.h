/* SPDX-License-Identifier: Apache-2.0 */
/* spla_count: the first pass of a mapped product C = A [Q, gamma] B^T: how many collisions each entry of B makes.
 * Shapes  product, B of n entries -> count[n] i32
 * Launch  item, n entries of B
 * Cost    a lookup for each entry of the face; for circulants over a cyclic A, for each power
 * Result  the number of pairs of entries of one column whose map value is not 0
 * Threads any queue
 * Source  Mlakar 2018, algorithm 2, symbolic pass */
#ifndef SDD_K_SPLA_COUNT_H
#define SDD_K_SPLA_COUNT_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_count_args {
    struct sdd_product p;
    int32_t *count;
};

SDD_FN void k_spla_count(int64_t z, const struct spla_count_args *a)
{
    uint32_t k = sdd_spla_column(&a->p.b, (uint32_t)z), w;
    int32_t n = 0, width = sdd_product_width(&a->p, k);
    for (int32_t t = 0; t < width; t++)
        n += sdd_product_meet(&a->p, k, (uint32_t)z, t, &w) != 0;
    a->count[z] = n;
}
#endif
