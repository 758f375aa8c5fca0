/* SPDX-License-Identifier: Apache-2.0 */
/* Names of meshes over HTTP and with libsubd: which there can be, the list of one name, renaming, and finding a mesh by
 * what people call it. */
#include "client/lib/subd.h"
#include "subdd.pb-c.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define JSON "Content-Type: application/json\r\n"
#define PATCH "Content-Type: application/merge-patch+json\r\n"
#define QUAD "\"points\":[0,0,0,1,0,0,1,1,0,0,1,0],\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,2,3]"
#define LIST "/v1/meshes?name="
#define KANJI "\xe6\x97\xa5\xe6\x9c\xac"

static struct daemon d;
static subd_client *client;
static char n255[256], n256[257]; /* Letters. */

static int start(void **state)
{
    static char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    struct subd_error err;
    (void)state;
    memset(n255, 'n', 255);
    memset(n256, 'n', 256);
    daemon_start(&d, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    return subd_open(&config, &client, &err);
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void ok(int rc, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        fail_msg("%s: %s (%s)", subd_code_name(rc), err->text, err->problem);
}

/* `before` and the text, each byte of which is escaped. */
static void escaped(char out[1024], const char *before, const char *text)
{
    size_t n = (size_t)snprintf(out, 1024, "%s", before);
    for (; *text; text++)
        n += (size_t)snprintf(out + n, 1024 - n, "%%%02x", (unsigned char)*text);
}

static void show(const char *id, const char *fields, struct answer *a)
{
    char target[96];
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_ask(&d, "GET", target, fields, NULL, 0, a);
}

/* Sends a request with the name in the query, in a JSON mesh, in a protobuf mesh or in a patch. */
enum way { QUERY, LISTED, BODY, MESSAGE, PATCHED, N_WAYS };
static void send_name(enum way way, const char *id, const char *name, struct answer *a)
{
    float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0};
    int32_t count = 3, corners[] = {0, 1, 2};
    char target[1024], body[1024];
    Subdd__V1__Mesh m = SUBDD__V1__MESH__INIT;
    uint8_t packed[1024];
    escaped(target, LIST, name);
    switch (way) {
    case QUERY: http_ask(&d, "POST", target, JSON, "{" QUAD "}", strlen("{" QUAD "}"), a); break;
    case LISTED: http_get(&d, target, a); break;
    case BODY:
        snprintf(body, sizeof body, "{\"name\":\"%s\"," QUAD "}", name);
        http_ask(&d, "POST", "/v1/meshes", JSON, body, strlen(body), a);
        break;
    case MESSAGE:
        m.name = (char *)(uintptr_t)name;
        m.points = (ProtobufCBinaryData){sizeof points, (uint8_t *)points};
        m.face_vertex_counts = (ProtobufCBinaryData){sizeof count, (uint8_t *)&count};
        m.face_vertex_indices = (ProtobufCBinaryData){sizeof corners, (uint8_t *)corners};
        http_ask(&d, "POST", "/v1/meshes", "Content-Type: application/protobuf\r\n", packed,
                 subdd__v1__mesh__pack(&m, packed), a);
        break;
    default:
        snprintf(target, sizeof target, "/v1/meshes/%s", id);
        snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
        http_ask(&d, "PATCH", target, PATCH, body, strlen(body), a);
    }
}

/* Each name comes back as it was sent, whichever way it came, and in the protobuf cage. */
static void test_what_names_there_are(void **state)
{
    const char *names[] = {"a", ".hidden", "a b", "a/b:c|d", (KANJI " / 1"), "\xf0\x9f\x98\x80", "\xc2\xa0", n255};
    char id[32], member[300];
    struct answer a;
    (void)state;
    create_cube(&d, id);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (enum way way = QUERY; way < N_WAYS; way++) {
            send_name(way, id, names[i], &a);
            assert_int_equal(a.status, way == LISTED || way == PATCHED ? 200 : 201);
            snprintf(member, sizeof member, "\"name\":\"%s\"", names[i]);
            if (!strstr(a.body, member))
                fail_msg("way %d: %s is not in %s", (int)way, member, a.body);
            answer_free(&a);
        }
    ask_mesh(&d, id, "cage", "Accept: application/protobuf\r\n", &a);
    Subdd__V1__Mesh *m = subdd__v1__mesh__unpack(NULL, a.bytes, (uint8_t *)a.body);
    assert_non_null(m);
    assert_string_equal(m->name, n255);
    subdd__v1__mesh__free_unpacked(m, NULL);
    answer_free(&a);
}

static void test_refused_names(void **state)
{
    const char *good_utf8[] = {n256, "", " a", "a ", " ", "a\x7f", "\xc2\x80", "a\xc2\x85", "\xc2\x9f"};
    const char *controls[] = {"a\nb", "\t", "a\x1f"}; /* In JSON they have to be escaped. */
    const char *bad_utf8[] = {"\x80",         "\xff",      "\xc0\xaf",         "\xe0\x80\xaf",        "\xed\xa0\x80",
                              "\xed\xbf\xbf", "a\xe6\x97", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"};
    const char *escapes[][2] = {{"a\\nb", "invalid_argument"},   {"\\u007f", "invalid_argument"},
                                {"\\u0085", "invalid_argument"}, {"\\ud800", "malformed"},
                                {"\\udc00\\ud800", "malformed"}, {"a\\u0000", "malformed"}};
    struct answer before, a;
    char id[32];
    (void)state;
    create_cube(&d, id);
    http_get(&d, "/v1/meshes?limit=1000", &before);
    for (enum way way = QUERY; way < N_WAYS; way++) {
        for (size_t i = 0; i < sizeof good_utf8 / sizeof *good_utf8; i++) {
            if (way == MESSAGE && !*good_utf8[i])
                continue; /* A field of a message that is empty is one that is not there. */
            send_name(way, id, good_utf8[i], &a);
            assert_problem(&a, 400, "invalid_argument", "name");
            assert_int_equal(answer_number(&a, "limit"), 255);
            assert_non_null(strstr(a.body, "1 to 255 bytes of UTF-8"));
            answer_free(&a);
        }
        for (size_t i = 0; i < sizeof controls / sizeof *controls && way != BODY && way != PATCHED; i++) {
            send_name(way, id, controls[i], &a);
            assert_problem(&a, 400, "invalid_argument", "name");
            answer_free(&a);
        }
        for (size_t i = 0; i < sizeof bad_utf8 / sizeof *bad_utf8; i++) {
            send_name(way, id, bad_utf8[i], &a);
            assert_problem(&a, 400, way == QUERY || way == LISTED ? "invalid_argument" : "malformed", NULL);
            assert_non_null(strstr(a.body, "UTF-8"));
            answer_free(&a);
        }
        for (size_t i = 0; i < sizeof escapes / sizeof *escapes && (way == BODY || way == PATCHED); i++) {
            send_name(way, id, escapes[i][0], &a);
            assert_problem(&a, 400, escapes[i][1], NULL);
            answer_free(&a);
        }
    }
    http_get(&d, "/v1/meshes?limit=1000", &a);
    assert_string_equal(a.body, before.body);
    answer_free(&a);
    answer_free(&before);
}

/* How many meshes ?name= lists, in pages of two. */
static int listed(const char *name)
{
    char target[1024], next[256] = "", here[1300], want[300];
    int n = 0, in_page;
    escaped(target, "/v1/meshes?limit=2&name=", name);
    snprintf(want, sizeof want, "\"name\":\"%s\",\"version\"", name);
    do {
        struct answer a;
        snprintf(here, sizeof here, "%s%s%s", target, *next ? "&after=" : "", next);
        http_get(&d, here, &a);
        assert_int_equal(a.status, 200);
        in_page = 0;
        for (const char *s = a.body; (s = strstr(s, "\"topologyId\"")); s++)
            in_page++;
        for (const char *s = a.body; (s = strstr(s, want)); s++)
            n++, in_page--;
        assert_int_equal(in_page, 0); /* None of another name. */
        answer_member(&a, "next", next);
        answer_free(&a);
    } while (*next);
    return n;
}

static void test_list_of_one_name(void **state)
{
    struct answer a;
    (void)state;
    for (int i = 0; i < 5; i++) {
        send_name(QUERY, NULL, "twin", &a);
        answer_free(&a);
        send_name(QUERY, NULL, i % 2 ? "Twin" : "twin2", &a);
        answer_free(&a);
    }
    assert_int_equal(listed("twin"), 5);
    assert_int_equal(listed("Twin"), 2);
    assert_int_equal(listed("twin2"), 3);
    assert_int_equal(listed("twi"), 0);
    assert_int_equal(listed("%"), 0);
    http_get(&d, "/v1/meshes?name=a&name=b", &a);
    assert_problem(&a, 400, "invalid_argument", "name");
    answer_free(&a);
    http_get(&d, "/v1/meshes?name=twin&limit=1", &a);
    char id[256], target[300];
    snprintf(target, sizeof target, "/v1/meshes/%s", answer_member(&a, "id", id));
    answer_free(&a);
    http_ask(&d, "DELETE", target, "", NULL, 0, &a);
    answer_free(&a);
    assert_int_equal(listed("twin"), 4);
}

/* Sends a patch. */
static void patch(const char *id, const char *fields, const char *body, struct answer *a)
{
    char target[96];
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_ask(&d, "PATCH", target, fields, body, strlen(body), a);
}

static void renamed(const char *id, const char *fields, const char *body, const char *name, int version)
{
    struct answer a;
    char value[256], tag[16];
    patch(id, fields, body, &a);
    if (a.status != 200)
        fail_msg("%d %s", a.status, a.body);
    assert_string_equal(answer_member(&a, "id", value), id);
    assert_string_equal(answer_member(&a, "name", value), name);
    assert_int_equal(answer_number(&a, "version"), version);
    assert_true(answer_field(&a, "ETag", value, sizeof value));
    snprintf(tag, sizeof tag, "\"%d\"", version);
    assert_string_equal(value, tag);
    answer_free(&a);
}

/* Another name is another version, of the geometry that is there. */
static void test_rename(void **state)
{
    struct answer before, a;
    char id[32], topology[256], value[256], tag[256];
    (void)state;
    create_cube(&d, id);
    ask_mesh(&d, id, "refined?level=2", "", &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    answer_free(&a);
    show(id, "", &before);
    answer_member(&before, "topologyId", topology);
    renamed(id, PATCH, "{\"name\":\"one\"}", "one", 2);
    renamed(id, PATCH, "{\"name\":\"one\"}", "one", 2); /* So a request can be repeated. */
    renamed(id, PATCH, "{}", "one", 2);
    renamed(id, JSON "If-Match: \"2-stl\"\r\n", "{\"name\":\"" KANJI " / 2\"}", KANJI " / 2", 3);
    renamed(id, PATCH "If-Match: \"3-pb\"\r\n", "{\"name\":null}", id, 4);
    renamed(id, PATCH "If-Match: *\r\n", "{\"name\":\"two\"}", "two", 5);
    show(id, "If-None-Match: \"1\"\r\n", &a);
    assert_int_equal(a.status, 200); /* The old tag is not that of the new name. */
    assert_string_equal(answer_member(&a, "name", value), "two");
    assert_string_equal(answer_member(&a, "topologyId", value), topology);
    assert_string_equal(answer_member(&a, "residency", value), "device");
    assert_int_equal(answer_number(&a, "deviceBytes"), answer_number(&before, "deviceBytes"));
    answer_free(&a);
    show(id, "If-None-Match: \"5\"\r\n", &a);
    assert_int_equal(a.status, 304);
    answer_free(&a);
    ask_mesh(&d, id, "refined?level=2", "", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "ETag", value, sizeof value));
    assert_string_not_equal(value, tag); /* The frame names the version. */
    assert_true(answer_field(&a, "Server-Timing", value, sizeof value));
    assert_null(strstr(value, "upload")); /* The device had everything. */
    answer_free(&a);
    ask_mesh(&d, id, "cage", "Accept: model/vnd.usda\r\n", &a);
    assert_non_null(strstr(a.body, "def Mesh \"two\"\n"));
    answer_free(&a);
    patch(id, PATCH "Accept: application/protobuf\r\n", "{\"name\":\"three\"}", &a);
    Subdd__V1__MeshInfo *info = subdd__v1__mesh_info__unpack(NULL, a.bytes, (uint8_t *)a.body);
    assert_non_null(info);
    assert_string_equal(info->name, "three");
    assert_int_equal(info->version, 6);
    subdd__v1__mesh_info__free_unpacked(info, NULL);
    answer_free(&a);
    answer_free(&before);
}

/* A name that was answered is on disk; later versions keep it. */
static void test_names_stay(void **state)
{
    static const char edit[] = "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[1]}}]}";
    struct answer a;
    char id[32], value[256], target[96];
    (void)state;
    create_cube(&d, id);
    renamed(id, PATCH, "{\"name\":\"kept\"}", "kept", 2);
    daemon_kill(&d);
    daemon_start(&d, NULL);
    show(id, "", &a);
    assert_string_equal(answer_member(&a, "name", value), "kept");
    answer_free(&a);
    renamed(id, PATCH, "{\"name\":\"not loaded\"}", "not loaded", 3); /* Before anything of it is in memory. */
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    http_ask(&d, "POST", target, JSON "If-Match: \"3\"\r\n", edit, strlen(edit), &a);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_member(&a, "name", value), "not loaded");
    answer_free(&a);
    renamed(id, PATCH, "{\"name\":\"loaded\"}", "loaded", 5);
    http_ask(&d, "POST", target, JSON "If-Match: \"5\"\r\n", edit, strlen(edit), &a);
    assert_string_equal(answer_member(&a, "name", value), "loaded");
    answer_free(&a);
    show(id, "", &a);
    assert_string_equal(answer_member(&a, "name", value), "loaded");
    answer_free(&a);
}

static void test_refused_patches(void **state)
{
    static const struct {
        const char *fields, *body;
        int status;
        const char *code, *field;
    } rows[] = {
        {PATCH, "{\"name\":7}", 400, "invalid_argument", "name"},
        {PATCH, "{\"name\":[\"a\"]}", 400, "invalid_argument", "name"},
        {PATCH, "{\"name\":\"a\",\"name\":\"b\"}", 400, "invalid_argument", "name"},
        {PATCH, "{\"version\":3}", 400, "invalid_argument", "version"},
        {PATCH, "{\"name\":\"a\",\"points\":[]}", 400, "invalid_argument", "points"},
        {PATCH, "[\"name\"]", 400, "invalid_argument", "body"},
        {PATCH, "null", 400, "invalid_argument", "body"},
        {PATCH, "{\"name\":\"a\"", 400, "malformed", "body"},
        {PATCH, "", 400, "malformed", "body"},
        {"", "{\"name\":\"a\"}", 415, "unsupported_media_type", "content-type"},
        {"Content-Type: text/plain\r\n", "{\"name\":\"a\"}", 415, "unsupported_media_type", "content-type"},
        {"Content-Type: application/protobuf\r\n", "\n\001a", 415, "unsupported_media_type", "content-type"},
        {PATCH "Accept: model/obj\r\n", "{\"name\":\"a\"}", 406, "not_acceptable", "accept"},
        {PATCH "If-Match: \"2\"\r\n", "{\"name\":\"a\"}", 412, "version_mismatch", "if-match"},
        {PATCH "If-Match: 1\r\n", "{\"name\":\"a\"}", 400, "invalid_argument", "if-match"},
    };
    struct answer before, a;
    char id[32];
    (void)state;
    create_cube(&d, id);
    show(id, "", &before);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        patch(id, rows[i].fields, rows[i].body, &a);
        if (a.status != rows[i].status)
            print_message("row %zu\n", i);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        if (a.status == 412)
            assert_int_equal(answer_number(&a, "currentVersion"), 1);
        answer_free(&a);
    }
    show(id, "", &a);
    assert_string_equal(a.body, before.body);
    answer_free(&a);
    answer_free(&before);
    patch("m_0000000000000000", PATCH, "{\"name\":\"a\"}", &a);
    assert_problem(&a, 404, "not_found", NULL);
    answer_free(&a);
    patch("m_0000000000000000?x=1", PATCH, "{\"name\":\"a\"}", &a);
    assert_problem(&a, 400, "invalid_argument", "x");
    answer_free(&a);
}

