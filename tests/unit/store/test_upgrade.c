/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of earlier schemas open with all that they have. What has no digest yet gets it when it is next changed; until
 * then it is checked as it was. */
#include "server/mesh/edits/edits.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/faulty_vfs.h"
#include "tests/unit/store/schema3.h"
#include "tests/unit/store/schema4.h"
#include "tests/unit/store/schema7.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void has(struct store *s, const char *id, const struct mesh *want, const char *name, int64_t version)
{
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m;
    if (store_load(s, id, STORE_ANY_VERSION, &m, &info, &err))
        fail_msg("%s", err.text);
    sample_same(m, want);
    assert_int_equal(info.version, version);
    assert_string_equal(info.name, name);
    mesh_free(m);
}

/* Moves one vertex, and applies that to m as well. */
static void move_one(struct store *s, const char *id, struct mesh *m)
{
    float to[3] = {4, 5, 6};
    struct position_range range = {2, 1, to};
    struct positions p = {1, &range, NULL};
    struct sdd_error err = {0};
    if (store_put_points(s, id, STORE_ANY_VERSION, &p, NULL, 9, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(positions_open(&p, m, &err), SDD_OK);
    positions_apply(&p, m);
}

/* The dump of schema 4 counts commits, and has no file of them, which is told. */
static struct store *first_open(const char *dir, int version)
{
    struct sdd_error err = {0};
    struct store *s;
    if (version < 4)
        return store_reopen(dir);
    if (store_open(dir, &s, &err))
        fail_msg("%s", err.text);
    assert_false(store_loss(s)->waits);
    assert_non_null(strstr(store_loss(s)->text, "there was no subdd.commits"));
    return s;
}

/* What takes a store back to schema 7. */
#define NO_EDITS                                                                                                       \
    "DROP TABLE edits; ALTER TABLE meshes DROP COLUMN base; ALTER TABLE meshes DROP COLUMN since;"                     \
    "ALTER TABLE meshes DROP COLUMN topology_id; ALTER TABLE history DROP COLUMN base;"                                \
    "ALTER TABLE history DROP COLUMN since; ALTER TABLE history DROP COLUMN topology_id;"                              \
    "ALTER TABLE meshes DROP COLUMN content; ALTER TABLE history DROP COLUMN content;"                                 \
    "ALTER TABLE history DROP COLUMN kinds; PRAGMA user_version=8;"

static void upgrade(const char *dump, int version, const char *older)
{
    static const unsigned char digest[32] = "digest of the request, 32 bytes";
    char *dir = tempdir();
    struct mesh *cube = sample_cube(), *rich = sample_json(sample_primvars_json);
    struct store_answer got;
    struct sdd_error err = {0};
    void *block;
    int found;
    for (int k = 0; k < 3; k++)
        cube->points[9 + k] = 9;
    store_sql(dir, dump);
    store_sql(dir, older);
    assert_int_equal(store_count(dir, "PRAGMA user_version"), version);
    for (int i = 0; i < 2; i++) {
        struct store *s = i ? store_reopen(dir) : first_open(dir, version);
        has(s, "m_1", cube, "m_1", 2);
        if (version > 1) /* before, there were no primvars */
            has(s, "m_2", rich, "rich", 2);
        assert_int_equal(store_idempotent_find(s, "anna", "k1", digest, 3000, &got, &block, &found, &err), SDD_OK);
        assert_int_equal(found, 1);
        assert_string_equal(got.location, "/v1/meshes/m_1");
        free(block);
        assert_int_equal(store_check(s, &err), SDD_OK);
        store_close(s);
        assert_int_equal(store_count(dir, "PRAGMA user_version"), 11);
        assert_int_equal(store_count(dir, "SELECT count(*) FROM history"), version > 1 ? 2 : 1);
        assert_int_equal(store_count(dir, "SELECT count(*) FROM sqlite_schema WHERE name = 'meshes_name'"), 1);
        assert_int_equal(store_count(dir, "SELECT count(*) FROM versions"), version > 1 ? 2 : 1);
        assert_int_equal(store_count(dir, "SELECT count(*) FROM meshes WHERE length(digest)"), version < 4 ? 0 : 2);
    }
    struct store *s = store_reopen(dir);
    move_one(s, "m_1", cube);
    if (version > 1)
        assert_int_equal(store_rename(s, "m_2", 2, "other", 9, NULL, &err), SDD_OK);
    store_close(s);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM meshes WHERE length(digest) = 32"), version > 1 ? 2 : 1);
    s = store_reopen(dir);
    has(s, "m_1", cube, "m_1", 3);
    if (version > 1)
        has(s, "m_2", rich, "other", 3);
    assert_int_equal(store_replace(s, "m_1", 3, rich, 9, NULL, NULL, &err), SDD_OK);
    has(s, "m_1", rich, "m_1", 4);
    store_close(s);
    mesh_free(cube);
    mesh_free(rich);
    tempdir_remove(dir);
}

static void test_schema_4(void **state)
{
    (void)state;
    upgrade(schema4, 4, "");
}

/* A store that counts commits goes on counting in the file that it has. */
static void test_schema_4_commits(void **state)
{
    char *dir = tempdir();
    struct mesh *cube = sample_cube(), *sets = sample_json(sample_sets_json);
    struct sdd_error err;
    struct store *s = store_reopen(dir);
    (void)state;
    assert_int_equal(store_create(s, "m_1", cube, 1000, NULL, NULL, &err), SDD_OK);
    move_one(s, "m_1", cube);
    store_close(s);
    store_sql(dir,
              NO_EDITS "DROP TABLE old_rows; ALTER TABLE meshes DROP COLUMN stage; ALTER TABLE meshes DROP COLUMN "
                       "sets; DROP TABLE history;"
                       " DROP TABLE old_chunks; DROP INDEX meshes_workspace; ALTER TABLE meshes DROP COLUMN workspace;"
                       " PRAGMA user_version=4");
    struct file_image before = file_read(dir, "subdd.commits");
    s = store_reopen(dir);
    struct file_image after = file_read(dir, "subdd.commits");
    assert_int_equal(after.n, before.n);
    assert_memory_equal(after.bytes, before.bytes, before.n);
    has(s, "m_1", cube, "m_1", 2);
    assert_int_equal(store_replace(s, "m_1", 2, sets, 9, NULL, NULL, &err), SDD_OK);
    store_close(s);
    s = store_reopen(dir);
    has(s, "m_1", sets, "m_1", 3);
    store_close(s);
    free(before.bytes);
    free(after.bytes);
    mesh_free(cube);
    mesh_free(sets);
    tempdir_remove(dir);
}

/* A store with history gets workspaces, and its meshes are in that without a name. */
static void test_schema_6(void **state)
{
    char *dir = tempdir();
    struct mesh *cube = sample_cube(), *first = sample_cube(), *found;
    struct store_info *list, info;
    struct sdd_error err;
    struct store *s = store_reopen(dir);
    int n, more;
    (void)state;
    store_keep(s, 8, 1 << 20);
    assert_int_equal(store_create(s, "m_1", cube, 1000, NULL, NULL, &err), SDD_OK);
    move_one(s, "m_1", cube);
    store_close(s);
    store_sql(dir,
              NO_EDITS "DROP TABLE old_rows; DROP INDEX meshes_workspace; ALTER TABLE meshes DROP COLUMN workspace;"
                       " ALTER TABLE history DROP COLUMN workspace; PRAGMA user_version=6");
    s = store_reopen(dir);
    store_keep(s, 8, 1 << 20);
    has(s, "m_1", cube, "m_1", 2);
    assert_int_equal(store_load(s, "m_1", 1, &found, &info, &err), SDD_OK);
    sample_same(found, first);
    assert_string_equal(info.workspace, "");
    store_author(s, &(struct store_change){.principal = "ann", .kind = "create", .workspace = "films"});
    assert_int_equal(store_create(s, "m_2", cube, 1000, NULL, &info, &err), SDD_OK);
    assert_string_equal(info.workspace, "films");
    assert_int_equal(store_check(s, &err), SDD_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(store_list(s, k ? "films" : "", NULL, "", 9, &list, &n, &more, &err), SDD_OK);
        assert_int_equal(n, 1);
        assert_string_equal(list[0].id, k ? "m_2" : "m_1");
        free(list);
    }
    store_close(s);
    store_sql(dir, "UPDATE meshes SET workspace = '' WHERE id = 'm_2'"); /* As a stranger would. */
    s = store_reopen(dir);
    assert_int_equal(store_find(s, "m_2", STORE_ANY_VERSION, &info, &err), SDD_ESTORE);
    store_close(s);
    mesh_free(found);
    mesh_free(first);
    mesh_free(cube);
    tempdir_remove(dir);
}

/* ---- schema 7: other ids of topologies ---- */
enum { N_COMMITS = sizeof schema7_commits / sizeof *schema7_commits };

/* Makes the store of schema7.h, with so many of the sectors of its file of commits. */
static char *make_schema_7(int n_sectors)
{
    char *dir = tempdir();
    struct file_image f = {calloc(1025, 512), 1025 * (size_t)512};
    for (int i = 0; i < n_sectors; i++)
        for (size_t k = 0; schema7_commits[i].hex[2 * k]; k++) {
            const char digits[] = {schema7_commits[i].hex[2 * k], schema7_commits[i].hex[2 * k + 1], 0};
            f.bytes[512 * schema7_commits[i].sector + (int)k] = (char)strtol(digits, NULL, 16);
        }
    store_sql(dir, schema7);
    file_write(dir, "subdd.commits", f);
    free(f.bytes);
    return dir;
}

static struct mesh *edited(const struct mesh *m, const char *json)
{
    struct edit_result r;
    struct sdd_error err = {0};
    struct edit_batch *b = sample_edits(json);
    if (edits_apply(m, b, &r, &err))
        fail_msg("%s", err.text);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    edit_batch_free(b);
    return out;
}

/* A version has what it had, and the id that the same mesh has when it is pushed now. */
static void has_version(struct store *s, const char *id, int64_t version, const struct mesh *want)
{
    char topology_id[MESH_TOPOLOGY_ID_SIZE];
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m;
    if (store_load(s, id, version, &m, &info, &err) || mesh_topology_id(want, topology_id, &err))
        fail_msg("%s", err.text);
    sample_same(m, want);
    assert_string_equal(info.topology_id, topology_id);
    mesh_free(m);
}

static void has_schema_7(struct store *s)
{
    static const unsigned char digest[32] = "digest of the request, 32 bytes";
    struct mesh *cube = sample_cube(), *rich = sample_json(sample_primvars_json);
    struct mesh *poked = edited(cube, "{\"edits\":[{\"pokeFaces\":{\"ids\":[0]}}]}");
    struct mesh *holed = edited(poked, "{\"edits\":[{\"setHoles\":{\"ids\":[3],\"hole\":true}}]}");
    struct sdd_error err = {0};
    struct store_answer got;
    struct store_info info;
    void *block;
    int found;
    has_version(s, "m_1", 1, cube);
    has_version(s, "m_1", 2, poked);
    has_version(s, "m_1", 3, holed);
    has_version(s, "m_2", 1, rich);
    has_version(s, "m_3", 1, cube);
    assert_int_equal(store_find(s, "m_2", STORE_ANY_VERSION, &info, &err), SDD_OK);
    assert_string_equal(info.workspace, "films");
    assert_int_equal(store_idempotent_find(s, "anna", "k1", digest, 3000, &got, &block, &found, &err), SDD_OK);
    assert_int_equal(found, 1);
    free(block);
    if (store_check(s, &err))
        fail_msg("%s", err.text);
    mesh_free(cube), mesh_free(rich), mesh_free(poked), mesh_free(holed);
}

#define OLD_IDS                                                                                                        \
    "SELECT count(*) FROM topologies WHERE id IN ('b882ae8117fb87cbf8f962507c6caf29', "                                \
    "'68a77b70ecff791de21f75a5b9c8c463', '08c82b7efe9f18a33a1918beddf703c7', '7c4a2d236e8cd3561b2653c0d8d49f1a')"

static void test_schema_7(void **state)
{
    char *dir = make_schema_7(N_COMMITS - 1);
    struct mesh *cube = sample_cube();
    struct sdd_error err = {0};
    struct store_info info;
    (void)state;
    assert_int_equal(store_count(dir, OLD_IDS), 4);
    for (int i = 0; i < 2; i++) {
        struct store *s = store_reopen(dir);
        has_schema_7(s);
        store_close(s);
        assert_int_equal(store_count(dir, "PRAGMA user_version"), 11);
        assert_int_equal(store_count(dir, OLD_IDS), 0);
    }
    struct store *s = store_reopen(dir);
    store_keep(s, 8, 1 << 20);
    assert_int_equal(store_create(s, "m_4", cube, 7000, NULL, &info, &err), SDD_OK);
    assert_int_equal(store_rename(s, "m_1", 3, "later", 8000, NULL, &err), SDD_OK);
    store_close(s);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM topologies"), 4); /* The cube's is that of m_3. */
    s = store_reopen(dir);
    has_schema_7(s);
    has_version(s, "m_4", 1, cube);
    store_close(s);
    mesh_free(cube);
    tempdir_remove(dir);
}

/* What was lost before the upgrade is told after it, and rows are known by what they were. */
static void test_schema_7_lost(void **state)
{
    char *dir = make_schema_7(N_COMMITS);
    struct sdd_error err = {0};
    struct store *s;
    (void)state;
    assert_int_equal(store_open(dir, &s, &err), SDD_OK);
    assert_true(store_loss(s)->waits);
    assert_int_equal(store_loss(s)->n, 1);
    assert_int_equal(store_loss(s)->n_listed, 1);
    assert_string_equal(store_loss(s)->listed[0].id, "m_1");
    assert_int_equal(store_loss(s)->listed[0].version, 4);
    assert_int_equal(store_loss(s)->listed[0].found, 3);
    assert_int_equal(store_accept_loss(s, 9000, &err), SDD_OK);
    has_schema_7(s);
    store_close(s);
    tempdir_remove(dir);
    dir = make_schema_7(N_COMMITS - 1);
    store_close(store_reopen(dir));
    store_sql(dir, "UPDATE old_rows SET hash = zeroblob(16) WHERE id = 'm_3'");
    assert_int_equal(store_open(dir, &s, &err), SDD_OK);
    assert_true(store_loss(s)->waits);
    assert_string_equal(store_loss(s)->listed[0].id, "m_3");
    store_close(s);
    tempdir_remove(dir);
}

static void is_damaged(struct store *s, const char *id, int64_t version)
{
    struct sdd_error err = {0};
    struct mesh *m;
    assert_int_equal(store_load(s, id, version, &m, NULL, &err), SDD_ESTORE);
    assert_non_null(strstr(err.text, "damaged"));
}

/* What was damaged before the upgrade is refused after it, and nothing else. */
static void test_schema_7_damaged(void **state)
{
    static const char *const harm[] = {"UPDATE chunks SET data = zeroblob(400) WHERE owner = 3 AND kind = 0",
                                       "DELETE FROM chunks WHERE owner = 3 AND kind = 0",
                                       "UPDATE topologies SET bytes = 404 WHERE key = 3",
                                       "UPDATE topologies SET id = '1' WHERE key = 3"};
    struct mesh *cube = sample_cube(), *rich = sample_json(sample_primvars_json);
    (void)state;
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        char *dir = make_schema_7(N_COMMITS - 1);
        store_sql(dir, harm[i]);
        store_sql(dir,
                  "UPDATE meshes SET created = 9 WHERE id = 'm_3'; UPDATE history SET created = 9 WHERE version = 3");
        struct store *s = store_reopen(dir);
        has_version(s, "m_1", 1, cube);
        is_damaged(s, "m_1", 2);
        has_version(s, "m_2", 1, rich);
        is_damaged(s, "m_3", 1);
        store_close(s);
        assert_int_equal(store_count(dir, "SELECT count(*) FROM history WHERE version = 3"), 1);
        tempdir_remove(dir);
    }
    mesh_free(cube);
    mesh_free(rich);
}

/* An upgrade that is cut short leaves the store as it was, and the next start does it. */
static void test_schema_7_faults(void **state)
{
    static const enum faulty_kind kinds[] = {FAULTY_FULL, FAULTY_WRITE, FAULTY_SYNC, FAULTY_READ, FAULTY_POWER};
    int refused = 0, kept = 0;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int64_t k = 0, came = 1; came; k++) {
            char *dir = make_schema_7(N_COMMITS - 1);
            struct sdd_error err = {0};
            struct store *s = NULL;
            faulty_vfs_register();
            faulty = (struct faulty_vfs){kinds[i], k, kinds[i] == FAULTY_POWER, 0};
            const int rc = store_open(dir, &s, &err);
            came = faulty.n_faults > 0;
            store_close(s);
            faulty_power_cut((uint64_t)k); /* After another fault, too. */
            faulty_vfs_unregister();
            const bool old = store_count(dir, "PRAGMA user_version") == 7;
            assert_int_equal(store_count(dir, OLD_IDS), old ? 4 : 0);
            assert_false(old && !rc && !came);
            refused += rc != SDD_OK;
            kept += old;
            s = store_reopen(dir);
            has_schema_7(s);
            store_close(s);
            tempdir_remove(dir);
        }
    print_message("%d starts were refused, %d left the old store\n", refused, kept);
    assert_true(refused > 10 && kept > 10);
}

