/* SPDX-License-Identifier: Apache-2.0 */
/* kept_rows: the rows of a relation from those that are kept in 16 bits.
 * Shapes  tiles (tile_arrays.h), asked (tile_asked.dev.h), kept (query.h; tile_rows makes it), offset u32 -> ids u32
 * Launch  tile, n tiles
 * Cost    4 B read an element, 2 B an id and 4 B an element of the other kind of a tile; 4 B written an id
 * Result  Row r of what is asked for, if its element is of a tile, goes to offset[r].
 * Threads any queue */
#ifndef SDD_K_KEPT_ROWS_H
#define SDD_K_KEPT_ROWS_H
#include "gpu/tiles/query.h"
#include "gpu/tiles/tile_asked.dev.h"

enum { kept_rows_threads = 128 };

struct kept_rows_args {
    struct sdd_tiles tiles;
    struct sdd_asked asked;
    struct sdd_rows_kept kept;
    const uint32_t *offset;
    uint32_t *ids;
    int32_t relation;
};

SDD_FN void k_kept_rows(int64_t tile, const struct kept_rows_args *a)
{
    const struct sdd_asked_part part = sdd_asked_of(&a->asked, &a->tiles, tile, a->relation);
    if (part.n == 0)
        return;
    const struct sdd_tile t = a->tiles.tile[tile];
    const uint32_t *id = sdd_tile_numbers_of(&a->tiles, &t, a->relation);
    SDD_EACH (k, part.n) {
        uint32_t place;
        int32_t n;
        const int32_t i = sdd_asked_element(&a->asked, &a->tiles, &t, a->relation, part, k, &place);
        const struct sdd_query_row row = sdd_kept_row(&a->kept, tile, i, id, &n);
        uint32_t *to = a->ids + a->offset[place];
        for (int32_t j = 0; j < n; j++)
            to[j] = sdd_neighbor(row, j);
    }
}
#endif
