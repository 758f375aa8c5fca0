/* SPDX-License-Identifier: Apache-2.0 */
/* test_files.c: what the writers of proto/files make of small surfaces that a daemon seldom has: faces of different
 * sizes, colours of faces, of corners and of the whole, transforms that shear or turn inside out, and names of sets
 * that a format cannot have. */
#include "proto/files/files.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A quad and a triangle over the edge 1-2, in the plane z = 0; vertex 5 has no face. */
static const float points[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {9, 9, 9}};
static const uint32_t corners[7] = {0, 1, 2, 3, 1, 4, 2};
static const int32_t sizes[2] = {4, 3};
static const float normals[6][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 0}};
static const float colours[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, -1, 0.5f}, {0, 0, 0}, {0, 0, 1}};
static const uint32_t rows[7] = {0, 1, 2, 3, 4, 5, 6};
static const float uvs[3][2] = {{0, 0}, {1, 0.25f}, {0.5f, 1}};
static const uint32_t uv_rows[7] = {0, 1, 2, 0, 1, 1, 2};
static const float map[6][2] = {{0, 0}, {0.25f, 0}, {1, 1}, {0, 1}, {0.75f, 0.5f}, {0, 0}};
static const int32_t sets[2] = {2, 1};
static const char names[] = "a\nb\0two words";

static struct surface surface(void)
{
    struct surface s = {.id = "m_1", .name = "leaf", .kind = "limit", .method = "by hand", .version = 1, .level = 1};
    s.positions = (struct surface_rows){points, 6, 3};
    s.normals = (struct surface_rows){normals, 6, 3};
    s.corners = corners;
    s.n_faces = 2;
    s.n_corners = 7;
    s.face_sizes = sizes;
    return s;
}

static struct surface_primvar *add(struct surface *s, const char *name, const char *interpolation, const void *data,
                                   int64_t count, int width)
{
    struct surface_primvar *p = &s->primvars[s->n_primvars++];
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->interpolation, sizeof p->interpolation, "%s", interpolation);
    p->values = (struct surface_rows){data, count, width};
    return p;
}

static void add_sets(struct surface *s, const char *name)
{
    struct surface_primvar *p = add(s, name, "uniform", sets, 2, 1);
    p->integers = true;
    p->sets = (struct surface_sets){names, 2};
}

/* The file, and its warnings in `warnings`. */
static char warnings[1024];
static char *write(const char *suffix, const struct surface *s, size_t *bytes)
{
    struct surface_file *f;
    const char *why = "";
    const size_t room = 4 * SURFACE_ROW_BYTES;
    char *data = calloc(1, room + 1);
    assert_non_null(data);
    if (surface_file_open(surface_format_named(suffix), s, &f, &why))
        fail_msg("%s: %s", suffix, why);
    *bytes = surface_file_read(f, data, room);
    assert_int_equal(surface_file_read(f, data + *bytes, SURFACE_ROW_BYTES), 0);
    snprintf(warnings, sizeof warnings, "%s", surface_file_warnings(f));
    surface_file_close(f);
    return data;
}

/* ---- glTF -------------------------------------------------------------------------------------------------------- */
struct glb {
    char *data;
    cJSON *json;
    const char *bin;
};

static struct glb open_glb(const struct surface *s)
{
    struct glb g;
    size_t n;
    uint32_t json;
    g.data = write(".glb", s, &n);
    memcpy(&json, g.data + 12, 4);
    g.json = cJSON_ParseWithLength(g.data + 20, json);
    g.bin = g.data + 28 + json;
    assert_non_null(g.json);
    return g;
}

static void close_glb(struct glb *g)
{
    cJSON_Delete(g->json);
    free(g->data);
}

static const cJSON *primitive_of(const struct glb *g, int k)
{
    const cJSON *mesh = cJSON_GetArrayItem(cJSON_GetObjectItem(g->json, "meshes"), 0);
    return cJSON_GetArrayItem(cJSON_GetObjectItem(mesh, "primitives"), k);
}

