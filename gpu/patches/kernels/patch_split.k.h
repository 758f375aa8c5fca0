/* SPDX-License-Identifier: Apache-2.0 */
/* patch_split: which cells of a level are patches, and which are split, or left if the level is the last.
 * Shapes  features, cell[n] u64 -> patch[n], split[n] i32, 1 or 0
 * Result  a hole is no patch, and on the last level it is not left
 * Shape   item, n cells      Cost  about 40 B      Source  Mlakar 2018, equation 4.37      Threads any queue */
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
    int32_t split = sdd_cell_is_split(&a->features, a->level, c), shown = sdd_is_visible(&a->features, c.q);
    a->split[i] = split && (shown || !a->last);
    a->patch[i] = !split && shown;
}
#endif
