/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mesh/edits/edits.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

/* Applies {"edits":[json]}; m is not to change. */
static int apply(const struct mesh *m, const char *json, struct edit_result *r, struct sdd_error *err)
{
    char text[4096];
    struct mesh *before;
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    struct edit_batch *b = sample_edits(text);
    assert_int_equal(mesh_copy(m, &before, err), SDD_OK);
    int rc = edits_apply(m, b, r, err);
    sample_same(m, before);
    mesh_free(before);
    edit_batch_free(b);
    if (rc)
        assert_null(r->mesh);
    return rc;
}

static struct mesh *good(const struct mesh *m, const char *json)
{
    struct edit_result r;
    struct sdd_error err = {0};
    if (apply(m, json, &r, &err))
        fail_msg("%s: %s", json, err.text);
    assert_int_equal(mesh_check_indices(r.mesh, &err), SDD_OK);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    return out;
}

static void refused(const struct mesh *m, const char *json, int code, const char *says)
{
    struct edit_result r;
    struct sdd_error err = {0};
    int rc = apply(m, json, &r, &err);
    if (rc != code || !strstr(err.text, says))
        fail_msg("%s\ngave %d %s", json, rc, err.text);
}

static bool has_crease(const struct mesh *m, int32_t a, int32_t b)
{
    for (int64_t i = 0; i < m->n_creases; i++)
        if (m->crease_edges[2 * i] == a && m->crease_edges[2 * i + 1] == b)
            return true;
    return false;
}

static void test_nothing(void **state)
{
    (void)state;
    struct mesh *m = sample_cube(), *n = good(m, "{\"setHoles\":{\"ids\":[0],\"hole\":false}}");
    sample_same(m, n);
    mesh_free(n);
    mesh_free(m);
}

static void test_add(void **state)
{
    struct edit_result r;
    struct sdd_error err = {0};
    static const float point[] = {9, 8, 7};
    static const int32_t corners[] = {1, 4, 2};
    (void)state;
    struct mesh *m = sample_grid(1, 1);
    assert_int_equal(
        apply(m,
              "{\"addVertices\":{\"points\":[9,8,7]}},"
              "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,-1,2]}},"
              "{\"setHoles\":{\"ids\":[-1],\"hole\":true}},{\"setCorners\":{\"ids\":[-1,4],\"sharpnesses\":[1,2]}}",
              &r, &err),
        SDD_OK);
    assert_int_equal(r.n_new_vertices, 1);
    assert_int_equal(r.new_vertex_ids[0], 4);
    assert_int_equal(r.n_new_faces, 1);
    assert_int_equal(r.new_face_ids[0], 1);
    assert_int_equal(r.mesh->n_vertices, 5);
    assert_int_equal(r.mesh->n_faces, 2);
    assert_memory_equal(r.mesh->points + 12, point, sizeof point);
    assert_memory_equal(r.mesh->face_vertices + 4, corners, sizeof corners);
    assert_int_equal(r.mesh->n_holes, 1);
    assert_int_equal(r.mesh->hole_faces[0], 1);
    assert_int_equal(r.mesh->n_corner_tags, 1);
    assert_true(r.mesh->corner_sharpness[0] == 2);
    assert_int_equal(r.mesh->next_vertex_id, 5);
    edit_result_free(&r);
    mesh_free(m);
}

