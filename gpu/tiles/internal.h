/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: how tiles are made, for this room alone. */
#ifndef SDD_TILES_INTERNAL_H
#define SDD_TILES_INTERNAL_H
#include "gpu/device/sizes.h"
#include "gpu/tiles/tiles.h"

/* The making of the tiles of a topology. */
struct tiling {
    sdd_device *device;
    const sdd_topology *topology;
    struct sdd_neighbors neighbors;
    const atomic_int *cancel;
    int64_t F, C, n; /* Faces, corners, tiles. */
    int face_bits;
};

/* The faces of each tile, ascending, in memory of the caller. */
struct clusters {
    uint32_t *label;       /* Shape [F]. */
    uint32_t *begin, *end; /* Shape [n]: where the faces of each tile lie in `face`. */
    int32_t *face;         /* Shape [F]. */
};

/* tiling_cancelled: fails with SDD_ECANCELLED if nobody wants the tiles any more. */
int tiling_cancelled(const struct tiling *w, struct sdd_error *err) SDD_MUST_CHECK;
/* tiling_allocate: counts what lay_out takes, allocates exactly that as `block`, and lays it out. */
int tiling_allocate(struct tiling *w, void (*lay_out)(const struct tiling *, struct arena *, void *), void *what,
                    struct device_block *block, struct sdd_error *err) SDD_MUST_CHECK;

/* clusters_find: cuts the faces into w->n clusters of at most SDD_TILE_OWNED, each of which hangs together by edges.
 * The arrays of `out` lie in `block`, which the caller gives back. */
int clusters_find(struct tiling *w, struct clusters *out, struct device_block *block,
                  struct sdd_error *err) SDD_MUST_CHECK;
/* contents_make: finds ribbons and numbers, and leaves the tiles in `out`. */
int contents_make(struct tiling *w, const struct clusters *c, struct tiles *out, struct sdd_error *err) SDD_MUST_CHECK;

#endif
