/* SPDX-License-Identifier: Apache-2.0 */
/* tile_sizes: how many faces each tile holds, and whether it is flat.
 * Shapes  begin, end [tiles] u32, face[F] u32: the faces of clusters, ribbon_begin, ribbon_end [tiles] u32, ribbon u64:
 *         keys of ribbons, sorted, each once, face_end[F] i32 -> faces[tiles] i32, flat[tiles] u32
 * Launch  item, n tiles
 * Cost    16 B read a face of a tile
 * Result  flat stays 1, or becomes 1 where faces or corners would pass the limits; then faces = 0.
 * Threads any queue */
#ifndef SDD_K_TILE_SIZES_H
#define SDD_K_TILE_SIZES_H
#include "gpu/tiles/tile_arrays.h"

struct tile_sizes_args {
    const uint32_t *begin, *end, *face, *ribbon_begin, *ribbon_end;
    const uint64_t *ribbon;
    const int32_t *face_end;
    int32_t *faces;
    uint32_t *flat;
    int32_t bits;
};

SDD_FN uint32_t sdd_face_size(const int32_t *face_end, uint32_t f)
{
    return (uint32_t)(face_end[f] - (f > 0 ? face_end[f - 1] : 0));
}

SDD_FN void k_tile_sizes(int64_t t, const struct tile_sizes_args *a)
{
    const uint32_t n = a->end[t] - a->begin[t] + a->ribbon_end[t] - a->ribbon_begin[t];
    uint32_t corners = 0;
    for (uint32_t i = a->begin[t]; n <= SDD_TILE_FACES && i < a->end[t]; i++)
        corners += sdd_face_size(a->face_end, a->face[i]);
    for (uint32_t i = a->ribbon_begin[t]; n <= SDD_TILE_FACES && i < a->ribbon_end[t]; i++)
        corners += sdd_face_size(a->face_end, (uint32_t)(a->ribbon[i] & (((uint64_t)1 << a->bits) - 1)));
    if (n > SDD_TILE_FACES || corners > SDD_TILE_CORNERS)
        a->flat[t] = 1;
    a->faces[t] = a->flat[t] ? 0 : (int32_t)n;
}
#endif
