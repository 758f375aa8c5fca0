/* SPDX-License-Identifier: Apache-2.0 */
/* patch_rows: the bicubic B-spline patches of a level.
 * Shapes  features, cell[.] u64, list[n] u32 (rows of cell; on level 0 first corners), location[.][16] u32
 *         of each cell -> patch[n][16], param[n][4] u32
 * Launch  item, n patches
 * Cost    64 B read, 80 B written
 * Result  as sdd_patches says (sdd.h). Rows of positions are `base` + location, or control vertices on level 0.
 * Threads any queue
 * Source  Niessner et al. 2012 */
#ifndef SDD_K_PATCH_ROWS_H
#define SDD_K_PATCH_ROWS_H
#include "gpu/patches/kernels/patch_param.dev.h"

struct patch_rows_args {
    struct sdd_features features;
    const uint64_t *cell;
    const uint32_t *list, *location;
    struct sdd_quad *patch, *param;
    uint32_t base;
    int32_t level, last; /* `last` says that nothing is split any more. */
};

SDD_FN void k_patch_rows(int64_t i, const struct patch_rows_args *a)
{
    const struct sdd_control *m = &a->features.mesh;
    uint64_t cell = a->level ? a->cell[a->list[i]] : a->list[i], number[16];
    struct sdd_cell c = sdd_patch_cell(m, cell, a->level);
    uint32_t flags = 0;
    if (a->level == 0)
        (void)sdd_patch_points(m, 0, c, number);
    for (int32_t k = 0; k < 16; k++)
        a->patch[4 * i + (k >> 2)].v[k & 3] =
            a->level ? a->base + a->location[16 * (size_t)a->list[i] + (size_t)k] : (uint32_t)number[k];
    for (int32_t k = 0; k < 4; k++, c = sdd_cell_next(m, a->level, c)) {
        struct sdd_across there = sdd_cell_across(m, a->level, c);
        flags |= there.blocked ? (uint32_t)SDD_FLAG_BOUNDARY << k : 0;
        if (!a->last && there.there && sdd_cell_is_split(&a->features, a->level, there.cell) &&
            sdd_is_visible(&a->features, there.cell.q))
            flags |= (uint32_t)SDD_FLAG_TRANSITION << k;
    }
    a->param[i] = sdd_patch_param(m, cell, a->level, flags);
}
#endif
