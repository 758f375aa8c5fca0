/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive.h: rows of a level from feature-adaptive patches (patches.h): large bicubic patches where the surface is
 * one, points of each level around what is irregular. Any part of the rows can be made without the others, whatever
 * stands in the mesh, up to SDD_MAX_PATCH_LEVEL. Catmull-Clark; not where an edge is semi-sharp under chaikin. */
#ifndef SDD_ADAPTIVE_H
#define SDD_ADAPTIVE_H
#include "gpu/patches/kernels/adaptive_rows.tile.h"
#include "gpu/patches/patches.h"

struct adaptive {
    struct patches plan;
    struct device_block memory;
    struct sdd_quad *patch, *param;
    struct sdd_table_basis *basis;
    struct sdd_level_patches levels;
    float *points;      /* of all levels, as the last frame had them */
    uint64_t points_of; /* sdd_mesh.points_serial then; 0: none yet  */
};

/* adaptive_create: what does not depend on positions. Waits.
 * Errors  SDD_ETOO_LARGE (too many patches), SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int adaptive_create(const sdd_topology *t, int level, int surface, const atomic_int *cancel, struct adaptive **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* adaptive_rows: queues rows [first, first + n) of `level`, or their limits, of a mesh's positions. The points around
 * what is irregular are made once for as many calls as there are with the same positions.
 * Shapes  level1: scratch [points of level 1][3]; to[n][3] */
void adaptive_rows(struct adaptive *a, const sdd_mesh *m, float *level1, int64_t first, int64_t n, float *to);
int64_t adaptive_bytes(const struct adaptive *a); /* on the device; NULL: 0 */
void adaptive_free(struct adaptive *a);           /* NULL is fine */

#endif
