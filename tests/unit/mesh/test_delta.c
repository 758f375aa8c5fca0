/* SPDX-License-Identifier: Apache-2.0 */
/* What edits say of their change: a row for each kind of edit, with how much of the mesh it leaves dirty, and random
 * batches; each delta is compared with what mesh_witness.c finds by ids, and the compute library takes it. */
#include "gpu/mesh/topology.h"
#include "tests/engines/same_topology.h"
#include "tests/env.h"
#include "tests/unit/mesh/mesh_witness.h"
#include "tests/unit/random_edits.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static sdd_device *device;
static int n_updated, n_fast;

/* The library takes the delta to every mesh that it takes itself. */
static void update(const struct mesh *m, const struct edit_result *r)
{
    struct sdd_mesh_desc desc;
    struct sdd_topology_delta delta;
    struct sdd_error err = {0}, want = {0};
    sdd_topology *old, *created, *updated;
    mesh_desc(m, &desc);
    if (sdd_topology_create(device, &desc, &old, &err))
        return; /* not a mesh of the daemon's, which would have been refused */
    mesh_desc(r->mesh, &desc);
    mesh_delta_desc(&r->delta, &delta);
    int wanted = sdd_topology_create(device, &desc, &created, &want);
    int rc = sdd_topology_update(old, &desc, &delta, &updated, &err);
    if (rc != wanted || strcmp(err.text, want.text) != 0)
        fail_msg("%d %s, not %d %s", rc, err.text, wanted, want.text);
    n_updated += !rc;
    if (!rc) {
        n_fast += updated->is_updated;
        same_topology(created, updated, updated->is_updated ? "an update" : "a build");
    }
    sdd_topology_unref(old);
    sdd_topology_unref(created);
    sdd_topology_unref(updated);
}

/* The new mesh, or NULL where the batch is refused; *faces and *vertices count what is dirty. */
static struct mesh *edited(const struct mesh *m, const char *json, int64_t *faces, int64_t *vertices,
                           struct sdd_error *err)
{
    char text[4096];
    struct edit_result r;
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    struct edit_batch *b = sample_edits(text);
    if (!edits_apply(m, b, &r, err)) {
        witness_delta(m, b, &r);
        update(m, &r);
    }
    edit_batch_free(b);
    struct mesh *out = r.mesh;
    *faces = r.delta.n_dirty_faces;
    *vertices = r.delta.n_dirty_vertices;
    r.mesh = NULL;
    edit_result_free(&r);
    return out;
}

/* 0 1 2 / 3 4 5 / 6 7 8: faces 0 1 / 2 3, around vertex 4. Vertex 4 is sharp, edge 4-5 is a crease, face 3 a hole. */
static struct mesh *tagged(void)
{
    int64_t faces, vertices;
    struct sdd_error err = {0};
    struct mesh *grid = sample_grid(2, 2);
    struct mesh *m = edited(grid,
                            "{\"setCorners\":{\"ids\":[4],\"sharpnesses\":[2]}},"
                            "{\"setCreases\":{\"edges\":[4,5],\"sharpnesses\":[3]}},"
                            "{\"setHoles\":{\"ids\":[3],\"hole\":true}}",
                            &faces, &vertices, &err);
    assert_non_null(m);
    mesh_free(grid);
    return m;
}

/* The same with UVs that are one plane, a value a vertex. */
static struct mesh *mapped(void)
{
    int64_t faces, vertices;
    struct sdd_error err = {0};
    struct mesh *flat = tagged();
    struct mesh *m = edited(flat,
                            "{\"setUvs\":{\"ids\":[0,1,2,3],\"st\":[0,0,1,0,1,1,0,1, 1,0,2,0,2,1,1,1,"
                            "0,1,1,1,1,2,0,2, 1,1,2,1,2,2,1,2]}}",
                            &faces, &vertices, &err);
    assert_non_null(m);
    assert_int_equal(m->n_uvs, 9);
    assert_int_equal(faces, 0); /* all of the channel is new, so nothing of it is another than before */
    mesh_free(flat);
    return m;
}

