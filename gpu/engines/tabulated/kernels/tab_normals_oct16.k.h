/* SPDX-License-Identifier: Apache-2.0 */
/* tab_normals_oct16: tab_normals of all rows, by_pieces, in 16 bits a number (rows_out.h).
 * Shapes  as tab_normals, `to` rows of i16[2]      Shape  as tab_normals      Cost  as tab_normals, 4 B written a row
 * Result  tab_normals, quantised      Threads any queue */
#ifndef SDD_K_TAB_NORMALS_OCT16_H
#define SDD_K_TAB_NORMALS_OCT16_H
#include "gpu/engines/tabulated/kernels/tab_normals.k.h"

struct tab_normals_oct16_args {
    struct tab_normals_args base;
};

#ifndef __CUDACC__
SDD_FN void k_tab_normals_oct16(int64_t i, const struct tab_normals_oct16_args *a)
{
    k_tab_normals(i, &a->base);
}
#endif
#endif
