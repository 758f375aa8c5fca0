/* SPDX-License-Identifier: Apache-2.0 */
/* test_tabulated.c: points from tables are those of mesh-matrix, but for rounding: on every shape, at levels 1 to 6,
 * refined and limit, positions, UVs and a vertex primvar of five floats, and normals; the same bits on any number of
 * threads. */
#include "tests/engines/same_as.h"
#include "tests/oracle/dice.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 200000

static struct same_as by_tables = {.method = "tabulated", .normals = 6};

static void check_uniform(const struct shape *s)
{
    int last = level_that_fits(&s->desc, 6, MOST_VERTICES);
    assert_true(last > 0);
    if (s->desc.options.crease_method == SDD_CREASE_UNIFORM)
        same_as_shape(&by_tables, s, 1, last);
}

static void test_points(void **state)
{
    (void)state;
    for_each_shape("", 100, check_uniform);
    by_tables.normals = 3; /* faces that use a vertex twice are so thin then that mesh-matrix sees rounding */
    for_each_shape("nonmanifold", 20, check_uniform);
    by_tables.normals = 6;
    assert_true(by_tables.n_compared > 2500 && by_tables.n_unsure < by_tables.n_normals / 20);
}

/* ---- meshes made for the purpose ------------------------------------------------------------------------------- */
static void compare_quads(const char *name, int n_vertices, const float *points, int n_faces, const int32_t *counts,
                          const int32_t *corners, int level)
{
    struct shape s = {.desc = {.n_vertices = n_vertices, .n_faces = n_faces, .face_counts = counts}};
    for (int f = 0; f < n_faces; f++)
        s.desc.n_corners += counts[f];
    s.desc.face_vertices = corners;
    snprintf(s.name, sizeof s.name, "%s", name);
    s.points = (float *)(uintptr_t)points;
    same_as_shape(&by_tables, &s, 1, level);
}

/* n quads around a vertex, which lie on a cone; of an open fan there is a gap after the last. */
static void fan(int n, int open)
{
    float points[3 * (1 + 2 * 34)] = {0};
    int32_t counts[33], corners[4 * 33];
    char name[40];
    snprintf(name, sizeof name, "%s fan of %d", open ? "open" : "closed", n);
    for (int i = 0; i < 2 * (n + open); i++) {
        double turn = 6.283185307179586 * i / (2 * (n + open)), r = i % 2 ? 1.5 : 1;
        points[3 * (i + 1)] = (float)(r * cos(turn));
        points[3 * (i + 1) + 1] = (float)(r * sin(turn));
        points[3 * (i + 1) + 2] = (float)r;
    }
    for (int i = 0; i < n; i++) {
        const int32_t quad[4] = {0, 1 + 2 * i, 2 + 2 * i, 1 + (2 * i + 2) % (2 * (n + open))};
        counts[i] = 4;
        memcpy(corners + 4 * i, quad, sizeof quad);
    }
    compare_quads(name, 1 + 2 * (n + open), points, n, counts, corners, 3);
}

static void polygon(int n)
{
    float points[3 * 33] = {0};
    int32_t corners[33];
    for (int i = 0; i < n; i++) {
        points[3 * i] = (float)cos(6.283185307179586 * i / n);
        points[3 * i + 1] = (float)sin(6.283185307179586 * i / n);
        corners[i] = i;
    }
    const int32_t count = n;
    compare_quads("polygon", n, points, 1, &count, corners, 3);
}

/* Tables go to 32. */
static void test_largest(void **state)
{
    (void)state;
    for (int n = 31; n <= 33; n++) {
        fan(n, 0);
        fan(n, 1);
        polygon(n);
    }
}

