/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.c: stores the arrays of meshes as rows of at most 1 MiB. The checksum of a row also covers its place, so that
 * rows cannot be mixed up. */
#include "server/store/sqlite/db.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char *const kind_names[] = {"topology", "points",   "uvs",      "vertex ids",
                                         "face ids", "primvars", "face sets"};

int64_t store_chunk_bytes(enum store_kind kind)
{
    return kind == STORE_POINTS ? STORE_POINT_ROWS * 3 * (int64_t)sizeof(float) : STORE_CHUNK_BYTES;
}

static XXH128_canonical_t checksum(enum store_kind kind, int64_t owner, int64_t seq, const void *data, int64_t bytes)
{
    XXH128_canonical_t out;
    uint64_t seed = (uint64_t)owner * 8 + (uint64_t)kind;
    XXH128_canonicalFromHash(&out, XXH3_128bits_withSeed(data, (size_t)bytes, seed << 24 ^ (uint64_t)seq));
    return out;
}

static int bind_key(sqlite3_stmt *st, enum store_kind kind, int64_t owner, int64_t seq)
{
    return sqlite3_bind_int64(st, 1, owner) | sqlite3_bind_int(st, 2, (int)kind) | sqlite3_bind_int64(st, 3, seq);
}

struct store_sum *store_digest_sum(struct store_digest *d, enum store_kind kind)
{
    return !d || kind == STORE_TOPOLOGY ? NULL : kind == STORE_POINTS ? &d->points : &d->others;
}

static void add(struct store_sum *sum, const void *hash)
{
    const unsigned char *bytes = hash;
    for (size_t i = 0; sum && i < sizeof sum->bytes; i++)
        sum->bytes[i] ^= bytes[i];
}

/* Returns 1 when the chunk at this place has this hash already, 0 when not, or an error. Adds the hash that it has to
 * *old_sum. */
static int is_stored(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, const XXH128_canonical_t *hash,
                     struct store_sum *old_sum, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_CHUNK_HASH, &st, err);
    if (rc)
        return rc;
    rc = store_step(s, st, bind_key(st, kind, owner, seq), "look for a chunk", err);
    if (rc != 1)
        return rc;
    const void *old = sqlite3_column_blob(st, 0);
    bool whole = sqlite3_column_bytes(st, 0) == (int)sizeof *hash && old;
    int same = whole && memcmp(old, hash, sizeof *hash) == 0;
    if (whole)
        add(old_sum, old);
    (void)sqlite3_reset(st);
    return same;
}

int store_chunk_write(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, const void *data,
                      int64_t bytes, struct store_sum *sum, struct store_sum *old, struct sdd_error *err)
{
    XXH128_canonical_t hash = checksum(kind, owner, seq, data, bytes);
    sqlite3_stmt *st;
    add(sum, &hash);
    int rc = is_stored(s, kind, owner, seq, &hash, old, err);
    if (rc)
        return rc < 0 ? rc : SDD_OK;
    rc = store_past_chunks(s, kind, owner, seq, seq + 1, err);
    if (!rc)
        rc = store_statement(s, STORE_CHUNK_WRITE, &st, err);
    if (rc)
        return rc;
    int bound = bind_key(st, kind, owner, seq);
    bound |= sqlite3_bind_blob(st, 4, &hash, sizeof hash, SQLITE_STATIC);
    bound |= sqlite3_bind_blob64(st, 5, data, (sqlite3_uint64)bytes, SQLITE_STATIC);
    rc = store_step(s, st, bound, "write a chunk", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

int store_digest_find(struct store *s, int64_t owner, struct store_digest *d, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_CHUNK_HASHES, &st, err);
    if (rc)
        return rc;
    *d = (struct store_digest){0};
    int bound = sqlite3_bind_int64(st, 1, owner);
    while ((rc = store_step(s, st, bound, "read the checksums of chunks", err)) == 1)
        if (sqlite3_column_bytes(st, 0) == (int)sizeof d->points.bytes && sqlite3_column_blob(st, 0))
            add(store_digest_sum(d, (enum store_kind)sqlite3_column_int(st, 1)), sqlite3_column_blob(st, 0));
    return rc;
}

int store_writer_init(struct store_writer *w, struct store *s, enum store_kind kind, int64_t owner,
                      struct store_digest *digest, struct sdd_error *err)
{
    *w = (struct store_writer){.s = s,
                               .owner = owner,
                               .kind = kind,
                               .sum = store_digest_sum(digest, kind),
                               .chunk_bytes = store_chunk_bytes(kind)};
    w->buffer = mesh_alloc(w->chunk_bytes, 1, err);
    return w->buffer ? SDD_OK : SDD_ENO_MEMORY;
}

static int flush(struct store_writer *w, const void *data, int64_t bytes, struct sdd_error *err)
{
    w->used = 0;
    return store_chunk_write(w->s, w->kind, w->owner, w->seq++, data, bytes, w->sum, NULL, err);
}

int store_writer_add(struct store_writer *w, const void *data, int64_t bytes, struct sdd_error *err)
{
    const char *at = data;
    int rc = SDD_OK;
    while (bytes && !rc) {
        int64_t n = w->chunk_bytes - w->used;
        if (n > bytes)
            n = bytes;
        if (n == w->chunk_bytes) {
            rc = flush(w, at, n, err);
        } else {
            memcpy(w->buffer + w->used, at, (size_t)n);
            w->used += n;
            if (w->used == w->chunk_bytes)
                rc = flush(w, w->buffer, w->used, err);
        }
        at += n;
        bytes -= n;
    }
    return rc;
}

int store_writer_fini(struct store_writer *w, int rc, struct sdd_error *err)
{
    sqlite3_stmt *st;
    if (!rc && w->used)
        rc = flush(w, w->buffer, w->used, err);
    if (!rc)
        rc = store_past_chunks(w->s, w->kind, w->owner, w->seq, INT64_MAX, err);
    if (!rc)
        rc = store_statement(w->s, STORE_CHUNK_CUT, &st, err);
    if (!rc)
        rc = store_step(w->s, st, bind_key(st, w->kind, w->owner, w->seq), "drop chunks", err);
    free(w->buffer);
    w->buffer = NULL;
    return rc;
}

static int damaged(enum store_kind kind, int64_t owner, int64_t seq, const char *how, struct sdd_error *err)
{
    const char *name = (size_t)kind < sizeof kind_names / sizeof *kind_names ? kind_names[kind] : "unknown";
    return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: %s of %s %lld, chunk %lld %s", name,
                    kind == STORE_TOPOLOGY ? "topology" : "mesh", (long long)owner, (long long)seq, how);
}

