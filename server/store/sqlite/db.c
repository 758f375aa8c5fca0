/* SPDX-License-Identifier: Apache-2.0 */
/* db.c: opens the store's database and its schema, and runs statements and transactions for the other files of the
 * store.
 *
 * Only one connection writes and checkpoints. Exclusive locking keeps other processes out and needs no shared-memory
 * file. With one connection the WAL-reset race of SQLite before 3.51.3 cannot happen. */
#include "server/store/sqlite/db.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x73756264 /* The letters "subd". */
#define SCHEMA_VERSION 4          /* 2 added primvars, 3 the index of names, 4 what tells old pages and lost commits. */
#define BUSY_MS 500
#define RESERVE_BYTES (4 << 20)

static const char *const sql_text[] = {
#define STORE_SQL(name, text) text,
#include "server/store/sqlite/sql.def"
#undef STORE_SQL
};

static const char schema[] =
    "CREATE TABLE topologies (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL) STRICT;"
    "CREATE TABLE meshes (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, version INTEGER NOT "
    "NULL,"
    " topology INTEGER NOT NULL REFERENCES topologies (key), next_vertex_id INTEGER NOT NULL,"
    " next_face_id INTEGER NOT NULL, sparse_ids INTEGER NOT NULL, options BLOB NOT NULL, vertices INTEGER NOT NULL,"
    " faces INTEGER NOT NULL, corners INTEGER NOT NULL, edges INTEGER NOT NULL, uvs INTEGER NOT NULL,"
    " created INTEGER NOT NULL, updated INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;"
    "CREATE INDEX meshes_topology ON meshes (topology);"
    "CREATE TABLE chunks (owner INTEGER NOT NULL, kind INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY (owner, kind, seq)) STRICT;"
    "CREATE TABLE answers (principal TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, status INTEGER NOT NULL,"
    " media_type TEXT NOT NULL, location TEXT NOT NULL, etag TEXT NOT NULL, body BLOB NOT NULL, created INTEGER NOT "
    "NULL,"
    " PRIMARY KEY (principal, key)) STRICT;"
    "CREATE INDEX answers_created ON answers (created);";

