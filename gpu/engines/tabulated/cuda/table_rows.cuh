/* SPDX-License-Identifier: Apache-2.0 */
/* table_rows.cuh: kernels/table_rows.h for a block an item. */
#ifndef SDD_TABLE_ROWS_CUH
#define SDD_TABLE_ROWS_CUH
#include "gpu/device/cuda/row_items.cuh"
#include "gpu/engines/tabulated/kernels/table_rows.k.h"

SDD_ROW_ITEMS(table_rows, a.each, sdd_put_vec3(a.to, (uint32_t)i, sdd_table_row_point(&a, (uint32_t)(a.first + i))))
#endif
