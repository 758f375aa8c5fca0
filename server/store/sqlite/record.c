/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: reads and writes the row of a mesh, which has everything but its arrays, with a digest of these and a
 * checksum of its own.
 *
 * A page that the disk did not write is an older page, whose rows all match their own checksums. So what belongs to a
 * version is in two places at least, on different pages: the row has the sum of its chunks' checksums and a digest of
 * those of its edits, and the table `versions` has the version and the checksum of each row. Where they differ, the
 * mesh is refused. */
#include "server/store/sqlite/db.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The bytes that the checksum of a row covers; the seed covers the list of primvars, a name that is too long for the
 * image, and what later schemas added. The layout is fixed and has no padding. Checksums in files depend on it, so a
 * change needs a new schema version. */
struct image {
    int64_t numbers[13];
    struct sdd_options options;
    char id[24], name[132], topology_id[36];
};
_Static_assert(sizeof(struct image) == 320, "no padding");
_Static_assert(sizeof(struct mesh_stage) == 144, "no padding: it is stored as it stands");

static bool has_stage(const struct store_info *i)
{
    const struct mesh_stage none = {0};
    return memcmp(&i->stage, &none, sizeof none) != 0;
}

/* The bytes of i->sets that are stored: none when no primvar has sets. */
static size_t sets_bytes(const struct store_info *i)
{
    for (int p = 0; p < i->n_primvars; p++)
        if (i->sets[p].n)
            return (size_t)i->n_primvars * sizeof *i->sets;
    return 0;
}

static XXH128_canonical_t checksum(const struct store_record *r)
{
    const struct store_info *i = &r->info;
    struct image image;
    XXH128_canonical_t out;
    memset(&image, 0, sizeof image);
    const int64_t numbers[] = {r->topology, r->topology_bytes, r->next_vertex_id, r->next_face_id, r->flags,
                               i->version,  i->n_vertices,     i->n_faces,        i->n_corners,    i->n_edges,
                               i->n_uvs,    i->created_ms,     i->updated_ms};
    memcpy(image.numbers, numbers, sizeof numbers);
    image.options = i->options;
    (void)snprintf(image.id, sizeof image.id, "%s", i->id);
    size_t name_bytes = strlen(i->name);
    memcpy(image.name, i->name, name_bytes < sizeof image.name ? name_bytes : sizeof image.name);
    (void)snprintf(image.topology_id, sizeof image.topology_id, "%s", i->topology_id);
    /* Without primvars the seed is 0, as it was before there were primvars. */
    uint64_t seed = i->n_primvars ? XXH3_64bits(i->primvars, (size_t)i->n_primvars * sizeof *i->primvars) : 0;
    if (name_bytes >= sizeof image.name)
        seed = XXH3_64bits_withSeed(i->name, name_bytes, seed);
    if (r->has_digest) /* Rows of before schema 4 have none. */
        seed = XXH3_64bits_withSeed(&r->digest, sizeof r->digest, seed);
    if (has_stage(i))
        seed = XXH3_64bits_withSeed(&i->stage, sizeof i->stage, seed);
    if (sets_bytes(i))
        seed = XXH3_64bits_withSeed(i->sets, sets_bytes(i), seed);
    if (*i->workspace)
        seed = XXH3_64bits_withSeed(i->workspace, strlen(i->workspace), seed);
    if (r->base.version)
        seed = XXH3_64bits_withSeed(&r->base, store_base_bytes(&r->base), seed);
    if (r->has_content)
        seed = XXH3_64bits_withSeed(r->content, sizeof r->content, seed);
    XXH128_canonicalFromHash(&out, XXH3_128bits_withSeed(&image, sizeof image, seed));
    return out;
}

void store_record_hash(struct store_record *r)
{
    const XXH128_canonical_t hash = checksum(r);
    memcpy(r->hash, hash.digest, sizeof r->hash);
}

/* Returns false when memory is out, which a NULL means, as these columns are never NULL. */
static bool copy_text(sqlite3_stmt *st, int column, char *out, size_t n)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    (void)snprintf(out, n, "%s", text ? text : "");
    return text != NULL;
}

