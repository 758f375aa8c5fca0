/* SPDX-License-Identifier: Apache-2.0 */
/* subd pushes files of other formats through libassimp, welded, and binary USD through usdcat. Where libassimp is not
 * there its tests skip. */
#include "tests/env.h"
#include "tests/http/imports.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The cube of quads with colours, as PLY: 0 text, 1 little-endian, 2 big-endian. */
static void write_ply(const char *name, int form)
{
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    FILE *f = import_create(name);
    fprintf(f,
            "ply\nformat %s 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
            "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 6\n"
            "property list uchar int vertex_indices\nend_header\n",
            forms[form]);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++)
            form ? import_put(f, &import_points[i][k], 4, form == 2)
                 : (void)fprintf(f, "%g ", (double)import_points[i][k]);
        form ? (void)fprintf(f, "%c%c%c", 255, i, 51) : (void)fprintf(f, "255 %d 51\n", i);
    }
    for (int i = 0; i < 6; i++) {
        form ? (void)fputc(4, f) : (void)fprintf(f, "4");
        for (int k = 0; k < 4; k++)
            form ? import_put(f, &import_quads[i][k], 4, form == 2) : (void)fprintf(f, " %d", import_quads[i][k]);
        if (!form)
            fputc('\n', f);
    }
    assert_int_equal(fclose(f), 0);
}

static void write_quads(const char *name)
{
    FILE *f = import_create(name);
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %g %g %g\n", (double)import_points[i][0], (double)import_points[i][1],
                (double)import_points[i][2]);
    for (int i = 0; i < 6; i++)
        fprintf(f, "f %d %d %d %d\n", import_quads[i][0] + 1, import_quads[i][1] + 1, import_quads[i][2] + 1,
                import_quads[i][3] + 1);
    assert_int_equal(fclose(f), 0);
}

/* The same triangles as OBJ, whose vertices come in the order in which the triangles use them. */
static void write_triangles(const char *name)
{
    FILE *f = import_create(name);
    int row[8] = {0}, n = 0, faces[12][3];
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) {
            const float *p = import_corner(i, k);
            const long v = (p - import_points[0]) / 3;
            if (!row[v]) {
                row[v] = ++n;
                fprintf(f, "v %g %g %g\n", (double)p[0], (double)p[1], (double)p[2]);
            }
            faces[i][k] = row[v];
        }
    for (int i = 0; i < 12; i++)
        fprintf(f, "f %d %d %d\n", faces[i][0], faces[i][1], faces[i][2]);
    assert_int_equal(fclose(f), 0);
}

static int start(void **state)
{
    import_start(state);
    write_quads("quads.obj");
    write_ply("text.ply", 0);
    write_ply("little.ply", 1);
    write_ply("big.ply", 2);
    write_triangles("triangles.obj");
    return 0;
}

#define NEED_ASSIMP()                                                                                                  \
    do {                                                                                                               \
        (void)state;                                                                                                   \
        if (import_skips())                                                                                            \
            skip();                                                                                                    \
    } while (0)

