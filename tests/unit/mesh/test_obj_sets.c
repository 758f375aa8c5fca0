/* SPDX-License-Identifier: Apache-2.0 */
/* usemtl and g of an OBJ file are sets of faces with names; a cage as OBJ carries them and the colours of vertices, and
 * says what it does not carry. */
#include "server/mesh/formats/name_set.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHEET "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define FACE "f 1 2 3 4\n"

static struct mesh *read(const char *text, size_t n, struct losses *l)
{
    struct sdd_error err = {0};
    struct mesh *m;
    if (mesh_from_obj(text, n, &m, l, &err))
        fail_msg("%.400s\n%s", text, err.text);
    return m;
}

/* The face sets of a primvar as text: the name of each face's set, with ; behind it. */
static void sets_of(const struct mesh *m, const char *primvar, char *out, size_t room)
{
    *out = 0;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        if (strcmp(p->info.name, primvar) != 0)
            continue;
        assert_int_equal(p->info.interpolation, SDD_UNIFORM);
        assert_int_equal(p->info.type, PRIMVAR_I32);
        assert_int_equal(p->info.n_values, m->n_faces);
        for (int64_t f = 0; f < m->n_faces; f++) {
            const char *name = p->sets.text;
            int32_t set = ((const int32_t *)p->values)[f];
            assert_in_range(set, 0, p->sets.n);
            for (int32_t k = 1; k < set; k++)
                name = set_names_next(name);
            (void)snprintf(out + strlen(out), room - strlen(out), "%s;", set ? name : "");
        }
    }
}

static void test_sets(void **state)
{
    static const struct {
        const char *text, *materials, *groups, *says;
    } rows[] = {
        {FACE FACE, "", "", ""},
        {"usemtl red\n" FACE "usemtl blue\n" FACE "usemtl red\n" FACE, "red;blue;red;", "", ""},
        {FACE "usemtl red\n" FACE "usemtl\n" FACE, ";red;;", "", ""}, /* Without a name: no set, as before any. */
        {"g a\n" FACE "g b  c\n" FACE "g\t b\tc # no comment\n" FACE, "", "a;b c;b c # no comment;", ""},
        {"g default\nusemtl m\ng x\n" FACE "usemtl m\nusemtl n\n" FACE, "m;n;", "x;x;", ""},
        {"usemtl left\ng over\n", "", "", ""}, /* A name that no face has is none. */
        {"usemtl two words \t\r\n" FACE "usemtl mat#1\n" FACE "usemtl a\\  \r\n b\n" FACE, "two words;mat#1;a b;", "",
         ""},
        {"usemtl M\xfcller\n" FACE "usemtl M\xc3\xbcller\n" FACE, "M\xc3\xbcller;M\xc3\xbcller;", "",
         "line 5: a name is not in UTF-8 and is read as Latin-1\n"},
        {"usemtl a\x85"
         "b\n" FACE "usemtl a\xc2\x85"
         "b\x7f\n" FACE,
         "a_b;a_b_;", "", "line 5: a name is not in UTF-8 and is read as Latin-1\n"},
    };
    char got[200];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct losses l = {0};
        struct text lines = {0};
        (void)snprintf(text, sizeof text, SHEET "%s", rows[i].text);
        struct mesh *m = read(text, strlen(text), &l);
        losses_print(&l, &lines);
        assert_string_equal(lines.data ? lines.data : "", rows[i].says);
        sets_of(m, "materialBind", got, sizeof got);
        assert_string_equal(got, rows[i].materials);
        sets_of(m, "group", got, sizeof got);
        assert_string_equal(got, rows[i].groups);
        assert_int_equal(m->n_primvars, (*rows[i].materials != 0) + (*rows[i].groups != 0));
        text_free(&lines);
        mesh_free(m);
    }
}

static void test_long_names(void **state)
{
    char text[1200], got[1000];
    (void)state;
    for (int n = 254; n < 258; n++) {
        struct losses l = {0};
        (void)snprintf(text, sizeof text, SHEET "usemtl %0*d\n" FACE "g a%*sb\n" FACE, n, 7, n, "");
        struct mesh *m = read(text, strlen(text), &l);
        sets_of(m, "materialBind", got, sizeof got);
        assert_int_equal(strlen(got), n < 256 ? 2 * n + 2 : 0);
        assert_int_equal(l.n, n >= 256);
        if (n >= 256)
            assert_string_equal(l.rows[0].sentence,
                                "line 5: the name of usemtl has more than 255 bytes; its faces are left without");
        sets_of(m, "group", got, sizeof got);
        assert_string_equal(got, ";a b;");
        mesh_free(m);
    }
    memset(text, 0xe9, 200); /* as UTF-8 these are 400 bytes */
    memcpy(text, SHEET "g ", strlen(SHEET) + 2);
    memcpy(text + 200, "\n" FACE, 12);
    struct losses l = {0};
    struct mesh *m = read(text, strlen(text), &l);
    assert_int_equal(m->n_primvars, 0);
    assert_int_equal(l.n, 2);
    mesh_free(m);
}

