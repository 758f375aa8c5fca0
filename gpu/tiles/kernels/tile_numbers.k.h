/* SPDX-License-Identifier: Apache-2.0 */
/* tile_numbers: where the vertices or the edges of each tile begin, and the mesh's number of each.
 * Shapes  key[corners] u64, sorted (tile_keys), rank[corners] i32 (inclusive scan of run_heads) -> first, own, end
 *         [tiles] u32, element[rank[corners - 1]] u32
 * Launch  item, n corners of tiles
 * Cost    24 B read a corner, 4 B written an element
 * Result  The elements of tile t are first[t] to end[t] - 1, of which the first own[t] are its own. Tiles without any
 *         keep what is there; the caller zeroes it.
 * Threads any queue */
#ifndef SDD_K_TILE_NUMBERS_H
#define SDD_K_TILE_NUMBERS_H
#include "gpu/kernel/kernel.h"

struct tile_numbers_args {
    const uint64_t *key;
    const int32_t *rank;
    uint32_t *first, *own, *end, *element;
    int64_t n;
    int32_t bits;
};

SDD_FN void k_tile_numbers(int64_t i, const struct tile_numbers_args *a)
{
    const uint64_t group = a->key[i] >> a->bits, tile = group >> 1;
    const int last = i + 1 == a->n;
    const uint64_t before = i > 0 ? a->key[i - 1] >> a->bits : ~(uint64_t)0;
    const uint64_t after = last ? ~(uint64_t)0 : a->key[i + 1] >> a->bits;
    const uint32_t place = (uint32_t)a->rank[i] - 1;
    if (i == 0 || a->key[i] != a->key[i - 1])
        a->element[place] = (uint32_t)(a->key[i] & (((uint64_t)1 << a->bits) - 1));
    if (i == 0 || before >> 1 != tile)
        a->first[tile] = place;
    if (last || after >> 1 != tile)
        a->end[tile] = place + 1;
    if ((group & 1) == 0 && after != group) /* One past the last that it owns; tile_records takes `first` off. */
        a->own[tile] = place + 1;
}
#endif
