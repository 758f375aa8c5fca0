/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive_rows.cuh: kernels/adaptive_rows.h for a block an item. */
#ifndef SDD_ADAPTIVE_ROWS_CUH
#define SDD_ADAPTIVE_ROWS_CUH
#include "gpu/device/cuda/row_items.cuh"
#include "gpu/patches/kernels/adaptive_rows.k.h"

SDD_ROW_ITEMS(adaptive_rows, a.each,
              sdd_put_vec3(a.to, (uint32_t)i, sdd_adaptive_point(&a.from, (uint32_t)(a.first + i))))
#endif
