/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h: a mesh on a device and its conformal flow, for test_fair.c and test_fair_reference.c. Failures are those of
 * cmocka. */
#ifndef TESTS_FLOW_H
#define TESTS_FLOW_H
#include "gpu/sdd/sdd_fair.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct flow {
    const char *backend; /* NULL is that of the test. */
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    sdd_fair *fair;
    int32_t n_vertices, n_faces, n_corners, *counts, *vertices;
    int32_t n_holes, *holes;
    float *points;
};

void *flow_array(int64_t n, size_t item); /* Zeros, which the caller frees. */
void flow_open(struct flow *w, int threads);
void flow_open_fake(struct flow *w); /* On the device whose calls can fail (gpu/device/fake/). */
void flow_close(struct flow *w);     /* After it the device held nothing. */
void flow_free_arrays(struct flow *w);

struct sdd_fair_request flow_ask(double tau, int boundary); /* Three solves, kept exact. */
void flow_begin(struct flow *w, double tau, int boundary);
struct sdd_fair_report flow_step(struct flow *w);
float *flow_points(struct flow *w); /* The caller frees them. */

#endif
