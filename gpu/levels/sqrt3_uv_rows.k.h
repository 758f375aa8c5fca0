/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_uv_rows: the rows 0, 1, 2 and so on, for UV values that have one row for each corner of the faces (sqrt3_uvs).
 * Shapes  -> row[n] u32
 * Launch  item, n = corners
 * Cost    4 B written a corner
 * Result  Row i is i.
 * Threads any queue */
#ifndef SDD_K_SQRT3_UV_ROWS_H
#define SDD_K_SQRT3_UV_ROWS_H
#include "gpu/kernel/kernel.h"

struct sqrt3_uv_rows_args {
    uint32_t *row;
};

SDD_FN void k_sqrt3_uv_rows(int64_t i, const struct sqrt3_uv_rows_args *a)
{
    a->row[i] = (uint32_t)i;
}
#endif