/* ---- libsubd ----------------------------------------------------------------------------------------------------- */
static void push(const char *name, struct subd_mesh_info *info)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    struct subd_body body = {"model/obj", obj, sizeof obj - 1};
    struct subd_push p = SUBD_INIT(subd_push, .name = name);
    struct subd_error err;
    ok(subd_push(client, &body, &p, info, &err), &err);
}

static void found(const char *text, const struct subd_mesh_info *want)
{
    struct subd_error err = {.code = 77};
    struct subd_mesh_info info;
    int rc;
    ok(subd_find(client, text, &info, &err), &err);
    assert_int_equal(err.code, 77); /* A step that found nothing is no error. */
    assert_string_equal(info.id, want->id);
    assert_string_equal(info.name, want->name);
    assert_int_equal(info.vertices, 3);
    memset(&info, 0, sizeof info);
    subd_nonblocking(client, 1);
    for (rc = subd_find(client, text, &info, &err); rc == SUBD_PENDING; rc = subd_step(client)) {
        struct pollfd fds[SUBD_MAX_FDS];
        int wait, n = subd_poll_set(client, fds, &wait);
        poll(fds, (nfds_t)n, wait);
    }
    subd_nonblocking(client, 0);
    ok(rc, &err);
    assert_string_equal(info.id, want->id);
}

