/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of earlier schemas open with all that they have. What has no digest yet gets it when it is next changed; until
 * then it is checked as it was. */
#include "tests/unit/sample.h"
#include "tests/unit/store/schema3.h"
#include "tests/unit/store/schema4.h"
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
    if (store_put_points(s, id, STORE_ANY_VERSION, &p, 9, NULL, NULL, &err))
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
        assert_int_equal(store_count(dir, "PRAGMA user_version"), 7);
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
    store_sql(dir, "ALTER TABLE meshes DROP COLUMN stage; ALTER TABLE meshes DROP COLUMN sets; DROP TABLE history;"
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
    store_sql(dir, "DROP INDEX meshes_workspace; ALTER TABLE meshes DROP COLUMN workspace;"
                   " ALTER TABLE history DROP COLUMN workspace; PRAGMA user_version=6");
    s = store_reopen(dir);
    store_keep(s, 8, 1 << 20);
    has(s, "m_1", cube, "m_1", 2);
    assert_int_equal(store_load(s, "m_1", 1, &found, &info, &err), SDD_OK);
    sample_same(found, first);
    assert_string_equal(info.workspace, "");
    store_author(s, &(struct store_change){"ann", "create", 0, 0, "films"});
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
        cmocka_unit_test(test_schema_4), cmocka_unit_test(test_schema_4_commits), cmocka_unit_test(test_schema_6),
        cmocka_unit_test(test_schema_3), cmocka_unit_test(test_schema_2),         cmocka_unit_test(test_schema_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
