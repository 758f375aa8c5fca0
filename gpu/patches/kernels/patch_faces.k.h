/* SPDX-License-Identifier: Apache-2.0 */
/* patch_faces: writes the faces of the last level that no patch covers, as quads: their four points and where they lie
 * on the control mesh (sdd.h, patch_params).
 * Shapes  control mesh, cell[.] u64, list[n] u32 (rows of cell), location[.][16 or 4] u32 -> index, param[n][4] u32
 * Launch  item, n faces
 * Cost    16 B read, 32 B written
 * Result  index[i] has the rows of face i's four points, each of them `base` + a location. With `limits` there is a row
 *         of four for each face. Without, there is a row of 16 for each cell, which begins with the four corners.
 * Threads any queue */
#ifndef SDD_K_PATCH_FACES_H
#define SDD_K_PATCH_FACES_H
#include "gpu/patches/kernels/patch_param.dev.h"

struct patch_faces_args {
    struct sdd_control mesh;
    const uint64_t *cell;
    const uint32_t *list, *location;
    struct sdd_quad *index, *param;
    uint32_t base;
    int32_t level, limits; /* `limits` is 1 for limit points, else 0. */
};

SDD_FN void k_patch_faces(int64_t i, const struct patch_faces_args *a)
{
    const uint32_t *location = a->location + (a->limits ? 4 * (size_t)i : 16 * (size_t)a->list[i]);
    struct sdd_quad q;
    for (int32_t k = 0; k < 4; k++)
        q.v[k] = a->base + location[k];
    a->index[i] = q;
    a->param[i] = sdd_patch_param(&a->mesh, a->cell[a->list[i]], a->level, 0);
}
#endif
