/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and smoothing over HTTP: what is known of a cube by hand, and every refusal. */
#include "tests/http/frames.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A triangle without area beside a quad, and a vertex of no face. */
static const char flat[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0 0\nv 9 9 9\nf 1 2 3 4\nf 1 5 2\n";

static struct daemon d;
/* Three quads at one edge. */
static const char fins[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 1 0\nv -1 0 0\nv 0 0 1\nf 1 2 3 4\nf 1 4 5 6\nf 1 4 7\n";

static char cube[32], thin[32], grid[32], fin[32];

static int start(void **state)
{
    (void)state;
    daemon_start(&d, (const char *const[]){"--max-output-bytes", "1000", NULL});
    create_cube(&d, cube);
    create_obj(&d, flat, thin);
    create_obj(&d, fins, fin);
    create_grid(&d, 20, grid);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* The block of that name, which has `components` floats in each of n rows. Copied out of the answer. */
static float *block(const struct answer *a, const char *name, uint64_t n, uint32_t components)
{
    size_t end;
    Subdd__V1__FrameHeader *h = frame_header(a, &end);
    float *out = malloc((size_t)(n * components) * sizeof *out);
    assert_non_null(out);
    size_t i = 0;
    while (i < h->n_blocks && strcmp(h->blocks[i]->semantic, name) != 0)
        i++;
    assert_true(i < h->n_blocks);
    assert_string_equal(h->blocks[i]->type, "f32");
    assert_int_equal(h->blocks[i]->count, n);
    assert_int_equal(h->blocks[i]->components, components);
    memcpy(out, a->body + h->blocks[i]->offset, h->blocks[i]->bytes);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    return out;
}

static const char *read_point(const char *text, float p[3])
{
    char *at = (char *)(uintptr_t)text;
    for (int k = 0; k < 3; k++)
        p[k] = strtof(at, &at);
    return at;
}

/* The positions of the cube, in the order of its rows. */
static float *points_of_cube(void)
{
    float *out = malloc(24 * sizeof *out);
    const char *at = CUBE;
    assert_non_null(out);
    for (int v = 0; v < 8; v++) {
        at = read_point(strstr(at, "v ") + 2, out + 3 * v);
    }
    return out;
}

static bool near(float a, double b)
{
    return fabs((double)a - b) <= 1e-5 * (1 + fabs(b));
}

static void test_cube(void **state)
{
    struct answer a;
    (void)state;
    ask_mesh(&d, cube, "fields?what=gaussian,normals,mean,geodesic&sources=3,0", ACCEPT_FRAME, &a);
    if (a.status != 200)
        fail_msg("%s", a.body);
    frame_check(&a);
    float *gaussian = block(&a, "gaussian", 8, 1), *normals = block(&a, "normals", 8, 3),
          *mean = block(&a, "mean", 8, 1), *geodesic = block(&a, "geodesic", 8, 1), *points = points_of_cube();
    double middle[3] = {0};
    for (int i = 0; i < 24; i++)
        middle[i % 3] += (double)points[i] / 8;
    for (int v = 0; v < 8; v++) {
        const double quarter = 1.57079632679489662, diagonal = 0.57735026918962576;
        assert_true(near(gaussian[v], quarter));
        for (int k = 0; k < 3; k++)
            assert_true(near(normals[3 * v + k], (double)points[3 * v + k] > middle[k] ? diagonal : -diagonal));
        assert_true(mean[v] > 0);
        assert_true(v == 0 || v == 3 ? geodesic[v] == 0 : geodesic[v] > 0 && isfinite(geodesic[v]));
    }
    free(gaussian);
    free(normals);
    free(mean);
    free(geodesic);
    free(points);
    answer_free(&a);
}

static void test_unreached(void **state)
{
    struct answer a;
    size_t end;
    (void)state;
    ask_mesh(&d, thin, "fields?what=geodesic&sources=5", ACCEPT_FRAME, &a);
    assert_int_equal(a.status, 200);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_int_equal(h->unreached, 5);
    assert_int_equal(h->vertices, 6);
    assert_string_equal(h->surface, "");
    subdd__v1__frame_header__free_unpacked(h, NULL);
    float *geodesic = block(&a, "geodesic", 6, 1);
    for (int v = 0; v < 6; v++)
        assert_true(v == 5 ? geodesic[v] == 0 : isinf(geodesic[v]) && geodesic[v] > 0);
    free(geodesic);
    answer_free(&a);
}

static void test_level(void **state)
{
    struct answer a;
    (void)state;
    ask_mesh(&d, cube, "fields?what=gaussian&level=1", ACCEPT_FRAME, &a);
    assert_int_equal(a.status, 200);
    float *gaussian = block(&a, "gaussian", 26, 1);
    double sum = 0;
    for (int v = 0; v < 26; v++)
        sum += (double)gaussian[v];
    assert_true(near((float)sum, 4 * 3.14159265358979324)); /* Gauss and Bonnet. */
    free(gaussian);
    answer_free(&a);
}

static void test_tag_and_bytes(void **state)
{
    static const char *const others[] = {"fields?what=mean,gaussian", "fields?what=gaussian",
                                         "fields?what=gaussian,mean&level=1"};
    char tag[64], other[64], line[200];
    struct answer a, part;
    (void)state;
    ask_mesh(&d, cube, "fields?what=gaussian,mean", ACCEPT_FRAME, &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ask_mesh(&d, cube, others[i], ACCEPT_FRAME, &part);
        assert_int_equal(part.status, 200);
        assert_true(answer_field(&part, "ETag", other, sizeof other));
        assert_string_not_equal(tag, other);
        answer_free(&part);
    }
    snprintf(line, sizeof line, ACCEPT_FRAME "If-None-Match: %s\r\n", tag);
    ask_mesh(&d, cube, "fields?what=gaussian,mean&level=0", line, &part);
    assert_int_equal(part.status, 304);
    answer_free(&part);
    for (size_t at = 0; at < a.bytes; at += 11) {
        const size_t last = at + 97 < a.bytes ? at + 97 : a.bytes - 1;
        snprintf(line, sizeof line, ACCEPT_FRAME "Range: bytes=%zu-%zu\r\n", at, last);
        ask_mesh(&d, cube, "fields?what=gaussian,mean", line, &part);
        assert_int_equal(part.status, 206);
        assert_int_equal(part.bytes, last + 1 - at);
        assert_memory_equal(part.body, a.body + at, part.bytes);
        answer_free(&part);
    }
    answer_free(&a);
}

static void test_refused(void **state)
{
    static const struct {
        const char *query, *field;
        int status;
        const char *code;
        int limit; /* -1 for none. */
    } rows[] = {
        {"", "what", 422, "invalid_query", -1},
        {"what=", "what", 422, "invalid_query", -1},
        {"what=colour", "what", 422, "invalid_query", -1},
        {"what=mean,mean", "what", 422, "invalid_query", -1},
        {"what=geodesic", "sources", 422, "invalid_query", 8},
        {"what=geodesic&sources=", "sources", 422, "invalid_query", 8},
        {"what=geodesic&sources=1,8,9", "sources", 422, "invalid_query", 8},
        {"what=geodesic&sources=-1", "sources", 400, "invalid_argument", -1},
        {"what=geodesic&sources=1,,2", "sources", 400, "invalid_argument", -1},
        {"what=mean&sources=1", "sources", 422, "invalid_query", -1},
        {"what=mean&level=16", "level", 422, "invalid_query", 15},
        {"what=mean&level=-1", "level", 400, "invalid_argument", -2},
        {"what=mean&surface=limit", "surface", 400, "invalid_argument", -1},
    };
    char rest[128];
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(rest, sizeof rest, "fields?%s", rows[i].query);
        ask_mesh(&d, cube, rest, ACCEPT_FRAME, &a);
        if (a.status != rows[i].status)
            print_message("%s: %s\n", rest, a.body);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        if (rows[i].limit > -2)
            assert_int_equal(answer_number(&a, "limit"), rows[i].limit);
        answer_free(&a);
    }
    ask_mesh(&d, thin, "fields?what=mean", ACCEPT_FRAME, &a);
    assert_problem(&a, 422, "invalid_query", "triangles");
    assert_non_null(strstr(a.body, "face 1"));
    answer_free(&a);
    ask_mesh(&d, grid, "fields?what=normals", ACCEPT_FRAME, &a);
    assert_problem(&a, 413, "too_large", "what");
    assert_int_equal(answer_number(&a, "needed"), 441 * 12);
    assert_int_equal(answer_number(&a, "limit"), 1000);
    answer_free(&a);
    ask_mesh(&d, "m_0000000000000000", "fields?what=mean", ACCEPT_FRAME, &a);
    assert_problem(&a, 404, "not_found", NULL);
    answer_free(&a);
}

/* ---- smoothing --------------------------------------------------------------------------------------------------- */
static void smooth(const char *id, const char *query, const char *fields, const char *body, struct answer *a)
{
    char target[96], all[200];
    snprintf(target, sizeof target, "/v1/meshes/%s/smooth%s", id, query);
    snprintf(all, sizeof all, "Content-Type: application/json\r\n%s", fields);
    http_ask(&d, "POST", target, all, body, strlen(body), a);
}

/* The mean of a cube's three neighbours is a third of the vertex, from the middle. */
static void test_uniform(void **state)
{
    struct answer a;
    char field[32];
    (void)state;
    smooth(cube, "", ACCEPT_FRAME, "{\"method\":\"uniform\",\"strength\":1}", &a);
    if (a.status != 200)
        fail_msg("%s", a.body);
    frame_check(&a);
    assert_true(answer_field(&a, "Cache-Control", field, sizeof field));
    float *got = block(&a, "positions", 8, 3), *points = points_of_cube();
    double middle[3] = {0};
    for (int i = 0; i < 24; i++)
        middle[i % 3] += (double)points[i] / 8;
    for (int i = 0; i < 24; i++)
        assert_true(near(got[i], middle[i % 3] + ((double)points[i] - middle[i % 3]) / 3));
    free(got);
    free(points);
    answer_free(&a);
    char target[64];
    snprintf(target, sizeof target, "/v1/meshes/%s", cube);
    http_get(&d, target, &a); /* nothing was kept */
    assert_int_equal(answer_number(&a, "version"), 1);
    answer_free(&a);
}

/* Level 1 of a cube is about a sphere, which shrinks in an implicit step. */
static void test_smooth_level(void **state)
{
    struct answer a;
    size_t end;
    (void)state;
    smooth(cube, "?level=2", ACCEPT_FRAME, "{\"method\":\"implicitFlow\",\"strength\":0.5}", &a);
    assert_int_equal(a.status, 413); /* as --max-output-bytes is */
    assert_int_equal(answer_number(&a, "needed"), 98 * 12);
    answer_free(&a);
    smooth(cube, "?level=1", ACCEPT_FRAME, "{\"method\":\"implicitFlow\",\"strength\":0.5}", &a);
    if (a.status != 200)
        fail_msg("%s", a.body);
    frame_check(&a);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_int_equal(h->level, 1);
    assert_int_equal(h->vertices, 26);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    float *got = block(&a, "positions", 26, 3), *points = points_of_cube();
    answer_free(&a);
    ask_mesh(&d, cube, "refined?level=1&include=positions", ACCEPT_FRAME, &a);
    float *before = block(&a, "positions", 26, 3);
    answer_free(&a);
    double middle[3] = {0};
    for (int i = 0; i < 24; i++)
        middle[i % 3] += (double)points[i] / 8;
    for (int v = 0; v < 26; v++) /* half of its radius is left */
        for (int k = 0; k < 3; k++) {
            const double way = (double)before[3 * v + k] - middle[k];
            assert_true(fabs((double)got[3 * v + k] - middle[k] - way / 2) < 0.1 * (1 + fabs(way)));
        }
    free(got);
    free(points);
    free(before);
}

static void test_store(void **state)
{
    struct answer a, before;
    char id[32], value[256];
    (void)state;
    create_cube(&d, id);
    smooth(id, "", ACCEPT_FRAME, "{\"method\":\"cotangent\",\"iterations\":3}", &before);
    assert_int_equal(before.status, 200);
    smooth(id, "?store=true", "", "{\"method\":\"cotangent\",\"iterations\":3}", &a);
    assert_problem(&a, 428, "precondition_required", "if-match");
    answer_free(&a);
    smooth(id, "?store=true", "If-Match: \"2\"\r\n", "{\"method\":\"cotangent\",\"iterations\":3}", &a);
    assert_problem(&a, 412, "version_mismatch", "if-match");
    answer_free(&a);
    smooth(id, "?store=true", "If-Match: \"1\"\r\n", "{\"method\":\"cotangent\",\"iterations\":3}", &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(answer_number(&a, "version"), 2);
    assert_string_equal(answer_member(&a, "id", value), id);
    answer_free(&a);
    float *due = block(&before, "positions", 8, 3);
    ask_mesh(&d, id, "cage", "Accept: model/obj\r\n", &a);
    const char *at = a.body;
    for (int v = 0; v < 8; v++) {
        float p[3];
        at = read_point(strstr(at, "\nv ") + 3, p);
        assert_memory_equal(p, due + 3 * v, sizeof p);
    }
    free(due);
    answer_free(&a);
    answer_free(&before);
}

static void test_smooth_refused(void **state)
{
    static const struct {
        const char *query, *fields, *body, *field;
        int status;
        const char *code;
    } rows[] = {
        {"", "", "{}", "method", 422, "invalid_query"},
        {"", "", "{\"method\":\"melt\"}", "method", 422, "invalid_query"},
        {"", "", "{\"method\":7}", "method", 400, "invalid_argument"},
        {"", "", "{\"method\":\"uniform\",\"iterations\":0}", "iterations", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"iterations\":1001}", "iterations", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"iterations\":1.5}", "iterations", 400, "invalid_argument"},
        {"", "", "{\"method\":\"uniform\",\"strength\":0}", "strength", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"strength\":1.01}", "strength", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"strength\":1e300}", "strength", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"strength\":\"much\"}", "strength", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"boundary\":\"cut\"}", "boundary", 422, "invalid_query"},
        {"", "", "{\"method\":\"uniform\",\"more\":1}", NULL, 400, "invalid_argument"},
        {"", "", "{", NULL, 400, "malformed"},
        {"?level=16", "", "{\"method\":\"uniform\"}", "level", 422, "invalid_query"},
        {"?level=-1", "", "{\"method\":\"uniform\"}", "level", 400, "invalid_argument"},
        {"?level=1&store=true", "If-Match: \"1\"\r\n", "{\"method\":\"uniform\"}", "level", 422, "invalid_query"},
        {"?store=perhaps", "", "{\"method\":\"uniform\"}", "store", 400, "invalid_argument"},
        {"", "Accept: application/json\r\n", "{\"method\":\"uniform\"}", "accept", 406, "not_acceptable"},
    };
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        smooth(cube, rows[i].query, rows[i].fields, rows[i].body, &a);
        if (a.status != rows[i].status)
            print_message("%s: %s\n", rows[i].body, a.body);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        if (rows[i].field && strcmp(rows[i].field, "iterations") == 0 && a.status == 422)
            assert_int_equal(answer_number(&a, "limit"), 1000);
        if (rows[i].field && strcmp(rows[i].field, "strength") == 0)
            assert_int_equal(answer_number(&a, "limit"), 1);
        answer_free(&a);
    }
    smooth(thin, "", "", "{\"method\":\"cotangent\"}", &a);
    assert_problem(&a, 422, "invalid_query", "triangles");
    assert_non_null(strstr(a.body, "face 1"));
    answer_free(&a);
    smooth(thin, "?level=1", "", "{\"method\":\"implicitFlow\"}", &a);
    assert_problem(&a, 422, "invalid_query", "triangles"); /* of the level */
    answer_free(&a);
    smooth(fin, "", "", "{\"method\":\"implicitFlow\"}", &a);
    assert_problem(&a, 422, "invalid_query", "method");
    assert_non_null(strstr(a.body, "curvatureFlow"));
    answer_free(&a);
    smooth(thin, "", "", "{\"method\":\"uniform\"}", &a); /* which needs no cotangent */
    assert_int_equal(a.status, 200);
    answer_free(&a);
    smooth(grid, "", "", "{\"method\":\"uniform\"}", &a);
    assert_int_equal(a.status, 413);
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube),           cmocka_unit_test(test_unreached),
        cmocka_unit_test(test_level),          cmocka_unit_test(test_tag_and_bytes),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_store),          cmocka_unit_test(test_smooth_level),
        cmocka_unit_test(test_smooth_refused),
    };
    return cmocka_run_group_tests_name("http/fields", tests, start, stop);
}
