/* SPDX-License-Identifier: Apache-2.0 */
/* patches.h: the door of feature-adaptive subdivision in two steps. patches_plan.c finds the patches, faces and
 * points of each level from the topology alone; patches.c, which is sdd_patches, then makes their points and rows.
 * adaptive.h makes rows of a level from such patches. The room stands on levels/ and bspline/; engines may stand on
 * it. */
#ifndef SDD_PATCHES_H
#define SDD_PATCHES_H
#include "gpu/levels/levels.h"
#include "gpu/patches/kernels/patch_cells.dev.h"
#include "gpu/mesh/topology.h"

struct patch_level {
    /* Shape [n_cells]: the cells of this level, ascending (patch_cells.dev.h); level 0 has none. */
    uint64_t *cell;
    /* The rows of `cell` that are patches, and those that are split or, on the last level, left. On level 0 they are
     * corners. */
    uint32_t *patch, *left;
    uint64_t *key; /* Shape [n_points]: the keys of this level's points, ascending; level 0 has none. */
    /* Shape [n_cells][16]: which of the points each cell has. For limits the shape is [n_left][4]. */
    uint32_t *location;
    int64_t n_cells, n_patches, n_left, n_points;
    int64_t first; /* The row of this level's first point among those of all levels. */
};

#define PATCHES_MOST_PIECES (2 * (SDD_MAX_PATCH_LEVEL + 3))
struct patches {
    const sdd_topology *topology;
    struct sdd_patches_request request;
    int with_holes; /* Whether holes are treated as visible faces. */
    struct sdd_features features;
    /* In `limit` only key, location, n_points and first are used. */
    struct patch_level level[SDD_MAX_PATCH_LEVEL + 1], limit;
    struct follow follow; /* For the points of `limit`. */
    int64_t n_rows, n_patches;
    struct device_block piece[PATCHES_MOST_PIECES], scratch; /* The device memory that the plan holds. */
    int n_pieces;
    int64_t held_bytes, most_bytes; /* Bytes held now, and the most held at any moment. */
};

/* patches_plan: fills all levels from topology, request and with_holes. It waits for the device once a level, for level
 * 0 and the limits too. Errors are those of sdd_patches. */
int patches_plan(struct patches *p, struct sdd_error *err) SDD_MUST_CHECK;
/* patches_fini: gives the memory back once all that is queued has run. */
void patches_fini(struct patches *p);

/* patches_queue_points: queues the points of all levels, points[n_rows][3], with level1[points of level 1][3] as
 * scratch, both on the device. */
void patches_queue_points(const struct patches *p, const float *control, float *level1, float *points);
/* patches_queue_rows: queues the patches of all levels, [n_patches][16], and their params. */
void patches_queue_rows(const struct patches *p, struct sdd_quad *patch, struct sdd_quad *param);

#endif
