/* SPDX-License-Identifier: Apache-2.0 */
/* What a mesh is told of that is probably not meant: vertices that lie on others, flipped neighbours, faces twice. */
#include "server/base/shared.h"
#include "server/mesh/looks.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct mesh_looks look_at(struct mesh *m, int manifold, int64_t n_edges)
{
    struct mesh_looks l;
    m->manifold = manifold;
    m->n_edges = n_edges;
    mesh_look(m, &l);
    mesh_free(m);
    return l;
}

static struct mesh_looks look(const char *obj, int manifold)
{
    return look_at(sample_obj(obj), manifold, -1);
}

static void has(struct mesh_looks l, int64_t open, int64_t coincident, int64_t flipped, int64_t twice)
{
    assert_int_equal(l.open, open);
    assert_int_equal(l.coincident, coincident);
    assert_int_equal(l.flipped, flipped);
    assert_int_equal(l.twice, twice);
    assert_false(l.estimated);
}

/* A closed mesh has no open edges, whether the library's counts say so or the faces themselves. */
static void test_closed(void **state)
{
    (void)state;
    has(look_at(sample_cube(), 1, 12), 0, 0, 0, 0);
    has(look_at(sample_cube(), 1, -1), 0, 0, 0, 0);
    has(look_at(sample_cube(), 0, -1), 0, 0, 0, 0);
}

static void test_open(void **state)
{
    (void)state;
    has(look_at(sample_grid(5, 4), 1, -1), 18, 0, 0, 0);
    has(look_at(sample_grid(5, 4), 0, -1), 18, 0, 0, 0);
}

/* Two quads side by side: at 1 0 0 and 1 1 0 a vertex of either; 0 and -0 are one place. */
static void test_unwelded(void **state)
{
    (void)state;
    has(look("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 -0 0\nv 2 0 0\nv 2 1 0\nv 1 1 -0\nf 1 2 3 4\nf 5 6 7 8\n", 1), 8,
        4, 0, 0);
}

/* A vertex inside a surface may lie where others do: the surface does not come apart there. */
static void test_inside(void **state)
{
    struct mesh *m = sample_grid(3, 3);
    (void)state;
    memcpy(&m->points[15], &m->points[0], 3 * sizeof *m->points); /* Row 5 is the first inside. */
    has(look_at(m, 1, -1), 12, 0, 0, 0);
}

static void test_flipped(void **state)
{
    (void)state;
    has(look("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nf 1 2 3 4\nf 2 3 6 5\n", 0), 6, 0, 1, 0);
    has(look("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nf 1 2 3 4\nf 2 5 6 3\n", 0), 6, 0, 0, 0);
}

/* A third face at an edge is no flipped one. */
static void test_three_at_an_edge(void **state)
{
    (void)state;
    has(look("v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nv -1 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n", 0), 5, 0, 0, 0);
}

/* Faces twice: one of a cube, in one direction or the other; a whole cube. Their edges are not flipped ones. */
static void test_twice(void **state)
{
    static const char faces[] = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    static const char points[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
    char obj[600];
    (void)state;
    snprintf(obj, sizeof obj, "%s%sf 4 2 1 3\n", points, faces);
    has(look(obj, 0), 4, 0, 0, 1);
    snprintf(obj, sizeof obj, "%s%sf 2 4 3 1\n", points, faces);
    has(look(obj, 0), 4, 0, 0, 1);
    snprintf(obj, sizeof obj, "%s%s%s", points, faces, faces);
    has(look(obj, 0), 0, 0, 0, 6);
    has(look("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 2 3 1\n", 0), 3, 0, 0, 1);
}

/* Of very many a sample is counted, and comes near. */
static void test_many(void **state)
{
    const int n = 400;
    struct mesh *m = sample_grid(n, n);
    struct mesh_looks l;
    int32_t *corner = shared_alloc((size_t)m->n_corners * sizeof *corner);
    float *points = shared_alloc((size_t)m->n_corners * 3 * sizeof *points);
    (void)state;
    assert_true(corner && points);
    for (int64_t i = 0; i < m->n_corners; i++) { /* Each corner gets a vertex of its own. */
        memcpy(&points[3 * i], &m->points[3 * (int64_t)m->face_vertices[i]], 3 * sizeof *points);
        corner[i] = (int32_t)i;
    }
    shared_free(m->points);
    shared_free(m->face_vertices);
    m->points = points;
    m->face_vertices = corner;
    m->n_vertices = m->n_corners;
    l = look_at(m, 1, -1);
    assert_true(l.estimated);
    assert_int_equal(l.open, 4 * n * n);
    assert_in_range(l.coincident, 4 * n * n * 9 / 10, 4 * n * n);
}

static void test_words(void **state)
{
    const struct mesh_looks l = {.open = 8, .coincident = 4, .flipped = 2, .twice = 1},
                            many = {.open = 9, .coincident = 9, .estimated = true};
    struct text lines = {0};
    (void)state;
    mesh_looks_print(&l, &lines);
    assert_non_null(strstr(lines.data, "unwelded: 4 of its 8 vertices"));
    assert_non_null(strstr(lines.data, "flipped (2)"));
    assert_non_null(strstr(lines.data, "twice (1)"));
    text_free(&lines);
    mesh_looks_print(&many, &lines);
    assert_non_null(strstr(lines.data, "unwelded: about 9 of its 9"));
    assert_null(strstr(lines.data, "flipped"));
    text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed), cmocka_unit_test(test_open),    cmocka_unit_test(test_unwelded),
        cmocka_unit_test(test_inside), cmocka_unit_test(test_flipped), cmocka_unit_test(test_three_at_an_edge),
        cmocka_unit_test(test_twice),  cmocka_unit_test(test_many),    cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
