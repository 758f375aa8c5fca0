/* SPDX-License-Identifier: Apache-2.0 */
/* commits.h: the file that counts commits, for commits.c, which writes it, and loss.c, which reads it at start. */
#ifndef SUBDD_STORE_COMMITS_H
#define SUBDD_STORE_COMMITS_H
#include "server/store/sqlite/db.h"

#define STORE_SECTOR 512
#define STORE_ENTRIES 1024 /* In sectors of their own, behind that of the header. */
#define STORE_COMMITS_MAGIC "subddc1\n"

/* The first sector of the file. It is in files, so its layout must never change. */
struct store_commits_header {
    char magic[8];
    int64_t store;
    struct store_commit base; /* The last commit when the file was made. Its whole entry is in its sector. */
    int64_t accepted, accepted_ms;
    unsigned char checksum[16]; /* Of all above. */
};

/* store_commit_hash: XXH3 of bytes. */
void store_commit_hash(const void *data, size_t bytes, int64_t seed, unsigned char out[16]);
/* store_commit_close: makes the chain and the checksums of an entry that is else complete. */
void store_commit_close(struct store_entry *e, int64_t store, const struct store_commit *before);
/* store_commit_is_good: of one without more; store_entry_is_good: of any. */
bool store_commit_is_good(const struct store_commit *c, int64_t store);
bool store_entry_is_good(const struct store_entry *e, int64_t store);
/* store_entry_change: its k-th change, from 0 on, or NULL when it has no more. */
static inline const struct store_changed *store_entry_change(const struct store_entry *e, int64_t k)
{
    return !k ? &e->commit.first : k <= e->n_more ? &e->more[k - 1] : NULL;
}
/* store_commit_write_row: makes e the last commit in the database, in the current transaction. */
int store_commit_write_row(struct store *s, const struct store_entry *e, struct sdd_error *err) SDD_MUST_CHECK;
/* store_commit_write_entry: writes the store's last commit into the file, and returns when it is on the disk. */
int store_commit_write_entry(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_commits_make: makes the file anew, beginning with the store's last commit, in the place of the old one. */
int store_commits_make(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_commits_cannot: the error that errno stands for. */
int store_commits_cannot(const struct store *s, const char *what, struct sdd_error *err);

#endif
