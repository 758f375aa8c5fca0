/* SPDX-License-Identifier: Apache-2.0 */
/* What an OBJ file has and a mesh does not keep: the shape stays, the client is told once a kind, and a strict request
 * is refused with the same sentence. */
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define QUAD "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define UVS "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"

/* Reads a file of n bytes that ends exactly where the memory does; its warnings must be `says`, all lines of it. */
static struct mesh *warns_bytes(const char *text, size_t n, const char *says)
{
    struct sdd_error err = {0};
    struct losses l = {0}, strict = {.strict = true};
    struct text lines = {0};
    struct mesh *m, *none;
    char *copy = malloc(n + 1);
    memcpy(copy, text, n);
    if (mesh_from_obj(copy, n, &m, &l, &err))
        fail_msg("%s\n%s", text, err.text);
    losses_print(&l, &lines);
    if (strcmp(lines.data ? lines.data : "", says) != 0)
        fail_msg("%s\ngave %s\nnot %s", text, lines.data ? lines.data : "", says);
    int rc = mesh_from_obj(copy, n, &none, &strict, &err);
    if (rc != (*says ? SDD_EMESH : SDD_OK) || (rc && (none || strncmp(err.text, says, strlen(err.text)) != 0)))
        fail_msg("%s\nstrict: %d %s", text, rc, err.text);
    mesh_free(none);
    text_free(&lines);
    free(copy);
    return m;
}

static struct mesh *warns(const char *text, const char *says)
{
    return warns_bytes(text, strlen(text), says);
}

static void nothing_lost(const char *text)
{
    mesh_free(warns(text, ""));
}

static void refused(const char *text, const char *says)
{
    struct sdd_error err = {0};
    struct losses l = {0};
    struct mesh *m;
    int rc = mesh_from_obj(text, strlen(text), &m, &l, &err);
    if (rc != SDD_EMALFORMED || m || !strstr(err.text, says))
        fail_msg("%s\ngave %d %s", text, rc, err.text);
}

static void test_statements(void **state)
{
    (void)state;
    nothing_lost(QUAD "f 1 2 3 4");
    nothing_lost(QUAD "vn nan nan nan\nvn 0 0 \\\n1\ns off\nf 1//1 2//1 3//1");
    mesh_free(warns(QUAD "f 1 2 3 4\nl 1 2\np 1\nl 2 3 # more\n",
                    "line 6: l is skipped: lines and points are not kept, only faces (and 2 more)\n"));
    mesh_free(warns("mtllib a.mtl\nusemap x\nlod 3\ncall a.obj 1\ncsh rm -rf x\n" QUAD "f 1 2 3 4",
                    "line 3: lod is skipped: a mesh has no settings of display\n"
                    "line 1: mtllib is skipped: materials are kept by name alone (and 1 more)\n"
                    "line 4: call is skipped: no other file is read and no command is run (and 1 more)\n"));
    mesh_free(warns(QUAD "f 1 2 3 4\ncstype bezier\ndeg 3\ncurv 0 1 1 2 3 4\nparm u 0 \\\n 1\nend\n",
                    "line 6: cstype is skipped: curves and surfaces are not kept, only polygons (and 4 more)\n"));
    struct mesh *m = warns(QUAD "surf 0 1 0 1 1 2 3 4\ntrim 0 1 1\nf 1 2 3 4\n", /* without its end */
                           "line 5: surf is skipped: curves and surfaces are not kept, only polygons (and 1 more)\n");
    assert_int_equal(m->n_faces, 1);
    mesh_free(m);
}

static void test_all_of_the_specification(void **state)
{
    static const char *const words[] = {
        "vp",       "cstype",   "deg", "bmat",  "step",  "curv",   "curv2", "surf",       "parm",      "trim", "hole",
        "scrv",     "sp",       "end", "con",   "bsp",   "bzp",    "cdc",   "cdp",        "res",       "mg",   "bevel",
        "c_interp", "d_interp", "lod", "ctech", "stech", "maplib", "l",     "shadow_obj", "trace_obj", "p"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[200], says[80];
        struct losses l = {0};
        struct mesh *m;
        (void)snprintf(text, sizeof text, QUAD "f 1 2 3 4\n%s 1 2\n%s", words[i], words[i]);
        (void)snprintf(says, sizeof says, "line 6: %s is skipped: ", words[i]);
        assert_int_equal(mesh_from_obj(text, strlen(text), &m, &l, NULL), SDD_OK);
        assert_int_equal(l.n, 1);
        assert_memory_equal(l.rows[0].sentence, says, strlen(says));
        assert_int_equal(l.rows[0].count, 2);
        mesh_free(m);
    }
}

