/* SPDX-License-Identifier: Apache-2.0 */
/* Which Mesh of a USDA file is read, and which of its opinions: USD's composition within one file, and time. */
#include "server/base/stop.h"
#include "tests/unit/mesh/usda_read.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

/* A Mesh whose first point tells which one it is. */
#define AT(x) "point3f[] points = [(" #x ", 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n" FACE

static void is(const char *text, const struct usda_ask *ask, float x, const char *name, const char *says)
{
    struct mesh *m = usda_reads_ask(text, ask, says);
    if (m->points[0] != x || m->n_faces != 1 || strcmp(m->name, name) != 0)
        fail_msg("%s\ngave %s with %g, %lld faces", text, m->name, (double)m->points[0], (long long)m->n_faces);
    mesh_free(m);
}

static void test_comments(void **state)
{
    (void)state;
    is(HEAD "// one\n/* two\n } */ def Mesh \"m\" /*, three */ { // four \"\n" AT(
           7) "string s = \"a // b /* c # d\" # e\n"
              "/**/ asset a = @http://b@ /***/\n}\n// no end",
       NULL, 7, "/m", "line 8: the property s of the Mesh is not kept (and 1 more)\n");
    is(HEAD "def Mesh \"m\" { point3f[] points = [(7, 0, 0), // x\n(1, /* ] */ 0, 0), # )\n(1, 1, 0), (0, 1, 0)]\n" FACE
            "} /* no end",
       NULL, 7, "/m", "");
    usda_refused(HEAD "def Mesh \"m\" { /* " QUAD "}", SDD_EMALFORMED, "line 5: the file ends");
    usda_refused(HEAD "def Mesh \"m\" { / }", SDD_EMALFORMED, "line 2: \"/\" where a token");
}

static void test_values(void **state)
{
    (void)state;
    is(HEAD "def Mesh \"m\" {\n" AT(
           7) "asset a = @@@x_\\@@@1.png@@@\nasset b = @@@two@@.png@@@\nasset c = @@@ends@@@@@\n"
              "asset d = @@\nasset[] e = [@a]@, @@@}@@@]\nstring f = \"a\\\"}\"\nstring g = 'it\\'s'\nstring h = \"\"\n"
              "string i = \"\"\"\n\"quoted\"\n\\\"\"\"\"\nstring j = '''\n''a''\n'''\nstring[] k = [\"]\", 'b',]\n"
              "dictionary l = {\n string m = \"}\"\n dictionary n = { int[] o = [1, [2]] }\n}\n"
              "custom uniform token p = \"q\"; varying float r = 1; config double s = inf\nrel t = [</a>, </b>,]\n"
              "add rel u = </c>\nprepend token v.connect = </d.e>\ntoken v.connect = [</d.e>]\nreorder properties = "
              "[\"a\"]\n"
              "matrix4d w = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )\nfloat x (\n doc = "
              "\"\"\"y\"\"\"\n"
              " customData = { string z = \")\" }\n)\nstring \xc3\xa9 = \"\xc3\xa9\"\nfloat y.timeSamples = {0: 1, "
              "1.5: None, -2e1: 3,}\n"
              "}\n",
       NULL, 7, "/m", "line 6: the property a of the Mesh is not kept (and 22 more)\n");
}

/* The strings inf and nan are no numbers, and numbers may be in any of USD's forms. */
static void test_numbers(void **state)
{
    (void)state;
    is(HEAD "def Mesh \"m\" { float3[] points = [(7., 1e-3, +0.0), (.5, -1.E+2, 0), (1, 1, 0), (0, 1, 0),]\n" FACE
            "token inf = \"inf\"\nfloat a = -inf\nstring primvars:b = \"nan\"\n}",
       NULL, 7, "/m",
       "line 7: primvars:b is not kept: its type string is none of numbers that a mesh keeps\n"
       "line 5: the property inf of the Mesh is not kept (and 1 more)\n");
    usda_refused(HEAD "def Mesh \"m\" { point3f[] points = [(\"1\", 0, 0)]\n" FACE "}", SDD_EMALFORMED,
                 "line 2: \"1\" where a number of points[0]");
    usda_refused(HEAD "def Mesh \"m\" { point3f[] points = [(nan, 0, 0)]\n" FACE "}", SDD_EMESH,
                 "line 2: points[0] is not finite");
}

