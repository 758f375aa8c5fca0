/* SPDX-License-Identifier: Apache-2.0 */
/* fair_entries: the pattern of the matrices, from the sorted keys of their terms.
 * Shapes  key[9 T] u64, sorted, flag[9 T] i32 (run_heads), rank[9 T] i32 (inclusive scan of flag)
 *         -> row[n + 1], column[entries], begin[entries + 1], diagonal[n] u32 (fair.dev.h)
 * Launch  item, n = 9 T terms
 * Cost    32 B read a term, 12 B written an entry
 * Result  Columns ascend within a row, and the terms of an entry keep their order.
 * Threads any queue */
#ifndef SDD_K_FAIR_ENTRIES_H
#define SDD_K_FAIR_ENTRIES_H
#include "gpu/kernel/kernel.h"

struct fair_entries_args {
    const uint64_t *key;
    const int32_t *flag, *rank;
    uint32_t *row, *column, *begin, *diagonal;
    int64_t n_terms;
    uint32_t n;
    int32_t bits;
};

SDD_FN void k_fair_entries(int64_t i, const struct fair_entries_args *a)
{
    if (i == a->n_terms - 1) {
        a->row[a->n] = (uint32_t)a->rank[i];
        a->begin[a->rank[i]] = (uint32_t)a->n_terms;
    }
    if (!a->flag[i])
        return;
    const uint32_t entry = (uint32_t)a->rank[i] - 1;
    const uint32_t row = (uint32_t)(a->key[i] >> a->bits), column = (uint32_t)(a->key[i] & ((1ull << a->bits) - 1));
    a->column[entry] = column;
    a->begin[entry] = (uint32_t)i;
    if (i == 0 || a->key[i - 1] >> a->bits != row)
        a->row[row] = entry;
    if (row == column)
        a->diagonal[row] = entry;
}
#endif
