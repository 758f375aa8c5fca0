/* SPDX-License-Identifier: Apache-2.0 */
/* A log that is damaged, and every fault of the file that counts commits: what was acknowledged and is gone is named,
 * the store waits until that is accepted, and there is no false alarm. */
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/store/store_work.h"
#include "tests/unit/tempdir.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const names[] = {"subdd.db", "subdd.db-wal", "subdd.commits"};
enum { N_FILES = 3, LOG = 1, COMMITS = 2 };

struct files {
    struct file_image f[N_FILES];
};

static struct files files_read(const char *dir)
{
    struct files all;
    for (int i = 0; i < N_FILES; i++)
        all.f[i] = file_read(dir, names[i]);
    return all;
}

static void files_write(const char *dir, const struct files *all)
{
    for (int i = 0; i < N_FILES; i++)
        file_write(dir, names[i], all->f[i]);
}

static void files_free(struct files *all)
{
    for (int i = 0; i < N_FILES; i++)
        free(all->f[i].bytes);
}

/* Changes of a process that then ends without closing the store, so that its log is full. */
static struct files worked(const char *dir, struct store_work *w, int n)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct store *s;
        int rc = store_open(dir, &s, NULL);
        for (int i = 0; i < n && !rc; i++)
            rc = work_step(s, w);
        _exit(rc ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return files_read(dir);
}

static struct store_work *shared_work(uint64_t random)
{
    struct store_work *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(w, MAP_FAILED);
    w->random = random;
    return w;
}

static const struct store_lost *listed(const struct store *s, const char *id)
{
    const struct store_loss *l = store_loss(s);
    for (int i = 0; i < l->n_listed; i++)
        if (strcmp(l->listed[i].id, id) == 0)
            return &l->listed[i];
    return NULL;
}

/* Every mesh is as acknowledged, refused by its name, or named as lost. Returns how many are not as acknowledged. */
static int judge(struct store *s, const struct store_work *w, int round)
{
    int n_lost = 0;
    for (int i = 0; i < WORK_MESHES; i++) {
        char id[STORE_ID_SIZE];
        struct sdd_error err = {0};
        struct store_info info = {.version = 0};
        struct mesh *m;
        (void)snprintf(id, sizeof id, "m_%d", i);
        int rc = store_load(s, id, STORE_ANY_VERSION, &m, &info, &err);
        if (m)
            work_same(w, i, &info, m);
        mesh_free(m);
        const struct store_lost *l = listed(s, id);
        if (rc == SDD_ESTORE && (!strstr(err.text, "damaged") || !strstr(err.text, id)))
            fail_msg("round %d: %s is refused, but not by its name: %s", round, id, err.text);
        if (l && l->version != w->acked[i])
            fail_msg("round %d: %s: lost is %lld, not %lld", round, id, (long long)w->acked[i], (long long)l->version);
        if (info.version == w->acked[i] && rc != SDD_ESTORE)
            continue;
        n_lost++;
        if (rc != SDD_ESTORE && !l)
            fail_msg("round %d: %s is at version %lld of %lld, and nobody says so: %s", round, id,
                     (long long)info.version, (long long)w->acked[i], store_loss(s)->text);
        if (l && rc != SDD_ESTORE)
            assert_int_equal(l->found, info.version);
    }
    return n_lost;
}

static void accept_loss(const char *dir)
{
    struct store *s;
    struct sdd_error err = {0};
    assert_int_equal(store_open(dir, &s, &err), SDD_OK);
    int64_t n = store_loss(s)->n;
    if (store_accept_loss(s, 77, &err))
        fail_msg("%s", err.text);
    store_close(s);
    s = store_reopen(dir);
    assert_int_equal(store_loss(s)->accepted, n);
    assert_int_equal(store_loss(s)->accepted_ms, 77);
    struct mesh *m = sample_cube();
    if (store_create(s, "m_new", m, 1, NULL, NULL, &err))
        fail_msg("%s", err.text);
    mesh_free(m);
    store_close(s);
    store_close(store_reopen(dir));
}

