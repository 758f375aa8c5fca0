/* SPDX-License-Identifier: Apache-2.0 */
/* The modelling edits one by one: what each makes of small meshes, every way in which each is refused, and their cost.
 * tests/http/test_modelling.py has them against an oracle, on all shapes. */
#include "server/mesh/edits/edits.h"
#include "server/mesh/edits/modelling.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static int apply(const struct mesh *m, const char *json, struct edit_result *r, struct sdd_error *err)
{
    char text[4096];
    struct mesh *before;
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    struct edit_batch *b = sample_edits(text);
    assert_int_equal(mesh_copy(m, &before, err), SDD_OK);
    int rc = edits_apply(m, b, r, err);
    sample_same(m, before);
    mesh_free(before);
    edit_batch_free(b);
    return rc;
}

static struct mesh *good(const struct mesh *m, const char *json)
{
    struct edit_result r;
    struct sdd_error err = {0};
    if (apply(m, json, &r, &err))
        fail_msg("%s: %s", json, err.text);
    assert_int_equal(mesh_check_indices(r.mesh, &err), SDD_OK);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    return out;
}

/* ---- counts ---- */
static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Counts edges, and those that do not have two faces. */
static int64_t count_edges(const struct mesh *m, int64_t *boundary)
{
    uint64_t *edges = calloc((size_t)m->n_corners, sizeof *edges);
    int64_t n = 0, c = 0;
    for (int64_t f = 0; f < m->n_faces; c += m->face_counts[f++])
        for (int32_t i = 0; i < m->face_counts[f]; i++)
            edges[c + i] = mesh_row_edge(m->face_vertices[c + i], m->face_vertices[c + (i + 1) % m->face_counts[f]]);
    qsort(edges, (size_t)m->n_corners, sizeof *edges, compare);
    *boundary = 0;
    for (int64_t i = 0, end; i < m->n_corners; i = end, n++) {
        for (end = i + 1; end < m->n_corners && edges[end] == edges[i];)
            end++;
        *boundary += end - i != 2;
    }
    free(edges);
    return n;
}

enum shape { GRID, GRID3, CUBE, TETRA, PILLOW, BOOK, RING };
static const char tetra[] = "{\"points\":[0,0,0,1,0,0,0,1,0,0,0,1],\"faceVertexCounts\":[3,3,3,3],"
                            "\"faceVertexIndices\":[0,2,1,0,1,3,1,2,3,2,0,3]}";
static const char pillow[] =
    "{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3,3],\"faceVertexIndices\":[0,1,2,0,2,1]}";
/* Faces 0, 1 and 2 are at edge (0, 1); faces 3 and 4 have edge (1, 5) in the same direction. Face 6 has edge (7, 8) on
 * both sides, and vertex 8 twice. */
static const char book[] = "{\"points\":[0,0,0,1,0,0,0,1,0,0,0,1,0,-1,0,2,0,0,2,1,0,5,0,0,6,0,0,7,0,0],"
                           "\"faceVertexCounts\":[3,3,3,3,3,3,4],"
                           "\"faceVertexIndices\":[0,1,2,1,0,3,0,1,4,1,5,6,1,5,2,5,6,2,7,8,9,8]}";
/* Six quads in a ring, which is open on both sides. */
static const char ring[] = "{\"points\":[0,0,0,1,0,0,2,0,0,2,0,2,1,0,2,0,0,2,0,1,0,1,1,0,2,1,0,2,1,2,1,1,2,0,1,2],"
                           "\"faceVertexCounts\":[4,4,4,4,4,4],\"faceVertexIndices\":[0,1,7,6,1,2,8,7,2,3,9,8,"
                           "3,4,10,9,4,5,11,10,5,0,6,11]}";

static struct mesh *make(enum shape shape)
{
    switch (shape) {
    case GRID: return sample_grid(2, 2);
    case GRID3: return sample_grid(3, 3);
    case CUBE: return sample_cube();
    case TETRA: return sample_json(tetra);
    case PILLOW: return sample_json(pillow);
    case BOOK: return sample_json(book);
    default: return sample_json(ring);
    }
}

#define EDGES(op, list) "{\"" op "\":{\"edges\":[" list "]}}"
#define IDS(op, list) "{\"" op "\":{\"ids\":[" list "]}}"