static void test_ids_are_stable(void **state)
{
    static const int32_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8}, face_ids[] = {1, 2, 3};
    (void)state;
    struct mesh *m = sample_grid(2, 2), *n, *o; /* 0 1 2 / 3 4 5 / 6 7 8 */
    n = good(m, "{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0]}}");
    assert_int_equal(n->n_vertices, 8);
    assert_memory_equal(n->vertex_ids, ids, sizeof ids);
    assert_memory_equal(n->face_ids, face_ids, sizeof face_ids);
    assert_int_equal(n->face_vertices[0], 0); /* face 1 starts at vertex 1, now row 0 */
    assert_int_equal(n->next_vertex_id, 9);
    refused(n, "{\"setPositions\":{\"ids\":[0],\"points\":[0,0,0]}}", SDD_EMESH, "edits[0]: there is no vertex 0");
    refused(n, "{\"removeFaces\":{\"ids\":[0]}}", SDD_EMESH, "there is no face 0");
    o = good(n, "{\"addVertices\":{\"points\":[5,5,5,6,6,6]}},{\"removeVertices\":{\"ids\":[-1]}},"
                "{\"setPositions\":{\"ids\":[8,10],\"points\":[1,1,1,2,2,2]}}");
    assert_int_equal(o->n_vertices, 9);
    assert_int_equal(o->vertex_ids[7], 8);
    assert_int_equal(o->vertex_ids[8], 10); /* 9 was used up and does not come back */
    assert_true(o->points[21] == 1 && o->points[24] == 2);
    assert_int_equal(o->next_vertex_id, 11);
    mesh_free(o);
    mesh_free(n);
    mesh_free(m);
}

static void test_errors(void **state)
{
    (void)state;
    struct mesh *m = sample_grid(2, 1); /* 0 1 2 / 3 4 5 */
    refused(m, "{\"removeVertices\":{\"ids\":[1]}}", SDD_EMESH, "vertex 1 is removed but face 0 uses it");
    refused(m, "{\"setHoles\":{\"ids\":[0],\"hole\":true}},{\"removeVertices\":{\"ids\":[7]}}", SDD_EMESH,
            "edits[1]: there is no vertex 7");
    refused(m, "{\"removeFaces\":{\"ids\":[1,1]}}", SDD_EMESH, "already removed face 1");
    refused(
        m, "{\"removeVertices\":{\"ids\":[1]}},{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,2]}}",
        SDD_EMESH, "already removed vertex 1");
    refused(m, "{\"removeVertices\":{\"ids\":[-1]}}", SDD_EMESH, "there is no vertex -1");
    refused(m, "{\"removeVertices\":{\"ids\":[-2147483648]}}", SDD_EMESH, "there is no vertex -2147483648");
    refused(m, "{\"addVertices\":{\"points\":[0,0,0]}},{\"removeVertices\":{\"ids\":[-2]}}", SDD_EMESH, "no vertex -2");
    refused(m, "{\"setUvs\":{\"ids\":[0],\"st\":[0,0]}}", SDD_EMESH, "do not match the corners");
    refused(m, "{\"setUvs\":{\"ids\":[0],\"st\":[0,0,0,0,0,0,0,0,0,0]}}", SDD_EMESH, "do not match the corners");
    refused(m, "{\"setUvs\":{\"ids\":[0],\"st\":[0,0,0,0,0,0,0,0]}}", SDD_EMESH, "face 1 has no UVs but face 0 has");
    refused(m, "", SDD_EINVALID, "edits is missing or empty");
    m->next_vertex_id = INT32_MAX;
    refused(m, "{\"addVertices\":{\"points\":[0,0,0,0,0,0]}}", SDD_ETOO_LARGE, "run out of ids");
    m->face_vertices[0] = 6; /* a mesh that nobody has checked */
    struct edit_batch *b = sample_edits("{\"edits\":[{\"removeFaces\":{\"ids\":[0]}}]}");
    struct edit_result r;
    struct sdd_error err;
    assert_int_equal(edits_apply(m, b, &r, &err), SDD_EMESH);
    edit_batch_free(b);
    mesh_free(m);
}