/* SUBDD_DAMAGED_LOGS (default 150) logs with a flipped bit or a cut. */
static void test_damaged_logs(void **state)
{
    static const int steps[] = {8, 60, 110};
    const char *rounds = getenv("SUBDD_DAMAGED_LOGS");
    int n = rounds ? (int)strtol(rounds, NULL, 10) : 150, told = 0, harmless = 0, refused = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        char *dir = tempdir();
        struct store_work *w = shared_work(4711 + (uint64_t)k), dice = {.random = 99 + (uint64_t)k};
        w->together = true;
        struct files good = worked(dir, w, steps[k]);
        assert_true(good.f[LOG].n > 4096);
        for (int i = 0; i < n / 3; i++) {
            struct store *s;
            struct sdd_error err = {0};
            files_write(dir, &good);
            size_t at = work_random(&dice) % good.f[LOG].n;
            if (i % 3)
                file_flip(dir, names[LOG], at);
            else
                file_write(dir, names[LOG], (struct file_image){good.f[LOG].bytes, at});
            if (store_open(dir, &s, &err)) {
                assert_non_null(strstr(err.text, "damaged"));
                refused++;
                continue;
            }
            struct file_image log = file_read(dir, names[LOG]);
            int lost = judge(s, w, i);
            bool waits = store_loss(s)->waits;
            if (waits) {
                assert_int_equal(store_delete(s, "m_0", STORE_ANY_VERSION, NULL, 0, &err), SDD_ESTORE);
                assert_non_null(strstr(err.text, "--accept-data-loss"));
            }
            store_close(s);
            told += waits;
            harmless += !lost && !waits;
            if (waits) { /* whoever wants to save what is in the files finds them as they were */
                struct file_image after = file_read(dir, names[LOG]);
                assert_true(after.n == log.n && memcmp(after.bytes, log.bytes, log.n) == 0);
                free(after.bytes);
                if (i % 5 == 0)
                    accept_loss(dir);
            }
            free(log.bytes);
        }
        files_free(&good);
        (void)munmap(w, sizeof *w);
        tempdir_remove(dir);
    }
    print_message("%d damaged logs: %d losses told, %d harmless, %d not opened\n", n, told, harmless, refused);
    assert_true(told > n / 4);
}

static void open_says(const char *dir, bool opens, bool waits, const char *says)
{
    struct store *s = NULL;
    struct sdd_error err = {0};
    int rc = store_open(dir, &s, &err);
    const char *text = rc ? err.text : store_loss(s)->text;
    if (!rc != opens || (s && store_loss(s)->waits != waits) || !strstr(text, says))
        fail_msg("says %s, not %s", text, says);
    if (rc)
        assert_int_equal(rc, SDD_ESTORE);
    store_close(s);
}

/* The file of commits as nobody should find it. */
static void test_bad_file(void **state)
{
    char *dir = tempdir(), *other = tempdir(), path[300];
    struct store_work *w = shared_work(5), *x = shared_work(6);
    struct files early = worked(dir, w, 6), good = worked(dir, w, 4), foreign = worked(other, x, 3);
    char *zeros = calloc(1, good.f[COMMITS].n);
    const struct {
        struct file_image commits;
        bool opens, waits;
        const char *says;
    } cases[] = {
        {good.f[COMMITS], true, false, ""},
        {foreign.f[COMMITS], false, false, "belongs to another store than subdd.db; put the one of this store there"},
        {{good.f[COMMITS].bytes, 1000}, true, true, "subdd.commits is damaged"},
        {{good.f[COMMITS].bytes, 0}, true, true, "subdd.commits is damaged"},
        {{zeros, good.f[COMMITS].n}, true, true, "subdd.commits is damaged"},
        {{NULL, 0}, true, false, "as after a restore of subdd.db alone"},
        {early.f[COMMITS], true, false, "subdd.commits is older than subdd.db (commit 6 of 10)"},
    };
    (void)state;
    (void)snprintf(path, sizeof path, "%s/subdd.commits", dir);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        files_write(dir, &good);
        file_write(dir, names[COMMITS], cases[i].commits);
        open_says(dir, cases[i].opens, cases[i].waits, cases[i].says);
        open_says(dir, cases[i].opens, cases[i].waits, cases[i].waits || !cases[i].opens ? cases[i].says : "");
        if (cases[i].waits)
            accept_loss(dir);
        else if (cases[i].opens)
            store_close(store_reopen(dir));
    }
    files_write(dir, &good);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    open_says(dir, false, false, "subdd.commits cannot be opened: Is a directory");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    open_says(dir, false, false, "subdd.commits cannot be opened: Too many levels");
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/subdd.commits.new", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    open_says(dir, false, false, "subdd.commits cannot be made: File exists");
    assert_int_equal(rmdir(path), 0);
    store_close((open_says(dir, true, false, "it was made anew"), store_reopen(dir)));
    free(zeros);
    files_free(&early);
    files_free(&good);
    files_free(&foreign);
    (void)munmap(w, sizeof *w);
    (void)munmap(x, sizeof *x);
    tempdir_remove(dir);
    tempdir_remove(other);
}

/* An older database with the newer file is a loss; the database that has both is not. Then an accepted one is left for
 * the lost one: two histories. */
