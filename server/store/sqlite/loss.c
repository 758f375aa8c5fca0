/* SPDX-License-Identifier: Apache-2.0 */
/* loss.c: finds out at start which commits the database has lost, by the file that counts them (commits.c), and lets
 * the store go on when somebody has accepted that. */
#include "server/store/sqlite/commits.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES ((1 + STORE_ENTRIES) * (int64_t)STORE_SECTOR)

static bool same_chain(const struct store_commit *a, const struct store_commit *b)
{
    return memcmp(a->chain, b->chain, sizeof a->chain) == 0;
}

/* Is b the commit after a? */
static bool follows(const struct store_commit *a, const struct store_entry *b, int64_t store)
{
    struct store_entry c = *b;
    store_commit_close(&c, store, a);
    return b->commit.n == a->n + 1 && same_chain(&c.commit, &b->commit);
}

/* The file as it was read. */
struct image {
    const struct store_commits_header *header;
    const char *bytes;
    bool is_good[STORE_ENTRIES];   /* Whether a sector has an entry. */
    struct store_entry base, last; /* The header has of its commit all but what is more than one change. */
};

static const struct store_entry *sector(const struct image *f, int64_t i)
{
    return (const void *)(f->bytes + (1 + i) * STORE_SECTOR);
}

/* The entry of commit n, or NULL when it is not there. */
static const struct store_entry *entry(const struct image *f, int64_t n)
{
    const struct store_entry *e = sector(f, n % STORE_ENTRIES);
    return f->is_good[n % STORE_ENTRIES] && e->commit.n == n ? e : n == f->base.commit.n ? &f->base : NULL;
}

static void wait_for_word(struct store *s, const char *what)
{
    s->loss.waits = true;
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "%s; restore a backup of the data directory, or start once with --accept-data-loss", what);
}

/* Is change k of commit n the last one of its mesh? One that is damaged may be of this mesh. */
static bool is_last(const struct image *f, int64_t n, int64_t k)
{
    const struct store_entry *e = entry(f, n);
    const char *id = store_entry_change(e, k)->id;
    for (k++; e;) {
        const struct store_changed *later = store_entry_change(e, k++);
        if (later && memcmp(later->id, id, sizeof later->id) == 0)
            return false;
        if (later)
            continue;
        if (++n > f->last.commit.n)
            return true;
        e = entry(f, n);
        k = 0;
    }
    return false;
}

/* Is the mesh as this last change of it has left it? `levels` says that the database has all commits: of a single
 * damaged mesh its reader is told.
 * Result  1 or 0, with what was found; or SDD_ENO_MEMORY: any other error is damage, which has taken something */
static int is_as_left(struct store *s, const struct store_changed *c, bool levels, int64_t *found,
                      struct sdd_error *err)
{
    struct store_record r;
    int rc = store_record_find(s, c->id, &r, err);
    *found = rc == SDD_OK ? r.info.version : rc == SDD_ENOT_FOUND ? 0 : -1;
    if (*found == c->version && (!*found || memcmp(r.hash, c->row, sizeof r.hash) == 0))
        return 1;
    if (*found == c->version && (rc = store_had_row(s, c, err)) == 1)
        return 1;
    return rc == SDD_ENO_MEMORY ? rc : *found < 0 && levels;
}

/* Lists the meshes that are not as the last of their commits after number `after` has left them.
 * Result  how many, or SDD_ENO_MEMORY */
static int64_t list_lost(struct store *s, const struct image *f, int64_t after, struct sdd_error *err)
{
    struct store_loss *loss = &s->loss;
    const int64_t last = f->last.commit.n, first = last - STORE_ENTRIES > after ? last - STORE_ENTRIES : after;
    int64_t n_lost = 0, found;
    for (int64_t n = first + 1; n <= last; n++) {
        const struct store_entry *e = entry(f, n);
        const struct store_changed *c;
        for (int64_t k = 0; e && (c = store_entry_change(e, k)); k++) {
            if (!*c->id || !is_last(f, n, k))
                continue;
            const int rc = is_as_left(s, c, last == s->last.commit.n, &found, err);
            if (rc < 0)
                return rc;
            n_lost += !rc;
            if (!rc && loss->n_listed < STORE_LOST_LISTED) {
                struct store_lost *l = &loss->listed[loss->n_listed++];
                *l = (struct store_lost){.version = c->version, .found = found};
                memcpy(l->id, c->id, sizeof l->id);
            }
        }
    }
    return n_lost;
}

static int behind(struct store *s, const struct image *f, struct sdd_error *err)
{
    struct store_loss *loss = &s->loss;
    char what[160];
    bool all_known = true;
    int64_t n_changes = 0;
    for (int64_t n = s->last.commit.n + 1; n <= f->last.commit.n; n++) {
        const struct store_entry *e = entry(f, n);
        all_known = all_known && e;
        n_changes += e ? 1 + e->n_more : 1;
    }
    const int64_t n_lost = list_lost(s, f, s->last.commit.n, err);
    if (n_lost < 0)
        return (int)n_lost;
    if (!n_lost && all_known) { /* The page of the count alone is old. */
        (void)snprintf(loss->text, sizeof loss->text,
                       "subdd.db had an old count of commits, and all that were counted");
        s->last = f->last;
        int rc = store_begin_recovery(s, err);
        return rc ? rc : store_end(s, store_commit_write_row(s, &s->last, err), err);
    }
    loss->n = n_changes;
    (void)snprintf(what, sizeof what, "%lld acknowledged changes were lost%s%s%s", (long long)loss->n,
                   loss->n_listed ? ", the first of mesh " : "", loss->n_listed ? loss->listed[0].id : "",
                   loss->n_listed > 1 ? " and of others" : "");
    wait_for_word(s, what);
    return SDD_OK;
}