/* The change that leads to each version; a new file takes all of them. */
static const char *const upgrades[SCHEMA_VERSION] = {
    schema,
    "ALTER TABLE meshes ADD COLUMN primvars BLOB NOT NULL DEFAULT x''",
    "CREATE INDEX meshes_name ON meshes (name, id)",
    /* A mesh gets its digest, and an answer its checksum, when it is written next. */
    "ALTER TABLE meshes ADD COLUMN digest BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE answers ADD COLUMN hash INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE versions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, hash BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "INSERT INTO versions SELECT id, version, hash FROM meshes;"
    "CREATE TABLE commits (key INTEGER PRIMARY KEY, store INTEGER NOT NULL, entry BLOB NOT NULL) STRICT",
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

int store_begin(struct store *s, struct sdd_error *err)
{
    if (s->loss.waits)
        return sdd_fail(err, SDD_ESTORE, "store", "%s", s->loss.text);
    return store_begin_recovery(s, err);
}

int store_begin_recovery(struct store *s, struct sdd_error *err)
{
    if (s->failed)
        return sdd_fail(err, SDD_ESTORE, "store", "an earlier write failed; the store is read-only until a restart");
    return store_run(s, STORE_BEGIN, 0, 0, err);
}

int store_end(struct store *s, int rc, struct sdd_error *err)
{
    for (int i = 0; i < STORE_N_SQL; i++)
        (void)sqlite3_reset(s->statements[i]);
    if (!rc)
        rc = store_commit_record(s, err);
    if (!rc)
        rc = store_run(s, STORE_COMMIT, 0, 0, err);
    if (!rc)
        rc = store_commit_seal(s, err);
    s->next.n = 0;
    if (rc && !sqlite3_get_autocommit(s->db) && store_run(s, STORE_ROLLBACK, 0, 0, NULL))
        s->failed = 1;
    return rc;
}

/* ---- open and close ---- */
static int sync_dir(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int rc = fsync(fd);
    (void)close(fd);
    return rc;
}

/* Makes the folder if it does not exist, and syncs its parent so that its name survives a crash. */
static int make_dir(const char *dir, struct sdd_error *err)
{
    char parent[4096];
    struct stat st;
    if (!*dir)
        return sdd_fail(err, SDD_ESTORE, "data-dir", "--data-dir is empty; name a directory");
    if (mkdir(dir, 0700) != 0) {
        if (errno != EEXIST)
            return sdd_fail(err, SDD_ESTORE, "data-dir", "the data directory %s cannot be made: %s", dir,
                            strerror(errno));
        if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
            return sdd_fail(err, SDD_ESTORE, "data-dir", "the data directory %s is not a directory", dir);
        if (access(dir, R_OK | W_OK | X_OK) != 0)
            return sdd_fail(err, SDD_ESTORE, "data-dir", "the data directory %s cannot be written: %s", dir,
                            strerror(errno));
        return SDD_OK;
    }
    int n = snprintf(parent, sizeof parent, "%s/..", dir);
    if (n < 0 || (size_t)n >= sizeof parent || sync_dir(parent) != 0)
        return sdd_fail(err, SDD_ESTORE, "data-dir", "%s: its parent cannot be synced: %s", dir, strerror(errno));
    return SDD_OK;
}

static int exec(struct store *s, const char *sql, struct sdd_error *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc ? store_error(s, rc, sql, err) : SDD_OK;
}

/* Reads the first value of a query, as a number into *number and as text into out[n]; either may be NULL. Without a row
 * they are 0 and "". */
static int query(struct store *s, const char *sql, char *out, size_t n, int64_t *number, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
    if (rc)
        return store_error(s, rc, sql, err);
    int row = store_step(s, st, 0, sql, err);
    if (number)
        *number = row == 1 ? sqlite3_column_int64(st, 0) : 0;
    rc = row < 0 ? row : SDD_OK;
    if (out)
        out[0] = 0;
    if (out && row == 1) {
        const char *text = (const char *)sqlite3_column_text(st, 0);
        (void)snprintf(out, n, "%s", text ? text : "");
        if (!text)
            rc = store_error(s, SQLITE_NOMEM, sql, err);
    }
    (void)sqlite3_finalize(st);
    return rc;
}

static int check_schema(struct store *s, struct sdd_error *err)
{
    int64_t application = 0, version = 0, tables = 0;
    char set[64];
    int rc = query(s, "PRAGMA application_id", NULL, 0, &application, err);
    if (!rc)
        rc = query(s, "PRAGMA user_version", NULL, 0, &version, err);
    if (!rc)
        rc = query(s, "SELECT count(*) FROM sqlite_schema", NULL, 0, &tables, err);
    if (rc)
        return rc;
    if (application != APPLICATION_ID && (application || version || tables))
        return sdd_fail(err, SDD_ESTORE, "store", "subdd.db belongs to another program (application id %lld)",
                        (long long)application);
    if (version < 0 || version > SCHEMA_VERSION || (version == 0 && tables))
        return sdd_fail(err, SDD_ESTORE, "store", "subdd.db has schema %lld, this subdd knows %d", (long long)version,
                        SCHEMA_VERSION);
    for (int64_t v = version; v < SCHEMA_VERSION && !rc; v++)
        rc = exec(s, upgrades[v], err);
    if (!rc && version < SCHEMA_VERSION)
        rc = store_commits_first(s, err);
    (void)snprintf(set, sizeof set, "PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID, SCHEMA_VERSION);
    return rc || version == SCHEMA_VERSION ? rc : exec(s, set, err);
}

/* Makes a file that only its owner can read; SQLite gives the log the same mode. It does not touch an existing file:
 * closing a descriptor of that would drop the locks that this process may have on it. */
static void make_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
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

static int open_db(struct store *s, struct sdd_error *err)
{
    char mode[16];
    sqlite3_stmt *st;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    make_file(s->path);
    int rc = sqlite3_open_v2(s->path, &s->db, flags, NULL);
    if (rc)
        return store_error(s, rc, "open", err);
    (void)sqlite3_busy_timeout(s->db, BUSY_MS);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    rc = exec(
        s,
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA secure_delete=FAST; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
        "PRAGMA cell_size_check=ON; PRAGMA cache_size=-8192; PRAGMA journal_size_limit=67108864",
        err);
    if (!rc)
        rc = query(s, "PRAGMA journal_mode=WAL", mode, sizeof mode, NULL, err);
    if (!rc && strcmp(mode, "wal") != 0)
        rc = sdd_fail(err, SDD_ESTORE, "store", "the file system does not let SQLite keep a write-ahead log");
    for (enum store_sql i = STORE_BEGIN; i <= STORE_ROLLBACK && !rc; i++) /* A rollback must not need memory. */
        rc = store_statement(s, i, &st, err);
    if (!rc)
        rc = store_begin(s, err);
    if (!rc)
        rc = store_end(s, check_schema(s, err), err);
    return rc;
}

/* An index that has lost a page hides rows. It can be made again of its table, whose rows are checked one by one. */
static int check_indexes(struct store *s, struct sdd_error *err)
{
    char text[160];
    int rc = query(s, "PRAGMA integrity_check('meshes')", text, sizeof text, NULL, err);
    if (rc || strcmp(text, "ok") == 0)
        return rc;
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "an index of subdd.db was damaged (%s) and was made anew; look after the disk", text);
    rc = exec(s, "REINDEX meshes", err);
    return s->failed || rc == SDD_ENO_MEMORY ? rc : SDD_OK;
}

/* What is done at start with a database that is open. */
static int start(struct store *s, const char *dir, struct sdd_error *err)
{
    int rc = query(s, "SELECT count(*) FROM meshes", NULL, 0, &s->n_meshes, err);
    if (!rc)
        rc = store_commits_open(s, err);
    if (!rc && sync_dir(dir) != 0)
        rc = sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be synced: %s", dir, strerror(errno));
    if (rc || s->loss.waits) /* The files stay as they are until somebody has looked at them. */
        return rc;
    store_reserve_keep(s);
    return check_indexes(s, err);
}

int store_accept_loss(struct store *s, int64_t now_ms, struct sdd_error *err)
{
    int rc = s->loss.waits ? store_commits_accept(s, now_ms, err) : SDD_OK;
    return rc ? rc : check_indexes(s, err);
}

int store_open(const char *dir, struct store **out, struct sdd_error *err)
{
    *out = NULL;
    int rc = make_dir(dir, err);
    if (rc)
        return rc;
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    s->commits_fd = -1;
    if (asprintf(&s->path, "%s/subdd.db", dir) < 0 || asprintf(&s->reserve, "%s/reserve", dir) < 0 ||
        asprintf(&s->commits_path, "%s/subdd.commits", dir) < 0)
        rc = sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    if (!rc)
        rc = open_db(s, err);
    if (!rc)
        rc = start(s, dir, err);
    if (rc) {
        store_close(s);
        return rc;
    }
    *out = s;
    return SDD_OK;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    for (int i = 0; i < STORE_N_SQL; i++)
        (void)sqlite3_finalize(s->statements[i]);
    store_commits_close(s);
    if (s->failed || s->loss.waits) /* The next start recovers from the log what a failed sync left. */
        (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_close(s->db);
    free(s->path);
    free(s->reserve);
    free(s->commits_path);
    free(s);
}

int store_failed(const struct store *s)
{
    return s->failed;
}

int64_t store_bytes(const struct store *s)
{
    char wal[4096];
    struct stat st;
    int64_t total = stat(s->path, &st) == 0 ? st.st_size : 0;
    (void)snprintf(wal, sizeof wal, "%s-wal", s->path);
    return total + (stat(wal, &st) == 0 ? st.st_size : 0);
}

int64_t store_meshes(const struct store *s)
{
    return s->n_meshes;
}

int store_check(struct store *s, struct sdd_error *err)
{
    char text[160] = "";
    int rc = query(s, "PRAGMA integrity_check(1)", text, sizeof text, NULL, err);
    if (!rc && strcmp(text, "ok") != 0)
        rc = sdd_fail(err, SDD_ESTORE, "store", "subdd.db is damaged: %s", text);
    if (!rc)
        rc = query(s, "PRAGMA foreign_key_check", text, sizeof text, NULL, err);
    if (!rc && text[0])
        rc = sdd_fail(err, SDD_ESTORE, "store", "subdd.db is damaged: a row of %s has lost its parent", text);
    if (!rc)
        rc = store_chunks_check(s, err);
    return rc ? rc : store_records_check(s, err);
}
