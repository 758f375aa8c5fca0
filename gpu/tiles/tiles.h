/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.h: a mesh cut into tiles, for kernels that answer questions of neighbours in fast memory. A tile owns some
 * faces and vertices, and has a copy of what is around them, its ribbon: all faces around its own vertices. Inside a
 * tile elements have numbers of 16 bits; those it owns come first, each part in ascending order of the mesh's
 * numbers.
 * Source  Mahmoud et al. 2021, RXMesh; a patch there is a tile here */
#ifndef SDD_TILES_H
#define SDD_TILES_H
#include <stdint.h>

/* What a tile holds at most, its ribbon included. */
#define SDD_TILE_FACES 1024
#define SDD_TILE_VERTICES 1024
#define SDD_TILE_CORNERS 4096

/* Where a tile's part of each array begins, and how long it is. */
struct sdd_tile {
    int32_t first_face, n_faces;
    int32_t first_corner, n_corners;
    int32_t first_vertex, n_vertices, n_owned; /* n_owned: of the vertices */
};

/* The arrays of all tiles of a mesh, one tile after the other. */
struct sdd_tiles {
    const struct sdd_tile *tile;
    const uint32_t *face;          /* the mesh's number of each face                         */
    const uint16_t *face_end;      /* after the last of its corners, counted in the tile     */
    const uint16_t *corner_vertex; /* the vertex of each corner, a number of the tile        */
    const uint32_t *vertex;        /* the mesh's number of each vertex                       */
};
#endif
