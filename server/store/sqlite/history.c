/* SPDX-License-Identifier: Apache-2.0 */
/* history.c: earlier versions of meshes. A change moves the chunks that it replaces or deletes to the table
 * `old_chunks`, with the version that they were last of, so a version costs what its successor changed. The chunks
 * of version v are those of the first version from v on in which each of them ended, and else the present ones. The
 * table `history` has the row of each version, as it was in `meshes`, and keeps its topology. The edits that make a
 * version of its snapshot (edits.c) stay as long as that version.
 *
 * What a version takes is counted when it ends, and given back when it goes. Two things follow. The version before a
 * snapshot is charged with all arrays that the snapshot replaces, though 31 edits may have changed them; where it alone
 * takes more than all versions may, the history of the mesh begins anew there. And the edit of a version that is gone
 * is given back while its row may have to stay for later versions: for each mesh that is at most what edits.c lets
 * follow one snapshot, a quarter of it. */
#include "server/store/sqlite/db.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MOST_AT_ONCE 64 /* Versions that one change lets go, so that it is not long. */

void store_keep(struct store *s, int64_t versions, int64_t bytes)
{
    s->history.versions = versions < 1 || bytes <= 0 ? 1 : versions;
    s->history.most_bytes = bytes;
}

int64_t store_history_bytes(const struct store *s)
{
    return s->history.bytes;
}

void store_author(struct store *s, const struct store_change *change)
{
    s->history.change = *change;
}

/* ---- writing ---- */
void store_past_begin(struct store *s, const struct store_record *r)
{
    struct store_past *h = &s->history;
    h->version = r->info.version;
    h->topology = r->topology;
    h->topology_bytes = r->topology_bytes;
    h->keeps = h->versions > 1;
    h->kept = 0;
}

int store_past_chunks(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, int64_t end,
                      struct sdd_error *err)
{
    struct store_past *h = &s->history;
    sqlite3_stmt *st;
    if (!h->keeps || kind == STORE_TOPOLOGY)
        return SDD_OK;
    int rc = store_statement(s, STORE_OLD_CHUNKS_KEEP, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, owner) | sqlite3_bind_int(st, 2, (int)kind);
    bound |= sqlite3_bind_int64(st, 3, seq) | sqlite3_bind_int64(st, 4, end);
    bound |= sqlite3_bind_int64(st, 5, h->version);
    while ((rc = store_step(s, st, bound, "keep a chunk of an earlier version", err)) == 1)
        h->kept += sqlite3_column_int64(st, 0);
    if (h->kept > h->most_bytes) /* It would go at once, so the rest of it is not written. */
        h->keeps = false;
    return rc;
}

int store_topology_drop(struct store *s, int64_t key, struct sdd_error *err)
{
    int rc = store_run(s, STORE_TOPOLOGY_DROP, key, 0, err);
    if (rc || !sqlite3_changes(s->db))
        return rc;
    return store_run(s, STORE_TOPOLOGY_CHUNKS_DELETE, key, 0, err);
}

/* A statement whose first values are an id, and a number where it takes one. */
static int with_id(struct store *s, enum store_sql sql, const char *id, int64_t number, sqlite3_stmt **out, int *bound,
                   struct sdd_error *err)
{
    int rc = store_statement(s, sql, out, err);
    if (rc)
        return rc;
    *bound = sqlite3_bind_text(*out, 1, id, -1, SQLITE_TRANSIENT);
    if (sqlite3_bind_parameter_count(*out) > 1)
        *bound |= sqlite3_bind_int64(*out, 2, number);
    return SDD_OK;
}

/* Takes the first version of a mesh out of `history`, if it is not after `last`.
 * Result  1 when there was one, else 0 or a negative error */
static int drop_first(struct store *s, const char *id, int64_t last, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int bound = 0, rc = with_id(s, STORE_HISTORY_FIRST, id, 0, &st, &bound, err);
    if (!rc)
        rc = store_step(s, st, bound, "look for the first version of a mesh", err);
    if (rc != 1)
        return rc;
    const int64_t version = sqlite3_column_int64(st, 0), topology = sqlite3_column_int64(st, 1);
    const int64_t bytes = sqlite3_column_int64(st, 2);
    (void)sqlite3_reset(st);
    if (version > last)
        return 0;
    rc = with_id(s, STORE_HISTORY_DROP, id, version, &st, &bound, err);
    if (!rc)
        rc = store_step(s, st, bound, "drop a version", err);
    if (!rc)
        rc = store_topology_drop(s, topology, err);
    s->history.bytes_after -= rc ? 0 : bytes;
    return rc ? rc : 1;
}

