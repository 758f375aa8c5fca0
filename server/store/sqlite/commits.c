/* SPDX-License-Identifier: Apache-2.0 */
/* commits.c: counts commits in a file beside the database, subdd.commits, so that damage to SQLite's log is noticed.
 *
 * SQLite ends its log at the first frame that does not match its checksum. It takes what is behind that for the rest of
 * a write that a crash cut short, so a flipped bit undoes all later commits, and the database looks sound. So every
 * commit that changes a mesh also is an entry in a file of its own, in this order:
 *
 *   1. The transaction writes its changes and, in the table `commits`, its entry: number, mesh, version, and a digest
 *      chained to the entry before. Of changes that are made together (together.c) the entry has them all.
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
 * The file has a header (the store that it belongs to, and the commit that it began with) and 1024 entries, each in a
 * sector of its own; the number of a commit says which. So a write that power cuts short can hurt only the entry that
 * nobody was told of, and the one 1024 commits before it. All sectors are written when the file is made, so that an
 * entry changes no metadata of the file system. SQLite begins its log anew after some 1000 pages, and a commit takes
 * three at least, so the file has an entry for every commit that the log can lose.
 *
 * The file may be missing: then the database alone was restored, and counting begins anew. */
#include "server/store/sqlite/commits.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

_Static_assert(sizeof(struct store_commit) == 88 && sizeof(struct store_commits_header) <= STORE_SECTOR, "no padding");
_Static_assert(sizeof(struct store_entry) == 112 + 48 * (STORE_TOGETHER - 1), "no padding");
_Static_assert(sizeof(struct store_entry) <= STORE_SECTOR, "one write that is not cut short");

void store_commit_hash(const void *data, size_t bytes, int64_t seed, unsigned char out[16])
{
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits_withSeed(data, bytes, (uint64_t)seed));
    memcpy(out, c.digest, sizeof c.digest);
}

/* ---- entries --------------------------------------------------------------------------------------------------- */
/* Of what is more than one change, and of the commit's number, so that it is of no other one; zeros where there is
 * none. */
static void hash_more(const struct store_entry *e, int64_t store, unsigned char out[16])
{
    const size_t bytes = offsetof(struct store_entry, more_checksum) - offsetof(struct store_entry, n_more);
    memset(out, 0, 16);
    if (e->n_more)
        store_commit_hash(&e->n_more, bytes, store ^ e->commit.n, out);
}

void store_commit_close(struct store_entry *e, int64_t store, const struct store_commit *before)
{
    struct store_commit *c = &e->commit;
    hash_more(e, store, e->more_checksum);
    memcpy(c->chain, before->chain, sizeof c->chain);
    const int64_t more = e->n_more ? (int64_t)XXH3_64bits(e->more_checksum, sizeof e->more_checksum) : 0;
    store_commit_hash(c, offsetof(struct store_commit, checksum), more, c->chain);
    store_commit_hash(c, offsetof(struct store_commit, checksum), store, c->checksum);
}

bool store_commit_is_good(const struct store_commit *c, int64_t store)
{
    unsigned char real[16];
    store_commit_hash(c, offsetof(struct store_commit, checksum), store, real);
    return memcmp(real, c->checksum, sizeof real) == 0 && c->n >= 0 && memchr(c->first.id, 0, sizeof c->first.id);
}

bool store_entry_is_good(const struct store_entry *e, int64_t store)
{
    unsigned char real[16];
    bool good = store_commit_is_good(&e->commit, store) && e->n_more >= 0 && e->n_more < STORE_TOGETHER;
    for (int64_t k = 0; good && k < e->n_more; k++)
        good = memchr(e->more[k].id, 0, sizeof e->more[k].id);
    hash_more(e, store, real);
    return good && memcmp(real, e->more_checksum, sizeof real) == 0;
}

