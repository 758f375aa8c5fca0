/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out at every k-th allocation, once and from then on: each reader, edit and store call says so and leaks
 * nothing. */
#include "server/mesh/edits/edits.h"
#include "server/mesh/encode.h"
#include "server/mesh/topology_id.h"
#include "server/store/store.h"
#include "subdd.pb-c.h"
#include "tests/failing_malloc.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/schema7.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#ifndef FAILING_MALLOC_SKIPS

static struct mesh *cube;
static char *dir, *old_dir;
static struct file_image old_db;
static void *proto;
static void *usda;
static size_t proto_bytes, usda_bytes, whole[3];
static const char mesh_json[] =
    "{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,2],"
    "\"creaseIndices\":[0,1],\"creaseLengths\":[2],\"creaseSharpnesses\":[1],\"primvars\":["
    "{\"name\":\"a\",\"interpolation\":\"faceVarying\",\"values\":[1,2,3]},"
    "{\"name\":\"b\",\"interpolation\":\"constant\",\"type\":\"i32\",\"values\":[1]},"
    "{\"name\":\"s\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[1],\"setNames\":[\"x\"]}],"
    "\"upAxis\":\"Y\"}";
/* Everything in it that is no face is left out. */
static const char damaged_json[] =
    "{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,2],"
    "\"creaseIndices\":[0,7],\"creaseLengths\":[2],\"creaseSharpnesses\":[1],\"cornerIndices\":[7],"
    "\"cornerSharpnesses\":[1],\"holeIndices\":[7],\"st\":[1],\"primvars\":["
    "{\"name\":\"a\",\"interpolation\":\"vertex\",\"values\":[1,2,3],\"indices\":[0,1,7]}]}";
static const char edits_json[] =
    "{\"edits\":[{\"addVertices\":{\"points\":[1,2,3]}},{\"removeFaces\":{\"ids\":[1]}},"
    "{\"addFaces\":{\"faceVertexCounts\":[3,3],\"faceVertexIndices\":[4,5,-1,6,7,-1],"
    "\"st\":[0,0,1,0,1,1,0,0,1,0,1,1]}},{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}},"
    "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[-1],\"values\":[0,0,1,0,1,1]}},"
    "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[-2],\"values\":[7]}},{\"removePrimvar\":{\"name\":\"weight\"}},"
    "{\"putPrimvar\":{\"name\":\"c\",\"interpolation\":\"constant\",\"values\":[1]}}]}";

/* Colours, materials, groups, and a statement that is not known. */
static const char sets_obj[] = "v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nusemtl a\nf 1 2 3\ng b c\nvw 1\nf 3 2 1\n";

