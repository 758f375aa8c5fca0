/* SPDX-License-Identifier: Apache-2.0 */
/* table_read: marks the rows of level 1 that are columns of pieces.
 * Shapes  column[n] u32 -> read[V + F + E] u32
 * Launch  item, n
 * Cost    4 B read a column, 4 B written, scattered
 * Result  read becomes 1 where a column names the row; other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_TABLE_READ_H
#define SDD_K_TABLE_READ_H
#include "gpu/kernel/kernel.h"

struct table_read_args {
    const uint32_t *column;
    uint32_t *read;
};

SDD_FN void k_table_read(int64_t i, const struct table_read_args *a)
{
    sdd_mark(a->read + a->column[i]);
}
#endif
