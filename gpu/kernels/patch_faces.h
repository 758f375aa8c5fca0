/* SPDX-License-Identifier: Apache-2.0 */
/* patch_faces: the faces that are left on the last level.
 * Shapes  control mesh, cell[.] u64, list[n] u32 (rows of cell), key[n_keys] u64 -> index[n] (4 rows of positions, of
 *         which the key's first is row `base`), param[n][4] u32
 * Shape   item, n faces      Cost  32 B written, 4 binary searches      Threads any queue */
#ifndef SDD_K_PATCH_FACES_H
#define SDD_K_PATCH_FACES_H
#include "gpu/kernels/patch_param.h"

struct patch_faces_args {
    struct sdd_control mesh;
    const uint64_t *cell, *key;
    const uint32_t *list;
    struct sdd_quad *index, *param;
    uint32_t n_keys, base;
    int32_t level;
};

SDD_FN void k_patch_faces(int64_t i, const struct patch_faces_args *a)
{
    uint64_t cell = a->cell[a->list[i]];
    struct sdd_cell c = sdd_patch_cell(&a->mesh, cell, a->level);
    struct sdd_quad q;
    for (int32_t k = 0; k < 4; k++, c = sdd_cell_next(&a->mesh, a->level, c))
        q.v[k] = a->base + sdd_find_key(a->key, a->n_keys, sdd_cell_number(&a->mesh, a->level, c));
    a->index[i] = q;
    a->param[i] = sdd_patch_param(&a->mesh, cell, a->level, 0);
}
#endif
