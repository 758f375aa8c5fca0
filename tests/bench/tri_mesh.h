/* SPDX-License-Identifier: Apache-2.0 */
/* tri_mesh.h: triangles for bench_queries: stanford-bunny cut in four some times, or a grid where the shared folder is
 * absent, with vertices and faces in Morton order or shuffled. */
#ifndef TESTS_BENCH_TRI_MESH_H
#define TESTS_BENCH_TRI_MESH_H
#include "gpu/sdd/sdd.h"

struct tri_mesh {
    char name[64];
    int32_t *counts, *vertices;
    float *points;
    struct sdd_mesh_desc desc;
};
/* tri_mesh_cut: 69,451 triangles times 4 to the power of `cuts`, or about as many. */
void tri_mesh_cut(struct tri_mesh *m, sdd_device *device, int cuts);
void tri_mesh_sort(struct tri_mesh *m);    /* by Morton codes of 30 bits, of vertices and of the middles of faces */
void tri_mesh_shuffle(struct tri_mesh *m); /* the same way each time */
void tri_mesh_free(struct tri_mesh *m);

#endif
