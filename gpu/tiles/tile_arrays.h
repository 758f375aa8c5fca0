/* SPDX-License-Identifier: Apache-2.0 */
/* tile_arrays.h: a mesh cut into tiles, as kernels that find neighbours in fast memory read it. A tile owns the faces
 * of a cluster, and the edges and vertices whose lowest face is one of them. Its ribbon is a copy of what surrounds
 * these: the tile has all faces around each vertex, edge and face that it owns, with all their edges and vertices.
 * Inside a tile elements have 16-bit numbers. Those that it owns come first, then those of the ribbon, both in
 * ascending order of the mesh's numbers.
 * Source  Mahmoud et al. 2021, RXMesh; a patch there is a tile here */
#ifndef SDD_TILE_ARRAYS_H
#define SDD_TILE_ARRAYS_H
#include "gpu/tiles/neighbors.h"

#define SDD_TILE_OWNED 512 /* The most faces that a tile owns. */
/* The most that a tile holds, its ribbon included. Twice a number of edges must fit 16 bits. */
#define SDD_TILE_FACES 1024
#define SDD_TILE_VERTICES 2048
#define SDD_TILE_EDGES 2048
#define SDD_TILE_CORNERS 4096

/* Where a tile's part of each array begins, and how long it is. A flat tile has only labels: what it should hold does
 * not fit, so that rows of its elements have to be made without it. */
struct sdd_tile {
    uint32_t first_face, first_corner, first_edge, first_vertex;
    uint16_t n_faces, n_corners, n_edges, n_vertices;
    uint16_t own_faces, own_edges, own_vertices, is_flat; /* It owns the first of each kind. */
};

struct sdd_tile_ends { /* Both ends of an edge, which take one access. */
    uint16_t v[2];
} __attribute__((aligned(4)));

/* The arrays of all tiles of a mesh, one tile after the other. */
struct sdd_tiles {
    const struct sdd_tile *tile;
    const uint32_t *label; /* Shape [F]: the tile of each face. */
    /* The mesh's number of each face, edge and vertex of a tile. */
    const uint32_t *face, *edge, *vertex;
    const uint16_t *face_end;  /* One past the last corner of each face, counted in the tile; NULL where `size` is. */
    const uint16_t *face_edge; /* Of each corner: twice the edge after it, plus 1 if the face runs to its lower end. */
    const struct sdd_tile_ends *edge_vertex; /* The lower and the higher end of each edge, by the mesh's numbers. */
    uint32_t size;                           /* The size of all faces, or 0 where they are mixed. */
};

/* The tile that owns an element, or SDD_NONE for a vertex without faces. `kind` is 0 for vertices, 1 for edges, 2 for
 * faces. */
SDD_FN uint32_t sdd_owner(const struct sdd_neighbors *q, const uint32_t *label, int32_t kind, uint32_t x)
{
    const struct sdd_control *m = &q->mesh;
    if (kind == 2)
        return label[x];
    if (kind == 1)
        return label[sdd_face(&m->faces, m->edge_corner[x])];
    return m->begin[x] < m->end[x] ? label[sdd_face(&m->faces, m->corner[m->begin[x]])] : SDD_NONE;
}
#endif
