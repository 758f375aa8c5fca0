/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri_normals.cuh: kernels/tab_tri_normals.h for a block an item. */
#ifndef SDD_TAB_TRI_NORMALS_CUH
#define SDD_TAB_TRI_NORMALS_CUH
#include "gpu/cuda/row_items.cuh"
#include "gpu/kernels/tab_tri_normals.h"

SDD_ROW_ITEMS(tab_tri_normals, a.each, sdd_tri_put_normal(&a, i))
#endif
