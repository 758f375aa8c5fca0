/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

const char *fixture_method = "auto";

void fixture_open(struct fixture *f, const char *name, int threads, int64_t memory_limit)
{
    struct sdd_error err = {0};
    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .threads = threads, .memory_limit = memory_limit};
    memset(f, 0, sizeof *f);
    assert_int_equal(shape_load(test_shapes_dir(), name, &f->shape, &err), SDD_OK);
    if (sdd_device_open(&config, &f->device, &err) != SDD_OK ||
        sdd_topology_create(f->device, &f->shape.desc, &f->topology, &err) != SDD_OK ||
        sdd_mesh_create(f->topology, f->shape.points, f->shape.uvs, &f->mesh, &err) != SDD_OK)
        fail_msg("%s: %s", name, err.text);
}

int64_t fixture_used(const struct fixture *f)
{
    struct sdd_device_info info;
    sdd_device_info(f->device, &info);
    return info.memory_used;
}

void fixture_close(struct fixture *f)
{
    sdd_mesh_free(f->mesh);
    sdd_topology_unref(f->topology);
    assert_int_equal(fixture_used(f), 0);
    sdd_device_close(f->device);
    shape_free(&f->shape);
}

struct sdd_refine_request fixture_ask(int level, int surface, int include)
{
    return (struct sdd_refine_request){
        .level = level, .surface = surface, .include = include, .method = fixture_method};
}
