/* SPDX-License-Identifier: Apache-2.0 */
/* Refined surfaces as files: USDA, GLB and STL, read by parsers of their own and held against the frame. */
#include "client/lib/subd.h"
#include "tests/env.h"
#include "tests/http/client.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

static struct daemon d;
static subd_client *client;

/* The surface as libsubd has it. */
static struct surface {
    struct subd_frame frame;
    char id[64];
    const float *points, *normals, *uvs;
    const uint32_t *faces, *uv_faces;
    int64_t n_points, n_faces, n_uvs;
    int size; /* corners of each face */
} s;

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    client = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void expect(struct ran r, int code, const char *says)
{
    if (r.code != code || strcmp(r.err, says) != 0)
        fail_msg("exit code %d, stderr \"%s\"; wanted %d, \"%s\"", r.code, r.err, code, says);
    ran_free(&r);
}

static const void *data_of(int semantic, int64_t *n)
{
    const struct subd_block *b = subd_frame_find(&s.frame, semantic);
    if (n)
        *n = b ? b->count : 0;
    return b ? b->data : NULL;
}

/* Pushes an OBJ and refines it twice. */
static void refine(const char *obj, const char *scheme)
{
    struct subd_push p = SUBD_INIT(subd_push, .options = {[SUBD_SCHEME] = scheme, [SUBD_FACE_VARYING] = "all"});
    struct subd_body body = {"model/obj", obj, strlen(obj)};
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2, .include = SUBD_POSITIONS | SUBD_NORMALS | SUBD_INDICES);
    struct subd_mesh_info info;
    struct subd_error err;
    if (subd_push(client, &body, &p, &info, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    r.include |= info.uvs ? SUBD_UVS | SUBD_UV_INDICES : 0;
    if (subd_refine(client, info.id, &r, &s.frame, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    memcpy(s.id, info.id, sizeof s.id);
    s.points = data_of(SUBD_POSITIONS, &s.n_points);
    s.normals = data_of(SUBD_NORMALS, NULL);
    s.faces = data_of(SUBD_INDICES, &s.n_faces);
    s.uvs = data_of(SUBD_UVS, &s.n_uvs);
    s.uv_faces = data_of(SUBD_UV_INDICES, NULL);
    s.size = subd_frame_find(&s.frame, SUBD_INDICES)->components;
}

/* The file that subd writes of it, with this on stderr. */
static char *written(const char *suffix, const char *says, size_t *bytes)
{
    char path[96];
    snprintf(path, sizeof path, "%s/out%s", d.dir, suffix);
    expect(RUN("refine", s.id, "--level", "2", "--normals", "-o", path), 0, says);
    char *file = slurp(path, bytes);
    assert_non_null(file);
    return file;
}

static uint32_t u32(const char *at)
{
    uint32_t v;
    memcpy(&v, at, 4);
    return v;
}

/* Corner k (0 to 2) of triangle i, as a place in the faces: each is a fan from its first corner. */
static int64_t corner(int64_t i, int k)
{
    int64_t n = s.size - 2;
    return i / n * s.size + (k ? i % n + k : 0);
}

/* ---- STL --------------------------------------------------------------------------------------------------------- */

static double area_of(const float *a, const float *b, const float *c, double normal[3])
{
    double n[3], length = 0;
    for (int k = 0; k < 3; k++) {
        int x = (k + 1) % 3, y = (k + 2) % 3;
        n[k] = ((double)b[x] - (double)a[x]) * ((double)c[y] - (double)a[y]) -
               ((double)b[y] - (double)a[y]) * ((double)c[x] - (double)a[x]);
        length += n[k] * n[k];
    }
    for (int k = 0; k < 3; k++)
        normal[k] = n[k] / sqrt(length);
    return sqrt(length) / 2;
}

static void check_stl(const char *stl, size_t bytes)
{
    int64_t n = s.n_faces * (s.size - 2);
    double area = 0, flux[3] = {0};
    assert_true(memcmp(stl, "solid", 5) != 0); /* which would make it text to many readers */
    assert_int_equal(u32(stl + 80), n);
    assert_int_equal(bytes, 84 + 50 * n);
    for (int64_t i = 0; i < n; i++) {
        float row[12];
        double normal[3];
        memcpy(row, stl + 84 + 50 * i, sizeof row);
        assert_memory_equal(stl + 84 + 50 * i + 48, "\0", 2);
        for (int k = 0; k < 3; k++)
            assert_memory_equal(row + 3 + 3 * k, s.points + 3 * (int64_t)s.faces[corner(i, k)], 12);
        double one = area_of(row + 3, row + 6, row + 9, normal);
        area += one;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(normal[k] - (double)row[k]) < 1e-6);
            flux[k] += one * (double)row[k];
        }
    }
    assert_true(area > 1);
    for (int k = 0; k < 3; k++) /* a closed surface has none */
        assert_true(fabs(flux[k]) < 1e-5 * area);
}

/* ---- GLB --------------------------------------------------------------------------------------------------------- */

static double number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (!cJSON_IsNumber(v))
        fail_msg("no number %s", key);
    return v->valuedouble;
}