/* What the compute library would refuse by rows is refused here by ids: 0 went, so row and id differ. */
static void test_errors_name_ids(void **state)
{
    (void)state;
    struct mesh *all = sample_grid(2, 2), *m; /* 0 1 2 / 3 4 5 / 6 7 8 */
    m = good(all, "{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0]}}");
    refused(m, "{\"setHoles\":{\"ids\":[1],\"hole\":true}},{\"setCreases\":{\"edges\":[4,8],\"sharpnesses\":[2]}}",
            SDD_EMESH, "edits[1]: crease (4, 8) names an edge that no face has");
    refused(m, "{\"setPositions\":{\"ids\":[2,8],\"points\":[0,0,0,2e30,0,0]}}", SDD_EMESH,
            "edits[0]: vertex 8 is at (2e+30, 0, 0)");
    refused(m, "{\"addVertices\":{\"points\":[0,0,0,0,2e30,0]}}", SDD_EMESH, "edits[0]: vertex -2 is at");
    refused(m, "{\"addFaces\":{\"faceVertexCounts\":[2],\"faceVertexIndices\":[1,4]}}", SDD_EMESH,
            "edits[0]: face -1 has 2 corners");
    m->options.scheme = SDD_SCHEME_LOOP;
    refused(m, "{\"addFaces\":{\"faceVertexCounts\":[3,4],\"faceVertexIndices\":[1,2,5,1,2,5,4]}}", SDD_EMESH,
            "edits[0]: face -2 has 4 corners; scheme loop takes triangles alone");
    m->options.scheme = SDD_SCHEME_SQRT3;
    refused(m, "{\"addFaces\":{\"faceVertexCounts\":[4],\"faceVertexIndices\":[1,2,5,4]}}", SDD_EMESH,
            "edits[0]: face -1 has 4 corners; scheme sqrt3 takes triangles alone");
    m->options.scheme = SDD_SCHEME_CATMULL_CLARK;
    refused(m,
            "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,4,8]}},"
            "{\"setCreases\":{\"edges\":[1,5],\"sharpnesses\":[2]}}",
            SDD_EMESH, "edits[1]: crease (1, 5) names an edge that no face has");
    mesh_free(m);
    m = good(all, "{\"addVertices\":{\"points\":[0,0,0]}}," /* a new face's own edge is there */
                  "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,0,-1]}},"
                  "{\"setCreases\":{\"edges\":[-1,0],\"sharpnesses\":[2]}}");
    mesh_free(m);
    mesh_free(all);
}

/* A third face at an edge, an edge twice in one direction, a face that comes back to a vertex: not manifold, not
 * refused. */
static void test_not_manifold(void **state)
{
    (void)state;
    struct mesh *m = sample_grid(2, 1), *n; /* 0 1 2 / 3 4 5: faces 0 1 4 3 and 1 2 5 4 */
    n = good(m, "{\"addVertices\":{\"points\":[0,0,9]}},{\"addFaces\":{\"faceVertexCounts\":[3,3,5],"
                "\"faceVertexIndices\":[1,4,-1,0,1,-1,0,3,-1,3,3]}},"
                "{\"setCreases\":{\"edges\":[4,1,3,3],\"sharpnesses\":[2,1]}}");
    assert_int_equal(n->n_faces, 5);
    assert_int_equal(n->n_corners, 19);
    assert_true(has_crease(n, 1, 4) && has_crease(n, 3, 3));
    mesh_free(m);
    m = good(n, "{\"removeFaces\":{\"ids\":[0,1]}}"); /* edge 1-4 still has a face */
    assert_int_equal(m->n_creases, 2);
    mesh_free(n);
    n = good(m, "{\"removeFaces\":{\"ids\":[2,4]}}");
    assert_int_equal(n->n_creases, 0);
    mesh_free(n);
    mesh_free(m);
}

static void test_creases(void **state)
{
    (void)state;
    struct mesh *m = sample_grid(2, 1), *n; /* 0 1 2 / 3 4 5: faces 0 1 4 3 and 1 2 5 4 */
    struct mesh *c = good(m, "{\"setCreases\":{\"edges\":[4,1,0,1,2,5,1,2],\"sharpnesses\":[2,3,4,5]}},"
                             "{\"setCreases\":{\"edges\":[1,0,2,1],\"sharpnesses\":[99,0]}}");
    assert_int_equal(c->n_creases, 3);
    assert_true(c->crease_sharpness[0] == 10 && has_crease(c, 1, 4) && has_crease(c, 2, 5));
    n = good(c, "{\"removeFaces\":{\"ids\":[1]}}"); /* edge 1-4 still has face 0, 2-5 has none */
    assert_int_equal(n->n_creases, 2);
    assert_true(has_crease(n, 0, 1) && has_crease(n, 1, 4));
    mesh_free(n);
    n = good(c, "{\"removeFaces\":{\"ids\":[1]}},{\"removeVertices\":{\"ids\":[2,5]}}");
    assert_int_equal(n->n_creases, 2);
    assert_true(has_crease(n, 1, 3)); /* 1-4, closed up */
    mesh_free(n);
    /* A face replaced by two keeps the creases of its border, whatever the order. */
    n = good(c, "{\"removeFaces\":{\"ids\":[1]}},{\"addFaces\":{\"faceVertexCounts\":[3,3],\"faceVertexIndices\":[1,2,"
                "5,1,5,4]}}");
    assert_int_equal(n->n_creases, 3);
    mesh_free(n);
    refused(m, "{\"setCreases\":{\"edges\":[0,5],\"sharpnesses\":[1]}},{\"removeFaces\":{\"ids\":[1]}}", SDD_EMESH,
            "edits[0]: crease (0, 5) names an edge that no face has");
    mesh_free(c);
    mesh_free(m);
}