/* A torus of side x side quads, all of whose edges are as sharp, levels 1 to `level`. */
static void torus(int side, float sharp, int level)
{
    const int n = side * side;
    float *points = xalloc((int64_t)3 * n, sizeof *points), *sharpness = xalloc((int64_t)2 * n, sizeof *sharpness);
    int32_t *counts = xalloc(n, sizeof *counts), *corners = xalloc((int64_t)4 * n, sizeof *corners);
    int32_t *creases = xalloc((int64_t)4 * n, sizeof *creases);
    for (int i = 0; i < n; i++) {
        const int x = i % side, y = i / side, right = (x + 1) % side, up = (y + 1) % side;
        const double u = 6.283185307179586 * x / side, v = 6.283185307179586 * y / side, r = 3 + cos(v);
        const int32_t quad[4] = {i, y * side + right, up * side + right, up * side + x};
        const int32_t ends[4] = {i, quad[1], i, quad[3]};
        points[3 * i] = (float)(r * cos(u));
        points[3 * i + 1] = (float)(r * sin(u));
        points[3 * i + 2] = (float)sin(v);
        counts[i] = 4;
        memcpy(corners + 4 * i, quad, sizeof quad);
        memcpy(creases + 4 * i, ends, sizeof ends);
        sharpness[2 * i] = sharpness[2 * i + 1] = sharp;
    }
    struct shape s = {.name = "torus",
                      .desc = {.n_vertices = n,
                               .n_faces = n,
                               .n_corners = 4 * n,
                               .face_counts = counts,
                               .face_vertices = corners,
                               .n_creases = sharp > 0 ? 2 * n : 0,
                               .crease_edges = creases,
                               .crease_sharpness = sharpness},
                      .points = points};
    same_as_shape(&by_tables, &s, 1, level);
    free(points);
    free(sharpness);
    free(counts);
    free(corners);
    free(creases);
}

/* So many that an item takes several groups of pieces (to level 3 from 131,072 on), and that rows of level 1 are a
 * launch of their own (more than 2^18). */
static void test_many(void **state)
{
    (void)state;
    torus(190, 0, 3);
    torus(260, 0.5f, 1);
}

/* Half a mirrored model: what is at its boundary stays in the plane to the bit, whatever is inside, and sharp corners
 * stay. One face is two triangles, so beside them patches of all levels are small, and end. */
static void test_mirror_plane(void **state)
{
    enum { SIDE = 7, FACES = (SIDE - 1) * (SIDE - 1) + 1, CORNERS = 4 * FACES - 2, IN_TWO = 2 };
    static const int levels[] = {4, 7}; /* by tables, by patches of all levels */
    float points[3 * SIDE * SIDE];
    int32_t counts[FACES], corners[CORNERS], *corner = corners;
    struct dice dice = dice_of(5);
    struct sdd_error err = {0};
    sdd_topology *topology;
    sdd_mesh *mesh;
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int at[3] = {i % SIDE, i / SIDE, SIDE};
        for (int k = 0; k < 3; k++) /* zero on two of the four sides, elsewhere nothing is */
            points[3 * i + k] = at[k] ? (float)at[k] + (float)(dice_next(&dice) % 1000) / 2001.0f : 0.0f;
    }
    for (int f = 0; f < FACES; f++) {
        const int cell = f > IN_TWO ? f - 1 : f, v = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
        const int32_t quad[] = {v, v + 1, v + SIDE + 1, v + SIDE}, third[] = {v, v + SIDE + 1, v + SIDE};
        counts[f] = cell == IN_TWO ? 3 : 4;
        memcpy(corner, f == IN_TWO + 1 ? third : quad, (size_t)counts[f] * sizeof *corner);
        corner += counts[f];
    }
    const struct sdd_mesh_desc desc = {.n_vertices = SIDE * SIDE,
                                       .n_faces = FACES,
                                       .n_corners = CORNERS,
                                       .face_counts = counts,
                                       .face_vertices = corners};
    if (sdd_topology_create(by_tables.device[0], &desc, &topology, &err) ||
        sdd_mesh_create(topology, points, NULL, &mesh, &err))
        fail_msg("%s", err.text);
    for (int k = 0; k < 4; k++) {
        const int level = levels[k / 2];
        const struct sdd_refine_request r = {
            .level = level, .surface = k % 2, .include = SDD_POSITIONS, .method = "tabulated"};
        sdd_result *result;
        if (refine_once(mesh, &r, &result, &err))
            fail_msg("%s", err.text);
        const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
        int64_t zeros[2] = {0, 0};
        for (int64_t i = 0; i < 3 * b->count; i++)
            zeros[i % 3 != 0] += ((const float *)b->data)[i] == 0.0f;
        assert_int_equal(zeros[0], ((SIDE - 1) << level) + 1);
        assert_int_equal(zeros[1], ((SIDE - 1) << level) + 1);
        for (int end = 0; end < 4; end++) {
            const int v = end % 2 * (SIDE - 1) + end / 2 * (SIDE - 1) * SIDE;
            assert_memory_equal((const float *)b->data + 3 * v, points + 3 * v, 3 * sizeof *points);
        }
        sdd_result_free(result);
    }
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points), cmocka_unit_test(test_largest),
                                       cmocka_unit_test(test_many), cmocka_unit_test(test_mirror_plane)};
    same_as_open(&by_tables);
    int failed = cmocka_run_group_tests_name("tabulated", tests, NULL, NULL);
    same_as_close(&by_tables);
    return failed;
}
