/* SPDX-License-Identifier: Apache-2.0 */
/* sphere.h: triangles on a sphere of radius 2: the faces of a cube of size - 1 cells a side, each cut in two. */
#ifndef TESTS_SPHERE_H
#define TESTS_SPHERE_H
#include "gpu/sdd/sdd.h"

enum { SPHERE_SIDE = 41 }; /* 9,602 vertices */

struct sphere {
    int32_t *counts, *vertices;
    float *points;
    struct sdd_mesh_desc desc;
};

void sphere_init(struct sphere *s, int size);
void sphere_fini(struct sphere *s);

#endif