struct glb {
    cJSON *json;
    const char *bin;
    size_t bytes;
};

/* The array of an accessor, which has this many rows, type and place in the buffer as glTF wants it. */
static const char *array(const struct glb *g, int accessor, const char *type, int row, int component, int64_t *count)
{
    const cJSON *a = cJSON_GetArrayItem(cJSON_GetObjectItem(g->json, "accessors"), accessor);
    const cJSON *view = cJSON_GetArrayItem(cJSON_GetObjectItem(g->json, "bufferViews"), (int)number(a, "bufferView"));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(a, "type")), type);
    assert_int_equal(number(a, "componentType"), component);
    assert_int_equal(number(view, "target"), component == 5125 ? 34963 : 34962);
    *count = (int64_t)number(a, "count");
    size_t offset = (size_t)number(view, "byteOffset"), length = (size_t)number(view, "byteLength");
    assert_int_equal(length, *count * row);
    assert_int_equal(offset % 4, 0);
    assert_true(offset + length <= g->bytes);
    return g->bin + offset;
}

static struct glb open_glb(const char *file, size_t bytes)
{
    struct glb g;
    size_t json = u32(file + 12);
    assert_memory_equal(file, "glTF", 4);
    assert_int_equal(u32(file + 4), 2);
    assert_int_equal(u32(file + 8), bytes);
    assert_memory_equal(file + 16, "JSON", 4);
    assert_int_equal(json % 4, 0);
    g.bytes = u32(file + 20 + json);
    assert_memory_equal(file + 24 + json, "BIN", 4);
    assert_int_equal(g.bytes % 4, 0);
    assert_int_equal(28 + json + g.bytes, bytes);
    g.bin = file + 28 + json;
    g.json = cJSON_ParseWithLength(file + 20, json);
    assert_non_null(g.json);
    const cJSON *buffer = cJSON_GetArrayItem(cJSON_GetObjectItem(g.json, "buffers"), 0);
    assert_int_equal(number(buffer, "byteLength"), g.bytes);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(g.json, "asset"), "version")),
                        "2.0");
    return g;
}

static void check_box(const struct glb *g, const float *p, int64_t n)
{
    const cJSON *a = cJSON_GetArrayItem(cJSON_GetObjectItem(g->json, "accessors"), 0);
    for (int k = 0; k < 3; k++) {
        float low = p[k], high = p[k];
        for (int64_t i = 0; i < n; i++) {
            low = fminf(low, p[3 * i + k]);
            high = fmaxf(high, p[3 * i + k]);
        }
        assert_true((float)cJSON_GetArrayItem(cJSON_GetObjectItem(a, "min"), k)->valuedouble == low);
        assert_true((float)cJSON_GetArrayItem(cJSON_GetObjectItem(a, "max"), k)->valuedouble == high);
    }
}

/* How many vertices there must be: those of the frame, and one for each further UV value of each. */
static int64_t split_vertices(void)
{
    int64_t n = s.n_faces * s.size, more = 0;
    for (int64_t i = 0; i < n && s.uvs; i++) {
        int before = 0, same = 0;
        for (int64_t j = 0; j < i && !same; j++) {
            before |= s.faces[j] == s.faces[i];
            same = s.faces[j] == s.faces[i] &&
                   memcmp(s.uvs + 2 * (int64_t)s.uv_faces[j], s.uvs + 2 * (int64_t)s.uv_faces[i], 8) == 0;
        }
        more += before && !same;
    }
    return s.n_points + more;
}

