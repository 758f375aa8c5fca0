/* SPDX-License-Identifier: Apache-2.0 */
/* tile_edges: the edges of each face of a tile with their directions, and the ends of each edge.
 * Shapes  neighbors, face, slot_tile [slots] u32, corner_end[slots] i32 (tile_keys), vertex, edge [corners] u16
 *         (tile_locals), first_edge[tiles] u32 -> face_edge[corners] u16, edge_vertex[edges][2] u16, face_end[slots]
 *         u16 (NULL where faces have one size)
 * Launch  item, n slots
 * Cost    about 20 B read a corner, 2 B written a corner, 4 B an edge, 2 B a face
 * Result  face_edge = 2 edge + (1 if the face runs along it from the higher end to the lower). All corners that use an
 *         edge write the same ends.
 * Threads any queue */
#ifndef SDD_K_TILE_EDGES_H
#define SDD_K_TILE_EDGES_H
#include "gpu/tiles/tile_arrays.h"

struct tile_edges_args {
    struct sdd_neighbors neighbors;
    const uint32_t *face, *slot_tile;
    const int32_t *corner_end;
    const uint16_t *vertex, *edge;
    const uint32_t *first_edge;
    const int32_t *faces_end; /* Shape [tiles] (tile_faces). */
    uint16_t *face_edge, *face_end;
    struct sdd_tile_ends *edge_vertex;
};

SDD_FN void k_tile_edges(int64_t slot, const struct tile_edges_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const uint32_t f = a->face[slot], tile = a->slot_tile[slot] / 2;
    const int32_t first_slot = tile > 0 ? a->faces_end[tile - 1] : 0;
    const int32_t first = slot > 0 ? a->corner_end[slot - 1] : 0, end = a->corner_end[slot];
    uint32_t c = f > 0 ? (uint32_t)m->face_end[f - 1] : 0;
    for (int32_t at = first; at < end; at++, c++) {
        const int32_t next = at + 1 < end ? at + 1 : first;
        const int turned = m->vert[c] > m->vert[sdd_next(&m->faces, c)];
        struct sdd_tile_ends ends;
        ends.v[0] = a->vertex[turned ? next : at];
        ends.v[1] = a->vertex[turned ? at : next];
        a->face_edge[at] = (uint16_t)(2 * a->edge[at] + turned);
        a->edge_vertex[a->first_edge[tile] + a->edge[at]] = ends;
    }
    if (a->face_end)
        a->face_end[slot] = (uint16_t)(end - (first_slot > 0 ? a->corner_end[first_slot - 1] : 0));
}
#endif