static int run_obj(void)
{
    struct losses losses = {0};
    struct mesh *m;
    int rc = mesh_from_obj(sample_cube_obj, strlen(sample_cube_obj), &m, NULL, NULL);
    mesh_free(m);
    if (!rc)
        rc = mesh_from_obj(sets_obj, strlen(sets_obj), &m, &losses, NULL);
    if (rc)
        return rc;
    struct text lost = {0};
    void *back;
    size_t n;
    rc = mesh_to_obj(m, &back, &n, &lost, NULL);
    rc = rc || !lost.failed ? rc : SDD_ENO_MEMORY;
    text_free(&lost);
    free(back);
    mesh_free(m);
    return rc;
}
static int run_usda(void)
{
    struct mesh *m;
    int rc = mesh_from_usda(usda, usda_bytes, NULL, &m, NULL, NULL, NULL);
    mesh_free(m);
    return rc;
}
static int run_json(void)
{
    struct mesh *m;
    int rc = mesh_from_json(mesh_json, strlen(mesh_json), &m, NULL, NULL);
    mesh_free(m);
    return rc;
}
static int run_losses(void)
{
    struct losses l = {0};
    struct mesh *m;
    int rc = mesh_from_json(damaged_json, strlen(damaged_json), &m, &l, NULL);
    if (!rc)
        assert_int_equal(l.n, 5);
    mesh_free(m);
    return rc;
}
static int run_proto(void)
{
    struct mesh *m;
    int rc = mesh_from_proto(proto, proto_bytes, &m, NULL, NULL);
    mesh_free(m);
    return rc;
}
static int run_write(void)
{
    void *a = NULL, *b = NULL;
    size_t n;
    int rc = mesh_to_proto(cube, &a, &n, NULL);
    if (!rc)
        rc = mesh_to_usda(cube, &b, &n, NULL, NULL);
    free(a);
    free(b);
    return rc;
}
static int run_write_json(void)
{
    void *a;
    size_t n;
    int rc = mesh_to_json(cube, &a, &n, NULL);
    free(a);
    return rc;
}
static int run_write_surfaces(void)
{
    static const char *const types[] = {"model/gltf-binary", "model/ply", "model/stl"};
    int rc = SDD_OK;
    for (int i = 0; i < 3 && !rc; i++) {
        struct text lost = {0};
        void *a;
        size_t n;
        rc = mesh_to_surface(cube, types[i], &a, &n, &lost, NULL);
        if (!rc) /* Then nothing is missing. */
            if (whole[i] && n != whole[i])
                fail_msg("%s: %zu of %zu", types[i], n, whole[i]);
        whole[i] = rc ? whole[i] : n;
        free(a);
        text_free(&lost);
    }
    return rc;
}
static int run_positions(void)
{
    struct positions *p;
    int rc = positions_from_obj(sample_cube_obj, strlen(sample_cube_obj), &p, NULL);
    positions_free(p);
    return rc;
}
/* Lists that grow, rows that grow, and every kind of value. */
static const char modelling_json[] =
    "{\"edits\":[{\"extrudeFaces\":{\"ids\":[0],\"by\":[1]}},{\"insetFaces\":{\"ids\":[1,2,3,4,5]}},"
    "{\"loopCut\":{\"edges\":[0,8]}},{\"mergeVertices\":{\"ids\":[12,13]}},{\"triangulateFaces\":{\"ids\":[-1]}},"
    "{\"setCreases\":{\"edges\":[8,11],\"sharpnesses\":[2]}},{\"splitEdges\":{\"edges\":[8,11]}}]}";

/* What the store would keep of an edit; nothing where there was no memory to note it. */
static int record(const struct edit_result *r, void **bytes, size_t *n)
{
    *bytes = NULL;
    return r->primitives ? edits_to_proto(r->primitives, bytes, n, NULL) : SDD_OK;
}

static int run_modelling(void)
{
    struct edit_batch *b;
    struct edit_result r = {0};
    void *bytes = NULL;
    size_t n;
    int rc = edits_from_json(modelling_json, strlen(modelling_json), &b, NULL);
    if (rc)
        return rc;
    rc = edits_apply(cube, b, &r, NULL);
    if (!rc) {
        char id[MESH_TOPOLOGY_ID_SIZE];
        rc = mesh_topology_id_update(cube, r.mesh, &r.delta, id, NULL);
    }
    if (!rc)
        rc = record(&r, &bytes, &n);
    free(bytes);
    edit_result_free(&r);
    edit_batch_free(b);
    return rc;
}

static int run_edits(void)
{
    struct edit_batch *b;
    struct edit_result r = {0};
    void *bytes = NULL;
    size_t n;
    int rc = edits_from_json(edits_json, strlen(edits_json), &b, NULL);
    if (rc)
        return rc;
    rc = edits_apply(cube, b, &r, NULL);
    if (!rc)
        rc = record(&r, &bytes, &n);
    free(bytes);
    edit_result_free(&r);
    edit_batch_free(b);
    return rc;
}
/* A batch and positions behind it, which are stored as such, and what was there before. */
static int edit_stored(struct store *s)
{
    static const int32_t ids[] = {6};
    static const float value[18] = {1, 2, 3};
    struct edit e = {.op = EDIT_SET_CORNERS, .n = 1, .ids = ids, .n_values = 1, .values = value};
    const struct edit_batch b = {.n_edits = 1, .edits = &e};
    struct position_range range = {2, 1, value};
    const struct positions p = {1, &range, NULL};
    struct edit_result r = {0};
    struct mesh *m = NULL;
    struct store_info info;
    void *bytes = NULL;
    size_t n = 0;
    int rc = store_load(s, "m_1", STORE_ANY_VERSION, &m, &info, NULL);
    if (!rc)
        rc = edits_apply(m, &b, &r, NULL);
    if (!rc)
        rc = record(&r, &bytes, &n);
    const struct store_edit edit = {r.mesh, NULL, bytes, (int64_t)n, 0}, undo = {.mesh = m, .as = info.version};
    if (!rc)
        rc = store_edit(s, "m_1", STORE_ANY_VERSION, &edit, 1, NULL, NULL, NULL);
    for (int k = 0; k < 5 && !rc; k++) { /* At last a snapshot is due. */
        range.n = k ? 6 : 1;
        rc = store_put_points(s, "m_1", STORE_ANY_VERSION, &p, NULL, 1, NULL, NULL, NULL);
    }
    if (!rc)
        rc = store_edit(s, "m_1", STORE_ANY_VERSION, &undo, 1, NULL, NULL, NULL);
    free(bytes);
    edit_result_free(&r);
    mesh_free(m);
    return rc;
}