static void test_tags_go_with_their_element(void **state)
{
    (void)state;
    struct mesh *m = sample_grid(2, 1), *n;
    struct mesh *c =
        good(m, "{\"setCorners\":{\"ids\":[5,0],\"sharpnesses\":[2,3]}},{\"setHoles\":{\"ids\":[0,1],\"hole\":true}}");
    n = good(c, "{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0,3]}}");
    assert_int_equal(n->n_corner_tags, 1);
    assert_int_equal(n->corner_vertices[0], 3);
    assert_true(n->corner_sharpness[0] == 2);
    assert_int_equal(n->n_holes, 1);
    assert_int_equal(n->hole_faces[0], 0);
    mesh_free(n);
    n = good(c, "{\"setHoles\":{\"ids\":[1],\"hole\":false}},{\"setCorners\":{\"ids\":[5],\"sharpnesses\":[0]}}");
    assert_int_equal(n->n_holes, 1);
    assert_int_equal(n->n_corner_tags, 1);
    mesh_free(n);
    mesh_free(c);
    mesh_free(m);
}

static void test_uvs(void **state)
{
    (void)state;
    struct mesh *m = sample_grid(2, 1), *n, *o; /* faces 0 1 4 3 and 1 2 5 4 */
    n = good(m, "{\"setUvs\":{\"ids\":[0,1],\"st\":[0,0,1,0,1,1,0,1, 1,0,2,0,2,1,1,1]}}");
    assert_int_equal(n->n_uvs, 6); /* equal at vertices 1 and 4: one value each */
    assert_int_equal(n->uv_indices[1], n->uv_indices[4]);
    assert_int_equal(n->uv_indices[2], n->uv_indices[7]);
    o = good(n, "{\"setUvs\":{\"ids\":[1],\"st\":[1,0.5,2,0,2,1,1,1]}}"); /* a seam at vertex 1, the rest as it was */
    assert_int_equal(o->n_uvs, 7);
    assert_int_not_equal(o->uv_indices[1], o->uv_indices[4]);
    assert_int_equal(o->uv_indices[2], o->uv_indices[7]);
    mesh_free(o);
    o = good(n, "{\"removeFaces\":{\"ids\":[0]}}");
    assert_int_equal(o->n_uvs, 4);
    mesh_free(o);
    refused(n, "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,0,2]}}", SDD_EMESH,
            "face 2 has no UVs but face 1 has");
    o = good(n, "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,0,2]}},"
                "{\"setUvs\":{\"ids\":[-1],\"st\":[1,0,0,0,7,7]}}");
    assert_int_equal(o->n_uvs, 7);
    assert_int_equal(o->uv_indices[8], o->uv_indices[1]);
    assert_int_equal(o->uv_indices[9], o->uv_indices[0]);
    mesh_free(o);
    o = good(n, "{\"removeFaces\":{\"ids\":[0,1]}}");
    assert_int_equal(o->n_uvs, 0);
    assert_null(o->uv_indices);
    mesh_free(o);
    mesh_free(n);
    mesh_free(m);
}

static int32_t pick(uint64_t *x, int64_t n)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return (int32_t)(*x % (uint64_t)n);
}

/* Many random batches: what comes out is always in range, and ids never change what they name (each vertex's x is its
 * id). */
