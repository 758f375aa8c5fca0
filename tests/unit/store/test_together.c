/* SPDX-License-Identifier: Apache-2.0 */
/* Several changes in one commit: one that fails goes alone, a commit that fails takes all of them along, and what the
 * store says of itself follows; and a database that is a whole such commit ahead of the count beside it, or behind. */
#include "tests/unit/sample.h"
#include "tests/unit/store/faulty_vfs.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct mesh *cube;

static int create(struct store *s, const char *id)
{
    return store_create(s, id, cube, 1, NULL, NULL, NULL);
}

static int rename_as(struct store *s, const char *id, int64_t expected, const char *name)
{
    return store_rename(s, id, expected, name, 1, NULL, NULL);
}

/* New positions, with an answer that has a key. */
static int move(struct store *s, const char *id, int64_t expected, const char *key)
{
    float xyz[3] = {1, 2, 3};
    struct position_range range = {2, 1, xyz};
    const struct positions p = {1, &range, NULL};
    const struct store_answer a = {.principal = "p", .key = key, .status = 200, .body = key, .bytes = 1};
    return store_put_points(s, id, expected, &p, NULL, 1, &a, NULL, NULL);
}

static int has_answer(struct store *s, const char *key)
{
    static const unsigned char digest[32];
    struct store_answer a;
    void *block;
    int found;
    assert_int_equal(store_idempotent_find(s, "p", key, digest, 2, &a, &block, &found, NULL), SDD_OK);
    free(block);
    return found;
}

static int64_t version_of(struct store *s, const char *id)
{
    struct store_info info;
    const int rc = store_find(s, id, STORE_ANY_VERSION, &info, NULL);
    assert_true(rc == SDD_OK || rc == SDD_ENOT_FOUND);
    return rc ? 0 : info.version;
}

static struct store *with_three(const char *dir)
{
    struct store *s = store_reopen(dir);
    store_keep(s, 9, 1 << 20);
    assert_int_equal(create(s, "m_1"), SDD_OK);
    assert_int_equal(create(s, "m_2"), SDD_OK);
    assert_int_equal(create(s, "m_3"), SDD_OK);
    return s;
}

static void check(struct store *s, const int64_t versions[4])
{
    static const char *const ids[] = {"m_1", "m_2", "m_3", "m_4"};
    int64_t n = 0;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(version_of(s, ids[i]), versions[i]);
        n += versions[i] > 0;
    }
    assert_int_equal(store_meshes(s), n);
    if (store_check(s, NULL))
        fail_msg("the store is damaged");
}

/* Closes the store and opens it again: what it had added up is what is there. */
static struct store *again(const char *dir, struct store *s)
{
    const int64_t bytes = store_history_bytes(s);
    store_close(s);
    s = store_reopen(dir);
    store_keep(s, 9, 1 << 20);
    assert_int_equal(store_history_bytes(s), bytes);
    return s;
}

/* The third of five fails, and a sixth when it has written already. */
static void test_one_fails(void **state)
{
    char *dir = tempdir();
    struct store *s = with_three(dir);
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(move(s, "m_3", 1, "taken"), SDD_OK);
    assert_int_equal(store_together(s, &err), SDD_OK);
    assert_true(store_is_together(s));
    assert_int_equal(move(s, "m_1", 1, "first"), SDD_OK);
    assert_int_equal(rename_as(s, "m_2", 1, "second"), SDD_OK);
    assert_int_equal(move(s, "m_3", 1, "third"), SDD_ESTALE);
    assert_int_equal(create(s, "m_4"), SDD_OK);
    assert_int_equal(move(s, "m_1", 2, "fifth"), SDD_OK); /* Of the same mesh as the first. */
    assert_int_equal(move(s, "m_3", 2, "taken"), SDD_ECONFLICT);
    assert_int_equal(create(s, "m_4"), SDD_ECONFLICT);
    if (store_together_end(s, &err))
        fail_msg("%s", err.text);
    assert_false(store_is_together(s));
    for (int i = 0; i < 2; i++) {
        check(s, (const int64_t[]){3, 2, 2, 1});
        assert_true(has_answer(s, "first") && has_answer(s, "fifth") && has_answer(s, "taken"));
        assert_false(has_answer(s, "third"));
        s = again(dir, s);
    }
    assert_int_equal(rename_as(s, "m_3", 2, "on"), SDD_OK);
    store_close(s);
    tempdir_remove(dir);
}