static const void *array(const struct glb *g, const cJSON *of, const char *key, int *n)
{
    const cJSON *which = cJSON_GetObjectItem(of, key);
    *n = 0;
    if (!which) {
        fail_msg("no %s", key);
        return NULL;
    }
    const cJSON *a = cJSON_GetArrayItem(cJSON_GetObjectItem(g->json, "accessors"), which->valueint);
    const int view = cJSON_GetObjectItem(a, "bufferView")->valueint;
    const cJSON *v = cJSON_GetArrayItem(cJSON_GetObjectItem(g->json, "bufferViews"), view);
    const cJSON *at = cJSON_GetObjectItem(a, "byteOffset");
    *n = cJSON_GetObjectItem(a, "count")->valueint;
    return g->bin + cJSON_GetObjectItem(v, "byteOffset")->valueint + (at ? at->valueint : 0);
}

static void near(const float *got, double x, double y, double z)
{
    const double want[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        if (fabs((double)got[k] - want[k]) > 1e-6)
            fail_msg("(%g, %g, %g) in place of (%g, %g, %g)", (double)got[0], (double)got[1], (double)got[2], x, y, z);
}

/* Vertices 1 and 2 have two colours each at their corners, but those of vertex 2 are equal: one copy, of vertex 1. */
static void test_glb_colours_of_corners(void **state)
{
    struct surface s = surface();
    int n, n_index;
    (void)state;
    add(&s, "displayColor", "faceVarying", colours, 7, 3)->corners = rows;
    struct glb g = open_glb(&s);
    const cJSON *a = cJSON_GetObjectItem(primitive_of(&g, 0), "attributes");
    const float *c = array(&g, a, "COLOR_0", &n);
    const uint32_t *index = array(&g, primitive_of(&g, 0), "indices", &n_index);
    assert_true(n == 7 && n_index == 9);
    near(c, 1, 0, 0);
    near(c + 3, 0, 1, 0);
    near(c + 18, 1, 0, 0.5); /* Within 0 and 1. */
    assert_int_equal(index[6], 6);
    assert_int_equal(index[8], 2);
    assert_non_null(strstr(warnings, "no zero normals: that of 1 vertices"));
    close_glb(&g);
}

/* Colours of faces, face sets and two UV sets: an edge between faces has its vertices twice. */
static void test_glb_faces(void **state)
{
    struct surface s = surface();
    int n;
    (void)state;
    add(&s, "displayColor", "uniform", colours, 2, 3);
    add_sets(&s, "materialBind");
    add_sets(&s, "other");
    s.uvs = (struct surface_rows){uvs, 3, 2};
    s.uv_corners = uv_rows;
    add(&s, "map2", "vertex", map, 6, 2);
    struct glb g = open_glb(&s);
    for (int k = 0; k < 2; k++) { /* Set 1 is the triangle, set 2 the quad. */
        const cJSON *p = primitive_of(&g, k), *a = cJSON_GetObjectItem(p, "attributes");
        const uint32_t *index = array(&g, p, "indices", &n);
        assert_int_equal(n, k ? 6 : 3);
        const float *c = array(&g, a, "COLOR_0", &n), *st = array(&g, a, "TEXCOORD_0", &n),
                    *second = array(&g, a, "TEXCOORD_1", &n);
        assert_int_equal(n, 8);
        near(c + 3 * index[0], k, !k, 0);
        assert_true(st[2 * index[1] + 1] == 0.75f); /* Counted from the top. */
        assert_true(second[2 * index[1]] == map[k ? 1 : 4][0] && second[2 * index[1] + 1] == 1 - map[k ? 1 : 4][1]);
        assert_int_equal(cJSON_GetObjectItem(p, "material")->valueint, k);
    }
    assert_string_equal(
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(g.json, "materials"), 1), "name")->valuestring,
        "two words");
    assert_non_null(strstr(warnings, ".glb files cannot carry uniform primvar other: left out"));
    close_glb(&g);
}