static void check_glb(const char *file, size_t bytes)
{
    struct glb g = open_glb(file, bytes);
    const cJSON *mesh = cJSON_GetArrayItem(cJSON_GetObjectItem(g.json, "meshes"), 0);
    const cJSON *primitive = cJSON_GetArrayItem(cJSON_GetObjectItem(mesh, "primitives"), 0);
    const cJSON *attributes = cJSON_GetObjectItem(primitive, "attributes");
    int64_t n, n_normals, n_uvs = 0, n_indices;
    const char *uvs = NULL;
    const char *points = array(&g, (int)number(attributes, "POSITION"), "VEC3", 12, 5126, &n);
    const char *normals = array(&g, (int)number(attributes, "NORMAL"), "VEC3", 12, 5126, &n_normals);
    const char *indices = array(&g, (int)number(primitive, "indices"), "SCALAR", 4, 5125, &n_indices);
    if (s.uvs)
        uvs = array(&g, (int)number(attributes, "TEXCOORD_0"), "VEC2", 8, 5126, &n_uvs);
    else
        assert_null(cJSON_GetObjectItem(attributes, "TEXCOORD_0"));
    assert_int_equal(n, split_vertices());
    assert_int_equal(n_normals, n);
    assert_int_equal(n_uvs, s.uvs ? n : 0);
    assert_int_equal(n_indices, 3 * s.n_faces * (s.size - 2));
    for (int64_t i = 0; i < n_indices; i++) {
        int64_t at = corner(i / 3, (int)(i % 3)), v = s.faces[at], row = u32(indices + 4 * i);
        assert_true(row < n);
        assert_memory_equal(points + 12 * row, s.points + 3 * v, 12);
        assert_memory_equal(normals + 12 * row, s.normals + 3 * v, 12);
        if (uvs) {
            const float *uv = s.uvs + 2 * (int64_t)s.uv_faces[at], flipped[2] = {uv[0], 1 - uv[1]};
            assert_memory_equal(uvs + 8 * row, flipped, 8);
        }
    }
    check_box(&g, s.points, s.n_points);
    cJSON_Delete(g.json);
}

/* ---- USDA -------------------------------------------------------------------------------------------------------- */

/* The numbers of the array behind `head`, which must be `words`, in float or uint32. */
static const char *numbers(const char *text, const char *head, const void *words, int64_t n, int whole)
{
    const char *at = strstr(text, head);
    if (!at) {
        fail_msg("no %s", head);
        return "";
    }
    at += strlen(head);
    for (int64_t i = 0; i < n; i++) {
        char *end;
        at += strspn(at, " [(),\n");
        float value = strtof(at, &end);
        uint32_t integer = (uint32_t)strtoul(at, NULL, 10);
        assert_true(end > at);
        assert_memory_equal((const char *)words + 4 * i, whole ? (void *)&integer : (void *)&value, 4);
        at = end;
    }
    at += strspn(at, ")");
    assert_true(*at == ']');
    return at + 1;
}

static void check_usda(const char *text)
{
    uint32_t *counts = malloc((size_t)s.n_faces * 4);
    assert_true(strncmp(text, "#usda 1.0\n", 10) == 0);
    assert_non_null(strstr(text, "\n    uniform token subdivisionScheme = \"none\"\n"));
    for (int64_t i = 0; i < s.n_faces; i++)
        counts[i] = (uint32_t)s.size;
    numbers(text, "    int[] faceVertexCounts = ", counts, s.n_faces, 1);
    numbers(text, "    int[] faceVertexIndices = ", s.faces, s.n_faces * s.size, 1);
    numbers(text, "    point3f[] points = ", s.points, 3 * s.n_points, 0);
    const char *after = numbers(text, "    normal3f[] normals = ", s.normals, 3 * s.n_points, 0);
    assert_true(strncmp(after, " (\n        interpolation = \"vertex\"\n    )\n", 40) == 0);
    if (s.uvs) {
        after = numbers(text, "    texCoord2f[] primvars:st = ", s.uvs, 2 * s.n_uvs, 0);
        assert_true(strncmp(after, " (\n        interpolation = \"faceVarying\"\n    )\n", 45) == 0);
        numbers(text, "    int[] primvars:st:indices = ", s.uv_faces, s.n_faces * s.size, 1);
    } else {
        assert_null(strstr(text, "primvars"));
    }
    assert_true(strcmp(text + strlen(text) - 2, "}\n") == 0);
    free(counts);
}

