/* SPDX-License-Identifier: Apache-2.0 */
/* patch_keys: keys of the points that the cells of a level need: their own and those of the cells around them. The
 * faces at an irregular vertex are cells themselves, so 16 points a cell are enough at any valence.
 * Shapes  features, cell[n] u64 -> key[n][16] u64 (grid.h), with repetitions, value[n][16] i32 (0, 1, 2 and so on)
 * Launch  item, n cells
 * Cost    192 B written
 * Result  A face that is left on the last level gives only its own points, repeated, unless limits need those around
 *         it.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.38 */
#ifndef SDD_K_PATCH_KEYS_H
#define SDD_K_PATCH_KEYS_H
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_keys_args {
    struct sdd_features features;
    const uint64_t *cell;
    uint64_t *key;
    int32_t *value;
    int32_t level, bare; /* `bare` says that this is the last level and that no limits are wanted. */
};

SDD_FN void k_patch_keys(int64_t i, const struct patch_keys_args *a)
{
    const struct sdd_control *m = &a->features.mesh;
    struct sdd_cell c = sdd_patch_cell(m, a->cell[i], a->level);
    uint64_t key[16];
    if (a->bare && sdd_cell_is_split(&a->features, a->level, c)) {
        for (int32_t k = 0; k < 16; k++, c = sdd_cell_next(m, a->level, c))
            key[k] = k < 4 ? sdd_cell_number(m, a->level, c) : key[k - 4];
    } else {
        (void)sdd_patch_points(m, a->level, c, key);
    }
    for (int32_t k = 0; k < 16; k++) {
        a->key[16 * i + k] = key[k];
        a->value[16 * i + k] = (int32_t)(16 * i + k);
    }
}
#endif
