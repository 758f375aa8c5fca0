/* SPDX-License-Identifier: Apache-2.0 */
/* Compact blocks through the service: over HTTP, by libsubd, by subd, whose files have floats. */
#include "client/lib/subd.h"
#include "tests/env.h"
#include "tests/http/client.h"
#include "tests/http/frames.h"
#include "tests/http/spawn.h"
#include "tests/oracle/compact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})
#define ALL "include=positions,normals,indices,uvs,uv_indices"

static struct daemon d;
static subd_client *client;
static char mesh[32]; /* with UVs in islands */

static int start(void **state)
{
    char path[4200];
    size_t n;
    (void)state;
    daemon_start(&d, NULL);
    snprintf(path, sizeof path, "%s/uv_islands_mixed.obj", test_shapes_dir());
    char *obj = slurp(path, &n);
    assert_non_null(obj);
    create_obj(&d, obj, mesh);
    free(obj);
    client = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static struct ran run(const char *const *arguments)
{
    return spawn_subd(d.dir, arguments, NULL);
}

static void is_block(const Subdd__V1__Block *b, const char *semantic, const char *type, uint32_t components,
                     uint32_t stride, uint64_t count)
{
    assert_string_equal(b->semantic, semantic);
    assert_string_equal(b->type, type);
    assert_int_equal(b->components, components);
    assert_int_equal(b->stride, stride);
    assert_int_equal(b->count, count);
    assert_int_equal(b->box.len, strcmp(type, "unorm16") == 0 ? 24 : 0);
}

static void near_floats(const struct answer *small, const Subdd__V1__Block *s, const struct answer *plain,
                        const Subdd__V1__Block *p)
{
    const float *want = (const float *)(const void *)(plain->body + p->offset);
    const uint16_t *q = (const uint16_t *)(const void *)(small->body + s->offset);
    float low[3] = {0}, high[3] = {0};
    if (s->box.len) {
        memcpy(low, s->box.data, sizeof low);
        memcpy(high, s->box.data + sizeof low, sizeof high);
    }
    for (uint64_t i = 0; i < s->count; i++, q += s->components, want += p->components) {
        double at[3] = {compact_half(q[0]), compact_half(q[1]), 0}, w[3] = {0};
        for (uint32_t k = 0; k < p->components && k < 3; k++)
            w[k] = (double)want[k];
        if (strcmp(s->type, "oct16") == 0) {
            compact_normal(q, at);
            assert_true(compact_degrees(at, w) <= COMPACT_DEGREES);
            continue;
        }
        const int is_point = strcmp(s->type, "unorm16") == 0;
        if (is_point)
            compact_position(q, low, high, at);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(at[k] - w[k]) <= (is_point ? ((double)high[k] - (double)low[k]) * COMPACT_STEPS + 1e-6
                                                        : compact_half_error(w[k])));
    }
}

static void test_http(void **state)
{
    struct answer a, b, plan;
    size_t end;
    (void)state;
    ask_mesh(&d, mesh, "refined?level=3&" ALL "&compact=positions,normals,uvs", "", &a);
    ask_mesh(&d, mesh, "refined?level=3&" ALL, "", &b);
    assert_int_equal(a.status, 200);
    assert_int_equal(b.status, 200);
    frame_check(&a);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end), *p = frame_header(&b, &end);
    assert_int_equal(h->n_blocks, 5);
    is_block(h->blocks[0], "positions", "unorm16", 4, 8, h->vertices);
    is_block(h->blocks[1], "normals", "oct16", 2, 4, h->vertices);
    is_block(h->blocks[2], "indices", "u32", 4, 16, h->faces);
    is_block(h->blocks[3], "uvs", "f16", 2, 4, p->blocks[3]->count);
    for (int i = 0; i < 5; i++)
        if (i == 2 || i == 4)
            assert_int_equal(h->blocks[i]->digest, p->blocks[i]->digest);
        else
            near_floats(&a, h->blocks[i], &b, p->blocks[i]);
    ask_mesh(&d, mesh, "plan?level=3&" ALL "&compact=positions,normals,uvs", "", &plan);
    assert_int_equal(answer_number(&plan, "frameBytes"), a.bytes);
    assert_non_null(strstr(plan.body, "\"unorm16\""));
    assert_non_null(strstr(plan.body, "\"oct16\""));
    assert_non_null(strstr(plan.body, "\"f16\""));
    subdd__v1__frame_header__free_unpacked(h, NULL);
    subdd__v1__frame_header__free_unpacked(p, NULL);
    answer_free(&a), answer_free(&b), answer_free(&plan);
}

/* What cannot be compact, or is not asked for, is refused before any work; it is no parameter of patches. */
static void test_refused(void **state)
{
    static const struct {
        const char *rest, *says;
    } rows[] = {{"refined?compact=", "names nothing"},
                {"refined?compact=indices", "compact takes positions,normals,uvs, not \\\"indices\\\""},
                {"refined?compact=positions,colours", "not \\\"colours\\\""},
                {"refined?compact=positions,normals", "not asked for"},
                {"plan?include=indices&compact=positions", "not asked for"},
                {"plan?compact=16", "compact takes"},
                {"patches?compact=positions", "compact"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct answer a;
        ask_mesh(&d, mesh, rows[i].rest, "", &a);
        assert_problem(&a, 400, "invalid_argument", "compact");
        if (!strstr(a.body, rows[i].says))
            fail_msg("%s: %s", rows[i].rest, a.body);
        answer_free(&a);
    }
}

static void test_overflow(void **state)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 70000 0\nvt 1 1\nf 1/1 2/2 3/3 4/3\n";
    struct answer a;
    char id[32];
    (void)state;
    create_obj(&d, obj, id);
    ask_mesh(&d, id, "refined?include=uvs", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    ask_mesh(&d, id, "refined?include=uvs&compact=uvs", "", &a);
    assert_problem(&a, 422, "unsupported", "compact");
    answer_free(&a);
}

/* Each way to have it is a frame of its own. */
static void test_etag(void **state)
{
    static const char *const queries[] = {"", "&compact=positions", "&compact=normals", "&compact=normals,positions",
                                          ""};
    char tags[5][64], rest[128];
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct answer a;
        snprintf(rest, sizeof rest, "refined?include=positions,normals%s", queries[i]);
        ask_mesh(&d, mesh, rest, "", &a);
        assert_int_equal(a.status, 200);
        assert_true(answer_field(&a, "ETag", tags[i], sizeof tags[i]));
        answer_free(&a);
        for (int k = 0; k < i; k++)
            assert_int_equal(strcmp(tags[i], tags[k]) == 0, i == 4 && k == 0);
    }
}

