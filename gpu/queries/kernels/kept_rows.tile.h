/* SPDX-License-Identifier: Apache-2.0 */
/* kept_rows: the rows of a relation from those that are kept in 16 bits.
 * Shapes  tiles (tile_arrays.h), own_first[tiles] u32, begin[own + 1] u32, locals u16 (tile_rows), offset u32 -> ids
 *         u32
 * Launch  tile, n tiles
 * Cost    4 B read an element, 2 B an id and 4 B an element of the other kind of a tile; 4 B written an id
 * Result  Row i of tile t is locals[begin[own_first[t] + i]] to locals[begin[own_first[t] + i + 1] - 1]; it goes to
 *         offset[its element].
 * Threads any queue */
#ifndef SDD_K_KEPT_ROWS_H
#define SDD_K_KEPT_ROWS_H
#include "gpu/queries/kernels/tile_rows.dev.h"

enum { kept_rows_threads = 256 };

struct kept_rows_args {
    struct sdd_tiles tiles;
    const uint32_t *own_first, *begin;
    const uint16_t *locals;
    const uint32_t *offset;
    uint32_t *ids;
    int32_t relation;
};

SDD_FN void k_kept_rows(int64_t tile, const struct kept_rows_args *a)
{
    SDD_SHARED(uint32_t, id, SDD_TILE_EDGES);
    const struct sdd_tile t = a->tiles.tile[tile];
    const int32_t n_ids = sdd_tile_ids(&t, a->relation), n_own = sdd_tile_owns(&t, a->relation);
    const uint32_t *ids = sdd_tile_numbers_of(&a->tiles, &t, a->relation), *begin = a->begin + a->own_first[tile];
    SDD_EACH (i, n_ids)
        id[i] = ids[i];
    SDD_SYNC;
    SDD_EACH (i, n_own) {
        uint32_t *to = a->ids + a->offset[sdd_tile_element(&a->tiles, &t, a->relation, i)];
        for (uint32_t k = begin[i]; k < begin[i + 1]; k++)
            *to++ = id[a->locals[k]];
    }
}
#endif
