/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals_oct16: table_normals of all rows, by_pieces, in 16 bits a number (rows_out.h).
 * Shapes  as table_normals, `to` rows of i16[2]      Shape  as table_normals      Cost  as table_normals, 4 B written a row
 * Result  table_normals, quantised      Threads any queue */
#ifndef SDD_K_TABLE_NORMALS_OCT16_H
#define SDD_K_TABLE_NORMALS_OCT16_H
#include "gpu/engines/tabulated/kernels/table_normals.k.h"

struct table_normals_oct16_args {
    struct table_normals_args base;
};

#ifndef __CUDACC__
SDD_FN void k_table_normals_oct16(int64_t i, const struct table_normals_oct16_args *a)
{
    k_table_normals(i, &a->base);
}
#endif
#endif
