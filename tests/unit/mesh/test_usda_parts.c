/* SPDX-License-Identifier: Apache-2.0 */
/* What of a USDA file goes along with a Mesh: units and transforms, subsets of faces and materials, inherited
 * primvars; and what a cage keeps of these that is written and read back. */
#include "tests/unit/mesh/usda_read.h"
#include "tests/unit/sample.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_units(void **state)
{
    static const struct {
        const char *head;
        int up;
        double unit;
        const char *says;
    } rows[] = {
        {"", MESH_UP_UNKNOWN, 0, ""},
        {"( upAxis = \"Z\" )", MESH_UP_Z, 0, ""},
        {"(\n metersPerUnit = 1\n upAxis = 'Y'\n)", MESH_UP_Y, 1, ""},
        {"( metersPerUnit = 2.54e-2; upAxis = \"Z\" )", MESH_UP_Z, 0.0254, ""},
        {"( metersPerUnit = 0 )", MESH_UP_UNKNOWN, 0, "line 2: metersPerUnit is no number above 0; it is left out\n"},
        {"( metersPerUnit = inf )", MESH_UP_UNKNOWN, 0, "line 2: metersPerUnit is no number above 0; it is left out\n"},
        {"( metersPerUnit = \"m\" )", MESH_UP_UNKNOWN, 0,
         "line 2: metersPerUnit is no number above 0; it is left out\n"},
        {"( upAxis = \"X\" )", MESH_UP_UNKNOWN, 0, "upAxis is neither Y nor Z; it is left out\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        (void)snprintf(text, sizeof text, HEAD "%s def Mesh \"m\" {" QUAD "}", rows[i].head);
        struct mesh *m = usda_reads(text, rows[i].says);
        assert_int_equal(m->stage.up_axis, rows[i].up);
        assert_true(m->stage.meters_per_unit == rows[i].unit);
        assert_int_equal(m->stage.has_transform, 0);
        mesh_free(m);
    }
}

/* Where the point (1, 2, 3) of the Mesh is in the world. */
static void places(const char *ops, double x, double y, double z, const char *says)
{
    char text[2000];
    (void)snprintf(text, sizeof text, HEAD "def Xform \"w\" {\n%s\n}", ops);
    struct mesh *m = usda_reads(text, says);
    const double *t = m->stage.transform, p[3] = {1, 2, 3}, want[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        const double is = m->stage.has_transform ? p[0] * t[k] + p[1] * t[4 + k] + p[2] * t[8 + k] + t[12 + k] : p[k];
        if (fabs(is - want[k]) > 1e-12 * (1 + fabs(want[k])))
            fail_msg("%s\ngave %.17g at %d, not %g", ops, is, k, want[k]);
    }
    mesh_free(m);
}

#define M "def Mesh \"m\" {" QUAD "}"
#define OP(type, name, value)                                                                                          \
    type " xformOp:" name " = " value "\nuniform token[] xformOpOrder = [\"xformOp:" name "\"]\n"

static void test_ops(void **state)
{
    (void)state;
    places(M, 1, 2, 3, "");
    places(OP("double3", "translate", "(10, 20, 30)") M, 11, 22, 33, "");
    places(OP("float3", "translate:pivot", "(10, 20, 30)") M, 11, 22, 33, "");
    places(OP("half3", "scale", "(2, 3, -1)") M, 2, 6, -3, "");
    places(OP("float", "rotateX", "90") M, 1, -3, 2, "");
    places(OP("double", "rotateY", "90") M, 3, 2, -1, "");
    places(OP("float", "rotateZ:a", "-270") M, -2, 1, 3, "");
    places(OP("float3", "rotateXYZ", "(90, 0, 90)") M, 3, 1, 2, "");
    places(OP("float3", "rotateZYX", "(90, 0, 90)") M, -2, -3, 1, "");
    places(OP("float3", "rotateYXZ", "(90, 90, 0)") M, 3, 1, 2, "");
    places(OP("quatf", "orient", "(0.7071067811865476, 0.7071067811865476, 0, 0)") M, 1, -3, 2, "");
    places(OP("double", "translateY", "5") M, 1, 7, 3, "");
    places(OP("double", "scaleZ", "5") M, 1, 2, 15, "");
    places(OP("matrix4d", "transform", "( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )") M, 3, 7, 10, "");
    places("double3 xformOp:translate.timeSamples = { 3: (1, 1, 1), 1: (10, 20, 30) }\nuniform token[] xformOpOrder = "
           "[\"xformOp:translate\"]\n" M,
           11, 22, 33,
           "line 3: xformOp:translate has 2 time samples, of which the first is taken, at 1; ask for another with "
           "--time N "
           "(?time=N)\n");
}

