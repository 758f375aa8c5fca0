/* SPDX-License-Identifier: Apache-2.0 */
/* random_mesh.h: a tagged mesh from a seed, the same on every machine: several components of triangles, quads and
 * n-gons with valences 2 to 20, boundaries, often joins that are not manifold, isolated vertices; sharp edges in chains
 * and alone, sharp vertices, holes; UV islands, seams that end inside, values that disagree at one end of an edge
 * alone, values that vertices share or nobody uses; all options. About 60 faces at most, and a level of 1 to 4.
 *
 * No UV value comes back to a vertex after another one: see uv_bow_tie in judge.h. */
#ifndef TESTS_ORACLE_RANDOM_MESH_H
#define TESTS_ORACLE_RANDOM_MESH_H
#include "tests/oracle/dice.h"
#include "tests/oracle/tagged_mesh.h"

void random_mesh(uint64_t seed, struct tagged_mesh *out);

/* Its steps. random_polygons makes vertices and faces; random_tags and random_uvs take any faces. */
void random_polygons(struct dice *d, struct tagged_mesh *m);
void random_tags(struct dice *d, struct tagged_mesh *m);
void random_uvs(struct dice *d, struct tagged_mesh *m);
#endif