/* In a store without edits each version is its own snapshot, also those that are kept, and edits can follow. */
static void test_schema_8(void **state)
{
    char *dir = tempdir();
    struct mesh *grid = sample_grid(30, 30), *first = sample_grid(30, 30), *found;
    struct edit_batch *b = sample_edits("{\"edits\":[{\"pokeFaces\":{\"ids\":[7]}}]}");
    struct edit_result made;
    struct sdd_error err;
    struct store *s = store_reopen(dir);
    void *bytes;
    size_t n;
    (void)state;
    store_keep(s, 8, 1 << 20);
    assert_int_equal(store_create(s, "m_1", grid, 1000, NULL, NULL, &err), SDD_OK);
    move_one(s, "m_1", grid);
    store_close(s);
    store_sql(dir, NO_EDITS);
    s = store_reopen(dir);
    store_keep(s, 8, 1 << 20);
    assert_int_equal(store_check(s, &err), SDD_OK);
    has(s, "m_1", grid, "m_1", 2);
    assert_int_equal(store_load(s, "m_1", 1, &found, NULL, &err), SDD_OK);
    sample_same(found, first);
    assert_int_equal(edits_apply(grid, b, &made, &err), SDD_OK);
    assert_int_equal(edits_to_proto(made.primitives, &bytes, &n, &err), SDD_OK);
    const struct store_edit edit = {made.mesh, NULL, bytes, (int64_t)n, 0};
    assert_int_equal(store_edit(s, "m_1", 2, &edit, 9, NULL, NULL, &err), SDD_OK);
    store_close(s);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM edits"), 1);
    assert_int_equal(store_count(dir, "SELECT base FROM meshes"), 2);
    assert_int_equal(store_count(dir, "SELECT sum(base) FROM history"), 1 + 2 + 2);
    s = store_reopen(dir);
    has(s, "m_1", made.mesh, "m_1", 3);
    store_close(s);
    free(bytes);
    edit_batch_free(b);
    edit_result_free(&made);
    mesh_free(found);
    mesh_free(first);
    mesh_free(grid);
    tempdir_remove(dir);
}

static void test_schema_3(void **state)
{
    (void)state;
    upgrade(schema3, 3, "");
}
static void test_schema_2(void **state)
{
    (void)state;
    upgrade(schema3, 2, "DROP INDEX meshes_name; PRAGMA user_version=2");
}
static void test_schema_1(void **state)
{
    (void)state;
    upgrade(schema3, 1,
            "DELETE FROM meshes WHERE id = 'm_2'; DELETE FROM chunks WHERE owner = 2;"
            "DELETE FROM topologies WHERE key = 2; DROP INDEX meshes_name; ALTER TABLE meshes DROP COLUMN primvars;"
            "PRAGMA user_version=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema_4),        cmocka_unit_test(test_schema_4_commits),
        cmocka_unit_test(test_schema_6),        cmocka_unit_test(test_schema_7),
        cmocka_unit_test(test_schema_7_lost),   cmocka_unit_test(test_schema_7_damaged),
        cmocka_unit_test(test_schema_7_faults), cmocka_unit_test(test_schema_8),
        cmocka_unit_test(test_schema_3),        cmocka_unit_test(test_schema_2),
        cmocka_unit_test(test_schema_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