static void test_orders(void **state)
{
    static const char ops[] = "double3 xformOp:translate = (10, 20, 30)\nfloat3 xformOp:scale = (2, 2, 2)\n"
                              "float3 xformOp:translate:p = (1, 2, 3)\nfloat xformOp:rotateZ = 30\n";
    static const struct {
        const char *order;
        double x, y, z;
        const char *says;
    } rows[] = {
        {"[\"xformOp:translate\", \"xformOp:scale\"]", 12, 24, 36, ""},
        {"[\"xformOp:scale\", \"xformOp:translate\"]", 22, 44, 66, ""},
        {"[\"xformOp:translate:p\", \"xformOp:scale\", \"!invert!xformOp:translate:p\",]", 1, 2, 3, ""},
        {"[\"xformOp:rotateZ\", \"!invert!xformOp:rotateZ\", \"xformOp:translate\"]", 11, 22, 33, ""},
        {"[]", 1, 2, 3, ""},
        {"[\"xformOp:translate\", \"!resetXformStack!\", \"xformOp:scale\"]", 2, 4, 6, ""},
        {"[\"xformOp:shear\"]", 1, 2, 3, "line 7: xformOp:shear of xformOpOrder is left out: it has no value\n"},
        {"[\"xformOp:translate\", \"other\"]", 11, 22, 33,
         "line 7: other of xformOpOrder is left out: it has no value\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text, "%suniform token[] xformOpOrder = %s\n" M, ops, rows[i].order);
        places(text, rows[i].x, rows[i].y, rows[i].z, rows[i].says);
    }
    places(OP("float3", "skew", "(1, 2, 3)") M, 1, 2, 3,
           "line 4: xformOp:skew of xformOpOrder is left out: this kind of op is not known\n");
    places(OP("float3", "scale", "(1, nan, 3)") M, 1, 2, 3,
           "line 4: xformOp:scale of xformOpOrder is left out: line 3: a number of a transform is not finite\n");
    places(OP("float3", "scale", "\"one\"") M, 1, 2, 3,
           "line 4: xformOp:scale of xformOpOrder is left out: line 3: \"one\" where a number is wanted\n");
    places("float3 xformOp:scale = (1, 0, 1)\nuniform token[] xformOpOrder = [\"!invert!xformOp:scale\"]\n" M, 1, 2, 3,
           "line 4: !invert!xformOp:scale of xformOpOrder is left out: its matrix has no inverse\n");
}

/* The Mesh's own ops come first, then those of the prims above it, up to one that resets the stack. */
static void test_stack(void **state)
{
    (void)state;
    places(OP("double3", "translate", "(10, 20, 30)") "def \"n\" {" OP(
               "float3", "scale", "(2, 2, 2)") "def Mesh \"m\" {" QUAD OP("float", "rotateX", "90") "} }",
           12, 14, 34, "");
    places(OP("double3", "translate", "(10, 20, 30)") "def \"n\" { float3 xformOp:scale = (2, 2, 2)\nuniform token[] "
                                                      "xformOpOrder = [\"!resetXformStack!\", \"xformOp:scale\"]\n" M
                                                      "}",
           2, 4, 6, "");
    char *text = malloc(70000), *at = text;
    at += snprintf(at, 1000, HEAD "def Xform \"w\" {\n");
    for (int i = 0; i < 100; i++)
        at += snprintf(at, 1000, OP("double3", "translate", "(1, 0, 0)") "def \"x\" {\n");
    at += snprintf(at, 1000, M "}");
    memset(at, '}', 100);
    at[100] = 0;
    struct mesh *m = usda_reads(text, "");
    assert_true(m->stage.transform[12] == 100);
    mesh_free(m);
    free(text);
}

/* ---- face sets --------------------------------------------------------------------------------------------------- */

#define STRIP                                                                                                          \
    "int[] faceVertexCounts = [4, 4, 4]\nint[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2, 4, 6, 7, 5]\n"             \
    "point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0), (2,0,0), (2,1,0), (3,0,0), (3,1,0)]\n"
#define SUBSET(name, family, indices, more)                                                                            \
    "def GeomSubset \"" name "\" {\n uniform token elementType = \"face\"\n uniform token familyName = \"" family      \
    "\"\n int[] indices = " indices "\n" more "}\n"

/* The sets of the faces must be these, and their names, with a comma behind each. */
static void has_sets(const char *body, const char *primvar, int a, int b, int c, const char *names, const char *says)
{
    char text[2000], found[200] = "";
    (void)snprintf(text, sizeof text, HEAD "def \"r\" { %s }\n", body);
    struct mesh *m = usda_reads(text, says);
    const struct primvar *p = usda_primvar(m, primvar, SDD_UNIFORM, PRIMVAR_I32, 1, 3);
    const int32_t *v = p->values;
    const char *name = p->sets.text;
    for (int64_t i = 0; i < p->sets.n; i++, name = set_names_next(name))
        (void)snprintf(found + strlen(found), sizeof found - strlen(found), "%s,", name);
    assert_string_equal(found, names);
    if (v[0] != a || v[1] != b || v[2] != c)
        fail_msg("%s\ngave %d %d %d", text, v[0], v[1], v[2]);
    mesh_free(m);
}

#define BIND(material) " rel material:binding = </r/" material ">\n"
#define IN_MESH(more) "def Mesh \"m\" {" STRIP more "}"

static void test_subsets(void **state)
{
    (void)state;
    has_sets(IN_MESH(SUBSET("red", "materialBind", "[2, 0]", "") SUBSET("blue", "materialBind", "[1,]", "")),
             "materialBind", 1, 2, 1, "red,blue,", "");
    /* The order of the file, and the names of the materials; one material of two subsets is one set. */
    has_sets(IN_MESH(SUBSET("z", "materialBind", "[0]", BIND("Looks/Oak")) SUBSET(
                 "a", "materialBind", "[2]", BIND("Iron")) SUBSET("b", "materialBind", "[1]", BIND("Looks/Oak"))),
             "materialBind", 1, 1, 2, "Oak,Iron,", "");
    has_sets(IN_MESH(SUBSET("z", "", "[1]", BIND("Oak"))), "materialBind", 0, 1, 0, "Oak,", "");
    /* Materials of the Mesh and of what is above it have the rest. */
    has_sets(IN_MESH(BIND("Oak")), "materialBind", 1, 1, 1, "Oak,", "");
    has_sets(IN_MESH(BIND("Oak") SUBSET("a", "materialBind", "[1]", BIND("Iron"))), "materialBind", 2, 1, 2,
             "Iron,Oak,", "");
    has_sets(BIND("Oak") "def \"n\" {" IN_MESH("") "}", "materialBind", 1, 1, 1, "Oak,", "");
    has_sets(BIND("Oak") "def \"n\" { rel material:binding = [</x/Pine>]\n" IN_MESH("") "}", "materialBind", 1, 1, 1,
             "Pine,", "");
    has_sets(IN_MESH("rel material:binding:preview = </Pine>"), "materialBind", 1, 1, 1, "Pine,", "");
    /* Other families are primvars of their names. */
    has_sets(IN_MESH(SUBSET("left", "group", "[0]", "") SUBSET("red", "materialBind", "[0]", "")), "group", 1, 0, 0,
             "left,", "");
    has_sets(
        IN_MESH("def GeomSubset \"s\" { uniform token familyName = \"f\"\n int[] indices.timeSamples = { 0: [2] } }"),
        "f", 0, 0, 1, "s,", "");
}

static void test_subset_losses(void **state)
{
    (void)state;
    has_sets(IN_MESH(SUBSET("a", "f", "[0, 3, -1]", "") SUBSET("b", "f", "[0, 1]", "")), "f", 1, 2, 0, "a,b,",
             "line 5: of the GeomSubset a a face is left out that the Mesh does not have (and 1 more)\n"
             "line 10: of the GeomSubset b a face is left out that another subset of its family has\n");
    has_sets(
        IN_MESH(SUBSET("a", "f", "[0]", "") SUBSET("b", "", "[1]", "") SUBSET("c", "f:", "[1]", "")
                    SUBSET("d", "f", "[1.5]", "") "def GeomSubset \"e\" { uniform token elementType = \"point\" }"),
        "f", 1, 0, 0, "a,",
        "line 10: of the GeomSubset b nothing is kept: it has no familyName\n"
        "line 15: of the GeomSubset c nothing is kept: no primvar can be called as its familyName, or there are too "
        "many\n"
        "line 20: of the GeomSubset d nothing is kept: its indices are no array of integers\n"
        "line 25: of the GeomSubset e nothing is kept: its elements are no faces\n");
    has_sets(IN_MESH("int[] primvars:f = [7, 8, 9] (interpolation = \"uniform\")\n" SUBSET("a", "f", "[0]", "")), "f",
             1, 0, 0, "a,", "primvars:f is not kept: the GeomSubsets of the family f are\n");
}

/* ---- primvars ---------------------------------------------------------------------------------------------------- */

/* A constant primvar of a prim above the Mesh is the Mesh's too; the nearest wins. */
static void test_inherited(void **state)
{
    struct mesh *m =
        usda_reads(HEAD "def \"a\" {\nfloat primvars:x = 1\nfloat primvars:y = 2\nfloat[] primvars:z = [1, 2] "
                        "(interpolation = \"vertex\")\n"
                        "string primvars:w = \"a\"\ndef Xform \"b\" {\nfloat primvars:y = 3\ndef Mesh \"m\" {\n" QUAD
                        "float primvars:v = 4\n} } }",
                   "");
    (void)state;
    assert_int_equal(m->n_primvars, 3);
    assert_true(*(const float *)usda_primvar(m, "x", SDD_CONSTANT, PRIMVAR_F32, 1, 1)->values == 1);
    assert_true(*(const float *)usda_primvar(m, "y", SDD_CONSTANT, PRIMVAR_F32, 1, 1)->values == 3);
    assert_true(*(const float *)usda_primvar(m, "v", SDD_CONSTANT, PRIMVAR_F32, 1, 1)->values == 4);
    mesh_free(m);
    char *text = malloc(20000), *at = text;
    at += snprintf(at, 1000, HEAD "def Mesh \"m\" {\n" QUAD);
    for (int i = 0; i < 70; i++)
        at += snprintf(at, 1000, "float primvars:p%d = %d\n", i, i);
    (void)snprintf(at, 1000, "}");
    m = usda_reads(text, "line 70: primvars:p64 is not kept: a mesh has at most 32 (and 37 more)\n");
    assert_int_equal(m->n_primvars, 32);
    mesh_free(m);
    free(text);
}

/* ---- back -------------------------------------------------------------------------------------------------------- */

static struct mesh *write_and_read(const struct mesh *m, const char *must_have)
{
    struct sdd_error err = {0};
    struct losses losses = {.strict = true};
    struct mesh *back = NULL;
    void *text;
    size_t n;
    assert_int_equal(mesh_to_usda(m, &text, &n, NULL, &err), SDD_OK);
    if (mesh_from_usda(text, n, NULL, &back, NULL, &losses, &err))
        fail_msg("%.*s\n%s", (int)n, (char *)text, err.text);
    if (!memmem(text, n, must_have, strlen(must_have)))
        fail_msg("%s is not in\n%.*s", must_have, (int)n, (char *)text);
    free(text);
    return back;
}

static void test_round_trip(void **state)
{
    static const char *const rows[][2] = {
        {"\"upAxis\": \"Z\"", "    upAxis = \"Z\"\n)"},
        {"\"metersPerUnit\": 0.1", "    metersPerUnit = 0.10000000000000001\n"},
        {"\"upAxis\": \"Y\", \"metersPerUnit\": 1e-300, \"transform\": [1e300,2,3,0, 4,0.1,6,0, 7,8,9,0, 10,11,12,1]",
         "xformOp:transform = ((1"},
        {"\"primvars\": []", "doc = \"subdd control mesh\"\n)"},
        {"\"primvars\": [{\"name\": \"materialBind\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": "
         "[2], "
         "\"setNames\": [\"set_1\", \"a b\\\"\\\\\", \"\xc3\xa9\", \"Oak\", \"set_0_1\"]}, {\"name\": \"group\", "
         "\"interpolation\": "
         "\"uniform\", \"type\": \"i32\", \"values\": [1], \"setNames\": [\"Oak\"]}]",
         "def Material \"Oak\""},
        {"\"primvars\": [{\"name\": \"f:g\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [0], "
         "\"setNames\": [\"a\"]}]",
         "def GeomSubset \"a\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char json[1000];
        (void)snprintf(json, sizeof json,
                       "{\"points\": [0,0,0, 1,0,0, 1,1,0, 0,1,0], \"faceVertexCounts\": [4], \"faceVertexIndices\": "
                       "[0,1,2,3], %s}",
                       rows[i][0]);
        struct mesh *m = sample_json(json), *back = write_and_read(m, rows[i][1]);
        sample_same(m, back);
        mesh_free(back);
        mesh_free(m);
    }
    struct mesh *m = sample_json(sample_sets_json), *back = write_and_read(m, "familyName = \"group\"");
    sample_same(m, back);
    mesh_free(back);
    mesh_free(m);
}

/* Ops and subsets that all refer to the same long value are refused, before they take long. */
static void test_shared_values(void **state)
{
    char *text = malloc(2000000), *at = text;
    (void)state;
    at += snprintf(at, 1000, HEAD "def \"x\" {\nuniform token elementType = \"face\"\nint[] indices = [");
    for (int i = 0; i < 100000; i++)
        at += snprintf(at, 1000, "0, ");
    at += snprintf(at, 1000, "]\n}\ndef Mesh \"m\" {\n" QUAD);
    for (int i = 0; i < 1000; i++)
        at +=
            snprintf(at, 1000, "def GeomSubset \"s%d\" (references = </x>) { uniform token familyName = \"f\" }\n", i);
    (void)snprintf(at, 1000, "}\n");
    usda_refused(text, SDD_ETOO_LARGE, "make too much of its");
    at = text + snprintf(text, 1000, HEAD "class \"c\" {\nuniform token[] xformOpOrder = [");
    for (int i = 0; i < 64; i++)
        at += snprintf(at, 1000, "\"xformOp:translate\", ");
    at += snprintf(at, 1000, "]\ndouble3 xformOp:translate.timeSamples = {");
    for (int i = 0; i < 10000; i++)
        at += snprintf(at, 1000, "%d: (0, 0, 0), ", i);
    at += snprintf(at, 1000, "}\n}\n");
    for (int i = 0; i < 100; i++)
        at += snprintf(at, 1000, "def Xform \"x\" (references = </c>) {\n");
    at += snprintf(at, 1000, "def Mesh \"m\" {\n" QUAD "}\n");
    for (int i = 0; i < 100; i++)
        at += snprintf(at, 1000, "}\n");
    usda_refused(text, SDD_ETOO_LARGE, "make too much of its");
    at = text + snprintf(text, 1000, HEAD "class \"c\" {\nfloat primvars:x.timeSamples = {");
    for (int i = 0; i < 50000; i++)
        at += snprintf(at, 1000, "%d: 0, ", i);
    at += snprintf(at, 1000, "}\n}\ndef Mesh \"m\" (references = [");
    for (int i = 0; i < 250; i++)
        at += snprintf(at, 1000, "</c>, ");
    (void)snprintf(at, 1000, "]) {\n" QUAD "}\n");
    usda_refused(text, SDD_ETOO_LARGE, "make too much of its");
    free(text);
}

/* Many sets: their names, and in time. */
static void test_many_sets(void **state)
{
    struct mesh *m = sample_grid(200, 200), *back;
    struct sdd_error err;
    struct text names = {0};
    struct mesh_arrays a = {.options = m->options,
                            .points = {m->points, 3 * m->n_vertices},
                            .face_counts = {m->face_counts, m->n_faces},
                            .face_vertices = {m->face_vertices, m->n_corners},
                            .n_primvars = 1};
    struct mesh *with;
    (void)state;
    int32_t *sets = malloc((size_t)m->n_faces * sizeof *sets);
    for (int32_t i = 0; i < m->n_faces; i++) {
        text_printf(&names, "s%d", i);
        text_add(&names, "", 1);
        sets[i] = (int32_t)m->n_faces - i;
    }
    assert_int_equal(primvar_author(&a.primvars[0], "p", "group", "uniform", "i32", 1, &err), SDD_OK);
    a.primvars[0].values = sets;
    a.primvars[0].n_words = m->n_faces;
    a.primvars[0].sets = (struct set_names){names.data, m->n_faces, (int64_t)names.bytes};
    assert_int_equal(mesh_build(&a, &with, &err), SDD_OK);
    back = write_and_read(with, "def GeomSubset \"set_0_40000\"");
    sample_same(with, back);
    mesh_free(back);
    mesh_free(with);
    mesh_free(m);
    text_free(&names);
    free(sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),     cmocka_unit_test(test_ops),        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_stack),     cmocka_unit_test(test_subsets),    cmocka_unit_test(test_subset_losses),
        cmocka_unit_test(test_inherited), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_shared_values),
        cmocka_unit_test(test_many_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