/* Reads a column of bytes into out, which has zeros. Returns how many there were, or 0 when they are more than n. */
static size_t copy_blob(sqlite3_stmt *st, int column, void *out, size_t n)
{
    const void *blob = sqlite3_column_blob(st, column);
    size_t bytes = (size_t)sqlite3_column_bytes(st, column);
    if (!blob || bytes > n)
        return 0;
    memcpy(out, blob, bytes);
    return bytes;
}

static bool has_hash(sqlite3_stmt *st, int column, const XXH128_canonical_t *hash)
{
    const void *found = sqlite3_column_blob(st, column);
    return found && sqlite3_column_bytes(st, column) == (int)sizeof *hash && memcmp(found, hash, sizeof *hash) == 0;
}

/* Compares the row, whose checksum is `hash`, with itself and with its row in `versions`, in the columns from `at`. */
static int check_row(sqlite3_stmt *st, int at, const struct store_record *r, const XXH128_canonical_t *hash,
                     struct sdd_error *err)
{
    const struct store_info *i = &r->info;
    const char *how = NULL;
    if (!has_hash(st, at, hash))
        how = "its row does not match its checksum";
    else if (sqlite3_column_type(st, at + 10) == SQLITE_NULL)
        how = "it has a row, but is not among the versions";
    if (how)
        return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: mesh %s: %s", i->id, how);
    if (sqlite3_column_int64(st, at + 10) == i->version && has_hash(st, at + 11, hash))
        return SDD_OK;
    return sdd_fail(err, SDD_ESTORE, "store",
                    "stored data is damaged: mesh %s: its row is of version %lld, but version %lld was stored", i->id,
                    (long long)i->version, (long long)sqlite3_column_int64(st, at + 10));
}

/* Reads what the version is made from, of three columns. Returns false when they do not go together, which no row that
 * was written has. */
static bool read_base(sqlite3_stmt *st, int column, struct store_record *r)
{
    struct store_base *b = &r->base;
    const size_t bytes = copy_blob(st, column + 1, b, sizeof *b);
    const bool is_own = sqlite3_column_bytes(st, column + 1) == 0 && sqlite3_column_bytes(st, column + 2) == 0;
    if (!is_own &&
        (b->version < 1 || b->n < 0 || b->n_layers < 0 || b->n_layers > SDD_MAX_PRIMVARS ||
         bytes != store_base_bytes(b) || !copy_text(st, column + 2, r->info.topology_id, sizeof r->info.topology_id)))
        return false;
    return sqlite3_column_int64(st, column) == (is_own ? r->info.version : b->version);
}

int store_record_read(sqlite3_stmt *st, struct store_record *r, struct sdd_error *err)
{
    struct store_info *i = &r->info;
    int64_t *const numbers[] = {&r->key,     &r->topology, &r->topology_bytes, &r->next_vertex_id, &r->next_face_id,
                                &r->flags,   &i->version,  &i->n_vertices,     &i->n_faces,        &i->n_corners,
                                &i->n_edges, &i->n_uvs,    &i->created_ms,     &i->updated_ms};
    enum { N = sizeof numbers / sizeof *numbers };
    memset(r, 0, sizeof *r);
    for (int n = 0; n < N; n++)
        *numbers[n] = sqlite3_column_int64(st, n);
    bool all = copy_text(st, N, i->id, sizeof i->id);
    if (all && (sqlite3_column_type(st, 0) == SQLITE_NULL || sqlite3_column_type(st, N + 2) == SQLITE_NULL))
        return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: mesh %s: its row%s is missing", i->id,
                        sqlite3_column_type(st, 0) == SQLITE_NULL ? "" : " of its topology");
    all &= copy_text(st, N + 1, i->name, sizeof i->name);
    all &= copy_text(st, N + 2, i->topology_id, sizeof i->topology_id);
    all &= copy_text(st, N + 9, i->workspace, sizeof i->workspace);
    if (!all)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the row of a mesh");
    (void)copy_blob(st, N + 3, &i->options, sizeof i->options);
    i->n_primvars = (int)(copy_blob(st, N + 5, i->primvars, sizeof i->primvars) / sizeof *i->primvars);
    i->manifold = !(r->flags & STORE_NOT_MANIFOLD);
    r->has_digest = copy_blob(st, N + 6, &r->digest, sizeof r->digest) == sizeof r->digest;
    (void)copy_blob(st, N + 7, &i->stage, sizeof i->stage);
    (void)copy_blob(st, N + 8, i->sets, sizeof i->sets);
    r->has_content = copy_blob(st, N + 13, r->content, sizeof r->content) == sizeof r->content;
    if (!read_base(st, N + 10, r))
        return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: mesh %s: its row names no snapshot", i->id);
    XXH128_canonical_t hash = checksum(r);
    memcpy(r->hash, hash.digest, sizeof r->hash);
    return check_row(st, N + 4, r, &hash, err);
}