static void test_unknown(void **state)
{
    char many[2000] = QUAD "f 1 2 3 4\n";
    struct losses l = {0};
    struct mesh *m;
    (void)state;
    mesh_free(warns(QUAD "vw 0 0 1\nvw 1 \\\n 0\nV 1 2 3\nM\xfcller\n.\nf 1 2 3 4",
                    "line 5: vw is not known and skipped (and 1 more)\nline 8: V is not known and skipped\n"
                    "line 9: M?ller is not known and skipped\nline 10: . is not known and skipped\n"));
    for (int i = 0; i < 3 * LOSSES_MAX; i++)
        (void)snprintf(many + strlen(many), 10, "x%d\n", i % 100);
    assert_int_equal(mesh_from_obj(many, strlen(many), &m, &l, NULL), SDD_OK);
    mesh_free(m);
    assert_int_equal(l.n, LOSSES_MAX);
    assert_int_equal(l.others, 64);
    for (int i = 0; i < LOSSES_MAX; i++)
        assert_int_equal(l.rows[i].count, 2);
    refused("Hello, world\nthis is a letter\n", "line 1: \"Hello,\" is no statement of OBJ, and no line has a vertex");
    refused("# a\n\xff\xd8 x\n", "line 2: \"??\" is no statement");
    refused(QUAD "\x01\x02 x\n", "line 5: byte 0x01 is no text");
    refused(QUAD "ab\x7f x\n", "line 5: byte 0x7f is no text");
    nothing_lost("# nothing\n");
    nothing_lost("v 0 0 0\n");
}

static void test_uvs(void **state)
{
    static const char *const rows[][2] = {
        {UVS "f 1/1 2/2 3/3 4/4\nf 1 2 3\nf 1 2 3/1\n",
         "line 10: a face corner has no texture coordinate (vt) and others have; the UVs are left out (and 4 more)\n"},
        {UVS "f 1 2 3 4\nf 1/1 2/2 3/3\n",
         "line 9: a face corner has no texture coordinate (vt) and others have; the UVs are left out (and 3 more)\n"},
        {UVS "f 1// 2// 3// 1/1\n",
         "line 9: a face corner has no texture coordinate (vt) and others have; the UVs are left out (and 2 more)\n"},
        {UVS "f 1/1 2/5 3/9 4/1\nf 1/9 2/9 3/9\n",
         "line 9: texture coordinate 9 does not exist, the file has 4; the UVs are left out\n"},
        {UVS "f 1/1 2/-5 3/1\n",
         "line 9: texture coordinate -5 does not exist, 4 are defined so far; the UVs are left out\n"},
        {UVS "f 1/0 2/0 3/0\n",
         "line 9: texture coordinate 0 does not exist, 4 are defined so far; the UVs are left out (and 2 more)\n"},
        {UVS "f 1/1 2/99999999999999999999 3/1\n",
         "line 9: texture coordinate 0 does not exist, 4 are defined so far; the UVs are left out\n"},
        {"f 1/1 2/1 3/1\n", "line 5: texture coordinate 1 does not exist, the file has 0; the UVs are left out\n"},
        {UVS "vt nan 0\nvt 1 inf\nf 1/1 2/2 3/3\n",
         "line 9: a texture coordinate (vt) is not a finite number; the UVs are left out (and 1 more)\n"},
        {"vt\nvt 1e39\nvt a b\nf 1/1 2/1 3/1\n",
         "line 5: a texture coordinate (vt) is not a finite number; the UVs are left out (and 2 more)\n"},
        {UVS "f 1 2 3 4\n", "line 5: vt is left out, as no face has one (and 3 more)\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        (void)snprintf(text, sizeof text, QUAD "%s", rows[i][0]);
        struct mesh *m = warns(text, rows[i][1]);
        assert_true(m->n_faces > 0);
        assert_int_equal(m->n_uvs, 0);
        assert_null(m->uv_indices);
        mesh_free(m);
    }
    struct mesh *m = warns(QUAD "vt 0 0 0\nvt 1 0 0.5\nvt 1 1 0 7\nvt 0 1 nan\nf 1/1 2/2 3/3 4/4",
                           "line 6: the third number of vt is left out: UVs have two (and 2 more)\n");
    assert_int_equal(m->n_uvs, 4);
    assert_true(m->uvs[7] == 1);
    mesh_free(m);
}

static void test_vertices(void **state)
{
    (void)state;
    nothing_lost("v 0 0 0 1\nv 1 0 0 1.0\nv 0 1 0\nf 1 2 3");
    mesh_free(warns("v 0 0 0 1\nv 1 0 0 0.5\nv 1 1 0 0\nf 1 2 3",
                    "line 2: the weight 0.5 of v is left out, as only curves and surfaces have one (and 1 more)\n"));
    mesh_free(
        warns("v 0 0 0 1 2\nv 1 0 0 1 2 3 4 5\nv 1 1 0\nf 1 2 3",
              "line 1: v has neither 3 numbers, nor 4, 6 or 7; those behind the third are left out (and 1 more)\n"));
}

static void test_colors(void **state)
{
    static const char none[] = "the colours are left out\n";
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"v 0 0 0 .1 .2 .3\nv 1 0 0 nan nan nan\nv 1 1 0 1 1 1\n",
         "line 2: a colour or weight of v is not a finite number; "},
        {"v 0 0 0 1 1 1\nv 1 0 0 1 x 0\nv 1 1 0 1 1 1\n", "line 2: a colour or weight of v is not a finite number; "},
        {"v 0 0 0 nan\nv 1 0 0\nv 1 1 0\n", "line 1: a colour or weight of v is not a finite number; "},
        {"v 0 0 0 1 1e39 1\nv 1 0 0\nv 1 1 0\n", "line 1: a colour or weight of v is not a finite number; "},
        {"v 0 0 0 1 1 1\nv 1 0 0\nv 1 1 0 1 1 1\n", "line 2: v has no colour and those before it have one; "},
        {"v 0 0 0\nv 1 0 0 1\nv 1 1 0 1 1 1\n", "line 3: v has a colour and those before it have none; "},
    };
    static const float rgb[] = {1, 0, 0, 0, 255, 0, 0.25f, -1, 2};
    (void)state;
    struct mesh *m = warns("v 0 0 0 1 0 0\nv 1 0 0 1 0 255 0\nv 1 1 0 .25 -1 2 # dim\nf 1 2 3", "");
    assert_int_equal(m->n_primvars, 1);
    const struct primvar *p = m->primvars;
    assert_string_equal(p->info.name, "displayColor");
    assert_int_equal(p->info.interpolation, SDD_VERTEX);
    assert_int_equal(p->info.width, 3);
    assert_int_equal(p->info.n_values, 3);
    assert_memory_equal(p->values, rgb, sizeof rgb);
    mesh_free(m);
    mesh_free(warns(
        "v 0 0 0 1 0 1e35\nv 1 0 0 1 1 1\nv 1 1 0 1 1 1\nf 1 2 3",
        "displayColor.values[2] is 1e+35; it must be finite and within +-1e+30; primvar displayColor is left out\n"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200], says[200];
        (void)snprintf(text, sizeof text, "%sf 1 2 3\n", bad[i].text);
        (void)snprintf(says, sizeof says, "%s%s", bad[i].says, none);
        m = warns(text, says);
        assert_int_equal(m->n_vertices, 3);
        assert_int_equal(m->n_primvars, 0);
        mesh_free(m);
    }
}