/* Where there is one change, what is more than that is not stored. */
int store_commit_write_row(struct store *s, const struct store_entry *e, struct sdd_error *err)
{
    const int bytes = (int)(e->n_more ? sizeof *e : sizeof e->commit);
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_COMMIT_WRITE, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, s->number) | sqlite3_bind_blob(st, 2, e, bytes, SQLITE_STATIC);
    rc = store_step(s, st, bound, "count a commit", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

int store_commits_first(struct store *s, struct sdd_error *err)
{
    static const struct store_commit none;
    struct store_entry e = {0};
    if (getrandom(&s->number, sizeof s->number, 0) != sizeof s->number)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    store_commit_close(&e, s->number, &none);
    return store_commit_write_row(s, &e, err);
}

int store_commit_note(struct store *s, const char *id, int64_t version, const void *row, struct sdd_error *err)
{
    if (s->group.n_before == STORE_TOGETHER)
        return sdd_fail(err, SDD_EINTERNAL, "store", "one commit takes %d changes", STORE_TOGETHER);
    s->n_noted = s->group.n_before + 1; /* A change may write the row of its mesh twice. */
    struct store_changed *c = s->n_noted == 1 ? &s->next.commit.first : &s->next.more[s->n_noted - 2];
    *c = (struct store_changed){.version = version};
    (void)snprintf(c->id, sizeof c->id, "%s", id);
    if (row)
        memcpy(c->row, row, sizeof c->row);
    return SDD_OK;
}

int store_commit_record(struct store *s, struct sdd_error *err)
{
    struct store_entry *e = &s->next;
    if (!s->n_noted)
        return SDD_OK;
    e->commit.n = s->last.commit.n + 1;
    e->n_more = s->n_noted - 1;
    memset(e->more + e->n_more, 0, sizeof e->more - (size_t)e->n_more * sizeof *e->more);
    store_commit_close(e, s->number, &s->last.commit);
    return store_commit_write_row(s, &s->next, err);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */
static int write_sector(int fd, int64_t sector, const void *data, size_t bytes)
{
    char buffer[STORE_SECTOR] = {0};
    memcpy(buffer, data, bytes);
    ssize_t n = pwrite(fd, buffer, STORE_SECTOR, sector * STORE_SECTOR);
    if (n >= 0 && n != STORE_SECTOR)
        errno = EIO;
    return n == STORE_SECTOR ? 0 : -1;
}

int store_commits_cannot(const struct store *s, const char *what, struct sdd_error *err)
{
    return sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be %s: %s; subdd needs to read and write it",
                    s->commits_path, what, strerror(errno));
}

int store_commit_write_entry(struct store *s, struct sdd_error *err)
{
    if (write_sector(s->commits_fd, 1 + s->last.commit.n % STORE_ENTRIES, &s->last, sizeof s->last) == 0)
        return SDD_OK;
    s->failed = 1;
    return store_commits_cannot(s, "written", err);
}

int store_commit_seal(struct store *s, struct sdd_error *err)
{
    if (!s->n_noted)
        return SDD_OK;
    s->last = s->next;
    return store_commit_write_entry(s, err);
}

void store_commits_close(struct store *s)
{
    if (s->commits_fd >= 0)
        (void)close(s->commits_fd);
    s->commits_fd = -1;
}

static int write_new(int fd, const struct store_commits_header *h, const struct store_entry *last)
{
    int rc = write_sector(fd, 0, h, sizeof *h);
    for (int64_t i = 0; i < STORE_ENTRIES && !rc; i++)
        rc = write_sector(fd, 1 + i, last, i == last->commit.n % STORE_ENTRIES ? sizeof *last : 0);
    return rc ? rc : fsync(fd);
}

int store_commits_make(struct store *s, struct sdd_error *err)
{
    struct store_commits_header h = {
        .store = s->number, .base = s->last.commit, .accepted = s->loss.accepted, .accepted_ms = s->loss.accepted_ms};
    char *path;
    int rc = store_checkpoint(s, err); /* The log must not lose the number of the store. */
    if (rc)
        return rc;
    memcpy(h.magic, STORE_COMMITS_MAGIC, sizeof h.magic);
    store_commit_hash(&h, offsetof(struct store_commits_header, checksum), 0, h.checksum);
    if (asprintf(&path, "%s.new", s->commits_path) < 0)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    store_commits_close(s);
    (void)unlink(path); /* A start that was stopped may have left it. */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    rc = fd < 0 || write_new(fd, &h, &s->last) || rename(path, s->commits_path) ? store_commits_cannot(s, "made", err)
                                                                                : SDD_OK;
    if (fd >= 0)
        (void)close(fd);
    free(path);
    if (!rc && store_sync_dir(s->dir) != 0)
        rc = store_commits_cannot(s, "synced", err);
    if (rc)
        return rc;
    s->commits_fd = open(s->commits_path, O_RDWR | O_DSYNC | O_NOFOLLOW | O_CLOEXEC);
    return s->commits_fd < 0 ? store_commits_cannot(s, "opened", err) : SDD_OK;
}
