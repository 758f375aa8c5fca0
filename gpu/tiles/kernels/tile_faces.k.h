/* SPDX-License-Identifier: Apache-2.0 */
/* tile_faces: puts the faces of each tile where they belong, those that it owns first.
 * Shapes  as tile_sizes, which has made flat; faces_end[tiles] i32: inclusive scan of its faces -> face, slot_tile,
 *         size [faces_end[tiles - 1]] u32, u32, i32
 * Launch  item, n tiles
 * Cost    16 B read and 12 B written a face of a tile
 * Result  slot_tile is the tile of each, twice, plus 1 in its ribbon; size its number of corners.
 * Threads any queue */
#ifndef SDD_K_TILE_FACES_H
#define SDD_K_TILE_FACES_H
#include "gpu/tiles/kernels/tile_sizes.k.h"

struct tile_faces_args {
    struct tile_sizes_args of;
    const int32_t *faces_end;
    uint32_t *face, *slot_tile;
    int32_t *size;
};

SDD_FN void k_tile_faces(int64_t t, const struct tile_faces_args *a)
{
    const struct tile_sizes_args *s = &a->of;
    const uint32_t own = s->end[t] - s->begin[t], n = own + s->ribbon_end[t] - s->ribbon_begin[t];
    const uint32_t first = t > 0 ? (uint32_t)a->faces_end[t - 1] : 0;
    for (uint32_t i = 0; !s->flat[t] && i < n; i++) {
        const uint64_t low = ((uint64_t)1 << s->bits) - 1;
        const uint32_t f =
            i < own ? s->face[s->begin[t] + i] : (uint32_t)(s->ribbon[s->ribbon_begin[t] + i - own] & low);
        a->face[first + i] = f;
        a->slot_tile[first + i] = 2 * (uint32_t)t + (i >= own);
        a->size[first + i] = (int32_t)sdd_face_size(s->face_end, f);
    }
}
#endif
