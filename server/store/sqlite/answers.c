/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c: stores and finds the first answer to each request with an Idempotency-Key, so that a repeated request gets
 * it again.
 *
 * The key of a row is a hash of principal and key, so that the table and the index of its primary key, which are on
 * different pages, are two ways to an answer. Where one has it and the other not, a page is damaged. */
#include "server/store/sqlite/db.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t add(uint64_t seed, const void *data, size_t bytes)
{
    return XXH3_64bits_withSeed(data ? data : "", bytes, seed ^ bytes);
}

static uint64_t add_text(uint64_t seed, const char *text)
{
    return add(seed, text, text ? strlen(text) : 0);
}

/* It is in files, so it must never change. */
static int64_t row_of(const char *principal, const char *key)
{
    return (int64_t)(add_text(add_text(0, principal), key) >> 1);
}

/* The checksum of a row; never 0, which the rows of before schema 4 have. It is in files, so it must never change. */
static int64_t checksum(const struct store_answer *a, int64_t created_ms)
{
    uint64_t h = add_text(add_text(1, a->principal), a->key);
    h = add(h, a->digest, sizeof a->digest);
    h = add(h, &(int64_t){a->status}, sizeof(int64_t));
    h = add_text(add_text(add_text(h, a->media_type), a->location), a->etag);
    h = add(add(h, a->body, (size_t)a->bytes), &created_ms, sizeof created_ms);
    return h ? (int64_t)h : 1;
}

int store_answer_insert(struct store *s, const struct store_answer *a, int64_t now_ms, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_run(s, STORE_ANSWER_EXPIRE, now_ms - STORE_IDEMPOTENCY_MS, 0, err);
    if (!rc)
        rc = store_statement(s, STORE_ANSWER_INSERT, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_text(st, 1, a->principal, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 2, a->key, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, 3, a->digest, sizeof a->digest, SQLITE_STATIC);
    bound |= sqlite3_bind_int(st, 4, a->status);
    bound |= sqlite3_bind_text(st, 5, a->media_type ? a->media_type : "", -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 6, a->location ? a->location : "", -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 7, a->etag ? a->etag : "", -1, SQLITE_STATIC);
    bound |= sqlite3_bind_blob64(st, 8, a->bytes ? a->body : "", (sqlite3_uint64)a->bytes, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 9, now_ms);
    bound |= sqlite3_bind_int64(st, 10, checksum(a, now_ms));
    bound |= sqlite3_bind_int64(st, 11, row_of(a->principal, a->key));
    rc = store_step(s, st, bound, "record an answer", err);
    (void)sqlite3_clear_bindings(st);
    if (rc && (sqlite3_extended_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
        rc = sdd_fail(err, SDD_ECONFLICT, "idempotency-key",
                      "another request with this key was done meanwhile; send this one again for its answer");
    return rc;
}

/* Copies the body and the strings of the row into one allocation. */
static int copy_row(sqlite3_stmt *st, struct store_answer *out, void **block, struct sdd_error *err)
{
    int64_t bytes = sqlite3_column_bytes(st, 5), total = bytes;
    const char **strings[] = {&out->media_type, &out->location, &out->etag};
    for (int i = 0; i < 3; i++)
        total += sqlite3_column_bytes(st, 2 + i) + 1;
    char *at = mesh_alloc(total, 1, err);
    if (!at)
        return SDD_ENO_MEMORY;
    *block = at;
    out->status = sqlite3_column_int(st, 1);
    out->body = at;
    out->bytes = bytes;
    if (bytes)
        memcpy(at, sqlite3_column_blob(st, 5), (size_t)bytes);
    at += bytes;
    for (int i = 0; i < 3; i++) {
        size_t n = (size_t)sqlite3_column_bytes(st, 2 + i);
        if (n)
            memcpy(at, sqlite3_column_text(st, 2 + i), n);
        at[n] = 0;
        *strings[i] = at;
        at += n + 1;
    }
    return SDD_OK;
}

static int bind_key(sqlite3_stmt *st, const char *principal, const char *key, int64_t now_ms)
{
    int bound = sqlite3_bind_text(st, 1, principal, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 2, key, -1, SQLITE_STATIC);
    return bound | sqlite3_bind_int64(st, 3, now_ms - STORE_IDEMPOTENCY_MS);
}

static int damaged(const char *key, const char *how, struct sdd_error *err)
{
    return sdd_fail(err, SDD_ESTORE, "idempotency-key",
                    "stored data is damaged: the answer to the key %.80s %s; look whether the request was done, and "
                    "take another key",
                    key, how);
}

/* There is no such answer by the index: is there one in the table? */
static int check_missing(struct store *s, const char *principal, const char *key, int64_t now_ms, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_ANSWER_TWIN, &st, err);
    if (rc)
        return rc;
    int bound = bind_key(st, principal, key, now_ms) | sqlite3_bind_int64(st, 4, row_of(principal, key));
    rc = store_step(s, st, bound, "look for an answer", err);
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return rc == 1 ? damaged(key, "is missing in an index", err) : rc;
}

static int read_row(sqlite3_stmt *st, const char *key, const unsigned char digest[32], struct store_answer *out,
                    void **block, struct sdd_error *err)
{
    const void *old = sqlite3_column_blob(st, 0);
    if (!old || sqlite3_column_bytes(st, 0) != sizeof out->digest)
        return damaged(key, "has no digest", err);
    memcpy(out->digest, old, sizeof out->digest);
    int rc = copy_row(st, out, block, err);
    int64_t hash = sqlite3_column_int64(st, 7);
    if (!rc && hash && hash != checksum(out, sqlite3_column_int64(st, 6)))
        rc = damaged(key, "does not match its checksum", err);
    if (!rc && memcmp(out->digest, digest, sizeof out->digest) != 0)
        rc = sdd_fail(err, SDD_EKEY_REUSED, "idempotency-key", "this key came with another request before");
    if (rc) {
        free(*block);
        *block = NULL;
    }
    return rc;
}

int store_idempotent_find(struct store *s, const char *principal, const char *key, const unsigned char digest[32],
                          int64_t now_ms, struct store_answer *out, void **block, int *found, struct sdd_error *err)
{
    sqlite3_stmt *st;
    *found = 0;
    *block = NULL;
    *out = (struct store_answer){.principal = principal, .key = key};
    int rc = store_statement(s, STORE_ANSWER_FIND, &st, err);
    if (rc)
        return rc;
    rc = store_step(s, st, bind_key(st, principal, key, now_ms), "look for an answer", err);
    const bool is_there = rc == 1;
    if (is_there)
        rc = read_row(st, key, digest, out, block, err);
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    if (!rc && !is_there)
        rc = check_missing(s, principal, key, now_ms, err);
    *found = is_there && rc == SDD_OK;
    return rc;
}
