/* SPDX-License-Identifier: Apache-2.0 */
/* tab_rows.cuh: kernels/tab_rows.h for a block an item. */
#ifndef SDD_TAB_ROWS_CUH
#define SDD_TAB_ROWS_CUH
#include "gpu/device/cuda/row_items.cuh"
#include "gpu/engines/tabulated/kernels/tab_rows.k.h"

SDD_ROW_ITEMS(tab_rows, a.each, sdd_put_vec3(a.to, (uint32_t)i, sdd_tab_row_point(&a, (uint32_t)(a.first + i))))
#endif