static void decoded(const struct subd_frame *small, const struct subd_frame *plain, int semantic, double tolerance)
{
    const struct subd_block *s = subd_frame_find(small, semantic), *p = subd_frame_find(plain, semantic);
    float *out = malloc((size_t)p->bytes);
    assert_non_null(out);
    assert_int_equal(subd_block_decode(s, 0, s->count, out), SUBD_OK);
    for (int64_t i = 0; i < p->count * p->components; i++)
        assert_true(fabs((double)out[i] - (double)((const float *)p->data)[i]) <= tolerance);
    free(out);
}

static void test_libsubd(void **state)
{
    const unsigned some = SUBD_POSITIONS | SUBD_NORMALS | SUBD_UVS;
    struct subd_refine r =
        SUBD_INIT(subd_refine, .level = 3, .surface = "limit", .include = some | SUBD_INDICES, .compact = some);
    struct subd_frame small = {0}, plain = {0};
    struct subd_plan p = {0};
    struct subd_error err;
    (void)state;
    if (subd_refine(client, mesh, &r, &small, &err) != SUBD_OK || subd_get_plan(client, mesh, &r, &p, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(p.frame_bytes, small.frame_bytes);
    assert_string_equal(p.blocks[0].type, "unorm16");
    r.compact = 0;
    if (subd_refine(client, mesh, &r, &plain, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_true(small.frame_bytes < plain.frame_bytes);
    const struct subd_block *b = subd_frame_find(&small, SUBD_POSITIONS);
    double extent = 0;
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, (double)b->high[k] - (double)b->low[k]);
    assert_true(extent > 0);
    decoded(&small, &plain, SUBD_POSITIONS, extent * COMPACT_STEPS + 1e-6);
    decoded(&small, &plain, SUBD_NORMALS, 7e-5);
    decoded(&small, &plain, SUBD_UVS, 1e-3);
    r.compact = SUBD_INDICES;
    assert_int_equal(subd_refine(client, mesh, &r, &plain, &err), SUBD_EUSAGE);
    r.include = SUBD_POSITIONS;
    r.compact = SUBD_NORMALS;
    assert_int_equal(subd_get_plan(client, mesh, &r, &p, &err), SUBD_EUSAGE);
    subd_frame_free(&small);
    subd_frame_free(&plain);
}

/* The first `n` numbers after `tag` lines of an OBJ, lines in order. */
static int64_t obj_numbers(const char *text, const char *tag, double *out, int64_t room)
{
    int64_t n = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char *end = (char *)(uintptr_t)line + strlen(tag);
        if (strncmp(line, tag, strlen(tag)) != 0)
            continue;
        while (*end != '\n' && *end && n < room)
            out[n++] = strtod(end, &end);
    }
    return n;
}

static void test_subd(void **state)
{
    static const char *const suffixes[] = {".obj", ".ply", ".usda", ".glb", ".stl"}, *const tags[] = {"v ", "vn ",
                                                                                                      "vt "};
    enum { ROOM = 100000 };
    static double got[ROOM], want[ROOM];
    char small[128], plain[128];
    size_t n, m;
    (void)state;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(small, sizeof small, "%s/small%s", d.dir, suffixes[i]);
        struct ran r = RUN("refine", mesh, "--level", "2", "--normals", "--compact", "-o", small);
        if (r.code)
            fail_msg("%s", r.err);
        ran_free(&r);
        char *text = slurp(small, &n);
        assert_true(text && n > 0);
        free(text);
    }
    snprintf(small, sizeof small, "%s/small.obj", d.dir);
    snprintf(plain, sizeof plain, "%s/plain.obj", d.dir);
    struct ran r = RUN("refine", mesh, "--level", "2", "--normals", "-o", plain);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    char *a = slurp(small, &n), *b = slurp(plain, &m);
    for (int k = 0; k < 3; k++) {
        const int64_t rows = obj_numbers(a, tags[k], got, ROOM);
        assert_true(rows > 0 && rows < ROOM && rows == obj_numbers(b, tags[k], want, ROOM));
        for (int64_t i = 0; i < rows; i++)
            assert_true(fabs(got[i] - want[i]) < 1e-3);
    }
    assert_true(strcmp(a, b) != 0);
    free(a), free(b);
    r = RUN("refine", mesh, "--level", "2", "--compact", "--json");
    assert_non_null(strstr(r.out, "\"unorm16\""));
    ran_free(&r);
    r = RUN("plan", mesh, "--level", "2", "--compact", "--json");
    assert_non_null(strstr(r.out, "\"f16\""));
    ran_free(&r);
    r = RUN("bench", mesh, "--compact", "--repeat", "3");
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_http),     cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_overflow), cmocka_unit_test(test_etag),
                                       cmocka_unit_test(test_libsubd),  cmocka_unit_test(test_subd)};
    return cmocka_run_group_tests_name("http/compact", tests, start, stop);
}
