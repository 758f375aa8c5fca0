/* SPDX-License-Identifier: Apache-2.0 */
/* tri_uvs.cuh: kernels/tri_uvs.h for a block an item. */
#ifndef SDD_TRI_UVS_CUH
#define SDD_TRI_UVS_CUH
#include "gpu/device/cuda/row_items.cuh"
#include "gpu/refine/kernels/tri_uvs.k.h"

SDD_ROW_ITEMS(tri_uvs, SDD_LINEAR_EACH, sdd_tri_uv_put(&a, (uint32_t)i))
#endif
