/* SPDX-License-Identifier: Apache-2.0 */
/* patch_split: flags the cells of a level that are patches, and those that are split or, on the last level, left.
 * Shapes  features, cell[n] u64 -> patch[n], split[n] i32
 * Launch  item, n cells
 * Cost    about 40 B
 * Result  1 or 0. A hole is no patch, and on the last level it is not left.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.37 */
#ifndef SDD_K_PATCH_SPLIT_H
#define SDD_K_PATCH_SPLIT_H
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_split_args {
    struct sdd_features features;
    const uint64_t *cell;
    int32_t *patch, *split;
    int32_t level, last;
};

SDD_FN void k_patch_split(int64_t i, const struct patch_split_args *a)
{
    struct sdd_cell c = sdd_patch_cell(&a->features.mesh, a->cell[i], a->level);
    int32_t split = sdd_cell_is_split(&a->features, a->level, c), visible = sdd_is_visible(&a->features, c.q);
    a->split[i] = split && (visible || !a->last);
    a->patch[i] = !split && visible;
}
#endif
