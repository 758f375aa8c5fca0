/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri_rows.cuh: kernels/tab_tri_rows.h for a block an item. */
#ifndef SDD_TAB_TRI_ROWS_CUH
#define SDD_TAB_TRI_ROWS_CUH
#include "gpu/cuda/row_items.cuh"
#include "gpu/kernels/tab_tri_rows.h"

SDD_ROW_ITEMS(tab_tri_rows, a.each, sdd_tri_put_row(&a, i))
#endif
