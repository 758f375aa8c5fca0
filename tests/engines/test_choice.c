/* SPDX-License-Identifier: Apache-2.0 */
/* test_choice.c: which engine runs what: manifold meshes, meshes that are not, schemes; and what the others say. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct shape shape;
    sdd_topology *topology;
    sdd_mesh *mesh;
};

static sdd_device *device;

static void make(struct fixture *f)
{
    struct sdd_error err = {0};
    if (sdd_topology_create(device, &f->shape.desc, &f->topology, &err) != SDD_OK ||
        sdd_mesh_create(f->topology, f->shape.points, f->shape.uvs, &f->mesh, &err) != SDD_OK)
        fail_msg("%s: %s", f->shape.name, err.text);
}

static void setup(struct fixture *f, const char *name)
{
    struct sdd_error err = {0};
    assert_int_equal(shape_load(test_shapes_dir(), name, &f->shape, &err), SDD_OK);
    make(f);
}

static void drop(struct fixture *f)
{
    sdd_mesh_free(f->mesh);
    sdd_topology_unref(f->topology);
}

static void teardown(struct fixture *f)
{
    drop(f);
    shape_free(&f->shape);
}

static void expect(const struct fixture *f, const char *method, int surface, const char *engine)
{
    const struct sdd_refine_request r = {
        .level = 2, .surface = surface, .include = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES, .method = method};
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_result *result = NULL;
    assert_int_equal(plan_once(f->topology, &r, &plan, &err), SDD_OK);
    assert_string_equal(plan.method, engine);
    assert_int_equal(refine_once(f->mesh, &r, &result, &err), SDD_OK);
    assert_string_equal(sdd_result_info(result)->plan.method, engine);
    sdd_result_free(result);
}

static void refuse(const struct fixture *f, const char *method, int surface, const char *words)
{
    const struct sdd_refine_request r = {.level = 2, .surface = surface, .include = SDD_POSITIONS, .method = method};
    struct sdd_error err = {0}, twice = {0};
    struct sdd_plan_info plan;
    sdd_result *result = NULL;
    assert_int_equal(plan_once(f->topology, &r, &plan, &err), SDD_EUNSUPPORTED);
    assert_int_equal(refine_once(f->mesh, &r, &result, &twice), SDD_EUNSUPPORTED);
    assert_null(result);
    assert_string_equal(err.text, twice.text);
    assert_string_equal(err.field, "method");
    if (!strstr(err.text, words))
        fail_msg("%s: \"%s\", expected \"...%s...\"", f->shape.name, err.text, words);
}

/* What is not manifold is a mesh: `auto` gives it to mesh-matrix, edge-friend says which element it cannot take. */
struct fault {
    const char *shape, *words;
};
static const struct fault faults[] = {
    {"repeated_vertex", "uses vertex"},
    {"repeated_vertex_adjacent", "uses vertex"},
    {"collapsed_face", "uses vertex"},
    {"edge_of_three_faces", "edge (0, 1) is not manifold"},
    {"edge_same_direction", "is not manifold: more than two faces use it, or two in the same direction"},
    {"moebius", "is not manifold"},
    {"bow_tie", "its faces do not form one fan"},
    {"cubes_at_edge", "is not manifold"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct fixture f;
        struct sdd_topology_info info;
        char name[64];
        snprintf(name, sizeof name, "nonmanifold/%s", faults[i].shape);
        setup(&f, name);
        sdd_topology_info(f.topology, &info);
        assert_int_equal(info.manifold, 0);
        assert_int_equal(info.n_boundaries, 0);
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            expect(&f, "auto", surface, "mesh-matrix");
            expect(&f, "mesh-matrix", surface, "mesh-matrix");
            refuse(&f, "edge-friend", surface, faults[i].words);
            refuse(&f, "edge-friend", surface,
                   "engine edge-friend does not do meshes that are not manifold under catmullClark; engines "
                   "that do: mesh-matrix");
        }
        teardown(&f);
    }
}

/* The elements are told in the client's numbers, whatever the orientation. */
static void test_fault_names(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "box");
    int32_t vertices[24];
    char want[80];
    memcpy(vertices, f.shape.desc.face_vertices, sizeof vertices);
    vertices[6] = vertices[4];
    snprintf(want, sizeof want, "face 1 uses vertex %d more than once", vertices[4]);
    f.shape.desc.face_vertices = vertices;
    for (int side = SDD_RIGHT_HANDED; side <= SDD_LEFT_HANDED; side++) {
        f.shape.desc.options.orientation = side;
        drop(&f);
        make(&f);
        refuse(&f, "edge-friend", SDD_SURFACE_REFINED, want);
    }
    teardown(&f);
}

/* A manifold mesh takes the first engine of the table, bilinear the one that has it. */
static void test_choice(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_topology_info info;
    setup(&f, "grid4x3");
    sdd_topology_info(f.topology, &info);
    assert_int_equal(info.manifold, 1);
    expect(&f, "auto", SDD_SURFACE_LIMIT, "mesh-matrix");
    expect(&f, "edge-friend", SDD_SURFACE_LIMIT, "edge-friend");
    drop(&f);
    f.shape.desc.options.scheme = SDD_SCHEME_BILINEAR;
    make(&f);
    expect(&f, "auto", SDD_SURFACE_LIMIT, "mesh-matrix");
    refuse(&f, "edge-friend", SDD_SURFACE_LIMIT,
           "engine edge-friend does not do scheme bilinear; engines that do: mesh-matrix");
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_fault_names),
                                       cmocka_unit_test(test_choice)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("choice of engine", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