/* Three changes in one commit: what memory that runs out takes of them is not told. */
static int change_together(struct store *s)
{
    float xyz[3] = {4, 5, 6};
    struct position_range range = {1, 1, xyz};
    const struct positions p = {1, &range, NULL};
    int rc = store_together(s, NULL);
    if (rc)
        return rc;
    rc = store_rename(s, "m_1", STORE_ANY_VERSION, "third", 1, NULL, NULL);
    if (!rc)
        rc = store_create(s, "m_2", cube, 1, NULL, NULL, NULL);
    if (rc == SDD_ECONFLICT)
        rc = SDD_OK;
    if (!rc)
        rc = store_put_points(s, "m_1", STORE_ANY_VERSION, &p, NULL, 1, NULL, NULL, NULL);
    const int ended = store_together_end(s, NULL);
    return rc ? rc : ended;
}

static int run_store(void)
{
    struct store *s;
    struct store_info *list;
    struct mesh *m = NULL;
    float xyz[3] = {1, 2, 3};
    struct position_range range = {2, 1, xyz};
    struct positions p = {1, &range, NULL};
    int n, more, rc = store_open(dir, &s, NULL);
    if (rc)
        return rc;
    store_keep(s, 9, 1 << 20);
    rc = store_create(s, "m_1", cube, 1, NULL, NULL, NULL);
    if (rc == SDD_ECONFLICT) /* an earlier round got this far */
        rc = SDD_OK;
    if (!rc)
        rc = store_put_points(s, "m_1", STORE_ANY_VERSION, &p, NULL, 1, NULL, NULL, NULL);
    if (!rc)
        rc = edit_stored(s);
    if (!rc)
        rc = store_load(s, "m_1", STORE_ANY_VERSION, &m, NULL, NULL);
    mesh_free(m);
    if (!rc)
        rc = store_list(s, "", NULL, "", 10, &list, &n, &more, NULL);
    if (!rc)
        free(list);
    if (!rc)
        rc = store_rename(s, "m_1", STORE_ANY_VERSION, "another", 1, NULL, NULL);
    if (!rc)
        rc = change_together(s);
    if (!rc)
        rc = store_delete(s, "m_1", STORE_ANY_VERSION, NULL, 0, NULL);
    assert_false(store_failed(s));
    store_close(s);
    return rc;
}

/* Writes the store of schema7.h anew, without memory of the heap. */
static void put_old_store(void)
{
    static const char *const others[] = {"subdd.db-wal", "subdd.db"};
    char path[300];
    int fd = -1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", old_dir, others[i]);
        (void)unlink(path);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, old_db.bytes, old_db.n), old_db.n);
    assert_int_equal(close(fd), 0);
}

/* A step of the schema that memory cuts short is not done; it never takes a row for damaged. */
static int run_upgrade(void)
{
    static const char *const ids[] = {"m_1", "m_2", "m_3"};
    struct store *s;
    put_old_store();
    int rc = store_open(old_dir, &s, NULL);
    for (int i = 0; i < 3 && !rc; i++) {
        struct mesh *m = NULL;
        rc = store_load(s, ids[i], STORE_ANY_VERSION, &m, NULL, NULL);
        mesh_free(m);
    }
    store_close(s);
    return rc;
}