/* Each of three versions of one mesh that one commit made can be read. */
static void test_one_mesh(void **state)
{
    char *dir = tempdir();
    struct store *s = with_three(dir);
    struct store_info info;
    (void)state;
    assert_int_equal(store_together(s, NULL), SDD_OK);
    assert_int_equal(rename_as(s, "m_1", 1, "two"), SDD_OK);
    assert_int_equal(rename_as(s, "m_1", 2, "three"), SDD_OK);
    assert_int_equal(rename_as(s, "m_1", 2, "late"), SDD_ESTALE);
    assert_int_equal(rename_as(s, "m_1", 3, "four"), SDD_OK);
    assert_int_equal(store_together_end(s, NULL), SDD_OK);
    s = again(dir, s);
    static const char *const names[] = {"m_1", "two", "three", "four"};
    for (int v = 1; v <= 4; v++) {
        assert_int_equal(store_find(s, "m_1", v, &info, NULL), SDD_OK);
        assert_string_equal(info.name, names[v - 1]);
    }
    check(s, (const int64_t[]){4, 1, 1, 0});
    store_close(s);
    tempdir_remove(dir);
}

/* One commit has a bound; what is above it is refused, and what has changed nothing does not count. */
static void test_bound(void **state)
{
    char *dir = tempdir();
    struct store *s = with_three(dir);
    struct store_pinned *pins;
    bool changed;
    int n_pins;
    (void)state;
    assert_int_equal(store_together(s, NULL), SDD_OK);
    for (int v = 1; v <= STORE_TOGETHER; v++) {
        assert_int_equal(rename_as(s, "m_2", 99, "no"), SDD_ESTALE);
        assert_int_equal(rename_as(s, "m_1", v, v % 2 ? "odd" : "even"), SDD_OK);
    }
    assert_int_equal(rename_as(s, "m_2", 1, "more"), SDD_EINTERNAL);
    assert_int_equal(store_pin(s, "m_3", true, &changed, NULL), SDD_OK); /* That is no version. */
    assert_int_equal(store_together_end(s, NULL), SDD_OK);
    s = again(dir, s);
    assert_int_equal(store_pins(s, &pins, &n_pins, NULL), SDD_OK);
    assert_int_equal(n_pins, 1);
    free(pins);
    check(s, (const int64_t[]){1 + STORE_TOGETHER, 1, 1, 0});
    assert_int_equal(store_together(s, NULL), SDD_OK); /* One in which nothing happens. */
    assert_int_equal(store_together_end(s, NULL), SDD_OK);
    check(s, (const int64_t[]){1 + STORE_TOGETHER, 1, 1, 0});
    store_close(s);
    tempdir_remove(dir);
}

/* The k-th call of a kind fails in a commit of three changes. Returns whether it came so far. */
static bool fail_at(enum faulty_kind kind, int64_t k, int code)
{
    char *dir = tempdir();
    struct store *s = with_three(dir);
    struct sdd_error err = {0};
    const int64_t bytes = store_history_bytes(s);
    int rc[3];
    faulty = (struct faulty_vfs){kind, k, 0, 0};
    assert_int_equal(store_together(s, &err), SDD_OK);
    rc[0] = move(s, "m_1", 1, "first");
    rc[1] = create(s, "m_4");
    rc[2] = rename_as(s, "m_3", 1, "third");
    const int ended = store_together_end(s, &err);
    const bool came = faulty.n_faults > 0;
    faulty.kind = FAULTY_NONE;
    assert_int_equal(ended, came ? code : SDD_OK);
    for (int i = 0; i < 3; i++)
        assert_true(rc[i] == SDD_OK || rc[i] == code);
    if (came && kind == FAULTY_FULL) { /* None of them happened, and it goes on. */
        assert_false(store_failed(s));
        assert_int_equal(store_history_bytes(s), bytes);
        check(s, (const int64_t[]){1, 1, 1, 0});
        assert_false(has_answer(s, "first"));
        assert_int_equal(rename_as(s, "m_1", 1, "on"), SDD_OK);
        s = again(dir, s);
        check(s, (const int64_t[]){2, 1, 1, 0});
    } else {
        assert_int_equal(store_failed(s), came);
        store_close(s);
        s = store_reopen(dir);
        const bool all = version_of(s, "m_1") == 2;
        assert_true(all || came);
        check(s, all ? (const int64_t[]){2, 1, 2, 1} : (const int64_t[]){1, 1, 1, 0});
        assert_int_equal(has_answer(s, "first"), all);
    }
    store_close(s);
    tempdir_remove(dir);
    return came;
}