static int drop_edits(struct store *s, const char *id, int64_t key, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_EDITS_DROP, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, key) | sqlite3_bind_text(st, 2, id, -1, SQLITE_STATIC);
    rc = store_step(s, st, bound, "drop edits", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

int store_past_drop(struct store *s, const char *id, int64_t key, int64_t last, struct sdd_error *err)
{
    bool any = false;
    int rc;
    while ((rc = drop_first(s, id, last, err)) == 1)
        any = true;
    if (!rc && any)
        rc = store_run(s, STORE_OLD_CHUNKS_DROP, key, last, err);
    return rc || !any ? rc : drop_edits(s, id, key, err);
}

/* Notes that the version before this one has ended, and what it takes. */
static int note_cost(struct store *s, const struct store_record *r, struct sdd_error *err)
{
    struct store_past *h = &s->history;
    sqlite3_stmt *st;
    int bound = 0, rc = store_statement(s, STORE_VERSION_BYTES, &st, err);
    if (rc)
        return rc;
    rc = store_step(s, st, sqlite3_bind_int64(st, 1, r->key) | sqlite3_bind_int64(st, 2, h->version),
                    "measure a version", err);
    if (rc < 0)
        return rc;
    const int64_t bytes = sqlite3_column_int64(st, 0) + (h->topology == r->topology ? 0 : h->topology_bytes);
    (void)sqlite3_reset(st);
    rc = with_id(s, STORE_HISTORY_COST, r->info.id, h->version, &st, &bound, err);
    if (!rc)
        rc = store_step(s, st, bound | sqlite3_bind_int64(st, 3, bytes) | sqlite3_bind_int64(st, 4, r->info.updated_ms),
                        "note what a version takes", err);
    h->bytes_after += rc ? 0 : bytes;
    return rc;
}

/* Lets go of the versions that ended first, of any mesh, until all take no more than they may. After a limit was
 * lowered that takes more than one change. */
static int keep_within(struct store *s, struct sdd_error *err)
{
    char id[STORE_ID_SIZE];
    sqlite3_stmt *st;
    int rc = SDD_OK;
    for (int k = 0; k < MOST_AT_ONCE && !rc && s->history.bytes_after > s->history.most_bytes; k++) {
        rc = store_statement(s, STORE_HISTORY_OLDEST, &st, err);
        if (!rc)
            rc = store_step(s, st, 0, "look for the oldest version", err);
        if (rc != 1)
            return rc;
        const char *text = (const char *)sqlite3_column_text(st, 0);
        (void)snprintf(id, sizeof id, "%s", text ? text : "");
        const int64_t version = sqlite3_column_int64(st, 1), key = sqlite3_column_int64(st, 2);
        (void)sqlite3_reset(st);
        rc = text ? store_past_drop(s, id, key, version, err)
                  : sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the row of a version");
    }
    return rc;
}

static int note_author(struct store *s, int64_t key, struct sdd_error *err)
{
    const struct store_change *c = &s->history.change;
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_HISTORY_WRITE, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, key);
    bound |= sqlite3_bind_text(st, 2, c->principal ? c->principal : "", -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 3, c->kind ? c->kind : "", -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 4, c->n_edits) | sqlite3_bind_int64(st, 5, c->of);
    bound |= sqlite3_bind_int64(st, 6, c->edit_kinds);
    rc = store_step(s, st, bound, "write a version into the history", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

int store_past_end(struct store *s, const struct store_record *r, struct sdd_error *err)
{
    const struct store_past *h = &s->history;
    if (h->version == r->info.version)
        return SDD_OK;
    int rc = note_author(s, r->key, err);
    if (!rc && !h->version) /* A mesh that was deleted as damaged may have left some under this key. */
        rc = store_run(s, STORE_OLD_CHUNKS_DROP, r->key, INT64_MAX, err);
    if (!rc && !h->version)
        rc = store_run(s, STORE_MESH_EDITS_DELETE, r->key, 0, err);
    if (!rc && h->version)
        rc = note_cost(s, r, err);
    if (!rc)
        rc = store_past_drop(s, r->info.id, r->key, h->keeps ? r->info.version - h->versions : h->version, err);
    return rc ? rc : keep_within(s, err);
}

/* ---- reading ---- */
/* Reads and checks the current row of a statement about history. */
static int read_version(sqlite3_stmt *st, struct store_record *r, struct sdd_error *err)
{
    int rc = store_record_read(st, r, err);
    r->at = r->info.version;
    return rc;
}

static int no_version(struct store *s, const struct store_record *now, int64_t version, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int bound = 0, rc;
    if (version > now->info.version) {
        rc = sdd_fail(err, SDD_ENOT_FOUND, "version", "the mesh is at version %lld, and has no version %lld yet",
                      (long long)now->info.version, (long long)version);
        return rc;
    }
    rc = with_id(s, STORE_HISTORY_FIRST, now->info.id, 0, &st, &bound, err);
    if (!rc)
        rc = store_step(s, st, bound, "look for the first version of a mesh", err);
    if (rc < 0)
        return rc;
    const int64_t oldest = rc ? sqlite3_column_int64(st, 0) : now->info.version;
    (void)sqlite3_reset(st);
    rc = sdd_fail(err, SDD_EGONE, "version", "version %lld is not kept any more; the oldest that is kept is %lld",
                  (long long)version, (long long)oldest);
    if (err)
        err->available = oldest;
    return rc;
}

int store_record_at(struct store *s, const char *id, int64_t version, struct store_record *out, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int bound = 0, rc = store_record_find(s, id, out, err);
    if (rc || version == STORE_ANY_VERSION || version == out->info.version)
        return rc;
    rc = with_id(s, STORE_HISTORY_FIND, id, version, &st, &bound, err);
    if (!rc)
        rc = store_step(s, st, bound, "find a version", err);
    if (rc == 0)
        return no_version(s, out, version, err);
    const int64_t vertex = out->next_vertex_id, face = out->next_face_id;
    if (rc == 1)
        rc = read_version(st, out, err);
    (void)sqlite3_reset(st);
    if (out->next_vertex_id < vertex) /* Ids of elements that came later are not given again. */
        out->next_vertex_id = vertex;
    if (out->next_face_id < face)
        out->next_face_id = face;
    return store_name(id, rc, err);
}

int store_past_check(struct store *s, struct sdd_error *err)
{
    struct store_record r;
    sqlite3_stmt *st;
    int checked = SDD_OK, rc = store_statement(s, STORE_HISTORY_ALL, &st, err);
    if (rc)
        return rc;
    while (!checked && (rc = store_step(s, st, 0, "read versions", err)) == 1) {
        checked = read_version(st, &r, err);
        checked = checked ? checked : store_edits_apply(s, &r, NULL, err);
    }
    (void)sqlite3_reset(st);
    return checked ? checked : rc;
}

void store_content(const struct store_record *r, unsigned char out[16])
{
    const struct store_info *i = &r->info;
    const int64_t numbers[] = {r->topology, r->flags};
    XXH128_canonical_t hash;
    uint64_t seed = XXH3_64bits(numbers, sizeof numbers);
    seed = XXH3_64bits_withSeed(i->name, strlen(i->name), seed);
    seed = XXH3_64bits_withSeed(&i->options, sizeof i->options, seed);
    seed = XXH3_64bits_withSeed(i->primvars, (size_t)i->n_primvars * sizeof *i->primvars, seed);
    seed = XXH3_64bits_withSeed(&i->stage, sizeof i->stage, seed);
    if (r->base.n) /* Without any it is the snapshot. */
        seed = XXH3_64bits_withSeed(r->base.chain, sizeof r->base.chain, seed);
    XXH128_canonicalFromHash(&hash, XXH3_128bits_withSeed(&r->digest, sizeof r->digest, seed));
    memcpy(out, r->has_content ? r->content : hash.digest, sizeof hash.digest);
}

static int take_version(sqlite3_stmt *st, struct store_version *v, struct sdd_error *err)
{
    struct store_record r;
    int rc = read_version(st, &r, err);
    if (rc)
        return rc;
    const char *principal = (const char *)sqlite3_column_text(st, STORE_RECORD_COLUMNS);
    const char *kind = (const char *)sqlite3_column_text(st, STORE_RECORD_COLUMNS + 1);
    if (!principal || !kind)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the row of a version");
    *v = (struct store_version){.version = r.info.version,
                                .n_edits = sqlite3_column_int64(st, STORE_RECORD_COLUMNS + 2),
                                .of = sqlite3_column_int64(st, STORE_RECORD_COLUMNS + 3),
                                .edit_kinds = (uint32_t)sqlite3_column_int64(st, STORE_RECORD_COLUMNS + 4),
                                .updated_ms = r.info.updated_ms,
                                .n_vertices = r.info.n_vertices,
                                .n_faces = r.info.n_faces};
    (void)snprintf(v->principal, sizeof v->principal, "%s", principal);
    (void)snprintf(v->kind, sizeof v->kind, "%s", kind);
    store_content(&r, v->content);
    return SDD_OK;
}

int store_history(struct store *s, const char *id, int64_t before, int limit, struct store_version **out, int *n,
                  int *more, struct sdd_error *err)
{
    struct store_record now;
    sqlite3_stmt *st;
    *n = *more = 0;
    *out = NULL;
    if (limit < 1)
        return sdd_fail(err, SDD_EINVALID, "limit", "limit is %d", limit);
    int bound = 0, rc = store_record_find(s, id, &now, err);
    if (!rc)
        rc = with_id(s, STORE_HISTORY_LIST, id, before, &st, &bound, err);
    if (rc)
        return rc;
    struct store_version *list = mesh_alloc(limit, sizeof *list, err);
    if (!list)
        return SDD_ENO_MEMORY;
    bound |= sqlite3_bind_int64(st, 3, (int64_t)limit + 1);
    while ((rc = store_step(s, st, bound, "list versions", err)) == 1) {
        *more = *n == limit;
        if (*more)
            break;
        rc = take_version(st, &list[*n], err);
        if (rc)
            break;
        ++*n;
    }
    (void)sqlite3_reset(st);
    if (rc < 0)
        free(list);
    else
        *out = list;
    return rc < 0 ? store_name(id, rc, err) : SDD_OK;
}
