/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_normals_16: table_points_normals in 16 bits a number, both.
 * Shapes  as table_points_normals, rows of u16[4] and i16[2]      Shape  as table_points_normals      Cost  as both
 * Result  table_points_normals, quantised      Threads any queue */
#ifndef SDD_K_TABLE_FRAME_16_H
#define SDD_K_TABLE_FRAME_16_H
#include "gpu/engines/tabulated/kernels/table_points_normals.k.h"

struct table_points_normals_16_args {
    struct table_points_normals_args base;
};

#ifndef __CUDACC__
SDD_FN void k_table_points_normals_16(int64_t i, const struct table_points_normals_16_args *a)
{
    k_table_points_normals(i, &a->base);
}
#endif
#endif
