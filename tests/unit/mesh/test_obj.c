/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/shared.h"
#include "tests/env.h"
#include "server/base/stop.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define DIGITS "11111111111111111111111111111111"
#define QUAD "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

/* The body ends exactly where the allocation does, so that a sanitizer sees a read beyond it. */
static int read_exact(const char *text, struct mesh **m, struct sdd_error *err)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    int rc = mesh_from_obj(copy, n, m, NULL, err);
    free(copy);
    return rc;
}

static void refused(const char *text, int code, const char *says)
{
    struct sdd_error err = {0};
    struct mesh *m = (struct mesh *)1;
    int rc = read_exact(text, &m, &err);
    if (rc != code || !strstr(err.text, says))
        fail_msg("%s\ngave %d %s", text, rc, err.text);
    assert_null(m);
}

/* A reader and writers end when nobody waits for them; nothing of what they had is left. */
static void test_stop(void **state)
{
    const atomic_int stop = 1;
    struct sdd_error err = {0};
    struct mesh *m = sample_obj(QUAD "f 1 2 3 4\n"), *none = NULL;
    char text[4200], id[MESH_TOPOLOGY_ID_SIZE];
    void *out = NULL;
    size_t bytes;
    (void)state;
    memset(text, '\n', sizeof text); /* Lines up to the first look at the flag. */
    stop_watch(&stop);
    assert_int_equal(mesh_from_obj(text, sizeof text, &none, NULL, &err), SDD_ECANCELLED);
    assert_null(none);
    assert_int_equal(mesh_to_obj(m, &out, &bytes, NULL, &err), SDD_ECANCELLED);
    assert_int_equal(mesh_to_usda(m, &out, &bytes, NULL, &err), SDD_ECANCELLED);
    assert_int_equal(mesh_topology_id(m, id, &err), SDD_ECANCELLED);
    assert_null(out);
    stop_watch(NULL);
    assert_int_equal(mesh_to_obj(m, &out, &bytes, NULL, &err), SDD_OK);
    free(out);
    mesh_free(m);
}

static void test_faces(void **state)
{
    (void)state;
    struct mesh *m = sample_obj("# c\r\nv 0 0 0\r\nv 1 0 0 1\nv 1 1 0 .5 .5 .5 # red\nv\t0 1 \\\n 0 1 .1 .2 .3\n"
                                "vn 0 0 1\ng a b\ns off\nusemtl x\\\ny\nl 1 2\n\n  f 1//1 -3//1 3//1 -1//1\nf 1 2 3");
    static const int32_t corners[] = {0, 1, 2, 3, 0, 1, 2};
    assert_int_equal(m->n_vertices, 4);
    assert_int_equal(m->n_faces, 2);
    assert_memory_equal(m->face_vertices, corners, sizeof corners);
    assert_true(m->points[9] == 0 && m->points[10] == 1 && m->points[11] == 0);
    assert_int_equal(m->n_uvs, 0);
    assert_null(m->uv_indices);
    assert_int_equal(m->options.boundary, SDD_BOUNDARY_EDGE_AND_CORNER);
    mesh_free(m);
}

/* Slots behind the vertex may be empty; what stands for the normal makes no difference; fo is an old name of f. */
static void test_empty_slots(void **state)
{
    static const char *const bare[] = {"f 1// 2// 3// 4//",
                                       "f 1/ 2/ 3/ 4/",
                                       "f 1//9 2//0 3//-7 4",
                                       "fo 1 2 3 4",
                                       "f 1//99999999999999999999 2 3 4//",
                                       "f\t1//\t2/ \\ \t\r\n 3\v4\f",
                                       "f -4 -3 -2 -1"};
    static const char *const slashed[] = {"f 1/1/ 2/2/ 3/3/ 4/4/", "f 1/1 2/2/7 3/3/ 4/4",
                                          "f -4/-4/ 2/-3/ 3/-2 4/-1/-1"};
    static const int32_t rows[] = {0, 1, 2, 3};
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        (void)snprintf(text, sizeof text, QUAD "%s", bare[i]);
        struct mesh *m = sample_obj(text);
        assert_int_equal(m->n_corners, 4);
        assert_memory_equal(m->face_vertices, rows, sizeof rows);
        assert_int_equal(m->n_uvs, 0);
        mesh_free(m);
    }
    for (size_t i = 0; i < sizeof slashed / sizeof *slashed; i++) {
        (void)snprintf(text, sizeof text, QUAD "vt 0\nvt 0\nvt 0\nvt 0\n%s", slashed[i]);
        struct mesh *m = sample_obj(text);
        assert_memory_equal(m->face_vertices, rows, sizeof rows);
        assert_memory_equal(m->uv_indices, rows, sizeof rows);
        mesh_free(m);
    }
}