/* The name of the one object is that of the mesh. Of several none is, and they are not kept. */
static void test_objects(void **state)
{
    static const char bad[] = "line 1: o is left out: a name has 1 to 255 bytes\n";
    static const struct {
        const char *text, *name, *says;
    } rows[] = {
        {"o Cube\n", "Cube", ""},
        {"o \t two words # 2 \t\r\n", "two words # 2", ""},
        {"o \xe6\x97\xa5\n", "\xe6\x97\xa5", ""},
        {"o a\tb\n", "a b", ""},
        {"o a\\ \n b\n", "a b", ""}, /* One line, by the backslash. */
        {"", "", ""},
        {"o a\no b\n", "", "line 2: o begins another object; all are one mesh, and no object's name is kept\n"},
        {"o\n", "", bad},
        {"o  \n", "", bad},
        {"o M\xfcller\n", "M\xc3\xbcller", "line 1: a name is not in UTF-8 and is read as Latin-1\n"},
        {"o a\x85\xff\n", "a_\xc3\xbf", "line 1: a name is not in UTF-8 and is read as Latin-1\n"},
        {"o a\x01"
         "b\n",
         "a_b", ""},
    };
    char text[600];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(text, sizeof text, "%s" QUAD "f 1 2 3 4\n", rows[i].text);
        struct mesh *m = warns(text, rows[i].says);
        assert_string_equal(m->name, rows[i].name);
        mesh_free(m);
    }
    struct mesh *m = warns(QUAD "f 1 2 3 4\no Last", ""); /* A file may end without the end of a line. */
    assert_string_equal(m->name, "Last");
    mesh_free(m);
    (void)snprintf(text, sizeof text, "o %0256d\n" QUAD "f 1 2 3 4\n", 0);
    mesh_free(warns(text, bad));
}

static void test_tags(void **state)
{
    (void)state;
    mesh_free(warns(QUAD "f 1 2 3 4\nt faceedits 0/0/0\nt\nt Crease 2/1/0 0 1 2\n",
                    "line 6: the tag \"faceedits\" is not known and skipped (and 2 more)\n"));
    struct mesh *m = warns(QUAD "f 1 2 3 4\nt crease 2/1/0 0 2 3\nt crease 2/1/0 0 1 3\n",
                           "a crease names the edge of vertices 0 and 2, which no face has; it is left out\n");
    assert_int_equal(m->n_creases, 1);
    mesh_free(m);
    m = warns(
        QUAD "f 1 2 3 4\nt crease 2/1/0 0 1 nan\nt crease 2/1/0 1 2 -3\nt crease 2/1/0 2 3 1e39\nt corner 2/2/0 0 1 "
             "1.#INF 2\n",
        "creaseSharpnesses[0] is nan; sharpness is a finite number of at least 0; the crease is left out (and 2 more)\n"
        "cornerSharpnesses[0] is nan; sharpness is a finite number of at least 0; it is left out\n");
    assert_int_equal(m->n_creases, 0);
    assert_int_equal(m->n_corner_tags, 1);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements), cmocka_unit_test(test_all_of_the_specification),
        cmocka_unit_test(test_unknown),    cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_vertices),   cmocka_unit_test(test_colors),
        cmocka_unit_test(test_objects),    cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