static void test_parents(void **state)
{
    static const char *const heads[] = {"#usda 1.0\n", "#usda 1.0", "#usda 1.1\n", "\xef\xbb\xbf#usda 1.0\r\n",
                                        "#usda 1.0\r# a\r"};
    (void)state;
    is(HEAD "def SkelRoot \"r\" { def Skeleton \"s\" {} def Mesh \"m\" {" AT(7) "} }", NULL, 7, "/r/m",
       "line 2: Skeleton \"s\" is not kept: it is no Mesh\n"
       "the points are as the file has them: skeletons and blend shapes are not applied\n");
    is(HEAD "def MyType \"r\" { def Some.Type \"s\" { def \"t\" { def Mesh \"m\" {" AT(7) "} } } }", NULL, 7,
       "/r/s/t/m", "");
    is(HEAD "def Mesh \"m\" (\n displayName = \"a \\\"b\\\"\"\n) {" AT(7) "}", NULL, 7, "a \"b\"", "");
    for (size_t i = 1; i < sizeof heads / sizeof *heads; i++) {
        char text[500];
        (void)snprintf(text, sizeof text, "%s\ndef Mesh \"m\" {" AT(7) "}", heads[i]);
        is(text, NULL, 7, "/m", "");
    }
    usda_refused("#usda 2.0\n", SDD_EMALFORMED, "does not begin with");
    usda_refused("PK\3\4", SDD_EMALFORMED, "usdcat");
    usda_refused("\xff\xfe#", SDD_EMALFORMED, "UTF-16");
}

static void test_on_stage(void **state)
{
    (void)state;
    is(HEAD "def Mesh \"a\" (active = false) {" AT(9) "}\ndef Mesh \"b\" (active = true) {" AT(7) "}", NULL, 7, "/b",
       "");
    is(HEAD "def \"x\" (\n active = 0\n) { def Mesh \"a\" {" AT(9) "} }\ndef Mesh \"b\" { bool active = 0\n" AT(7) "}",
       NULL, 7, "/b", "line 8: the property active of the Mesh is not kept\n");
    is(HEAD "over Mesh \"a\" {" AT(9) "}\nover \"x\" { def Mesh \"a\" {" AT(9) "} }\nclass Mesh \"c\" {" AT(
           9) "}\n"
              "class \"_c\" { def Mesh \"a\" {" AT(9) "} }\ndef Mesh \"b\" {" AT(7) "}",
       NULL, 7, "/b", "");
    /* An over of the same prim in the same file is merged, and what comes later wins. */
    is(HEAD
       "def Mesh \"b\" {" AT(9) "}\nover \"b\" { point3f[] points = [(7, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)] }",
       NULL, 7, "/b", "");
    is(HEAD
       "over \"r\" { over \"b\" (active = true) {" AT(9) "} }\ndef \"r\" { def Mesh \"b\" (active = false) { } }\n"
                                                         "def Mesh \"c\" { point3f[] points = [(9, 9, 9)]\n" AT(7) "}",
       NULL, 7, "/c", "");
    static const char *const hidden[][2] = {
        {"class Mesh \"a\" {" AT(9) "}", "a class: make it a def"},
        {"class \"b\" { def Mesh \"a\" {" AT(9) "} }", "a class: make it a def"},
        {"over Mesh \"a\" {" AT(9) "}", "an over without a def: define it"},
        {"def Mesh \"a\" ( active = false ) {" AT(9) "}", "not active: activate it"},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        char text[400], says[160];
        (void)snprintf(text, sizeof text, HEAD "%s", hidden[i][0]);
        (void)snprintf(says, sizeof says, "the first of its 1 Mesh prims, a in line 2, or a prim above it is %s",
                       hidden[i][1]);
        usda_refused(text, SDD_EMESH, says);
    }
    usda_refused(HEAD "def Sphere \"a\" {}", SDD_EMESH, "the file has no Mesh");
}

#define SETS(selection, more)                                                                                          \
    HEAD "def Xform \"C\" (\n" selection "\n prepend variantSets = [\"shape\"]\n)\n{\n variantSet \"shape\" = {\n"     \
         "  \"round\" ( kind = \"x\" ) { def Mesh \"S\" {" AT(7) "} }\n  \"square\" { def Mesh \"S\" {" AT(            \
             8) "} }\n } " more "}\n"

