/* SPDX-License-Identifier: Apache-2.0 */
/* A full disk, failing reads, writes and syncs at every k-th call, and power cuts: nothing that was acknowledged is
 * lost, nothing is half there, and the store says what it should about itself. */
#include "tests/unit/store/faulty_vfs.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/store/store_work.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Some changes with the k-th call of a kind failing, then a look at what is left. Result  did the fault come? */
static bool torture(enum faulty_kind kind, int64_t k, int forever, int code)
{
    char *dir = tempdir();
    struct store_work w = {.random = 4711, .together = true};
    struct store *s = store_reopen(dir);
    struct sdd_error err = {0};
    int failed = 0;
    for (int i = 0; i < 6; i++)
        assert_int_equal(work_step(s, &w), SDD_OK);
    faulty = (struct faulty_vfs){kind, k, forever, 0};
    for (int i = 0; i < 12; i++) {
        int rc = work_step(s, &w);
        if (rc && !failed)
            assert_int_equal(rc, code);
        failed |= rc;
        if (rc)
            break;
    }
    bool came = faulty.n_faults > 0;
    if (kind == FAULTY_FULL && failed) { /* when there is room again the same store goes on */
        faulty.kind = FAULTY_NONE;
        assert_false(store_failed(s));
        memcpy(w.next, w.acked, sizeof w.next); /* it said no: nothing may have changed */
        work_check(s, &w);
        assert_int_equal(work_step(s, &w), SDD_OK);
    } else if (failed) { /* it takes no more writes, whatever happens */
        assert_true(store_failed(s));
        faulty.kind = FAULTY_NONE;
        assert_int_equal(store_delete(s, "m_0", STORE_ANY_VERSION, NULL, 0, &err), SDD_ESTORE);
    }
    store_close(s);
    faulty.kind = FAULTY_NONE;
    s = store_reopen(dir);
    work_check(s, &w);
    if (store_check(s, &err))
        fail_msg("%s", err.text);
    store_close(s);
    tempdir_remove(dir);
    return came;
}

static void every_k(enum faulty_kind kind, int step, int code)
{
    int64_t k = 0;
    for (int forever = 0; forever < 2; forever++)
        for (k = 0; torture(kind, k, forever, code); k += step)
            ;
    print_message("%lld calls failed, once and forever\n", (long long)k);
    assert_true(k > 2 * step);
}

static void test_full_disk(void **state)
{
    (void)state;
    every_k(FAULTY_FULL, 7, SDD_ESTORE_FULL);
}
/* The room that the reserve gives back is enough to delete, and then it is kept again. */
static void test_delete_on_full_disk(void **state)
{
    char *dir = tempdir(), path[300];
    struct store_work w = {.random = 4711};
    struct store *s = store_reopen(dir);
    struct sdd_error err = {0};
    (void)state;
    (void)snprintf(path, sizeof path, "%s/reserve", dir);
    for (int i = 0; i < 6; i++)
        assert_int_equal(work_step(s, &w), SDD_OK);
    for (int i = 0, done = 0; i < WORK_MESHES && !done; i++) {
        char id[STORE_ID_SIZE];
        (void)snprintf(id, sizeof id, "m_%d", i);
        if (!w.acked[i])
            continue;
        faulty = (struct faulty_vfs){FAULTY_FULL, 0, 0, 0};
        assert_int_equal(store_delete(s, id, STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
        assert_int_equal(faulty.n_faults, 1);
        done = 1;
    }
    faulty.kind = FAULTY_NONE;
    assert_int_equal(access(path, F_OK), 0);
    (void)unlink(path);
    store_close(s);
    tempdir_remove(dir);
}

static void test_failed_write(void **state)
{
    (void)state;
    every_k(FAULTY_WRITE, 7, SDD_ESTORE);
}
static void test_failed_sync(void **state)
{
    (void)state;
    every_k(FAULTY_SYNC, 1, SDD_ESTORE);
}

static void test_failed_read(void **state)
{
    char *dir = tempdir();
    struct store_work w = {.random = 4711};
    struct store *s = store_reopen(dir);
    struct sdd_error err;
    struct mesh *m;
    (void)state;
    for (int i = 0; i < 12; i++)
        assert_int_equal(work_step(s, &w), SDD_OK);
    store_close(s);
    int refused = 0;
    for (int64_t k = 0; k < 40; k++) {
        faulty = (struct faulty_vfs){FAULTY_READ, k, 0, 0};
        if (store_open(dir, &s, &err) == SDD_OK) {
            for (int i = 0; i < WORK_MESHES; i++) {
                char id[STORE_ID_SIZE];
                (void)snprintf(id, sizeof id, "m_%d", i);
                int rc = store_load(s, id, STORE_ANY_VERSION, &m, NULL, &err);
                assert_true(rc == SDD_OK || rc == SDD_ESTORE || (rc == SDD_ENOT_FOUND && !w.acked[i]));
                refused += rc == SDD_ESTORE;
                mesh_free(m);
            }
            store_close(s);
        } else {
            refused++;
        }
    }
    faulty.kind = FAULTY_NONE;
    assert_true(refused > 10);
    s = store_reopen(dir);
    work_check(s, &w);
    store_close(s);
    tempdir_remove(dir);
}

/* SUBDD_POWER_CUTS (default 200) images of a disk after the power went. */
static void test_power_cut(void **state)
{
    const char *cuts = getenv("SUBDD_POWER_CUTS");
    int n = cuts ? (int)strtol(cuts, NULL, 10) : 200;
    char *dir = tempdir();
    struct store_work w = {.random = 99, .together = true};
    (void)state;
    store_close(store_reopen(dir));
    for (int i = 0; i < n; i++) {
        struct store *s = NULL;
        struct sdd_error err = {0};
        faulty = (struct faulty_vfs){FAULTY_POWER, (int64_t)(work_random(&w) % 400), 1, 0};
        if (store_open(dir, &s, &err) == SDD_OK)
            while (work_step(s, &w) == SDD_OK)
                ;
        store_close(s);
        faulty_power_cut((uint64_t)i);
        s = store_reopen(dir);
        work_check(s, &w);
        if (i % 20 == 0 && store_check(s, &err))
            fail_msg("cut %d: %s", i, err.text);
        store_close(s);
    }
    print_message("%d power cuts, %lld acknowledged changes, %lld of them edits, %lld commits of several, none lost\n",
                  n, (long long)w.n_acked, (long long)w.n_edits, (long long)w.n_together);
    assert_true(w.n_acked > n / 2 && w.n_edits > n / 8 && w.n_together > n / 16);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_delete_on_full_disk),
        cmocka_unit_test(test_failed_write), cmocka_unit_test(test_failed_sync),
        cmocka_unit_test(test_failed_read),  cmocka_unit_test(test_power_cut),
    };
    faulty_vfs_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
