/* SPDX-License-Identifier: Apache-2.0 */
/* The control mesh as arrays: what went in comes back from the real daemon, with ids that edits take; and arrays of a
 * server that do not fit together are refused. */
#include "client/lib/subd.h"
#include "subdd.pb-c.h"
#include "tests/http/canned.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two quads beside each other: everything that a mesh can carry. */
static const float points[6][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
static const int32_t counts[2] = {4, 4}, corners[8] = {0, 1, 4, 3, 1, 2, 5, 4};
static const int32_t crease[2] = {1, 4}, crease_length[1] = {2}, corner[1] = {0}, hole[1] = {1};
static const float crease_sharpness[1] = {1.5f}, corner_sharpness[1] = {3}, weights[6] = {0, 1, 2, 3, 4, 5};
static const float uvs[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, colours[2][3] = {{1, 0, 0}, {0, 1, 0}};
static const int32_t uv_indices[8] = {0, 1, 2, 3, 0, 1, 2, 3}, colour_indices[8] = {0, 0, 0, 0, 1, 1, 1, 1};
static const int32_t face_tags[2] = {7, 8};
static const struct subd_primvar primvars[3] = {
    {"colour", "faceVarying", "f32", 3, colours, colour_indices, 6, 8},
    {"tag", "uniform", "i32", 1, face_tags, NULL, 2, 0},
    {"weight", "vertex", "f32", 1, weights, NULL, 6, 0},
};
static const struct subd_mesh mesh = SUBD_INIT(
    subd_mesh, .points = &points[0][0], .face_counts = counts, .face_vertices = corners, .crease_indices = crease,
    .crease_lengths = crease_length, .crease_sharpnesses = crease_sharpness, .corner_vertices = corner,
    .corner_sharpnesses = corner_sharpness, .hole_faces = hole, .uvs = &uvs[0][0], .uv_indices = uv_indices,
    .n_vertices = 6, .n_faces = 2, .n_corners = 8, .n_crease_indices = 2, .n_creases = 1, .n_crease_sharpnesses = 1,
    .n_corner_tags = 1, .n_holes = 1, .n_uvs = 4, .primvars = primvars, .n_primvars = 3);

static void ok(int rc, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        fail_msg("%s: %s", subd_code_name(rc), err->text);
}

static subd_client *open_client(const char *url)
{
    const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    subd_client *c;
    assert_int_equal(subd_open(&config, &c, NULL), SUBD_OK);
    return c;
}

static void assert_mesh(const struct subd_mesh *m)
{
    assert_int_equal(m->size, sizeof *m);
    assert_int_equal(m->n_vertices, 6);
    assert_int_equal(m->n_faces, 2);
    assert_int_equal(m->n_corners, 8);
    assert_memory_equal(m->points, points, sizeof points);
    assert_memory_equal(m->face_counts, counts, sizeof counts);
    assert_memory_equal(m->face_vertices, corners, sizeof corners);
    assert_int_equal(m->n_creases, 1);
    assert_int_equal(m->n_crease_indices, 2);
    assert_int_equal(m->n_crease_sharpnesses, 1);
    assert_memory_equal(m->crease_indices, crease, sizeof crease);
    assert_true(m->crease_sharpnesses[0] == 1.5f);
    assert_int_equal(m->n_corner_tags, 1);
    assert_int_equal(m->corner_vertices[0], 0);
    assert_true(m->corner_sharpnesses[0] == 3);
    assert_int_equal(m->n_holes, 1);
    assert_int_equal(m->hole_faces[0], 1);
    assert_int_equal(m->n_uvs, 4);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(m->uvs + 2 * m->uv_indices[i], uvs[uv_indices[i]], sizeof uvs[0]);
    assert_int_equal(m->n_primvars, 3);
    for (int i = 0; i < 3; i++) {
        const struct subd_primvar *p = &m->primvars[i];
        assert_string_equal(p->name, primvars[i].name);
        assert_string_equal(p->interpolation, primvars[i].interpolation);
        assert_string_equal(p->type, primvars[i].type);
        assert_int_equal(p->width, primvars[i].width);
        assert_int_equal(p->n_values, primvars[i].n_values);
        assert_memory_equal(p->values, primvars[i].values, (size_t)p->n_values * 4);
    }
    assert_memory_equal(m->primvars[0].indices, colour_indices, sizeof colour_indices);
}

static void test_there_and_back(void **state)
{
    struct subd_push push = SUBD_INIT(subd_push, .name = "two-quads", .options[SUBD_INTERPOLATE_BOUNDARY] = "edgeOnly");
    struct subd_mesh_info info, again;
    struct subd_cage cage;
    struct subd_error err;
    struct daemon d = {0};
    subd_client *c;
    char url[64];
    (void)state;
    daemon_start(&d, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    c = open_client(url);
    ok(subd_push_mesh(c, &mesh, &push, &info, &err), &err);
    ok(subd_cage_arrays(c, info.id, &cage, &err), &err);
    assert_mesh(cage.mesh);
    assert_int_equal(cage.version, 1);
    assert_string_equal(cage.name, "two-quads");
    assert_string_equal(cage.options[SUBD_INTERPOLATE_BOUNDARY], "edgeOnly");
    assert_string_equal(cage.options[SUBD_SCHEME], "catmullClark");
    for (int i = 0; i < 6; i++)
        assert_int_equal(cage.vertex_ids[i], i);
    memcpy(push.options, cage.options, sizeof push.options); /* it goes back as it came */
    ok(subd_push_mesh(c, cage.mesh, &push, &again, &err), &err);
    assert_string_equal(again.topology_id, info.topology_id);
    subd_cage_free(&cage);
    assert_null(cage.memory);
    /* An edit by the ids that were told: after it the rows have moved and the ids have not. */
    const int32_t first_face[1] = {0};
    const struct subd_edit edit = {.op = SUBD_REMOVE_FACES, .ids = first_face, .n_ids = 1};
    ok(subd_edits(c, info.id, 1, &edit, 1, NULL, NULL, &err), &err);
    ok(subd_cage_arrays(c, info.id, &cage, &err), &err);
    assert_int_equal(cage.version, 2);
    assert_int_equal(cage.mesh->n_faces, 1);
    assert_int_equal(cage.face_ids[0], 1);
    assert_int_equal(cage.mesh->n_vertices, 6);
    subd_cage_free(&cage);
    assert_int_equal(subd_cage_arrays(c, "m_none", &cage, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
    assert_null(cage.memory);
    subd_close(c);
    daemon_stop(&d);
}

/* ---- a server that lies ------------------------------------------------------------------------------------------ */

static ProtobufCBinaryData blob(const void *data, size_t bytes)
{
    return (ProtobufCBinaryData){bytes, (uint8_t *)(uintptr_t)data};
}

static const int32_t ids[6] = {0, 1, 2, 3, 4, 5};

static void sound(Subdd__V1__Mesh *m, Subdd__V1__Primvar *p, Subdd__V1__Primvar **pointer)
{
    subdd__v1__mesh__init(m);
    subdd__v1__primvar__init(p);
    m->points = blob(points, sizeof points);
    m->face_vertex_counts = blob(counts, sizeof counts);
    m->face_vertex_indices = blob(corners, sizeof corners);
    m->crease_indices = blob(crease, sizeof crease);
    m->crease_lengths = blob(crease_length, sizeof crease_length);
    m->crease_sharpnesses = blob(crease_sharpness, sizeof crease_sharpness);
    m->corner_indices = blob(corner, sizeof corner);
    m->corner_sharpnesses = blob(corner_sharpness, sizeof corner_sharpness);
    m->hole_indices = blob(hole, sizeof hole);
    m->st = blob(uvs, sizeof uvs);
    m->st_indices = blob(uv_indices, sizeof uv_indices);
    m->vertex_ids = blob(ids, sizeof ids);
    m->face_ids = blob(ids, 8);
    p->name = "colour";
    p->interpolation = "faceVarying";
    p->width = 3;
    p->values = blob(colours, sizeof colours);
    p->indices = blob(colour_indices, sizeof colour_indices);
    *pointer = p;
    m->primvars = pointer;
    m->n_primvars = 1;
}

/* The k-th lie; returns 0 when there are no more. */
static int lie(Subdd__V1__Mesh *m, Subdd__V1__Primvar *p, int k)
{
    static const int32_t beyond[8] = {0, 1, 6, 3, 1, 2, 5, 4}, negative[8] = {0, 1, -1, 3, 1, 2, 5, 4};
    static const int32_t wide[2] = {4, 5}, none[2] = {8, 0}, huge[2] = {0x7fffffff, 0x7fffffff}, two[1] = {2};
    static const int32_t outside[8] = {0, 0, 0, 0, 1, 1, 1, 4}, minus[6] = {0, 1, 2, 3, 4, -5};
    switch (k) {
    case 0: m->points.len -= 4; return 1;
    case 1: m->points.len -= 1; return 1;
    case 2: m->face_vertex_indices = blob(beyond, sizeof beyond); return 1;
    case 3: m->face_vertex_indices = blob(negative, sizeof negative); return 1;
    case 4: m->face_vertex_counts = blob(wide, sizeof wide); return 1;
    case 5: m->face_vertex_counts = blob(none, sizeof none); return 1;
    case 6: m->face_vertex_counts = blob(huge, sizeof huge); return 1;
    case 7: m->face_vertex_counts.len = 7; return 1;
    case 8: m->crease_indices = blob(beyond + 1, 8); return 1;
    case 9: m->crease_lengths = blob(wide, 4); return 1;
    case 10: m->crease_sharpnesses = blob(weights, 8); return 1;
    case 11: m->corner_sharpnesses.len = 0; return 1;
    case 12: m->corner_indices = blob(beyond + 2, 4); return 1;
    case 13: m->hole_indices = blob(two, 4); return 1;
    case 14: m->st_indices.len -= 4; return 1;
    case 15: m->st_indices = blob(outside, sizeof outside); return 1;
    case 16: m->st.len = 0; return 1;
    case 17: m->vertex_ids.len -= 4; return 1;
    case 18: m->vertex_ids = blob(minus, sizeof minus); return 1;
    case 19: m->face_ids.len = 0; return 1;
    case 20: p->interpolation = "sideways"; return 1;
    case 21: p->width = 257; return 1;
    case 22: p->width = 4; return 1; /* no whole rows */
    case 23: p->indices = blob(outside, sizeof outside); return 1;
    case 24: p->indices.len = 0; return 1; /* 2 values for 8 corners */
    case 25: p->type = "f64"; return 1;
    case 26: p->interpolation = "vertex"; return 1;
    default: return 0;
    }
}

static int fetch(const void *body, size_t bytes, const char *etag, struct subd_error *err)
{
    char *text = malloc(bytes + 256);
    struct subd_cage cage;
    struct canned a = {.bytes = text};
    canned_server *s;
    subd_client *c;
    int rc;
    assert_non_null(text);
    a.n = (size_t)snprintf(text, 256,
                           "HTTP/1.1 200 OK\r\nContent-Type: application/protobuf\r\n%sContent-Length: %zu\r\n\r\n",
                           etag, bytes);
    memcpy(text + a.n, body, bytes);
    a.n += bytes;
    s = canned_start(&a, 1);
    c = open_client(canned_url(s));
    rc = subd_cage_arrays(c, "m_1", &cage, err);
    if (rc == SUBD_OK)
        subd_cage_free(&cage);
    else
        assert_true(!cage.memory && !cage.mesh && !cage.vertex_ids && !cage.name);
    subd_close(c);
    free(canned_stop(s));
    free(text);
    return rc;
}

static int fetch_mesh(int k, const char *etag, struct subd_error *err)
{
    Subdd__V1__Mesh m;
    Subdd__V1__Primvar p, *pointer;
    uint8_t body[1024];
    size_t bytes;
    sound(&m, &p, &pointer);
    if (k >= 0 && !lie(&m, &p, k))
        return SUBD_UNCHANGED;
    bytes = subdd__v1__mesh__get_packed_size(&m);
    assert_true(bytes <= sizeof body);
    subdd__v1__mesh__pack(&m, body);
    return fetch(body, bytes, etag, err);
}

static void test_arrays_that_do_not_fit(void **state)
{
    struct subd_error err;
    int k = 0, rc;
    (void)state;
    assert_int_equal(fetch_mesh(-1, "ETag: \"3.pb\"\r\n", &err), SUBD_OK); /* the lies are lies about this one */
    assert_int_equal(fetch_mesh(-1, "ETag: W/\"3\"\r\n", &err), SUBD_OK);
    assert_int_equal(fetch_mesh(-1, "", &err), SUBD_EPROTOCOL); /* no version */
    assert_int_equal(fetch_mesh(-1, "ETag: \"x\"\r\n", &err), SUBD_EPROTOCOL);
    for (; (rc = fetch_mesh(k, "ETag: \"3\"\r\n", &err)) != SUBD_UNCHANGED; k++)
        if (rc != SUBD_EPROTOCOL || !strstr(err.text, "do not fit together"))
            fail_msg("lie %d: %s", k, subd_code_name(rc));
    assert_int_equal(k, 27);
}

/* Two bytes a primvar, of which each unpacks to a hundred: the answer of 4 MiB would take 400. */
static void test_a_small_answer_stays_small(void **state)
{
    size_t bytes = 4 << 20;
    char *body = malloc(bytes);
    struct subd_error err;
    (void)state;
    assert_non_null(body);
    for (size_t i = 0; i + 3 <= bytes; i += 3)
        memcpy(body + i, "\x82\x01\x00", 3); /* field 16, empty */
    assert_int_equal(fetch(body, bytes / 3 * 3, "ETag: \"3\"\r\n", &err), SUBD_EPROTOCOL);
    assert_non_null(strstr(err.text, "cannot be read"));
    free(body);
}

/* What a usage error leaves can be freed, whatever the memory held before. */
static void test_usage_errors_leave_nothing(void **state)
{
    struct subd_cage cage;
    struct subd_error err;
    (void)state;
    memset(&cage, 0xff, sizeof cage);
    assert_int_equal(subd_cage_arrays(NULL, NULL, &cage, &err), SUBD_EUSAGE);
    assert_null(cage.mesh);
    subd_cage_free(&cage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_arrays_that_do_not_fit),
        cmocka_unit_test(test_a_small_answer_stays_small),
        cmocka_unit_test(test_usage_errors_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