static void test_variants(void **state)
{
    (void)state;
    is(SETS("variants = { string shape = \"round\" }", ""), NULL, 7, "/C/S", "");
    is(SETS("variants = {\n string other = \"square\"\n string shape = \"square\"\n}", ""), NULL, 8, "/C/S", "");
    /* What is said beside the set is stronger than its variants. */
    is(SETS("variants = { string shape = \"round\" }",
            "over \"S\" { point3f[] points = [(5,0,0),(1,0,0),(1,1,0),(0,1,0)] }"),
       NULL, 5, "/C/S", "");
    is(SETS("variants = { string shape = \"none\" }", "def Mesh \"T\" {" AT(6) "}"), NULL, 6, "/C/T",
       "line 7: the variant set shape has no variant selected of round, square, so none is taken\n");
    usda_refused(SETS("", ""), SDD_EMESH,
                 "line 7: the variant set shape has no variant selected of round, square, and the file has no Mesh "
                 "otherwise: select one");
    /* Sets within variants, selected outside or inside; several sets; attributes of the prim itself. */
    is(HEAD "def Mesh \"m\" ( variants = { string a = \"x\"; string b = \"q\" } ) {\n variantSet \"a\" = { \"x\" (\n"
            "  variants = { string c = \"k\" }\n ) {" FACE
            "\n  variantSet \"b\" = { \"p\" { } \"q\" { point3f[] points = "
            "[(7,0,0),(1,0,0),(1,1,0),(0,1,0)] } }\n  variantSet \"c\" = { \"k\" { uniform token orientation = "
            "\"leftHanded\" } } "
            "} \"y\" {" AT(9) "} }\n}",
       NULL, 7, "/m", "");
}

static void test_references(void **state)
{
    (void)state;
    is(HEAD "class \"_c\" { def Mesh \"m\" {" AT(7) "} }\ndef \"a\" ( inherits = </_c> ) { }", NULL, 7, "/a/m", "");
    is(HEAD "over \"P\" { def Mesh \"m\" {" AT(
           9) "} }\ndef Xform \"a\" (\n instanceable = true\n prepend references = [</P> "
              "(offset = 1; scale = 2)]\n) { over \"m\" { float3[] points = [(7,0,0),(1,0,0),(1,1,0),(0,1,0)] } }",
       NULL, 7, "/a/m", "");
    is(HEAD "class Mesh \"P\" {" AT(7) "}\ndef \"a\" ( payload = @@</P> ) {}\n", NULL, 7, "/a", "");
    is(HEAD "class \"P\" { def \"q\" { def Mesh \"m\" {" AT(7) "} } }\ndef \"a\" ( append specializes = [</P/q>,] ) {}",
       NULL, 7, "/a/m", "");
    is(HEAD "def Mesh \"m\" ( prepend references = @a.usda@</x> ) {" AT(
           7) "}\ndef \"b\" ( add payload = [@c.usd@, @d.usd@</e>] "
              ") {}\ndef \"f\" ( delete references = @g.usda@ ) {}",
       NULL, 7, "/m",
       "line 2: references @a.usda@ is not followed, as other files are not read (3 such in all): usdcat --flatten IN "
       "-o "
       "OUT.usda\n");
    is(HEAD "def Mesh \"m\" ( inherits = </no/such> ) {" AT(7) "}", NULL, 7, "/m",
       "line 2: inherits </no/such> leads to no prim of the file with a Mesh\n");
    usda_refused(HEAD "(\n subLayers = [\n  @a.usda@ (offset = 1),\n @b.usda@\n ]\n)\n", SDD_EMESH,
                 "line 3: subLayers @a.usda@: the file has no Mesh of its own, and what it composes from others is not "
                 "read: usdcat --flatten");
    usda_refused(HEAD "(\n subLayers = []\n)\n", SDD_EMESH, "the file has no Mesh");
    usda_refused(HEAD "def \"a\" ( prepend payload = @b.usd@ ) {}", SDD_EMESH, "line 2: payload @b.usd@: the file");
    usda_refused(HEAD "def Mesh \"a\" ( references = @b.usd@ ) {}", SDD_EMESH, "the Mesh has no points of its own");
    usda_refused(HEAD "def \"a\" ( references = </a> ) {}", SDD_EINVALID, "lead to each other");
    usda_refused(HEAD "def \"a\" { def \"b\" ( references = </a> ) {} }", SDD_EINVALID, "nested deeper than 128");
}