/* ---- the three of each surface --------------------------------------------------------------------------------- */

static void check(const char *obj, const char *scheme)
{
    size_t n;
    refine(obj, scheme);
    char *file = written(".usda", "", &n);
    check_usda(file);
    free(file);
    file = written(".glb", "", &n);
    check_glb(file, n);
    free(file);
    file = written(".stl", "subd: .stl files cannot carry normals: left out\n", &n);
    check_stl(file, n);
    free(file);
}

#define CUBE_POINTS "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
static const char seams[] =
    CUBE_POINTS "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt .5 0.25\nf 1/1 4/2 3/3 2/4\nf 5/1 6/2 7/3 8/4\n"
                "f 1/1 2/5 6/3 5/4\nf 2/1 3/2 7/3 6/4\nf 3/5 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\n";
static const char octahedron[] =
    "v 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nvt 0 0\nvt 1 0\nvt .5 1\nf 1/1 2/2 5/3\nf 2/1 3/2 5/3\n"
    "f 3/1 4/2 5/3\nf 4/1 1/2 5/3\nf 2/1 1/2 6/3\nf 3/1 2/2 6/3\nf 4/1 3/2 6/3\nf 1/1 4/2 6/3\n";

static void test_quads(void **state)
{
    (void)state;
    check(CUBE, "catmullClark");
    check(seams, "catmullClark");
}

static void test_triangles(void **state)
{
    (void)state;
    check(octahedron, "loop");
    check(octahedron, "sqrt3");
}

static const char with_primvars[] =
    "#usda 1.0\ndef Mesh \"m\" {\n"
    "point3f[] points = [(-1,-1,-1),(1,-1,-1),(1,1,-1),(-1,1,-1),(-1,-1,1),(1,-1,1),(1,1,1),(-1,1,1)]\n"
    "int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n"
    "int[] faceVertexIndices = [0,3,2,1, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7]\n"
    "token faceVaryingLinearInterpolation = \"all\"\n"
    "color3f[] primvars:displayColor = [(1, 0, 0), (0, .1, 0)] (interpolation = \"varying\")\n"
    "int[] primvars:displayColor:indices = [0, 1, 0, 1, 1, 1, 0, 0]\n"
    "double[] primvars:weight = [0, 1, 2, 3, 4, 5, 6, 7] (interpolation = \"varying\")\n"
    "int[] primvars:material = [-7, 2147483647, 1, 2, 3, -2147483648] (interpolation = \"uniform\")\n"
    "float[] primvars:curve = [1, -2e30, 3, 4, 1e-20] (interpolation = \"constant\")\n"
    "half4 primvars:rig:tint = (0.5, 0, 1, 1)\n"
    "float2[] primvars:map = [(0, 0), (1, 0), (1, 1), (0, 1), (5, 5)] (interpolation = \"faceVarying\")\n"
    "int[] primvars:map:indices = [0,1,2,3, 0,1,2,3, 0,1,2,3, 0,1,2,3, 0,1,2,3, 4,1,2,3]\n}\n";

