/* SPDX-License-Identifier: Apache-2.0 */
/* tri_faces: the faces of a refined triangle mesh, or of its UV mesh, in grid order.
 * Shapes  grid over 3 F corners, visible[S] u32 (corners) -> face[S / 3 m^2][3] u32, m = 2^L
 * Launch  item, n = S / 3 m^2
 * Cost    12 B written a face
 * Result  The rows are those of tri_grid.h, without the triangles that are holes.
 * Threads any queue */
#ifndef SDD_K_TRI_FACES_H
#define SDD_K_TRI_FACES_H
#include "gpu/grid/tri_grid.h"

struct tri_faces_args {
    struct sdd_grid grid;
    const uint32_t *visible; /* NULL where all corners are visible. */
    uint32_t *face;
};

SDD_FN void k_tri_faces(int64_t k, const struct tri_faces_args *a)
{
    int32_t bits = a->grid.level, m = 1 << bits, x = (int32_t)k & (m - 1), y = (int32_t)(k >> bits) & (m - 1);
    int64_t t = k >> (2 * bits);
    uint32_t c = a->visible ? a->visible[3 * t] : (uint32_t)(3 * t), *v = a->face + 3 * k;
    int inverted = x + y >= m;
    if (inverted) {
        x = m - 1 - x;
        y = m - 1 - y;
    }
    v[0] = sdd_tri_point(&a->grid, c, x + inverted, y);
    v[1] = sdd_tri_point(&a->grid, c, x + 1, y + inverted);
    v[2] = sdd_tri_point(&a->grid, c, x, y + 1);
}
#endif
