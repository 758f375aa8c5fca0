/* SPDX-License-Identifier: Apache-2.0 */
/* Subdivision matrices through the service, over HTTP, by libsubd and by subd: the text, read here, times the control
 * points is the surface that refined gives. */
#include "client/lib/subd_matrix.h"
#include "tests/http/client.h"
#include "tests/http/spawn.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)
#define N_CUBE 8

static const float corners[N_CUBE][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static struct daemon d;
static subd_client *client;
static char cube[32];

/* The cube with rows as in `corners`, as other tests have it or with its faces cut for schemes of triangles. */
static void push_cube(const char *options, int triangles, char id[32])
{
    static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    char obj[1200] = "", target[96];
    struct answer a;
    for (int v = 0; v < N_CUBE; v++)
        snprintf(obj + strlen(obj), sizeof obj - strlen(obj), "v %g %g %g\n", (double)corners[v][0],
                 (double)corners[v][1], (double)corners[v][2]);
    for (int f = 0; f < 6; f++) {
        const int *c = faces[f];
        snprintf(obj + strlen(obj), sizeof obj - strlen(obj),
                 triangles ? "f %d %d %d\nf %d %d %d\n" : "f %d %d %d %d\n", c[0] + 1, c[1] + 1, c[2] + 1,
                 (triangles ? c[0] : c[3]) + 1, c[2] + 1, c[3] + 1);
    }
    snprintf(target, sizeof target, "/v1/meshes?%s", options);
    http_ask(&d, "POST", target, "Content-Type: model/obj\r\n", obj, strlen(obj), &a);
    assert_int_equal(a.status, 201);
    char member[256];
    snprintf(id, 32, "%.31s", answer_member(&a, "id", member));
    answer_free(&a);
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, (const char *const[]){"--max-output-bytes", "100000", NULL});
    push_cube("", 0, cube);
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

/* Reads a matrix over the cube's points: its product with them. */
static double (*times(const char *text, size_t bytes, int64_t *n_rows))[3]
{
    static const char head[] = "%%MatrixMarket matrix coordinate real general\n";
    char *at = (char *)(uintptr_t)text + strlen(head);
    assert_memory_equal(text, head, strlen(head));
    *n_rows = strtoll(at, &at, 10);
    assert_int_equal(strtoll(at, &at, 10), N_CUBE);
    int64_t left = strtoll(at, &at, 10);
    double(*out)[3] = calloc((size_t)*n_rows + 1, sizeof *out);
    assert_non_null(out);
    for (; left > 0; left--) {
        int64_t row = strtoll(at, &at, 10), column = strtoll(at, &at, 10);
        double weight = strtod(at, &at);
        assert_true(row >= 1 && row <= *n_rows && column >= 1 && column <= N_CUBE);
        for (int k = 0; k < 3; k++)
            out[row - 1][k] += weight * (double)corners[column - 1][k];
    }
    assert_string_equal(at, "\n");
    assert_true(at + 1 == text + bytes);
    return out;
}

/* The matrix of that query times the points is what `refined` has under the same query, made of that length. */
static void check_product(const char *id, const char *query, const char *what, int semantic)
{
    char rest[128];
    struct subd_frame frame = {0};
    struct subd_refine r =
        SUBD_INIT(subd_refine, .level = query[6] - '0', .include = (unsigned)semantic, .method = "mesh-matrix");
    struct subd_error err = {0};
    struct answer a;
    int64_t n;
    r.surface = strrchr(query, '=') + 1;
    snprintf(rest, sizeof rest, "matrix?%s&what=%s", query, what);
    ask_mesh(&d, id, rest, "", &a);
    assert_int_equal(a.status, 200);
    char field[64];
    assert_true(answer_field(&a, "Content-Type", field, sizeof field));
    assert_string_equal(field, "text/plain");
    double(*got)[3] = times(a.body, a.bytes, &n);
    if (subd_refine(client, id, &r, &frame, &err) != SUBD_OK)
        fail_msg("%s: %s", query, err.text);
    assert_int_equal(frame.vertices, n);
    const struct subd_block *b = frame.blocks;
    for (int64_t i = 0; i < n; i++) {
        const float *due = (const float *)b->data + b->components * i + (strcmp(what, "tangent2") == 0 ? 3 : 0);
        double length = semantic == SUBD_POSITIONS
                            ? 1
                            : sqrt(got[i][0] * got[i][0] + got[i][1] * got[i][1] + got[i][2] * got[i][2]);
        for (int k = 0; k < 3; k++)
            if (!(fabs(got[i][k] / length - (double)due[k]) <= 2e-6))
                fail_msg("%s of %s: row %lld is %.9g, not %.9g", what, query, (long long)i, got[i][k] / length,
                         (double)due[k]);
    }
    subd_frame_free(&frame);
    free(got);
    answer_free(&a);
}

static void test_product(void **state)
{
    static const char *const schemes[] = {"scheme=catmullClark", "scheme=bilinear", "scheme=loop", "scheme=sqrt3"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char id[32];
        push_cube(schemes[i], i >= 2, id);
        check_product(id, "level=1&surface=refined", "points", SUBD_POSITIONS);
        check_product(id, "level=3&surface=limit", "points", SUBD_POSITIONS);
        check_product(id, "level=3&surface=limitAtLevel", "points", SUBD_POSITIONS);
        if (i != 1) {
            check_product(id, "level=2&surface=limit", "tangent1", SUBD_TANGENTS);
            check_product(id, "level=2&surface=limit", "tangent2", SUBD_TANGENTS);
        }
    }
}

/* Without a word it is the points of level 1; the tag names mesh, version and all that was asked for. */
static void test_defaults_and_tag(void **state)
{
    static const char *const others[] = {"matrix?level=2", "matrix?surface=limit", "matrix?surface=limit&what=tangent1",
                                         "matrix?surface=limit&what=tangent2", "refined?include=positions"};
    char tag[64], other[64], line[96], length[32];
    struct answer a, b;
    (void)state;
    ask_mesh(&d, cube, "matrix", "", &a);
    ask_mesh(&d, cube, "matrix?level=1&surface=refined&what=points", "", &b);
    assert_int_equal(a.status, 200);
    assert_true(a.bytes == b.bytes && memcmp(a.body, b.body, a.bytes) == 0);
    assert_true(answer_field(&a, "Content-Length", length, sizeof length));
    assert_int_equal(strtoll(length, NULL, 10), a.bytes);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag) && answer_field(&b, "ETag", other, sizeof other));
    assert_string_equal(tag, other);
    answer_free(&b);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ask_mesh(&d, cube, others[i], "", &b);
        assert_int_equal(b.status, 200);
        assert_true(answer_field(&b, "ETag", other, sizeof other));
        assert_string_not_equal(tag, other);
        answer_free(&b);
    }
    snprintf(line, sizeof line, "If-None-Match: %s\r\n", tag);
    ask_mesh(&d, cube, "matrix", line, &b);
    assert_int_equal(b.status, 304);
    assert_int_equal(b.bytes, 0);
    assert_true(answer_field(&b, "ETag", other, sizeof other));
    assert_string_equal(tag, other);
    answer_free(&b);
    http_ask(&d, "HEAD", (snprintf(line, sizeof line, "/v1/meshes/%s/matrix", cube), line), "", "", 0, &b);
    assert_int_equal(b.status, 200);
    assert_true(answer_field(&b, "Content-Length", other, sizeof other));
    assert_string_equal(length, other);
    answer_free(&b);
    answer_free(&a);
}