static struct mesh *with_primvars(void)
{
    return sample_json(sample_primvars_json);
}

#define ADD_VERTEX "{\"addVertices\":{\"points\":[9,9,9]}}"
#define ADD_FACE "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[2,-1,5]}}"

static const struct {
    struct mesh *(*make)(void);
    const char *json;
    int64_t faces, vertices; /* dirty */
} rows[] = {
    {tagged, "{\"setPositions\":{\"ids\":[4],\"points\":[9,9,9]}}", 0, 0},
    {tagged, ADD_VERTEX, 0, 1},
    {tagged, ADD_VERTEX "," ADD_FACE, 1, 3},
    {tagged, ADD_VERTEX "," ADD_FACE ",{\"removeFaces\":{\"ids\":[-1]}},{\"removeVertices\":{\"ids\":[-1]}}", 0, 0},
    {tagged, ADD_VERTEX ",{\"removeVertices\":{\"ids\":[-1]}}," ADD_VERTEX, 0, 1},
    {tagged, "{\"removeFaces\":{\"ids\":[0]}}", 0, 4},
    {tagged, "{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0]}}", 0, 3},
    {tagged, "{\"removeFaces\":{\"ids\":[3]}}", 0, 4}, /* the crease stays: face 1 has the edge */
    {tagged, "{\"removeFaces\":{\"ids\":[1,3]}},{\"removeVertices\":{\"ids\":[2,5,8]}}", 0, 3}, /* it goes */
    {tagged, "{\"removeFaces\":{\"ids\":[0,1,2,3]}}", 0, 9},
    {tagged,
     "{\"removeFaces\":{\"ids\":[0]}},"
     "{\"addFaces\":{\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,4,3]}}",
     1, 4},
    {tagged, "{\"setCreases\":{\"edges\":[1,4],\"sharpnesses\":[2]}}", 2, 6},
    {tagged, "{\"setCreases\":{\"edges\":[5,4],\"sharpnesses\":[4]}}", 2, 6},
    {tagged, "{\"setCreases\":{\"edges\":[4,5],\"sharpnesses\":[0]}}", 2, 6},
    {tagged, "{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[1]}}", 1, 4},
    {tagged, "{\"setCreases\":{\"edges\":[5,4],\"sharpnesses\":[3]}}", 0, 0}, /* as it was */
    {tagged,
     "{\"setCreases\":{\"edges\":[4,5],\"sharpnesses\":[1]}},{\"setCreases\":{\"edges\":[4,5],\"sharpnesses\":[3]}}", 0,
     0},
    {tagged, "{\"setCorners\":{\"ids\":[4],\"sharpnesses\":[0]}}", 4, 9},
    {tagged, "{\"setCorners\":{\"ids\":[4],\"sharpnesses\":[2]}}", 0, 0},
    {tagged, "{\"setCorners\":{\"ids\":[0],\"sharpnesses\":[20]}}", 1, 4},
    {tagged, ADD_VERTEX ",{\"setCorners\":{\"ids\":[-1],\"sharpnesses\":[1]}}", 0, 1},
    {tagged, "{\"setHoles\":{\"ids\":[0],\"hole\":true}}", 1, 4},
    {tagged, "{\"setHoles\":{\"ids\":[3],\"hole\":false}}", 1, 4},
    {tagged, "{\"setHoles\":{\"ids\":[3],\"hole\":true}}", 0, 0},
    {tagged, "{\"removeFaces\":{\"ids\":[0]}},{\"setHoles\":{\"ids\":[1],\"hole\":true}}", 1, 6},
    {mapped, "{\"setPositions\":{\"ids\":[4],\"points\":[9,9,9]}}", 0, 0},
    {mapped, "{\"setUvs\":{\"ids\":[0],\"st\":[0,0,1,0,1,1,0,1]}}", 1, 4}, /* its own corner has another row now */
    {mapped, "{\"setUvs\":{\"ids\":[0],\"st\":[7,7,1,0,1,1,0,1]}}", 1, 4},
    {mapped, "{\"setUvs\":{\"ids\":[3],\"st\":[5,5,6,5,6,6,5,6]}}", 1, 4},                /* a seam */
    {mapped, "{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0]}}", 0, 3}, /* UV rows close up */
    {mapped,
     ADD_VERTEX ",{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[2,-1,5],\"st\":[2,0,3,0,2,1]}}", 1, 3},
    {mapped, "{\"removeFaces\":{\"ids\":[0,1,2,3]}}", 0, 9}, /* and the channel goes */
    {with_primvars, "{\"setPrimvar\":{\"name\":\"weight\",\"ids\":[0],\"values\":[5]}}", 0, 0},
    {with_primvars, "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[0],\"values\":[5]}}", 0, 0},
    {with_primvars, "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[0],\"values\":[9,9,1,0,1,1,0,1]}}", 1, 4},
    {with_primvars, "{\"removePrimvar\":{\"name\":\"map\"}}", 0, 0},
    {with_primvars,
     "{\"putPrimvar\":{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"values\":[4],\"indices\":"
     "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}",
     0, 0}, /* all of the channel is new */
    {with_primvars,
     "{\"putPrimvar\":{\"name\":\"a\",\"interpolation\":\"faceVarying\",\"values\":[4],\"indices\":"
     "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}",
     0, 0},                                                   /* before the old one, which becomes the second */
    {with_primvars, "{\"removeFaces\":{\"ids\":[5]}}", 0, 4}, /* with the value that it alone named */
    {with_primvars, "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[4,5,1]}}", 1, 3},
};

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t faces, vertices;
        struct sdd_error err = {0};
        struct mesh *m = rows[i].make(), *n = edited(m, rows[i].json, &faces, &vertices, &err);
        if (!n)
            fail_msg("%s: %s", rows[i].json, err.text);
        if (faces != rows[i].faces || vertices != rows[i].vertices)
            fail_msg("%s: %lld faces and %lld vertices are dirty", rows[i].json, (long long)faces, (long long)vertices);
        mesh_free(n);
        mesh_free(m);
    }
}

