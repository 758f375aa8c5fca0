/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

const char sample_cube_obj[] = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
                               "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                               "f 1/1 4/2 3/3 2/4\nf 5/1 6/2 7/3 8/4\nf 1/1 2/2 6/3 5/4\nf 2/1 3/2 7/3 6/4\n"
                               "f 3/1 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\n"
                               "t interpolateboundary 1/0/0 1\nt crease 2/1/0 4 5 2.5\nt corner 1/1/0 0 10\n";

struct mesh *sample_obj(const char *text)
{
    struct sdd_error err = {0};
    struct mesh *m;
    if (mesh_from_obj(text, strlen(text), &m, NULL, &err))
        fail_msg("%s", err.text);
    return m;
}

struct mesh *sample_cube(void)
{
    return sample_obj(sample_cube_obj);
}

const char sample_primvars_json[] =
    "{\"points\": [-1,-1,-1, 1,-1,-1, 1,1,-1, -1,1,-1, -1,-1,1, 1,-1,1, 1,1,1, -1,1,1],"
    "\"faceVertexCounts\": [4,4,4,4,4,4],"
    "\"faceVertexIndices\": [0,3,2,1, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7],"
    "\"primvars\": ["
    "{\"name\": \"weight\", \"interpolation\": \"vertex\", \"values\": [0,1,2,3,4,5,6,7]},"
    "{\"name\": \"displayColor\", \"interpolation\": \"varying\", \"width\": 3,"
    " \"values\": [1,0,0, 0,1,0], \"indices\": [0,0,0,0,1,1,1,1]},"
    "{\"name\": \"material\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": "
    "[10,11,12,13,14,16777217]},"
    "{\"name\": \"asset:id\", \"interpolation\": \"constant\", \"type\": \"i32\", \"width\": 2, \"values\": "
    "[-7,2147483647]},"
    "{\"name\": \"map\", \"interpolation\": \"faceVarying\", \"width\": 2,"
    " \"values\": [0,0, 1,0, 1,1, 0,1, 5,5], \"indices\": [0,1,2,3, 0,1,2,3, 0,1,2,3, 0,1,2,3, 0,1,2,3, 4,1,2,3]}]}";

struct mesh *sample_json(const char *text)
{
    struct sdd_error err = {0};
    struct mesh *m;
    if (mesh_from_json(text, strlen(text), &m, NULL, &err))
        fail_msg("%s", err.text);
    return m;
}

struct mesh *sample_grid(int32_t columns, int32_t rows)
{
    int64_t n_vertices = (int64_t)(columns + 1) * (rows + 1), n_faces = (int64_t)columns * rows;
    float *points = calloc((size_t)n_vertices, 12);
    int32_t *counts = calloc((size_t)n_faces, 4), *corners = calloc((size_t)n_faces, 16);
    struct mesh_arrays a = {
        .points = {points, 3 * n_vertices}, .face_counts = {counts, n_faces}, .face_vertices = {corners, 4 * n_faces}};
    struct mesh *m;
    struct sdd_error err;
    for (int64_t i = 0; i < n_vertices; i++) {
        points[3 * i] = (float)(i % (columns + 1));
        points[3 * i + 1] = (float)(i / (columns + 1)); // NOLINT: whole rows are meant
    }
    for (int32_t f = 0; f < n_faces; f++) {
        int32_t v = f / columns * (columns + 1) + f % columns;
        const int32_t quad[4] = {v, v + 1, v + columns + 2, v + columns + 1};
        counts[f] = 4;
        memcpy(corners + 4 * f, quad, sizeof quad);
    }
    if (mesh_build(&a, &m, &err))
        fail_msg("%s", err.text);
    free(points);
    free(counts);
    free(corners);
    return m;
}

struct edit_batch *sample_edits(const char *json)
{
    struct sdd_error err = {0};
    struct edit_batch *b;
    if (edits_from_json(json, strlen(json), &b, &err))
        fail_msg("%s", err.text);
    return b;
}

