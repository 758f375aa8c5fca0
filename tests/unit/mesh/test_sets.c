/* SPDX-License-Identifier: Apache-2.0 */
/* Face sets and the stage of a mesh: they come through JSON, protobuf, copies, a reorder and edits, and names that
 * cannot be are left out. */
#include "server/mesh/encode.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void has_sets(const struct mesh *m, const char *primvar, const char *const *names, int64_t n,
                     const int32_t *values)
{
    struct primvar_info infos[SDD_MAX_PRIMVARS];
    int row = primvar_find(infos, primvars_list(m, infos), primvar);
    assert_true(row >= 0);
    const struct primvar *p = &m->primvars[row];
    const char *name = p->sets.text;
    assert_int_equal(p->sets.n, n);
    for (int64_t i = 0; i < n; i++, name = set_names_next(name))
        assert_string_equal(name, names[i]);
    assert_int_equal(n ? name - p->sets.text : 0, p->sets.bytes);
    assert_memory_equal(p->values, values, (size_t)m->n_faces * 4);
}

static void is_sample(const struct mesh *m)
{
    static const char *const materials[] = {"Holz", "Stahl", "M\u00f6rtel"}, *const groups[] = {"left \"side\"", "b"};
    static const int32_t of_material[] = {3, 2, 1, 0, 1, 2}, of_group[] = {1, 1, 0, 1, 0, 2};
    has_sets(m, "materialBind", materials, 3, of_material);
    has_sets(m, "group", groups, 2, of_group);
    assert_int_equal(m->stage.up_axis, MESH_UP_Z);
    assert_true(m->stage.meters_per_unit == 0.01);
    assert_true(m->stage.has_transform && m->stage.transform[1] == 1 && m->stage.transform[12] == 0.1);
}

static void test_round_trips(void **state)
{
    struct mesh *m = sample_json(sample_sets_json), *back;
    void *body;
    size_t bytes;
    (void)state;
    is_sample(m);
    assert_int_equal(mesh_to_json(m, &body, &bytes, NULL), SDD_OK);
    assert_int_equal(mesh_from_json(body, bytes, &back, NULL, NULL), SDD_OK);
    sample_same(m, back);
    free(body);
    mesh_free(back);
    assert_int_equal(mesh_to_proto(m, &body, &bytes, NULL), SDD_OK);
    assert_int_equal(mesh_from_proto(body, bytes, &back, NULL, NULL), SDD_OK);
    sample_same(m, back);
    free(body);
    mesh_free(back);
    assert_int_equal(mesh_copy(m, &back, NULL), SDD_OK);
    sample_same(m, back);
    mesh_free(back);
    mesh_free(m);
}

/* The topology id tells the surfaces apart, and names make no other surface. */
static void test_topology_id(void **state)
{
    char with[MESH_TOPOLOGY_ID_SIZE], without[MESH_TOPOLOGY_ID_SIZE];
    struct mesh *m = sample_json(sample_sets_json), *plain;
    struct mesh_arrays a;
    (void)state;
    mesh_as_arrays(m, &a);
    a.n_primvars = 0;
    a.stage = (struct mesh_stage){0};
    assert_int_equal(mesh_build(&a, &plain, NULL), SDD_OK);
    assert_int_equal(mesh_topology_id(m, with, NULL), SDD_OK);
    assert_int_equal(mesh_topology_id(plain, without, NULL), SDD_OK);
    assert_string_equal(with, without);
    assert_true(mesh_bytes(m) > mesh_bytes(plain));
    mesh_free(m);
    mesh_free(plain);
}

/* The set of a face goes along with the face. */
static void test_reorder(void **state)
{
    struct mesh *m = sample_json(sample_sets_json), *moved;
    int64_t bandwidth[2];
    (void)state;
    assert_int_equal(mesh_reorder(m, &moved, bandwidth, NULL), SDD_OK);
    for (int p = 0; p < 2; p++) {
        const struct primvar *from = &m->primvars[p], *to = &moved->primvars[p];
        assert_int_equal(to->sets.n, from->sets.n);
        assert_memory_equal(to->sets.text, from->sets.text, (size_t)from->sets.bytes);
        for (int64_t f = 0; f < 6; f++)
            assert_int_equal(((int32_t *)to->values)[f], ((int32_t *)from->values)[moved->face_ids[f]]);
    }
    assert_memory_equal(&moved->stage, &m->stage, sizeof m->stage);
    mesh_free(m);
    mesh_free(moved);
}

static struct mesh *edited(const struct mesh *m, const char *json)
{
    struct edit_batch *b = sample_edits(json);
    struct edit_result r;
    struct sdd_error err = {0};
    if (edits_apply(m, b, &r, &err))
        fail_msg("%s", err.text);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    edit_batch_free(b);
    return out;
}

static void edit_refused(const struct mesh *m, const char *json, const char *says)
{
    struct edit_batch *b = sample_edits(json);
    struct edit_result r;
    struct sdd_error err = {0};
    int rc = edits_apply(m, b, &r, &err);
    if (rc != SDD_EMESH || !strstr(err.text, says))
        fail_msg("%s gave %d %s", json, rc, err.text);
    edit_batch_free(b);
}