int store_record_find(struct store *s, const char *id, struct store_record *out, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_MESH_FIND, &st, err);
    if (rc)
        return rc;
    rc = store_step(s, st, sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC), "find a mesh", err);
    bool found = rc == 1 && (sqlite3_column_type(st, 0) != SQLITE_NULL || /* Its key, and its version. */
                             sqlite3_column_type(st, sqlite3_column_count(st) - 2) != SQLITE_NULL);
    if (rc == 1)
        rc = found ? store_record_read(st, out, err) : sdd_fail(err, SDD_ENOT_FOUND, "id", "there is no such mesh");
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return store_name(id, rc, err);
}

int store_record_digest(struct store *s, struct store_record *r, struct sdd_error *err)
{
    int rc = r->has_digest ? SDD_OK : store_digest_find(s, r->key, &r->digest, err);
    r->has_digest |= !rc;
    return rc;
}

int store_records_check(struct store *s, struct sdd_error *err)
{
    struct store_record r;
    struct store_digest d;
    sqlite3_stmt *st;
    int checked = SDD_OK, rc = store_statement(s, STORE_MESH_ALL, &st, err);
    if (rc)
        return rc;
    while (!checked && (rc = store_step(s, st, 0, "read meshes", err)) == 1) {
        checked = store_record_read(st, &r, err);
        if (!checked && r.has_digest)
            checked = store_digest_find(s, r.key, &d, err);
        if (!checked && r.has_digest && memcmp(&d, &r.digest, sizeof d) != 0)
            checked = sdd_fail(err, SDD_ESTORE, "store",
                               "stored data is damaged: mesh %s: not all arrays are those of version %lld", r.info.id,
                               (long long)r.info.version);
        if (!checked)
            checked = store_edits_apply(s, &r, NULL, err);
    }
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return checked ? checked : rc;
}

int store_record_version(struct store *s, const char *id, int64_t expected, struct store_record *r,
                         struct sdd_error *err)
{
    int rc = store_record_find(s, id, r, err);
    if (!rc && (expected == STORE_ANY_VERSION || expected == r->info.version))
        store_past_begin(s, r);
    r->has_content = false; /* That is about to change. */
    if (rc || expected == STORE_ANY_VERSION || expected == r->info.version)
        return rc;
    rc = sdd_fail(err, SDD_ESTALE, "If-Match", "the mesh is at version %lld, not %lld", (long long)r->info.version,
                  (long long)expected);
    if (err)
        err->available = r->info.version;
    return rc;
}

