/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mesh/mesh.h"
#include "server/mesh/encode.h"
#include "server/mesh/rows.h"
#include "tests/unit/sample.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const float quad_points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const int32_t quad_counts[] = {4}, quad_corners[] = {0, 1, 2, 3};

static struct mesh_arrays quad(void)
{
    return (struct mesh_arrays){
        .points = {quad_points, 12}, .face_counts = {quad_counts, 1}, .face_vertices = {quad_corners, 4}};
}

static struct mesh *build(const struct mesh_arrays *a)
{
    struct mesh *m;
    struct sdd_error err = {0};
    if (mesh_build(a, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void refused(const struct mesh_arrays *a, int code, const char *field, const char *says)
{
    struct mesh *m;
    struct sdd_error err = {0};
    int rc = mesh_build(a, &m, &err);
    if (rc != code || strcmp(err.field, field) != 0 || !strstr(err.text, says))
        fail_msg("gave %d %s %s", rc, err.field, err.text);
    assert_null(m);
}

static void test_creases_are_normalised(void **state)
{
    static const int32_t indices[] = {3, 2, 1, 0, 1, 2, 1, 0, 3, 3, 0}, lengths[] = {4, 2, 3, 2};
    static const float chain[] = {4, 20, 0, 2}, edge[] = {1, 2, 3, 9, 8, 7, 0};
    static const int32_t want_chain[] = {1, 2, 2, 3}, want_edge[] = {0, 1, 1, 2, 2, 3};
    static const float sharp_chain[] = {10, 4}, sharp_edge[] = {8, 9, 1};
    (void)state;
    struct mesh_arrays a = quad();
    a.crease_indices = (struct i32s){indices, 11};
    a.crease_lengths = (struct i32s){lengths, 4};
    a.crease_sharpnesses = (struct f32s){chain, 4};
    struct mesh *m = build(&a); /* chain 3-2-1-0 is 4; edge 1-2 then 20; 1-0-3 then 0; 3-0 last 2 */
    assert_int_equal(m->n_creases, 3);
    assert_memory_equal(m->crease_edges + 2, want_chain, sizeof want_chain);
    assert_memory_equal(m->crease_sharpness + 1, sharp_chain, sizeof sharp_chain);
    assert_true(m->crease_edges[0] == 0 && m->crease_edges[1] == 3 && m->crease_sharpness[0] == 2);
    mesh_free(m);
    a.crease_sharpnesses = (struct f32s){edge, 7};
    m = build(&a);
    assert_int_equal(m->n_creases, 3);
    assert_memory_equal(m->crease_edges, want_edge, sizeof want_edge);
    assert_memory_equal(m->crease_sharpness, sharp_edge, sizeof sharp_edge);
    mesh_free(m);
}

static void test_crease_shapes(void **state)
{
    static const int32_t indices[] = {0, 1, 2, 3}, one[] = {1}, four[] = {4}, three[] = {3},
                         huge[] = {INT32_MAX, INT32_MAX};
    static const float s[] = {1, 1, 1}, nan_s[] = {NAN}, inf_s[] = {INFINITY}, minus[] = {-1};
    (void)state;
    struct mesh_arrays a = quad();
    a.crease_indices = (struct i32s){indices, 4};
    a.crease_lengths = (struct i32s){one, 1};
    refused(&a, SDD_EMESH, "creaseLengths", "creaseLengths[0] is 1");
    a.crease_lengths = (struct i32s){three, 1};
    refused(&a, SDD_EMESH, "creaseIndices", "sum to 3, creaseIndices has 4");
    a.crease_lengths = (struct i32s){huge, 2};
    refused(&a, SDD_EMESH, "creaseIndices", "sum to 4294967294");
    a.crease_lengths = (struct i32s){four, 1};
    refused(&a, SDD_EMESH, "creaseSharpnesses", "has 0 rows; 1 creases want 1 or 3");
    a.crease_sharpnesses = (struct f32s){s, 2};
    refused(&a, SDD_EMESH, "creaseSharpnesses", "has 2 rows");
    a.crease_sharpnesses = (struct f32s){nan_s, 1};
    refused(&a, SDD_EMESH, "creaseSharpnesses", "creaseSharpnesses[0] is nan");
    a.crease_sharpnesses = (struct f32s){inf_s, 1};
    refused(&a, SDD_EMESH, "creaseSharpnesses", "is inf");
    a.crease_sharpnesses = (struct f32s){minus, 1};
    refused(&a, SDD_EMESH, "creaseSharpnesses", "is -1");
    a.crease_sharpnesses = (struct f32s){s, 3};
    mesh_free(build(&a));
    a.crease_lengths.n = 0; /* indices without lengths */
    refused(&a, SDD_EMESH, "creaseIndices", "sum to 0, creaseIndices has 4");
}

static void test_corners_and_holes(void **state)
{
    static const int32_t corners[] = {3, 1, 3, 0}, holes[] = {0, 0}, want[] = {1, 3};
    static const float sharp[] = {1, 2, 11, 0}, want_sharp[] = {2, 10};
    (void)state;
    struct mesh_arrays a = quad();
    a.corner_indices = (struct i32s){corners, 4};
    a.corner_sharpnesses = (struct f32s){sharp, 4};
    a.hole_indices = (struct i32s){holes, 2};
    struct mesh *m = build(&a);
    assert_int_equal(m->n_corner_tags, 2);
    assert_memory_equal(m->corner_vertices, want, sizeof want);
    assert_memory_equal(m->corner_sharpness, want_sharp, sizeof want_sharp);
    assert_int_equal(m->n_holes, 1);
    mesh_free(m);
    a.corner_sharpnesses.n = 3;
    refused(&a, SDD_EMESH, "cornerSharpnesses", "has 3 rows, cornerIndices 4");
}

static void test_shapes(void **state)
{
    static const int32_t zero[] = {0}, uv_indices[] = {0, 0, 0, 0}, ids[] = {1, 5, 5, 7}, good_ids[] = {1, 5, 6, 7};
    static const float uvs[] = {0, 0};
    (void)state;
    struct mesh_arrays a = quad();
    a.points.n = 11;
    refused(&a, SDD_EMESH, "points", "11 numbers");
    a = quad();
    a.face_counts.v = zero;
    refused(&a, SDD_EMESH, "faceVertexCounts", "face 0 has 0 vertices");
    a = quad();
    a.face_vertices.n = 3;
    refused(&a, SDD_EMESH, "faceVertexIndices", "sum to 4, faceVertexIndices has 3");
    a = quad();
    a.uvs = (struct f32s){uvs, 2};
    refused(&a, SDD_EMESH, "st", "st has 1 rows and no stIndices");
    a.uv_indices = (struct i32s){uv_indices, 4};
    mesh_free(build(&a));
    a.uvs.n = 1;
    refused(&a, SDD_EMESH, "st", "no multiple of 2");
    a.uvs.n = 0;
    refused(&a, SDD_EMESH, "stIndices", "stIndices has 4 rows");
    a = quad();
    a.vertex_ids = (struct i32s){ids, 4};
    a.next_vertex_id = 8;
    refused(&a, SDD_EMESH, "vertexIds", "vertexIds[2] is 5");
    a.vertex_ids.v = good_ids;
    mesh_free(build(&a));
    a.next_vertex_id = 7;
    refused(&a, SDD_EMESH, "vertexIds", "vertexIds[3] is 7");
    a.points.n = 3LL * INT32_MAX + 3; /* never looked at */
    refused(&a, SDD_ETOO_LARGE, "points", "2147483648 rows");
}

static void test_empty(void **state)
{
    (void)state;
    struct mesh_arrays a = {.options = {0}};
    struct mesh *m = build(&a), *copy;
    struct sdd_error err;
    assert_non_null(m->points);
    assert_non_null(m->crease_edges);
    assert_non_null(m->vertex_ids);
    assert_null(m->uv_indices);
    assert_int_equal(mesh_check_indices(m, &err), SDD_OK);
    assert_int_equal(mesh_copy(m, &copy, &err), SDD_OK);
    mesh_free(copy);
    mesh_free(m);
    mesh_free(NULL);
}

static void test_check_indices(void **state)
{
    struct sdd_error err;
    (void)state;
    struct mesh *m = sample_cube();
    assert_int_equal(mesh_check_indices(m, &err), SDD_OK);
    m->corner_vertices[0] = 8;
    assert_int_equal(mesh_check_indices(m, &err), SDD_EMESH);
    assert_string_equal(err.text, "cornerIndices[0] is 8 of 8");
    m->uv_indices[3] = -1;
    m->corner_vertices[0] = 7;
    assert_int_equal(mesh_check_indices(m, &err), SDD_EMESH);
    assert_string_equal(err.field, "stIndices");
    mesh_free(m);
}

static void id_of(const struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE])
{
    struct sdd_error err;
    assert_int_equal(mesh_topology_id(m, out, &err), SDD_OK);
    assert_int_equal(strlen(out), 32);
}

static void test_topology_id(void **state)
{
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    (void)state;
    struct mesh *m = sample_cube();
    id_of(m, a);
    m->points[0] = 7; /* none of these is topology */
    m->uvs[0] = 7;
    m->n_edges = 12;
    memcpy(m->name, "x", 2);
    m->vertex_ids[7] = 99;
    id_of(m, b);
    assert_string_equal(a, b);
    int32_t *const words[] = {&m->options.scheme,
                              &m->options.orientation,
                              &m->face_vertices[3],
                              &m->crease_edges[1],
                              (int32_t *)m->crease_sharpness,
                              &m->corner_vertices[0],
                              (int32_t *)m->corner_sharpness,
                              &m->uv_indices[5]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *words[i] ^= 1;
        id_of(m, b);
        assert_string_not_equal(a, b);
        *words[i] ^= 1;
    }
    mesh_free(m);
    /* Written differently, the same: and pinned, so that stored ids stay good. */
    m = sample_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nt crease 2/1/0 1 0 3\n");
    id_of(m, a);
    mesh_free(m);
    m = sample_obj(
        "v 9 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nt crease 2/1/0 0 2 1\nt crease 4/1/0 0 1 0 2 3\nt crease 2/1/0 2 0 0\n");
    id_of(m, b);
    mesh_free(m);
    assert_string_equal(a, b);
    assert_string_equal(a, "b584e26ece66da95200edc9c66e3ce59");
}

static void test_encoding(void **state)
{
    struct mesh_encoding e;
    struct sdd_error err;
    int64_t n_vertices, n_uvs;
    (void)state;
    struct mesh *m = sample_cube(), *back;
    mesh_encode(m, &e);
    char *bytes = malloc((size_t)e.bytes), *at = bytes;
    for (int i = 0; i < e.n; at += e.parts[i].bytes, i++)
        memcpy(at, e.parts[i].data, e.parts[i].bytes);
    assert_int_equal(at - bytes, e.bytes);
    struct mesh_arrays a = {.points = {m->points, 24}, .uvs = {m->uvs, 8}};
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_OK);
    assert_int_equal(n_vertices, 8);
    assert_int_equal(n_uvs, 4);
    back = build(&a);
    sample_same(m, back);
    assert_int_equal(mesh_decode(bytes, e.bytes - 4, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    assert_int_equal(mesh_decode(bytes, 80, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    bytes[4] = 2; /* without what version 2 has */
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    bytes[4] = 1;
    for (int by = -4; by <= 1; by++) { /* a face of no corners, or counts that do not add up */
        bytes[MESH_ENCODE_HEADER] = (char)(4 + by);
        assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), by ? SDD_EMESH : SDD_OK);
    }
    bytes[40 + 7] = 127; /* a count of 2^62 */
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    free(bytes);
    mesh_free(back);
    mesh_free(m);
}

static void test_copy_and_desc(void **state)
{
    struct sdd_error err;
    struct sdd_mesh_desc d;
    struct mesh *copy;
    (void)state;
    struct mesh *m = sample_cube();
    memcpy(m->name, "cube", 5);
    m->n_edges = 12;
    m->vertex_ids[7] = 30;
    m->next_vertex_id = 31;
    assert_int_equal(mesh_copy(m, &copy, &err), SDD_OK);
    sample_same(m, copy);
    assert_string_equal(copy->name, "cube");
    assert_int_equal(copy->n_edges, 12);
    assert_int_equal(copy->vertex_ids[7], 30);
    assert_int_equal(copy->next_vertex_id, 31);
    assert_true(mesh_bytes(m) == mesh_bytes(copy) && mesh_bytes(m) > 500);
    mesh_desc(m, &d);
    assert_int_equal(d.n_corners, 24);
    assert_ptr_equal(d.uv_indices, m->uv_indices);
    mesh_free(copy);
    mesh_free(m);
}

static void test_rows(void **state)
{
    struct mesh_row rows[] = {{5, 0, 1}, {3, 1, 2}, {5, 2, 0}, {4, 3, 20}, {3, 4, 0.5f}};
    (void)state;
    assert_int_equal(mesh_rows_clean(rows, 5), 2);
    assert_true(rows[0].key == 3 && rows[0].sharpness == 0.5f && rows[1].key == 4 && rows[1].sharpness == 10);
    assert_null(mesh_row_find(rows, 2, 5));
    assert_ptr_equal(mesh_row_find(rows, 2, 4), rows + 1);
    assert_null(mesh_row_find(rows, 0, 4));
    assert_true(mesh_row_edge(7, 3) == mesh_row_edge(3, 7));
}

static void test_names(void **state)
{
    static const char *const good[] = {"a",
                                       ".a",
                                       "a/b",
                                       "a b",
                                       "a:b|c",
                                       "m_0",
                                       "\xc2\xa0",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xe6\x97\xa5 / \xe6\x9c\xac",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[][2] = {
        {"", "is empty"},
        {" a", "begins or ends with a space"},
        {"a ", "begins or ends with a space"},
        {" ", "begins or ends with a space"},
        {"a\tb", "control character"},
        {"\n", "control character"},
        {"a\x1f", "control character"},
        {"a\x7f", "control character"},
        {"\xc2\x80", "control character"}, /* C1 */
        {"a\xc2\x85z", "control character"},
        {"\xc2\x9f", "control character"},
        {"\x80", "not UTF-8"},
        {"a\xc2", "not UTF-8"},
        {"\xe6\x97", "not UTF-8"},
        {"\xff", "not UTF-8"},
        {"\xc0\xaf", "not UTF-8"}, /* overlong */
        {"\xc1\xbf", "not UTF-8"},
        {"\xe0\x9f\xbf", "not UTF-8"},
        {"\xf0\x8f\xbf\xbf", "not UTF-8"},
        {"\xed\xa0\x80", "not UTF-8"}, /* surrogates */
        {"\xed\xbf\xbf", "not UTF-8"},
        {"\xf4\x90\x80\x80", "not UTF-8"}, /* past U+10FFFF */
        {"\xf5\x80\x80\x80", "not UTF-8"},
    };
    char big[300] = "";
    struct sdd_error err;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (mesh_name_check(good[i], &err))
            fail_msg("\"%s\": %s", good[i], err.text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct sdd_error){0};
        if (mesh_name_check(bad[i][0], &err) != SDD_EINVALID || !strstr(err.text, bad[i][1]))
            fail_msg("name %zu: \"%s\"", i, err.text);
        assert_string_equal(err.field, "name");
        assert_int_equal(err.available, 255);
    }
    for (int i = 0; i < 85; i++)
        memcpy(big + 3 * i, "\xe6\x97\xa5", 4);
    assert_int_equal(mesh_name_check(big, NULL), SDD_OK);
    memcpy(big + 255, "a", 2);
    assert_int_equal(mesh_name_check(big, &err), SDD_EINVALID);
    assert_non_null(strstr(err.text, "is too long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creases_are_normalised),
        cmocka_unit_test(test_crease_shapes),
        cmocka_unit_test(test_corners_and_holes),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_check_indices),
        cmocka_unit_test(test_topology_id),
        cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_copy_and_desc),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