/* A batch that is refused leaves nothing behind. */
static void test_refused(void **state)
{
    static const struct mesh_delta none;
    struct edit_result r;
    struct sdd_error err;
    (void)state;
    struct mesh *m = tagged();
    struct edit_batch *b = sample_edits("{\"edits\":[{\"removeVertices\":{\"ids\":[0]}}]}");
    assert_int_equal(edits_apply(m, b, &r, &err), SDD_EMESH);
    assert_memory_equal(&r.delta, &none, sizeof none);
    edit_batch_free(b);
    mesh_free(m);
}

/* ---- random batches ---- */
/* Batch after batch on what the last one made, from each of these meshes. */
static void test_random(void **state)
{
    static struct mesh *(*const make[])(void) = {sample_cube, mapped, with_primvars, sample_reordered};
    struct random_edits w = {.x = 88172645463325252u};
    int applied = 0, clean = 0;
    (void)state;
    for (size_t k = 0; k < sizeof make / sizeof *make; k++) {
        struct mesh *m = make[k]();
        for (int round = 0; round < 4000; round++) {
            int64_t faces, vertices;
            struct sdd_error err = {0};
            random_batch(&w, m);
            struct mesh *n = edited(m, w.text, &faces, &vertices, &err);
            if (!n)
                continue;
            applied++;
            clean += faces < n->n_faces;
            mesh_free(m);
            m = n->n_faces > 60 || n->n_vertices > 120 ? make[k]() : n;
            if (m != n)
                mesh_free(n);
        }
        mesh_free(m);
    }
    print_message("%d batches, %d of which left faces clean; %d updates of topologies, %d without a build\n", applied,
                  clean, n_updated, n_fast);
    assert_true(applied > 2000 && clean > 1000 && n_updated > 2000);
}

static int open_device(void **state)
{
    struct sdd_error err;
    struct sdd_device_config config = {.backend = test_backend(), .module_path = test_module_path(), .threads = 1};
    (void)state;
    return sdd_device_open(&config, &device, &err);
}

static int close_device(void **state)
{
    (void)state;
    sdd_device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
