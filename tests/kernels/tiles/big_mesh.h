/* SPDX-License-Identifier: Apache-2.0 */
/* big_mesh.h: meshes of more than one tile. */
#ifndef TESTS_BIG_MESH_H
#define TESTS_BIG_MESH_H
#include "gpu/sdd/sdd.h"

struct big_mesh {
    char name[64];
    struct sdd_mesh_desc desc;
    int32_t *counts, *vertices;
};
void big_mesh_free(struct big_mesh *m);
void big_star(struct big_mesh *m, int32_t n); /* a polygon with a triangle at each of its n edges */

/* big_each: `check` on grids of triangles, of quads and of both, in order and shuffled, closed ones, ones of several
 * components, and on what tiles cannot hold: faces, vertices and edges with very many neighbours. */
typedef void big_check(const struct big_mesh *m);
void big_each(big_check *check);

#endif