static void test_line_ends(void **state)
{
    (void)state;
    struct mesh *m = sample_obj("\xef\xbb\xbf# mark\rv 0 0 0\rv 1 \\\r0 0\rv 1 1 0\rvn 0 0 1\rf 1 2 3\r");
    assert_int_equal(m->n_vertices, 3);
    assert_int_equal(m->n_faces, 1);
    assert_true(m->points[3] == 1);
    mesh_free(m);
    m = sample_obj("\xef\xbb\xbf" QUAD "f 1 2 3 4");
    assert_int_equal(m->n_vertices, 4);
    mesh_free(m);
    refused("\xef\xbb", SDD_EMALFORMED, "line 1");
    m = sample_obj(
        "\xef\xbb\xbf#mark\r\n\tv 0 0 0#no blank\r\nv 1 0 0 # behind \\\r\nv 1 1 0\r\n#c:\\folder\\\r\nv 0 1 0\r\n"
        "f 1 2 \\\t \r\n 3\\\r\n 4\r\n");
    assert_int_equal(m->n_vertices, 4); /* A backslash at the end of a comment does not swallow the next line. */
    assert_int_equal(m->n_corners, 4);
    mesh_free(m);
    m = sample_obj("v 0 0 0\n\xef\xbb\xbfv 1 0 0\n \xef\xbb\xbf\nv 1 1 0\nf 1 2 3 \\ ");
    assert_int_equal(m->n_vertices, 3);
    assert_int_equal(m->n_corners, 3);
    mesh_free(m);
}

/* Line ends of several systems in one file, and lines are counted right. */
static void test_mixed_line_ends(void **state)
{
    (void)state;
    struct mesh *m = sample_obj("v 0 0 0\rv 1 0 0\r\nv 1 1 0\nvn 0 0 1\rg a\r# c\rv 0 1 0\rf 1 2 \\ \r3 \\\r\n 4\n");
    assert_int_equal(m->n_vertices, 4);
    assert_int_equal(m->n_corners, 4);
    assert_string_equal(m->primvars[0].sets.text, "a");
    mesh_free(m);
    refused("v 0 0 0\rv 0 0 0\r\nv 0 0 0\n\r\n\rv 0 0 x\n", SDD_EMALFORMED, "line 6: \"x\"");
    refused("vn 0\rvn \\\r 0\r\nvn 0 \\\r\n1\nv 0 0 x", SDD_EMALFORMED, "line 6: \"x\"");
}

/* DOS's mark and zeros at the end of a file are no part of it. */
static void test_ends(void **state)
{
    static const char ends[][12] = {"\x1a", "\n\x1a", "\n\x1a\x1a\n", "\n\x1a\0\0\0", "\0", "\n\0\0\n \0", " \x1a\r\n"};
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sdd_error err = {0};
        struct losses l = {.strict = true};
        struct mesh *m;
        int n = snprintf(text, sizeof text, "%s", QUAD "f 1 2 3 4");
        memcpy(text + n, ends[i], sizeof ends[i]);
        if (mesh_from_obj(text, (size_t)n + sizeof ends[i] - 1, &m, &l, &err))
            fail_msg("%zu: %s", i, err.text);
        assert_int_equal(m->n_faces, 1);
        mesh_free(m);
    }
    struct sdd_error err = {0};
    struct mesh *m;
    assert_int_equal(mesh_from_obj("v 0 0 0\n\0\0\nf 1 1 1", 20, &m, NULL, &err), SDD_EMALFORMED);
    assert_string_equal(err.text, "line 2: byte 0x00 is no text: this is a binary file or a damaged one, not OBJ");
}

static void test_uvs(void **state)
{
    (void)state;
    struct mesh *m = sample_obj(QUAD "vt 0 0\nvt 1\nvt 1 1 0\nvt 0 1\nf 1/1/9 2/-3/9 3/3 4/4");
    static const int32_t uv[] = {0, 1, 2, 3};
    assert_int_equal(m->n_uvs, 4);
    assert_memory_equal(m->uv_indices, uv, sizeof uv);
    assert_true(m->uvs[2] == 1 && m->uvs[3] == 0);
    mesh_free(m);
    m = sample_obj(QUAD "vt 0 0\nf 1 2 3 4"); /* values that no face uses are no UVs */
    assert_int_equal(m->n_uvs, 0);
    mesh_free(m);
}

