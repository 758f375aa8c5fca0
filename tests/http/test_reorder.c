/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes made with ?reorder=rcm: by their ids they are the meshes that were sent; edits, positions, restart. */
#include "client/lib/subd.h"
#include "subdd.pb-c.h"
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/oracle/shape.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJ "Content-Type: model/obj\r\n"
#define JSON "Content-Type: application/json\r\n"

static struct daemon d;
static subd_client *client;

static void connect_client(void)
{
    char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    connect_client();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void ok(int rc, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        fail_msg("%s", err->text);
}

static struct subd_mesh_info push(const char *obj, const char *reorder)
{
    struct subd_body body = {"model/obj", obj, strlen(obj)};
    struct subd_push p = SUBD_INIT(subd_push, .reorder = reorder);
    struct subd_mesh_info info;
    struct subd_error err;
    ok(subd_push(client, &body, &p, &info, &err), &err);
    return info;
}

/* ---- a mesh as its cage says it ---- */
struct cage {
    Subdd__V1__Mesh *m;
    int64_t V, F, C, E;
    const int32_t *ids, *face_ids, *counts, *corners;
    int32_t *row_of, *face_row_of; /* by id; -1: there is none */
    uint64_t *edges;               /* [E] (lower, higher) row, ascending */
};

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t edge_key(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static int32_t *by_id(const int32_t *ids, int64_t n)
{
    int32_t *row_of = malloc(65536 * sizeof *row_of);
    memset(row_of, 0xff, 65536 * sizeof *row_of);
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(ids[i], 0, 65535);
        assert_int_equal(row_of[ids[i]], -1);
        row_of[ids[i]] = (int32_t)i;
    }
    return row_of;
}

static struct cage cage_of(const char *id)
{
    struct cage c = {0};
    struct subd_error err;
    char *data;
    size_t n;
    ok(subd_cage(client, id, "application/protobuf", &data, &n, &err), &err);
    assert_non_null(c.m = subdd__v1__mesh__unpack(NULL, n, (uint8_t *)data));
    free(data);
    c.V = (int64_t)c.m->points.len / 12;
    c.F = (int64_t)c.m->face_vertex_counts.len / 4;
    c.C = (int64_t)c.m->face_vertex_indices.len / 4;
    assert_int_equal(c.m->vertex_ids.len, 4 * c.V);
    assert_int_equal(c.m->face_ids.len, 4 * c.F);
    c.ids = (const int32_t *)(void *)c.m->vertex_ids.data;
    c.face_ids = (const int32_t *)(void *)c.m->face_ids.data;
    c.counts = (const int32_t *)(void *)c.m->face_vertex_counts.data;
    c.corners = (const int32_t *)(void *)c.m->face_vertex_indices.data;
    c.row_of = by_id(c.ids, c.V);
    c.face_row_of = by_id(c.face_ids, c.F);
    c.edges = malloc((size_t)c.C * sizeof *c.edges + 1);
    for (int64_t f = 0, first = 0; f < c.F; first += c.counts[f++])
        for (int32_t i = 0; i < c.counts[f]; i++)
            c.edges[first + i] = edge_key(c.corners[first + i], c.corners[first + (i + 1) % c.counts[f]]);
    qsort(c.edges, (size_t)c.C, sizeof *c.edges, compare_edges);
    for (int64_t i = 0; i < c.C; i++)
        if (!i || c.edges[i] != c.edges[i - 1])
            c.edges[c.E++] = c.edges[i];
    return c;
}

static void cage_free(struct cage *c)
{
    subdd__v1__mesh__free_unpacked(c->m, NULL);
    free(c->row_of);
    free(c->face_row_of);
    free(c->edges);
}

static void same_point(const char *label, const struct subd_frame *a, int64_t i, const struct subd_frame *b, int64_t j)
{
    const float *p = (const float *)a->blocks[0].data + 3 * i, *q = (const float *)b->blocks[0].data + 3 * j;
    for (int k = 0; k < 3; k++)
        if (!(fabsf(p[k] - q[k]) <= 2e-6f * (1 + fmaxf(fabsf(p[0]), fmaxf(fabsf(p[1]), fabsf(p[2]))))))
            fail_msg("%s: row %lld has %g, row %lld has %g", label, (long long)i, (double)p[k], (long long)j,
                     (double)q[k]);
}

/* Level 3 starts with the vertices of level 1: control vertices, one a face, one an edge (proto/README.md). */
static void same_surface(const char *label, const char *one, const char *other)
{
    struct cage a = cage_of(one), b = cage_of(other);
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 3, .include = SUBD_POSITIONS);
    struct subd_frame f = {0}, g = {0};
    struct subd_error err;
    ok(subd_refine(client, one, &r, &f, &err), &err);
    ok(subd_refine(client, other, &r, &g, &err), &err);
    assert_int_equal(a.V, b.V);
    assert_int_equal(a.F, b.F);
    assert_int_equal(a.E, b.E);
    assert_int_equal(f.vertices, g.vertices);
    assert_true(f.vertices >= a.V + a.F + a.E);
    for (int64_t i = 0; i < a.V; i++)
        same_point(label, &f, i, &g, b.row_of[a.ids[i]]);
    for (int64_t i = 0; i < a.F; i++)
        same_point(label, &f, a.V + i, &g, a.V + b.face_row_of[a.face_ids[i]]);
    for (int64_t e = 0; e < a.E; e++) {
        uint64_t key = edge_key(b.row_of[a.ids[a.edges[e] >> 32]], b.row_of[a.ids[a.edges[e] & UINT32_MAX]]);
        const uint64_t *at = bsearch(&key, b.edges, (size_t)b.E, sizeof key, compare_edges);
        assert_non_null(at);
        same_point(label, &f, a.V + a.F + e, &g, a.V + a.F + (at - b.edges));
    }
    subd_frame_free(&f);
    subd_frame_free(&g);
    cage_free(&a);
    cage_free(&b);
}

