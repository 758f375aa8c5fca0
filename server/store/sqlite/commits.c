/* SPDX-License-Identifier: Apache-2.0 */
/* commits.c: counts commits in a file beside the database, subdd.commits, so that damage to SQLite's log is noticed.
 *
 * SQLite ends its log at the first frame that does not match its checksum. It takes what is behind that for the rest of
 * a write that a crash cut short, so a flipped bit undoes all later commits, and the database looks sound. So every
 * commit that changes a mesh also is an entry in a file of its own, in this order:
 *
 *   1. The transaction writes its changes and, in the table `commits`, its entry: number, mesh, version, and a digest
 *      chained to the entry before.
 *   2. COMMIT: SQLite syncs its log.
 *   3. The same entry is written to the file, which returns when it is on the disk (O_DSYNC).
 *   4. The change is acknowledged.
 *
 * A crash before the sync of 2 leaves neither entry. A crash between 2 and 3 leaves the database one ahead, with a
 * change that nobody was promised; the next start writes the entry that is missing. A crash after 3 leaves both alike.
 * So a crash never leaves the database behind the file, and when it is behind, commits were lost that had been
 * acknowledged (of the last one, that it was about to be): there is no false alarm, and no loss is hidden. The other
 * order, or both at once, would save nothing but a part of one sync, and could not tell a last commit that the crash
 * stopped from one that was acknowledged and lost.
 *
 * The file has a header (the store that it belongs to, and the entry that it began with) and ENTRIES entries; that of
 * commit n lies in sector 1 + n % ENTRIES. A sector has one entry, so that a write which power cuts short can hurt only
 * the entry that nobody was told of, and the one ENTRIES before it. All sectors are written when the file is made, so
 * that an entry changes no metadata of the file system. The log is begun anew after some 1000 pages, and a commit takes
 * three at least, so the file has an entry for all that the log can lose.
 *
 * The file may be missing: then the database alone was restored, and counting begins anew. */
#include "server/store/sqlite/db.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define SECTOR 512
#define ENTRIES 1024
#define FILE_BYTES ((1 + ENTRIES) * (int64_t)SECTOR)
static const char magic[8] = {'s', 'u', 'b', 'd', 'd', 'c', '1', '\n'};

/* The first sector of the file. It is in files, so its layout must never change. */
struct header {
    char magic[8];
    int64_t store;
    struct store_commit base; /* The last commit when the file was made. */
    int64_t accepted, accepted_ms;
    unsigned char checksum[16]; /* Of all above. */
};
_Static_assert(sizeof(struct store_commit) == 88 && sizeof(struct header) <= SECTOR, "no padding");

static void hash(const void *data, size_t bytes, int64_t seed, unsigned char out[16])
{
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits_withSeed(data, bytes, (uint64_t)seed));
    memcpy(out, c.digest, sizeof c.digest);
}

/* ---- entries --------------------------------------------------------------------------------------------------- */
static void entry_close(struct store_commit *e, int64_t store, const struct store_commit *before)
{
    memcpy(e->chain, before->chain, sizeof e->chain);
    hash(e, offsetof(struct store_commit, checksum), 0, e->chain);
    hash(e, offsetof(struct store_commit, checksum), store, e->checksum);
}

static bool entry_is_good(const struct store_commit *e, int64_t store)
{
    unsigned char real[16];
    hash(e, offsetof(struct store_commit, checksum), store, real);
    return memcmp(real, e->checksum, sizeof real) == 0 && e->n >= 0 && memchr(e->id, 0, sizeof e->id);
}

static bool same_chain(const struct store_commit *a, const struct store_commit *b)
{
    return memcmp(a->chain, b->chain, sizeof a->chain) == 0;
}

/* Is b the commit after a? */
static bool follows(const struct store_commit *a, const struct store_commit *b)
{
    struct store_commit c = *b;
    entry_close(&c, 0, a);
    return b->n == a->n + 1 && same_chain(&c, b);
}

