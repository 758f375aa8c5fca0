/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mesh/topology_id.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        struct sdd_error err = {0};                                                                                    \
        if (call)                                                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                                       \
    } while (0)
#define REFUSED(code, call)                                                                                            \
    do {                                                                                                               \
        err = (struct sdd_error){0};                                                                                   \
        int refused_rc = call;                                                                                         \
        if (refused_rc != (code))                                                                                      \
            fail_msg("%s gave %d %s", #call, refused_rc, err.text);                                                    \
    } while (0)

/* Reads a mesh and holds it against what it should be. */
static void stored(struct store *s, const char *id, const struct mesh *want, int64_t version)
{
    struct store_info info;
    struct mesh *m;
    char topology[MESH_TOPOLOGY_ID_SIZE];
    OK(store_load(s, id, STORE_ANY_VERSION, &m, &info, &err));
    sample_same(m, want);
    assert_memory_equal(m->vertex_ids, want->vertex_ids, (size_t)m->n_vertices * 4);
    assert_memory_equal(m->face_ids, want->face_ids, (size_t)m->n_faces * 4);
    assert_int_equal(m->next_vertex_id, want->next_vertex_id);
    assert_int_equal(m->next_face_id, want->next_face_id);
    assert_int_equal(info.version, version);
    OK(mesh_topology_id(want, topology, &err));
    assert_string_equal(info.topology_id, topology);
    assert_int_equal(info.n_corners, want->n_corners);
    mesh_free(m);
}

static int64_t count(struct store *s, const char *dir, const char *sql)
{
    char path[300];
    sqlite3 *db;
    sqlite3_stmt *st;
    (void)s;
    (void)snprintf(path, sizeof path, "%s/subdd.db", dir);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    (void)sqlite3_close(db);
    return n;
}

static void test_create_and_load(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct store_info info;
    struct sdd_error err;
    struct mesh *m = sample_cube(), *got;
    (void)state;
    m->n_edges = 12;
    m->manifold = 1;
    OK(store_create(s, "m_1", m, 1000, NULL, &info, &err));
    assert_int_equal(info.version, 1);
    assert_int_equal(info.created_ms, 1000);
    assert_int_equal(info.n_edges, 12);
    assert_int_equal(info.manifold, 1);
    assert_string_equal(info.name, "m_1"); /* unnamed: its id */
    stored(s, "m_1", m, 1);
    REFUSED(SDD_ECONFLICT, store_create(s, "m_1", m, 1000, NULL, NULL, &err));
    REFUSED(SDD_ENOT_FOUND, store_load(s, "m_2", STORE_ANY_VERSION, &got, NULL, &err));
    REFUSED(SDD_ENOT_FOUND, store_find(s, "m_2", STORE_ANY_VERSION, &info, &err));
    REFUSED(SDD_ENOT_FOUND, store_delete(s, "m_2", STORE_ANY_VERSION, NULL, 0, &err));
    memcpy(m->name, "cube", 5);
    OK(store_create(s, "m_3", m, 1000, NULL, &info, &err));
    assert_string_equal(info.name, "cube");
    m->manifold = 0;
    OK(store_replace(s, "m_3", 1, m, 1000, NULL, NULL, &err));
    int64_t database, log;
    store_bytes(s, &database, &log);
    assert_true(database >= 4096 && log > 0);
    OK(store_check(s, &err));
    store_close(s);
    s = store_reopen(dir);
    stored(s, "m_1", m, 1);
    OK(store_find(s, "m_1", STORE_ANY_VERSION, &info, &err));
    assert_int_equal(info.manifold, 1);
    OK(store_load(s, "m_3", STORE_ANY_VERSION, &got, &info, &err));
    assert_int_equal(info.manifold, 0);
    assert_int_equal(got->manifold, 0);
    mesh_free(got);
    OK(store_delete(s, "m_1", 1, NULL, 0, &err));
    store_close(s);
    assert_int_equal(count(s, dir, "SELECT count(*) FROM topologies"), 1); /* m_3 has it still */
    s = store_reopen(dir);
    OK(store_delete(s, "m_3", STORE_ANY_VERSION, NULL, 0, &err));
    store_close(s);
    assert_int_equal(count(s, dir, "SELECT count(*) FROM topologies"), 0);
    assert_int_equal(count(s, dir, "SELECT count(*) FROM chunks"), 0);
    mesh_free(m);
    tempdir_remove(dir);
}

/* Larger than a chunk in every array; ids with gaps; UVs. */
static void test_big_mesh_and_replace(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct edit_result r = {0};
    struct sdd_error err;
    (void)state;
    struct mesh *m = sample_grid(700, 500);
    OK(store_create(s, "m_a", m, 1, NULL, NULL, &err));
    stored(s, "m_a", m, 1);
    struct edit_batch *b =
        sample_edits("{\"edits\":[{\"removeFaces\":{\"ids\":[0,5]}},{\"removeVertices\":{\"ids\":[0]}},"
                     "{\"setCreases\":{\"edges\":[2,1],\"sharpnesses\":[3]}}]}");
    OK(edits_apply(m, b, &r, &err));
    REFUSED(SDD_ESTALE, store_replace(s, "m_a", 2, r.mesh, 2, NULL, NULL, &err));
    assert_int_equal(err.available, 1);
    OK(store_replace(s, "m_a", 1, r.mesh, 2, NULL, NULL, &err));
    stored(s, "m_a", r.mesh, 2);
    OK(store_replace(s, "m_a", 2, m, 3, NULL, NULL, &err)); /* and back: chunks beyond the end are gone */
    stored(s, "m_a", m, 3);
    OK(store_check(s, &err));
    store_close(s);
    assert_int_equal(count(s, dir, "SELECT count(*) FROM topologies"), 1);
    assert_int_equal(count(s, dir, "SELECT count(*) FROM chunks WHERE kind IN (2, 3, 4)"), 0);
    edit_batch_free(b);
    edit_result_free(&r);
    mesh_free(m);
    tempdir_remove(dir);
}

/* Values, and what a mesh is found to have without them; then through a change of positions, of all, and away. */
static void test_primvars(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct store_info info;
    const float moved[3] = {9, 9, 9};
    const struct position_range range = {3, 1, moved};
    struct mesh *m = sample_json(sample_primvars_json), *plain = sample_cube();
    (void)state;
    OK(store_create(s, "m_1", m, 1, NULL, NULL, &err));
    stored(s, "m_1", m, 1);
    const struct positions p = {1, (struct position_range *)(uintptr_t)&range, NULL};
    OK(store_put_points(s, "m_1", 1, &p, NULL, 2, NULL, &info, &err));
    memcpy(m->points + 9, moved, sizeof moved);
    store_close(s);
    s = store_reopen(dir);
    stored(s, "m_1", m, 2);
    OK(store_find(s, "m_1", STORE_ANY_VERSION, &info, &err));
    assert_int_equal(info.n_primvars, 5);
    assert_memory_equal(&info.primvars[3], &m->primvars[3].info, sizeof info.primvars[3]);
    ((float *)m->primvars[4].values)[7] = 70;
    OK(store_replace(s, "m_1", 2, m, 3, NULL, NULL, &err));
    stored(s, "m_1", m, 3);
    store_close(s);
    s = store_reopen(dir);
    OK(store_check(s, &err));
    stored(s, "m_1", m, 3);
    OK(store_replace(s, "m_1", 3, plain, 4, NULL, NULL, &err));
    stored(s, "m_1", plain, 4);
    store_close(s);
    assert_int_equal(count(NULL, dir, "SELECT count(*) FROM chunks WHERE kind = 5"), 0);
    mesh_free(m);
    mesh_free(plain);
    tempdir_remove(dir);
}

static void test_put_points(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct sdd_error err;
    struct store_info info;
    (void)state;
    struct mesh *m = sample_grid(200, 100); /* 20,301 vertices: five chunks */
    OK(store_create(s, "m_p", m, 1, NULL, NULL, &err));
    float *points = malloc(12 * 20301);
    for (int i = 0; i < 3 * 20301; i++)
        points[i] = (float)-i;
    struct position_range ranges[] = {{0, 1, points},
                                      {4095, 2, points + 7},
                                      {20300, 1, points + 9},
                                      {4000, 8300, points + 1},
                                      {5000, 3, points + 60}};
    struct positions p = {5, ranges, NULL};
    OK(store_put_points(s, "m_p", 1, &p, NULL, 7, NULL, &info, &err));
    assert_int_equal(info.version, 2);
    assert_int_equal(info.updated_ms, 7);
    assert_int_equal(positions_open(&p, m, &err), SDD_OK);
    positions_apply(&p, m);
    stored(s, "m_p", m, 2);
    struct positions whole = {1, &(struct position_range){0, 20301, points}, NULL};
    OK(store_put_points(s, "m_p", STORE_ANY_VERSION, &whole, NULL, 8, NULL, NULL, &err));
    assert_int_equal(positions_open(&whole, m, &err), SDD_OK);
    positions_apply(&whole, m);
    stored(s, "m_p", m, 3);
    REFUSED(SDD_ESTALE, store_put_points(s, "m_p", 2, &whole, NULL, 8, NULL, NULL, &err));
    assert_int_equal(err.available, 3);
    struct positions beyond = {1, &(struct position_range){1, 20301, points}, NULL};
    REFUSED(SDD_EMESH, store_put_points(s, "m_p", 3, &beyond, NULL, 8, NULL, NULL, &err));
    REFUSED(SDD_ENOT_FOUND, store_put_points(s, "m_q", 3, &whole, NULL, 8, NULL, NULL, &err));
    stored(s, "m_p", m, 3);
    free(points);
    mesh_free(m);
    store_close(s);
    tempdir_remove(dir);
}

static void test_list(void **state)
{
    char *dir = tempdir(), id[STORE_ID_SIZE];
    struct store *s = store_reopen(dir);
    struct store_info *list;
    struct sdd_error err;
    int n, more;
    (void)state;
    struct mesh *m = sample_grid(1, 1);
    for (int i = 0; i < 5; i++) {
        (void)snprintf(id, sizeof id, "m_%d", 4 - i);
        OK(store_create(s, id, m, 1, NULL, NULL, &err));
    }
    OK(store_list(s, "", NULL, "", 3, &list, &n, &more, &err));
    assert_int_equal(n, 3);
    assert_int_equal(more, 1);
    assert_string_equal(list[0].id, "m_0");
    free(list);
    OK(store_list(s, "", NULL, "m_2", 2, &list, &n, &more, &err));
    assert_int_equal(n, 2);
    assert_int_equal(more, 0);
    assert_string_equal(list[1].id, "m_4");
    free(list);
    OK(store_list(s, "", NULL, "m_4", 2, &list, &n, &more, &err));
    assert_int_equal(n, 0);
    free(list);
    REFUSED(SDD_EINVALID, store_list(s, "", NULL, "", 0, &list, &n, &more, &err));
    mesh_free(m);
    store_close(s);
    tempdir_remove(dir);
}

/* Names of all lengths that the row's checksum covers in its two ways: within its image, and beyond. */
static void test_rename(void **state)
{
    static const size_t lengths[] = {1, 131, 132, 133, MESH_NAME_SIZE - 1};
    char *dir = tempdir(), name[MESH_NAME_SIZE];
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_cube();
    struct store_info info, *list;
    struct sdd_error err;
    int n, more;
    (void)state;
    OK(store_create(s, "m_1", m, 1, NULL, NULL, &err));
    OK(store_create(s, "m_2", m, 1, NULL, NULL, &err));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memset(name, 'n', lengths[i]);
        name[lengths[i]] = 0;
        OK(store_rename(s, "m_1", (int64_t)i + 1, name, (int64_t)i + 2, &info, &err));
        assert_int_equal(info.version, i + 2);
        assert_int_equal(info.updated_ms, i + 2);
        OK(store_rename(s, "m_1", STORE_ANY_VERSION, name, 99, &info, &err)); /* it is called so already */
        assert_int_equal(info.version, i + 2);
        assert_int_equal(info.updated_ms, i + 2);
        store_close(s);
        s = store_reopen(dir);
        OK(store_find(s, "m_1", STORE_ANY_VERSION, &info, &err));
        assert_string_equal(info.name, name);
        stored(s, "m_1", m, (int64_t)i + 2);
        OK(store_list(s, "", name, "", 5, &list, &n, &more, &err));
        assert_int_equal(n, 1);
        assert_string_equal(list[0].id, "m_1");
        free(list);
    }
    REFUSED(SDD_ESTALE, store_rename(s, "m_1", 1, "x", 9, &info, &err));
    assert_int_equal(err.available, 6);
    REFUSED(SDD_ENOT_FOUND, store_rename(s, "m_3", STORE_ANY_VERSION, "x", 9, &info, &err));
    OK(store_rename(s, "m_1", 6, "", 9, &info, &err));
    assert_string_equal(info.name, "m_1");
    OK(store_rename(s, "m_1", 7, "m_2", 9, &info, &err)); /* two meshes of one name */
    OK(store_list(s, "", "m_2", "", 1, &list, &n, &more, &err));
    assert_int_equal(n + 10 * more, 11);
    assert_string_equal(list[0].id, "m_1");
    free(list);
    OK(store_list(s, "", "m_2", "m_1", 1, &list, &n, &more, &err));
    assert_int_equal(n + 10 * more, 1);
    assert_string_equal(list[0].id, "m_2");
    free(list);
    OK(store_check(s, &err));
    store_close(s);
    memset(name, 'n', MESH_NAME_SIZE - 1);
    s = store_reopen(dir);
    OK(store_rename(s, "m_1", 8, name, 10, &info, &err));
    store_close(s);
    store_sql(dir, "UPDATE meshes SET name = substr(name, 1, 254) || 'x' WHERE id = 'm_1'"); /* past the image */
    s = store_reopen(dir);
    REFUSED(SDD_ESTORE, store_find(s, "m_1", STORE_ANY_VERSION, &info, &err));
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

static void test_answers(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct sdd_error err;
    struct store_answer got, a = {.principal = "anna",
                                  .key = "k1",
                                  .digest = "digest of the request, 32 bytes",
                                  .status = 201,
                                  .media_type = "application/json",
                                  .location = "/v1/meshes/m_1",
                                  .etag = "\"1\"",
                                  .body = "{}",
                                  .bytes = 2};
    unsigned char other[32] = {9};
    void *block;
    int found;
    (void)state;
    struct mesh *m = sample_grid(1, 1);
    OK(store_create(s, "m_1", m, 5000, &a, NULL, &err));
    REFUSED(SDD_ECONFLICT, store_create(s, "m_2", m, 5000, &a, NULL, &err));
    REFUSED(SDD_ENOT_FOUND, store_load(s, "m_2", STORE_ANY_VERSION, &(struct mesh *){0}, NULL,
                                       &err)); /* and nothing of it was written */
    store_close(s);
    s = store_reopen(dir);
    OK(store_idempotent_find(s, "anna", "k1", a.digest, 6000, &got, &block, &found, &err));
    assert_int_equal(found, 1);
    assert_int_equal(got.status, 201);
    assert_string_equal(got.location, "/v1/meshes/m_1");
    assert_string_equal(got.etag, "\"1\"");
    assert_string_equal(got.media_type, "application/json");
    assert_memory_equal(got.body, "{}", 2);
    free(block);
    OK(store_idempotent_find(s, "bert", "k1", a.digest, 6000, &got, &block, &found, &err));
    assert_int_equal(found, 0);
    REFUSED(SDD_EKEY_REUSED, store_idempotent_find(s, "anna", "k1", other, 6000, &got, &block, &found, &err));
    assert_null(block);
    OK(store_idempotent_find(s, "anna", "k1", other, 5001 + STORE_IDEMPOTENCY_MS, &got, &block, &found, &err));
    assert_int_equal(found, 0); /* too old, even before it is dropped */
    a.body = NULL;
    a.bytes = 0;
    a.location = a.etag = a.media_type = NULL;
    OK(store_replace(s, "m_1", 1, m, 5001 + STORE_IDEMPOTENCY_MS, &a, NULL, &err)); /* the old one makes room */
    OK(store_idempotent_find(s, "anna", "k1", a.digest, 5002 + STORE_IDEMPOTENCY_MS, &got, &block, &found, &err));
    assert_int_equal(found, 1);
    assert_int_equal(got.bytes, 0);
    assert_string_equal(got.etag, "");
    free(block);
    mesh_free(m);
    store_close(s);
    tempdir_remove(dir);
}

static void test_damaged_answers(void **state)
{
    static const char *const damages[] = {"body = x'7b7e'", "status = 200",          "etag = '2'",
                                          "created = 5001", "digest = zeroblob(32)", "digest = x''"};
    char *dir = tempdir(), change[80];
    struct store *s = store_reopen(dir);
    struct sdd_error err;
    struct store_answer got,
        a = {.principal = "anna", .key = "k1", .digest = {7}, .status = 201, .etag = "1", .body = "{}", .bytes = 2};
    void *block;
    int found;
    (void)state;
    struct mesh *m = sample_grid(1, 1);
    OK(store_create(s, "m_1", m, 5000, &a, NULL, &err));
    store_close(s);
    store_sql(dir, "CREATE TABLE good AS SELECT * FROM answers");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        (void)snprintf(change, sizeof change, "UPDATE answers SET %s", damages[i]);
        store_sql(dir, change);
        s = store_reopen(dir);
        a.digest[0] = (unsigned char)i; /* another request is told of the damage as well */
        REFUSED(SDD_ESTORE, store_idempotent_find(s, "anna", "k1", a.digest, 6000, &got, &block, &found, &err));
        assert_non_null(strstr(err.text, "damaged: the answer to the key k1"));
        assert_null(block);
        store_close(s);
        store_sql(dir, "DELETE FROM answers; INSERT INTO answers SELECT * FROM good");
    }
    mesh_free(m);
    tempdir_remove(dir);
}

