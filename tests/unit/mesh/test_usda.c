/* SPDX-License-Identifier: Apache-2.0 */
/* USDA in and out, and what a cage keeps that is written and read back. */
#include "tests/env.h"
#include "tests/oracle/shape.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define HEAD "#usda 1.0\n"
#define QUAD                                                                                                           \
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"                                                \
    "int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\n"
#define MESH(more) HEAD "def Mesh \"m\"\n{\n" QUAD more "}\n"

/* The body ends exactly where the allocation does, so that a sanitizer sees a read beyond it. */
static int read_exact(const char *text, struct mesh **m, struct text *warnings, struct sdd_error *err)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    int rc = mesh_from_usda(copy, n, m, warnings, err);
    free(copy);
    return rc;
}

static void refused(const char *text, int code, const char *says)
{
    struct sdd_error err = {0};
    struct mesh *m = (struct mesh *)1;
    int rc = read_exact(text, &m, NULL, &err);
    if (rc != code || !strstr(err.text, says))
        fail_msg("%s\ngave %d %s", text, rc, err.text);
    assert_null(m);
}

/* Reads what must be readable; the warnings must be these. */
static struct mesh *reads(const char *text, const char *says)
{
    struct sdd_error err = {0};
    struct text warnings = {0};
    struct mesh *m;
    if (read_exact(text, &m, &warnings, &err))
        fail_msg("%s: %s", err.text, text);
    assert_string_equal(warnings.data ? warnings.data : "", says);
    text_free(&warnings);
    return m;
}