static int write_row(struct store *s, const struct store_commit *e, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_COMMIT_WRITE, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, s->number) | sqlite3_bind_blob(st, 2, e, sizeof *e, SQLITE_STATIC);
    rc = store_step(s, st, bound, "count a commit", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

int store_commits_first(struct store *s, struct sdd_error *err)
{
    static const struct store_commit none;
    struct store_commit e = {0};
    if (getrandom(&s->number, sizeof s->number, 0) != sizeof s->number)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    entry_close(&e, s->number, &none);
    return write_row(s, &e, err);
}

void store_commit_note(struct store *s, const char *id, int64_t version, const void *row)
{
    s->next = (struct store_commit){.n = s->last.n + 1, .version = version};
    (void)snprintf(s->next.id, sizeof s->next.id, "%s", id);
    if (row)
        memcpy(s->next.row, row, sizeof s->next.row);
}

int store_commit_record(struct store *s, struct sdd_error *err)
{
    if (!s->next.n)
        return SDD_OK;
    entry_close(&s->next, s->number, &s->last);
    return write_row(s, &s->next, err);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */
static int write_sector(int fd, int64_t sector, const void *data, size_t bytes)
{
    char buffer[SECTOR] = {0};
    memcpy(buffer, data, bytes);
    ssize_t n = pwrite(fd, buffer, SECTOR, sector * SECTOR);
    if (n >= 0 && n != SECTOR)
        errno = EIO;
    return n == SECTOR ? 0 : -1;
}

static int cannot(const struct store *s, const char *what, struct sdd_error *err)
{
    return sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be %s: %s; subdd needs to read and write it",
                    s->commits_path, what, strerror(errno));
}

int store_commit_seal(struct store *s, struct sdd_error *err)
{
    if (!s->next.n)
        return SDD_OK;
    s->last = s->next;
    if (write_sector(s->commits_fd, 1 + s->last.n % ENTRIES, &s->last, sizeof s->last) == 0)
        return SDD_OK;
    s->failed = 1;
    return cannot(s, "written", err);
}

void store_commits_close(struct store *s)
{
    if (s->commits_fd >= 0)
        (void)close(s->commits_fd);
    s->commits_fd = -1;
}

static int write_new(int fd, const struct header *h)
{
    static const char empty[SECTOR];
    int rc = write_sector(fd, 0, h, sizeof *h);
    for (int64_t i = 1; i <= ENTRIES && !rc; i++)
        rc = write_sector(fd, i, empty, 0);
    return rc ? rc : fsync(fd);
}

/* Makes the file anew, beginning after the last commit of the database, and puts it in the place of the old one. */
static int make_file(struct store *s, struct sdd_error *err)
{
    struct header h = {
        .store = s->number, .base = s->last, .accepted = s->loss.accepted, .accepted_ms = s->loss.accepted_ms};
    char *path;
    int rc = store_checkpoint(s, err); /* The log must not lose the number of the store. */
    if (rc)
        return rc;
    memcpy(h.magic, magic, sizeof magic);
    hash(&h, offsetof(struct header, checksum), 0, h.checksum);
    if (asprintf(&path, "%s.new", s->commits_path) < 0)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    store_commits_close(s);
    (void)unlink(path); /* A start that was stopped may have left it. */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    rc = fd < 0 || write_new(fd, &h) || rename(path, s->commits_path) ? cannot(s, "made", err) : SDD_OK;
    if (fd >= 0)
        (void)close(fd);
    free(path);
    if (rc)
        return rc;
    s->commits_fd = open(s->commits_path, O_RDWR | O_DSYNC | O_NOFOLLOW | O_CLOEXEC);
    return s->commits_fd < 0 ? cannot(s, "opened", err) : SDD_OK;
}

/* ---- start: what was lost? --------------------------------------------------------------------------------------- */

/* The file as it was read. */
struct image {
    const struct header *header;
    const char *bytes;
    struct store_commit last;
};

/* The entry of commit n, or NULL when it is not there. */
static const struct store_commit *entry(const struct image *f, int64_t n)
{
    const void *at = f->bytes + (1 + n % ENTRIES) * SECTOR;
    const struct store_commit *e = n == f->header->base.n ? &f->header->base : at;
    return e->n == n && entry_is_good(e, f->header->store) ? e : NULL;
}

static void wait_for_word(struct store *s, const char *what)
{
    s->loss.waits = true;
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "%s; restore a backup of the data directory, or start once with --accept-data-loss", what);
}

