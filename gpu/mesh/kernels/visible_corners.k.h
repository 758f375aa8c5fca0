/* SPDX-License-Identifier: Apache-2.0 */
/* visible_corners: flags the corners of faces that are not holes.
 * Shapes  hole[F] u32, faces -> flag[C] i32
 * Launch  item, n = C
 * Result  1 or 0
 * Threads any queue */
#ifndef SDD_K_VISIBLE_CORNERS_H
#define SDD_K_VISIBLE_CORNERS_H
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
