/* SPDX-License-Identifier: Apache-2.0 */
/* patch_case.h: the oracle of the patch kernels: regularity, neighbours and 4 x 4 points of a level by looking at its
 * explicit faces and edges (wild.h), whose sharpness has decayed step by step. Nothing is shared with gpu/ but the
 * structs of arguments. */
#ifndef TESTS_PATCH_CASE_H
#define TESTS_PATCH_CASE_H
#include "gpu/patches/kernels/patch_cells.dev.h"
#include "tests/kernels/wild.h"

struct patch_case { /* one level */
    const struct wild_case *k;
    const struct wild *w;
    int32_t *vert_first, *vert_corner; /* [V + 1], [C] corners around each vertex, ascending       */
    unsigned char *regular;            /* [V]                                                      */
    uint64_t *cell;                    /* [F] the key of each face, on level 0 its first corner     */
    int32_t *lead;                     /* [F] the corner of the level's mesh that is the cell's own first */
    uint64_t *number;                  /* [V] the key of each vertex, on level 0 its row             */
};
void patch_case_init(struct patch_case *c, const struct wild_case *k, const struct wild *w);
void patch_case_fini(struct patch_case *c);

/* patch_regular: with all sharpness decayed by n more steps; the shapes of faces count on level 0 and when n is 0. */
int patch_regular(const struct patch_case *c, int32_t v, int n);
int patch_is_split(const struct patch_case *c, int32_t face);
/* patch_square: the vertices of the 4 x 4 points of a face; returns the blocked edges. */
int patch_square(const struct patch_case *c, int32_t face, int32_t *vertex);
/* patch_neighbour: the face across edge i of a face, -1: none. */
int32_t patch_neighbour(const struct patch_case *c, int32_t face, int i);

/* Holes at random; shown[C]: corners that are left, n of them. */
int64_t patch_holes(const struct patch_case *c, uint64_t *random, unsigned char *hole, uint32_t *shown);
struct sdd_features patch_upload(const struct patch_case *c, const int32_t *regular, const uint32_t *shown, int64_t n);
void patch_levels(const struct patch_case *control, int32_t *level); /* [V] from which each vertex is regular */
#endif
