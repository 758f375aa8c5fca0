/* SPDX-License-Identifier: Apache-2.0 */
/* new_ids.c: the step to schema 8, which changed the rule of topology ids: before, an id was SHA-256 over all bytes of
 * the topology. Each topology gets its new id, and each row whose checksum covers the id its new checksum. What does
 * not match its old id or its old checksum is damaged, and stays as it is, so that it is refused as before.
 *
 * Rows are walked by their keys, without an index, as a damaged index hides rows and is made anew only later. The file
 * of commits has the old checksums and is not written here: the table `old_rows` keeps them, by which loss.c knows the
 * rows again. */
#include "server/mesh/encode.h"
#include "server/store/sqlite/db.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct new_id {
    int64_t topology;
    char id[MESH_TOPOLOGY_ID_SIZE];
};
/* All topologies that get a new id, by their keys. */
struct new_ids {
    int64_t n, room;
    struct new_id *rows;
};

/* Damage of a row or a chunk stays where it is; other errors end the step. */
static bool is_damage(const struct store *s, int rc)
{
    return rc == SDD_ESTORE && !s->failed;
}

/* Finds the id of before schema 8. */
static int find_old_id(const void *data, int64_t bytes, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err)
{
    unsigned char digest[32];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data, (size_t)bytes, digest) < 0)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for SHA-256");
    for (int i = 0; i < 16; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return SDD_OK;
}

/* Finds the new id of a topology. Of one that is damaged it is "". */
static int find_new_id(struct store *s, int64_t key, int64_t bytes, const char *old, char out[MESH_TOPOLOGY_ID_SIZE],
                       struct sdd_error *err)
{
    struct mesh m;
    struct sdd_error why;
    char real[MESH_TOPOLOGY_ID_SIZE];
    void *data = mesh_alloc(bytes, 1, err);
    out[0] = 0;
    if (!data)
        return SDD_ENO_MEMORY;
    int rc = store_chunks_read(s, STORE_TOPOLOGY, key, 0, 0, data, bytes, NULL, err);
    if (!rc)
        rc = find_old_id(data, bytes, real, err);
    if (!rc && strcmp(real, old) == 0 && !mesh_decode_topology(data, bytes, &m, &why))
        rc = mesh_topology_id(&m, out, err);
    free(data);
    return is_damage(s, rc) ? SDD_OK : rc;
}

static int add(struct new_ids *ids, const struct new_id *row, struct sdd_error *err)
{
    if (ids->n == ids->room) {
        const int64_t room = 2 * ids->room + 64;
        struct new_id *rows = realloc(ids->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the ids of topologies");
        ids->rows = rows;
        ids->room = room;
    }
    ids->rows[ids->n++] = *row;
    return SDD_OK;
}

/* Runs a statement that gives the first row behind a key. Returns 1 for a row, 0 at the end, or a negative error. */
static int next_row(struct store *s, enum store_sql sql, int64_t after, sqlite3_stmt **st, struct sdd_error *err)
{
    int rc = store_statement(s, sql, st, err);
    return rc ? rc : store_step(s, *st, sqlite3_bind_int64(*st, 1, after), "look for the next row", err);
}

static int list_topologies(struct store *s, struct new_ids *ids, struct sdd_error *err)
{
    struct new_id row = {.topology = INT64_MIN};
    char old[MESH_TOPOLOGY_ID_SIZE];
    sqlite3_stmt *st;
    int rc;
    while ((rc = next_row(s, STORE_TOPOLOGY_NEXT, row.topology, &st, err)) == 1) {
        const char *id = (const char *)sqlite3_column_text(st, 1);
        const int64_t bytes = sqlite3_column_int64(st, 2);
        row.topology = sqlite3_column_int64(st, 0);
        (void)snprintf(old, sizeof old, "%s", id ? id : "");
        (void)sqlite3_reset(st);
        rc = id ? find_new_id(s, row.topology, bytes, old, row.id, err)
                : sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the row of a topology");
        if (!rc && row.id[0])
            rc = add(ids, &row, err);
        if (rc)
            return rc;
    }
    return rc;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = ((const struct new_id *)a)->topology, y = ((const struct new_id *)b)->topology;
    return (x > y) - (x < y);
}

/* Writes a checksum by the key of a row, or by the id of a mesh, and with a version where the statement takes one. */
static int write_hash(struct store *s, enum store_sql sql, int64_t key, const char *id, int64_t version,
                      const void *hash, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, sql, &st, err);
    if (rc)
        return rc;
    int bound = id ? sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC) : sqlite3_bind_int64(st, 1, key);
    bound |= sqlite3_bind_blob(st, 2, hash, 16, SQLITE_STATIC);
    if (sqlite3_bind_parameter_count(st) > 2)
        bound |= sqlite3_bind_int64(st, 3, version);
    rc = store_step(s, st, bound, "write a checksum", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

/* The rows whose checksums cover a topology id: those of the meshes, and those of all versions that are kept. */
static const struct kind {
    enum store_sql next, read, write;
    bool has_twin; /* In the table `versions`, and in the file of commits. */
} kinds[] = {{STORE_MESH_NEXT, STORE_MESH_READ, STORE_MESH_REHASH, true},
             {STORE_HISTORY_NEXT, STORE_HISTORY_READ, STORE_HISTORY_REHASH, false}};

/* Returns 1 for a row, 0 for one that is damaged, or a negative error. */
static int read_row(struct store *s, const struct kind *kind, int64_t key, struct store_record *r,
                    struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, kind->read, &st, err);
    if (!rc)
        rc = store_step(s, st, sqlite3_bind_int64(st, 1, key), "read a row", err);
    if (rc != 1)
        return rc;
    rc = store_record_read(st, r, err);
    (void)sqlite3_reset(st);
    return !rc ? 1 : is_damage(s, rc) ? 0 : rc;
}

