/* SPDX-License-Identifier: Apache-2.0 */
/* held.h: a mesh on a device of its own, beside its witness, and vectors in double precision. */
#ifndef TESTS_HELD_H
#define TESTS_HELD_H
#include "gpu/sdd/sdd_fields.h"
#include "tests/kernels/queries/naive.h"

struct held {
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    struct naive n;
    const float *p;
};

void held_init(struct held *h, const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int threads);
void held_fini(struct held *h); /* and after it the device held nothing */
int held_is_manifold(const struct held *h);

void held_point(const float *p, uint32_t v, double to[3]);
void held_way(const float *p, uint32_t from, uint32_t to, double way[3]);
double held_dot(const double a[3], const double b[3]);
void held_cross(const double a[3], const double b[3], double to[3]);
double held_length(const double a[3]);

/* held_each: `check` for each triangle of each face, three times: each corner once as x, with y and z after it. */
typedef void held_check(const struct held *h, int64_t face, uint32_t x, uint32_t y, uint32_t z, double *out);
void held_each(const struct held *h, held_check *check, double *out);
/* held_normals: [V][3], held_gaussian: [V], by loops over faces. A normal is NaN where only rounding is left of it. */
void held_normals(const struct held *h, double *out);
void held_gaussian(const struct held *h, double *out);
/* held_near: values are those of `want`, within a millionth of `scale`, or where that is NULL, of 1 or what is
 * larger. NaN is not looked at. */
void held_near(const char *what, const sdd_values *v, const double *want, const double *scale);

#endif
