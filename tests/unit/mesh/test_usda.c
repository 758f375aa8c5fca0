/* SPDX-License-Identifier: Apache-2.0 */
/* USDA in and out, and what a cage keeps that is written and read back. */
#include "server/base/shared.h"
#include "tests/env.h"
#include "tests/oracle/shape.h"
#include "tests/unit/mesh/usda_read.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static void test_attributes(void **state)
{
    static const int32_t edges[] = {0, 1, 1, 2, 2, 3}, corners[] = {0, 2};
    static const float sharp[] = {2.5f, 2.5f, 10}, corner_sharp[] = {3, 10};
    struct mesh *m =
        usda_reads(MESH("uniform token subdivisionScheme = \"bilinear\"\ntoken interpolateBoundary = 'edgeOnly'\n"
                        "token faceVaryingLinearInterpolation = \"all\"; token triangleSubdivisionRule = "
                        "\"\"\"smooth\"\"\"\nuniform token orientation = \"leftHanded\" (doc = \"mirrored\")\n"
                        "int[] creaseIndices = [0,1,2,  2,3]\nint[] creaseLengths = [3, 2,]\n"
                        "float[] creaseSharpnesses = [2.5, 1e1]\nint[] cornerIndices = [2,0]\n"
                        "float[] cornerSharpnesses = [12, 3] # ten is infinite\nint[] holeIndices = [0]\n"
                        "custom uniform token subdd:creaseMethod = \"chaikin\"\n"),
                   "");
    (void)state;
    assert_int_equal(m->options.scheme, SDD_SCHEME_BILINEAR);
    assert_int_equal(m->options.boundary, SDD_BOUNDARY_EDGE_ONLY);
    assert_int_equal(m->options.fvar, SDD_FVAR_ALL);
    assert_int_equal(m->options.triangle_rule, SDD_TRIANGLE_SMOOTH);
    assert_int_equal(m->options.crease_method, SDD_CREASE_CHAIKIN);
    assert_int_equal(m->options.orientation, SDD_LEFT_HANDED);
    assert_int_equal(m->n_creases, 3);
    assert_memory_equal(m->crease_edges, edges, sizeof edges);
    assert_memory_equal(m->crease_sharpness, sharp, sizeof sharp);
    assert_int_equal(m->n_corner_tags, 2);
    assert_memory_equal(m->corner_vertices, corners, sizeof corners);
    assert_memory_equal(m->corner_sharpness, corner_sharp, sizeof corner_sharp);
    assert_int_equal(m->n_holes, 1);
    mesh_free(m);
}

/* Sharp without end is sharp to any level; a sharpness that is no number loses its crease. */
static void test_infinite(void **state)
{
    struct mesh *m =
        usda_reads(MESH("int[] creaseIndices = [0,1, 1,2, 2,3]\nint[] creaseLengths = [2, 2, 2]\n"
                        "float[] creaseSharpnesses = [inf, nan, 1e39]\nint[] cornerIndices = [0]\n"
                        "float[] cornerSharpnesses = [inf]\n"),
                   "line 7: creaseSharpnesses[1] is nan; sharpness is a finite number of at least 0; the crease "
                   "is left out\n");
    (void)state;
    assert_int_equal(m->n_creases, 2);
    assert_true(m->crease_sharpness[0] == 10 && m->crease_sharpness[1] == 10 && m->corner_sharpness[0] == 10);
    mesh_free(m);
}

static void test_scheme(void **state)
{
    (void)state;
    struct mesh *m = usda_reads(
        MESH("custom uniform token subdd:scheme = \"sqrt3\"\nuniform token subdivisionScheme = \"loop\""), "");
    assert_int_equal(m->options.scheme, SDD_SCHEME_SQRT3);
    mesh_free(m);
    m = usda_reads(MESH("custom token subdd:scheme = \"other\"\n"), "");
    assert_int_equal(m->options.scheme, SDD_SCHEME_CATMULL_CLARK);
    mesh_free(m);
    usda_refused(MESH("uniform token subdivisionScheme = \"none\""), SDD_EINVALID,
                 "line 7: subdivisionScheme is \"none\"");
    usda_refused(MESH("\ntoken interpolateBoundary = \"edges\""), SDD_EINVALID,
                 "line 8: interpolateBoundary: \"edges\" is not one of");
    usda_refused(MESH("token interpolateBoundary = 1"), SDD_EMALFORMED, "line 7: \"1\" where a token");
}

