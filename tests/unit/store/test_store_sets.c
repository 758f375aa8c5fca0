/* SPDX-License-Identifier: Apache-2.0 */
/* The store keeps face sets and the stage through all changes, and notices when they are not those of the version. */
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void has(struct store *s, const struct mesh *want, int64_t version)
{
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m;
    if (store_load(s, "m_1", STORE_ANY_VERSION, &m, &info, &err))
        fail_msg("%s", err.text);
    sample_same(m, want);
    assert_int_equal(info.version, version);
    assert_memory_equal(&info.stage, &want->stage, sizeof info.stage);
    for (int i = 0; i < want->n_primvars; i++)
        assert_int_equal(info.sets[i].n, want->primvars[i].sets.n);
    mesh_free(m);
}

static void test_changes(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_json(sample_sets_json), *plain = sample_cube();
    const float moved[3] = {9, 9, 9};
    struct position_range range = {3, 1, moved};
    const struct positions p = {1, &range, NULL};
    struct sdd_error err;
    (void)state;
    assert_int_equal(store_create(s, "m_1", m, 1, NULL, NULL, &err), SDD_OK);
    has(s, m, 1);
    assert_int_equal(store_put_points(s, "m_1", 1, &p, NULL, 2, NULL, NULL, &err), SDD_OK);
    memcpy(m->points + 9, moved, sizeof moved);
    assert_int_equal(store_rename(s, "m_1", 2, "other", 3, NULL, &err), SDD_OK);
    store_close(s);
    s = store_reopen(dir);
    assert_int_equal(store_check(s, &err), SDD_OK);
    has(s, m, 3);
    assert_int_equal(store_replace(s, "m_1", 3, plain, 4, NULL, NULL, &err), SDD_OK);
    has(s, plain, 4);
    assert_int_equal(store_replace(s, "m_1", 4, m, 5, NULL, NULL, &err), SDD_OK);
    store_close(s);
    s = store_reopen(dir);
    has(s, m, 5);
    assert_int_equal(store_delete(s, "m_1", 5, NULL, 0, &err), SDD_OK);
    assert_int_equal(store_check(s, &err), SDD_OK);
    store_close(s);
    mesh_free(m);
    mesh_free(plain);
    tempdir_remove(dir);
}

static void test_damage(void **state)
{
    static const char *const damages[] = {
        "UPDATE chunks SET data = zeroblob(length(data)) WHERE kind = 6", "DELETE FROM chunks WHERE kind = 6",
        "UPDATE chunks SET hash = zeroblob(16) WHERE kind = 6", "UPDATE meshes SET stage = x''",
        "UPDATE meshes SET stage = zeroblob(144)", "UPDATE meshes SET sets = x''",
        "UPDATE meshes SET sets = zeroblob(16)",
        /* Names that were there once, with the checksum of their own. */
        "UPDATE chunks SET (data, hash) = (SELECT data, hash FROM old) WHERE kind = 6"};
    struct mesh *m = sample_json(sample_sets_json), *got;
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *dir = tempdir();
        struct sdd_error err;
        struct store *s = store_reopen(dir);
        struct mesh *renamed = sample_json(sample_sets_json);
        ((char *)(uintptr_t)renamed->primvars[1].sets.text)[0] = 'h';
        assert_int_equal(store_create(s, "m_1", renamed, 1, NULL, NULL, &err), SDD_OK);
        store_close(s);
        store_sql(dir, "CREATE TABLE old AS SELECT data, hash FROM chunks WHERE kind = 6");
        s = store_reopen(dir);
        assert_int_equal(store_replace(s, "m_1", 1, m, 2, NULL, NULL, &err), SDD_OK);
        store_close(s);
        store_sql(dir, damages[i]);
        s = store_reopen(dir);
        int rc = store_load(s, "m_1", STORE_ANY_VERSION, &got, NULL, &err);
        if (rc != SDD_ESTORE || !strstr(err.text, "damaged"))
            fail_msg("%s gave %d", damages[i], rc);
        assert_int_equal(store_check(s, &err), SDD_ESTORE);
        store_close(s);
        mesh_free(renamed);
        tempdir_remove(dir);
    }
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