static void test_tags(void **state)
{
    (void)state;
    struct mesh *m = sample_obj(QUAD "f 1 2 3 4\nt crease 2/1/0 1 0 2\nt crease 4/1/0 1 2 3 2 3.5\n"
                                     "t crease 4/3/0 0 1 2 3 1 5 6\nt corner 2/1/0 3 0 12\nt corner 2/2/0 1 2 0 4\n"
                                     "t hole 1/0/0 0\nt interpolateboundary 1/0/0 2\nt creasemethod 0/0/1 chaikin\n"
                                     "t facevaryinginterpolateboundary 1/0/0 5\nt smoothtriangles 0/0/1 smooth\n"
                                     "t facevaryingpropagatecorners 1/0/0 0\n");
    static const int32_t edges[] = {0, 1, 1, 2, 2, 3}, corners[] = {0, 2, 3};
    static const float sharp[] = {1, 5, 6}, corner_sharp[] = {10, 4, 10};
    assert_int_equal(m->n_creases, 3);
    assert_memory_equal(m->crease_edges, edges, sizeof edges);
    assert_memory_equal(m->crease_sharpness, sharp, sizeof sharp);
    assert_int_equal(m->n_corner_tags, 3);
    assert_memory_equal(m->corner_vertices, corners, sizeof corners);
    assert_memory_equal(m->corner_sharpness, corner_sharp, sizeof corner_sharp);
    assert_int_equal(m->n_holes, 1);
    assert_int_equal(m->options.boundary, SDD_BOUNDARY_EDGE_ONLY);
    assert_int_equal(m->options.fvar, SDD_FVAR_ALL);
    assert_int_equal(m->options.crease_method, SDD_CREASE_CHAIKIN);
    assert_int_equal(m->options.triangle_rule, SDD_TRIANGLE_SMOOTH);
    mesh_free(m);
}

static void test_tag_numbers(void **state)
{
    static const int boundary[] = {SDD_BOUNDARY_NONE, SDD_BOUNDARY_EDGE_AND_CORNER, SDD_BOUNDARY_EDGE_ONLY};
    static const int fvar[] = {SDD_FVAR_NONE,          SDD_FVAR_CORNERS_ONLY, SDD_FVAR_CORNERS_PLUS1,
                               SDD_FVAR_CORNERS_PLUS2, SDD_FVAR_BOUNDARIES,   SDD_FVAR_ALL};
    char text[200];
    (void)state;
    for (int i = 0; i < 6; i++) {
        (void)snprintf(text, sizeof text, "t interpolateboundary 1/0/0 %d\nt facevaryinginterpolateboundary 1/0/0 %d\n",
                       i % 3, i);
        struct mesh *m = sample_obj(text);
        assert_int_equal(m->options.boundary, boundary[i % 3]);
        assert_int_equal(m->options.fvar, fvar[i]);
        mesh_free(m);
    }
}

