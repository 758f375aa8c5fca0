/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and smoothing by libsubd and by subd: test_fields.c has the values themselves. */
#include "client/lib/subd_fields.h"
#include "tests/http/spawn.h"
#include "tests/http/client.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

static struct daemon d;
static subd_client *client;
static char cube[32];

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, cube);
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

static void test_libsubd_fields(void **state)
{
    static const uint32_t sources[] = {0, 7};
    struct subd_fields r = SUBD_INIT(subd_fields, .what = SUBD_GAUSSIAN | SUBD_NORMALS | SUBD_GEODESIC,
                                     .sources = sources, .n_sources = 2);
    struct subd_frame f = {0};
    struct subd_error err = {0};
    (void)state;
    if (subd_fields(client, cube, &r, &f, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(f.n_blocks, 3);
    const float *gaussian = subd_frame_find(&f, SUBD_GAUSSIAN)->data, *far = subd_frame_find(&f, SUBD_GEODESIC)->data;
    for (int v = 0; v < 8; v++) {
        assert_true(fabs((double)gaussian[v] - 1.57079632679) < 1e-5);
        assert_true((far[v] == 0) == (v == 0 || v == 7));
    }
    assert_int_equal(subd_frame_find(&f, SUBD_NORMALS)->components, 3);
    r.if_none_match = f.etag;
    assert_int_equal(subd_fields(client, cube, &r, &f, &err), SUBD_UNCHANGED);
    r = (struct subd_fields)SUBD_INIT(subd_fields, .what = SUBD_GEODESIC);
    assert_int_equal(subd_fields(client, cube, &r, &f, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "sources");
    const struct subd_fields wrong[] = {
        SUBD_INIT(subd_fields, .level = 0),
        SUBD_INIT(subd_fields, .what = SUBD_UVS),
        SUBD_INIT(subd_fields, .what = SUBD_MEAN, .level = 16),
        SUBD_INIT(subd_fields, .what = SUBD_GEODESIC, .n_sources = 1),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(subd_fields(client, cube, &wrong[i], &f, &err), SUBD_EUSAGE);
    subd_frame_free(&f);
}

static void test_libsubd_smooth(void **state)
{
    struct subd_smooth r = SUBD_INIT(subd_smooth, .method = "uniform", .strength = 1);
    struct subd_frame f = {0};
    struct subd_mesh_info info;
    struct subd_error err = {0};
    char id[32];
    (void)state;
    create_cube(&d, id);
    if (subd_smooth(client, id, 0, &r, &f, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    const float *p = subd_frame_find(&f, SUBD_POSITIONS)->data; /* vertex 0 goes from 0 to the mean of 3 neighbours */
    for (int k = 0; k < 3; k++)
        assert_true(fabs((double)p[k] - 1.0 / 3) < 1e-6);
    assert_int_equal(subd_smooth_store(client, id, 0, &r, &info, &err), SUBD_EUSAGE);
    assert_int_equal(subd_smooth_store(client, id, 2, &r, &info, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 412);
    assert_int_equal(subd_smooth_store(client, id, 1, &r, &info, &err), SUBD_OK);
    assert_int_equal(info.version, 2);
    r.level = 2;
    assert_int_equal(subd_smooth(client, id, 0, &r, &f, &err), SUBD_OK);
    assert_int_equal(f.level, 2);
    assert_int_equal(f.vertices, 98);
    assert_int_equal(subd_smooth_store(client, id, 2, &r, &info, &err), SUBD_EUSAGE);
    r.level = 16;
    assert_int_equal(subd_smooth(client, id, 0, &r, &f, &err), SUBD_EUSAGE);
    r.level = 0;
    r.iterations = 1001;
    assert_int_equal(subd_smooth(client, id, 0, &r, &f, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "iterations");
    r.method = NULL;
    assert_int_equal(subd_smooth(client, id, 0, &r, &f, &err), SUBD_EUSAGE);
    subd_frame_free(&f);
}

static void test_fields(void **state)
{
    char path[96];
    size_t bytes;
    (void)state;
    struct ran r = RUN("fields", cube, "--what", "geodesic", "--sources", "0");
    assert_int_equal(r.code, 0);
    assert_memory_equal(r.out, "0: 0\n1: 1\n", 10);
    ran_free(&r);
    snprintf(path, sizeof path, "%s/cube.ply", d.dir);
    r = RUN("fields", cube, "--what", "geodesic,gaussian", "--sources", "0", "-o", path, "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "\"vertices\""));
    ran_free(&r);
    char *file = slurp(path, &bytes);
    assert_non_null(strstr(file, "element vertex 8\n"));
    assert_non_null(strstr(file, "red"));
    assert_non_null(strstr(file, "gaussian"));
    assert_non_null(strstr(file, "geodesic"));
    free(file);
    snprintf(path, sizeof path, "%s/cube2.usda", d.dir);
    r = RUN("fields", cube, "--what", "mean", "--level", "2", "-o", path);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    file = slurp(path, &bytes);
    assert_non_null(strstr(file, "primvars:mean"));
    assert_non_null(strstr(file, "primvars:displayColor"));
    free(file);
}

static void test_smooth(void **state)
{
    char path[96], id[32], due[64];
    size_t bytes;
    (void)state;
    create_cube(&d, id);
    snprintf(path, sizeof path, "%s/smooth.obj", d.dir);
    struct ran r = RUN("smooth", id, "--strength", "1", "-o", path);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    char *file = slurp(path, &bytes);
    assert_non_null(strstr(file, "v 0.33333"));
    assert_non_null(strstr(file, "\nf "));
    free(file);
    r = RUN("smooth", id, "--level", "1", "--method", "implicitFlow", "-o", path);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    file = slurp(path, &bytes);
    int n_faces = 0;
    for (const char *at = file; (at = strstr(at, "\nf ")); at++)
        n_faces++;
    assert_int_equal(n_faces, 24);
    free(file);
    r = RUN("smooth", id, "--method", "cotangent", "--iterations", "2", "--store");
    assert_int_equal(r.code, 0);
    snprintf(due, sizeof due, "%s version 2\n", id);
    assert_string_equal(r.out, due);
    ran_free(&r);
    r = RUN("smooth", id, "--store", "--version", "1");
    assert_int_equal(r.code, 4);
    ran_free(&r);
}

static void test_refused(void **state)
{
    static const struct {
        const char *arguments[6];
        int code;
        const char *says;
    } rows[] = {
        {{"fields"}, 2, "--what"},
        {{"fields", "--what", "points"}, 2, "--what"},
        {{"fields", "--what", "geodesic"}, 4, "source"},
        {{"fields", "--what", "geodesic", "--sources", "8"}, 4, "out of range"},
        {{"fields", "--what", "mean", "--json"}, 2, "-o FILE"},
        {{"smooth"}, 2, "--store"},
        {{"smooth", "-o", "smooth.doc"}, 2, "--store"},
        {{"smooth", "--store", "-o", "smooth.obj"}, 2, "--store"},
        {{"smooth", "--store", "--level", "1"}, 2, "--level"},
        {{"smooth", "--level", "16", "-o", "smooth.obj"}, 2, "15"},
        {{"smooth", "--iterations", "1001"}, 2, "1,000"},
        {{"smooth", "--strength", "0"}, 2, "above 0"},
        {{"smooth", "--store", "--method", "melt"}, 4, "uniform"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const *w = rows[i].arguments;
        struct ran r = RUN(w[0], cube, w[1], w[2], w[3], w[4]);
        if (r.code != rows[i].code || !(strstr(r.err, rows[i].says) || strstr(r.out, rows[i].says)))
            fail_msg("row %zu: %d %s%s", i, r.code, r.err, r.out);
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_libsubd_fields), cmocka_unit_test(test_libsubd_smooth),
                                       cmocka_unit_test(test_fields), cmocka_unit_test(test_smooth),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("http/subd_fields", tests, start, stop);
}
