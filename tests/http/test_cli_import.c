/* SPDX-License-Identifier: Apache-2.0 */
/* subd pushes files of other formats through libassimp, welded, and binary USD through usdcat. Where libassimp is absent
 * its tests skip. */
#include "tests/env.h"
#include "tests/http/cli_run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static struct daemon d;
static int has_assimp;

/* Runs subd; a name with an ending is that of a file in the daemon's folder. */
static struct ran run(const char *const *arguments)
{
    static char paths[8][200];
    const char *full[9] = {0};
    for (int i = 0; arguments[i]; i++) {
        assert_true(i < 8);
        snprintf(paths[i], sizeof paths[i], "%s/%s", d.dir, arguments[i]);
        full[i] = strchr(arguments[i], '.') && !strchr(arguments[i], '/') && !strchr("0123456789", *arguments[i])
                      ? paths[i]
                      : arguments[i];
    }
    return spawn_subd(d.dir, full, NULL);
}

/* A cube of quads, and its triangles. */
static const float points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static FILE *create(const char *name, char path[200])
{
    FILE *f;
    snprintf(path, 200, "%s/%s", d.dir, name);
    assert_non_null(f = fopen(path, "w"));
    return f;
}

static void put(FILE *f, const void *value, size_t bytes, int big_endian)
{
    for (size_t i = 0; i < bytes; i++)
        fputc(((const unsigned char *)value)[big_endian ? bytes - 1 - i : i], f);
}

/* The cube of quads with colours, as PLY: 0 text, 1 little-endian, 2 big-endian. */
static void write_ply(const char *name, int form)
{
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char path[200];
    FILE *f = create(name, path);
    fprintf(f,
            "ply\nformat %s 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
            "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 6\n"
            "property list uchar int vertex_indices\nend_header\n",
            forms[form]);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++)
            form ? put(f, &points[i][k], 4, form == 2) : (void)fprintf(f, "%g ", (double)points[i][k]);
        form ? (void)fprintf(f, "%c%c%c", 255, i, 51) : (void)fprintf(f, "255 %d 51\n", i);
    }
    for (int i = 0; i < 6; i++) {
        form ? (void)fputc(4, f) : (void)fprintf(f, "4");
        for (int k = 0; k < 4; k++)
            form ? put(f, &quads[i][k], 4, form == 2) : (void)fprintf(f, " %d", quads[i][k]);
        if (!form)
            fputc('\n', f);
    }
    assert_int_equal(fclose(f), 0);
}

/* Corner k of triangle i, each quad being two. */
static const float *corner(int i, int k)
{
    static const int of[2][3] = {{0, 1, 2}, {0, 2, 3}};
    return points[quads[i / 2][of[i % 2][k]]];
}

static void write_stl(const char *name, int binary, float shake)
{
    char path[200];
    FILE *f = create(name, path);
    const float zero[3] = {0};
    const int n = 12;
    fprintf(f, binary ? "%-80s" : "solid cube\n", "");
    if (binary)
        put(f, &n, 4, 0);
    for (int i = 0; i < n; i++) {
        binary ? put(f, zero, 12, 0) : (void)fprintf(f, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                const float x = corner(i, k)[j] + shake * (float)((i * 7 + k * 3 + j) % 5);
                binary ? put(f, &x, 4, 0)
                       : (void)fprintf(f, "%s%.9g%s", j ? " " : "vertex ", (double)x, j == 2 ? "\n" : "");
            }
        binary ? put(f, zero, 2, 0) : (void)fprintf(f, "endloop\nendfacet\n");
    }
    if (!binary)
        fprintf(f, "endsolid cube\n");
    assert_int_equal(fclose(f), 0);
}

static void write_quads(const char *name)
{
    char path[200];
    FILE *f = create(name, path);
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %g %g %g\n", (double)points[i][0], (double)points[i][1], (double)points[i][2]);
    for (int i = 0; i < 6; i++)
        fprintf(f, "f %d %d %d %d\n", quads[i][0] + 1, quads[i][1] + 1, quads[i][2] + 1, quads[i][3] + 1);
    assert_int_equal(fclose(f), 0);
}

