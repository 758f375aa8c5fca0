/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf bodies: what protobuf-c would do badly never reaches it, and what is good is decoded right. */
#include "server/mesh/formats/wire_scan.h"
#include "subdd.pb-c.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

struct wire { /* bytes of a message being written by hand */
    unsigned char *data;
    size_t n, cap;
};

static void put(struct wire *w, const void *data, size_t n)
{
    if (w->n + n > w->cap) {
        w->cap = 2 * (w->n + n) + 64;
        w->data = realloc(w->data, w->cap);
    }
    if (n)
        memcpy(w->data + w->n, data, n);
    w->n += n;
}

static void put_varint(struct wire *w, uint64_t v)
{
    for (; v > 127; v >>= 7) {
        unsigned char c = (unsigned char)(v | 128);
        put(w, &c, 1);
    }
    unsigned char c = (unsigned char)v;
    put(w, &c, 1);
}

static void put_field(struct wire *w, unsigned number, const void *data, size_t n)
{
    put_varint(w, number << 3 | 2);
    put_varint(w, n);
    put(w, data, n);
}

/* Wraps what w has so far as field `number` of an outer message. */
static void wrap(struct wire *w, unsigned number)
{
    struct wire outer = {0};
    put_field(&outer, number, w->data, w->n);
    free(w->data);
    *w = outer;
}

static int scan(const ProtobufCMessageDescriptor *type, struct wire *w, struct sdd_error *err)
{
    unsigned char *exact = malloc(w->n ? w->n : 1);
    if (w->n)
        memcpy(exact, w->data, w->n);
    int rc = wire_scan(type, exact, w->n, err);
    free(exact);
    free(w->data);
    *w = (struct wire){0};
    return rc;
}

#define MESH &subdd__v1__mesh__descriptor
#define BATCH &subdd__v1__edit_batch__descriptor
#define RANGES &subdd__v1__positions__descriptor

static void refused(const ProtobufCMessageDescriptor *type, struct wire *w, int code, const char *says)
{
    struct sdd_error err = {0};
    int rc = scan(type, w, &err);
    if (rc != code || !strstr(err.text, says) || !*err.field)
        fail_msg("gave %d %s, not %s", rc, err.text, says);
}

