/* SPDX-License-Identifier: Apache-2.0 */
/* tile_keys: sort keys that number the vertices or the edges of each tile.
 * Shapes  neighbors, label[F] u32, face[slots] u32, slot_tile[slots] u32 (tile_faces), corner_end[slots] i32 (inclusive
 *         scan of its sizes) -> key[corners] u64, value[corners] i32
 * Launch  item, n slots: the faces of all tiles
 * Cost    about 30 B read and 12 B written a corner of a tile
 * Result  key = (2 tile + (0 if the tile owns the element, else 1)) << bits | element; value = the corner's place
 * Threads any queue */
#ifndef SDD_K_TILE_KEYS_H
#define SDD_K_TILE_KEYS_H
#include "gpu/tiles/tile_arrays.h"

struct tile_keys_args {
    struct sdd_neighbors neighbors;
    const uint32_t *label, *face, *slot_tile;
    const int32_t *corner_end;
    uint64_t *key;
    int32_t *value;
    int32_t edges, bits; /* edges: of these, not of vertices. */
};

SDD_FN void k_tile_keys(int64_t slot, const struct tile_keys_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const uint32_t f = a->face[slot], tile = a->slot_tile[slot] / 2;
    uint32_t c = f > 0 ? (uint32_t)m->face_end[f - 1] : 0;
    for (int32_t at = slot > 0 ? a->corner_end[slot - 1] : 0; at < a->corner_end[slot]; at++, c++) {
        const uint32_t x = a->edges ? m->edge[c] : m->vert[c];
        const uint64_t group = 2 * (uint64_t)tile + (sdd_owner(&a->neighbors, a->label, a->edges, x) != tile);
        a->key[at] = group << a->bits | x;
        a->value[at] = at;
    }
}
#endif
