/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_reorder and edits on what it makes: by its ids the mesh is the same one. id_map, which finds them. */
#include "server/mesh/edits/edits.h"
#include "server/mesh/id_map.h"
#include "tests/env.h"
#include "tests/oracle/shape.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The mesh with its rows by ascending id: what edits of an unordered mesh would have left. */
static int32_t *by_id(const int32_t *ids, int64_t n)
{
    int32_t *row_of = malloc((size_t)(n + 1) * sizeof *row_of);
    for (int64_t i = 0; i < n; i++) {
        int32_t below = 0;
        for (int64_t j = 0; j < n; j++)
            below += ids[j] < ids[i];
        row_of[i] = below;
    }
    return row_of;
}

static struct mesh *sorted(const struct mesh *m)
{
    int32_t *vertex = by_id(m->vertex_ids, m->n_vertices), *face = by_id(m->face_ids, m->n_faces);
    float *points = malloc((size_t)m->n_vertices * 12 + 1);
    int32_t *counts = malloc((size_t)m->n_faces * 4 + 1), *corners = malloc((size_t)m->n_corners * 4 + 1);
    int32_t *uvs = malloc((size_t)m->n_corners * 4 + 1), *creases = malloc((size_t)m->n_creases * 8 + 1);
    int32_t *tags = malloc((size_t)m->n_corner_tags * 4 + 1), *holes = malloc((size_t)m->n_holes * 4 + 1);
    for (int64_t i = 0; i < m->n_vertices; i++)
        memcpy(points + 3 * vertex[i], m->points + 3 * i, 12);
    int64_t to = 0;
    for (int64_t f = 0; f < m->n_faces; f++) {
        int64_t from = 0, row = 0;
        for (; face[row] != f; row++)
            from += m->face_counts[row];
        counts[f] = m->face_counts[row];
        for (int64_t c = from; c < from + counts[f]; c++, to++) {
            corners[to] = vertex[m->face_vertices[c]];
            uvs[to] = m->n_uvs ? m->uv_indices[c] : 0;
        }
    }
    for (int64_t i = 0; i < 2 * m->n_creases; i++)
        creases[i] = vertex[m->crease_edges[i]];
    for (int64_t i = 0; i < m->n_corner_tags; i++)
        tags[i] = vertex[m->corner_vertices[i]];
    for (int64_t i = 0; i < m->n_holes; i++)
        holes[i] = face[m->hole_faces[i]];
    struct mesh_arrays a = {.options = m->options,
                            .points = {points, 3 * m->n_vertices},
                            .face_counts = {counts, m->n_faces},
                            .face_vertices = {corners, m->n_corners},
                            .crease_indices = {creases, 2 * m->n_creases},
                            .crease_sharpnesses = {m->crease_sharpness, m->n_creases},
                            .crease_pairs = 1,
                            .corner_indices = {tags, m->n_corner_tags},
                            .corner_sharpnesses = {m->corner_sharpness, m->n_corner_tags},
                            .hole_indices = {holes, m->n_holes},
                            .uvs = {m->uvs, 2 * m->n_uvs},
                            .uv_indices = {uvs, m->n_uvs ? m->n_corners : 0}};
    struct mesh *out;
    struct sdd_error err;
    if (mesh_build(&a, &out, &err))
        fail_msg("%s", err.text);
    void *all[] = {vertex, face, points, counts, corners, uvs, creases, tags, holes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return out;
}

static struct mesh *reordered(const struct mesh *m)
{
    struct sdd_error err;
    struct mesh *out;
    int64_t bandwidth[2];
    if (mesh_reorder(m, &out, bandwidth, &err))
        fail_msg("%s", err.text);
    assert_int_equal(mesh_check_indices(out, &err), SDD_OK);
    assert_string_equal(out->name, m->name);
    assert_int_equal(out->next_vertex_id, m->next_vertex_id);
    assert_int_equal(out->next_face_id, m->next_face_id);
    return out;
}

static void test_shapes(void **state)
{
    static const char *const folders[] = {"", "/nonmanifold"};
    char dir[512];
    size_t n;
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(dir, sizeof dir, "%s%s", test_shapes_dir(), folders[k]);
        char **names = shape_list(dir, &n);
        assert_true(n > 20); /* a folder that is not there has none */
        for (size_t i = 0; i < n; i++) {
            struct shape s;
            struct sdd_error err;
            if (shape_load(dir, names[i], &s, &err))
                fail_msg("%s: %s", names[i], err.text);
            struct mesh *r = reordered(s.mesh), *back = sorted(r), *copy;
            sample_same(back, s.mesh);
            assert_int_equal(mesh_copy(r, &copy, &err), SDD_OK);
            sample_same(copy, r);
            assert_memory_equal(copy->vertex_ids, r->vertex_ids, (size_t)r->n_vertices * 4);
            mesh_free(r);
            mesh_free(back);
            mesh_free(copy);
            shape_free(&s);
        }
        shape_list_free(names);
    }
}

static struct mesh *edited(const struct mesh *m, const char *json)
{
    char text[4096];
    struct edit_result r;
    struct sdd_error err = {0};
    snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    struct edit_batch *b = sample_edits(text);
    if (edits_apply(m, b, &r, &err))
        fail_msg("%s: %s", json, err.text);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    edit_batch_free(b);
    return out;
}

