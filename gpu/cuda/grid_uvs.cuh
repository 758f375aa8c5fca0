/* SPDX-License-Identifier: Apache-2.0 */
/* grid_uvs.cuh: kernels/grid_uvs.h for a block an item. */
#ifndef SDD_GRID_UVS_CUH
#define SDD_GRID_UVS_CUH
#include "gpu/cuda/row_items.cuh"
#include "gpu/kernels/grid_uvs.h"

SDD_ROW_ITEMS(grid_uvs, SDD_LINEAR_EACH, sdd_uv_put(&a, (uint32_t)i))
#endif
