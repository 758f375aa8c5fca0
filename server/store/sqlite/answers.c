/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c: stores and finds the first answer to each request with an Idempotency-Key, so that a repeated request gets
 * it again. */
#include "server/store/sqlite/db.h"
#include <stdlib.h>
#include <string.h>

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
    rc = store_step(s, st, bound, "record an answer", err);
    (void)sqlite3_clear_bindings(st);
    if (rc && (sqlite3_extended_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
        rc = sdd_fail(err, SDD_ECONFLICT, "Idempotency-Key", "the idempotency key has an answer already");
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
    int bound = sqlite3_bind_text(st, 1, principal, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 2, key, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 3, now_ms - STORE_IDEMPOTENCY_MS);
    rc = store_step(s, st, bound, "look for an answer", err);
    if (rc == 1) {
        const void *old = sqlite3_column_blob(st, 0);
        bool same = old && sqlite3_column_bytes(st, 0) == 32 && memcmp(old, digest, 32) == 0;
        memcpy(out->digest, digest, 32);
        rc = same ? copy_row(st, out, block, err)
                  : sdd_fail(err, SDD_EKEY_REUSED, "Idempotency-Key", "this key came with another request before");
        *found = rc == SDD_OK;
    }
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return rc;
}