/* Checks the checksum of the current row of CHUNK_READ or CHUNK_ALL. */
static int check_row(sqlite3_stmt *st, const void **data, int64_t *bytes, struct sdd_error *err)
{
    int64_t seq = sqlite3_column_int64(st, 0), owner = sqlite3_column_int64(st, 3);
    enum store_kind kind = (enum store_kind)sqlite3_column_int(st, 4);
    const void *hash = sqlite3_column_blob(st, 1);
    *data = sqlite3_column_blob(st, 2);
    *bytes = sqlite3_column_bytes(st, 2);
    if (!*data)
        return sqlite3_column_bytes(st, 2) ? sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for a chunk")
                                           : damaged(kind, owner, seq, "is empty", err);
    XXH128_canonical_t real = checksum(kind, owner, seq, *data, *bytes);
    bool same = hash && sqlite3_column_bytes(st, 1) == (int)sizeof real && memcmp(hash, &real, sizeof real) == 0;
    return same ? SDD_OK : damaged(kind, owner, seq, "does not match its checksum", err);
}

int store_chunks_read(struct store *s, enum store_kind kind, int64_t owner, int64_t at, int64_t seq, void *out,
                      int64_t bytes, struct store_digest *digest, struct sdd_error *err)
{
    const void *data = NULL;
    int64_t n, whole = store_chunk_bytes(kind);
    char *to = out;
    sqlite3_stmt *st;
    int rc = store_statement(s, at ? STORE_OLD_CHUNK_READ : STORE_CHUNK_READ, &st, err);
    if (rc)
        return rc;
    int bound = bind_key(st, kind, owner, seq) | (at ? sqlite3_bind_int64(st, 4, at) : SQLITE_OK);
    for (; bytes; seq++, bytes -= n, to += n) {
        rc = store_step(s, st, bound, "read a chunk", err);
        if (rc < 0)
            return rc;
        n = bytes < whole ? bytes : whole;
        if (!rc)
            return damaged(kind, owner, seq, "is missing", err);
        int64_t found = 0;
        rc = sqlite3_column_int64(st, 0) != seq ? damaged(kind, owner, seq, "is missing", err)
                                                : check_row(st, &data, &found, err);
        if (!rc && found != n)
            rc = damaged(kind, owner, seq, "has the wrong size", err);
        if (rc || !data)
            break;
        add(store_digest_sum(digest, kind), sqlite3_column_blob(st, 1));
        memcpy(to, data, (size_t)n);
    }
    (void)sqlite3_reset(st);
    return rc < 0 ? rc : SDD_OK;
}

int store_chunks_check(struct store *s, struct sdd_error *err)
{
    const void *data;
    int64_t bytes;
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_CHUNK_ALL, &st, err), checked = SDD_OK;
    if (rc)
        return rc;
    while (!checked && (rc = store_step(s, st, 0, "read chunks", err)) == 1)
        checked = check_row(st, &data, &bytes, err);
    (void)sqlite3_reset(st);
    return checked ? checked : rc;
}