/* Files whose prims multiply by references, or that have many names, are refused or read soon. */
static void test_many(void **state)
{
    struct timespec a, b;
    char *text = malloc(6000000), *at = text;
    (void)state;
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    at += snprintf(at, 1000, HEAD "def Mesh \"m\" {" AT(7) "}\nclass \"c0\" { def \"x\" {} def \"y\" {} }\n");
    for (int i = 1; i < 40; i++)
        at += snprintf(at, 1000,
                       "class \"c%d\" { def \"x\" (references = </c%d>) {} def \"y\" (references = </c%d>) {} }\n", i,
                       i - 1, i - 1);
    (void)snprintf(at, 1000, "def \"all\" (references = </c39>) {}\n");
    usda_refused(text, SDD_ETOO_LARGE, "references inside the file make more than");
    at = text + snprintf(text, 1000, HEAD "def Mesh \"m\" {" AT(7));
    for (int i = 0; i < 100000; i++)
        at += snprintf(at, 1000, "int a%d = %d\nvariantSet \"v\" = {}\n", i, i);
    (void)snprintf(at, 1000, "}\n");
    usda_refused(text, SDD_EINVALID, "more than 256 variant sets");
    at = text + snprintf(text, 1000, HEAD "def Mesh \"m\" {" AT(7) "}\n");
    for (int i = 0; i < 100000; i++)
        at += snprintf(at, 1000, "def \"n%d\" (references = </m%d>) {}\n", i % 50000, i);
    is(text, NULL, 7, "/m",
       "line 50006: references </m50000> leads to no prim of the file with a Mesh (100000 such in all)\n");
    at = text + snprintf(text, 1000, HEAD "def Mesh \"m\" {" AT(7) "}\ndef \"many\" {\n");
    for (int i = 0; i < 10000; i++)
        at += snprintf(at, 1000, "int a%d = 0\n", i);
    at += snprintf(at, 1000, "}\n");
    for (int i = 0; i < 2000; i++)
        at += snprintf(at, 1000, "def \"r%d\" (references = </many>) {}\n", i);
    usda_refused(text, SDD_ETOO_LARGE, "make too much of its");
    at = text + snprintf(text, 1000, HEAD "def Mesh \"m\" {" AT(7) "}\nclass \"long\" (references = [");
    for (int i = 0; i < 20000; i++)
        at += snprintf(at, 1000, "</none>, ");
    at += snprintf(at, 1000, "]) {}\n");
    for (int i = 0; i < 2000; i++)
        at += snprintf(at, 1000, "def \"r%d\" (references = </long>) {}\n", i);
    usda_refused(text, SDD_ETOO_LARGE, "make too much of its");
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true(b.tv_sec - a.tv_sec < 20);
    free(text);
}

/* When nobody waits any more, reading ends: among statements, in a long value, and among the prims of the stage. */
static void test_stop(void **state)
{
    atomic_int flag = 1;
    char *text = malloc(600000), *at = text;
    (void)state;
    at += snprintf(at, 1000, HEAD "def Mesh \"m\" {" AT(7) "}\n");
    for (int i = 0; i < 5000; i++)
        at += snprintf(at, 1000, "def \"n%d\" {}\n", i);
    stop_watch(&flag);
    usda_refused(text, SDD_ECANCELLED, "");
    at = text + snprintf(text, 1000, HEAD "def Mesh \"m\" {" AT(7) "string[] s = [");
    for (int i = 0; i < 5000; i++)
        at += snprintf(at, 1000, "\"s\", ");
    (void)snprintf(at, 1000, "]}");
    usda_refused(text, SDD_ECANCELLED, "");
    at = text + snprintf(text, 1000, HEAD "def Mesh \"m\" {" AT(7) "}\nclass \"c\" {");
    for (int i = 0; i < 100; i++)
        at += snprintf(at, 1000, "def \"n%d\" {}\n", i);
    for (int i = 0; i < 100; i++)
        at += snprintf(at, 1000, i ? "def \"a%d\" (references = </c>) {}\n" : "}\n", i);
    usda_refused(text, SDD_ECANCELLED, "");
    stop_watch(NULL);
    is(text, NULL, 7, "/m", "");
    free(text);
}