static void test_commit_fails(void **state)
{
    static const struct {
        enum faulty_kind kind;
        int code;
    } kinds[] = {{FAULTY_FULL, SDD_ESTORE_FULL}, {FAULTY_WRITE, SDD_ESTORE}, {FAULTY_SYNC, SDD_ESTORE}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t k = 0;
        while (fail_at(kinds[i].kind, k, kinds[i].code))
            k++;
        print_message("%lld calls failed\n", (long long)k);
        assert_true(k > 0);
    }
}

/* ---- memory that SQLite does not get ---- */
static sqlite3_mem_methods whole;
static int64_t until_none = -1; /* allocations that are still given; -1: all are */

static void *give(int bytes)
{
    return until_none >= 0 && until_none-- == 0 ? NULL : whole.xMalloc(bytes);
}

static void *give_more(void *old, int bytes)
{
    return until_none >= 0 && until_none-- == 0 ? NULL : whole.xRealloc(old, bytes);
}

/* Before the first store: SQLite takes all from the two above, and nothing from what it has put aside. */
static void starve_sqlite(void)
{
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &whole), SQLITE_OK);
    sqlite3_mem_methods some = whole;
    some.xMalloc = give;
    some.xRealloc = give_more;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &some), SQLITE_OK);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

/* One allocation fails, wherever that is: what ended well is there, and what did not has changed nothing. */
static void test_no_memory(void **state)
{
    char *dir = tempdir();
    struct store *s = with_three(dir);
    int64_t versions[3] = {1, 1, 1}, k = 0;
    bool came = true;
    (void)state;
    for (; came; k++) {
        char name[24];
        int rc[3], ended = store_together(s, NULL);
        assert_int_equal(ended, SDD_OK);
        (void)snprintf(name, sizeof name, "round %d", (int)k);
        until_none = k;
        rc[0] = rename_as(s, "m_1", versions[0], name);
        rc[1] = move(s, "m_2", versions[1], name);
        rc[2] = rename_as(s, "m_3", versions[2], name);
        ended = store_together_end(s, NULL);
        came = until_none < 0;
        until_none = -1;
        assert_false(store_failed(s));
        for (int i = 0; i < 3; i++)
            versions[i] += !ended && !rc[i];
        assert_int_equal(has_answer(s, name), !ended && !rc[1]);
        check(s, (const int64_t[]){versions[0], versions[1], versions[2], 0});
        if (k % 16 == 0)
            s = again(dir, s);
    }
    print_message("%lld allocations failed\n", (long long)k - 1);
    assert_true(k > 10);
    s = again(dir, s);
    store_close(s);
    tempdir_remove(dir);
}

/* ---- the count beside the database ---- */
static const char *const names[] = {"subdd.db", "subdd.db-wal", "subdd.commits"};

struct files {
    struct file_image f[3];
};