static void same_array(const cJSON *a, const cJSON *b, const char *key)
{
    assert_int_equal(length(a, key), length(b, key));
    for (int i = 0; i < length(a, key); i++)
        assert_true(number(a, key, i) == number(b, key, i));
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Quads stay quads, in the order of the file; 255 of a colour is 1. */
static void test_ply(void **state)
{
    static const char *const files[] = {"text.ply", "little.ply", "big.ply"};
    cJSON *obj;
    (void)state;
    obj = PUSH(NULL, "quads.obj");
    for (int i = 0; i < 3; i++) {
        char *told;
        cJSON *cage = PUSH(&told, files[i]);
        const cJSON *colour = primvar(cage, "displayColor");
        assert_string_equal(told, "");
        free(told);
        same_array(cage, obj, "points");
        same_array(cage, obj, "faceVertexCounts");
        same_array(cage, obj, "faceVertexIndices");
        assert_non_null(colour);
        assert_string_equal(word(colour, "interpolation"), "vertex");
        assert_int_equal(length(colour, "values"), 24);
        for (int v = 0; v < 8; v++) {
            assert_true(number(colour, "values", 3 * v) == 1);
            assert_true(fabs(number(colour, "values", 3 * v + 1) - v / 255.0) < 1e-7);
            assert_true(fabs(number(colour, "values", 3 * v + 2) - 0.2) < 1e-7);
        }
        assert_null(primvar(cage, "materialBind"));
        cJSON_Delete(cage);
    }
    cJSON_Delete(obj);
}

/* PLY as subd writes it has a UV for each corner: those that are equal at a vertex are shared again, as glTF has them,
 * so that the seams are the same ones. */
static void test_ply_uvs(void **state)
{
    static const char *const levels[] = {"1", "2", "3"};
    char shape[300];
    NEED_ASSIMP();
    snprintf(shape, sizeof shape, "%s/uv_seam.obj", test_shapes_dir());
    for (int i = 0; i < 3; i++) {
        cJSON *ply, *glb;
        ran_expect(RUN("refine", shape, "--level", levels[i], "-o", "seam.ply"), 0);
        ran_expect(RUN("refine", shape, "--level", levels[i], "-o", "seam.glb"), 0);
        ply = PUSH(NULL, "seam.ply");
        glb = PUSH(NULL, "seam.glb");
        assert_int_equal(length(ply, "points"), length(glb, "points"));
        assert_int_equal(length(ply, "faceVertexCounts") * 2, length(glb, "faceVertexCounts"));
        assert_int_equal(length(ply, "st"), length(glb, "st"));
        assert_true(length(ply, "st") / 2 < length(ply, "faceVertexIndices"));
        cJSON_Delete(ply);
        ply = PUSH(NULL, "seam.ply", "--no-weld");
        assert_int_equal(length(ply, "st"), length(glb, "st"));
        cJSON_Delete(ply);
        cJSON_Delete(glb);
    }
}

/* What is no part of a mesh is named; lines are no faces. */
static void test_ply_left_out(void **state)
{
    char *told;
    cJSON *cage;
    (void)state;
    write_text(served.dir, "more.ply",
               "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty double x\r\nproperty double y\r\n"
               "property double z\r\nproperty float nx\r\nproperty float quality\r\nproperty uchar red\r\n"
               "property uchar green\r\nproperty uchar blue\r\nproperty uchar alpha\r\nproperty float s\r\n"
               "property float t\r\nelement face 2\r\nproperty list uchar int vertex_index\r\nproperty int flags\r\n"
               "element edge 1\r\nproperty int vertex1\r\nend_header\r\n0 0 0 1 7 0 0 255 51 0 0\r\n"
               "1 0 0 1 7 0 0 0 255 1 0\r\n1 1 0 1 7 0 0 0 255 1 1\r\n0 1 0 1 7 0 0 0 255 0 1\r\n2 0 1 5\r\n"
               "4 0 1 2 3 6\r\n3\r\n");
    cage = PUSH(&told, "more.ply");
    assert_non_null(strstr(told, "1 faces of less than three corners are left out"));
    import_tells(told, "left out: quality, flags, element edge");
    assert_int_equal(length(cage, "faceVertexCounts"), 1);
    assert_int_equal(length(cage, "st"), 8);
    assert_true(number(primvar(cage, "displayColor"), "values", 2) == 1);
    assert_true(fabs(number(primvar(cage, "displayOpacity"), "values", 0) - 0.2) < 1e-7);
    cJSON_Delete(cage);
    ran_expect(shell_run(served.dir,
                         "subd push more.ply --strict 2>err; test $? = 2 && grep -q 'which --strict refuses' err &&"
                         "subd push text.ply --strict &&"
                         "subd refine more.ply text.ply --strict --out-dir both >some; grep -q '^1 of 2' some"),
               0);
    write_text(served.dir, "twice.ply",
               "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement vertex 9\nproperty float x\n"
               "end_header\n1\n");
    ran_fails(RUN("push", "twice.ply"), 6, "twice.ply is damaged: its head has element vertex twice");
    write_text(served.dir, "lists.ply",
               "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 1\nproperty list uchar int vertex_index\nproperty list uchar int vertex_indices\n"
               "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 3 0 1 2\n");
    ran_fails(RUN("push", "lists.ply"), 6, "lists.ply is damaged: its faces have two lists of vertices");
}

/* From stdin and without an ending the first bytes say what it is. */
static void test_first_bytes(void **state)
{
    NEED_ASSIMP();
    ran_expect(shell_run(served.dir, "set -e; cp little.ply ply; cp big.ply ply.dat\n"
                                     "refine() { subd refine $1 --level 2 -o out.obj; sed -n '/^[#o]/!s/^\\(v [^ ]* [^ "
                                     "]* [^ ]*\\).*/\\1/p' out.obj >$2.lines; }\n"
                                     "refine text.ply a; refine - b <big.ply; refine ./ply c; refine ply.dat e\n"
                                     "cmp a.lines b.lines; cmp a.lines c.lines; cmp a.lines e.lines"),
               0);
}

/* A welded STL is refined as the OBJ of its triangles, bit for bit. */
static void test_stl(void **state)
{
    NEED_ASSIMP();
    ran_expect(
        shell_run(served.dir,
                  "set -e\nfor f in text.stl binary.stl triangles.obj; do\n"
                  "subd refine $f --level 3 -o out.obj 2>err; grep -v '^[#o]' out.obj >$f.lines; cp err $f.err; done\n"
                  "test $(grep -c '^v' triangles.obj.lines) -gt 100\n"
                  "cmp text.stl.lines triangles.obj.lines; cmp binary.stl.lines triangles.obj.lines\n"
                  "grep -q '36 vertices are welded into 8 by their positions; --no-weld' text.stl.err\n"
                  "test ! -s triangles.obj.err"),
        0);
}

static void test_off(void **state)
{
    char *told;
    cJSON *cage;
    FILE *f;
    NEED_ASSIMP();
    f = import_create("cube.off");
    fprintf(f, "OFF\n8 6 12\n");
    for (int i = 0; i < 8; i++)
        fprintf(f, "%g %g %g\n", (double)import_points[i][0], (double)import_points[i][1], (double)import_points[i][2]);
    for (int i = 0; i < 6; i++)
        fprintf(f, "4 %d %d %d %d\n", import_quads[i][0], import_quads[i][1], import_quads[i][2], import_quads[i][3]);
    assert_int_equal(fclose(f), 0);
    cage = PUSH(&told, "cube.off");
    free(told);
    assert_int_equal(length(cage, "faceVertexCounts"), 6);
    assert_int_equal(length(cage, "faceVertexIndices"), 24);
    assert_int_equal(length(cage, "points"), 24);
    cJSON_Delete(cage);
}

/* What subd writes as glTF it reads again: triangles, UVs and their seams, in metres and Y-up. */
static void test_glb(void **state)
{
    cJSON *cage;
    char shape[300];
    NEED_ASSIMP();
    snprintf(shape, sizeof shape, "%s/uv_seam.obj", test_shapes_dir());
    ran_expect(RUN("refine", shape, "--level", "1", "-o", "seam.glb"), 0);
    cage = PUSH(NULL, "seam.glb");
    struct ran r = RUN("refine", shape, "--level", "1", "--json");
    cJSON *frame = ran_json(r, 0);
    assert_int_equal(length(cage, "points") / 3, (int)member(frame, "vertices")->valuedouble);
    assert_int_equal(length(cage, "faceVertexCounts"), 2 * (int)member(frame, "faces")->valuedouble);
    assert_true(length(cage, "st") > length(cage, "points") / 3 * 2);
    assert_int_equal(length(cage, "stIndices"), length(cage, "faceVertexIndices"));
    assert_string_equal(word(cage, "upAxis"), "Y");
    assert_true(member(cage, "metersPerUnit")->valuedouble == 1);
    cJSON_Delete(frame);
    cJSON_Delete(cage);
}

static const char *shape(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/imports/%s", test_shapes_dir(), name);
    return path;
}

static void has_sets(const cJSON *cage, const char *a, const char *b)
{
    const cJSON *p = primvar(cage, "materialBind"), *names;
    assert_non_null(p);
    names = member(p, "setNames");
    assert_int_equal(cJSON_GetArraySize(names), 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(names, 0)), a);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(names, 1)), b);
    for (int i = 0; i < 6; i++)
        assert_true(number(p, "values", i) == (i < 3 ? 1 : 2));
}