/* The same batches to both, each on what the one before has left. */
static void test_edits(void **state)
{
    static const char *const batches[] = {
        "{\"setPositions\":{\"ids\":[0,17,35],\"points\":[9,8,7,6,5,4,3,2,1]}}",
        "{\"setCreases\":{\"edges\":[7,8,13,7],\"sharpnesses\":[2.5,1]}},{\"setCorners\":{\"ids\":[35,0],"
        "\"sharpnesses\":[3,"
        "4]}}",
        "{\"setHoles\":{\"ids\":[24,3],\"hole\":true}},{\"removeFaces\":{\"ids\":[0,12]}}",
        "{\"removeVertices\":{\"ids\":[0]}}",
        "{\"addVertices\":{\"points\":[0,0,5,1,0,5]}},{\"addFaces\":{\"faceVertexCounts\":[4],\"faceVertexIndices\":[1,"
        "6,-1,"
        "-2]}},{\"setCorners\":{\"ids\":[-2],\"sharpnesses\":[5]}}",
        "{\"setPositions\":{\"ids\":[36,37,1],\"points\":[1,1,1,2,2,2,3,3,3]}},{\"removeFaces\":{\"ids\":[25,24]}}",
        "{\"removeVertices\":{\"ids\":[35,36,37]}},{\"addVertices\":{\"points\":[4,4,4]}}",
        "{\"setPositions\":{\"ids\":[38],\"points\":[5,5,5]}}"};
    struct mesh *m = sample_grid(5, 5), *r = reordered(m);
    (void)state;
    assert_memory_not_equal(m->vertex_ids, r->vertex_ids, 36 * 4);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        struct mesh *m2 = edited(m, batches[i]), *r2 = edited(r, batches[i]), *back = sorted(r2);
        sample_same(back, m2);
        assert_int_equal(m2->next_vertex_id, r2->next_vertex_id);
        mesh_free(back);
        mesh_free(m);
        mesh_free(r);
        m = m2;
        r = r2;
    }
    struct edit_result out;
    struct sdd_error err = {0};
    struct edit_batch *b = sample_edits("{\"edits\":[{\"removeVertices\":{\"ids\":[0]}}]}");
    assert_int_equal(edits_apply(r, b, &out, &err), SDD_EMESH);
    assert_string_equal(err.text, "edits[0]: there is no vertex 0");
    edit_batch_free(b);
    mesh_free(m);
    mesh_free(r);
}

/* UV values of a reordered mesh, set and welded. */
static void test_uvs(void **state)
{
    static const char edit[] = "{\"setUvs\":{\"ids\":[0,5],\"st\":[0,0,1,0,1,1,0,1,0,0,1,0,1,1,0.5,1]}},"
                               "{\"removeFaces\":{\"ids\":[2]}}";
    struct mesh *m = sample_cube(), *r = reordered(m), *m2 = edited(m, edit), *r2 = edited(r, edit), *back = sorted(r2);
    (void)state;
    assert_int_equal(m2->n_uvs, back->n_uvs);
    for (int64_t c = 0; c < m2->n_corners; c++)
        assert_memory_equal(m2->uvs + 2 * m2->uv_indices[c], back->uvs + 2 * back->uv_indices[c], 8);
    struct mesh *all[] = {m, r, m2, r2, back};
    for (int i = 0; i < 5; i++)
        mesh_free(all[i]);
}

static void test_id_map(void **state)
{
    enum { N = 5000 };
    int32_t ids[N];
    struct id_map map;
    int64_t twice;
    (void)state;
    for (int i = 0; i < N; i++)
        ids[i] = 400000 * i;
    assert_int_equal(id_map_init(&map, ids, N, &twice, NULL), SDD_OK);
    assert_null(map.rows); /* ascending: there is none */
    for (int i = 0; i < N; i++)
        ids[i] = 400000 * ((i * 1237 + 11) % N);
    assert_int_equal(id_map_init(&map, ids, N, &twice, NULL), SDD_OK);
    assert_int_equal(twice, -1);
    for (int i = 0; i < N; i++) {
        assert_int_equal(id_map_find(&map, ids, ids[i]), i);
        assert_int_equal(id_map_find(&map, ids, ids[i] + 1), -1);
    }
    id_map_fini(&map);
    ids[4000] = ids[17];
    assert_int_equal(id_map_init(&map, ids, N, &twice, NULL), SDD_OK);
    assert_int_equal(twice, 4000);
    id_map_fini(&map);
}

/* Ids that a damaged store could bring. */
static void test_bad_ids(void **state)
{
    static const float points[9] = {0};
    static const int32_t counts[] = {3}, vertices[] = {0, 1, 2}, twice[] = {4, 2, 4}, above[] = {4, 9, 2},
                         below[] = {4, -1, 2};
    struct mesh_arrays a = {.points = {points, 9},
                            .face_counts = {counts, 1},
                            .face_vertices = {vertices, 3},
                            .vertex_ids = {twice, 3},
                            .next_vertex_id = 9,
                            .next_face_id = 1};
    struct sdd_error err;
    struct mesh *m;
    (void)state;
    assert_int_equal(mesh_build(&a, &m, &err), SDD_EMESH);
    assert_string_equal(err.text, "vertexIds[2] is 4, which is there already; each id names one element");
    a.vertex_ids.v = above;
    assert_int_equal(mesh_build(&a, &m, &err), SDD_EMESH);
    assert_string_equal(err.text, "vertexIds[1] is 9; ids are at least 0 and stay below 9");
    a.vertex_ids.v = below;
    assert_int_equal(mesh_build(&a, &m, &err), SDD_EMESH);
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_edits),
                                       cmocka_unit_test(test_uvs), cmocka_unit_test(test_id_map),
                                       cmocka_unit_test(test_bad_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