/* The same triangles as OBJ, whose vertices come in the order in which the triangles use them. */
static void write_triangles(const char *name)
{
    char path[200];
    FILE *f = create(name, path);
    int row[8] = {0}, n = 0, faces[12][3];
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) {
            const float *p = corner(i, k);
            const long v = (p - points[0]) / 3;
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
    struct ran r;
    (void)state;
    cli_daemon_start(&d);
    write_quads("quads.obj");
    write_ply("text.ply", 0);
    write_ply("little.ply", 1);
    write_ply("big.ply", 2);
    write_stl("text.stl", 0, 0);
    write_stl("binary.stl", 1, 0);
    write_stl("shaken.stl", 0, 1e-4f);
    write_triangles("triangles.obj");
    r = RUN("push", "text.ply");
    has_assimp = !strstr(r.err, "needs libassimp");
    if (!has_assimp)
        print_message("skipped: subd reads none of these formats here: %s", r.err);
    ran_free(&r);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

#define NEED_ASSIMP()                                                                                                  \
    do {                                                                                                               \
        (void)state;                                                                                                   \
        if (!has_assimp)                                                                                               \
            skip();                                                                                                    \
    } while (0)

/* Pushes with the arguments (NULL-terminated), and brings the control mesh back. *told gets stderr. */
static cJSON *push(const char *const *arguments, char **told)
{
    struct ran r = run(arguments);
    char id[64];
    cJSON *cage;
    snprintf(id, sizeof id, "%.*s", (int)strcspn(r.out, "\n"), r.out);
    if (told)
        assert_non_null(*told = strdup(r.err));
    ran_expect(r, 0);
    r = RUN("pull", id, "-o", "cage.json");
    ran_expect(r, 0);
    char path[200], *text;
    snprintf(path, sizeof path, "%s/cage.json", d.dir);
    assert_non_null(text = slurp(path, NULL));
    assert_non_null(cage = cJSON_Parse(text));
    free(text);
    return cage;
}
#define PUSH(told, ...) push((const char *const[]){"push", __VA_ARGS__, NULL}, told)

static const cJSON *member(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (!v)
        fail_msg("no %s", key);
    return v;
}

static int length(const cJSON *o, const char *key)
{
    return cJSON_GetArraySize(member(o, key));
}

static double number(const cJSON *o, const char *key, int i)
{
    const cJSON *v = cJSON_GetArrayItem(member(o, key), i);
    assert_true(cJSON_IsNumber(v));
    return v->valuedouble;
}

static const cJSON *primvar(const cJSON *cage, const char *name)
{
    const cJSON *p;
    cJSON_ArrayForEach(p, member(cage, "primvars"))
    {
        if (strcmp(cJSON_GetStringValue(member(p, "name")), name) == 0)
            return p;
    }
    return NULL;
}

static void tells(char *told, const char *says)
{
    if (!strstr(told, says))
        fail_msg("\"%s\" does not say \"%s\"", told, says);
    free(told);
}

static void same_array(const cJSON *a, const cJSON *b, const char *key)
{
    assert_int_equal(length(a, key), length(b, key));
    for (int i = 0; i < length(a, key); i++)
        assert_true(number(a, key, i) == number(b, key, i));
}

static int n_meshes(void)
{
    cJSON *o = ran_json(RUN("ls", "--json"), 0);
    int n = length(o, "meshes");
    cJSON_Delete(o);
    return n;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Quads stay quads, in the order of the file; 255 of a colour is 1. */
static void test_ply(void **state)
{
    static const char *const files[] = {"text.ply", "little.ply", "big.ply"};
    cJSON *obj;
    NEED_ASSIMP();
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
        assert_string_equal(cJSON_GetStringValue(member(colour, "interpolation")), "vertex");
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

/* From stdin and without an ending the first bytes say what it is. */
static void test_first_bytes(void **state)
{
    NEED_ASSIMP();
    ran_expect(shell_run(d.dir, "set -e; cp little.ply ply; cp big.ply ply.dat\n"
                                "refine() { subd refine $1 --level 2 -o out.obj; grep -v '^[#o]' out.obj >$2.lines; }\n"
                                "refine quads.obj a; refine - b <big.ply; refine ./ply c; refine ply.dat e\n"
                                "cmp a.lines b.lines; cmp a.lines c.lines; cmp a.lines e.lines"),
               0);
}

/* A welded STL is refined as the OBJ of its triangles, bit for bit. */
static void test_stl(void **state)
{
    NEED_ASSIMP();
    ran_expect(
        shell_run(d.dir,
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
    char *told, path[200];
    cJSON *cage;
    FILE *f;
    NEED_ASSIMP();
    f = create("cube.off", path);
    fprintf(f, "OFF\n8 6 12\n");
    for (int i = 0; i < 8; i++)
        fprintf(f, "%g %g %g\n", (double)points[i][0], (double)points[i][1], (double)points[i][2]);
    for (int i = 0; i < 6; i++)
        fprintf(f, "4 %d %d %d %d\n", quads[i][0], quads[i][1], quads[i][2], quads[i][3]);
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
    assert_string_equal(cJSON_GetStringValue(member(cage, "upAxis")), "Y");
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
    tells(told, "24 vertices are welded into 8 by their positions, UVs are kept for each corner");
    assert_int_equal(length(cage, "faceVertexCounts"), 6);
    assert_int_equal(length(cage, "points"), 24);
    assert_int_equal(length(cage, "stIndices"), 24);
    has_sets(cage, "Wood", "Iron");
    assert_string_equal(cJSON_GetStringValue(member(cage, "upAxis")), "Y");
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
    const int before = n_meshes();
    struct ran r;
    cJSON *o;
    NEED_ASSIMP();
    ran_fails(RUN("push", shape("two.fbx")), 2,
              "has 2 meshes: /Crate (24 vertices, 6 faces), /Lid (5 vertices, 1 faces); take one with --prim PATH");
    ran_fails(RUN("push", shape("two.fbx"), "--prim", "/Lad"), 2, "has no one mesh /Lad; it has /Crate (");
    ran_fails(RUN("push", shape("two.fbx"), "--all", "--name", "x"), 2, "--all goes without");
    assert_int_equal(n_meshes(), before);
    r = RUN("push", shape("two.fbx"), "--prim", "/Lid", "--json");
    o = ran_json(r, 0);
    assert_int_equal((int)member(o, "vertices")->valuedouble, 5);
    assert_string_equal(cJSON_GetStringValue(member(o, "name")), "two");
    cJSON_Delete(o);
    o = ran_json(RUN("push", shape("two.fbx"), "--all", "--json"), 0);
    assert_int_equal(length(o, "meshes"), 2);
    assert_string_equal(cJSON_GetStringValue(member(cJSON_GetArrayItem(member(o, "meshes"), 1), "name")), "/Lid");
    cJSON_Delete(o);
    assert_int_equal(n_meshes(), before + 3);
}

/* One mesh of several that is refused does not stop the others. */
static void test_all_goes_on(void **state)
{
    const int before = n_meshes();
    cJSON *o;
    NEED_ASSIMP();
    o = ran_json(RUN("push", shape("two.fbx"), "--all", "--scheme", "loop", "--json"), 4);
    cJSON_Delete(o);
    assert_int_equal(n_meshes(), before);
    write_text(d.dir, "mixed.off", "OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    ran_expect(RUN("push", "mixed.off", "--all", "--scheme", "loop"), 0);
    assert_int_equal(n_meshes(), before + 1);
}

/* ---- welding ----------------------------------------------------------------------------------------------------- */

static void test_no_weld(void **state)
{
    char *told;
    cJSON *cage;
    NEED_ASSIMP();
    cage = PUSH(&told, "text.stl", "--no-weld");
    assert_int_equal(length(cage, "points"), 3 * 36);
    tells(told, "the mesh looks unwelded: 36 of its 36 vertices at open edges");
    cJSON_Delete(cage);
    ran_fails(RUN("push", "text.stl", "--no-weld", "--weld", "1"), 2, "contradict");
    ran_fails(RUN("push", "text.stl", "--weld", "-1"), 2, "it takes a distance in the mesh's units");
    ran_fails(RUN("push", "text.stl", "--weld", "nan"), 2, "it takes a distance");
}

/* Within a distance the first vertex of the file stays where it is. */
static void test_weld_distance(void **state)
{
    cJSON *cage;
    NEED_ASSIMP();
    cage = PUSH(NULL, "shaken.stl");
    assert_true(length(cage, "points") > 3 * 8);
    cJSON_Delete(cage);
    cage = PUSH(NULL, "shaken.stl", "--weld", "0.001");
    assert_int_equal(length(cage, "points"), 3 * 8);
    for (int i = 0; i < 3; i++)
        assert_true((float)number(cage, "points", i) == corner(0, 0)[i] + 1e-4f * (float)i);
    cJSON_Delete(cage);
}

/* Faces that fall together go, and those that lose a corner stay; values of what is gone go with it. */
static void test_collapse(void **state)
{
    char *told;
    cJSON *cage;
    NEED_ASSIMP();
    write_text(
        d.dir, "thin.off",
        "OFF\n8 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1.01 0 0\n2 0 0\n2 1 0\n1.01 1 0\n4 0 1 2 3\n4 1 4 7 2\n4 4 5 6 7\n");
    cage = PUSH(&told, "thin.off", "--weld", "0.1");
    tells(told, "1 faces have fewer than three corners once their vertices are welded, and are left out");
    assert_int_equal(length(cage, "points"), 18);
    assert_int_equal(length(cage, "faceVertexCounts"), 2);
    cJSON_Delete(cage);
    write_text(d.dir, "cut.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 0.01 0\n0 1 0\n4 0 1 2 3\n");
    cage = PUSH(&told, "cut.off", "--weld", "0.1");
    tells(told, "1 faces have fewer corners");
    assert_int_equal(length(cage, "points"), 9);
    assert_true(number(cage, "faceVertexCounts", 0) == 3);
    cJSON_Delete(cage);
    ran_expect(shell_run(d.dir, "subd push thin.off --weld 10 2>err; test $? = 2 && grep -q 'no face is left' err"), 0);
}

/* OBJ is welded only when asked; tags, UVs and primvars come through, and no second mesh stays. */
static void test_weld_obj(void **state)
{
    const int before = n_meshes();
    char *told;
    cJSON *cage;
    (void)state;
    write_text(d.dir, "split.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 -0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\n"
               "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0\nf 1/1 2/2 3/3 4/4\nf 5/2 6/5 7/4 8/3\n"
               "t crease 2/1/0 4 5 3\nt corner 1/1/0 5 2\nt hole 1/0/0 1\nt interpolateboundary 1/0/0 2\n");
    cage = PUSH(&told, "split.obj");
    tells(told, "the mesh looks unwelded: 4 of its 8 vertices");
    assert_int_equal(length(cage, "points"), 24);
    cJSON_Delete(cage);
    cage = PUSH(&told, "split.obj", "--weld", "0");
    tells(told, "8 vertices are welded into 6 by their positions, UVs are kept for each corner");
    assert_int_equal(length(cage, "points"), 18);
    assert_true(number(cage, "creaseIndices", 0) == 1);
    assert_true(number(cage, "creaseIndices", 1) == 4);
    assert_true(number(cage, "creaseSharpnesses", 0) == 3);
    assert_true(number(cage, "cornerIndices", 0) == 4);
    assert_true(number(cage, "holeIndices", 0) == 1);
    assert_true(number(cage, "stIndices", 1) == number(cage, "stIndices", 4)); /* One value at one vertex. */
    assert_int_equal(length(cage, "st"), 2 * 6);
    assert_string_equal(cJSON_GetStringValue(member(cage, "name")), "split");
    assert_string_equal(cJSON_GetStringValue(member(member(cage, "options"), "interpolateBoundary")), "edgeOnly");
    cJSON_Delete(cage);
    assert_int_equal(n_meshes(), before + 2);
}

/* Primvars of every class: what differs where vertices become one is kept for each corner. */
static void test_weld_primvars(void **state)
{
    cJSON *cage;
    const cJSON *p;
    (void)state;
    write_text(d.dir, "split.json",
               "{\"points\": [0,0,0, 1,0,0, 1,1,0, 0,1,0, 1,0,0, 2,0,0, 2,1,0, 1,1,0], \"faceVertexCounts\": [4,4],"
               "\"faceVertexIndices\": [0,1,2,3, 4,5,6,7], \"primvars\": ["
               "{\"name\": \"same\", \"interpolation\": \"vertex\", \"values\": [0,1,2,3,1,4,5,2]},"
               "{\"name\": \"other\", \"interpolation\": \"varying\", \"values\": [0,1,2,3,1,4,5,9]},"
               "{\"name\": \"face\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [7,8]},"
               "{\"name\": \"all\", \"interpolation\": \"constant\", \"values\": [5]},"
               "{\"name\": \"map\", \"interpolation\": \"faceVarying\", \"values\": [0,1,2,3],"
               "\"indices\": [0,1,2,3,1,0,0,3]}]}");
    cage = PUSH(NULL, "split.json", "--weld", "0");
    p = primvar(cage, "same");
    assert_string_equal(cJSON_GetStringValue(member(p, "interpolation")), "vertex");
    assert_int_equal(length(p, "values"), 6);
    assert_true(number(p, "values", 5) == 5);
    p = primvar(cage, "other");
    assert_string_equal(cJSON_GetStringValue(member(p, "interpolation")), "faceVarying");
    assert_int_equal(length(p, "values"), 7);
    assert_true(number(p, "indices", 1) == number(p, "indices", 4));
    assert_true(number(p, "indices", 2) != number(p, "indices", 7));
    assert_true(number(p, "values", (int)number(p, "indices", 7)) == 9);
    assert_int_equal(length(primvar(cage, "face"), "values"), 2);
    assert_int_equal(length(primvar(cage, "all"), "values"), 1);
    p = primvar(cage, "map");
    assert_true(number(p, "indices", 1) == number(p, "indices", 4));
    assert_true(number(p, "indices", 2) != number(p, "indices", 7));
    cJSON_Delete(cage);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void test_damaged(void **state)
{
    NEED_ASSIMP();
    write_text(d.dir, "short.ply",
               "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n");
    write_text(d.dir, "index.ply",
               "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 9\n");
    write_text(d.dir, "cloud.ply",
               "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
               "end_header\n0 0 0\n1 0 0\n");
    write_text(d.dir, "empty.glb", "");
    write_text(d.dir, "is.fbx", "not FBX at all");
    write_text(d.dir, "some.abc", "Ogawa");
    ran_fails(RUN("push", "short.ply"), 6, "short.ply");
    ran_fails(RUN("push", "index.ply"), 6, "index.ply: face 0 of the mesh \"\" uses vertex 9, and there are 3");
    ran_fails(RUN("push", "cloud.ply"), 6, "cloud.ply");
    ran_fails(RUN("push", "empty.glb"), 6, "empty.glb cannot be read as .glb: ");
    ran_fails(RUN("push", "is.fbx"), 6, "is.fbx cannot be read as .fbx: ");
    ran_fails(RUN("push", "none.ply"), 6, "none.ply cannot be read: No such file");
    ran_fails(RUN("refine", "none.glb", "-o", "x.obj"), 6, "none.glb cannot be read: No such file");
    ran_fails(RUN("push", "some.abc"), 2, "some.abc is of no format that subd reads");
    ran_fails(RUN("push", "cube.obj", "--all"), 2, "--all is for files of several meshes");
}

/* A library that cannot be opened stands before the one of the system. */
static void test_no_library(void **state)
{
    (void)state;
    ran_expect(shell_run(d.dir,
                         "mkdir -p no && echo text >no/libassimp.so.5 && cp no/libassimp.so.5 no/libassimp.so.6\n"
                         "LD_LIBRARY_PATH=$PWD/no subd push text.ply 2>err; test $? = 6 || exit 9\n"
                         "grep -q 'reading .ply needs libassimp' err && grep -q 'apt install libassimp' err &&"
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
    snprintf(path, sizeof path, "%s/bin", d.dir);
    mkdir(path, 0777);
    f = create("bin/usdcat", path);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void test_usdcat(void **state)
{
    (void)state;
    write_text(d.dir, "text.usda", usda);
    write_text(d.dir, "text.usd", usda);
    write_text(d.dir, "a.usdc", "PXR-USDC????");
    write_text(d.dir, "a b;.usd", "PXR-USDC????");
    write_text(d.dir, "a.usdz", "PK\3\4");
    write_usdcat("[ \"$1\" = --flatten ] && [ -f \"$2\" ] && [ $# = 2 ] && exec cat text.usda");
    ran_expect(shell_run(d.dir, "export PATH=$PWD/bin:$PATH; for f in a.usdc 'a b;.usd' a.usdz text.usd; do\n"
                                "subd show $(subd push \"$f\") | grep -q '4 vertices, 1 face' || exit 9; done"),
               0);
    write_usdcat("echo 'cannot open layer' >&2; exit 1");
    ran_expect(shell_run(d.dir, "PATH=$PWD/bin:$PATH; subd push a.usdc 2>err; test $? = 6 &&"
                                "grep -q 'a.usdc cannot be read by usdcat: cannot open layer' err"),
               0);
    ran_expect(shell_run(d.dir, "bin=$(dirname $(command -v subd)); PATH=$bin; subd push a.usdc 2>err; code=$?\n"
                                "PATH=/usr/bin:/bin; test $code = 6 && grep -q 'a.usdc is binary USD, which subd reads "
                                "through OpenUSD.s usdcat, and there is none on PATH' err"),
               0);
    ran_fails(spawn_subd(d.dir, (const char *const[]){"push", "-", NULL}, "PXR-USDC????"), 6,
              "binary USD is read from a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ply),         cmocka_unit_test(test_first_bytes), cmocka_unit_test(test_stl),
        cmocka_unit_test(test_off),         cmocka_unit_test(test_glb),         cmocka_unit_test(test_fbx),
        cmocka_unit_test(test_dae),         cmocka_unit_test(test_3ds),         cmocka_unit_test(test_scene),
        cmocka_unit_test(test_all_goes_on), cmocka_unit_test(test_no_weld),     cmocka_unit_test(test_weld_distance),
        cmocka_unit_test(test_collapse),    cmocka_unit_test(test_weld_obj),    cmocka_unit_test(test_weld_primvars),
        cmocka_unit_test(test_damaged),     cmocka_unit_test(test_no_library),  cmocka_unit_test(test_usdcat),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
