/* SPDX-License-Identifier: Apache-2.0 */
/* patch_corner_keys: keys of the corners of the faces that are left, for their limits.
 * Shapes  control mesh, cell[.] u64, list[n] u32 (rows of cell) -> key[n][4] u64 (grid.h), value[n][4] i32
 * Launch  item, n faces
 * Cost    48 B written
 * Result  Keys come with repetitions; values are 0, 1, 2 and so on.
 * Threads any queue */
#ifndef SDD_K_PATCH_CORNER_KEYS_H
#define SDD_K_PATCH_CORNER_KEYS_H
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_corner_keys_args {
    struct sdd_control mesh;
    const uint64_t *cell;
    const uint32_t *list;
    uint64_t *key;
    int32_t *value;
    int32_t level;
};

SDD_FN void k_patch_corner_keys(int64_t i, const struct patch_corner_keys_args *a)
{
    struct sdd_cell c = sdd_patch_cell(&a->mesh, a->cell[a->list[i]], a->level);
    for (int32_t k = 0; k < 4; k++, c = sdd_cell_next(&a->mesh, a->level, c)) {
        a->key[4 * i + k] = sdd_cell_number(&a->mesh, a->level, c);
        a->value[4 * i + k] = (int32_t)(4 * i + k);
    }
}
#endif