static void test_edits(void **state)
{
    static const char *const materials[] = {"Holz", "Stahl", "M\u00f6rtel"}, *const other[] = {"Glas"};
    struct mesh *m = sample_json(sample_sets_json);
    (void)state;
    struct mesh *e = edited(m, "{\"edits\": [{\"removeFaces\": {\"ids\": [1]}}]}");
    has_sets(e, "materialBind", materials, 3, (int32_t[]){3, 1, 0, 1, 2});
    assert_memory_equal(&e->stage, &m->stage, sizeof m->stage);
    struct mesh *f =
        edited(e, "{\"edits\": [{\"addFaces\": {\"faceVertexCounts\": [4], \"faceVertexIndices\": [4,5,6,7]}}]}");
    has_sets(f, "materialBind", materials, 3, (int32_t[]){3, 1, 0, 1, 2, 0}); /* a new face is in no set */
    mesh_free(e);
    e = edited(f, "{\"edits\": [{\"setPrimvar\": {\"name\": \"materialBind\", \"ids\": [6], \"values\": [3]}}]}");
    has_sets(e, "materialBind", materials, 3, (int32_t[]){3, 1, 0, 1, 2, 3});
    edit_refused(e,
                 "{\"edits\": [{\"setPrimvar\": {\"name\": \"materialBind\", \"ids\": [6, 5], \"values\": [3, 4]}}]}",
                 "edits[0].setPrimvar.values[1] is set 4 of 3; 0 is no set");
    mesh_free(f);
    f = edited(e,
               "{\"edits\": [{\"putPrimvar\": {\"name\": \"materialBind\", \"interpolation\": \"uniform\", \"type\": "
               "\"i32\", \"values\": [0,0,1,1,0,1], \"setNames\": [\"Glas\"]}}]}");
    has_sets(f, "materialBind", other, 1, (int32_t[]){0, 0, 1, 1, 0, 1});
    edit_refused(e,
                 "{\"edits\": [{\"putPrimvar\": {\"name\": \"materialBind\", \"interpolation\": \"uniform\", \"type\": "
                 "\"i32\", \"values\": [0,0,1,1,0,2], \"setNames\": [\"Glas\"]}}]}",
                 "edits[0].putPrimvar.values[5] is set 2 of 1");
    edit_refused(e,
                 "{\"edits\": [{\"putPrimvar\": {\"name\": \"materialBind\", \"interpolation\": \"uniform\", "
                 "\"values\": [0,0,1,1,0,2], \"setNames\": [\"Glas\"]}}]}",
                 "edits[0].putPrimvar.setNames is for uniform primvars of one i32");
    mesh_free(e);
    e = edited(f,
               "{\"edits\": [{\"putPrimvar\": {\"name\": \"materialBind\", \"interpolation\": \"uniform\", \"type\": "
               "\"i32\", \"values\": [0,7,1,1,0,1]}}]}");
    has_sets(e, "materialBind", NULL, 0, (int32_t[]){0, 7, 1, 1, 0, 1});
    mesh_free(e);
    mesh_free(f);
    mesh_free(m);
}

/* Reads two triangles with a primvar as JSON; *l gets the losses. */
static struct mesh *with_names(const char *primvar, const char *names, struct losses *l, struct sdd_error *err)
{
    char text[1200];
    struct mesh *m;
    *err = (struct sdd_error){0};
    (void)snprintf(text, sizeof text,
                   "{\"points\": [0,0,0, 1,0,0, 1,1,0, 0,1,0], \"faceVertexCounts\": [3,3],"
                   "\"faceVertexIndices\": [0,1,2, 0,2,3], \"primvars\": [{\"name\": \"s\", %s, \"setNames\": %s}]}",
                   primvar, names);
    int rc = mesh_from_json(text, strlen(text), &m, l, err);
    assert_int_equal(rc, err->code);
    return m;
}

static void lost(const char *primvar, const char *names, const char *says, bool keeps_names)
{
    struct losses l = {0}, strict = {.strict = true};
    struct sdd_error err = {0};
    struct mesh *m = with_names(primvar, names, &l, &err);
    assert_non_null(m);
    if (l.n != 1 || !strstr(l.rows[0].sentence, says))
        fail_msg("%d losses: %s", l.n, l.rows[0].sentence);
    assert_int_equal(m->n_primvars, 1);
    assert_int_equal(m->primvars[0].sets.n != 0, keeps_names);
    mesh_free(m);
    m = with_names(primvar, names, &strict, &err);
    assert_null(m);
    assert_int_equal(err.code, SDD_EMESH);
}