static void test_uvs(void **state)
{
    static const int32_t given[] = {2, 1, 0, 1}, counted[] = {0, 1, 2, 3};
    struct mesh *m =
        usda_reads(MESH("texCoord2f[] primvars:st = [(0, 0), (1, 0), (.5, 1)] (\n interpolation = \"faceVarying\"\n)\n"
                        "int[] primvars:st:indices = [2, 1, 0, 1]\n"),
                   "");
    (void)state;
    assert_int_equal(m->n_uvs, 3);
    assert_memory_equal(m->uv_indices, given, sizeof given);
    assert_true(m->uvs[4] == 0.5f && m->uvs[5] == 1);
    mesh_free(m);
    m = usda_reads(MESH("float2[] primvars:st = [(0,0),(1,0),(1,1),(0,1)] (interpolation = \"faceVarying\")\n"), "");
    assert_memory_equal(m->uv_indices, counted, sizeof counted);
    mesh_free(m);
    m = usda_reads(MESH("texCoord3f[] primvars:st = [(0,0,0)] (interpolation = \"uniform\")\n"), "");
    assert_int_equal(m->n_uvs, 0);
    (void)usda_primvar(m, "st_uniform", SDD_UNIFORM, PRIMVAR_F32, 3, 1);
    mesh_free(m);
    /* UVs that are wrong in any way are left out, and the mesh is there. */
    static const char *const wrong[][2] = {
        {"float2[] primvars:st = [(0,0),(1,0)] (interpolation = \"faceVarying\")",
         "line 7: primvars:st has 2 values, faceVarying wants 4: the UVs are left out\n"},
        {"float2[] primvars:st = [(0,0)] (interpolation = \"faceVarying\")\nint[] primvars:st:indices = [0]",
         "line 7: primvars:st has 1 indices, faceVarying wants 4: the UVs are left out\n"},
        {"float2[] primvars:st = [(0,0,0)]",
         "line 7: \",\" where ')' in primvars:st is wanted: primvars:st is not kept\n"},
        {"float2[] primvars:st = [(0,0)] (interpolation = \"sideways\")",
         "line 7: primvars:st has interpolation \"sideways\" and elementSize 1: the UVs are left out\n"},
        {"int[] primvars:st = [0, 1, 2, 3] (interpolation = \"vertex\")",
         "line 7: primvars:st_vertex is not kept: st_vertex.type: vertex values are f32; i32 is for constant and "
         "uniform\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text, MESH("%s\n"), wrong[i][0]);
        m = usda_reads(text, wrong[i][1]);
        assert_int_equal(m->n_uvs + m->n_primvars, 0);
        mesh_free(m);
    }
    m = usda_reads(MESH("float2[] primvars:st = [(0, 0), (0, inf), (0, 0), (0, 0)] (interpolation = \"faceVarying\")"),
                   "line 7: st[1] is inf; it must be finite and within +-1e+30; the UVs are left out\n");
    assert_int_equal(m->n_uvs, 0);
    mesh_free(m);
}

/* UVs of each class, and under each name. */
static void test_uv_classes(void **state)
{
    static const struct {
        const char *text;
        int32_t n, indices[8];
    } rows[] = {
        {"texCoord2f[] primvars:st = [(0,0),(1,0),(1,1),(0,1),(2,0),(2,1)] (interpolation = \"vertex\")",
         6,
         {0, 1, 2, 3, 1, 4, 5, 2}},
        {"double2[] primvars:st = [(0,0),(1,0),(1,1),(0,1),(2,0),(2,1)] (interpolation = \"varying\")",
         6,
         {0, 1, 2, 3, 1, 4, 5, 2}},
        {"texCoord2h[] primvars:map1 = [(0,0),(1,1)] (interpolation = \"vertex\")\n"
         "int[] primvars:map1:indices = [1, 0, 0, 0, 1, 1]",
         2,
         {1, 0, 0, 0, 0, 1, 1, 0}},
        {"half2[] primvars:UVMap = [(0,0),(1,1)] (interpolation = \"uniform\")", 2, {0, 0, 0, 0, 1, 1, 1, 1}},
        {"float2[] primvars:uv = [(0,0),(1,1)] (interpolation = \"uniform\")\nint[] primvars:uv:indices = [1, 1]",
         2,
         {1, 1, 1, 1, 1, 1, 1, 1}},
        {"texCoord2f[] primvars:anything = [(3,4)]", 1, {0}},
        {"texCoord2f[] primvars:st (interpolation = \"faceVarying\")\ntexCoord2f[] primvars:st.timeSamples = "
         "{ 1: [(0,0),(1,0),(1,1),(0,1),(2,0),(2,1),(3,0),(3,1)] }",
         8,
         {0, 1, 2, 3, 4, 5, 6, 7}},
        {"texCoord2f[] primvars:a = [(0,0),(1,1)] (interpolation = \"uniform\")\n"
         "texCoord2f[] primvars:st = [(3,4)] (interpolation = \"constant\")",
         1,
         {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       HEAD "def Mesh \"m\" {\nint[] faceVertexCounts = [4, 4]\n"
                            "int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]\n"
                            "point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0), (2,0,0), (2,1,0)]\n%s\n}\n",
                       rows[i].text);
        struct mesh *m = usda_reads(text, "");
        assert_int_equal(m->n_uvs, rows[i].n);
        assert_memory_equal(m->uv_indices, rows[i].indices, sizeof rows[i].indices);
        mesh_free(m);
    }
    struct mesh *m = usda_reads(
        MESH("texCoord2f[] primvars:a = [(0,0)]\ntexCoord2f[] primvars:b = [(1,1)]\nfloat2[] primvars:c = [(1,1)]"),
        "line 7: primvars:a is taken as the UVs, as the first of 2 of texture coordinates of which none is st; the "
        "others stay primvars\n");
    assert_true(m->n_uvs == 1 && m->uvs[0] == 0);
    assert_int_equal(m->n_primvars, 2);
    mesh_free(m);
}

static void test_primvars(void **state)
{
    struct mesh *m = usda_reads(
        MESH("color3f[] primvars:displayColor = [(1, 0, 0)] (interpolation = \"constant\")\n"
             "half primvars:gain = 0.5\nfloat2 primvars:range = (-2, 1e3)\nint[] primvars:ids = [7, 8, 9]\n"
             "int[] primvars:part = [-3] (interpolation = \"uniform\")\n"
             "double[] primvars:heat = [1, 2.5] (interpolation = \"varying\")\n"
             "int[] primvars:heat:indices = [1, 0, 1, 0]\n"
             "float[] primvars:skel:weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, "
             "19, 20] (\n"
             "  elementSize = 5; interpolation = \"vertex\"\n)\n"
             "int[] primvars:map:indices = [0, 0, 1, 1]\n"
             "float2[] primvars:map = [(0, 0), (1, 1)] (interpolation = \"faceVarying\")\n"
             "int[] primvars:joints = [1, 2, 3, 4] (interpolation = \"vertex\")\n"
             "float[] primvars:odd = [] (interpolation = \"sideways\")\nint[] primvars:lost:indices = [1]\n"
             "matrix4d[] primvars:m = []\nfloat[] primvars:a::b = []\n"),
        "line 22: primvars:m is not kept: its type matrix4d is none of numbers that a mesh keeps\n"
        "line 23: primvars:a::b is not kept: no primvar can have this name\n"
        "line 19: primvars:joints is not kept: joints.type: vertex values are f32; i32 is for constant and uniform\n"
        "line 20: primvars:odd is not kept: odd.interpolation is one of constant, uniform, varying, vertex, "
        "faceVarying, not \"sideways\"\n");
    (void)state;
    assert_int_equal(m->n_primvars, 8);
    const float *v = usda_primvar(m, "displayColor", SDD_CONSTANT, PRIMVAR_F32, 3, 1)->values;
    assert_true(v[0] == 1 && v[2] == 0);
    v = usda_primvar(m, "gain", SDD_CONSTANT, PRIMVAR_F32, 1, 1)->values;
    assert_true(v[0] == 0.5f);
    v = usda_primvar(m, "range", SDD_CONSTANT, PRIMVAR_F32, 2, 1)->values;
    assert_true(v[0] == -2 && v[1] == 1000);
    (void)usda_primvar(m, "ids", SDD_CONSTANT, PRIMVAR_I32, 3, 1);
    assert_int_equal(*(const int32_t *)usda_primvar(m, "part", SDD_UNIFORM, PRIMVAR_I32, 1, 1)->values, -3);
    v = usda_primvar(m, "heat", SDD_VARYING, PRIMVAR_F32, 1, 4)->values;
    assert_true(v[0] == 2.5f && v[1] == 1);
    v = usda_primvar(m, "skel:weights", SDD_VERTEX, PRIMVAR_F32, 5, 4)->values;
    assert_true(v[19] == 20);
    assert_int_equal(usda_primvar(m, "map", SDD_FACE_VARYING, PRIMVAR_F32, 2, 2)->indices[2], 1);
    mesh_free(m);
    static const char *const wrong[][2] = {
        {"float[] primvars:a = [1, 2] (interpolation = \"vertex\")",
         "line 7: a.values has 2 rows; vertex a wants 4; primvar a is left out\n"},
        {"float[] primvars:a = [1, inf, 2, 3] (interpolation = \"vertex\")",
         "line 7: a.values[1] is inf; it must be finite and within +-1e+30; primvar a is left out\n"},
        {"double[] primvars:a = [1, 1e39, 2, 3] (interpolation = \"vertex\")",
         "line 7: a.values[1] is inf; it must be finite and within +-1e+30; primvar a is left out\n"},
        {"float primvars:a = (1)", "line 7: \"(\" where a number of primvars:a[0] is wanted: primvars:a is not kept\n"},
        {"int64 primvars:a = 3000000000",
         "line 7: \"3000000000\" where a 32-bit integer of primvars:a[0] is wanted: primvars:a is not kept\n"},
        {"string primvars:a = \"inf\"",
         "line 7: primvars:a is not kept: its type string is none of numbers that a mesh keeps\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text, MESH("%s\n"), wrong[i][0]);
        m = usda_reads(text, wrong[i][1]);
        assert_int_equal(m->n_primvars, 0);
        mesh_free(m);
    }
    m = usda_reads(MESH("float[] primvars:a = [1]\nfloat[] primvars:a = [2]"), "");
    assert_true(*(const float *)usda_primvar(m, "a", SDD_CONSTANT, PRIMVAR_F32, 1, 1)->values == 2);
    mesh_free(m);
}

/* What is not kept is named by kinds, and nothing of it gets in the way. */
static void test_skipped(void **state)
{
    struct mesh *m = usda_reads(
        "#usda 1.0\n(\n  \"a comment\"\n  defaultPrim = \"World\"\n  customLayerData = { string a = \"}\" }\n)\n"
        "# def Mesh \"no\" {}\nreorder rootPrims = [\"World\"]\n"
        "over \"Other\" { def Mesh \"no\" {} }\n"
        "def Xform \"World\" (\n  prepend references = @a.usda@</A> (offset = 1); kind = 'component'\n)\n{\n"
        "  def Material \"Red\" { token outputs:surface.connect = </World/Red.out>\n def Shader \"s\" {} }\n"
        "  def Material \"Named\" {\n}\n  def Material \"Blue\" { int a }\n  def Camera \"c\" {}\n"
        "  def \"Inner\" { def Scope \"S\" {\n    def Mesh \"m\" (\n prepend apiSchemas = [\"MaterialBindingAPI\"] )\n "
        "{\n" QUAD "      float3[] extent = [(0, 0, 0), (1, 1, 0)]\n      bool doubleSided = 1\n"
        "      string[] primvars:tags = [\"a\"] ( interpolation = \"uniform\" )\n"
        "      custom string note = '''a \"}\" \n b'''\n      int[] holeIndices = None\n      custom double nothing\n"
        "      add rel empty\n      normal3f[] normals = [(0, 0, 1)] (interpolation = \"constant\")\n"
        "      variantSet \"v\" = { \"a\" { int x = 1 } \"b\" ( kind = \"x\" ) {} }\n"
        "    }\n  } }\n}\n",
        "line 14: Material \"Red\" is not kept: it is no Mesh (and 1 more)\n"
        "line 19: Camera \"c\" is not kept: it is no Mesh\n"
        "line 29: primvars:tags is not kept: its type string is none of numbers that a mesh keeps\n"
        "line 11: references @a.usda@ is not followed, as other files are not read: usdcat --flatten "
        "IN "
        "-o OUT.usda\n"
        "line 36: the variant set v has no variant selected of a, b, so none is taken\n"
        "line 30: the property note of the Mesh is not kept (and 2 more)\n");
    (void)state;
    assert_int_equal(m->n_vertices, 4);
    assert_int_equal(m->n_faces, 1);
    mesh_free(m);
}

static void test_errors(void **state)
{
    (void)state;
    usda_refused("", SDD_EMALFORMED, "line 1: the file does not begin");
    usda_refused("#usda 1.01\n", SDD_EMALFORMED, "line 1");
    usda_refused("#sdf 1.4.32\n", SDD_EMALFORMED, "line 1");
    usda_refused("PXR-USDC\1\2\3", SDD_EMALFORMED, "line 1: this is binary USD");
    usda_refused("#usda 1.0", SDD_EMESH, "no Mesh");
    usda_refused(HEAD "def Mesh \"m\" {}", SDD_EMESH, "no points");
    usda_refused(HEAD "def Mesh \"m\" { point3f[] points = [] }", SDD_EMESH, "no faceVertexCounts");
    usda_refused(HEAD "def Mesh \"m\" {", SDD_EMALFORMED, "line 2: the file ends where a property");
    usda_refused(HEAD "}", SDD_EMALFORMED, "line 2: \"}\" where a prim");
    usda_refused(HEAD "int a = 1", SDD_EMALFORMED, "line 2: \"int\" where a prim");
    usda_refused(HEAD "def Mesh {}", SDD_EMALFORMED, "line 2: \"{\" where the name of a prim");
    usda_refused(MESH("") "def Mesh \"b\" {}", SDD_EINVALID, "the file has 2 Mesh prims (/m, /b): ask");
    usda_refused(HEAD "def \"a", SDD_EMALFORMED, "line 2: the text that begins with \" is never closed");
    usda_refused(HEAD "def \"a\n\" {}", SDD_EMALFORMED, "line 2: the text that begins with \" is never closed");
    usda_refused(HEAD "def 'a\\", SDD_EMALFORMED, "line 2: the text that begins with ' is never closed");
    usda_refused(HEAD "def '''a''", SDD_EMALFORMED, "line 2: the text that begins with ' is never closed");
    usda_refused(MESH("rel a = <b\n>"), SDD_EMALFORMED, "line 7: a path has no end");
    usda_refused(MESH("int a = [(1, 2], 3)"), SDD_EMALFORMED, "line 7: \"]\" where a bracket's end");
    usda_refused(MESH("int a = [1, 2"), SDD_EMALFORMED, "line 7: \"}\" where a bracket's end");
    usda_refused(MESH("int a = ="), SDD_EMALFORMED, "line 7: \"=\" where a value");
    usda_refused(MESH("int a = \x01"), SDD_EMALFORMED, "line 7: \"?\" where a token of usda");
    usda_refused(MESH("int[ a = 1"), SDD_EMALFORMED, "line 7: \"a\" where ']'");
    usda_refused(MESH("int[] holeIndices = 1"), SDD_EMALFORMED, "line 7: \"1\" where an array");
    usda_refused(MESH("int[] holeIndices = [1.5]"), SDD_EMALFORMED, "\"1.5\" where a 32-bit integer of holeIndices[0]");
    usda_refused(MESH("int[] holeIndices = [3000000000]"), SDD_EMALFORMED, "line 7: \"3000000000\"");
    usda_refused(MESH("int[] holeIndices = [1 2]"), SDD_EMALFORMED, "line 7: \"2\" where ',' in holeIndices");
    usda_refused(MESH("int[] holeIndices = [,]"), SDD_EMALFORMED, "line 7: \",\" where");
    usda_refused(MESH("int[] holeIndices = [\n1,\n"), SDD_EMALFORMED, "line 9: \"}\" where");
    usda_refused(MESH("int[] creaseIndices = [0,1]\nint[] creaseLengths = [3]"), SDD_EMESH,
                 "line 7: creaseLengths sum to 3");
    usda_refused(HEAD "def Mesh \"m\" {\npoint3f[] points = [(0, 0)] }", SDD_EMALFORMED,
                 "line 3: \")\" where ',' in points");
    char deep[4000] = HEAD;
    for (int i = 0; i < 129; i++)
        (void)snprintf(deep + strlen(deep), 20, "def \"a\" {\n");
    usda_refused(deep, SDD_EINVALID, "line 130: prims are nested deeper than 128");
    (void)snprintf(deep, sizeof deep, "%s", HEAD "def \"a\" { int a = ");
    memset(deep + strlen(deep), '[', 65);
    usda_refused(deep, SDD_EINVALID, "brackets are nested deeper than 64");
}

static struct mesh *write_and_read(const struct mesh *m, int usda, const char *lost)
{
    struct sdd_error err = {0};
    struct text warnings = {0};
    struct mesh *back = NULL;
    void *text;
    size_t n;
    assert_int_equal((usda ? mesh_to_usda : mesh_to_obj)(m, &text, &n, &warnings, &err), SDD_OK);
    assert_string_equal(warnings.data ? warnings.data : "", lost);
    text_free(&warnings);
    struct losses losses = {0};
    if (usda ? mesh_from_usda(text, n, NULL, &back, NULL, &losses, &err) : mesh_from_obj(text, n, &back, &losses, &err))
        fail_msg("%s\n%s", (char *)text, err.text);
    assert_int_equal(losses.n, 0);
    free(text);
    return back;
}

static struct mesh *through_json(const struct mesh *m)
{
    struct sdd_error err = {0};
    struct mesh *back;
    void *text;
    size_t n;
    assert_int_equal(mesh_to_json(m, &text, &n, &err), SDD_OK);
    if (mesh_from_json(text, n, &back, NULL, &err))
        fail_msg("%.2000s\n%s", (char *)text, err.text);
    free(text);
    return back;
}

/* Every prefix of a good file is read or refused, never more. */
static void test_prefixes(void **state)
{
    struct mesh *m = sample_cube(), *back;
    struct sdd_error err;
    void *text;
    size_t n;
    (void)state;
    assert_int_equal(mesh_to_usda(m, &text, &n, NULL, &err), SDD_OK);
    for (size_t k = 0; k <= n; k++) {
        char *copy = malloc(k ? k : 1);
        memcpy(copy, text, k);
        int rc = mesh_from_usda(copy, k, NULL, &back, NULL, NULL, &err);
        assert_true(rc == SDD_OK ? k + 1 >= n : *err.text != 0);
        mesh_free(back);
        free(copy);
    }
    free(text);
    mesh_free(m);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct mesh *m = sample_cube(), *back;
    m->points[0] = 0.1f;
    m->points[1] = 1e-42f;
    m->points[2] = -3.4028235e38f;
    m->points[3] = -0.0f;
    m->options = (struct sdd_options){SDD_SCHEME_SQRT3,    SDD_BOUNDARY_NONE,  SDD_FVAR_BOUNDARIES,
                                      SDD_TRIANGLE_SMOOTH, SDD_CREASE_CHAIKIN, SDD_LEFT_HANDED};
    (void)snprintf(m->name, sizeof m->name, "7up.new-x");
    back = write_and_read(m, 1,
                          "subdivisionScheme = sqrt3 is not USD's: other readers than subdd refine by loop\n"
                          "creaseMethod = chaikin is not USD's: other readers than subdd crease uniformly\n");
    sample_same(m, back);
    mesh_free(back);
    back =
        write_and_read(m, 0,
                       "subdivisionScheme = sqrt3 is not carried: OBJ has no tag for it; read the file with --scheme "
                       "sqrt3\norientation = leftHanded is not carried: OBJ has no tag for it; read the file with "
                       "--orientation leftHanded\n");
    back->options.scheme = SDD_SCHEME_SQRT3;
    back->options.orientation = SDD_LEFT_HANDED;
    sample_same(m, back);
    mesh_free(back);
    m->options = (struct sdd_options){0};
    m->face_ids[5] = 9;
    m->next_face_id = 10;
    memset(m->name, 'a', MESH_NAME_SIZE - 1);
    m->name[0] = '8';
    static const char ids[] = "ids of vertices and faces are not carried: who reads the file numbers the rows from 0\n";
    mesh_free(write_and_read(m, 0, ids));
    m->name[0] = 'b';
    mesh_free(write_and_read(m, 1, ids));
    mesh_free(m);
}

/* A prim's name is one that every USD takes; what the mesh is called is then its displayName. */
static void test_prim_names(void **state)
{
    static const char *const rows[][2] = {
        {"", "def Mesh \"mesh\"\n{"},
        {"Cube_2", "def Mesh \"Cube_2\"\n{"},
        {"7up.new-x", "def Mesh \"_7up_new_x\" (\n    displayName = \"7up.new-x\"\n)\n{"},
        {"a/b:c|d e", "def Mesh \"a_b_c_d_e\" (\n    displayName = \"a/b:c|d e\"\n)\n{"},
        {"\xe6\x97\xa5\xf0\x9f\x98\x80z",
         "def Mesh \"__z\" (\n    displayName = \"\xe6\x97\xa5\xf0\x9f\x98\x80z\"\n)\n{"},
        {"a\"b\\", "def Mesh \"a_b_\" (\n    displayName = \"a\\\"b\\\\\"\n)\n{"},
    };
    struct mesh *m = sample_cube();
    struct sdd_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text lost = {0};
        void *text;
        size_t n;
        (void)snprintf(m->name, sizeof m->name, "%s", rows[i][0]);
        assert_int_equal(mesh_to_usda(m, &text, &n, &lost, &err), SDD_OK);
        if (!memmem(text, n, rows[i][1], strlen(rows[i][1])))
            fail_msg("%s is not in %.*s", rows[i][1], (int)n, (char *)text);
        assert_int_equal(lost.bytes, 0);
        free(text);
        mesh_free(write_and_read(m, 1, ""));
    }
    mesh_free(m);
}

static void test_primvars_round_trip(void **state)
{
    char ids[2][MESH_TOPOLOGY_ID_SIZE];
    struct sdd_error err;
    struct mesh *m = sample_json(sample_primvars_json), *back = write_and_read(m, 1, "");
    (void)state;
    sample_same(m, back);
    assert_int_equal(mesh_topology_id(m, ids[0], &err) | mesh_topology_id(back, ids[1], &err), SDD_OK);
    assert_string_equal(ids[0], ids[1]);
    mesh_free(back);
    back = through_json(m);
    sample_same(m, back);
    mesh_free(back);
    mesh_free(write_and_read(m, 0, "primvars are not carried: asset:id, displayColor, map, material, weight\n"));
    (void)snprintf(m->primvars[0].info.name, PRIMVAR_NAME_SIZE, "a:indices");
    back = write_and_read(m, 1, "the primvar a:indices is not carried: USD cannot have one of that name\n");
    assert_int_equal(back->n_primvars, 4);
    mesh_free(back);
    mesh_free(m);
}

/* All shapes, through all text formats: the same topology, and the same bits. */
static void test_shapes(void **state)
{
    static const char *const folders[] = {"", "/nonmanifold"};
    int n_shapes = 0;
    (void)state;
    for (int d = 0; d < 2; d++) {
        char dir[4096], ids[4][MESH_TOPOLOGY_ID_SIZE];
        size_t n;
        (void)snprintf(dir, sizeof dir, "%s%s", test_shapes_dir(), folders[d]);
        char **names = shape_list(dir, &n);
        assert_non_null(names);
        for (size_t i = 0; i < n; i++, n_shapes++) {
            struct sdd_error err = {0};
            struct shape s;
            if (shape_load(dir, names[i], &s, &err))
                fail_msg("%s: %s", names[i], err.text);
            struct mesh *usda = write_and_read(s.mesh, 1, ""), *obj = write_and_read(s.mesh, 0, ""),
                        *json = through_json(s.mesh);
            sample_same(s.mesh, usda);
            sample_same(s.mesh, obj);
            sample_same(s.mesh, json);
            assert_int_equal(mesh_topology_id(s.mesh, ids[0], &err), SDD_OK);
            assert_int_equal(mesh_topology_id(usda, ids[1], &err), SDD_OK);
            assert_int_equal(mesh_topology_id(obj, ids[2], &err), SDD_OK);
            assert_string_equal(ids[0], ids[1]);
            assert_int_equal(mesh_topology_id(json, ids[3], &err), SDD_OK);
            assert_string_equal(ids[0], ids[2]);
            assert_string_equal(ids[0], ids[3]);
            mesh_free(json);
            mesh_free(usda);
            mesh_free(obj);
            shape_free(&s);
        }
        shape_list_free(names);
    }
    print_message("%d shapes\n", n_shapes);
    assert_true(n_shapes > 100);
}

static void test_positions(void **state)
{
    struct sdd_error err;
    struct positions *p;
    (void)state;
    static const char text[] = HEAD "def Mesh \"m\" { point3f[] points = [(0, 0, 0), (1, 2, 3)] }";
    assert_int_equal(positions_from_usda(text, sizeof text - 1, NULL, &p, &err), SDD_OK);
    assert_int_equal(positions_check(p, 2, 1, &err), SDD_OK);
    assert_true(p->ranges[0].points[5] == 3);
    positions_free(p);
    assert_int_equal(positions_from_usda(text, 20, NULL, &p, &err), SDD_EMALFORMED);
    assert_null(p);
}

/* Reading is linear and fast. The bound is a tenth of what is usual, for busy machines. */
static void test_speed(void **state)
{
    struct mesh *m = sample_grid(600, 600), *back;
    struct sdd_error err;
    struct timespec a, b;
    void *text;
    size_t n;
    (void)state;
    assert_true(shared_touch(m->points, 0, (size_t)m->n_vertices * 12));
    for (int64_t i = 0; i < 3 * m->n_vertices; i++)
        m->points[i] = m->points[i] / 7 + 0.123f;
    assert_int_equal(mesh_to_usda(m, &text, &n, NULL, &err), SDD_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(mesh_from_usda(text, n, NULL, &back, NULL, NULL, &err), SDD_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    print_message("USDA: %.1f MB in %.1f ms, %.0f MB/s\n", (double)n / 1e6, seconds * 1e3, (double)n / 1e6 / seconds);
    sample_same(m, back);
    assert_true(seconds < 3);
    free(text);
    mesh_free(back);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_scheme),
        cmocka_unit_test(test_primvars),
        cmocka_unit_test(test_primvars_round_trip),
        cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_uv_classes),
        cmocka_unit_test(test_skipped),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_prim_names),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