/* The id that a mesh keeps is taken at its word when it is stored, which costs nothing; a load compares it. Here the
 * mesh has changed behind its back. */
static void test_kept_id(void **state)
{
    char *dir = tempdir(), id[MESH_TOPOLOGY_ID_SIZE];
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_cube(), *back;
    struct store_info info;
    struct sdd_error err;
    (void)state;
    OK(mesh_topology_id_keep(m, id, &err));
    m->face_vertices[0] ^= 1;
    OK(store_create(s, "m_1", m, 1, NULL, &info, &err));
    assert_string_equal(info.topology_id, id);
    assert_int_equal(store_load(s, "m_1", STORE_ANY_VERSION, &back, NULL, &err), SDD_ESTORE);
    assert_non_null(strstr(err.text, "has become"));
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

static void open_refused(const char *dir, const char *says)
{
    struct store *s;
    struct sdd_error err = {0};
    assert_int_equal(store_open(dir, &s, &err), SDD_ESTORE);
    assert_null(s);
    if (!strstr(err.text, says))
        fail_msg("%s, not %s", err.text, says);
}

static void test_open(void **state)
{
    char *dir = tempdir(), path[300], deeper[300];
    struct stat st;
    (void)state;
    (void)snprintf(path, sizeof path, "%s/subdd.db", dir);
    (void)snprintf(deeper, sizeof deeper, "%s/new", dir);
    struct store *s = store_reopen(deeper); /* made, for nobody else's eyes */
    assert_int_equal(stat(deeper, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    (void)snprintf(path, sizeof path, "%s/new/subdd.db", dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    (void)snprintf(path, sizeof path, "%s/subdd.db", dir);
    open_refused(deeper, "/new/subdd.db is in use: another process");
    store_close(s);
    store_close(store_reopen(deeper));
    store_close(NULL);
    (void)snprintf(deeper, sizeof deeper, "%s/a/b", dir);
    open_refused(deeper, "No such file");
    open_refused("", "--data-dir is empty");
    open_refused("/dev/null", "/dev/null is not a directory");
    store_sql(dir, "CREATE TABLE x (y); PRAGMA application_id=7");
    open_refused(dir, "another program (application id 7)");
    store_sql(dir, "PRAGMA application_id=0");
    open_refused(dir, "another program (application id 0)");
    (void)unlink(path);
    store_close(store_reopen(dir));
    store_sql(dir, "PRAGMA user_version=99");
    open_refused(dir, "has schema 99, this subdd knows 11");
    FILE *f = fopen(path, "wb");
    for (int i = 0; i < 10000; i++)
        (void)fputs("not a database\n", f);
    (void)fclose(f);
    open_refused(dir, "is not a database");
    tempdir_remove(dir);
}

static void test_damage(void **state)
{
    static const char *const damages[] = {"UPDATE chunks SET data = zeroblob(length(data)) WHERE kind = 1 AND seq = 2",
                                          "UPDATE chunks SET data = substr(data, 1, 1000) WHERE kind = 1 AND seq = 2",
                                          "UPDATE chunks SET hash = zeroblob(16) WHERE kind = 0 AND seq = 0",
                                          "DELETE FROM chunks WHERE kind = 1 AND seq = 1",
                                          "DELETE FROM chunks WHERE kind = 1 AND seq = 4",
                                          "UPDATE chunks SET seq = 8 - seq WHERE kind = 1 AND seq > 0",
                                          "UPDATE meshes SET vertices = vertices - 1",
                                          "UPDATE meshes SET uvs = 1",
                                          "UPDATE topologies SET bytes = bytes - 4",
                                          "UPDATE topologies SET id = 'x'",
                                          "UPDATE meshes SET version = 9",
                                          "UPDATE meshes SET name = 'other'",
                                          "UPDATE meshes SET digest = zeroblob(32)",
                                          "UPDATE meshes SET digest = x''",
                                          "DELETE FROM meshes",
                                          "DELETE FROM versions",
                                          "UPDATE versions SET version = 2",
                                          "UPDATE versions SET hash = zeroblob(16)"};
    (void)state;
    struct mesh *m = sample_grid(200, 100), *got;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *dir = tempdir();
        struct sdd_error err;
        struct store_info *list;
        int n, more;
        struct store *s = store_reopen(dir);
        OK(store_create(s, "m_d", m, 1, NULL, NULL, &err));
        store_close(s);
        store_sql(dir, damages[i]);
        s = store_reopen(dir);
        REFUSED(SDD_ESTORE, store_load(s, "m_d", STORE_ANY_VERSION, &got, NULL, &err));
        assert_null(got);
        if (!strstr(err.text, "damaged") || !strstr(err.text, "m_d"))
            fail_msg("%s: %s", damages[i], err.text);
        REFUSED(SDD_ESTORE, store_check(s, &err));
        OK(store_create(s, "m_e", m, 1, NULL, NULL, &err));
        stored(s, "m_e", m, 1); /* although it has the same topology */
        OK(store_delete(s, "m_d", STORE_ANY_VERSION, NULL, 0, &err));
        REFUSED(SDD_ENOT_FOUND, store_load(s, "m_d", STORE_ANY_VERSION, &got, NULL, &err));
        OK(store_list(s, "", NULL, "", 9, &list, &n, &more, &err));
        assert_int_equal(n, 1);
        free(list);
        store_close(s);
        tempdir_remove(dir);
    }
    mesh_free(m);
}

/* Bits that flip on the disk, anywhere: what is read is right or refused. */
static void test_bit_flips(void **state)
{
    uint64_t x = 88172645463325252u;
    int refused = 0;
    (void)state;
    struct mesh *m = sample_grid(60, 60), *got;
    for (int round = 0; round < 150; round++) {
        char *dir = tempdir(), path[300];
        struct sdd_error err;
        struct store *s = store_reopen(dir);
        OK(store_create(s, "m_d", m, 1, NULL, NULL, &err));
        store_close(s);
        (void)snprintf(path, sizeof path, "%s/subdd.db", dir);
        int fd = open(path, O_RDWR | O_CLOEXEC);
        struct stat st;
        assert_int_equal(fstat(fd, &st), 0);
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        unsigned char c;
        off_t at = (off_t)(x % (uint64_t)st.st_size);
        assert_int_equal(pread(fd, &c, 1, at), 1);
        c ^= (unsigned char)(1 << (x >> 40 & 7));
        assert_int_equal(pwrite(fd, &c, 1, at), 1);
        (void)close(fd);
        if (store_open(dir, &s, &err) == SDD_OK) {
            struct store_info info;
            if (store_load(s, "m_d", STORE_ANY_VERSION, &got, &info, &err) == SDD_OK) {
                assert_int_equal(info.version, 1);
                assert_int_equal(info.created_ms, 1);
                assert_string_equal(info.name, "m_d");
                assert_memory_equal(got->points, m->points, (size_t)m->n_vertices * 12);
                assert_memory_equal(got->face_vertices, m->face_vertices, (size_t)m->n_corners * 4);
                mesh_free(got);
            } else {
                refused++;
            }
            store_close(s);
        } else {
            refused++;
        }
        tempdir_remove(dir);
    }
    print_message("150 flipped bits: %d refused\n", refused);
    assert_true(refused > 50);
    mesh_free(m);
}

static void test_ids(void **state)
{
    char a[STORE_ID_SIZE], b[STORE_ID_SIZE];
    (void)state;
    OK(store_new_id(a, &err));
    OK(store_new_id(b, &err));
    assert_int_equal(strlen(a), 18);
    assert_memory_equal(a, "m_", 2);
    assert_string_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_and_load),
        cmocka_unit_test(test_big_mesh_and_replace),
        cmocka_unit_test(test_primvars),
        cmocka_unit_test(test_put_points),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_rename),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_damaged_answers),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_kept_id),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_bit_flips),
        cmocka_unit_test(test_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
