/* SPDX-License-Identifier: Apache-2.0 */
/* patches_grid.h: where the patches and faces of sdd_patches lie on the uniformly refined mesh. Made from uniform
 * refines of the same mesh without its holes, so it shares nothing with the code under test but grid order. */
#ifndef TESTS_PATCHES_GRID_H
#define TESTS_PATCHES_GRID_H
#include "tests/oracle/shape.h"

#define PATCHES_MOST_LEVEL 6
struct patches_grid {
    const struct shape *shape;
    int level; /* L */
    int64_t n_corners;
    int64_t *first;                              /* [F + 1] corners of each face */
    uint8_t *visible;                            /* [F]                          */
    sdd_result *uniform[PATCHES_MOST_LEVEL + 1]; /* of levels 1 .. L: positions, indices of all faces */
    sdd_result *limit[SDD_N_SURFACES];           /* of level L, by surface; none is refined            */
};
struct patches_tile { /* a patch or a face */
    int64_t face, corner, u, v;
    int level, quad;
    uint32_t flags;
};

void patches_grid_make(struct patches_grid *g, sdd_device *device, const struct shape *s, int level);
void patches_grid_free(struct patches_grid *g);

struct patches_tile patches_tile_of(const uint32_t *param);
/* Cells over a whole parent of the tile, along u, on level `level`. */
int64_t patches_side(const struct patches_tile *t, int level);
/* The row, in the uniform mesh of `level` (from 1), of point (u, v) of the tile's parent; of level 0 the vertex. */
uint32_t patches_point(const struct patches_grid *g, const struct patches_tile *t, int level, int64_t u, int64_t v);
/* The row among the faces of level L, holes included, of cell (u, v) of the tile's parent. */
int64_t patches_cell(const struct patches_grid *g, const struct patches_tile *t, int64_t u, int64_t v);

const float *patches_rows(const sdd_result *r, int64_t *n);     /* positions */
const uint32_t *patches_quads(const sdd_result *r, int64_t *n); /* indices */
#endif