static void test_random(void **state)
{
    uint64_t x = 88172645463325252u;
    struct sdd_error err;
    struct edit_result r;
    char text[2000], one[400];
    int applied = 0;
    (void)state;
    struct mesh *m = sample_grid(4, 4);
    for (int64_t i = 0; i < m->n_vertices; i++)
        m->points[3 * i] = (float)i;
    for (int round = 0; round < 3000; round++) {
        text[0] = 0;
        size_t used = 0;
        int added = 0;
        for (int e = pick(&x, 4); e >= 0; e--) {
            int64_t v = m->next_vertex_id, f = m->next_face_id;
            switch (pick(&x, 7)) {
            case 0:
                (void)snprintf(one, sizeof one, "{\"addVertices\":{\"points\":[%lld,0,0]}}", (long long)v + added++);
                break;
            case 1: (void)snprintf(one, sizeof one, "{\"removeVertices\":{\"ids\":[%d]}}", pick(&x, v)); break;
            case 2: (void)snprintf(one, sizeof one, "{\"removeFaces\":{\"ids\":[%d]}}", pick(&x, f)); break;
            case 3:
                (void)snprintf(one, sizeof one,
                               "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[%d,%d,%d]}}",
                               pick(&x, v), pick(&x, v), pick(&x, v + 1) - 1);
                break;
            case 4:
                (void)snprintf(one, sizeof one, "{\"setCreases\":{\"edges\":[%d,%d],\"sharpnesses\":[%d]}}",
                               pick(&x, v), pick(&x, v), pick(&x, 4));
                break;
            case 5:
                (void)snprintf(one, sizeof one, "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[%d]}}", pick(&x, v),
                               pick(&x, 3));
                break;
            default:
                (void)snprintf(one, sizeof one, "{\"setHoles\":{\"ids\":[%d],\"hole\":%s}}", pick(&x, f),
                               pick(&x, 2) ? "true" : "false");
                break;
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "", one);
        }
        if (apply(m, text, &r, &err))
            continue;
        applied++;
        assert_int_equal(mesh_check_indices(r.mesh, &err), SDD_OK);
        for (int64_t i = 0; i < r.mesh->n_vertices; i++)
            assert_true(r.mesh->points[3 * i] == (float)r.mesh->vertex_ids[i]);
        mesh_free(m);
        m = r.mesh;
        r.mesh = NULL;
        edit_result_free(&r);
    }
    assert_true(applied > 200);
    mesh_free(m);
}

/* A hundred thousand edits of a mesh of a quarter of a million faces take a moment, not their product. */
static void test_linear(void **state)
{
    struct sdd_error err;
    struct edit_result r;
    struct timespec a, b;
    (void)state;
    struct mesh *m = sample_grid(500, 500);
    int64_t n = 65000;
    struct edit *edits = calloc((size_t)n, sizeof *edits);
    int32_t *ids = calloc((size_t)n, 8);
    float *sharp = calloc((size_t)n, sizeof *sharp);
    for (int64_t i = 0; i < n; i++) {
        ids[2 * i] = (int32_t)i;
        ids[2 * i + 1] = (int32_t)i + 1;
        sharp[i] = i % 501 != 500; /* the last of a row and the next one have no edge */
        if (i % 2)
            edits[i] = (struct edit){.op = EDIT_REMOVE_FACES, .n = 1, .ids = ids + 2 * i};
        else
            edits[i] =
                (struct edit){.op = EDIT_SET_CREASES, .n = 1, .ids = ids + 2 * i, .n_values = 1, .values = sharp + i};
    }
    struct edit_batch batch = {n, edits, NULL};
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(edits_apply(m, &batch, &r, &err), SDD_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    print_message("%lld edits of 250,000 faces: %.1f ms\n", (long long)n, seconds * 1e3);
    assert_true(seconds < 5);
    assert_int_equal(r.mesh->n_faces, m->n_faces - n / 2);
    edit_result_free(&r);
    free(edits);
    free(ids);
    free(sharp);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_ids_are_stable),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_errors_name_ids),
        cmocka_unit_test(test_not_manifold),
        cmocka_unit_test(test_creases),
        cmocka_unit_test(test_tags_go_with_their_element),
        cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
