/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive.h: rows of a level from feature-adaptive patches (patches.h), for engine tabulated: large bicubic patches
 * where the surface is bicubic, and points of each level around irregular features. Any part of the rows can be made
 * without the others, on any mesh, up to SDD_MAX_PATCH_LEVEL. This serves Catmull-Clark, unless an edge is semi-sharp
 * under chaikin. */
#ifndef SDD_ADAPTIVE_H
#define SDD_ADAPTIVE_H
#include "gpu/patches/kernels/adaptive_rows.tile.h"
#include "gpu/patches/patches.h"

struct adaptive {
    struct patches plan;        /* It owns device memory of its own. */
    struct device_block memory; /* The device memory of the arrays below. */
    struct sdd_quad *patch, *param;
    struct sdd_table_basis *basis;
    struct sdd_level_patches levels;
    float *points;      /* The points of all levels, as the last call needed them. */
    uint64_t points_of; /* The sdd_mesh.points_serial of those points; 0 before the first call. */
};

/* adaptive_create: prepares all that does not depend on positions. It waits for the device.
 * Owner   *out is the caller's, who frees it before t goes; NULL after an error
 * Errors  SDD_ETOO_LARGE (too many patches), SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int adaptive_create(const sdd_topology *t, int level, int surface, const atomic_int *cancel, struct adaptive **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* adaptive_rows: queues rows [first, first + n) of `level`, or their limits, for a mesh's positions. The points around
 * irregular features are made once for all calls with the same positions.
 * Shapes  level1 is scratch of [points of level 1][3]; to[n][3] */
void adaptive_rows(struct adaptive *a, const sdd_mesh *m, float *level1, int64_t first, int64_t n, float *to);
int64_t adaptive_bytes(const struct adaptive *a); /* Bytes on the device; 0 for NULL. */
void adaptive_free(struct adaptive *a);           /* NULL is allowed. */

#endif