static void test_older_database(void **state)
{
    char *dir = tempdir();
    struct store_work *w = shared_work(7);
    (void)state;
    struct files early = worked(dir, w, 6), late = worked(dir, w, 5), mixed = early;
    mixed.f[COMMITS] = late.f[COMMITS];
    files_write(dir, &mixed);
    open_says(dir, true, true, "5 acknowledged changes were lost, the first of mesh m_");
    accept_loss(dir);
    file_write(dir, names[COMMITS], late.f[COMMITS]);
    open_says(dir, true, false, "subdd.commits is older than subdd.db"); /* 6 + 5 + accepted + created */
    files_write(dir, &early);
    store_close(store_reopen(dir));
    files_write(dir, &mixed);
    struct store *s;
    assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
    assert_int_equal(store_accept_loss(s, 77, NULL), SDD_OK);
    store_close(s);
    file_write(dir, names[COMMITS], late.f[COMMITS]); /* as a crash in the midst of accepting leaves it */
    s = NULL;
    assert_int_equal(store_open(dir, &s, NULL), SDD_OK);
    assert_true(store_loss(s)->waits || store_loss(s)->text[0]);
    store_close(s);
    files_free(&early);
    files_free(&late);
    (void)munmap(w, sizeof *w);
    tempdir_remove(dir);
}

/* Two pages that have lost the same change agree with each other, but not with the file. */
static void test_two_lost_pages(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_cube();
    struct sdd_error err = {0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *const ids[] = {"m_1", "m_2", "m_3"};
        assert_int_equal(store_create(s, ids[i], m, 1, NULL, NULL, &err), SDD_OK);
    }
    store_close(s);
    store_sql(dir, "CREATE TABLE v AS SELECT * FROM versions WHERE id = 'm_2';"
                   "CREATE TABLE o AS SELECT * FROM meshes WHERE id = 'm_2'");
    s = store_reopen(dir);
    assert_int_equal(store_rename(s, "m_2", 1, "lost", 1, NULL, &err), SDD_OK);
    assert_int_equal(store_delete(s, "m_3", 1, NULL, 0, &err), SDD_OK);
    store_close(s);
    store_close(store_reopen(dir));
    store_sql(dir, "REPLACE INTO versions SELECT * FROM v; REPLACE INTO meshes SELECT * FROM o;"
                   "DROP TABLE v; DROP TABLE o");
    open_says(dir, true, true, "1 meshes are older than what was acknowledged, the first is m_2");
    accept_loss(dir);
    store_sql(dir, "UPDATE versions SET version = 9 WHERE id = 'm_1'");
    store_close(store_reopen(dir)); /* one damaged mesh stops nobody else */
    mesh_free(m);
    tempdir_remove(dir);
}

/* Bits that flip in the file: it opens or waits, and says so; what is in the database is what is read. */
static void test_flipped_file(void **state)
{
    char *dir = tempdir();
    struct store_work *w = shared_work(8), dice = {.random = 31};
    struct files good = worked(dir, w, 12);
    int waits = 0;
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct store *s;
        struct sdd_error err = {0};
        files_write(dir, &good);
        file_flip(dir, names[COMMITS], work_random(&dice) % (i % 2 ? 136 : 14 * 512));
        if (store_open(dir, &s, &err))
            fail_msg("%s", err.text);
        assert_int_equal(judge(s, w, i), 0);
        assert_int_equal(store_loss(s)->n, 0);
        waits += store_loss(s)->waits;
        store_close(s);
    }
    assert_true(waits >= 30 && waits < 50); /* each flip in the header */
    files_free(&good);
    (void)munmap(w, sizeof *w);
    tempdir_remove(dir);
}

/* The entry cannot be written after the commit: the change is refused, the store takes no more, and the next start
 * finds it and raises no alarm. */
static void test_entry_not_written(void **state)
{
    char *dir = tempdir(), name[32];
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_cube();
    struct sdd_error err = {0};
    struct store_info info;
    struct rlimit old, small;
    (void)state;
    assert_int_equal(store_create(s, "m_1", m, 1, NULL, NULL, &err), SDD_OK);
    for (int i = 0; i < 600; i++) {
        (void)snprintf(name, sizeof name, "name %d", i);
        assert_int_equal(store_rename(s, "m_1", STORE_ANY_VERSION, name, 1, NULL, &err), SDD_OK);
    }
    store_close(s);
    s = store_reopen(dir);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){250000, old.rlim_max}; /* entry 602 lies behind it, the log is new and short */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int rc = store_rename(s, "m_1", STORE_ANY_VERSION, "last", 1, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(rc, SDD_ESTORE);
    assert_non_null(strstr(err.text, "subdd.commits cannot be written: File too large"));
    assert_true(store_failed(s));
    assert_int_equal(store_rename(s, "m_1", STORE_ANY_VERSION, "more", 1, NULL, &err), SDD_ESTORE);
    store_close(s);
    for (int i = 0; i < 2; i++) {
        s = store_reopen(dir);
        assert_int_equal(store_find(s, "m_1", STORE_ANY_VERSION, &info, &err), SDD_OK);
        assert_string_equal(info.name, "last");
        store_close(s);
    }
    mesh_free(m);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_logs),   cmocka_unit_test(test_bad_file),
        cmocka_unit_test(test_older_database), cmocka_unit_test(test_two_lost_pages),
        cmocka_unit_test(test_flipped_file),   cmocka_unit_test(test_entry_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
