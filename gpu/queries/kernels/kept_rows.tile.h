/* SPDX-License-Identifier: Apache-2.0 */
/* kept_rows: the rows of a relation from those that are kept in 16 bits.
 * Shapes  tiles (tile_arrays.h), kept (query.h; tile_rows makes it), offset u32 -> ids u32
 * Launch  tile, n tiles
 * Cost    4 B read an element, 2 B an id and 4 B an element of the other kind of a tile; 4 B written an id
 * Result  The row of an element goes to offset[element].
 * Threads any queue */
#ifndef SDD_K_KEPT_ROWS_H
#define SDD_K_KEPT_ROWS_H
#include "gpu/tiles/query.h"

enum { kept_rows_threads = 256 };

struct kept_rows_args {
    struct sdd_tiles tiles;
    struct sdd_rows_kept kept;
    const uint32_t *offset;
    uint32_t *ids;
    int32_t relation;
};

SDD_FN void k_kept_rows(int64_t tile, const struct kept_rows_args *a)
{
    SDD_SHARED(uint32_t, id, SDD_TILE_EDGES);
    const struct sdd_tile t = a->tiles.tile[tile];
    sdd_stage_numbers(&a->tiles, &t, a->relation, id);
    SDD_SYNC;
    SDD_EACH (i, sdd_tile_owns(&t, a->relation)) {
        uint32_t *to = a->ids + a->offset[sdd_tile_element(&a->tiles, &t, a->relation, i)];
        int32_t n;
        const struct sdd_query_row row = sdd_kept_row(&a->kept, tile, i, id, &n);
        for (int32_t k = 0; k < n; k++)
            to[k] = sdd_neighbor(row, k);
    }
}
#endif
