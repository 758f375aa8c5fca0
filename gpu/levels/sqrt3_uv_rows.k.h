/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_uv_rows: the rows of UV values that have one for each corner of the faces (sqrt3_uvs): 0, 1, 2, ..
 * Shapes  -> row[n] u32      Shape  item, n = corners      Cost  4 B written a corner
 * Result  row i is i      Threads any queue */
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