/* In GLB the primvars of vertices are attributes, with the frame's bits; the others are named. */
static void check_attributes(const char *id)
{
    char path[96];
    size_t bytes;
    int64_t n;
    snprintf(path, sizeof path, "%s/out.glb", d.dir);
    expect(RUN("refine", id, "--level", "2", "--primvars", "material,displayColor,weight", "-o", path), 0,
           "subd: .glb files cannot carry uniform primvar material: left out\n");
    char *file = slurp(path, &bytes);
    assert_non_null(file);
    struct glb g = open_glb(file, bytes);
    const cJSON *mesh = cJSON_GetArrayItem(cJSON_GetObjectItem(g.json, "meshes"), 0);
    const cJSON *primitive = cJSON_GetArrayItem(cJSON_GetObjectItem(mesh, "primitives"), 0);
    const cJSON *attributes = cJSON_GetObjectItem(primitive, "attributes");
    const char *colors = array(&g, (int)number(attributes, "COLOR_0"), "VEC3", 12, 5126, &n);
    const struct subd_block *b = subd_frame_primvar(&s.frame, "displayColor", SUBD_PRIMVAR);
    assert_int_equal(n, b->count);
    assert_memory_equal(colors, b->data, (size_t)b->bytes);
    const char *weights = array(&g, (int)number(attributes, "_weight"), "SCALAR", 4, 5126, &n);
    b = subd_frame_primvar(&s.frame, "weight", SUBD_PRIMVAR);
    assert_int_equal(n, b->count);
    assert_memory_equal(weights, b->data, (size_t)b->bytes);
    cJSON_Delete(g.json);
    free(file);
}

/* Primvars go in as USDA and come out as USDA with the frame's very bits. */
static void test_primvars(void **state)
{
    static const char *const heads[] = {
        "color3f[] primvars:displayColor = ", "float[] primvars:weight = ",    "int[] primvars:material = ",
        "float[] primvars:curve = ",          "float4[] primvars:rig:tint = ", "texCoord2f[] primvars:map = "};
    static const char names_in_row[] = "*";
    static const char *const names[] = {"displayColor", "weight", "material", "curve", "rig:tint", "map"};
    struct subd_body body = {"model/vnd.usda", with_primvars, sizeof with_primvars - 1};
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2, .primvars = names_in_row);
    struct subd_mesh_info info;
    struct subd_error err;
    char path[96], says[300];
    (void)state;
    assert_int_equal(subd_push(client, &body, NULL, &info, &err), SUBD_OK);
    assert_null(subd_warning(client, 0));
    if (subd_refine(client, info.id, &r, &s.frame, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/out.usda", d.dir);
    expect(RUN("refine", info.id, "--level", "2", "--primvars", names_in_row, "-o", path), 0, "");
    char *text = slurp(path, NULL);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct subd_block *b = subd_frame_primvar(&s.frame, names[i], SUBD_PRIMVAR);
        assert_non_null(b);
        const char *after = numbers(text, heads[i], b->data, b->count * b->components, i == 2);
        snprintf(says, sizeof says, " (\n        interpolation = \"%s\"\n%s    )\n", b->interpolation,
                 i == 3 ? "        elementSize = 5\n" : "");
        assert_memory_equal(after, says, strlen(says));
    }
    const struct subd_block *b = subd_frame_primvar(&s.frame, "map", SUBD_PRIMVAR_INDICES);
    numbers(text, "int[] primvars:map:indices = ", b->data, b->count * b->components, 1);
    free(text);
    check_attributes(info.id);
}

/* The surface is no control mesh, and says so; one without faces is no GLB. */
static void test_refused(void **state)
{
    char path[96];
    size_t n;
    (void)state;
    refine(CUBE, "catmullClark");
    char *file = written(".usda", "", &n);
    free(file);
    snprintf(path, sizeof path, "%s/out.usda", d.dir);
    struct ran r = RUN("push", path);
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, ": subdivisionScheme is \"none\""));
    ran_free(&r);
    refine("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nt hole 1/0/0 0\n", "catmullClark");
    snprintf(path, sizeof path, "%s/empty.glb", d.dir);
    r = RUN("refine", s.id, "-o", path);
    assert_int_equal(r.code, 6);
    assert_non_null(strstr(r.err, "the surface has no faces, and glTF no empty meshes"));
    ran_free(&r);
    assert_null(fopen(path, "r"));
    file = written(".usda", "", &n);
    assert_non_null(strstr(file, "faceVertexIndices = []"));
    free(file);
}

static int forget(void **state)
{
    (void)state;
    subd_frame_free(&s.frame);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_quads, forget), cmocka_unit_test_teardown(test_triangles, forget),
        cmocka_unit_test_teardown(test_primvars, forget), cmocka_unit_test_teardown(test_refused, forget)};
    return cmocka_run_group_tests(tests, start, stop);
}