static char *read_text(const char *dir, const char *name)
{
    char path[600], *text = calloc(1, 1 << 20);
    snprintf(path, sizeof path, "%s/%s.obj", dir, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    return text;
}

/* Creases, corners, holes, UVs, polygons of every size: the shapes have them all. */
static void test_surfaces(void **state)
{
    size_t n;
    char **names = shape_list(test_shapes_dir(), &n);
    (void)state;
    assert_non_null(names);
    for (size_t i = 0; i < n; i++) {
        char *obj = read_text(test_shapes_dir(), names[i]);
        struct subd_mesh_info plain = push(obj, NULL), moved = push(obj, "rcm");
        free(obj);
        assert_int_equal(plain.bandwidth_before, 0);
        assert_int_equal(plain.edges, moved.edges);
        same_surface(names[i], plain.id, moved.id);
        assert_int_equal(subd_delete(client, plain.id, 0, NULL), SUBD_OK);
        assert_int_equal(subd_delete(client, moved.id, 0, NULL), SUBD_OK);
    }
    shape_list_free(names);
}

static void edit(const char *id, const char *json, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    http_ask(&d, "POST", target, JSON "If-Match: *\r\n", json, strlen(json), a);
}

/* The same edits by the same ids, and the same again after the daemon was killed. */
static void test_edits_and_restart(void **state)
{
    static const char *const batches[] = {
        "{\"edits\":[{\"setPositions\":{\"ids\":[0,30],\"points\":[1,2,3,4,5,6]}},"
        "{\"setCreases\":{\"edges\":[7,8],\"sharpnesses\":[2.5]}}]}",
        "{\"edits\":[{\"removeFaces\":{\"ids\":[0,12]}},{\"removeVertices\":{\"ids\":[0]}},"
        "{\"setHoles\":{\"ids\":[3],\"hole\":true}}]}",
        "{\"edits\":[{\"addVertices\":{\"points\":[0,0,5,1,0,5]}},"
        "{\"addFaces\":{\"faceVertexCounts\":[4],\"faceVertexIndices\":[1,7,-1,-2]}}]}"};
    char *obj = grid_obj(6);
    struct subd_mesh_info plain = push(obj, "none"), moved = push(obj, "rcm");
    char *before, *after;
    size_t n_before, n_after;
    struct subd_error err;
    (void)state;
    free(obj);
    for (int i = 0; i < 3; i++) {
        struct answer a, b;
        edit(plain.id, batches[i], &a);
        edit(moved.id, batches[i], &b);
        if (a.status != 200 || b.status != 200)
            fail_msg("%s%s", a.body, b.body);
        assert_string_equal(strstr(a.body, "newVertexIds"), strstr(b.body, "newVertexIds"));
        assert_null(strstr(b.body, "bandwidth")); /* the answer to a create alone has it */
        answer_free(&a);
        answer_free(&b);
        same_surface(batches[i], plain.id, moved.id);
    }
    ok(subd_cage(client, moved.id, "application/protobuf", &before, &n_before, &err), &err);
    daemon_kill(&d);
    subd_close(client);
    daemon_start(&d, NULL);
    connect_client();
    ok(subd_cage(client, moved.id, "application/protobuf", &after, &n_after, &err), &err);
    assert_int_equal(n_before, n_after);
    assert_memory_equal(before, after, n_before);
    same_surface("restart", plain.id, moved.id);
    struct answer a;
    edit(moved.id, "{\"edits\":[{\"setCorners\":{\"ids\":[48],\"sharpnesses\":[10]}}]}", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    edit(moved.id, "{\"edits\":[{\"setCorners\":{\"ids\":[0],\"sharpnesses\":[10]}}]}", &a);
    assert_problem(&a, 422, "invalid_mesh", "edits");
    answer_free(&a);
    free(before);
    free(after);
}

/* Positions go by rows of the cage; ids stay. */
static void test_positions(void **state)
{
    static const float there[3] = {7, 8, 9};
    char *obj = grid_obj(6);
    struct subd_mesh_info plain = push(obj, NULL), moved = push(obj, "rcm"), info;
    struct subd_range range = {5, 1, there};
    struct subd_error err;
    struct cage before = cage_of(moved.id);
    (void)state;
    free(obj);
    ok(subd_positions_ranges(client, moved.id, 0, &range, 1, &info, &err), &err);
    assert_int_equal(info.bandwidth_after, 0);
    struct cage after = cage_of(moved.id);
    assert_memory_equal(before.ids, after.ids, (size_t)before.V * 4);
    assert_memory_equal(after.m->points.data + 60, there, 12);
    range.first = before.ids[5]; /* in the plain mesh id and row are the same */
    ok(subd_positions_ranges(client, plain.id, 0, &range, 1, &info, &err), &err);
    same_surface("positions", plain.id, moved.id);
    cage_free(&before);
    cage_free(&after);
}

static void post(const char *query, const char *fields, const char *obj, struct answer *a)
{
    char target[128];
    snprintf(target, sizeof target, "/v1/meshes%s", query);
    http_ask(&d, "POST", target, fields, obj, strlen(obj), a);
}

/* What the answer has, and what is refused: in the rows that the client sent. */
static void test_answers(void **state)
{
    char *grid = grid_obj(8), bad[512];
    struct answer a, b;
    (void)state;
    post("?reorder=rcm", OBJ "Idempotency-Key: r-1\r\n", grid, &a);
    assert_int_equal(a.status, 201);
    assert_int_equal(answer_number(&a, "bandwidthBefore"), 10);
    assert_in_range(answer_number(&a, "bandwidthAfter"), 1, 17);
    post("?reorder=rcm", OBJ "Idempotency-Key: r-1\r\n", grid, &b);
    assert_string_equal(a.body, b.body);
    answer_free(&a);
    answer_free(&b);
    post("?reorder=none", OBJ, grid, &a);
    assert_int_equal(a.status, 201);
    assert_null(strstr(a.body, "bandwidth"));
    answer_free(&a);
    post("?reorder=amd", OBJ, grid, &a);
    assert_problem(&a, 400, "invalid_argument", "reorder");
    assert_non_null(strstr(a.body, "none or rcm"));
    answer_free(&a);
    free(grid);
    struct subd_mesh_info info = push("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "rcm");
    assert_int_equal(info.bandwidth_before, 2);
    assert_int_equal(info.bandwidth_after, 2);
    static const char *const wrong[] = {"t crease 2/1/0 0 7 1\n", "f 1 2 3 4 9\nv 1 nan 2\n", "f 1 2 300\n", "f 1 2\n",
                                        "t corner 1/1/0 70 1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) { /* said as without a reorder */
        snprintf(bad, sizeof bad, "%s%s", CUBE, wrong[i]);
        post("?strict=true", OBJ, bad, &a);
        post("?strict=true&reorder=rcm", OBJ, bad, &b);
        char one[256], other[256];
        assert_true(a.status >= 400);
        assert_int_equal(a.status, b.status);
        assert_string_equal(answer_member(&a, "field", one), answer_member(&b, "field", other));
        if (i != 2 && i != 4) /* an index out of range is refused before there is an order, in other words */
            assert_string_equal(answer_member(&a, "detail", one), answer_member(&b, "detail", other));
        answer_free(&a);
        answer_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_surfaces), cmocka_unit_test(test_edits_and_restart),
                                       cmocka_unit_test(test_positions), cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, start, stop);
}
