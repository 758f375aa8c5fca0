/* SPDX-License-Identifier: Apache-2.0 */
/* visible_corners: marks the corners of faces that are not holes.
 * Result  flag 1 or 0
 * Shapes  hole[F] u32, faces -> flag[C] i32      Shape  item, n = C      Threads any queue */
#ifndef SDD_K_SHOWN_FLAGS_H
#define SDD_K_SHOWN_FLAGS_H
#include "gpu/grid/faces.h"

struct visible_corners_args {
    const uint32_t *hole;
    struct sdd_faces faces;
    int32_t *flag;
};

SDD_FN void k_visible_corners(int64_t c, const struct visible_corners_args *a)
{
    a->flag[c] = !a->hole[sdd_face(&a->faces, (uint32_t)c)];
}
#endif