static void not_found(const char *text, int code, int status, const char *problem, const char *says)
{
    struct subd_error err = {0};
    struct subd_mesh_info info;
    int rc;
    assert_int_equal(subd_find(client, text, &info, NULL), code);
    assert_int_equal(subd_find(client, text, &info, &err), code);
    assert_int_equal(err.http_status, status);
    assert_string_equal(err.problem, problem);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    memset(&err, 0, sizeof err);
    subd_nonblocking(client, 1);
    for (rc = subd_find(client, text, &info, &err); rc == SUBD_PENDING; rc = subd_step(client))
        ;
    subd_nonblocking(client, 0);
    assert_int_equal(rc, code);
    assert_string_equal(err.problem, problem);
}

/* The order: an id, a name, the beginning of an id. */
static void test_find(void **state)
{
    struct subd_mesh_info m[18], by_prefix, called_prefix, called_id;
    char prefix[20], both[4];
    int other = 0;
    (void)state;
    push("one of a kind", &m[0]);
    found("one of a kind", &m[0]);
    found(m[0].id, &m[0]);
    for (int i = 1; i < 18; i++) /* Of 17 ids two begin with the same digit. */
        push("twin of many", &m[i]);
    not_found("twin of many", SUBD_EUSAGE, 0, "ambiguous", "more than one mesh is called \"twin of many\": m_");
    for (int i = 1; i < 18 && !other; i++)
        for (int k = i + 1; k < 18 && !other; k++)
            other = m[i].id[2] == m[k].id[2] ? i : 0;
    snprintf(both, sizeof both, "%.3s", m[other].id);
    not_found(both, SUBD_EUSAGE, 0, "ambiguous", "give more of it");
    snprintf(prefix, sizeof prefix, "%.17s", m[3].id);
    found(prefix, &m[3]);
    snprintf(prefix, sizeof prefix, "%.14s", m[3].id);
    found(prefix, &m[3]);
    by_prefix = m[3];
    push(prefix, &called_prefix);
    found(prefix, &called_prefix); /* A name comes before the beginning of an id, */
    push(by_prefix.id, &called_id);
    found(by_prefix.id, &by_prefix); /* and an id before a name. */
    for (size_t i = 2; i > 0; i--) {
        snprintf(prefix, sizeof prefix, "%.*s", (int)i, m[0].id);
        not_found(prefix, SUBD_EHTTP, 404, "not_found", "no mesh has the id or the name"); /* "m_" is too little. */
    }
    not_found("m_0000000000000000", SUBD_EHTTP, 404, "not_found", "`subd ls`");
    not_found("m_00000000000000000000000000000000000000000", SUBD_EHTTP, 404, "not_found", "`subd ls`");
    not_found(KANJI, SUBD_EHTTP, 404, "not_found", "\"" KANJI "\"");
    not_found("../../etc", SUBD_EHTTP, 404, "not_found", "");
    not_found(" x", SUBD_EHTTP, 400, "invalid_argument", "space");
    not_found("", SUBD_EUSAGE, 0, "", "at most 255 bytes");
    not_found(NULL, SUBD_EUSAGE, 0, "", "`text` is NULL");
    not_found(n256, SUBD_EUSAGE, 0, "", "at most 255 bytes");
    push(n255, &m[1]);
    struct subd_error err;
    ok(subd_rename(client, m[0].id, 0, n255, &m[0], &err), &err);
    not_found(n255, SUBD_EUSAGE, 0, "ambiguous",
              "give the id of one, or rename it"); /* The sentence has room for all. */
}

