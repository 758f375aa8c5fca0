/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: opens and closes the store's database, brings its schema up to date, and checks all of it on demand.
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
/* 2 added primvars, 3 the index of names, 4 what tells old pages and lost commits, 5 face sets and stages, 6 history,
 * 7 workspaces, 8 topology ids over chunks, 9 edits that are stored instead of the mesh that they make, 10 commits of
 * several changes, whose entries are longer, 11 kinds of edits in the history. */
#define SCHEMA_VERSION 11
#define SCHEMA_COMMITS 4 /* The first one that counts commits. */
#define SCHEMA_NEW_IDS 8
#define BUSY_MS 500

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
    "ALTER TABLE meshes ADD COLUMN stage BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE meshes ADD COLUMN sets BLOB NOT NULL DEFAULT x''",
    /* Each version that can be read, the present ones too; and the chunks that only earlier ones have. */
    "CREATE TABLE history (id TEXT NOT NULL, version INTEGER NOT NULL, topology INTEGER NOT NULL,"
    " next_vertex_id INTEGER NOT NULL, next_face_id INTEGER NOT NULL, sparse_ids INTEGER NOT NULL,"
    " vertices INTEGER NOT NULL, faces INTEGER NOT NULL, corners INTEGER NOT NULL, edges INTEGER NOT NULL,"
    " uvs INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, name TEXT NOT NULL,"
    " options BLOB NOT NULL, hash BLOB NOT NULL, primvars BLOB NOT NULL, digest BLOB NOT NULL, stage BLOB NOT NULL,"
    " sets BLOB NOT NULL, bytes INTEGER NOT NULL, ended INTEGER NOT NULL, principal TEXT NOT NULL, change TEXT NOT "
    "NULL,"
    " edits INTEGER NOT NULL, of INTEGER NOT NULL, PRIMARY KEY (id, version)) STRICT;"
    "CREATE INDEX history_topology ON history (topology);"
    "CREATE INDEX history_ended ON history (ended) WHERE ended > 0;"
    "CREATE TABLE old_chunks (owner INTEGER NOT NULL, kind INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " until INTEGER NOT NULL, hash BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (owner, kind, seq, until)) STRICT;"
    "INSERT INTO history SELECT id, version, topology, next_vertex_id, next_face_id, sparse_ids, vertices, faces,"
    " corners, edges, uvs, created, updated, name, options, hash, primvars, digest, stage, sets, 0, 0, '', '', 0, 0"
    " FROM meshes",
    "ALTER TABLE meshes ADD COLUMN workspace TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE history ADD COLUMN workspace TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX meshes_workspace ON meshes (workspace, id)",
    "CREATE TABLE old_rows (id TEXT PRIMARY KEY, version INTEGER NOT NULL, hash BLOB NOT NULL) STRICT, WITHOUT ROWID",
    /* In `meshes` and `history`, `base` is the version whose arrays are stored, and `since` says what of it and of the
     * edits since has to be known; then topology_id is that of the version itself. `content` stands for what it has
     * where an earlier version has the same. */
    "CREATE TABLE edits (owner INTEGER NOT NULL, version INTEGER NOT NULL, before INTEGER NOT NULL,"
    " next_vertex_id INTEGER NOT NULL, next_face_id INTEGER NOT NULL, kind INTEGER NOT "
    "NULL, hash BLOB NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY (owner, version)) STRICT, WITHOUT ROWID;"
    "ALTER TABLE meshes ADD COLUMN base INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE meshes ADD COLUMN since BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE meshes ADD COLUMN topology_id TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE meshes ADD COLUMN content BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE history ADD COLUMN base INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE history ADD COLUMN since BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE history ADD COLUMN topology_id TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE history ADD COLUMN content BLOB NOT NULL DEFAULT x'';"
    "UPDATE meshes SET base = version; UPDATE history SET base = version",
    "",
    "ALTER TABLE history ADD COLUMN kinds INTEGER NOT NULL DEFAULT 0",
};

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
    if (n < 0 || (size_t)n >= sizeof parent || store_sync_dir(parent) != 0)
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
    if (!rc) /* An older subdd may open what has this table, and leaves it alone. */
        rc = exec(
            s,
            "CREATE TABLE IF NOT EXISTS pins (id TEXT PRIMARY KEY REFERENCES meshes (id) ON DELETE CASCADE) STRICT,"
            " WITHOUT ROWID",
            err);
    if (!rc && version < SCHEMA_COMMITS)
        rc = store_commits_first(s, err);
    if (!rc && version < SCHEMA_NEW_IDS)
        rc = store_new_ids(s, err);
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
        "PRAGMA cell_size_check=ON; PRAGMA cache_size=-8192; PRAGMA journal_size_limit=67108864;"
        "PRAGMA temp_store=MEMORY", /* What a savepoint takes back must not need a folder. */
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
static int start(struct store *s, struct sdd_error *err)
{
    int rc = query(s, "SELECT count(*) FROM meshes", NULL, 0, &s->n_meshes, err);
    if (!rc)
        rc = query(s, "SELECT coalesce(sum(bytes), 0) FROM history WHERE ended > 0", NULL, 0, &s->history.bytes, err);
    if (!rc)
        rc = store_commits_open(s, err);
    if (!rc && store_sync_dir(s->dir) != 0)
        rc = sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be synced: %s", s->dir, strerror(errno));
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

static bool name_files(struct store *s, const char *dir)
{
    s->dir = strdup(dir);
    return s->dir && asprintf(&s->path, "%s/subdd.db", dir) > 0 && asprintf(&s->reserve, "%s/reserve", dir) > 0 &&
           asprintf(&s->commits_path, "%s/subdd.commits", dir) > 0;
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
    s->history.versions = 1;
    if (!name_files(s, dir)) {
        store_close(s);
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    }
    rc = open_db(s, err);
    if (!rc)
        rc = start(s, err);
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
    free(s->dir);
    free(s->path);
    free(s->reserve);
    free(s->commits_path);
    free(s);
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
    if (!rc)
        rc = store_edits_check(s, err);
    if (!rc)
        rc = store_records_check(s, err);
    return rc ? rc : store_past_check(s, err);
}
