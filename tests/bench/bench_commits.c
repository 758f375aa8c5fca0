/* SPDX-License-Identifier: Apache-2.0 */
/* bench_commits.c: durable edits a second by eight clients, each on a mesh of its own and all on one, against what
 * SQLite alone reaches on the same disk in the same run: one row of 4 KiB a commit, at full sync, with the daemon's
 * pragmas, by one thread. Interleaved; medians of ratios. Eight rows a commit tell what a common commit for all that
 * wait would give; an edit has two syncs, that of SQLite's log and that of a sector (commits.c), so the rate of the
 * latter is told too. */
#include "tests/bench/timing.h"
#include "tests/http/daemon.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 8, ROUNDS = 5, WAYS = 5 };
static const double seconds = 2;
static struct daemon d;

struct client {
    pthread_t thread;
    char id[32];
    int n, k;
    double until;
};

static void *edit_on_and_on(void *arg)
{
    struct client *c = arg;
    const int fd = http_connect(&d), one = 1;
    char target[64], body[128];
    struct answer a;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* Head and body are sent one after the other. */
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", c->id);
    for (; now_ms() < c->until; c->n++) {
        const int n =
            snprintf(body, sizeof body, "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[%d]}}]}",
                     1 + (c->n + c->k) % 5);
        http_ask_on(fd, "POST", target, "Content-Type: application/json\r\nIf-Match: *\r\n", body, (size_t)n, &a);
        if (a.status != 200) {
            fprintf(stderr, "an edit: %d %s\n", a.status, a.body);
            exit(1);
        }
        answer_free(&a);
    }
    close(fd);
    return NULL;
}

/* Edits a second of n clients. */
static double edits(char ids[CLIENTS][32], int n, bool of_one)
{
    struct client c[CLIENTS];
    const double start = now_ms();
    int total = 0;
    for (int i = 0; i < n; i++) {
        c[i] = (struct client){.k = i, .until = start + 1e3 * seconds};
        memcpy(c[i].id, ids[of_one ? 0 : i], sizeof c[i].id);
        if (pthread_create(&c[i].thread, NULL, edit_on_and_on, &c[i]))
            exit(1);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(c[i].thread, NULL);
        total += c[i].n;
    }
    return 1e3 * total / (now_ms() - start);
}

static void run(sqlite3 *db, const char *sql)
{
    char *wrong = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &wrong) == SQLITE_OK)
        return;
    fprintf(stderr, "%s: %s\n", sql, wrong);
    exit(1);
}

static sqlite3 *open_alone(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        exit(1);
    run(db,
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=FAST;"
        "PRAGMA cell_size_check=ON; PRAGMA cache_size=-8192; PRAGMA journal_size_limit=67108864;"
        "CREATE TABLE rows(k INTEGER PRIMARY KEY, v BLOB)");
    return db;
}

/* Rows a second, so many a commit. */
static double alone(sqlite3 *db, int rows)
{
    static const char row[4096];
    static sqlite3_int64 key;
    sqlite3_stmt *st;
    const double start = now_ms();
    int n = 0;
    if (sqlite3_prepare_v2(db, "INSERT INTO rows VALUES(?1, ?2)", -1, &st, NULL) != SQLITE_OK)
        exit(1);
    for (; now_ms() < start + 1e3 * seconds; n += rows) {
        run(db, "BEGIN");
        for (int i = 0; i < rows; i++) {
            sqlite3_bind_int64(st, 1, ++key);
            sqlite3_bind_blob(st, 2, row, sizeof row, SQLITE_STATIC);
            if (sqlite3_step(st) != SQLITE_DONE)
                exit(1);
            sqlite3_reset(st);
        }
        run(db, "COMMIT");
    }
    sqlite3_finalize(st);
    return 1e3 * n / (now_ms() - start);
}

/* Writes of a sector a second that are on the disk, into a file that is there. */
static double sectors(const char *path)
{
    static const char sector[512];
    int n = 0;
    const int fd = open(path, O_RDWR | O_CREAT | O_DSYNC, 0600);
    const double start = now_ms();
    for (; now_ms() < start + 500; n++)
        if (pwrite(fd, sector, sizeof sector, n % 1024 * 512) != sizeof sector)
            exit(1);
    close(fd);
    return 1e3 * n / (now_ms() - start);
}

int main(void)
{
    static const char *const options[] = {"--log-level", "warn", NULL};
    static const char *const names[WAYS] = {"SQLite alone, a row a commit", "SQLite alone, 8 rows a commit",
                                            "8 clients, a mesh each", "8 clients, one mesh", "1 client"};
    double rates[WAYS][ROUNDS], ratios[WAYS][ROUNDS], syncs[ROUNDS];
    char ids[CLIENTS][32], path[96];
    daemon_start(&d, options);
    for (int i = 0; i < CLIENTS; i++)
        create_cube(&d, ids[i]);
    snprintf(path, sizeof path, "%s/alone.db", d.dir);
    sqlite3 *db = open_alone(path);
    snprintf(path, sizeof path, "%s/sectors", d.dir);
    for (int r = 0; r < ROUNDS; r++) {
        rates[0][r] = alone(db, 1);
        rates[2][r] = edits(ids, CLIENTS, false);
        rates[3][r] = edits(ids, CLIENTS, true);
        rates[4][r] = edits(ids, 1, true);
        rates[1][r] = alone(db, CLIENTS);
        syncs[r] = sectors(path);
        for (int i = 0; i < WAYS; i++)
            ratios[i][r] = 100 * rates[i][r] / rates[0][r];
    }
    printf("durable changes a second in %s, medians of %d rounds of %g s; sectors of 512 bytes synced: %.0f a second\n",
           d.dir, ROUNDS, seconds, median(syncs, ROUNDS));
    for (int i = 0; i < WAYS; i++)
        printf("  %-30s  %7.0f a second, %4.0f %% of SQLite alone\n", names[i], median(rates[i], ROUNDS),
               median(ratios[i], ROUNDS));
    sqlite3_close(db);
    daemon_stop(&d);
    return 0;
}