static void test_list_named_and_rename(void **state)
{
    struct subd_mesh_info a, b, info;
    struct subd_mesh_list list;
    struct subd_error err;
    (void)state;
    push("pair", &a);
    push("pair", &b);
    ok(subd_list_named(client, "pair", NULL, 1, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.next, list.meshes[0].id);
    char first[64];
    memcpy(first, list.meshes[0].id, sizeof first);
    subd_mesh_list_free(&list);
    ok(subd_list_named(client, "pair", first, 0, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.next, "");
    assert_string_not_equal(list.meshes[0].id, first);
    subd_mesh_list_free(&list);
    assert_int_equal(subd_list_named(client, "", NULL, 0, &list, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 400);
    ok(subd_rename(client, a.id, 1, "\"q\" \\ " KANJI, &info, &err), &err);
    assert_string_equal(info.name, "\"q\" \\ " KANJI);
    assert_int_equal(info.version, 2);
    ok(subd_rename(client, a.id, 0, NULL, NULL, &err), &err);
    ok(subd_show(client, a.id, &info, &err), &err);
    assert_string_equal(info.name, a.id);
    assert_int_equal(subd_rename(client, a.id, 1, "x", &info, &err), SUBD_EHTTP);
    assert_int_equal(err.current_version, 3);
    assert_int_equal(subd_rename(client, a.id, -1, "x", &info, &err), SUBD_EUSAGE);
    assert_int_equal(subd_rename(client, a.id, 0, "", &info, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "name");
    assert_int_equal(err.limit, 255);
    found("pair", &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_names_there_are),  cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_list_of_one_name),      cmocka_unit_test(test_rename),
        cmocka_unit_test(test_refused_patches),       cmocka_unit_test(test_find),
        cmocka_unit_test(test_list_named_and_rename), cmocka_unit_test(test_names_stay)};
    return cmocka_run_group_tests_name("http/names", tests, start, stop);
}