/* Two parts of one node are one mesh of quads; units are a file's own. */
static void test_fbx(void **state)
{
    char *told;
    cJSON *cage;
    NEED_ASSIMP();
    cage = PUSH(&told, shape("two.fbx"), "--prim", "Crate");
    import_tells(told, "24 vertices are welded into 8 by their positions, UVs are kept for each corner");
    assert_int_equal(length(cage, "faceVertexCounts"), 6);
    assert_int_equal(length(cage, "points"), 24);
    assert_int_equal(length(cage, "stIndices"), 24);
    has_sets(cage, "Wood", "Iron");
    assert_string_equal(word(cage, "upAxis"), "Y");
    assert_true(member(cage, "metersPerUnit")->valuedouble == 0.01);
    assert_true(number(cage, "transform", 0) == 100);
    assert_true(number(cage, "transform", 12) == 100);
    assert_true(number(cage, "transform", 13) == 300);
    assert_true(number(cage, "transform", 14) == -200);
    cJSON_Delete(cage);
}

static void test_dae(void **state)
{
    cJSON *cage;
    NEED_ASSIMP();
    cage = PUSH(NULL, shape("crate.dae"));
    assert_int_equal(length(cage, "faceVertexCounts"), 6);
    assert_int_equal(length(cage, "points"), 24);
    has_sets(cage, "Wood", "Iron");
    assert_true(number(cage, "transform", 13) == 3);
    assert_true(number(cage, "transform", 14) == -2);
    cJSON_Delete(cage);
}

