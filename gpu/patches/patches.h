/* SPDX-License-Identifier: Apache-2.0 */
/* patches.h: the door of feature-adaptive subdivision, in two steps: which patches, faces and points there are on each
 * level (patches_plan.c, topology alone), then their rows and places (patches.c, which is sdd_patches). adaptive.h
 * makes rows of a level from such patches. The room stands on levels/ and bspline/; engines may stand on it. */
#ifndef SDD_PATCHES_H
#define SDD_PATCHES_H
#include "gpu/patches/kernels/patch_cells.dev.h"
#include "gpu/mesh/topology.h"

struct patch_level {
    uint64_t *cell;         /* [n_cells] that exist on this level, ascending (patch_cells.h); none on level 0 */
    uint32_t *patch, *left; /* which of them are patches, and which are split or left; on level 0 corners     */
    uint64_t *key;          /* [n_points] of the sub-mesh, ascending; none on level 0                         */
    uint32_t *place;        /* [n_cells][16] which of them each cell has; of limits [n_left][4]               */
    int64_t n_cells, n_patches, n_left, n_points;
    int64_t first; /* row of the first point */
};

#define PATCHES_MOST_PIECES (2 * (SDD_MAX_PATCH_LEVEL + 3))
struct patches {
    const sdd_topology *topology;
    struct sdd_patches_request request;
    int with_holes; /* as if they were shown */
    struct sdd_features features;
    struct patch_level level[SDD_MAX_PATCH_LEVEL + 1], limit; /* limit: key, place, n_points and first alone */
    int64_t n_rows, n_patches;
    struct device_block piece[PATCHES_MOST_PIECES], scratch; /* device memory */
    int n_pieces;
    int64_t held_bytes, most_bytes; /* now, and at the worst moment */
};

/* patches_plan: from topology, request and with_holes fills all levels. Waits once a level, the control level and the
 * limits too. Errors as sdd_patches.
 * patches_fini gives the memory back, once what is queued has run. */
int patches_plan(struct patches *p, struct sdd_error *err) SDD_MUST_CHECK;
void patches_fini(struct patches *p);

/* patches_queue_points: the points of all levels. points[n_rows][3], level1[points of level 1][3], device.
 * patches_queue_rows: and the patches of all levels, [n_patches][16] and their params. */
void patches_queue_points(const struct patches *p, const float *control, float *level1, float *points);
void patches_queue_rows(const struct patches *p, struct sdd_quad *patch, struct sdd_quad *param);

#endif
