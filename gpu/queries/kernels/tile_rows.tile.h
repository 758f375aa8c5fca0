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
#include "gpu/queries/kernels/tile_rows.dev.h"

enum { tile_rows_threads = 256 };

struct tile_rows_args {
    struct sdd_tiles tiles;
    struct sdd_rows_to to;
    int32_t relation;
};

SDD_FN void k_tile_rows(int64_t tile, const struct tile_rows_args *a)
{
    SDD_SHARED(uint16_t, face_edge, SDD_TILE_CORNERS);
    SDD_SHARED(struct sdd_tile_ends, ends, SDD_TILE_EDGES);
    SDD_SHARED(uint16_t, row, SDD_TILE_CORNERS); /* The rows of the transpose, one after the other. */
    SDD_SHARED(int32_t, end, SDD_TILE_EDGES);    /* Where each of them ends. */
    SDD_SHARED(int32_t, scratch, SDD_TILE_EDGES);
    SDD_SHARED(uint32_t, id, SDD_TILE_EDGES); /* The mesh's numbers of what is in the rows. */
    const struct sdd_tile t = a->tiles.tile[tile];
    const int by_faces =
        a->relation == SDD_RELATION_VF || a->relation == SDD_RELATION_EF || a->relation == SDD_RELATION_FF;
    const int32_t n_rows = a->relation <= SDD_RELATION_VF ? t.n_vertices : t.n_edges;
    const int32_t n_own = sdd_tile_owns(&t, a->relation), n_ids = sdd_tile_ids(&t, a->relation);
    const uint32_t *ids = sdd_tile_numbers_of(&a->tiles, &t, a->relation);
    struct sdd_tile_view v;
    v.tiles = a->tiles;
    v.tile = t;
    v.relation = a->relation;
    v.face_edge = face_edge;
    v.ends = ends;
    v.row = row;
    v.end = end;
    v.id = id;

    SDD_EACH (c, by_faces ? t.n_corners : 0)
        face_edge[c] = a->tiles.face_edge[t.first_corner + (uint32_t)c];
    SDD_EACH (e, a->relation <= SDD_RELATION_VF ? t.n_edges : 0)
        ends[e] = a->tiles.edge_vertex[t.first_edge + (uint32_t)e];
    SDD_EACH (i, n_ids)
        id[i] = ids[i];
    SDD_EACH (i, n_rows)
        end[i] = 0;
    SDD_SYNC;
    SDD_EACH (i, by_faces ? t.n_faces : t.n_edges)
        sdd_tile_place(&v, i, end, NULL);
    SDD_SYNC;
    sdd_tile_scan(end, scratch, n_rows);
    SDD_EACH (i, by_faces ? t.n_faces : t.n_edges) /* Each entry of `end` moves from the start of its row to its end. */
        sdd_tile_place(&v, i, end, row);
    SDD_SYNC;
    SDD_EACH (i, n_own)
        sdd_tile_answer(&v, tile, i, &a->to);
}
#endif