static int rehash_row(struct store *s, const struct kind *kind, int64_t key, const struct new_ids *ids,
                      struct sdd_error *err)
{
    struct store_record r;
    unsigned char before[16];
    int rc = read_row(s, kind, key, &r, err);
    if (rc != 1 || !ids->n)
        return rc < 0 ? rc : SDD_OK;
    const struct new_id wanted = {.topology = r.topology};
    const struct new_id *found = bsearch(&wanted, ids->rows, (size_t)ids->n, sizeof wanted, compare);
    if (!found)
        return SDD_OK;
    memcpy(before, r.hash, sizeof before);
    memcpy(r.info.topology_id, found->id, sizeof found->id);
    store_record_hash(&r);
    rc = write_hash(s, kind->write, key, NULL, 0, r.hash, err);
    if (!rc && kind->has_twin)
        rc = write_hash(s, STORE_VERSION_REHASH, 0, r.info.id, 0, r.hash, err);
    if (!rc && kind->has_twin)
        rc = write_hash(s, STORE_OLD_ROW_WRITE, 0, r.info.id, r.info.version, before, err);
    return rc;
}

static int rehash_rows(struct store *s, const struct kind *kind, const struct new_ids *ids, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int64_t key = INT64_MIN;
    int rc;
    while ((rc = next_row(s, kind->next, key, &st, err)) == 1) {
        key = sqlite3_column_int64(st, 0);
        (void)sqlite3_reset(st);
        rc = rehash_row(s, kind, key, ids, err);
        if (rc)
            return rc;
    }
    return rc;
}

static int rename_topologies(struct store *s, const struct new_ids *ids, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = SDD_OK;
    for (int64_t i = 0; i < ids->n && !rc; i++) {
        rc = store_statement(s, STORE_TOPOLOGY_RENAME, &st, err);
        if (rc)
            return rc;
        const int bound = sqlite3_bind_int64(st, 1, ids->rows[i].topology) |
                          sqlite3_bind_text(st, 2, ids->rows[i].id, -1, SQLITE_STATIC);
        rc = store_step(s, st, bound, "write the id of a topology", err);
        (void)sqlite3_clear_bindings(st);
    }
    return rc;
}

int store_new_ids(struct store *s, struct sdd_error *err)
{
    struct new_ids ids = {0};
    int rc = list_topologies(s, &ids, err);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !rc; k++) /* They are read with the old ids. */
        rc = rehash_rows(s, &kinds[k], &ids, err);
    if (!rc)
        rc = rename_topologies(s, &ids, err);
    free(ids.rows);
    return rc;
}

int store_had_row(struct store *s, const struct store_changed *c, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_OLD_ROW_FIND, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_text(st, 1, c->id, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, 2, c->row, sizeof c->row, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 3, c->version);
    rc = store_step(s, st, bound, "look for a row of before", err);
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return rc;
}
