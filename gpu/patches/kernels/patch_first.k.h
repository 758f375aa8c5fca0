/* SPDX-License-Identifier: Apache-2.0 */
/* patch_first: the cells of level 1: four in a control quad, and one at each corner of any other face.
 * Shapes  list[n] u32 (corners of the faces that are split) -> cell[n] u64
 * Launch  item, n = corners in the list
 * Cost    30 B
 * Result  Cells ascend where list does.
 * Threads any queue */
#ifndef SDD_K_PATCH_FIRST_H
#define SDD_K_PATCH_FIRST_H
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_first_args {
    struct sdd_control mesh;
    const uint32_t *list;
    uint64_t *cell;
};

SDD_FN void k_patch_first(int64_t i, const struct patch_first_args *a)
{
    uint32_t c = a->list[i], f = sdd_face(&a->mesh.faces, c), first = f ? (uint32_t)a->mesh.face_end[f - 1] : 0;
    a->cell[i] = sdd_is_quad(&a->mesh, f) ? (uint64_t)first << 2 | (c - first) : (uint64_t)c << 2;
}
#endif
