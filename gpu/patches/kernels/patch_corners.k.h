/* SPDX-License-Identifier: Apache-2.0 */
/* patch_corners: flags the control faces that are patches, and those that are split.
 * Shapes  features -> patch[C] i32, at the first corner of each, split[C] i32, at each corner
 * Launch  item, n = C
 * Cost    about 40 B read a corner
 * Result  1 or 0. A hole is no patch; it is split where its neighbours would be.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.35 */
#ifndef SDD_K_PATCH_CORNERS_H
#define SDD_K_PATCH_CORNERS_H
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_corners_args {
    struct sdd_features features;
    int32_t *patch, *split;
};

SDD_FN void k_patch_corners(int64_t c, const struct patch_corners_args *a)
{
    const struct sdd_control *m = &a->features.mesh;
    uint32_t f = sdd_face(&m->faces, (uint32_t)c), first = f ? (uint32_t)m->face_end[f - 1] : 0;
    int32_t split = sdd_cell_is_split(&a->features, 0, sdd_cell_at((uint32_t)c, 0, 0, 0));
    a->split[c] = split;
    a->patch[c] = !split && first == (uint32_t)c && sdd_is_visible(&a->features, (uint32_t)c);
}
#endif