/* Lists the commits after the database's last one that it does not have. Returns how many meshes lack one. */
static int64_t list_lost(struct store *s, const struct image *f, struct sdd_error *err)
{
    struct store_loss *loss = &s->loss;
    struct store_record r;
    int64_t n_lost = 0, first = f->last.n - ENTRIES > s->last.n ? f->last.n - ENTRIES : s->last.n;
    for (int64_t n = first + 1; n <= f->last.n; n++) {
        const struct store_commit *e = entry(f, n);
        bool is_last = true;
        for (int64_t later = n + 1; e && later <= f->last.n && is_last; later++)
            is_last = !entry(f, later) || strcmp(entry(f, later)->id, e->id) != 0;
        if (!e || !is_last || !*e->id)
            continue;
        int rc = store_record_find(s, e->id, &r, err);
        int64_t found = rc == SDD_OK ? r.info.version : rc == SDD_ENOT_FOUND ? 0 : -1;
        if (found == e->version && (!found || memcmp(r.hash, e->row, sizeof r.hash) == 0))
            continue;
        n_lost++;
        if (loss->n_listed < STORE_LOST_LISTED) {
            struct store_lost *l = &loss->listed[loss->n_listed++];
            *l = (struct store_lost){.version = e->version, .found = found};
            memcpy(l->id, e->id, sizeof l->id);
        }
    }
    return n_lost;
}

static int behind(struct store *s, const struct image *f, struct sdd_error *err)
{
    struct store_loss *loss = &s->loss;
    char what[160];
    bool all_known = true;
    for (int64_t n = s->last.n + 1; n <= f->last.n && all_known; n++)
        all_known = entry(f, n) != NULL;
    if (!list_lost(s, f, err) && all_known) { /* The page of the count alone is old. */
        (void)snprintf(loss->text, sizeof loss->text,
                       "subdd.db had an old count of commits, and all that were counted");
        s->last = f->last;
        int rc = store_begin_recovery(s, err);
        return rc ? rc : store_end(s, write_row(s, &s->last, err), err);
    }
    loss->n = f->last.n - s->last.n;
    (void)snprintf(what, sizeof what, "%lld acknowledged changes were lost%s%s%s", (long long)loss->n,
                   loss->n_listed ? ", the first of mesh " : "", loss->n_listed ? loss->listed[0].id : "",
                   loss->n_listed > 1 ? " and of others" : "");
    wait_for_word(s, what);
    return SDD_OK;
}

static int ahead(struct store *s, const struct image *f, struct sdd_error *err)
{
    if (follows(&f->last, &s->last)) /* A crash between steps 2 and 3. */
        return write_sector(s->commits_fd, 1 + s->last.n % ENTRIES, &s->last, sizeof s->last)
                   ? cannot(s, "written", err)
                   : SDD_OK;
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "subdd.commits is older than subdd.db (commit %lld of %lld) and was made anew: what was lost before "
                   "this start cannot be told",
                   (long long)f->last.n, (long long)s->last.n);
    return make_file(s, err);
}

static int compare(struct store *s, struct image *f, struct sdd_error *err)
{
    f->last = f->header->base;
    for (int64_t i = 0; i < ENTRIES; i++) {
        const struct store_commit *e = (const void *)(f->bytes + (1 + i) * SECTOR);
        if (e->n > f->last.n && entry(f, e->n) == e)
            f->last = *e;
    }
    const struct store_commit *same = entry(f, s->last.n);
    if (same && !same_chain(same, &s->last)) {
        wait_for_word(s, "subdd.db and subdd.commits come from different histories of one store");
        return SDD_OK;
    }
    if (f->last.n > s->last.n)
        return behind(s, f, err);
    return f->last.n < s->last.n ? ahead(s, f, err) : SDD_OK;
}

