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
static bool follows(const struct store_commit *a, const struct store_commit *b)
{
    struct store_commit c = *b;
    store_commit_close(&c, 0, a);
    return b->n == a->n + 1 && same_chain(&c, b);
}

/* The file as it was read. */
struct image {
    const struct store_commits_header *header;
    const char *bytes;
    struct store_commit last;
};

/* The entry of commit n, or NULL when it is not there. */
static const struct store_commit *entry(const struct image *f, int64_t n)
{
    const void *at = f->bytes + (1 + n % STORE_ENTRIES) * STORE_SECTOR;
    const struct store_commit *e = n == f->header->base.n ? &f->header->base : at;
    return e->n == n && store_commit_is_good(e, f->header->store) ? e : NULL;
}

static void wait_for_word(struct store *s, const char *what)
{
    s->loss.waits = true;
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "%s; restore a backup of the data directory, or start once with --accept-data-loss", what);
}

/* Lists the meshes that are not as the last of their commits after number `after` has left them.
 * Result  how many, or SDD_ENO_MEMORY: any other error is damage, which has taken something */
static int64_t list_lost(struct store *s, const struct image *f, int64_t after, struct sdd_error *err)
{
    struct store_loss *loss = &s->loss;
    struct store_record r;
    int64_t n_lost = 0, first = f->last.n - STORE_ENTRIES > after ? f->last.n - STORE_ENTRIES : after;
    for (int64_t n = first + 1; n <= f->last.n; n++) {
        const struct store_commit *e = entry(f, n);
        bool is_last = true;
        for (int64_t k = n + 1; e && k <= f->last.n && is_last; k++) {
            const struct store_commit *later = entry(f, k);
            is_last = later && strcmp(later->id, e->id) != 0; /* One that is damaged may be of this mesh. */
        }
        if (!e || !is_last || !*e->id)
            continue;
        int rc = store_record_find(s, e->id, &r, err);
        int64_t found = rc == SDD_OK ? r.info.version : rc == SDD_ENOT_FOUND ? 0 : -1;
        bool is_as_left = found == e->version && (!found || memcmp(r.hash, e->row, sizeof r.hash) == 0);
        if (!is_as_left && found == e->version) {
            rc = store_had_row(s, e, err);
            is_as_left = rc == 1;
        }
        if (rc == SDD_ENO_MEMORY)
            return rc;
        if (is_as_left)
            continue;
        if (found < 0 && f->last.n == s->last.n) /* Of a single damaged mesh, its reader is told. */
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
    const int64_t n_lost = list_lost(s, f, s->last.n, err);
    if (n_lost < 0)
        return (int)n_lost;
    if (!n_lost && all_known) { /* The page of the count alone is old. */
        (void)snprintf(loss->text, sizeof loss->text,
                       "subdd.db had an old count of commits, and all that were counted");
        s->last = f->last;
        int rc = store_begin_recovery(s, err);
        return rc ? rc : store_end(s, store_commit_write_row(s, &s->last, err), err);
    }
    loss->n = f->last.n - s->last.n;
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
    const int64_t n_lost = list_lost(s, f, f->header->base.n, err);
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
    if (follows(&f->last, &s->last)) /* A crash between steps 2 and 3. */
        return store_commit_write_entry(s, err);
    (void)snprintf(s->loss.text, sizeof s->loss.text,
                   "subdd.commits is older than subdd.db (commit %lld of %lld) and was made anew: what was lost before "
                   "this start cannot be told",
                   (long long)f->last.n, (long long)s->last.n);
    return store_commits_make(s, err);
}

static int compare(struct store *s, struct image *f, struct sdd_error *err)
{
    f->last = f->header->base;
    for (int64_t i = 0; i < STORE_ENTRIES; i++) {
        const struct store_commit *e = (const void *)(f->bytes + (1 + i) * STORE_SECTOR);
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
    if (f->last.n < s->last.n)
        return ahead(s, f, err);
    return level(s, f, err);
}

static int check_file(struct store *s, const char *bytes, bool is_whole, struct sdd_error *err)
{
    const struct store_commits_header *h = (const void *)bytes;
    struct image f = {h, bytes, {0}};
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
    if (e && sqlite3_column_bytes(st, 1) == (int)sizeof s->last) {
        memcpy(&s->last, e, sizeof s->last);
        s->number = sqlite3_column_int64(st, 0);
    }
    if (!store_commit_is_good(&s->last, s->number)) {
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
        return store_commits_cannot(s, "opened", err);
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
    struct store_commit e = {.n = s->last.n + s->loss.n + 1, .version = now_ms};
    if (!s->number && getrandom(&s->number, sizeof s->number, 0) != sizeof s->number)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    int rc = store_begin_recovery(s, err);
    if (rc)
        return rc;
    store_commit_close(&e, s->number, &s->last);
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