static void test_refused(void **state)
{
    static const struct {
        const char *rest, *field;
        int status;
        const char *code;
    } rows[] = {
        {"matrix?level=0", "level", 400, "invalid_argument"},
        {"matrix?level=99", "level", 400, "invalid_argument"},
        {"matrix?level=two", "level", 400, "invalid_argument"},
        {"matrix?surface=flat", "surface", 400, "invalid_argument"},
        {"matrix?what=normals", "what", 400, "invalid_argument"},
        {"matrix?what=", "what", 400, "invalid_argument"},
        {"matrix?what=tangent1", "surface", 400, "invalid_argument"},
        {"matrix?what=tangent2&surface=refined", "surface", 400, "invalid_argument"},
        {"matrix?include=positions", "include", 400, "invalid_argument"},
        {"matrix?method=mesh-matrix", "method", 400, "invalid_argument"},
    };
    char linear[32], field[64];
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask_mesh(&d, cube, rows[i].rest, "", &a);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        answer_free(&a);
    }
    ask_mesh(&d, "m_0000000000000000", "matrix", "", &a);
    assert_problem(&a, 404, "not_found", NULL);
    answer_free(&a);
    push_cube("scheme=bilinear", 0, linear);
    ask_mesh(&d, linear, "matrix?what=tangent1&surface=limit", "", &a);
    assert_problem(&a, 422, "unsupported", "what");
    answer_free(&a);
    ask_mesh(&d, cube, "matrix", "Accept: model/obj\r\n", &a);
    assert_int_equal(a.status, 406);
    answer_free(&a);
    http_ask(&d, "POST", (snprintf(field, sizeof field, "/v1/meshes/%s/matrix", cube), field), "", "", 0, &a);
    assert_int_equal(a.status, 405);
    answer_free(&a);
}

