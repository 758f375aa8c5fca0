/* SPDX-License-Identifier: Apache-2.0 */
/* spla_fill: the second pass of a mapped product C = A [Q, gamma] B^T: a key and a value for each collision.
 * Shapes  product, B of n entries, end[n] i32 (inclusive scan of spla_count) -> key[P] u64 = column << bits | row of C,
 *         value[P] i32, P = end[n - 1]
 * Launch  item, n entries of B
 * Cost    that of spla_count, and 12 B written a collision
 * Result  The collisions of an entry of C are in the order of A's and B's columns; a stable sort by key keeps that.
 * Threads any queue
 * Source  Mlakar 2018, algorithm 2, equation 4.7 */
#ifndef SDD_K_SPLA_FILL_H
#define SDD_K_SPLA_FILL_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_fill_args {
    struct sdd_product p;
    const int32_t *end;
    uint64_t *key;
    int32_t *value;
    int32_t bits;
};

SDD_FN void k_spla_fill(int64_t z, const struct spla_fill_args *a)
{
    uint32_t k = sdd_spla_column(&a->p.b, (uint32_t)z), w;
    int32_t at = z ? a->end[z - 1] : 0, width = sdd_product_width(&a->p, k);
    for (int32_t t = 0; t < width; t++) {
        int32_t q = sdd_product_meet(&a->p, k, (uint32_t)z, t, &w);
        if (!q)
            continue;
        a->key[at] = (uint64_t)sdd_spla_row(&a->p.b, (uint32_t)z) << a->bits | sdd_spla_row(&a->p.a, w);
        a->value[at++] = a->p.gamma == SDD_GAMMA_FACE ? (int32_t)k : q;
    }
}
#endif
