/* SPDX-License-Identifier: Apache-2.0 */
/* db.c: runs statements and transactions, and keeps room on the disk, for the other files of the store. */
#include "server/store/sqlite/db.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVE_BYTES (4 << 20)

static const char *const sql_text[] = {
#define STORE_SQL(name, text) text,
#include "server/store/sqlite/sql.def"
#undef STORE_SQL
};

int store_error(struct store *s, int rc, const char *what, struct sdd_error *err)
{
    const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
    switch (rc & 0xff) {
    case SQLITE_FULL:
        return sdd_fail(err, SDD_ESTORE_FULL, "store",
                        "the disk of the data directory is full; remove meshes, or make room");
    case SQLITE_NOMEM: return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory (%s)", what);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return sdd_fail(err, SDD_ESTORE, "data-dir",
                        "%s is in use: another process (a subdd?) has the data directory open; stop that one, or give "
                        "this one another --data-dir",
                        s->path);
    case SQLITE_NOTADB:
        return sdd_fail(err, SDD_ESTORE, "store", "%s is not a database; move it away, or give another --data-dir",
                        s->path);
    case SQLITE_CORRUPT:
        return sdd_fail(err, SDD_ESTORE, "store", "%s is damaged: %s (%s); restore it from a backup", s->path, why,
                        what);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be written: %s; subdd needs a --data-dir of its own",
                        s->path, why);
    case SQLITE_IOERR:
        if (rc == SQLITE_IOERR_NOMEM)
            return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory (%s)", what);
        s->failed = 1;
        break;
    default: break;
    }
    return sdd_fail(err, SDD_ESTORE, "store", "%s: %s (%d)", what, why, rc);
}

int store_name(const char *id, int rc, struct sdd_error *err)
{
    if (rc != SDD_ESTORE || !err || strstr(err->text, id))
        return rc;
    const struct sdd_error e = *err;
    return sdd_fail(err, rc, e.field, "mesh %s: %s", id, e.text);
}

int store_statement(struct store *s, enum store_sql sql, sqlite3_stmt **out, struct sdd_error *err)
{
    sqlite3_stmt **st = &s->statements[sql];
    *out = NULL;
    if (!*st) {
        int rc = sqlite3_prepare_v3(s->db, sql_text[sql], -1, SQLITE_PREPARE_PERSISTENT, st, NULL);
        if (rc)
            return store_error(s, rc, "prepare", err);
    }
    (void)sqlite3_reset(*st); /* It returns the error of the last run again, which was reported then. */
    (void)sqlite3_clear_bindings(*st);
    *out = *st;
    return SDD_OK;
}

int store_step(struct store *s, sqlite3_stmt *st, int bound, const char *what, struct sdd_error *err)
{
    int rc = bound ? bound : sqlite3_step(st);
    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        rc = store_error(s, rc, what, err);
    else
        rc = SDD_OK;
    (void)sqlite3_reset(st);
    return rc;
}

int store_run(struct store *s, enum store_sql sql, int64_t a, int64_t b, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, sql, &st, err), bound = 0, n;
    if (rc)
        return rc;
    n = sqlite3_bind_parameter_count(st);
    if (n > 0)
        bound |= sqlite3_bind_int64(st, 1, a);
    if (n > 1)
        bound |= sqlite3_bind_int64(st, 2, b);
    return store_step(s, st, bound, sql_text[sql], err);
}

static const struct store_change nobody = {.principal = "", .kind = ""};

int store_begin(struct store *s, struct sdd_error *err)
{
    int rc = s->loss.waits ? sdd_fail(err, SDD_ESTORE, "store", "%s", s->loss.text) : store_begin_recovery(s, err);
    if (rc)
        s->history.change = nobody; /* Its strings are borrowed for one change. */
    return rc;
}

int store_begin_recovery(struct store *s, struct sdd_error *err)
{
    if (s->failed)
        return sdd_fail(err, SDD_ESTORE, "store", "an earlier write failed; the store is read-only until a restart");
    s->history.version = 0;
    s->history.keeps = false;
    if (s->group.open)
        return store_part_begin(s, err);
    s->history.bytes_after = s->history.bytes;
    s->n_noted = s->group.n_before = 0;
    return store_run(s, STORE_BEGIN, 0, 0, err);
}

int store_end(struct store *s, int rc, struct sdd_error *err)
{
    for (int i = 0; i < STORE_N_SQL; i++)
        (void)sqlite3_reset(s->statements[i]);
    s->history.change = nobody;
    return s->group.open ? store_part_end(s, rc, err) : store_transaction_end(s, rc, err);
}

int store_transaction_end(struct store *s, int rc, struct sdd_error *err)
{
    if (!rc)
        rc = store_commit_record(s, err);
    if (!rc)
        rc = store_run(s, STORE_COMMIT, 0, 0, err);
    if (!rc)
        rc = store_commit_seal(s, err);
    if (!rc)
        s->history.bytes = s->history.bytes_after;
    if (rc && !sqlite3_get_autocommit(s->db) && store_run(s, STORE_ROLLBACK, 0, 0, NULL))
        s->failed = 1;
    return rc;
}

int store_sync_dir(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int rc = fsync(fd);
    (void)close(fd);
    return rc;
}

int store_checkpoint(struct store *s, struct sdd_error *err)
{
    int rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return rc ? store_error(s, rc, "move the log into the database", err) : SDD_OK;
}

/* A delete needs room before it makes some, because the pages that it changes go to the log first. */
int store_reserve_use(struct store *s)
{
    return unlink(s->reserve) == 0;
}

void store_reserve_keep(struct store *s)
{
    struct stat st;
    if (stat(s->reserve, &st) == 0)
        return;
    (void)!store_checkpoint(s, NULL);
    int fd = open(s->reserve, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (posix_fallocate(fd, 0, RESERVE_BYTES) != 0)
        (void)unlink(s->reserve);
    (void)close(fd);
}

int store_failed(const struct store *s)
{
    return s->failed;
}

void store_bytes(const struct store *s, int64_t *database, int64_t *log)
{
    char wal[4096];
    struct stat st;
    *database = stat(s->path, &st) == 0 ? st.st_size : 0;
    (void)snprintf(wal, sizeof wal, "%s-wal", s->path);
    *log = stat(wal, &st) == 0 ? st.st_size : 0;
}

int64_t store_applied(const struct store *s)
{
    return atomic_load(&s->n_applied);
}

int64_t store_meshes(const struct store *s)
{
    return s->n_meshes;
}
