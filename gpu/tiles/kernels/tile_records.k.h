/* SPDX-License-Identifier: Apache-2.0 */
/* tile_records: what is known of each tile. A tile whose edges or vertices pass the limits becomes flat, too.
 * Shapes  faces_end[tiles] i32 (tile_faces), corner_end[slots] i32 (tile_keys), begin, end [tiles] u32: its own faces,
 *         vertices, edges: first, own, end [tiles] u32 (tile_numbers), flat[tiles] u32 -> tile[tiles], n_flat[1] u32
 * Launch  item, n tiles
 * Cost    48 B read and 32 B written a tile
 * Result  n_flat = 1 if there is a flat tile
 * Threads any queue */
#ifndef SDD_K_TILE_RECORDS_H
#define SDD_K_TILE_RECORDS_H
#include "gpu/tiles/tile_arrays.h"

struct sdd_tile_numbers { /* As tile_numbers makes them. */
    uint32_t *first, *own, *end;
};

struct tile_records_args {
    const int32_t *faces_end, *corner_end;
    const uint32_t *begin, *end, *flat;
    struct sdd_tile_numbers vertices, edges;
    struct sdd_tile *tile;
    uint32_t *n_flat;
};

/* How many elements of a kind the tile owns. */
SDD_FN uint32_t sdd_n_own(const struct sdd_tile_numbers *n, int64_t t)
{
    return n->own[t] > n->first[t] ? n->own[t] - n->first[t] : 0;
}

SDD_FN void k_tile_records(int64_t t, const struct tile_records_args *a)
{
    struct sdd_tile r;
    const uint32_t first = t > 0 ? (uint32_t)a->faces_end[t - 1] : 0, end = (uint32_t)a->faces_end[t];
    const uint32_t first_corner = first > 0 ? (uint32_t)a->corner_end[first - 1] : 0;
    const uint32_t end_corner = end > 0 ? (uint32_t)a->corner_end[end - 1] : 0;
    const uint32_t n_vertices = a->vertices.end[t] - a->vertices.first[t];
    const uint32_t n_edges = a->edges.end[t] - a->edges.first[t];
    const int flat = a->flat[t] || n_vertices > SDD_TILE_VERTICES || n_edges > SDD_TILE_EDGES;
    r.first_face = first;
    r.first_corner = first_corner;
    r.first_edge = a->edges.first[t];
    r.first_vertex = a->vertices.first[t];
    r.n_faces = (uint16_t)(flat ? 0 : end - first);
    r.n_corners = (uint16_t)(flat ? 0 : end_corner - first_corner);
    r.n_edges = (uint16_t)(flat ? 0 : n_edges);
    r.n_vertices = (uint16_t)(flat ? 0 : n_vertices);
    r.own_faces = (uint16_t)(flat ? 0 : a->end[t] - a->begin[t]);
    r.own_edges = (uint16_t)(flat ? 0 : sdd_n_own(&a->edges, t));
    r.own_vertices = (uint16_t)(flat ? 0 : sdd_n_own(&a->vertices, t));
    r.is_flat = (uint16_t)flat;
    a->tile[t] = r;
    if (flat)
        sdd_mark(a->n_flat);
}
#endif