static int check_file(struct store *s, const char *bytes, bool is_whole, struct sdd_error *err)
{
    const struct header *h = (const void *)bytes;
    struct image f = {h, bytes, {0}};
    unsigned char real[16];
    hash(h, offsetof(struct header, checksum), 0, real);
    if (!is_whole || memcmp(h->magic, magic, sizeof magic) != 0 || memcmp(real, h->checksum, sizeof real) != 0 ||
        !entry_is_good(&h->base, h->store)) {
        wait_for_word(s, "subdd.commits is damaged, so it cannot be told whether acknowledged changes were lost");
        return SDD_OK;
    }
    if (s->number && h->store != s->number)
        return sdd_fail(err, SDD_ESTORE, "data-dir",
                        "%s belongs to another store than subdd.db; put the one of this store there, or remove it",
                        s->commits_path);
    s->loss.accepted = h->accepted;
    s->loss.accepted_ms = h->accepted_ms;
    if (s->number)
        return compare(s, &f, err);
    s->number = h->store;
    wait_for_word(s, "subdd.db has lost its count of commits, so it cannot be told what else was lost");
    return SDD_OK;
}

/* Reads the last commit of the database. Its number stays 0 when the row is damaged. */
static int read_row(struct store *s, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = sqlite3_prepare_v2(s->db, "SELECT store, entry FROM commits", -1, &st, NULL);
    if (rc)
        return store_error(s, rc, "prepare", err);
    rc = store_step(s, st, 0, "read the count of commits", err);
    const void *e = rc == 1 ? sqlite3_column_blob(st, 1) : NULL;
    if (e && sqlite3_column_bytes(st, 1) == (int)sizeof s->last) {
        memcpy(&s->last, e, sizeof s->last);
        s->number = sqlite3_column_int64(st, 0);
    }
    if (!entry_is_good(&s->last, s->number)) {
        s->last = (struct store_commit){0};
        s->number = 0;
    }
    (void)sqlite3_finalize(st);
    return rc < 0 ? rc : SDD_OK;
}

int store_commits_open(struct store *s, struct sdd_error *err)
{
    struct stat st;
    int rc = read_row(s, err);
    if (rc)
        return rc;
    s->commits_fd = open(s->commits_path, O_RDWR | O_DSYNC | O_NOFOLLOW | O_CLOEXEC);
    if (s->commits_fd < 0 && errno != ENOENT)
        return cannot(s, "opened", err);
    if (s->commits_fd < 0 && !s->number) {
        wait_for_word(s, "subdd.db has lost its count of commits, and there is no subdd.commits");
        return SDD_OK;
    }
    if (s->commits_fd < 0) {
        if (s->last.n)
            (void)snprintf(
                s->loss.text, sizeof s->loss.text,
                "there was no subdd.commits beside subdd.db, as after a restore of subdd.db alone: it was made "
                "anew, and what was lost before this start cannot be told");
        return make_file(s, err);
    }
    char *bytes = calloc(1, (size_t)FILE_BYTES);
    if (!bytes)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    ssize_t n = fstat(s->commits_fd, &st) ? -1 : pread(s->commits_fd, bytes, (size_t)FILE_BYTES, 0);
    rc = n < 0 ? cannot(s, "read", err) : check_file(s, bytes, n == FILE_BYTES && st.st_size == FILE_BYTES, err);
    free(bytes);
    return rc;
}

const struct store_loss *store_loss(const struct store *s)
{
    return &s->loss;
}

/* Both counts go on from the larger number, with a new chain. A crash in between leaves two histories, so that the next
 * start waits again. */
int store_commits_accept(struct store *s, int64_t now_ms, struct sdd_error *err)
{
    struct store_commit e = {.n = s->last.n + s->loss.n + 1, .version = now_ms};
    if (!s->number && getrandom(&s->number, sizeof s->number, 0) != sizeof s->number)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    int rc = store_begin_recovery(s, err);
    if (rc)
        return rc;
    entry_close(&e, s->number, &s->last);
    rc = store_end(s, write_row(s, &e, err), err);
    if (rc)
        return rc;
    s->last = e;
    s->loss.accepted += s->loss.n;
    s->loss.accepted_ms = now_ms;
    rc = make_file(s, err);
    s->loss.waits = rc != SDD_OK;
    return rc;
}