static void test_errors_name_the_line(void **state)
{
    (void)state;
    refused("v 0 0\n", SDD_EMALFORMED, "line 1: a coordinate is missing");
    refused("\n\nv 0 0 x\n", SDD_EMALFORMED, "line 3: \"x\" where a coordinate is wanted");
    refused("v 0 0 1e39", SDD_EMESH, "line 1: a coordinate does not fit");
    refused("v 0 0 0\nv 0 -NaN 0", SDD_EMESH, "line 2: a coordinate is not finite");
    refused("v 0 0 inf", SDD_EMESH, "line 1: a coordinate is not finite");
    refused("v 0 0 1.#QNAN", SDD_EMESH, "line 1: a coordinate is not finite");
    refused("v -1.#IND 0 0", SDD_EMESH, "line 1: a coordinate is not finite");
    refused("v 0 -nan(ind) 0", SDD_EMESH, "line 1: a coordinate is not finite");
    refused("v 0 0 2.#", SDD_EMALFORMED, "line 1: \"2.#\" where a coordinate");
    refused("v 0,5 1 2", SDD_EMALFORMED,
            "line 1: \"0,5\" where a coordinate is wanted; numbers have a point, and blanks between them");
    refused("v 0 0 info", SDD_EMALFORMED, "line 1: \"info\"");
    refused("v 0 0 -", SDD_EMALFORMED, "line 1: \"-\"");
    refused("v 0 0 " DIGITS DIGITS DIGITS DIGITS, SDD_EMALFORMED, "line 1: \"11111");
    refused("v 0 0 0\rv 0 0 x\r", SDD_EMALFORMED, "line 2: \"x\"");
    refused("v 0 0 0x1", SDD_EMALFORMED, "line 1: \"0x1\"");
    refused("v 0 \\\n 0", SDD_EMALFORMED, "line 2: a coordinate is missing");
    refused(QUAD "f 1 2\n", SDD_EMESH, "line 5: a face has 3 corners or more");
    refused(QUAD "f 0 1 2\n", SDD_EMESH, "line 5: vertex 0 does not exist");
    refused(QUAD "f 1 2 -5\n", SDD_EMESH, "line 5: vertex -5 does not exist; 4");
    refused(QUAD "f 1 2 3\nf 1 2 5\nf 1 2 3", SDD_EMESH, "line 6: vertex 5 does not exist; the file has 4");
    refused("f -1 -2 -3\n" QUAD, SDD_EMESH, "line 1: vertex -1 does not exist; 0 are defined so far");
    refused(QUAD "f 1\n", SDD_EMESH, "line 5: a face has 3 corners or more, this one has 1");
    refused(QUAD "f # 1 2 3\n", SDD_EMESH, "line 5: a face has 3 corners or more, this one has 0");
    refused(QUAD "f 1 2 99999999999999999999", SDD_EMALFORMED, "line 5");
    refused(QUAD "f 1 2 9999999999", SDD_EMESH, "line 5");
    refused(QUAD "f 1///  2 3", SDD_EMALFORMED, "line 5: \"1///\" where a face corner");
    refused(QUAD "f 1/x 2/y 3/z", SDD_EMALFORMED, "line 5: \"1/x\"");
    refused(QUAD "f 1//x 2 3", SDD_EMALFORMED, "line 5: \"1//x\"");
    refused(QUAD "f / 2 3", SDD_EMALFORMED, "line 5: \"/\"");
    refused(QUAD "f //1 2 3", SDD_EMALFORMED, "line 5: \"//1\"");
    refused(QUAD "f 1/1/1/1 2 3", SDD_EMALFORMED, "line 5");
    refused(QUAD "f 1,2,3", SDD_EMALFORMED, "line 5");
    refused("v", SDD_EMALFORMED, "line 1");
    refused("f", SDD_EMESH, "line 1");
    refused("v 0 0 \\", SDD_EMALFORMED, "line 2: a coordinate is missing");
}

static void test_tag_errors(void **state)
{
    (void)state;
    refused("t vertexedit 1/1/0 0 1", SDD_EUNSUPPORTED, "line 1: the tag \"vertexedit\" is not built");
    refused("\nt edgeedit 0/0/0", SDD_EUNSUPPORTED, "line 2");
    refused("t faceedit 0/0/0", SDD_EUNSUPPORTED, "faceedit");
    refused("t crease", SDD_EMALFORMED, "counts");
    refused("t crease 2/1", SDD_EMALFORMED, "counts");
    refused("t crease 2/1/0/1 0 1 2", SDD_EMALFORMED, "counts");
    refused("t crease -2/1/0", SDD_EMALFORMED, "counts");
    refused("t crease 2000000000/1/0 1", SDD_EMALFORMED, "counts");
    refused("t crease 2/1/0 0 1", SDD_EMALFORMED, "a tag's number is missing");
    refused("t crease 2/1/0 0 1.5 1", SDD_EMALFORMED, "\"1.5\" where a tag's integer");
    refused("t crease 2/1/0 0 1 2 3", SDD_EMALFORMED, "\"3\" is too much");
    refused("t crease 3/1/0 0 1 2 1", SDD_EMALFORMED, "3 integers and 1 floats");
    refused("t crease 0/1/0 1", SDD_EMALFORMED, "0 integers");
    refused("t crease 2/1/0 0 1 -1", SDD_EMESH, "creaseSharpnesses[0] is -1");
    refused("t corner 2/3/0 0 1 2 2 2", SDD_EMALFORMED, "corner with 2");
    refused("t hole 1/1/0 0 1", SDD_EMALFORMED, "hole with 1");
    refused("t interpolateboundary 1/0/0 3", SDD_EINVALID, "no value 3");
    refused("t interpolateboundary 0/0/1 x", SDD_EMALFORMED, "0 strings");
    refused("t interpolateboundary 0/0/0", SDD_EMALFORMED, "0 integers");
    refused("t creasemethod 0/0/1 soft", SDD_EINVALID, "no value \"soft\"");
    refused("t creasemethod 0/0/1", SDD_EINVALID, "no value \"\"");
    refused("t facevaryingpropagatecorners 1/0/0 1", SDD_EUNSUPPORTED, "not built");
}

/* Every prefix of a good file is read or refused, never more. */
static void test_prefixes(void **state)
{
    struct sdd_error err;
    char text[1024];
    (void)state;
    for (size_t n = 0; n <= strlen(sample_cube_obj); n++) {
        struct mesh *m;
        memcpy(text, sample_cube_obj, n);
        text[n] = 0;
        (void)read_exact(text, &m, &err);
        mesh_free(m);
    }
}

