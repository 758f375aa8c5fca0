/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rows: the rows of a relation by transposing what a tile holds, in fast memory.
 * Shapes  tiles (tile_arrays.h), where (sdd_rows_to) -> a row for each element that a tile owns
 * Launch  tile, n tiles
 * Cost    2 B read a corner, 4 B an edge and 4 B an element of the other kind of a tile; 4 B written an id
 * Result  The rows of query_fill, or their lengths, or their ids in 16 bits. Relations VV, VE, VF, EF and FF.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: queries by transposes of EV and FE */
#ifndef SDD_K_TILE_ROWS_H
#define SDD_K_TILE_ROWS_H
#include "gpu/tiles/tile_rows.dev.h"

enum { tile_rows_threads = 256 };

struct tile_rows_args {
    struct sdd_tiles tiles;
    struct sdd_rows_to to;
    int32_t relation;
};

SDD_FN void k_tile_rows(int64_t tile, const struct tile_rows_args *a)
{
    SDD_SHARED(struct sdd_tile_memory, memory, 1);
    const struct sdd_tile_view v = sdd_tile_stage(&a->tiles, tile, a->relation, memory);
    SDD_EACH (i, sdd_tile_owns(&v.tile, a->relation))
        sdd_tile_answer(&v, tile, i, &a->to);
}
#endif
