/* SPDX-License-Identifier: Apache-2.0 */
/* fair_keys: the entry of the matrices that each term belongs to, as a key to sort by.
 * Shapes  triangle[T][3] u32 -> key[9 T] u64 (row << bits | column), term[9 T] i32
 * Launch  item, n = 9 T terms
 * Cost    8 B read, 12 B written a term
 * Result  Term 9 t + 3 a + b belongs to row triangle[t][a] and column triangle[t][b].
 * Threads any queue */
#ifndef SDD_K_FAIR_KEYS_H
#define SDD_K_FAIR_KEYS_H
#include "gpu/kernel/kernel.h"

struct fair_keys_args {
    const uint32_t *triangle;
    uint64_t *key;
    int32_t *term;
    int32_t bits;
};

SDD_FN void k_fair_keys(int64_t i, const struct fair_keys_args *a)
{
    const uint32_t *v = a->triangle + i / 9 * 3;
    a->key[i] = (uint64_t)v[i % 9 / 3] << a->bits | v[i % 3];
    a->term[i] = (int32_t)i;
}
#endif
