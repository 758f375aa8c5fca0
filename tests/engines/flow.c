/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/flow.h"
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "tests/env.h"
#include <stdlib.h>

void *flow_array(int64_t n, size_t item)
{
    void *p = calloc((size_t)n + 1, item);
    assert_non_null(p);
    return p;
}

/* The mesh on the device that is open. */
static void load_mesh(struct flow *w)
{
    struct sdd_error err = {0};
    const struct sdd_mesh_desc desc = {.n_vertices = w->n_vertices,
                                       .n_faces = w->n_faces,
                                       .n_corners = w->n_corners,
                                       .face_counts = w->counts,
                                       .face_vertices = w->vertices,
                                       .n_holes = w->n_holes,
                                       .hole_faces = w->holes};
    if (sdd_topology_create(w->device, &desc, &w->topology, &err) ||
        sdd_mesh_create(w->topology, w->points, NULL, &w->mesh, &err))
        fail_msg("%s", err.text);
}

void flow_open(struct flow *w, int threads)
{
    struct sdd_error err = {0};
    const struct sdd_device_config config = {
        .backend = w->backend ? w->backend : test_backend(), .module_path = test_module_path(), .threads = threads};
    if (sdd_device_open(&config, &w->device, &err))
        fail_msg("%s", err.text);
    load_mesh(w);
}

void flow_open_fake(struct flow *w)
{
    struct sdd_error err = {0};
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(sdd_device_wrap(sdd_backend_fake(), 0, 1, 0, &w->device, &err), SDD_OK);
    load_mesh(w);
}

void flow_close(struct flow *w)
{
    struct sdd_device_info info;
    sdd_fair_free(w->fair);
    sdd_mesh_free(w->mesh);
    sdd_topology_unref(w->topology);
    sdd_device_info(w->device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(w->device);
    w->fair = NULL;
}

void flow_free_arrays(struct flow *w)
{
    free(w->counts);
    free(w->vertices);
    free(w->holes);
    free(w->points);
}

struct sdd_fair_request flow_ask(double tau, int boundary)
{
    return (struct sdd_fair_request){.tau = tau, .boundary = boundary, .solves = 3, .exactness = 1};
}

void flow_begin(struct flow *w, double tau, int boundary)
{
    const struct sdd_fair_request r = flow_ask(tau, boundary);
    struct sdd_error err = {0};
    if (sdd_fair_begin(w->mesh, &r, &w->fair, &err))
        fail_msg("%s", err.text);
}

struct sdd_fair_report flow_step(struct flow *w)
{
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    if (sdd_fair_step(w->fair, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

float *flow_points(struct flow *w)
{
    struct sdd_error err = {0};
    float *p = flow_array(3 * sdd_fair_info(w->fair)->n_points, sizeof *p);
    assert_int_equal(sdd_fair_points(w->fair, p, &err), SDD_OK);
    return p;
}
