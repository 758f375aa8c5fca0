/* SPDX-License-Identifier: Apache-2.0 */
/* fair_mesh.h: closed surfaces of triangles to measure conformal flow on, read or made without any library. */
#ifndef TESTS_BENCH_FAIR_MESH_H
#define TESTS_BENCH_FAIR_MESH_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/sdd/sdd_fair.h"

struct flowing {
    char name[64];
    int32_t n_vertices, n_triangles;
    int32_t *triangles; /* Shape [n_triangles][3]. */
    int32_t *counts;    /* Shape [n_triangles]: 3 each. */
    float *points;      /* Shape [n_vertices][3]. */
};

/* flowing_open: FILE.obj of the shared folder, its polygons cut from their first corner; each rim gets a vertex at the
 * mean of its vertices, and a fan; and then each triangle is cut in four `cuts` times. Where the file is absent, or
 * `file` is NULL, a bumpy sphere of 4 side^2 + 2 vertices. */
void flowing_open(struct flowing *m, const char *file, int cuts, int32_t side);
void flowing_close(struct flowing *m);
struct sdd_mesh_desc flowing_desc(const struct flowing *m);

#ifdef __cplusplus
}
#endif
#endif