static void test_attributes(void **state)
{
    static const int32_t edges[] = {0, 1, 1, 2, 2, 3}, corners[] = {0, 2};
    static const float sharp[] = {2.5f, 2.5f, 10}, corner_sharp[] = {3, 10};
    struct mesh *m =
        reads(MESH("uniform token subdivisionScheme = \"bilinear\"\ntoken interpolateBoundary = 'edgeOnly'\n"
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

static void test_scheme(void **state)
{
    (void)state;
    struct mesh *m =
        reads(MESH("custom uniform token subdd:scheme = \"sqrt3\"\nuniform token subdivisionScheme = \"loop\""), "");
    assert_int_equal(m->options.scheme, SDD_SCHEME_SQRT3);
    mesh_free(m);
    m = reads(MESH("custom token subdd:scheme = \"other\"\n"), "not kept: subdd:scheme\n");
    assert_int_equal(m->options.scheme, SDD_SCHEME_CATMULL_CLARK);
    mesh_free(m);
    refused(MESH("uniform token subdivisionScheme = \"none\""), SDD_EINVALID, "line 7: subdivisionScheme is \"none\"");
    refused(MESH("\ntoken interpolateBoundary = \"edges\""), SDD_EINVALID,
            "line 8: interpolateBoundary: \"edges\" is not one of");
    refused(MESH("token interpolateBoundary = 1"), SDD_EMALFORMED, "line 7: \"1\" where a token");
}

static void test_uvs(void **state)
{
    static const int32_t given[] = {2, 1, 0, 1}, counted[] = {0, 1, 2, 3};
    struct mesh *m =
        reads(MESH("texCoord2f[] primvars:st = [(0, 0), (1, 0), (.5, 1)] (\n interpolation = \"faceVarying\"\n)\n"
                   "int[] primvars:st:indices = [2, 1, 0, 1]\n"),
              "");
    (void)state;
    assert_int_equal(m->n_uvs, 3);
    assert_memory_equal(m->uv_indices, given, sizeof given);
    assert_true(m->uvs[4] == 0.5f && m->uvs[5] == 1);
    mesh_free(m);
    m = reads(MESH("float2[] primvars:st = [(0,0),(1,0),(1,1),(0,1)] (interpolation = \"faceVarying\")\n"), "");
    assert_memory_equal(m->uv_indices, counted, sizeof counted);
    mesh_free(m);
    m = reads(MESH("float2[] primvars:st = [(0,0),(1,0),(1,1),(0,1)] (interpolation = \"vertex\")\n"),
              "primvars:st is kept as primvar st_vertex: UVs are faceVarying, of 2 numbers\n");
    assert_int_equal(m->n_uvs, 0);
    assert_int_equal(m->n_primvars, 1);
    assert_string_equal(m->primvars[0].info.name, "st_vertex");
    assert_true(((const float *)m->primvars[0].values)[4] == 1);
    mesh_free(m);
    m = reads(MESH("float2[] primvars:st = [(0,0),(1,0),(1,1),(0,1)] (interpolation = \"vertex\")\n"
                   "float[] primvars:st_vertex = [1, 2, 3, 4] (interpolation = \"vertex\")\n"),
              "not kept: primvars:st (vertex)\n");
    assert_int_equal(m->n_primvars, 1);
    mesh_free(m);
    m = reads(MESH("int[] primvars:st = [0, 1, 2, 3] (interpolation = \"vertex\")\n"),
              "not kept: primvars:st (vertex)\n");
    mesh_free(m);
    refused(MESH("float2[] primvars:st = [(0,0),(1,0)] (interpolation = \"faceVarying\")\n"), SDD_EMESH,
            "line 7: primvars:st has 2 values for 4 face corners");
    refused(MESH("float2[] primvars:st = [(0,0)] (interpolation = \"faceVarying\")\nint[] primvars:st:indices = [0]"),
            SDD_EMESH, "line 7: stIndices has 1 rows");
    refused(MESH("float2[] primvars:st = [(0,0,0)]"), SDD_EMALFORMED, "line 7: \",\" where ')' in primvars:st");
}

static const struct primvar *primvar_of(const struct mesh *m, const char *name, int interpolation, int type, int width,
                                        int n_values)
{
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        if (strcmp(p->info.name, name) != 0)
            continue;
        assert_int_equal(p->info.interpolation, interpolation);
        assert_int_equal(p->info.type, type);
        assert_int_equal(p->info.width, width);
        assert_int_equal(p->info.n_values, n_values);
        return p;
    }
    fail_msg("no primvar %s", name);
    return NULL;
}

static void test_primvars(void **state)
{
    struct mesh *m =
        reads(MESH("color3f[] primvars:displayColor = [(1, 0, 0)] (interpolation = \"constant\")\n"
                   "half primvars:gain = 0.5\nfloat2 primvars:range = (-inf, nan)\nint[] primvars:ids = [7, 8, 9]\n"
                   "int[] primvars:part = [-3] (interpolation = \"uniform\")\n"
                   "double[] primvars:heat = [1, 2.5] (interpolation = \"varying\")\n"
                   "int[] primvars:heat:indices = [1, 0, 1, 0]\n"
                   "float[] primvars:skel:weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, "
                   "19, 20] (\n"
                   "  elementSize = 5; interpolation = \"vertex\"\n)\n"
                   "int[] primvars:map:indices = [0, 0, 1, 1]\n"
                   "texCoord2f[] primvars:map = [(0, 0), (1, 1)] (interpolation = \"faceVarying\")\n"
                   "int[] primvars:joints = [1, 2, 3, 4] (interpolation = \"vertex\")\n"
                   "float[] primvars:odd = [] (interpolation = \"sideways\")\nint[] primvars:lost:indices = [1]\n"
                   "matrix4d[] primvars:m = []\nfloat[] primvars:a::b = []\n"),
              "not kept: primvars:m, primvars:a::b, primvars:joints (vertex), primvars:odd (sideways), primvars:lost "
              "(constant)\n");
    (void)state;
    assert_int_equal(m->n_primvars, 8);
    const float *v = primvar_of(m, "displayColor", SDD_CONSTANT, PRIMVAR_F32, 3, 1)->values;
    assert_true(v[0] == 1 && v[2] == 0);
    v = primvar_of(m, "gain", SDD_CONSTANT, PRIMVAR_F32, 1, 1)->values;
    assert_true(v[0] == 0.5f);
    v = primvar_of(m, "range", SDD_CONSTANT, PRIMVAR_F32, 2, 1)->values;
    assert_true(v[0] < -3e38f && v[1] != v[1]);
    (void)primvar_of(m, "ids", SDD_CONSTANT, PRIMVAR_I32, 3, 1);
    assert_int_equal(*(const int32_t *)primvar_of(m, "part", SDD_UNIFORM, PRIMVAR_I32, 1, 1)->values, -3);
    v = primvar_of(m, "heat", SDD_VARYING, PRIMVAR_F32, 1, 4)->values;
    assert_true(v[0] == 2.5f && v[1] == 1);
    v = primvar_of(m, "skel:weights", SDD_VERTEX, PRIMVAR_F32, 5, 4)->values;
    assert_true(v[19] == 20);
    assert_int_equal(primvar_of(m, "map", SDD_FACE_VARYING, PRIMVAR_F32, 2, 2)->indices[2], 1);
    mesh_free(m);
    refused(MESH("float[] primvars:a = [1, 2] (interpolation = \"vertex\")"), SDD_EMESH,
            "line 7: a.values has 2 rows; vertex a wants 4");
    refused(MESH("float[] primvars:a = [1, inf, 2, 3] (interpolation = \"vertex\")"), SDD_EMESH,
            "line 7: a.values[1] is");
    refused(MESH("float[] primvars:a = [1]\nfloat[] primvars:a = [1]"), SDD_EMALFORMED,
            "line 8: primvars:a is there already");
    refused(MESH("float primvars:a = (1)"), SDD_EMALFORMED, "line 7: \"(\" where a number of primvars:a[0]");
    refused(MESH("float2[] primvars:st = [(0, inf)] (interpolation = \"faceVarying\")"), SDD_EMESH,
            "line 7: primvars:st[0] is not finite");
}

/* What is not kept is named, and nothing of it gets in the way. */
static void test_skipped(void **state)
{
    struct mesh *m = reads(
        "#usda 1.0\n(\n  \"a comment\"\n  defaultPrim = \"World\"\n  upAxis = \"Z\"\n  customLayerData = { string a = "
        "\"}\" }\n)\n"
        "# def Mesh \"no\" {}\nreorder rootPrims = [\"World\"]\n"
        "over \"Other\" { def Mesh \"no\" {} }\n"
        "def Xform \"World\" (\n  prepend references = @a.usda@</A> (offset = 1); kind = 'component'\n)\n{\n"
        "  matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )\n"
        "  uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"
        "  def Material \"Red\" { token outputs:surface.connect = </World/Red.out> }\n"
        "  def \"Inner\" { def Scope \"S\" {\n    def Mesh \"m\" (\n prepend apiSchemas = [\"MaterialBindingAPI\"] )\n "
        "{\n" QUAD "      float3[] extent = [(0, 0, 0), (1, 1, 0)]\n      rel material:binding = </World/Red> (\n"
        "        bindMaterialAs = \"weakerThanDescendants\"\n      )\n      bool doubleSided = 1\n"
        "      string[] primvars:tags = [\"a\"] ( interpolation = \"uniform\" )\n"
        "      point3f[] points.timeSamples = { 0: [(0, 0, 0)], 1.5: None, }\n      custom string note = '''a \"}\" \n "
        "b'''\n"
        "      int[] holeIndices = None\n      custom double nothing\n      add rel empty\n"
        "      def GeomSubset \"s\" { int[] indices = [0] }\n      variantSet \"v\" = { \"a\" { int x = 1 } }\n"
        "    }\n  } }\n}\n",
        "not kept: upAxis, prim Other, references, Material Red, material:binding, doubleSided, primvars:tags, "
        "points.timeSamples, note, nothing, empty, GeomSubset s, variantSet v\n"
        "transforms (xformOp) are not applied: points are kept as the file has them\n");
    (void)state;
    assert_int_equal(m->n_vertices, 4);
    assert_int_equal(m->n_faces, 1);
    mesh_free(m);
    char *many = malloc(40000), *at = many;
    at += snprintf(at, 1000, "%s", HEAD "def Mesh \"m\" {\n" QUAD);
    for (int i = 0; i < 1000; i++)
        at += snprintf(at, 40, "int a%d = %d\n", i, i);
    (void)snprintf(at, 40, "}");
    struct text warnings = {0};
    struct sdd_error err;
    assert_int_equal(mesh_from_usda(many, strlen(many), &m, &warnings, &err), SDD_OK);
    assert_true(warnings.bytes < 500);
    assert_non_null(strstr(warnings.data, "a9, a10"));
    assert_non_null(strstr(warnings.data, " more\n"));
    text_free(&warnings);
    mesh_free(m);
    free(many);
}

static void test_errors(void **state)
{
    (void)state;
    refused("", SDD_EMALFORMED, "line 1: the file does not begin");
    refused("#usda 1.01\n", SDD_EMALFORMED, "line 1");
    refused("#sdf 1.4.32\n", SDD_EMALFORMED, "line 1");
    refused("PXR-USDC\1\2\3", SDD_EMALFORMED, "line 1: this is binary USD");
    refused("#usda 1.0", SDD_EMESH, "no Mesh");
    refused(HEAD "def Mesh \"m\" {}", SDD_EMESH, "no points");
    refused(HEAD "def Mesh \"m\" { point3f[] points = [] }", SDD_EMESH, "no faceVertexCounts");
    refused(HEAD "def Mesh \"m\" {", SDD_EMALFORMED, "line 2: the file ends where a property");
    refused(HEAD "}", SDD_EMALFORMED, "line 2: \"}\" where a prim");
    refused(HEAD "int a = 1", SDD_EMALFORMED, "line 2: \"int\" where a prim");
    refused(HEAD "def Mesh {}", SDD_EMALFORMED, "line 2: \"{\" where the name of a prim");
    refused(MESH("") "def Mesh \"b\" {}", SDD_EINVALID, "line 8: \"b\" is a second Mesh");
    refused(HEAD "def \"a", SDD_EMALFORMED, "line 2: what begins with \" has no end");
    refused(HEAD "def \"a\n\" {}", SDD_EMALFORMED, "line 2: what begins with \"");
    refused(HEAD "def 'a\\", SDD_EMALFORMED, "line 2: what begins with '");
    refused(HEAD "def '''a''", SDD_EMALFORMED, "line 2: what begins with '");
    refused(MESH("rel a = <b\n>"), SDD_EMALFORMED, "line 7: a path has no end");
    refused(MESH("int a = [(1, 2], 3)"), SDD_EMALFORMED, "line 7: \"]\" where a bracket's end");
    refused(MESH("int a = [1, 2"), SDD_EMALFORMED, "line 7: \"}\" where a bracket's end");
    refused(MESH("int a = ="), SDD_EMALFORMED, "line 7: \"=\" where a value");
    refused(MESH("int a = \x01"), SDD_EMALFORMED, "line 7: \"?\" where a token of usda");
    refused(MESH("int[ a = 1"), SDD_EMALFORMED, "line 7: \"a\" where ']'");
    refused(MESH(QUAD), SDD_EMALFORMED, "line 7: points is there already, in line 4");
    refused(MESH("int[] holeIndices = 1"), SDD_EMALFORMED, "line 7: \"1\" where an array");
    refused(MESH("int[] holeIndices = [1.5]"), SDD_EMALFORMED, "\"1.5\" where a 32-bit integer of holeIndices[0]");
    refused(MESH("int[] holeIndices = [3000000000]"), SDD_EMALFORMED, "line 7: \"3000000000\"");
    refused(MESH("int[] holeIndices = [1 2]"), SDD_EMALFORMED, "line 7: \"2\" where ',' in holeIndices");
    refused(MESH("int[] holeIndices = [,]"), SDD_EMALFORMED, "line 7: \",\" where");
    refused(MESH("int[] holeIndices = [\n1,\n"), SDD_EMALFORMED, "line 9: \"}\" where");
    refused(MESH("float[] creaseSharpnesses = [1, inf]"), SDD_EMESH, "line 7: creaseSharpnesses[1] is not finite");
    refused(MESH("float[] creaseSharpnesses = [-nan]"), SDD_EMESH, "line 7: creaseSharpnesses[0] is not finite");
    refused(MESH("float[] creaseSharpnesses = [1e39]"), SDD_EMESH, "line 7: creaseSharpnesses[0] does not fit");
    refused(MESH("int[] creaseIndices = [0,1]\nint[] creaseLengths = [3]"), SDD_EMESH,
            "line 7: creaseLengths sum to 3");
    refused(HEAD "def Mesh \"m\" {\npoint3f[] points = [(0, 0)]", SDD_EMALFORMED, "line 3: \")\" where ',' in points");
    char deep[2000] = HEAD;
    for (int i = 0; i < 65; i++)
        (void)snprintf(deep + strlen(deep), 20, "def \"a\" {\n");
    refused(deep, SDD_EINVALID, "line 66: prims are nested deeper than 64");
    (void)snprintf(deep, sizeof deep, "%s", HEAD "def \"a\" { int a = ");
    memset(deep + strlen(deep), '[', 65);
    refused(deep, SDD_EINVALID, "brackets are nested deeper than 64");
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
    text_clear(&warnings);
    if (usda ? mesh_from_usda(text, n, &back, &warnings, &err) : mesh_from_obj(text, n, &back, &warnings, &err))
        fail_msg("%s\n%s", (char *)text, err.text);
    assert_int_equal(warnings.bytes, 0);
    text_free(&warnings);
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
        int rc = mesh_from_usda(copy, k, &back, NULL, &err);
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
    assert_int_equal(positions_from_usda(text, sizeof text - 1, &p, &err), SDD_OK);
    assert_int_equal(positions_check(p, 2, 1, &err), SDD_OK);
    assert_true(p->ranges[0].points[5] == 3);
    positions_free(p);
    assert_int_equal(positions_from_usda(text, 20, &p, &err), SDD_EMALFORMED);
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
    for (int64_t i = 0; i < 3 * m->n_vertices; i++)
        m->points[i] = m->points[i] / 7 + 0.123f;
    assert_int_equal(mesh_to_usda(m, &text, &n, NULL, &err), SDD_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(mesh_from_usda(text, n, &back, NULL, &err), SDD_OK);
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
        cmocka_unit_test(test_attributes), cmocka_unit_test(test_scheme),
        cmocka_unit_test(test_primvars),   cmocka_unit_test(test_primvars_round_trip),
        cmocka_unit_test(test_uvs),        cmocka_unit_test(test_skipped),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_prim_names),
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_positions),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