static void test_fields(void **state)
{
    struct wire w = {0};
    struct sdd_error err;
    (void)state;
    put_field(&w, 1, "cube", 4);
    put_field(&w, 3, "123456789012", 12);
    assert_int_equal(scan(MESH, &w, &err), SDD_OK);
    put_field(&w, 1, "a", 1);
    put_field(&w, 1, "b", 1);
    refused(MESH, &w, SDD_EMALFORMED, "name is there more than once");
    put_field(&w, 99, "", 0);
    refused(MESH, &w, SDD_EINVALID, "message Mesh has no field 99");
    put_field(&w, 0, "", 0);
    refused(MESH, &w, SDD_EINVALID, "no field 0");
    put(&w, "\x08\x01", 2); /* name as a varint */
    refused(MESH, &w, SDD_EMALFORMED, "name has the wrong wire type");
    put(&w, "\x0b", 1); /* a group */
    refused(MESH, &w, SDD_EMALFORMED, "name has the wrong wire type");
    put(&w, "\x0f", 1);
    refused(MESH, &w, SDD_EMALFORMED, "wrong wire type");
    put(&w,
        "\x0a\x05"
        "ab",
        4);
    refused(MESH, &w, SDD_EMALFORMED, "name is cut short");
    put(&w, "\x0a\xff\xff\xff\xff\x7f", 6);
    refused(MESH, &w, SDD_EMALFORMED, "is cut short");
    put(&w, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    refused(MESH, &w, SDD_EMALFORMED, "bad varint");
    put(&w, "\x0a\x80", 2);
    refused(MESH, &w, SDD_EMALFORMED, "bad varint");
    put(&w, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11);
    refused(MESH, &w, SDD_EMALFORMED, "bad field tag");
    put(&w, "\x0a\x80\x80\x80\x80\x80\x00", 7); /* a length of 0 in six bytes */
    refused(MESH, &w, SDD_EMALFORMED, "bad varint");
    put(&w, "\x8a\x80\x80\x80\x10\x00", 6); /* a tag beyond 32 bits */
    refused(MESH, &w, SDD_EMALFORMED, "bad field tag");
}

static void test_strings(void **state)
{
    struct wire w = {0};
    (void)state;
    put_field(&w, 1, "a\0b", 3);
    refused(MESH, &w, SDD_EMALFORMED, "name is not UTF-8 without NUL");
    put_field(&w, 1, "\xc3", 1);
    refused(MESH, &w, SDD_EMALFORMED, "name is not UTF-8");
    put_field(&w, 1, "\xed\xa0\x80", 3);
    wrap(&w, 2);
    refused(MESH, &w, SDD_EMALFORMED, "subdivision_scheme is not UTF-8");
}

static void test_numbers(void **state)
{
    struct wire w = {0};
    (void)state;
    put(&w, "\x08\x80\x80\x80\x80\x10", 6); /* first = 2^32 */
    wrap(&w, 1);
    refused(RANGES, &w, SDD_EMALFORMED, "first is out of range");
    put(&w, "\x10\x85\x02", 3); /* hole = 261 */
    wrap(&w, 8);
    wrap(&w, 1);
    refused(BATCH, &w, SDD_EMALFORMED, "hole is out of range");
    put(&w, "\x0d\x01\x00\x00\x00", 5); /* first as fixed32 */
    wrap(&w, 1);
    refused(RANGES, &w, SDD_EMALFORMED, "first has the wrong wire type");
}

static void test_oneof_once(void **state)
{
    struct wire w = {0};
    struct sdd_error err;
    (void)state;
    put_field(&w, 2, "", 0);
    wrap(&w, 1);
    assert_int_equal(scan(BATCH, &w, &err), SDD_OK);
    put_field(&w, 2, "", 0);
    put_field(&w, 4, "", 0);
    wrap(&w, 1);
    refused(BATCH, &w, SDD_EMALFORMED, "remove_faces is there more than once");
}

static void test_depth(void **state)
{
    /* A type that nests in itself, which none of ours does: mended from Edit by hand. */
    ProtobufCFieldDescriptor field = {
        .name = "self", .id = 1, .type = PROTOBUF_C_TYPE_MESSAGE, .label = PROTOBUF_C_LABEL_NONE};
    const ProtobufCIntRange ranges[] = {{1, 0}, {0, 1}};
    ProtobufCMessageDescriptor type = {
        .short_name = "Self", .n_fields = 1, .fields = &field, .n_field_ranges = 1, .field_ranges = ranges};
    struct wire w = {0};
    struct sdd_error err;
    (void)state;
    field.descriptor = &type;
    for (int depth = 1; depth < WIRE_MAX_DEPTH; depth++)
        wrap(&w, 1);
    assert_int_equal(scan(&type, &w, &err), SDD_OK);
    for (int depth = 0; depth < 10000; depth++)
        wrap(&w, 1);
    refused(&type, &w, SDD_EMALFORMED, "nested too deeply");
}

static double seconds_since(const struct timespec *a)
{
    struct timespec b;
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    return (double)(b.tv_sec - a->tv_sec) + 1e-9 * (double)(b.tv_nsec - a->tv_nsec);
}

/* The attacks that cost protobuf-c 28 s and 56 times the body: a mebibyte of each is refused in a moment. */
static void attack(const char *what, const unsigned char *unit, size_t n, int code,
                   int (*decode)(const void *, size_t, struct sdd_error *))
{
    struct wire w = {0};
    struct sdd_error err = {0};
    struct timespec start;
    while (w.n < 1 << 20)
        put(&w, unit, n);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    int rc = decode(w.data, w.n, &err);
    double seconds = seconds_since(&start);
    print_message("%s: %s, %.1f ms\n", what, err.text, seconds * 1e3);
    assert_int_equal(rc, code);
    assert_true(seconds < 0.5);
    free(w.data);
}

static int decode_mesh(const void *body, size_t n, struct sdd_error *err)
{
    struct mesh *m;
    int rc = mesh_from_proto(body, n, &m, NULL, err);
    mesh_free(m);
    return rc;
}
static int decode_edits(const void *body, size_t n, struct sdd_error *err)
{
    struct edit_batch *b;
    int rc = edits_from_proto(body, n, &b, err);
    edit_batch_free(b);
    return rc;
}
static int decode_positions(const void *body, size_t n, struct sdd_error *err)
{
    struct positions *p;
    int rc = positions_from_proto(body, n, &p, err);
    positions_free(p);
    return rc;
}

static void test_attacks(void **state)
{
    (void)state;
    attack("singular submessage again and again", (const unsigned char *)"\x12\x02\x0a\x00", 4, SDD_EMALFORMED,
           decode_mesh);
    attack("empty repeated submessages", (const unsigned char *)"\x0a\x00", 2, SDD_ETOO_LARGE, decode_edits);
    attack("empty ranges", (const unsigned char *)"\x0a\x00", 2, SDD_ETOO_LARGE, decode_positions);
    attack("unknown fields", (const unsigned char *)"\xf8\x07\x01", 3, SDD_EINVALID, decode_mesh);
    attack("small edits",
           (const unsigned char *)"\x0a\x0e\x1a\x0c\x0a\x04"
                                  "1234"
                                  "\x12\x04"
                                  "1234",
           16, SDD_ETOO_LARGE, decode_edits);
}

static void test_mesh_round_trip(void **state)
{
    void *bytes;
    size_t n;
    struct sdd_error err = {0};
    struct mesh *back;
    (void)state;
    struct mesh *m = sample_cube();
    memcpy(m->name, "cube", 5);
    m->options.scheme = SDD_SCHEME_BILINEAR;
    assert_int_equal(mesh_to_proto(m, &bytes, &n, &err), SDD_OK);
    assert_int_equal(mesh_from_proto(bytes, n, &back, NULL, &err), SDD_OK); /* the ids that it has are ignored */
    sample_same(m, back);
    assert_string_equal(back->name, "cube");
    free(bytes);
    mesh_free(back);
    mesh_free(m);
}

static void test_bad_meshes(void **state)
{
    struct wire w = {0};
    struct mesh *m;
    struct sdd_error err;
    (void)state;
    assert_int_equal(mesh_from_proto("", 0, &m, NULL, &err), SDD_EMALFORMED);
    put_field(&w, 3, "12345", 5);
    assert_int_equal(mesh_from_proto(w.data, w.n, &m, NULL, &err), SDD_EMESH);
    assert_string_equal(err.field, "points");
    w.n = 0;
    put_field(&w, 1, "a\nb", 3);
    assert_int_equal(mesh_from_proto(w.data, w.n, &m, NULL, &err), SDD_EINVALID);
    assert_string_equal(err.field, "name");
    w.n = 0;
    put_field(&w, 1, "doosabin", 8);
    wrap(&w, 2);
    assert_int_equal(mesh_from_proto(w.data, w.n, &m, NULL, &err), SDD_EINVALID);
    assert_string_equal(err.field, "subdivisionScheme");
    free(w.data);
}

static void test_positions(void **state)
{
    static const float xyz[] = {1, 2, 3};
    struct wire w = {0};
    struct positions *p;
    struct sdd_error err;
    (void)state;
    put(&w, "\x08\x07", 2);
    put_field(&w, 2, xyz, sizeof xyz);
    wrap(&w, 1);
    assert_int_equal(positions_from_proto(w.data, w.n, &p, &err), SDD_OK);
    assert_int_equal(p->n_ranges, 1);
    assert_int_equal(p->ranges[0].first, 7);
    assert_int_equal(p->ranges[0].n, 1);
    assert_memory_equal(p->ranges[0].points, xyz, sizeof xyz);
    positions_free(p);
    w.n = 0;
    put_field(&w, 2, xyz, 8);
    wrap(&w, 1);
    assert_int_equal(positions_from_proto(w.data, w.n, &p, &err), SDD_EMESH);
    assert_null(p);
    free(w.data);
}

static void test_edits(void **state)
{
    static const int32_t counts[] = {3}, corners[] = {0, -1, 2};
    struct wire w = {0};
    struct edit_batch *b;
    struct sdd_error err;
    (void)state;
    put_field(&w, 1, counts, sizeof counts);
    put_field(&w, 2, corners, sizeof corners);
    wrap(&w, 3);
    wrap(&w, 1);
    put_field(&w, 1, "\x42\x08\x0a\x04\0\0\0\0\x10\x01", 10); /* setHoles of face 0 */
    assert_int_equal(edits_from_proto(w.data, w.n, &b, &err), SDD_OK);
    assert_int_equal(b->n_edits, 2);
    assert_int_equal(b->edits[0].op, EDIT_ADD_FACES);
    assert_memory_equal(b->edits[0].corners, corners, sizeof corners);
    assert_int_equal(b->edits[1].op, EDIT_SET_HOLES);
    assert_int_equal(b->edits[1].hole, 1);
    edit_batch_free(b);
    w.n = 0;
    put_field(&w, 1, "", 0);
    assert_int_equal(edits_from_proto(w.data, w.n, &b, &err), SDD_EINVALID);
    assert_non_null(strstr(err.text, "edits[0] has no operation"));
    free(w.data);
}

/* Names are counted apart from messages, as a mesh may have many of them. */
static void test_many_names(void **state)
{
    struct sdd_error err = {0};
    unsigned char *body = malloc(2 * (WIRE_MAX_ITEMS + 1));
    (void)state;
    for (int i = 0; i <= WIRE_MAX_ITEMS; i++) {
        body[2 * i] = 12 << 3 | 2; /* FrameHeader.warnings */
        body[2 * i + 1] = 0;
    }
    assert_int_equal(wire_scan(&subdd__v1__frame_header__descriptor, body, 2 * WIRE_MAX_ITEMS, &err), SDD_OK);
    assert_int_equal(wire_scan(&subdd__v1__frame_header__descriptor, body, 2 * (WIRE_MAX_ITEMS + 1), &err),
                     SDD_ETOO_LARGE);
    assert_string_equal(err.text, "more than 65536 names in one body; use fewer");
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_names), cmocka_unit_test(test_fields),          cmocka_unit_test(test_strings),
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_oneof_once),      cmocka_unit_test(test_depth),
        cmocka_unit_test(test_attacks),    cmocka_unit_test(test_mesh_round_trip), cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_positions),  cmocka_unit_test(test_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
