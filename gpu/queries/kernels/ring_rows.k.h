/* SPDX-License-Identifier: Apache-2.0 */
/* ring_rows: the rows of a ring from its sorted keys.
 * Shapes  key[n] u64, sorted -> begin, end [rows] u32, ids[n] u32
 * Launch  item, n keys
 * Cost    24 B read a key (16 cached), 4 B written, and 8 a row
 * Result  Row r has ids begin[r] to end[r] - 1. Rows without keys keep what begin and end held; the caller zeroes them.
 * Threads any queue */
#ifndef SDD_K_RING_ROWS_H
#define SDD_K_RING_ROWS_H
#include "gpu/kernel/kernel.h"

struct ring_rows_args {
    const uint64_t *key;
    uint32_t *begin, *end, *ids;
    int64_t n;
    int32_t bits; /* A key is row << bits | id. */
};

SDD_FN void k_ring_rows(int64_t i, const struct ring_rows_args *a)
{
    const uint64_t row = a->key[i] >> a->bits;
    if (i == 0 || a->key[i - 1] >> a->bits != row)
        a->begin[row] = (uint32_t)i;
    if (i + 1 == a->n || a->key[i + 1] >> a->bits != row)
        a->end[row] = (uint32_t)i + 1;
    a->ids[i] = (uint32_t)(a->key[i] & (((uint64_t)1 << a->bits) - 1));
}
#endif
