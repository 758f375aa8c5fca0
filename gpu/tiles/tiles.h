/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.h: the door of tiles/: what a topology keeps for queries of neighbours. neighbors.h is the mesh with the uses
 * of its edges (uses.c); tile_arrays.h says what a tile is. tiles.c keeps them, clusters.c finds which faces each owns,
 * and contents.c what else it holds. The room stands on mesh/ and below. */
#ifndef SDD_TILES_H
#define SDD_TILES_H
#include "gpu/mesh/topology.h"
#include "gpu/tiles/tile_arrays.h"

/* tiles_neighbors: the control mesh as kernels of neighbours see it. Of a mesh that is not manifold it makes the list
 * of the uses of each edge, and keeps it with the topology.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int tiles_neighbors(const sdd_topology *t, struct sdd_neighbors *out, struct sdd_error *err) SDD_MUST_CHECK;

/* All tiles of a topology. The topology owns them. */
struct tiles {
    struct device_block block;
    struct sdd_tiles arrays; /* On the device. */
    int64_t n;
    int64_t n_faces, n_corners, n_edges, n_vertices; /* Of all tiles together, ribbons included. */
    int any_flat;                                    /* Whether rows of some elements need another way. */
};

/* tiles_are_made: whether a topology has its tiles already. */
int tiles_are_made(const sdd_topology *t);
/* tiles_get: the tiles of a topology, which are made when they are first asked for, and kept.
 * Cost    about 90 B of device memory a face and 80 B a corner of a tile while they are made; about 35 B a triangle
 *         stay
 * Result  the same tiles on every backend
 * Errors  SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int tiles_get(const sdd_topology *t, const struct sdd_neighbors *q, const atomic_int *cancel, const struct tiles **out,
              struct sdd_error *err) SDD_MUST_CHECK;

#endif