static void test_bad_names(void **state)
{
    static const char sets[] = "\"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [1,2]";
    char longest[300] = "[\"a\", \"";
    struct losses l = {0};
    struct sdd_error err;
    (void)state;
    memset(longest + 7, 'x', 255);
    (void)snprintf(longest + 262, 8, "\"]");
    struct mesh *m = with_names(sets, longest, &l, &err);
    assert_int_equal(l.n, 0);
    assert_int_equal(m->primvars[0].sets.bytes, 258);
    mesh_free(m);
    (void)snprintf(longest + 262, 8, "x\"]");
    lost(sets, longest, "primvars[0].setNames[1] is too long; the name of a face set has 1 to 255 bytes", false);
    lost(sets, "[\"a\", \"\"]", "primvars[0].setNames[1] is empty", false);
    lost(sets, "[\"a\", \"\\u0007\"]", "primvars[0].setNames[1] holds a control character", false);
    lost("\"interpolation\": \"uniform\", \"values\": [1,2]", "[\"a\"]", "primvars[0].setNames is for uniform", false);
    lost("\"interpolation\": \"uniform\", \"type\": \"i32\", \"width\": 2, \"values\": [1,0,0,1]", "[\"a\"]",
         "for uniform primvars of one i32; s is not one; the names are left out", false);
    lost("\"interpolation\": \"constant\", \"type\": \"i32\", \"values\": [1]", "[\"a\"]", "for uniform", false);
    lost(sets, "[\"a\"]", "primvars[0].values[1] is set 2 of 1; 0 is no set; the face is in no set of ", true);
    m = with_names(sets, "[]", &l, &err);
    assert_null(m->primvars[0].sets.text);
    assert_int_equal(l.n, 0);
    mesh_free(m);
    m = with_names(sets, "[7]", &l, &err);
    assert_null(m);
    assert_string_equal(err.text, "primvars[0].setNames[0] is not a string");
}

/* All names that a mesh may have come through protobuf, and no more. */
static void test_most_names(void **state)
{
    struct mesh *grid = sample_grid(2, 1), *m, *back;
    char *names = malloc(SET_NAMES_MAX * 6 + 6);
    struct mesh_arrays a;
    struct losses l = {0};
    struct sdd_error err;
    size_t bytes, n = 0;
    void *body;
    (void)state;
    for (int i = 0; i <= SET_NAMES_MAX; i++)
        n += (size_t)snprintf(names + n, 6, "%05x", i) + 1;
    mesh_as_arrays(grid, &a);
    assert_int_equal(primvar_author(&a.primvars[0], "p", "s", "uniform", "i32", 1, &err), SDD_OK);
    a.n_primvars = 1;
    a.primvars[0].values = (int32_t[]){SET_NAMES_MAX, 0};
    a.primvars[0].n_words = 2;
    a.primvars[0].sets = (struct set_names){names, SET_NAMES_MAX, 6 * SET_NAMES_MAX};
    assert_int_equal(mesh_build(&a, &m, &err), SDD_OK);
    assert_int_equal(mesh_to_proto(m, &body, &bytes, &err), SDD_OK);
    if (mesh_from_proto(body, bytes, &back, NULL, &err))
        fail_msg("%s", err.text);
    sample_same(m, back);
    free(body);
    mesh_free(m);
    mesh_free(back);
    a.primvars[0].sets = (struct set_names){names, SET_NAMES_MAX + 1, 6 * (SET_NAMES_MAX + 1)};
    a.losses = &l;
    assert_int_equal(mesh_build(&a, &m, &err), SDD_OK);
    assert_non_null(strstr(l.rows[0].sentence, "the mesh has 65537 names of face sets"));
    assert_int_equal(m->primvars[0].sets.n, 0);
    mesh_free(m);
    mesh_free(grid);
    free(names);
}

static void test_json_stage(void **state)
{
    static const char form[] = "{\"points\": [0,0,0, 1,0,0, 1,1,0], \"faceVertexCounts\": [3],"
                               "\"faceVertexIndices\": [0,1,2], %s}";
    static const struct {
        const char *members, *field, *says;
    } bad[] = {{"\"upAxis\": \"X\"", "upAxis", "upAxis is \"X\"; it is Y or Z"},
               {"\"metersPerUnit\": -2", "metersPerUnit", "metersPerUnit is -2"},
               {"\"transform\": [1,0,0]", "transform", "transform has 3 numbers; it has 16, or none"}};
    char text[400];
    struct mesh *m;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct losses l = {0}, strict = {.strict = true};
        struct sdd_error err = {0};
        (void)snprintf(text, sizeof text, form, bad[i].members);
        assert_int_equal(mesh_from_json(text, strlen(text), &m, &l, &err), SDD_OK);
        assert_int_equal(l.n, 1);
        assert_non_null(strstr(l.rows[0].sentence, bad[i].says));
        mesh_free(m);
        assert_int_equal(mesh_from_json(text, strlen(text), &m, &strict, &err), SDD_EMESH);
        assert_string_equal(err.field, bad[i].field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_topology_id), cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_edits),       cmocka_unit_test(test_bad_names),   cmocka_unit_test(test_most_names),
        cmocka_unit_test(test_json_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