/* What is there after some rounds, each one commit of three changes, of a process that does not close the store. */
static struct files after_rounds(const char *dir, int n)
{
    struct files all;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct store *s;
        int rc = store_open(dir, &s, NULL);
        for (int i = 0; i < n && !rc; i++) {
            const int64_t v = version_of(s, "m_1");
            rc = store_together(s, NULL);
            char name[24];
            (void)snprintf(name, sizeof name, "after %d", (int)v);
            rc = rc ? rc : rename_as(s, "m_1", v, name);
            rc = rc ? rc : move(s, "m_2", v, name);
            rc = rc ? rc : rename_as(s, "m_3", v, name);
            rc = rc ? rc : store_together_end(s, NULL);
        }
        _exit(rc ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int i = 0; i < 3; i++)
        all.f[i] = file_read(dir, names[i]);
    return all;
}

static void files_free(struct files *all)
{
    for (int i = 0; i < 3; i++)
        free(all->f[i].bytes);
}

/* A start with the database of one moment and the count of another. */
static struct store *open_mixed(const char *dir, const struct files *database, const struct files *commits)
{
    struct store *s;
    struct sdd_error err = {0};
    for (int i = 0; i < 3; i++)
        file_write(dir, names[i], (i < 2 ? database : commits)->f[i]);
    if (store_open(dir, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static void check_lost(struct store *s, int n, int64_t version, int64_t found)
{
    const struct store_loss *l = store_loss(s);
    assert_true(l->waits);
    assert_int_equal(l->n, n);
    assert_int_equal(l->n_listed, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(l->listed[i].id, i == 0 ? "m_1" : i == 1 ? "m_2" : "m_3");
        assert_int_equal(l->listed[i].version, version);
        assert_int_equal(l->listed[i].found, found);
    }
    assert_int_equal(rename_as(s, "m_1", STORE_ANY_VERSION, "no"), SDD_ESTORE);
    assert_int_equal(store_together(s, NULL), SDD_ESTORE);
}

static void test_loss(void **state)
{
    char *dir = tempdir();
    (void)state;
    store_close(with_three(dir));
    struct files zero = after_rounds(dir, 0), one = after_rounds(dir, 1), three = after_rounds(dir, 2);
    struct store *s = open_mixed(dir, &zero, &three);
    check_lost(s, 9, 4, 1);
    store_close(s);
    s = open_mixed(dir, &one, &three);
    check_lost(s, 6, 4, 2);
    assert_int_equal(store_accept_loss(s, 7, NULL), SDD_OK);
    store_close(s);
    s = store_reopen(dir);
    check(s, (const int64_t[]){2, 2, 2, 0});
    assert_int_equal(store_loss(s)->accepted, 6);
    store_close(s);
    s = open_mixed(dir, &one, &zero); /* As a crash between the commit and its entry leaves it. */
    assert_false(store_loss(s)->waits);
    assert_string_equal(store_loss(s)->text, "");
    check(s, (const int64_t[]){2, 2, 2, 0});
    store_close(s);
    struct file_image mended = file_read(dir, names[2]);
    assert_true(mended.n == one.f[2].n && memcmp(mended.bytes, one.f[2].bytes, mended.n) == 0);
    s = open_mixed(dir, &three, &zero); /* Two commits ahead: the count is an older one. */
    assert_false(store_loss(s)->waits);
    assert_non_null(strstr(store_loss(s)->text, "older than subdd.db"));
    store_close(s);
    free(mended.bytes);
    files_free(&zero);
    files_free(&one);
    files_free(&three);
    tempdir_remove(dir);
}

/* An older row of the third mesh of a commit, in both places where it is. */
static void test_old_row(void **state)
{
    char *dir = tempdir();
    (void)state;
    faulty_vfs_unregister();
    store_close(with_three(dir));
    store_sql(dir, "CREATE TABLE v AS SELECT * FROM versions WHERE id = 'm_3';"
                   "CREATE TABLE o AS SELECT * FROM meshes WHERE id = 'm_3'");
    struct files all = after_rounds(dir, 1);
    store_close(store_reopen(dir));
    store_sql(dir, "REPLACE INTO versions SELECT * FROM v; REPLACE INTO meshes SELECT * FROM o;"
                   "DROP TABLE v; DROP TABLE o");
    struct store *s;
    assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
    assert_true(store_loss(s)->waits);
    assert_int_equal(store_loss(s)->n_listed, 1);
    assert_string_equal(store_loss(s)->listed[0].id, "m_3");
    store_close(s);
    files_free(&all);
    tempdir_remove(dir);
    faulty_vfs_register();
}

/* The same, where the file of commits was made anew behind that commit, and the row of the count is older, too. */
static void test_old_row_at_base(void **state)
{
    char *dir = tempdir();
    struct store *s;
    (void)state;
    faulty_vfs_unregister();
    store_close(with_three(dir));
    store_sql(dir, "CREATE TABLE v AS SELECT * FROM versions WHERE id = 'm_3';"
                   "CREATE TABLE o AS SELECT * FROM meshes WHERE id = 'm_3'; CREATE TABLE c AS SELECT * FROM commits");
    struct files all = after_rounds(dir, 1);
    file_write(dir, names[2], (struct file_image){NULL, 0});
    assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
    assert_false(store_loss(s)->waits);
    store_close(s);
    store_sql(dir,
              "REPLACE INTO versions SELECT * FROM v; REPLACE INTO meshes SELECT * FROM o;"
              "DELETE FROM commits; INSERT INTO commits SELECT * FROM c; DROP TABLE v; DROP TABLE o; DROP TABLE c");
    assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
    assert_true(store_loss(s)->waits);
    assert_int_equal(store_loss(s)->n, 3);
    assert_int_equal(store_loss(s)->n_listed, 1);
    assert_string_equal(store_loss(s)->listed[0].id, "m_3");
    store_close(s);
    files_free(&all);
    tempdir_remove(dir);
    faulty_vfs_register();
}

/* What a write that was cut short leaves of the sector: the beginning of the new entry, with the end of the one that
 * was there 1,024 commits before. Both have several changes, and it is neither. */
static void test_torn_entry(void **state)
{
    char *dir = tempdir();
    (void)state;
    store_close(with_three(dir));
    struct files one = after_rounds(dir, 1), two = after_rounds(dir, 1);
    struct file_image torn = file_read(dir, names[2]);
    char *before = one.f[2].bytes + 512 * (1 + 4), *after = torn.bytes + 512 * (1 + 5);
    memcpy(after + 88, before + 88, 512 - 88);
    struct store *s = open_mixed(dir, &two, &two);
    store_close(s);
    file_write(dir, names[2], torn);
    assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
    assert_false(store_loss(s)->waits);
    check(s, (const int64_t[]){3, 3, 3, 0});
    store_close(s);
    struct file_image mended = file_read(dir, names[2]);
    assert_memory_equal(mended.bytes, two.f[2].bytes, mended.n);
    free(mended.bytes);
    free(torn.bytes);
    files_free(&one);
    files_free(&two);
    tempdir_remove(dir);
}

/* Bits that flip in the entry of such a commit, in the file: nothing is lost, and nothing is said to be. */
static void test_flipped_entry(void **state)
{
    char *dir = tempdir();
    (void)state;
    store_close(with_three(dir));
    struct files all = after_rounds(dir, 2);
    const size_t sector = 512 * (1 + 5); /* Three were made alone. */
    for (size_t at = sector; at < sector + 512; at += 7) {
        struct store *s = open_mixed(dir, &all, &all);
        store_close(s);
        for (int i = 0; i < 3; i++)
            file_write(dir, names[i], all.f[i]);
        file_flip(dir, names[2], at);
        assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
        assert_false(store_loss(s)->waits);
        check(s, (const int64_t[]){3, 3, 3, 0});
        store_close(s);
        s = store_reopen(dir);
        store_close(s);
    }
    files_free(&all);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_fails),       cmocka_unit_test(test_one_mesh),  cmocka_unit_test(test_bound),
        cmocka_unit_test(test_commit_fails),    cmocka_unit_test(test_loss),      cmocka_unit_test(test_old_row),
        cmocka_unit_test(test_flipped_entry),   cmocka_unit_test(test_no_memory), cmocka_unit_test(test_torn_entry),
        cmocka_unit_test(test_old_row_at_base),
    };
    starve_sqlite();
    faulty_vfs_register();
    cube = sample_cube();
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_free(cube);
    return rc;
}