static void test_round_trip(void **state)
{
    void *text;
    size_t n;
    struct sdd_error err;
    struct mesh *back;
    (void)state;
    struct mesh *m = sample_cube();
    m->points[0] = 0.1f;
    m->points[1] = 1e-42f;
    m->points[2] = -3.4028235e38f;
    m->options = (struct sdd_options){SDD_SCHEME_LOOP,     SDD_BOUNDARY_NONE,  SDD_FVAR_BOUNDARIES,
                                      SDD_TRIANGLE_SMOOTH, SDD_CREASE_CHAIKIN, SDD_LEFT_HANDED};
    assert_int_equal(mesh_to_obj(m, &text, &n, NULL, &err), SDD_OK);
    assert_int_equal(mesh_from_obj(text, n, &back, NULL, &err), SDD_OK);
    back->options.scheme = SDD_SCHEME_LOOP; /* these two have no tag */
    back->options.orientation = SDD_LEFT_HANDED;
    sample_same(m, back);
    free(text);
    mesh_free(back);
    mesh_free(m);
}

static void test_positions(void **state)
{
    struct sdd_error err;
    struct positions *p;
    (void)state;
    assert_int_equal(positions_from_obj(sample_cube_obj, strlen(sample_cube_obj), &p, &err), SDD_OK);
    assert_int_equal(positions_check(p, 8, 1, &err), SDD_OK);
    assert_true(p->ranges[0].points[23] == 1);
    assert_int_equal(positions_check(p, 9, 1, &err), SDD_EMESH);
    assert_int_equal(positions_check(p, 9, 0, &err), SDD_OK);
    assert_int_equal(positions_check(p, 7, 0, &err), SDD_EMESH);
    positions_free(p);
    assert_int_equal(positions_from_obj("v 0 0", 5, &p, &err), SDD_EMALFORMED);
    assert_null(p);
}

/* A file of half a megabyte a time: reading is linear and fast. The bound is a tenth of what is usual, for busy
 * machines. */
static void test_speed(void **state)
{
    void *text;
    size_t n;
    struct sdd_error err;
    struct mesh *back;
    struct timespec a, b;
    (void)state;
    struct mesh *m = sample_grid(600, 600);
    assert_true(shared_touch(m->points, 0, (size_t)m->n_vertices * 12));
    for (int64_t i = 0; i < 3 * m->n_vertices; i++)
        m->points[i] = m->points[i] / 7 + 0.123f;
    assert_int_equal(mesh_to_obj(m, &text, &n, NULL, &err), SDD_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(mesh_from_obj(text, n, &back, NULL, &err), SDD_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    print_message("OBJ: %.1f MB in %.1f ms, %.0f MB/s\n", (double)n / 1e6, seconds * 1e3, (double)n / 1e6 / seconds);
    sample_same(m, back);
    assert_true(seconds < 3);
    free(text);
    mesh_free(back);
    mesh_free(m);
}

static void test_shared_files(void **state)
{
    static const char *const names[] = {
        "spot_quadrangulated", "spot_control_mesh", "suzanne", "fandisk", "beast", "cow", "stanford-bunny"};
    (void)state;
    if (!test_shared_dir()) {
        print_message("skipped: the folder of bigger meshes is not there\n");
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/data/%s.obj", test_shared_dir(), names[i]);
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        (void)fseek(f, 0, SEEK_END);
        size_t n = (size_t)ftell(f);
        rewind(f);
        char *text = malloc(n);
        assert_int_equal(fread(text, 1, n, f), n);
        (void)fclose(f);
        struct sdd_error err = {0};
        struct mesh *m;
        if (mesh_from_obj(text, n, &m, NULL, &err))
            fail_msg("%s: %s", names[i], err.text);
        assert_true(m->n_faces > 0);
        assert_int_equal(mesh_check_indices(m, &err), SDD_OK);
        mesh_free(m);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces),      cmocka_unit_test(test_empty_slots),
        cmocka_unit_test(test_ends),       cmocka_unit_test(test_mixed_line_ends),
        cmocka_unit_test(test_line_ends),  cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_tags),       cmocka_unit_test(test_tag_numbers),
        cmocka_unit_test(test_tag_errors), cmocka_unit_test(test_errors_name_the_line),
        cmocka_unit_test(test_prefixes),   cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_positions),  cmocka_unit_test(test_speed),
        cmocka_unit_test(test_stop),       cmocka_unit_test(test_shared_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