static int write_row(struct store *s, struct store_record *r, const XXH128_canonical_t *hash, struct sdd_error *err)
{
    struct store_info *i = &r->info;
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_MESH_WRITE, &st, err);
    if (rc)
        return rc;
    const int64_t numbers[] = {r->topology, r->next_vertex_id, r->next_face_id, r->flags, i->version,    i->n_vertices,
                               i->n_faces,  i->n_corners,      i->n_edges,      i->n_uvs, i->created_ms, i->updated_ms};
    enum { N = sizeof numbers / sizeof *numbers };
    int bound = r->key ? sqlite3_bind_int64(st, 1, r->key) : sqlite3_bind_null(st, 1);
    for (int n = 0; n < N; n++)
        bound |= sqlite3_bind_int64(st, 2 + n, numbers[n]);
    bound |= sqlite3_bind_text(st, N + 2, i->id, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, N + 3, i->name, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 4, &i->options, sizeof i->options, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 5, hash, sizeof *hash, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 6, i->primvars, i->n_primvars * (int)sizeof *i->primvars, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 7, &r->digest, sizeof r->digest, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 8, &i->stage, has_stage(i) ? (int)sizeof i->stage : 0, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 9, i->sets, (int)sets_bytes(i), SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, N + 10, i->workspace, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, N + 11, r->base.version ? r->base.version : i->version);
    bound |=
        sqlite3_bind_blob(st, N + 12, &r->base, r->base.version ? (int)store_base_bytes(&r->base) : 0, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, N + 13, r->base.version ? i->topology_id : "", -1, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 14, r->content, r->has_content ? (int)sizeof r->content : 0, SQLITE_STATIC);
    rc = store_step(s, st, bound, "write a mesh", err);
    (void)sqlite3_clear_bindings(st);
    if (rc && (sqlite3_extended_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
        rc = sdd_fail(err, SDD_ECONFLICT, "id", "there is a mesh with this id already");
    if (!rc && !r->key)
        r->key = sqlite3_last_insert_rowid(s->db);
    return rc;
}

int store_record_write(struct store *s, struct store_record *r, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_record_digest(s, r, err);
    if (rc)
        return rc;
    XXH128_canonical_t hash = checksum(r);
    rc = write_row(s, r, &hash, err);
    if (!rc)
        rc = store_statement(s, STORE_VERSION_WRITE, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_text(st, 1, r->info.id, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 2, r->info.version);
    bound |= sqlite3_bind_blob(st, 3, &hash, sizeof hash, SQLITE_STATIC);
    rc = store_step(s, st, bound, "write a version", err);
    (void)sqlite3_clear_bindings(st);
    return rc ? rc : store_commit_note(s, r->info.id, r->info.version, &hash, err);
}

int store_finish(struct store *s, int rc, const struct store_record *r, const struct store_answer *answer,
                 struct store_info *info, struct sdd_error *err)
{
    if (!rc)
        rc = store_past_end(s, r, err);
    if (!rc && answer)
        rc = store_answer_insert(s, answer, r->info.updated_ms, err);
    rc = store_end(s, rc, err);
    if (!rc && info)
        *info = r->info;
    return rc;
}

int store_find(struct store *s, const char *id, int64_t version, struct store_info *info, struct sdd_error *err)
{
    struct store_record r;
    int rc = store_record_at(s, id, version, &r, err);
    if (!rc)
        *info = r.info;
    return rc;
}

int store_list(struct store *s, const char *workspace, const char *name, const char *after, int limit,
               struct store_info **out, int *n, int *more, struct sdd_error *err)
{
    struct store_record r;
    sqlite3_stmt *st;
    *n = *more = 0;
    *out = NULL;
    if (limit < 1)
        return sdd_fail(err, SDD_EINVALID, "limit", "limit is %d", limit);
    int rc = store_statement(s, name ? STORE_MESH_LIST_NAMED : STORE_MESH_LIST, &st, err);
    if (rc)
        return rc;
    struct store_info *list = mesh_alloc(limit, sizeof *list, err);
    if (!list)
        return SDD_ENO_MEMORY;
    int bound = sqlite3_bind_text(st, 1, after, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 2, (int64_t)limit + 1);
    bound |= sqlite3_bind_text(st, 4, workspace, -1, SQLITE_STATIC);
    if (name)
        bound |= sqlite3_bind_text(st, 3, name, -1, SQLITE_STATIC);
    while ((rc = store_step(s, st, bound, "list meshes", err)) == 1) {
        *more = *n == limit;
        if (*more)
            break;
        rc = store_record_read(st, &r, err);
        if (rc)
            break;
        list[(*n)++] = r.info;
    }
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    if (rc < 0)
        free(list);
    else
        *out = list;
    return rc < 0 ? rc : SDD_OK;
}