/* A mesh in another order, and an edit that has to look its ids up. */
static int run_reorder(void)
{
    static const float point[3] = {1, 2, 3};
    static const int32_t ids[] = {6};
    struct edit e = {.op = EDIT_SET_POSITIONS, .n = 1, .ids = ids, .n_values = 1, .values = point};
    const struct edit_batch b = {.n_edits = 1, .edits = &e};
    struct edit_result r = {0};
    struct mesh *m;
    int64_t bandwidth[2];
    int rc = mesh_reorder(cube, &m, bandwidth, NULL);
    if (!rc)
        rc = edits_apply(m, &b, &r, NULL);
    edit_result_free(&r);
    mesh_free(m);
    return rc;
}

/* The cube with UVs, tags, primvars of every class, face sets and a stage. */
static struct mesh *rich_cube(void)
{
    struct mesh *plain = sample_cube(), *primvars = sample_json(sample_primvars_json),
                *sets = sample_json(sample_sets_json), *m;
    struct mesh_arrays a, b, c;
    mesh_as_arrays(plain, &a);
    mesh_as_arrays(primvars, &b); /* its faces are the same */
    a.n_primvars = b.n_primvars;
    memcpy(a.primvars, b.primvars, sizeof a.primvars);
    mesh_as_arrays(sets, &c); /* and these are, too */
    a.primvars[a.n_primvars++] = c.primvars[0];
    a.stage = c.stage;
    assert_int_equal(mesh_build(&a, &m, NULL), SDD_OK);
    mesh_free(plain);
    mesh_free(primvars);
    mesh_free(sets);
    return m;
}

static void test_readers(void **state)
{
    (void)state;
    torture(run_obj, 0);
    torture(run_usda, 0);
    torture(run_json, 0);
    torture(run_losses, 0);
    torture(run_proto, 0);
    torture(run_positions, 0);
}
static void test_writers(void **state)
{
    (void)state;
    torture(run_write, 0);
    torture(run_write_json, 0);
    torture(run_write_surfaces, 0);
}
static void test_edits(void **state)
{
    (void)state;
    torture(run_edits, 0);
    torture(run_modelling, 1);
}
static void test_reorder(void **state)
{
    (void)state;
    torture(run_reorder, 0);
}
static void test_store(void **state)
{
    (void)state;
    torture(run_store, 1);
}
static void test_upgrade(void **state)
{
    (void)state;
    torture(run_upgrade, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers), cmocka_unit_test(test_writers), cmocka_unit_test(test_edits),
        cmocka_unit_test(test_reorder), cmocka_unit_test(test_store),   cmocka_unit_test(test_upgrade),
    };
    char id[MESH_TOPOLOGY_ID_SIZE];
    cube = rich_cube();
    if (mesh_topology_id_keep(cube, id, NULL))
        return 1;
    if (access("/dev/shm", W_OK) == 0) /* No disk is tested here, and syncs would take minutes. */
        (void)setenv("TMPDIR", "/dev/shm", 0);
    dir = tempdir();
    old_dir = tempdir();
    store_sql(old_dir, schema7);
    old_db = file_read(old_dir, "subdd.db");
    if (mesh_to_usda(cube, &usda, &usda_bytes, NULL, NULL) || mesh_to_proto(cube, &proto, &proto_bytes, NULL))
        return 1;
    Subdd__V1__Mesh *m = subdd__v1__mesh__unpack(NULL, proto_bytes, proto);
    m->vertex_ids.len = m->face_ids.len = 0; /* a request has no ids */
    proto_bytes = subdd__v1__mesh__pack(m, proto);
    m->vertex_ids.len = m->face_ids.len = 1; /* so that they are freed */
    subdd__v1__mesh__free_unpacked(m, NULL);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    free(proto);
    free(usda);
    free(old_db.bytes);
    mesh_free(cube);
    tempdir_remove(dir);
    tempdir_remove(old_dir);
    return rc;
}
#endif