/* Vertices, edges, faces, and edges at a boundary. */
static void test_counts(void **state)
{
    static const struct {
        enum shape shape;
        const char *json;
        int64_t v, e, f, boundary;
    } cases[] = {
        /* 0 1 2 / 3 4 5 / 6 7 8 */
        {GRID, EDGES("flipEdges", "1,4"), 9, 12, 4, 8},
        {GRID, EDGES("splitEdges", "0,1,1,4"), 11, 14, 4, 9},
        {CUBE, EDGES("collapseEdges", "0,1"), 7, 11, 6, 0},
        {GRID, EDGES("collapseEdges", "0,1"), 8, 11, 4, 7},
        {GRID, "{\"splitFaces\":{\"ids\":[0,3],\"edges\":[0,4,5,7]}}", 9, 14, 6, 8},
        {GRID, IDS("pokeFaces", "0,3"), 11, 20, 10, 8},
        {CUBE, IDS("triangulateFaces", "0,1,2,3,4,5"), 8, 18, 12, 0},
        {CUBE, IDS("extrudeFaces", "0"), 12, 20, 10, 0},
        {CUBE, IDS("extrudeFaces", "0,2"), 14, 24, 12, 0}, /* A region of two faces, with a rim of six edges. */
        {CUBE, "{\"extrudeFaces\":{\"ids\":[0,1,2,3,4,5],\"by\":[1]}}", 8, 12, 6, 0}, /* All of it only grows. */
        {GRID, IDS("extrudeFaces", "0,1,2,3"), 17, 28, 12, 8},
        {CUBE, IDS("insetFaces", "0,1"), 16, 28, 14, 0},
        {CUBE, IDS("reverseFaces", "0,1,2,3,4,5"), 8, 12, 6, 0},
        {CUBE, EDGES("loopCut", "0,1"), 12, 20, 10, 0}, /* It closes. */
        {GRID, EDGES("loopCut", "0,1"), 12, 17, 6, 10}, /* It ends at boundaries on both sides. */
        {RING, EDGES("loopCut", "0,6"), 18, 30, 12, 12},
        {CUBE, IDS("pokeFaces", "4") "," EDGES("loopCut", "0,1"), 13, 23, 12, 0}, /* It ends at triangles. */
        {GRID, IDS("dissolveVertices", "4"), 8, 8, 1, 8},
        {GRID, IDS("dissolveVertices", "0"), 8, 11, 4, 7}, /* A corner of one face: it is cut off. */
        {GRID, IDS("dissolveVertices", "1"), 8, 10, 3, 7}, /* On the boundary: two faces become one. */
        {CUBE, IDS("dissolveVertices", "0"), 7, 9, 4, 0},
        {GRID, EDGES("splitEdges", "1,4") "," IDS("dissolveVertices", "-1"), 9, 12, 4, 8},
        {CUBE, EDGES("dissolveEdges", "0,1"), 8, 11, 5, 0},
        {GRID, IDS("dissolveFaces", "0,1,2,3"), 8, 8, 1, 8}, /* The vertex in the middle goes. */
        {GRID, IDS("dissolveFaces", "0,3"), 9, 12, 4, 8},    /* They only share a vertex, so both stay. */
        {CUBE, IDS("mergeVertices", "0,1"), 7, 11, 6, 0},
        {GRID, IDS("mergeVertices", "0,1,2"), 7, 10, 4, 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mesh *m = make(cases[i].shape), *n = good(m, cases[i].json);
        int64_t boundary, edges = count_edges(n, &boundary);
        const int64_t want[] = {cases[i].v, cases[i].e, cases[i].f, cases[i].boundary};
        const int64_t got[] = {n->n_vertices, edges, n->n_faces, boundary};
        if (memcmp(want, got, sizeof want) != 0)
            fail_msg("%s: %lld vertices, %lld edges, %lld faces, %lld at a boundary", cases[i].json,
                     (long long)n->n_vertices, (long long)edges, (long long)n->n_faces, (long long)boundary);
        mesh_free(n);
        mesh_free(m);
    }
}

/* ---- refusals ---- */
#define TAKE_FACE "{\"removeFaces\":{\"ids\":[0]}},"
#define TAKE_VERTEX "{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0]}},"

static const struct {
    enum shape shape;
    const char *json, *says;
} refused[] = {
    {GRID, EDGES("flipEdges", "1,99"), "edits[0]: there is no vertex 99"},
    {GRID, TAKE_VERTEX EDGES("flipEdges", "0,1"), "edits[2]: this batch has already removed vertex 0"},
    {GRID, EDGES("flipEdges", "0,8"), "edits[0].flipEdges: no face has an edge (0, 8)"},
    {GRID, EDGES("flipEdges", "4,4"), "no face has an edge (4, 4)"},
    {GRID, EDGES("flipEdges", "1,4,0,1"), "edge (0, 1) has 1 face; it takes an edge of two"},
    {GRID, TAKE_FACE EDGES("flipEdges", "1,4"), "edits[1].flipEdges: edge (1, 4) has 1 face"},
    {BOOK, EDGES("flipEdges", "0,1"), "edge (0, 1) has 3 faces"},
    {BOOK, EDGES("flipEdges", "1,5"), "faces 3 and 4 have edge (1, 5) in the same direction; reverse one"},
    {BOOK, EDGES("flipEdges", "7,8"), "face 6 is on both sides of edge (7, 8)"},
    {TETRA, EDGES("flipEdges", "0,1"), "edge (0, 1) would become (3, 2), which is an edge already"},
    {PILLOW, EDGES("flipEdges", "0,1"), "edge (0, 1) would become (2, 2), which is no edge"},
    {GRID, EDGES("splitEdges", "0,1") "," EDGES("flipEdges", "-1,0"), "edge (-1, 0) has 1 face;"},
    {GRID, EDGES("splitEdges", "1,4,4,1"), "no face has an edge (4, 1)"}, /* It has been split. */
    {BOOK, EDGES("splitEdges", "7,8"), "face 6 would use vertex"},
    {GRID, EDGES("collapseEdges", "0,4"), "no face has an edge (0, 4)"},
    {GRID, EDGES("collapseEdges", "1,4") "," EDGES("flipEdges", "4,5"), "already removed vertex 4"},
    {TETRA, EDGES("collapseEdges", "0,1"), "would have the corners of face"},
    {RING, EDGES("collapseEdges", "0,6"), "vertices 0 and 6 are on the boundary, but their edge is not"},
    {BOOK, TAKE_FACE "{\"removeFaces\":{\"ids\":[1,3,4,5,6]}}," EDGES("collapseEdges", "0,1"),
     "edge (0, 4) would be left without a face"},
    {PILLOW, IDS("pokeFaces", "0") "," EDGES("collapseEdges", "0,1"), "would have the corners of"},
    {GRID, "{\"splitFaces\":{\"ids\":[9],\"edges\":[0,4]}}", "edits[0]: there is no face 9"},
    {GRID, "{\"splitFaces\":{\"ids\":[0],\"edges\":[0,99]}}", "there is no vertex 99"},
    {GRID, "{\"splitFaces\":{\"ids\":[0],\"edges\":[0,8]}}", "face 0 has no corner at vertex 8"},
    {GRID, "{\"splitFaces\":{\"ids\":[0],\"edges\":[0,1]}}",
     "vertices 0 and 1 are next to each other in face 0, which leaves a face of two corners"},
    {GRID, "{\"splitFaces\":{\"ids\":[0],\"edges\":[4,4]}}", "are next to each other"},
    {GRID, "{\"splitFaces\":{\"ids\":[0,0],\"edges\":[0,4,1,3]}}", "already removed face 0"},
    {GRID,
     EDGES("splitEdges", "0,1") "," IDS("mergeVertices", "4,5") ",{\"splitFaces\":{\"ids\":[-1],\"edges\":[-1,5]}}",
     "already removed vertex 5"},
    {TETRA, EDGES("dissolveEdges", "0,1") ",{\"splitFaces\":{\"ids\":[-1],\"edges\":[2,3]}}",
     "(2, 3) is an edge already"},
    {GRID, IDS("pokeFaces", "0,0"), "already removed face 0"},
    {GRID, IDS("pokeFaces", "7"), "there is no face 7"},
    {GRID, TAKE_FACE IDS("triangulateFaces", "0"), "already removed face 0"},
    {GRID,
     "{\"addVertices\":{\"points\":[0,0,9]}},{\"addFaces\":{\"faceVertexCounts\":[3,3],"
     "\"faceVertexIndices\":[0,4,-1,1,3,-1]}}," IDS("triangulateFaces", "0"),
     "edits[2].triangulateFaces: face 0 cannot be cut into triangles, as the new edges are edges already"},
    {GRID, IDS("extrudeFaces", "0,7"), "there is no face 7"},
    {GRID, IDS("extrudeFaces", "0,0"), "edits[0].extrudeFaces: face 0 is named twice"},
    {GRID, TAKE_FACE IDS("extrudeFaces", "1,0"), "already removed face 0"},
    {PILLOW, "{\"extrudeFaces\":{\"ids\":[0,1],\"by\":[1]}}", "have no normal to go along; give `by` as a vector"},
    {GRID, "{\"extrudeFaces\":{\"ids\":[0],\"by\":[0,0,1e30]}},{\"extrudeFaces\":{\"ids\":[-1],\"by\":[0,0,1e30]}}",
     "coordinates must be finite"},
    {GRID, IDS("insetFaces", "4"), "there is no face 4"},
    {GRID, IDS("insetFaces", "1,1"), "already removed face 1"},
    {GRID, IDS("reverseFaces", "1,1"), "already removed face 1"},
    {BOOK, IDS("reverseFaces", "6"), "face 6 would use vertex 8 twice"},
    {TETRA, EDGES("loopCut", "0,1"), "edge (0, 1) has no quad that could be cut"},
    {BOOK, EDGES("loopCut", "0,1"), "edge (0, 1) has 3 faces; a cut begins at an edge of one or two"},
    {GRID, EDGES("loopCut", "0,5"), "no face has an edge (0, 5)"},
    {GRID, TAKE_VERTEX EDGES("loopCut", "0,1"), "already removed vertex 0"},
    {GRID, IDS("dissolveVertices", "4,4"), "already removed vertex 4"},
    {GRID, IDS("dissolveVertices", "12"), "there is no vertex 12"},
    {PILLOW, IDS("dissolveVertices", "0"), "without vertex 0 there would be a second edge"},
    {GRID, IDS("triangulateFaces", "0,1,2,3") "," IDS("dissolveVertices", "0"), "would"},
    {BOOK, IDS("dissolveVertices", "0"), "edge (0, 1) has faces that cannot be joined"},
    {GRID, EDGES("dissolveEdges", "0,1"), "edge (0, 1) has 1 face;"},
    {GRID, EDGES("dissolveEdges", "1,4,1,4"), "no face has an edge (1, 4)"},
    {PILLOW, EDGES("dissolveEdges", "0,1"), "the faces around face 0 are closed and would leave no face"},
    {GRID, IDS("dissolveFaces", "0,0"), "face 0 is named twice"},
    {GRID, IDS("dissolveFaces", "0,6"), "there is no face 6"},
    {CUBE, IDS("dissolveFaces", "0,1,2,3,4,5"), "are closed and would leave no face"},
    {CUBE, IDS("dissolveFaces", "2,3,4,5"), "would have a hole in it"},
    {GRID, IDS("insetFaces", "0") "," IDS("dissolveFaces", "-2,-3,-4,-5"), "would have a hole in it"},
    {GRID3, IDS("dissolveFaces", "1,2,5,8,7,6,3"), "the face that is left would have vertex 5 twice"},
    {GRID, IDS("mergeVertices", "0,1,0"), "edits[0].mergeVertices: vertex 0 is named twice"},
    {GRID, IDS("mergeVertices", "0,77"), "there is no vertex 77"},
    {GRID, IDS("mergeVertices", "0,4"), "face 0 would use vertex 0 twice"},
    {GRID, IDS("mergeVertices", "0,1") "," IDS("mergeVertices", "1,2"), "already removed vertex 1"},
    {TETRA, IDS("mergeVertices", "0,1"), "would have the corners of face"},
    {PILLOW, IDS("mergeVertices", "0,1"), "vertex 0 would be left without a face"},
};

static void test_refused(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct mesh *m = make(refused[i].shape);
        struct edit_result r;
        struct sdd_error err = {0};
        int rc = apply(m, refused[i].json, &r, &err);
        if (rc != SDD_EMESH || r.mesh || !strstr(err.text, refused[i].says))
            print_error("%s\ngave %d %s\n", refused[i].json, rc, err.text), wrong++;
        mesh_free(m);
    }
    assert_int_equal(wrong, 0);
}

