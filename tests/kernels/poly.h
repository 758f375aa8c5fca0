/* SPDX-License-Identifier: Apache-2.0 */
/* poly.h: random polygon meshes, and the shapes folder, one after the other.
 *
 * A random mesh is a few grids, rings, tori, polygons and pillows, changed by random cuts, merges, new
 * vertices, removed faces and handles that leave it manifold (brute.h says so); then everything gets other
 * numbers and random tags, UVs and options. Twice the same seed gives the same mesh on every machine. */
#ifndef TESTS_POLY_H
#define TESTS_POLY_H
#include "tests/oracle/refined.h"

struct poly {
    char name[80]; /* "seed 7" or the shape's */
    struct sdd_mesh_desc desc;
    const float *points, *uvs; /* [V][3], [U][2] or NULL */
    void *owned[16];
    int n_owned;
};
void poly_random(struct poly *p, uint64_t seed);
/* poly_discs: separate polygons of these sizes, and for each size a ring of quads with that many edges at both
 * borders. */
void poly_discs(struct poly *p, const int32_t *sizes, int n);
void poly_free(struct poly *p);

/* poly_each: `check` on every shape and on n_random random meshes, each with at most most_corners corners;
 * launch_say names the mesh. poly_each_random: without the shapes. */
typedef void poly_check(const struct poly *p);
void poly_each(int n_random, int64_t most_corners, poly_check *check);
void poly_each_random(int n_random, int64_t most_corners, poly_check *check);

#endif