/* Too large: level 4 when all of it is counted, level 8 before any work; what fits is served as before. */
static void test_limit(void **state)
{
    struct answer a, before, after;
    (void)state;
    ask_mesh(&d, cube, "matrix?level=2", "", &before);
    ask_mesh(&d, cube, "matrix?level=4", "", &a);
    assert_problem(&a, 413, "too_large", "level");
    assert_int_equal(answer_number(&a, "limit"), 100000);
    assert_true(answer_number(&a, "needed") > 100000);
    answer_free(&a);
    ask_mesh(&d, cube, "matrix?level=8", "", &a);
    assert_problem(&a, 413, "too_large", "level");
    assert_true(answer_number(&a, "needed") > 6 << 16); /* a line for each vertex */
    assert_true(a.seconds < 1);
    answer_free(&a);
    ask_mesh(&d, cube, "matrix?level=2", "", &after);
    assert_true(after.status == 200 && before.bytes == after.bytes &&
                memcmp(before.body, after.body, after.bytes) == 0);
    answer_free(&before);
    answer_free(&after);
}

/* ---- clients ---------------------------------------------------------------------------------------------------- */
struct got {
    char *text;
    size_t bytes;
    int stop;
};

static int keep(void *arg, const void *p, size_t n)
{
    struct got *g = arg;
    g->text = realloc(g->text, g->bytes + n + 1);
    assert_non_null(g->text);
    memcpy(g->text + g->bytes, p, n);
    g->text[g->bytes += n] = '\0';
    return g->stop;
}

static void test_libsubd(void **state)
{
    struct got got = {0};
    struct subd_matrix r =
        SUBD_INIT(subd_matrix, .level = 2, .surface = "limit", .what = "tangent2", .sink = keep, .sink_arg = &got);
    struct subd_error err = {0};
    struct answer a;
    (void)state;
    if (subd_matrix(client, cube, &r, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    ask_mesh(&d, cube, "matrix?level=2&surface=limit&what=tangent2", "", &a);
    assert_true(got.bytes == a.bytes && memcmp(got.text, a.body, a.bytes) == 0);
    answer_free(&a);
    got.stop = 1;
    assert_int_equal(subd_matrix(client, cube, &r, &err), SUBD_ECANCELLED);
    got.stop = 0;
    r.what = "normals";
    assert_int_equal(subd_matrix(client, cube, &r, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "what");
    r.what = NULL;
    assert_int_equal(subd_matrix(client, "m_0000000000000000", &r, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
    r.level = 0;
    assert_int_equal(subd_matrix(client, cube, &r, &err), SUBD_EUSAGE);
    free(got.text);
}

static void test_subd(void **state)
{
    char path[96];
    size_t bytes;
    struct answer a;
    struct ran r = RUN("matrix", cube, "--level", "2", "--surface", "limit");
    (void)state;
    ask_mesh(&d, cube, "matrix?level=2&surface=limit", "", &a);
    assert_int_equal(r.code, 0);
    assert_string_equal(r.out, a.body);
    ran_free(&r);
    snprintf(path, sizeof path, "%s/cube.mtx", d.dir);
    r = RUN("matrix", cube, "--level", "2", "--surface", "limit", "-o", path, "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "cube.mtx"));
    ran_free(&r);
    char *file = slurp(path, &bytes);
    assert_string_equal(file, a.body);
    free(file);
    answer_free(&a);
    /* what is refused leaves the file as it was */
    r = RUN("matrix", cube, "--what", "tangent1", "-o", path);
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "surface=limit"));
    ran_free(&r);
    file = slurp(path, &bytes);
    assert_non_null(strstr(file, "MatrixMarket"));
    free(file);
    r = RUN("matrix", cube, "-o", "/nowhere/cube.mtx");
    assert_int_equal(r.code, 6);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_product), cmocka_unit_test(test_defaults_and_tag),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_libsubd), cmocka_unit_test(test_subd)};
    return cmocka_run_group_tests_name("http/matrix", tests, start, stop);
}