/* Bodies that no mesh could take. */
static void test_malformed(void **state)
{
    static const struct {
        const char *json, *says;
    } cases[] = {
        {"{\"flipEdges\":{\"edges\":[1]}}", "edits[0].flipEdges: edges has 1 number; it takes 2 for each edge"},
        {"{\"flipEdges\":{}}", "edits[0].flipEdges: edges is missing or empty"},
        {"{\"flipEdges\":{\"edges\":[0,1],\"t\":[1]}}", "edits[0].flipEdges.t is not a field that is known here"},
        {"{\"splitEdges\":{\"edges\":[0,1],\"t\":[0]}}", "t[0] is 0; it must be between 0 and 1, without these"},
        {"{\"splitEdges\":{\"edges\":[0,1,1,2,2,3],\"t\":[0.5,0.5]}}", "t has 2 numbers; it takes 3, or 1 for all"},
        {"{\"collapseEdges\":{\"edges\":[0,1],\"t\":[1.5]}}", "t[0] is 1.5; it must be 0 to 1"},
        {"{\"splitFaces\":{\"ids\":[0],\"edges\":[0,1,2]}}", "edges has 3 numbers; it takes 2, two for each face"},
        {"{\"splitFaces\":{\"ids\":[0]}}", "edges is missing"},
        {"{\"pokeFaces\":{\"ids\":[]}}", "ids is missing or empty"},
        {"{\"extrudeFaces\":{\"ids\":[0],\"by\":[1,2]}}",
         "by has 2 numbers; it takes 1 for a distance or 3 for a vector"},
        {"{\"extrudeFaces\":{\"ids\":[0],\"by\":[2e30]}}", "by[0] is 2e+30"},
        {"{\"insetFaces\":{\"ids\":[0],\"t\":[1]}}", "t[0] is 1"},
        {"{\"loopCut\":{\"edges\":[0,1],\"t\":[-1]}}", "t[0] is -1"},
        {"{\"mergeVertices\":{\"ids\":[3]}}", "ids has 1 vertex; name two or more"},
        {"{\"mergeVertices\":{\"ids\":[3,4],\"t\":[1,1]}}", "t has 2 numbers; it takes 1"},
        {"{\"pokeFaces\":{\"ids\":[0]}},{\"insetFaces\":{\"ids\":[0],\"t\":0.5}}", "edits[1].insetFaces: t "},
        {"{\"pokeFaces\":{\"ids\":[0]}},{\"pokeAll\":{}}", "edits[1].pokeAll is not a field that is known here"},
        {"{\"pokeFaces\":7}", "edits[0].pokeFaces is not an object"},
        {"7", "edits[0] is not an object"},
        {"{\"mergeVertices\":{\"ids\":[3,4],\"t\":[2]}}", "t[0] is 2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        struct edit_batch *b;
        struct sdd_error err = {0};
        (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", cases[i].json);
        int rc = edits_from_json(text, strlen(text), &b, &err);
        if (!rc || b || !strstr(err.text, cases[i].says))
            fail_msg("%s\ngave %d %s", text, rc, err.text);
    }
}

/* Schemes of triangles: what keeps them is done, what does not is refused. */
static void test_triangles(void **state)
{
    static const char *const larger[] = {IDS("insetFaces", "0"), IDS("extrudeFaces", "0"),
                                         EDGES("dissolveEdges", "0,1")};
    int64_t boundary;
    (void)state;
    for (int scheme = 0; scheme < 2; scheme++) {
        struct mesh *m = make(TETRA), *n;
        m->options.scheme = scheme ? SDD_SCHEME_SQRT3 : SDD_SCHEME_LOOP;
        n = good(m, EDGES("splitEdges", "0,1"));
        assert_int_equal(n->n_faces, 6);
        assert_int_equal(n->n_corners, 18);
        assert_int_equal(count_edges(n, &boundary), 9);
        assert_int_equal(boundary, 0);
        struct mesh *o = good(n, IDS("dissolveVertices", "1")); /* of three faces, so a triangle is left */
        assert_int_equal(o->n_faces, 4);
        mesh_free(o);
        mesh_free(n);
        for (int i = 0; i < 3; i++) {
            struct edit_result r;
            struct sdd_error err = {0};
            assert_int_equal(apply(m, larger[i], &r, &err), SDD_EMESH);
            if (!strstr(err.text, "takes triangles alone"))
                fail_msg("%s: %s", larger[i], err.text);
        }
        mesh_free(m);
    }
}

/* ---- values ---- */
static const struct primvar *primvar(const struct mesh *m, const char *name)
{
    for (int i = 0; i < m->n_primvars; i++)
        if (strcmp(m->primvars[i].info.name, name) == 0)
            return &m->primvars[i];
    return NULL;
}

/* New points of every class of primvar lie between the old ones; what is not a number that can be mixed is copied. */
static void test_values(void **state)
{
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json);
    struct mesh *n = good(m, "{\"splitEdges\":{\"edges\":[0,4],\"t\":[0.25]}}," IDS("pokeFaces", "4"));
    const float *weight = primvar(n, "weight")->values, *colour = primvar(n, "displayColor")->values;
    const int32_t *material = primvar(n, "material")->values;
    const struct primvar *map = primvar(n, "map");
    assert_int_equal(n->n_vertices, 10);
    assert_true(n->points[24] == -1 && n->points[25] == -1 && n->points[26] == -0.5F);
    assert_true(weight[8] == 1 && colour[24] == 0.75F && colour[25] == 0.25F);
    assert_true(weight[9] == (2.0F + 3 + 7 + 6) / 4); /* face 4 is 2 3 7 6 */
    /* Faces 2 (0 1 5 4) and 5 (3 0 4 7) have become 6 and 7, face 4 has become 8 to 11. */
    assert_int_equal(n->n_faces, 9);
    static const int32_t ids[] = {0, 1, 3, 6, 7, 8, 9, 10, 11},
                         materials[] = {10, 11, 13, 12, 16777217, 14, 14, 14, 14};
    assert_memory_equal(n->face_ids, ids, sizeof ids);
    assert_memory_equal(material, materials, sizeof materials);
    assert_int_equal(primvar(n, "asset:id")->info.n_values, 1);
    /* Face 6 begins at corner 12, as 0 1 5 4 8; its corners 0 and 4 of map are (0, 0) and (0, 1). */
    const float *value = (const float *)map->values + 2 * (int64_t)map->indices[16];
    assert_int_equal(n->face_vertices[16], 8);
    assert_true(value[0] == 0 && value[1] == 0.25F);
    /* The middle of face 8 is one value for its four triangles. */
    for (int64_t c = 24; c < 33; c += 3)
        assert_int_equal(map->indices[c], map->indices[c + 3]);
    value = (const float *)map->values + 2 * (int64_t)map->indices[24];
    assert_true(n->face_vertices[24] == 9 && value[0] == 0.5F && value[1] == 0.5F);
    mesh_free(n);
    mesh_free(m);
}

static float crease(const struct mesh *m, int32_t a, int32_t b)
{
    for (int64_t i = 0; i < m->n_creases; i++)
        if (mesh_row_edge(m->crease_edges[2 * i], m->crease_edges[2 * i + 1]) == mesh_row_edge(a, b))
            return m->crease_sharpness[i];
    return 0;
}

/* Creases, corners and holes go where docs/meshes.md says. */
static void test_tags(void **state)
{
    (void)state;
    struct mesh *grid = sample_grid(2, 2), *n; /* 0 1 2 / 3 4 5 / 6 7 8 */
    struct mesh *m = good(grid, "{\"setCreases\":{\"edges\":[1,4,4,7,3,4,0,1],\"sharpnesses\":[2,3,4,5]}},"
                                "{\"setCorners\":{\"ids\":[0,4],\"sharpnesses\":[2,7]}},"
                                "{\"setHoles\":{\"ids\":[0],\"hole\":true}}");
    n = good(m, EDGES("splitEdges", "4,1") "," EDGES("flipEdges", "3,4"));
    assert_true(crease(n, 1, 9) == 2 && crease(n, 9, 4) == 2 && crease(n, 1, 4) == 0 && crease(n, 4, 7) == 3);
    assert_int_equal(n->n_creases, 4); /* That of the flipped edge is gone. */
    assert_int_equal(n->n_corner_tags, 2);
    assert_int_equal(n->n_holes, 1);
    mesh_free(n);
    n = good(m, EDGES("flipEdges", "3,4,0,7")); /* It goes and comes back without its crease. */
    mesh_free(n);
    n = good(m, EDGES("splitEdges",
                      "1,4") ",{\"setCreases\":{\"edges\":[1,-1],\"sharpnesses\":[1]}}," IDS("dissolveVertices", "-1"));
    assert_true(crease(n, 1, 4) == 1); /* As sharp as the less sharp half. */
    mesh_free(n);
    n = good(m, "{\"mergeVertices\":{\"ids\":[1,0],\"t\":[0]}}");
    assert_int_equal(n->n_corner_tags, 2);
    assert_true(n->corner_vertices[0] == 0 && n->corner_sharpness[0] == 2); /* Vertex 1, which is row 0 now. */
    assert_true(n->points[0] == 1 && n->points[1] == 0);
    mesh_free(n);
    n = good(m, "{\"extrudeFaces\":{\"ids\":[0],\"by\":[0,0,1]}}"); /* 9 10 11 12 above 0 1 4 3 */
    assert_true(crease(n, 9, 10) == 5 && crease(n, 0, 1) == 5 && crease(n, 10, 11) == 2 && crease(n, 1, 4) == 2);
    assert_int_equal(n->n_corner_tags, 4);
    assert_int_equal(n->n_holes, 5);
    assert_true(n->points[3 * 9 + 2] == 1 && n->points[2] == 0);
    mesh_free(n);
    n = good(m, IDS("dissolveVertices", "4"));
    assert_int_equal(n->n_creases, 1);
    assert_int_equal(n->n_corner_tags, 1);
    assert_int_equal(n->n_holes, 1);
    mesh_free(n);
    mesh_free(m);
    mesh_free(grid);
}

/* ---- triangulation ---- */
/* An L of eight corners has a reflex one. The areas of its triangles are positive and add up to its own. */
static void test_triangulate(void **state)
{
    static const char l[] = "{\"points\":[0,0,0,1,0,0,2,0,0,2,1,0,1,1,0,1,2,0,0,2,0,0,1,0],\"faceVertexCounts\":[8],"
                            "\"faceVertexIndices\":[0,1,2,3,4,5,6,7],\"st\":[0,0,1,0,2,0,2,1,1,1,1,2,0,2,0,1]}";
    (void)state;
    struct mesh *m = sample_json(l), *n = good(m, IDS("triangulateFaces", "0"));
    double area = 0;
    assert_int_equal(n->n_faces, 6);
    for (int64_t f = 0; f < n->n_faces; f++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = n->points + 3 * (int64_t)n->face_vertices[3 * f + k];
            const float *uv = n->uvs + 2 * (int64_t)n->uv_indices[3 * f + k];
            assert_true(uv[0] == p[k][0] && uv[1] == p[k][1]); /* Every corner has kept its own. */
        }
        double one =
            (double)(p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (double)(p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        assert_true(one > 0);
        area += one / 2;
    }
    assert_true(area == 3);
    assert_int_equal(n->n_uvs, 8);
    mesh_free(n);
    mesh_free(m);
    /* A quad is cut along its shorter diagonal, unless that is an edge already. */
    m = sample_json("{\"points\":[0,0,0,3,0,0,4,1,0,1,1,0,5,5,5],\"faceVertexCounts\":[4,3],"
                    "\"faceVertexIndices\":[0,1,2,3,1,3,4]}");
    n = good(m, IDS("triangulateFaces", "0"));
    int64_t boundary;
    assert_int_equal(count_edges(n, &boundary), 8);
    mesh_free(n);
    n = good(m, "{\"removeFaces\":{\"ids\":[1]}}," IDS("triangulateFaces", "0"));
    assert_int_equal(count_edges(n, &boundary), 5);
    assert_true(n->face_vertices[0] != 2 || n->face_vertices[1] != 0);
    mesh_free(n);
    mesh_free(m);
}

/* ---- cost ---- */
static double run(const struct mesh *m, const char *text, struct edit_result *r)
{
    struct timespec a, b;
    struct sdd_error err = {0};
    struct edit_batch *batch = sample_edits(text);
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    if (edits_apply(m, batch, r, &err))
        fail_msg("%s", err.text);
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    edit_batch_free(batch);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

/* Twenty thousand edits in a batch do not look at the whole mesh each. */
static void test_linear(void **state)
{
    enum { N = 20000 };
    struct mesh *m = sample_grid(400, 400);
    char *text = malloc(N * 64);
    int n = snprintf(text, N * 64, "{\"edits\":[");
    struct edit_result r;
    (void)state;
    for (int i = 0; i < N; i++) {
        int row = 2 * (i % 199) + 1, column = 2 * (i / 199) + 1, v = row * 401 + column, f = row * 400 + column;
        n += i % 2 ? snprintf(text + n, 64, ",{\"splitEdges\":{\"edges\":[%d,%d]}}", v, v + 1)
                   : snprintf(text + n, 64, "%s{\"insetFaces\":{\"ids\":[%d]}}", i ? "," : "", f);
    }
    (void)snprintf(text + n, 64, "]}");
    double seconds = run(m, text, &r);
    print_message("%d modelling edits of 160,000 faces: %.0f ms\n", N, seconds * 1e3);
    assert_true(seconds < 10);
    edit_result_free(&r);
    free(text);
    mesh_free(m);
}

/* A hub with many spokes: naming all of them does not take the square of their number. */
static void test_hub(void **state)
{
    enum { N = 30000 };
    char *text = malloc(N * 24);
    struct mesh_arrays a = {0};
    float *points = calloc(N + 1, 12);
    int32_t *counts = calloc(N, 4), *corners = calloc(N, 12);
    struct edit_result r;
    struct mesh *m;
    (void)state;
    for (int32_t i = 0; i < N; i++) {
        const int32_t spoke[3] = {N, i, (i + 1) % N};
        points[3 * i] = (float)i;
        counts[i] = 3;
        memcpy(corners + 3 * i, spoke, sizeof spoke);
    }
    a.points = (struct f32s){points, 3 * (N + 1)};
    a.face_counts = (struct i32s){counts, N};
    a.face_vertices = (struct i32s){corners, 3 * N};
    assert_int_equal(mesh_build(&a, &m, NULL), SDD_OK);
    int n = snprintf(text, 64, "{\"edits\":[{\"splitEdges\":{\"edges\":[");
    for (int i = 0; i < N; i++)
        n += snprintf(text + n, 24, "%s%d,%d", i ? "," : "", N, i);
    (void)snprintf(text + n, 24, "]}}]}");
    double seconds = run(m, text, &r);
    print_message("all %d spokes of a hub split: %.0f ms\n", N, seconds * 1e3);
    assert_true(seconds < 10);
    edit_result_free(&r);
    mesh_free(m);
    free(text);
    free(points);
    free(counts);
    free(corners);
}

/* A batch that goes round one vertex again and again is refused before it has kept a thread for long. */
static void test_too_much(void **state)
{
    enum { N = 60000 };
    struct mesh *m = sample_grid(1, N);
    struct sdd_error err = {0};
    struct edit_result r;
    int32_t *faces = calloc(N, sizeof *faces);
    (void)state;
    for (int32_t i = 0; i < N; i++)
        faces[i] = i;
    /* All faces become one of 2 N + 2 corners, which is too large for a face. */
    struct edit edit = {.op = EDIT_DISSOLVE_FACES, .n = N, .ids = faces};
    struct edit_batch batch = {1, &edit, NULL};
    assert_int_equal(edits_apply(m, &batch, &r, &err), SDD_EMESH);
    assert_non_null(strstr(err.text, "has 120002 corners; 3 to 65535 are allowed"));
    /* A face of 50,002 corners cannot be cut into triangles in so few steps. */
    edit.n = 25000;
    struct edit edits[2] = {edit, {.op = EDIT_TRIANGULATE_FACES, .n = 1, .ids = (const int32_t[]){-1}}};
    batch = (struct edit_batch){2, edits, NULL};
    assert_int_equal(edits_apply(m, &batch, &r, &err), SDD_ETOO_LARGE);
    assert_int_equal(err.available, MODELLING_MAX_STEPS);
    assert_non_null(strstr(err.text, "edits[1].triangulateFaces: the batch looks at more than"));
    free(faces);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_refused), cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_triangles),   cmocka_unit_test(test_values),  cmocka_unit_test(test_tags),
        cmocka_unit_test(test_triangulate), cmocka_unit_test(test_linear),  cmocka_unit_test(test_hub),
        cmocka_unit_test(test_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
