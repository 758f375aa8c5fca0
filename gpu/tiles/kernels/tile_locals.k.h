/* SPDX-License-Identifier: Apache-2.0 */
/* tile_locals: the 16-bit number of the vertex or the edge of each corner of a tile.
 * Shapes  key[corners] u64, value[corners] i32, sorted (tile_keys), rank[corners] i32, first[tiles] u32 (tile_numbers)
 *         -> local[corners] u16
 * Launch  item, n corners of tiles
 * Cost    20 B read and 2 B written a corner
 * Result  local[value] = rank - 1 - first[tile]. Where that does not fit, the tile is flat, and its numbers mean
 *         nothing.
 * Threads any queue */
#ifndef SDD_K_TILE_LOCALS_H
#define SDD_K_TILE_LOCALS_H
#include "gpu/kernel/kernel.h"

struct tile_locals_args {
    const uint64_t *key;
    const int32_t *value, *rank;
    const uint32_t *first;
    uint16_t *local;
    int32_t bits;
};

SDD_FN void k_tile_locals(int64_t i, const struct tile_locals_args *a)
{
    const uint64_t tile = a->key[i] >> a->bits >> 1;
    a->local[a->value[i]] = (uint16_t)((uint32_t)a->rank[i] - 1 - a->first[tile]);
}
#endif
