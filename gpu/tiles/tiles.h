/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.h: a mesh cut into tiles, for kernels that query neighbours in fast memory. A tile owns some faces and
 * vertices. Its ribbon is a copy of what surrounds them, so that it has all faces around its own vertices. Inside a
 * tile elements have 16-bit numbers. Those that it owns come first, then those of the ribbon, both in ascending order
 * of the mesh's numbers.
 * Source  Mahmoud et al. 2021, RXMesh; a patch there is a tile here */
#ifndef SDD_TILES_H
#define SDD_TILES_H
#include <stdint.h>

/* The most that a tile holds, its ribbon included. */
#define SDD_TILE_FACES 1024
#define SDD_TILE_VERTICES 1024
#define SDD_TILE_CORNERS 4096

/* Where a tile's part of each array begins, and how long it is. */
struct sdd_tile {
    int32_t first_face, n_faces;
    int32_t first_corner, n_corners;
    int32_t first_vertex, n_vertices, n_owned; /* The tile owns the first n_owned of its vertices. */
};

/* The arrays of all tiles of a mesh, one tile after the other. */
struct sdd_tiles {
    const struct sdd_tile *tile;
    const uint32_t *face;          /* The mesh's number of each face. */
    const uint16_t *face_end;      /* One past the last corner of each face, counted in the tile. */
    const uint16_t *corner_vertex; /* The vertex of each corner, as a number of the tile. */
    const uint32_t *vertex;        /* The mesh's number of each vertex. */
};
#endif