/* A node cannot shear, so the points do; what turns the surface inside out turns its triangles over. */
static void test_glb_transforms(void **state)
{
    static const double shear[16] = {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 0, 5, 6, 7, 1};
    struct surface s = surface();
    int n;
    (void)state;
    s.stage = (struct surface_stage){'Z', 2, shear};
    struct glb g = open_glb(&s);
    const cJSON *p = primitive_of(&g, 0), *a = cJSON_GetObjectItem(p, "attributes");
    assert_null(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(g.json, "nodes"), 0), "matrix"));
    const float *at = array(&g, a, "POSITION", &n), *normal = array(&g, a, "NORMAL", &n);
    const uint32_t *index = array(&g, p, "indices", &n);
    near(at, 10, 14, -12);     /* (5, 6, 7), twice as long, with y where -z was. */
    near(at + 9, 12, 14, -14); /* (0, 1, 0) goes to (6, 7, 7). */
    near(normal, 0, -1, 0);
    assert_true(index[0] == 0 && index[1] == 2 && index[2] == 1);
    assert_non_null(strstr(warnings, "the transform shears"));
    close_glb(&g);
}

/* Without an axis and a unit nothing moves: the points have the bits that they had. */
static void test_glb_unknown_stage(void **state)
{
    struct surface s = surface();
    int n;
    (void)state;
    struct glb g = open_glb(&s);
    const float *at = array(&g, cJSON_GetObjectItem(primitive_of(&g, 0), "attributes"), "POSITION", &n);
    assert_int_equal(n, 6);
    assert_memory_equal(at, points, sizeof points);
    close_glb(&g);
}

/* ---- the others -------------------------------------------------------------------------------------------------- */
static void test_obj(void **state)
{
    static const float split[2][3] = {{0, 0, 1}, {0, 1, 0}};
    static const uint32_t split_rows[7] = {0, 0, 0, 0, 1, 1, 1};
    struct surface s = surface();
    size_t n;
    (void)state;
    add(&s, "displayColor", "constant", colours, 1, 3);
    add_sets(&s, "materialBind");
    s.normals = (struct surface_rows){split, 2, 3};
    s.normal_corners = split_rows;
    char *obj = write(".obj", &s, &n);
    assert_non_null(strstr(obj, "v 2 0 0 1 0 0\nv 9 9 9 1 0 0\nvn 0 0 1\nvn 0 1 0\n"
                                "usemtl two words\nf 1//1 2//1 3//1 4//1\nusemtl a_b\nf 2//2 5//2 3//2\n"));
    assert_string_equal(warnings, "");
    free(obj);
    s.n_primvars = 0;
    add(&s, "displayColor", "uniform", colours, 2, 3);
    obj = write(".obj", &s, &n);
    assert_non_null(strstr(obj, "\nv 2 0 0\n"));
    assert_non_null(strstr(warnings, ".obj files cannot carry uniform primvar displayColor: left out"));
    free(obj);
}

static void test_ply(void **state)
{
    static const uint32_t split_rows[7] = {0, 0, 0, 0, 1, 1, 1};
    struct surface s = surface();
    size_t n;
    (void)state;
    add(&s, "displayColor", "uniform", colours + 3, 2, 3);
    add(&s, "red", "uniform", colours, 2, 1);
    add_sets(&s, "materialBind");
    s.normals = (struct surface_rows){normals, 2, 3};
    s.normal_corners = split_rows;
    char *ply = write(".ply", &s, &n);
    assert_non_null(strstr(ply, "comment materialBind 1 a_b\ncomment materialBind 2 two words\n"));
    assert_non_null(strstr(ply, "property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\n"
                                "property uchar blue\nproperty float red_\nproperty int materialBind\nend_header\n"));
    assert_non_null(strstr(warnings, ".ply files cannot carry split normals"));
    const unsigned char *face = (const unsigned char *)strstr(ply, "end_header\n") + 11 + 6 * 12 + 17;
    assert_true(face[0] == 255 && face[1] == 255 && face[2] == 255); /* The quad; then the triangle: */
    assert_true(face[11 + 13] == 255 && face[11 + 14] == 0 && face[11 + 15] == 128);
    free(ply);
}