static void test_3ds(void **state)
{
    cJSON *cage;
    NEED_ASSIMP();
    cage = PUSH(NULL, shape("crate.3ds"), "--prim", "Crate_Crate-mesh_0");
    assert_int_equal(length(cage, "faceVertexCounts"), 6);
    assert_int_equal(length(primvar(cage, "materialBind"), "setNames"), 1);
    cJSON_Delete(cage);
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static void test_scene(void **state)
{
    const int before = import_meshes();
    struct ran r;
    cJSON *o;
    NEED_ASSIMP();
    ran_fails(RUN("push", shape("two.fbx")), 2,
              "has 2 meshes (/Crate: 24 vertices, 6 faces; /Lid: 5 vertices, 1 faces): ask for one by its path (--prim "
              "PATH)");
    ran_fails(RUN("push", shape("two.fbx"), "--prim", "/Lad"), 2, "has no one mesh /Lad; it has 2 (/Crate: ");
    ran_fails(RUN("push", shape("two.fbx"), "--all", "--name", "x"), 2, "--all goes without");
    assert_int_equal(import_meshes(), before);
    r = RUN("push", shape("two.fbx"), "--prim", "/Lid", "--json");
    o = ran_json(r, 0);
    assert_int_equal((int)member(o, "vertices")->valuedouble, 5);
    assert_string_equal(word(o, "name"), "two");
    cJSON_Delete(o);
    o = ran_json(RUN("push", shape("two.fbx"), "--all", "--json"), 0);
    assert_int_equal(length(o, "meshes"), 2);
    assert_string_equal(cJSON_GetStringValue(member(cJSON_GetArrayItem(member(o, "meshes"), 1), "name")), "/Lid");
    cJSON_Delete(o);
    assert_int_equal(import_meshes(), before + 3);
}

/* One mesh of several that is refused does not stop the others. */
static void test_all_goes_on(void **state)
{
    const int before = import_meshes();
    cJSON *o;
    NEED_ASSIMP();
    o = ran_json(RUN("push", shape("two.fbx"), "--all", "--scheme", "loop", "--json"), 4);
    cJSON_Delete(o);
    assert_int_equal(import_meshes(), before);
    write_text(served.dir, "mixed.off", "OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    ran_expect(RUN("push", "mixed.off", "--all", "--scheme", "loop"), 0);
    assert_int_equal(import_meshes(), before + 1);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void test_damaged(void **state)
{
    NEED_ASSIMP();
    write_text(served.dir, "short.ply",
               "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n");
    write_text(served.dir, "index.ply",
               "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 9\n");
    write_text(served.dir, "cloud.ply",
               "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
               "end_header\n0 0 0\n1 0 0\n");
    write_text(served.dir, "typo.ply",
               "ply\nformat ascii 1.0\nelement vertex 3\nprope7ty float x\nproperty float y\nend_header\n0 0\n1 0\n");
    write_text(served.dir, "empty.glb", "");
    write_text(served.dir, "is.fbx", "not FBX at all");
    write_text(served.dir, "some.abc", "Ogawa");
    ran_fails(RUN("push", "short.ply"), 6,
              "short.ply is damaged: it ends within row 2 of the 8 that its head promises of element vertex");
    write_text(served.dir, "head.ply", "ply\nformat binary_little_endian 1.0\ncomment");
    ran_fails(RUN("push", "head.ply"), 6, "head.ply is damaged: it ends within its head, without end_header");
    ran_fails(RUN("push", "typo.ply"), 6,
              "typo.ply is damaged: line 4 of its head begins with \"prope7ty\", which PLY does not have");
    ran_expect(shell_run(served.dir,
                         "for f in text little big; do head -c -3 $f.ply >cut.ply; subd push cut.ply 2>err;\n"
                         "test $? = 6 && grep -q 'cut.ply is damaged: it ends within row 6 of the 6' err ||\n"
                         "exit 9; done; subd refine cube.obj -o x.glb && head -c -9 x.glb >cut.glb &&\n"
                         "subd push cut.glb 2>err; test $? = 6 && grep -q 'cut.glb is damaged: its head' err"),
               0);
    write_text(served.dir, "vertices.off", "OFF # x\n\n200000000 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    write_text(served.dir, "faces.off", "OFF 3 2 0\n0 0 0\n1 0 0\n# 0 1 0\n0 1 0\n3 0 1 2\n");
    ran_fails(
        RUN("push", "vertices.off"), 6,
        "vertices.off is damaged: its head promises 200,000,000 vertices and 1 faces, and it has 29 bytes behind");
    ran_fails(RUN("push", "faces.off"), 6,
              "faces.off is damaged: it ends where the number of a face's vertices is wanted");
    ran_fails(RUN("push", "index.ply"), 6, "index.ply is damaged: face 0 uses vertex 9, and there are 3");
    ran_fails(RUN("push", "cloud.ply"), 6, "cloud.ply");
    ran_fails(RUN("push", "empty.glb"), 6, "empty.glb is empty");
    ran_fails(RUN("push", "is.fbx"), 6, "is.fbx cannot be read as .fbx: ");
    ran_fails(RUN("push", "none.ply"), 6, "none.ply cannot be read: No such file");
    ran_fails(RUN("refine", "none.glb", "-o", "x.obj"), 6, "none.glb cannot be read: No such file");
    ran_fails(RUN("push", "some.abc"), 6, "some.abc is Alembic, which subd does not read");
}

/* A library that cannot be opened stands before the one of the system. */
static void test_no_library(void **state)
{
    (void)state;
    ran_expect(shell_run(served.dir,
                         "mkdir -p no && echo text >no/libassimp.so.5 && cp no/libassimp.so.5 no/libassimp.so.6\n"
                         "LD_LIBRARY_PATH=$PWD/no subd push text.stl 2>err; test $? = 6 || exit 9\n"
                         "grep -q 'reading .stl needs libassimp' err && grep -q 'apt install libassimp' err &&"
                         "LD_LIBRARY_PATH=$PWD/no subd push cube.obj"),
               0);
}

/* ---- binary USD -------------------------------------------------------------------------------------------------- */

static const char usda[] =
    "#usda 1.0\ndef Mesh \"Quad\" { int[] faceVertexCounts = [4] int[] faceVertexIndices = [0, 1, "
    "2, 3] point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)] }\n";

static void write_usdcat(const char *script)
{
    char path[200];
    FILE *f;
    snprintf(path, sizeof path, "%s/bin", served.dir);
    mkdir(path, 0777);
    f = import_create("bin/usdcat");
    fprintf(f, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    snprintf(path, sizeof path, "%s/bin/usdcat", served.dir);
    assert_int_equal(chmod(path, 0755), 0);
}

static void test_usdcat(void **state)
{
    (void)state;
    write_text(served.dir, "text.usda", usda);
    write_text(served.dir, "text.usd", usda);
    write_text(served.dir, "a.usdc", "PXR-USDC????");
    write_text(served.dir, "a b;.usd", "PXR-USDC????");
    write_text(served.dir, "a.usdz", "PK\3\4");
    write_usdcat("[ \"$1\" = --flatten ] && [ -f \"$2\" ] && [ $# = 2 ] && exec cat text.usda");
    ran_expect(shell_run(served.dir, "export PATH=$PWD/bin:$PATH; for f in a.usdc 'a b;.usd' a.usdz text.usd; do\n"
                                     "subd show $(subd push \"$f\") | grep -q '4 vertices, 1 face' || exit 9; done"),
               0);
    write_usdcat("echo 'cannot open layer' >&2; exit 1");
    ran_expect(shell_run(served.dir, "PATH=$PWD/bin:$PATH; subd push a.usdc 2>err; test $? = 6 &&"
                                     "grep -q 'a.usdc cannot be read by usdcat: cannot open layer' err"),
               0);
    ran_expect(shell_run(served.dir,
                         "bin=$(dirname $(command -v subd)); PATH=$bin; subd push a.usdc 2>err; code=$?\n"
                         "PATH=/usr/bin:/bin; test $code = 6 && grep -q 'a.usdc is binary USD, which subd reads "
                         "through OpenUSD.s usdcat, and there is none on PATH' err"),
               0);
    ran_fails(spawn_subd(served.dir, (const char *const[]){"push", "-", NULL}, "PXR-USDC????"), 6,
              "binary USD is read from a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ply),         cmocka_unit_test(test_ply_uvs),    cmocka_unit_test(test_ply_left_out),
        cmocka_unit_test(test_first_bytes), cmocka_unit_test(test_stl),        cmocka_unit_test(test_off),
        cmocka_unit_test(test_glb),         cmocka_unit_test(test_fbx),        cmocka_unit_test(test_dae),
        cmocka_unit_test(test_3ds),         cmocka_unit_test(test_scene),      cmocka_unit_test(test_all_goes_on),
        cmocka_unit_test(test_damaged),     cmocka_unit_test(test_no_library), cmocka_unit_test(test_usdcat),
    };
    return cmocka_run_group_tests(tests, start, import_stop);
}
