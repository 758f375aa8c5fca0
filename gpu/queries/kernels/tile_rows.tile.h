/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rows: the rows of a relation by transposing what a tile holds, in fast memory.
 * Shapes  tiles (tile_arrays.h), asked (tile_asked.dev.h), where (sdd_rows_to) -> a row for each element that is asked
 *         for and owned by a tile
 * Launch  tile, n tiles
 * Cost    2 B read a corner, 4 B an edge and 4 B an element of the other kind of a tile; 4 B written an id. A tile
 *         that owns nothing of what is asked for takes 8 B, for a range 40.
 * Result  The rows of query_fill, or their lengths, or their ids in 16 bits. Relations VV, VE, VF, EF and FF.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: queries by transposes of EV and FE */
#ifndef SDD_K_TILE_ROWS_H
#define SDD_K_TILE_ROWS_H
#include "gpu/tiles/tile_asked.dev.h"

enum { tile_rows_threads = 256 };

struct tile_rows_args {
    struct sdd_tiles tiles;
    struct sdd_asked asked;
    struct sdd_rows_to to;
    int32_t relation;
};

SDD_FN void k_tile_rows(int64_t tile, const struct tile_rows_args *a)
{
    SDD_SHARED(struct sdd_tile_memory, memory, 1);
    const struct sdd_asked_part part = sdd_asked_of(&a->asked, &a->tiles, tile, a->relation);
    uint32_t row;
    if (part.n == 0)
        return;
    const struct sdd_tile_view v = sdd_tile_stage(&a->tiles, tile, a->relation, memory);
    SDD_EACH (k, part.n)
        if (sdd_asked_first(&a->asked, part, k))
            sdd_tile_settle(&v, sdd_asked_element(&a->asked, &a->tiles, &v.tile, a->relation, part, k, &row));
    SDD_SYNC;
    SDD_EACH (k, part.n) {
        const int32_t i = sdd_asked_element(&a->asked, &a->tiles, &v.tile, a->relation, part, k, &row);
        sdd_tile_answer(&v, a->to.own_first ? a->to.own_first[tile] + (uint32_t)i : row, i, &a->to);
    }
}
#endif