/* One byte counts the corners of a face, and one the numbers of their UVs. */
static void test_ply_large_faces(void **state)
{
    static const int32_t large = 128;
    static const uint32_t zeros[128];
    const struct surface_format *ply = surface_format_named(".ply");
    struct surface s = surface();
    const char *why;
    (void)state;
    s.corners = zeros;
    s.face_sizes = &large;
    s.n_faces = 1;
    s.n_corners = large;
    assert_int_equal(surface_admits(ply, &s, &why), SURFACE_OK);
    s.uvs = (struct surface_rows){uvs, 3, 2};
    s.uv_corners = zeros;
    assert_int_equal(surface_admits(ply, &s, &why), SURFACE_EUNSUPPORTED);
    assert_string_equal(why, "a face with UVs has more than 127 corners; ask for another format");
    assert_int_equal(surface_admits(surface_format_named(".obj"), &s, &why), SURFACE_OK);
}

static void test_usda(void **state)
{
    static const double turn[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1};
    struct surface s = surface();
    size_t n;
    (void)state;
    add_sets(&s, "materialBind");
    add_sets(&s, "group");
    s.stage.transform = turn;
    char *usda = write(".usda", &s, &n);
    assert_null(strstr(usda, "upAxis"));
    assert_null(strstr(usda, "metersPerUnit"));
    assert_non_null(strstr(usda, "((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (0.5, 0, 0, 1))"));
    assert_non_null(strstr(usda, "subsetFamily:materialBind:familyType = \"nonOverlapping\"\n"));
    assert_non_null(strstr(usda, "subsetFamily:group:familyType = \"nonOverlapping\"\n"));
    assert_non_null(strstr(usda, "def GeomSubset \"set_0_1\""));
    assert_non_null(strstr(usda, "def GeomSubset \"set_1_2\""));
    assert_non_null(strstr(usda, "displayName = \"ab\""));
    assert_non_null(strstr(usda, "</leaf/set_materials/set_0_2>"));
    assert_null(strstr(usda, "primvars:materialBind"));
    free(usda);
}

static void test_further_uvs(void **state)
{
    (void)state;
    const struct surface_format *glb = surface_format_named(".glb"), *ply = surface_format_named(".ply");
    assert_true(surface_format_takes(glb, "anything", "faceVarying", 2, false, false));
    assert_true(surface_format_takes(glb, "UVMap2", "vertex", 2, false, false));
    assert_true(surface_format_takes(glb, "st_1", "varying", 2, false, false));
    assert_false(surface_format_takes(glb, "wind", "vertex", 2, false, false));
    assert_false(surface_format_takes(glb, "uv", "uniform", 2, false, false));
    assert_false(surface_format_takes(glb, "uv", "vertex", 3, false, false));
    assert_false(surface_format_takes(ply, "uv", "faceVarying", 2, false, false));
    assert_false(surface_format_takes(glb, "group", "uniform", 1, true, true));
    assert_false(surface_format_takes(glb, "material", "uniform", 1, true, true));
    assert_true(surface_format_takes(ply, "group", "uniform", 1, true, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glb_colours_of_corners),
        cmocka_unit_test(test_glb_faces),
        cmocka_unit_test(test_glb_transforms),
        cmocka_unit_test(test_glb_unknown_stage),
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_ply),
        cmocka_unit_test(test_ply_large_faces),
        cmocka_unit_test(test_usda),
        cmocka_unit_test(test_further_uvs),
    };
    return cmocka_run_group_tests_name("files of surfaces", tests, NULL, NULL);
}
