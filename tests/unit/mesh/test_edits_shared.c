/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a mesh of 160,000 faces an edit or an update of positions copies; versions that share their arrays stay
 * what they were. */
#include "server/base/shared.h"
#include "server/mesh/edits/edits.h"
#include "server/mesh/positions.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 400, FEW = 64 << 10 };

static struct mesh *apply(const struct mesh *m, const char *json, int64_t *made)
{
    char text[512];
    struct edit_result r;
    struct sdd_error err = {0};
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    struct edit_batch *b = sample_edits(text);
    const int64_t before = shared_stats().made;
    if (edits_apply(m, b, &r, &err))
        fail_msg("%s: %s", json, err.text);
    *made = shared_stats().made - before;
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    edit_batch_free(b);
    return out;
}

/* A copy that shares nothing. */
static struct mesh *apart(const struct mesh *m)
{
    struct mesh_arrays a = {.options = m->options,
                            .points = {m->points, 3 * m->n_vertices},
                            .face_counts = {m->face_counts, m->n_faces},
                            .face_vertices = {m->face_vertices, m->n_corners},
                            .crease_indices = {m->crease_edges, 2 * m->n_creases},
                            .crease_sharpnesses = {m->crease_sharpness, m->n_creases},
                            .crease_pairs = 1,
                            .corner_indices = {m->corner_vertices, m->n_corner_tags},
                            .corner_sharpnesses = {m->corner_sharpness, m->n_corner_tags},
                            .hole_indices = {m->hole_faces, m->n_holes},
                            .uvs = {m->uvs, 2 * m->n_uvs},
                            .uv_indices = {m->uv_indices, m->n_uvs ? m->n_corners : 0}};
    struct mesh *out;
    struct sdd_error err;
    assert_int_equal(mesh_build(&a, &out, &err), SDD_OK);
    return out;
}

/* Edits that add rows or set some: in a mesh of 160,000 faces they copy some pages. */
static const char *const small[] = {
    "{\"setPositions\":{\"ids\":[80000],\"points\":[9,9,9]}}",
    "{\"setCreases\":{\"edges\":[80000,80001],\"sharpnesses\":[2]}}",
    "{\"setCorners\":{\"ids\":[7],\"sharpnesses\":[2]}}",
    "{\"setHoles\":{\"ids\":[90000],\"hole\":true}}",
    "{\"addVertices\":{\"points\":[1,2,3]}}",
    "{\"addVertices\":{\"points\":[1,2,3]}},{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[5,6,-1]}}",
    "{\"removeFaces\":{\"ids\":[159999]}}",
};

static void test_few_bytes(void **state)
{
    int64_t made;
    struct mesh *m = sample_grid(N, N), *was = apart(m);
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        struct mesh *to = apply(m, small[i], &made);
        if (made > FEW)
            fail_msg("%s copies %lld bytes", small[i], (long long)made);
        mesh_free(to);
    }
    sample_same(m, was);
    struct mesh *to = apply(m, small[1], &made);
    assert_ptr_equal(to->points, m->points); /* what an edit does not touch is the same array */
    assert_ptr_equal(to->face_vertices, m->face_vertices);
    assert_ptr_equal(to->vertex_ids, m->vertex_ids);
    mesh_free(to);
    to = apply(m, "{\"removeFaces\":{\"ids\":[80000]}}", &made);
    assert_ptr_equal(to->points, m->points);
    assert_true(made < 4 * (to->n_corners + 2 * to->n_faces) + FEW); /* one pass over what closes up */
    mesh_free(to);
    mesh_free(m);
    mesh_free(was);
}

/* Many versions, the next of which is made of any; each is at the end what it was. */
static void test_versions(void **state)
{
    enum { VERSIONS = 12 };
    struct mesh *m[VERSIONS], *was[VERSIONS];
    int64_t made, sum = 0;
    (void)state;
    m[0] = sample_grid(N, N);
    was[0] = apart(m[0]);
    for (int k = 1; k < VERSIONS; k++) {
        char json[300], poke[60] = "";
        if (k % 5 == 4)
            (void)snprintf(poke, sizeof poke, ",{\"pokeFaces\":{\"ids\":[%d]}}", 100 + k);
        (void)snprintf(json, sizeof json,
                       "{\"setPositions\":{\"ids\":[%d],\"points\":[%d,9,9]}},{\"addVertices\":{\"points\":[1,2,%d]}},"
                       "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[%d,%d,-1]}}%s",
                       12000 * k, k, k, k, k + 1, poke);
        m[k] = apply(m[k % 3 ? k - 1 : k / 2], json, &made);
        was[k] = apart(m[k]);
        sum += k % 5 == 4 ? 0 : made;
    }
    assert_true(sum < VERSIONS * 4 * FEW);
    for (int k = 0; k < VERSIONS; k++) {
        sample_same(m[k], was[k]);
        if (k % 2)
            mesh_free(m[k]);
    }
    for (int k = 0; k < VERSIONS; k += 2) {
        sample_same(m[k], was[k]);
        mesh_free(m[k]);
    }
    for (int k = 0; k < VERSIONS; k++)
        mesh_free(was[k]);
}

/* New positions of some vertices: in place where no other version has the points, and else some pages. */
static void test_positions(void **state)
{
    const float point[3] = {7, 8, 9};
    struct position_range range = {70000, 1, point};
    const struct positions p = {1, &range, NULL};
    struct sdd_error err;
    struct mesh *m = sample_grid(N, N), *was = apart(m), *copy;
    (void)state;
    assert_int_equal(mesh_copy(m, &copy, &err), SDD_OK);
    assert_ptr_equal(copy->points, m->points);
    int64_t before = shared_stats().made;
    assert_int_equal(positions_open(&p, copy, &err), SDD_OK);
    positions_apply(&p, copy);
    assert_in_range(shared_stats().made - before, 1, FEW);
    assert_memory_equal(copy->points + 210000, point, sizeof point);
    sample_same(m, was);
    before = shared_stats().made;
    assert_int_equal(positions_open(&p, copy, &err), SDD_OK); /* it has that page already */
    assert_int_equal(shared_stats().made, before);
    mesh_free(copy);
    assert_int_equal(positions_open(&p, m, &err), SDD_OK);
    positions_apply(&p, m);
    assert_int_equal(shared_stats().made, before);
    assert_memory_equal(m->points + 210000, point, sizeof point);
    mesh_free(m);
    mesh_free(was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_bytes), cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_positions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