static void test_choice(void **state)
{
    static const char two[] = HEAD "def \"T\" { def Mesh \"Top\" {" AT(7) "}\n def Mesh \"Leg\" {" AT(
        8) "  def Mesh \"In\" { point3f[] points.timeSamples = { 0: [(1, 2, 3)] } } }\n}\n";
    const struct usda_ask top = {.prim = "/T/Top"}, in = {.prim = "/T/Leg"}, no = {.prim = "/T"}, bad = {.prim = "\n"};
    struct sdd_error err;
    struct text prims = {0};
    struct mesh *m;
    (void)state;
    is(two, &top, 7, "/T/Top", "");
    is(two, &in, 8, "/T/Leg", "");
    usda_refused(two, SDD_EINVALID,
                 "the file has 3 Mesh prims (/T/Top, /T/Leg, /T/Leg/In): ask for one by its path (--prim");
    usda_refused_ask(two, &no, SDD_EINVALID,
                     "there is no one Mesh /T on the stage of the file; it has 3, the first is /T/Top");
    usda_refused_ask(two, &bad, SDD_EINVALID, "there is no one Mesh ? on");
    assert_int_equal(mesh_from_usda(two, sizeof two - 1, NULL, &m, &prims, NULL, &err), SDD_EINVALID);
    assert_string_equal(err.field, "prim");
    assert_string_equal(prims.data, "4 1 /T/Top\n4 1 /T/Leg\n1 0 /T/Leg/In\n");
    text_clear(&prims);
    assert_int_equal(mesh_from_usda(two, sizeof two - 1, &no, &m, &prims, NULL, &err), SDD_EINVALID);
    assert_string_equal(prims.data, "4 1 /T/Top\n4 1 /T/Leg\n1 0 /T/Leg/In\n");
    text_free(&prims);
}

#define ANIMATED(before)                                                                                               \
    HEAD "def Mesh \"m\" {\n" FACE before "point3f[] points.timeSamples = {\n 4: [(4, 0, 0), (1, 0, 0), (1, 1, 0), "   \
         "(0, 1, 0)],\n -1.5: [(3, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], 0: None,\n 1e1: [(10, 0, 0), (1, 0, 0), "  \
         "(1, 1, 0), (0, 1, 0)]\n}\n}"

static void test_time(void **state)
{
    static const struct {
        double time;
        float x;
    } rows[] = {{-9, 3}, {-1.5, 3}, {-1, 3}, {4, 4}, {9.99, 4}, {10, 10}, {1e9, 10}};
    const struct usda_ask hidden = {.has_time = true, .time = 2};
    (void)state;
    is(ANIMATED(""), NULL, 3, "/m",
       "line 7: points has 3 time samples, of which the first is taken, at -1.5; ask for another with --time N "
       "(?time=N)\n");
    is(ANIMATED("point3f[] points = [(5, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"), NULL, 5, "/m", "");
    is(ANIMATED("point3f[] points = None\n"), NULL, 3, "/m",
       "line 8: points has 3 time samples, of which the first is taken, at -1.5; ask for another with --time N "
       "(?time=N)\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct usda_ask ask = {.has_time = true, .time = rows[i].time};
        is(ANIMATED("point3f[] points = [(5, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"), &ask, rows[i].x, "/m", "");
        is(MESH(""), &ask, 0, "/m", ""); /* A value without samples holds at every time. */
    }
    usda_refused_ask(ANIMATED(""), &hidden, SDD_EMESH, "the Mesh has no points"); /* It is None from 0 to 4. */
    is(HEAD
       "def Mesh \"m\" { point3f[] points.timeSamples = { 1: [(7, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], }\n"
       "int[] faceVertexCounts.timeSamples = { 0: [4] }\nint[] faceVertexIndices.timeSamples = { 5: [0, 1, 2, 3] } }",
       NULL, 7, "/m", "");
    usda_refused(HEAD "def Mesh \"m\" { point3f[] points.timeSamples = { a: [] } }", SDD_EMALFORMED,
                 "\"a:\" where a number");
}

static void test_options(void **state)
{
    const struct usda_ask all = {.options = 63};
    (void)state;
    usda_refused(MESH("uniform token subdivisionScheme = \"none\""), SDD_EINVALID, "--scheme catmullClark (?scheme=");
    is(MESH("uniform token subdivisionScheme = \"none\"\ntoken interpolateBoundary = \"no\""), &all, 0, "/m", "");
    is(MESH("uniform token subdivisionScheme = \"none\"\nuniform token subdivisionScheme = \"loop\""), NULL, 0, "/m",
       "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comments),   cmocka_unit_test(test_values),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_parents),    cmocka_unit_test(test_on_stage), cmocka_unit_test(test_variants),
        cmocka_unit_test(test_references), cmocka_unit_test(test_many),     cmocka_unit_test(test_stop),
        cmocka_unit_test(test_choice),     cmocka_unit_test(test_time),     cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