/* More names than a mesh can have: the first are kept, and time grows with the file alone. */
static void test_many_names(void **state)
{
    size_t room = 3000000, n = 0;
    char *text = malloc(room);
    struct losses l = {0};
    (void)state;
    n += (size_t)snprintf(text, room, "%s", SHEET);
    for (int i = 0; i < SET_NAMES_MAX + 100; i++)
        n += (size_t)snprintf(text + n, room - n, "g %x\nf 1 2 3\n", i);
    struct mesh *m = read(text, n, &l);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.rows[0].count, 100);
    assert_non_null(strstr(l.rows[0].sentence, "the names of g are more than 65536 or have more than"));
    const struct primvar *p = m->primvars;
    assert_int_equal(p->sets.n, SET_NAMES_MAX);
    for (int32_t i = 0; i < m->n_faces; i++)
        assert_int_equal(((const int32_t *)p->values)[i], i < SET_NAMES_MAX ? i + 1 : 0);
    mesh_free(m);
    n = (size_t)snprintf(text, room, "%s", SHEET);
    for (int i = 0; i < 6000; i++) /* fewer, but with too many bytes */
        n += (size_t)snprintf(text + n, room - n, "usemtl %0200d\nf 1 2 3\n", i);
    l = (struct losses){0};
    m = read(text, n, &l);
    assert_int_equal(l.n, 1);
    assert_true(m->primvars[0].sets.n > 5000 && m->primvars[0].sets.bytes <= SET_NAMES_MAX_BYTES);
    mesh_free(m);
    free(text);
}

static void test_name_set(void **state)
{
    struct name_set s = {0};
    struct sdd_error err;
    char name[16];
    int32_t number;
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            int n = snprintf(name, sizeof name, "%d", i);
            assert_int_equal(name_set_add(&s, name, (size_t)n, 1000, "obj", &number, &err), SDD_OK);
            assert_int_equal(number, i + 1);
            assert_string_equal(name_set_get(&s, number), name);
        }
    assert_int_equal(name_set_add(&s, "new", 3, 1000, "obj", &number, &err), SDD_OK);
    assert_int_equal(number, 0);
    assert_int_equal(name_set_add(&s, "99", 1, 1000, "obj", &number, &err), SDD_OK); /* "9" */
    assert_int_equal(number, 10);
    name_set_fini(&s);
}

/* Writes m as OBJ and reads it; `lost` is what the writer says. */
static struct mesh *again(const struct mesh *m, const char *says)
{
    struct sdd_error err = {0};
    struct losses strict = {.strict = true};
    struct text lost = {0};
    struct mesh *back;
    void *text;
    size_t n;
    assert_int_equal(mesh_to_obj(m, &text, &n, &lost, &err), SDD_OK);
    assert_string_equal(lost.data ? lost.data : "", says);
    if (mesh_from_obj(text, n, &back, &strict, &err))
        fail_msg("%s\n%s", (char *)text, err.text);
    text_free(&lost);
    free(text);
    return back;
}

static void test_round_trip(void **state)
{
    static const char *const texts[] = {
        SHEET FACE "usemtl red\n" FACE "usemtl blue\ng a b\n" FACE "usemtl\n" FACE "g\nusemtl red\n" FACE,
        "v 0 0 0 .1 .2 .3\nv 1 0 0 1 1 1\nv 1 1 0 0 0 300\nv 0 1 0 -1 0 1e-9\nvt 0 0\nusemtl \xc3\xa4 \xc3\xb6\nf 1/1 "
        "2/1 3/1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mesh *m = sample_obj(texts[i]), *back = again(m, "");
        sample_same(m, back);
        assert_true(m->n_primvars >= 2);
        mesh_free(m);
        mesh_free(back);
    }
}

static void test_not_carried(void **state)
{
    char got[100];
    (void)state;
    struct mesh *m = sample_json(
        "{\"points\": [0,0,0, 1,0,0, 1,1,0, 0,1,0], \"faceVertexCounts\": [3,3,4], \"faceVertexIndices\": "
        "[0,1,2, 0,2,3, 3,2,1,0], \"upAxis\": \"Z\", \"metersPerUnit\": 1, "
        "\"transform\": [2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,1], \"primvars\": ["
        "{\"name\": \"group\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [7,8,9]},"
        "{\"name\": \"displayColor\", \"interpolation\": \"varying\", \"width\": 3, \"values\": "
        "[0,0,0,1,1,1,2,2,2,3,3,3]},"
        "{\"name\": \"materialBind\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [3,1,0],"
        " \"setNames\": [\"a  b\", \"unused\", \"c#\"]}]}");
    struct mesh *back =
        again(m, "primvars are not carried: displayColor, group\n"
                 "2 names of materialBind are changed: a name in OBJ has no #, no backslash and no double "
                 "space\n1 names of materialBind are not carried: no face has them\n"
                 "upAxis = Z is not carried: OBJ has no place for it\n"
                 "metersPerUnit = 1 is not carried: OBJ has no place for it\n"
                 "the transform is not carried: OBJ has no place for it\n");
    sets_of(back, "materialBind", got, sizeof got);
    assert_string_equal(got, "c_;a__b;;");
    mesh_free(m);
    mesh_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),     cmocka_unit_test(test_long_names), cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_name_set), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_not_carried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