static void same(const void *a, const void *b, int64_t n)
{
    if (n)
        assert_memory_equal(a, b, (size_t)n * 4);
}

const char sample_sets_json[] =
    "{\"points\": [-1,-1,-1, 1,-1,-1, 1,1,-1, -1,1,-1, -1,-1,1, 1,-1,1, 1,1,1, -1,1,1],"
    "\"faceVertexCounts\": [4,4,4,4,4,4],"
    "\"faceVertexIndices\": [0,3,2,1, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7],"
    "\"upAxis\": \"Z\", \"metersPerUnit\": 0.01,"
    "\"transform\": [0,1,0,0, -1,0,0,0, 0,0,1,0, 0.1,2,3,1],"
    "\"primvars\": ["
    "{\"name\": \"group\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [1,1,0,1,0,2],"
    " \"setNames\": [\"left \\\"side\\\"\", \"b\"]},"
    "{\"name\": \"materialBind\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [3,2,1,0,1,2],"
    " \"setNames\": [\"Holz\", \"Stahl\", \"M\u00f6rtel\"]}]}";

/* Are the names of face sets the same? */
static void same_sets(const struct set_names *a, const struct set_names *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(!a->text, !b->text);
    if (a->text)
        assert_memory_equal(a->text, b->text, (size_t)a->bytes);
}

void sample_same(const struct mesh *a, const struct mesh *b)
{
    assert_memory_equal(&a->options, &b->options, sizeof a->options);
    assert_memory_equal(&a->stage, &b->stage, sizeof a->stage);
    assert_int_equal(a->n_vertices, b->n_vertices);
    assert_int_equal(a->n_faces, b->n_faces);
    assert_int_equal(a->n_corners, b->n_corners);
    assert_int_equal(a->n_creases, b->n_creases);
    assert_int_equal(a->n_corner_tags, b->n_corner_tags);
    assert_int_equal(a->n_holes, b->n_holes);
    assert_int_equal(a->n_uvs, b->n_uvs);
    same(a->points, b->points, 3 * a->n_vertices);
    same(a->face_counts, b->face_counts, a->n_faces);
    same(a->face_vertices, b->face_vertices, a->n_corners);
    same(a->crease_edges, b->crease_edges, 2 * a->n_creases);
    same(a->crease_sharpness, b->crease_sharpness, a->n_creases);
    same(a->corner_vertices, b->corner_vertices, a->n_corner_tags);
    same(a->corner_sharpness, b->corner_sharpness, a->n_corner_tags);
    same(a->hole_faces, b->hole_faces, a->n_holes);
    same(a->uvs, b->uvs, 2 * a->n_uvs);
    same(a->uv_indices, b->uv_indices, a->n_uvs ? a->n_corners : 0);
    assert_int_equal(a->n_primvars, b->n_primvars);
    for (int i = 0; i < a->n_primvars; i++) {
        const struct primvar *p = &a->primvars[i], *q = &b->primvars[i];
        assert_memory_equal(&p->info, &q->info, sizeof p->info);
        same(p->values, q->values, (int64_t)p->info.n_values * p->info.width);
        same(p->indices, q->indices, p->indices ? a->n_corners : 0);
        same_sets(&p->sets, &q->sets);
    }
}

void sample_equal(const struct mesh *a, const struct mesh *b)
{
    sample_same(a, b);
    same(a->vertex_ids, b->vertex_ids, a->n_vertices);
    same(a->face_ids, b->face_ids, a->n_faces);
    assert_int_equal(a->next_vertex_id, b->next_vertex_id);
    assert_int_equal(a->next_face_id, b->next_face_id);
}

struct mesh *sample_reordered(void)
{
    int64_t bandwidth[2];
    struct sdd_error err = {0};
    struct mesh *grid = sample_grid(4, 3), *m;
    assert_int_equal(mesh_reorder(grid, &m, bandwidth, &err), SDD_OK);
    mesh_free(grid);
    return m;
}