/* Both have the same commits, but several pages of the database can have lost the same one. */
static int level(struct store *s, const struct image *f, struct sdd_error *err)
{
    char what[112];
    const int64_t n_lost = list_lost(s, f, f->base.commit.n, err);
    s->loss.n = n_lost < 0 ? 0 : n_lost;
    if (n_lost <= 0)
        return (int)n_lost;
    (void)snprintf(what, sizeof what, "%lld meshes are older than what was acknowledged, the first is %s",
                   (long long)s->loss.n, s->loss.listed[0].id);
    wait_for_word(s, what);
    return SDD_OK;
}

static int ahead(struct store *s, const struct image *f, struct sdd_error *err)
{
    if (follows(&f->last.commit, &s->last, s->number)) /* A crash between steps 2 and 3. */
        return store_commit_write_entry(s, err);
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "subdd.commits is older than subdd.db (commit %lld of %lld) and was made anew: what was lost before "
                   "this start cannot be told",
                   (long long)f->last.commit.n, (long long)s->last.commit.n);
    return store_commits_make(s, err);
}

static int compare(struct store *s, struct image *f, struct sdd_error *err)
{
    f->base.commit = f->header->base;
    f->last = f->base;
    for (int64_t i = 0; i < STORE_ENTRIES; i++) {
        const struct store_entry *e = sector(f, i);
        f->is_good[i] = store_entry_is_good(e, f->header->store) && e->commit.n % STORE_ENTRIES == i;
        if (f->is_good[i] && e->commit.n >= f->last.commit.n)
            f->last = *e;
    }
    const struct store_entry *same = entry(f, s->last.commit.n);
    if (same && !same_chain(&same->commit, &s->last.commit)) {
        wait_for_word(s, "subdd.db and subdd.commits come from different histories of one store");
        return SDD_OK;
    }
    if (f->last.commit.n > s->last.commit.n)
        return behind(s, f, err);
    if (f->last.commit.n < s->last.commit.n)
        return ahead(s, f, err);
    return level(s, f, err);
}

static int check_file(struct store *s, const char *bytes, bool is_whole, struct sdd_error *err)
{
    const struct store_commits_header *h = (const void *)bytes;
    struct image f = {.header = h, .bytes = bytes};
    unsigned char real[16];
    store_commit_hash(h, offsetof(struct store_commits_header, checksum), 0, real);
    if (!is_whole || memcmp(h->magic, STORE_COMMITS_MAGIC, sizeof h->magic) != 0 ||
        memcmp(real, h->checksum, sizeof real) != 0 || !store_commit_is_good(&h->base, h->store)) {
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
    const size_t bytes = e ? (size_t)sqlite3_column_bytes(st, 1) : 0;
    if (bytes == sizeof s->last || bytes == sizeof s->last.commit) {
        memcpy(&s->last, e, bytes);
        s->number = sqlite3_column_int64(st, 0);
    }
    if (!store_entry_is_good(&s->last, s->number)) {
        s->last = (struct store_entry){0};
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
        return store_commits_cannot(s, "opened", err);
    if (s->commits_fd < 0 && !s->number) {
        wait_for_word(s, "subdd.db has lost its count of commits, and there is no subdd.commits");
        return SDD_OK;
    }
    if (s->commits_fd < 0) {
        if (s->last.commit.n)
            (void)snprintf(
                s->loss.text, sizeof s->loss.text,
                "there was no subdd.commits beside subdd.db, as after a restore of subdd.db alone: it was made "
                "anew, and what was lost before this start cannot be told");
        return store_commits_make(s, err);
    }
    char *bytes = calloc(1, (size_t)FILE_BYTES);
    if (!bytes)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the store");
    ssize_t n = fstat(s->commits_fd, &st) ? -1 : pread(s->commits_fd, bytes, (size_t)FILE_BYTES, 0);
    rc = n < 0 ? store_commits_cannot(s, "read", err)
               : check_file(s, bytes, n == FILE_BYTES && st.st_size == FILE_BYTES, err);
    free(bytes);
    return rc;
}

const struct store_loss *store_loss(const struct store *s)
{
    return &s->loss;
}

/* Both counts go on from the larger number, with a new chain. After a crash in between, the database does not follow
 * upon the file, so that the next start makes the file anew (or waits again, when the file is damaged). */
int store_commits_accept(struct store *s, int64_t now_ms, struct sdd_error *err)
{
    struct store_entry e = {.commit = {.n = s->last.commit.n + s->loss.n + 1, .first = {.version = now_ms}}};
    if (!s->number && getrandom(&s->number, sizeof s->number, 0) != sizeof s->number)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    int rc = store_begin_recovery(s, err);
    if (rc)
        return rc;
    store_commit_close(&e, s->number, &s->last.commit);
    rc = store_end(s, store_commit_write_row(s, &e, err), err);
    if (rc)
        return rc;
    s->last = e;
    s->loss.accepted += s->loss.n;
    s->loss.accepted_ms = now_ms;
    rc = store_commits_make(s, err);
    s->loss.waits = rc != SDD_OK;
    return rc;
}
