/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: reads and writes the row of a mesh, which has everything but its arrays, and its checksum. */
#include "server/store/sqlite/db.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The bytes that the checksum of a row covers; the seed covers the list of primvars, and a name that is too long for
 * the image. The layout is fixed and has no padding. Checksums in files depend on it, so a change needs a new schema
 * version. */
struct image {
    int64_t numbers[13];
    struct sdd_options options;
    char id[24], name[132], topology_id[36];
};
_Static_assert(sizeof(struct image) == 320, "no padding");

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
    XXH128_canonicalFromHash(&out, XXH3_128bits_withSeed(&image, sizeof image, seed));
    return out;
}

/* Returns false when memory is out, which a NULL means, as these columns are never NULL. */
static bool copy_text(sqlite3_stmt *st, int column, char *out, size_t n)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    (void)snprintf(out, n, "%s", text ? text : "");
    return text != NULL;
}

/* Reads and checks the current row of MESH_FIND, MESH_LIST or MESH_LIST_NAMED. */
static int read_row(sqlite3_stmt *st, struct store_record *r, struct sdd_error *err)
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
    all &= copy_text(st, N + 1, i->name, sizeof i->name);
    all &= copy_text(st, N + 2, i->topology_id, sizeof i->topology_id);
    if (!all)
        return sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the row of a mesh");
    const void *options = sqlite3_column_blob(st, N + 3), *hash = sqlite3_column_blob(st, N + 4);
    if (options && sqlite3_column_bytes(st, N + 3) == (int)sizeof i->options)
        memcpy(&i->options, options, sizeof i->options);
    const void *primvars = sqlite3_column_blob(st, N + 5);
    size_t bytes = (size_t)sqlite3_column_bytes(st, N + 5);
    if (primvars && bytes <= sizeof i->primvars) {
        memcpy(i->primvars, primvars, bytes);
        i->n_primvars = (int)(bytes / sizeof *i->primvars);
    }
    i->manifold = !(r->flags & STORE_NOT_MANIFOLD);
    XXH128_canonical_t real = checksum(r);
    if (hash && sqlite3_column_bytes(st, N + 4) == (int)sizeof real && memcmp(hash, &real, sizeof real) == 0)
        return SDD_OK;
    return sdd_fail(err, SDD_ESTORE, "store",
                    "stored data is damaged: the row of mesh %lld does not match its checksum", (long long)r->key);
}

int store_record_find(struct store *s, const char *id, struct store_record *out, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_MESH_FIND, &st, err);
    if (rc)
        return rc;
    int found = store_step(s, st, sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC), "find a mesh", err);
    rc = found == 1 ? read_row(st, out, err) : found;
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return found ? rc : sdd_fail(err, SDD_ENOT_FOUND, "id", "there is no such mesh");
}

int store_record_version(struct store *s, const char *id, int64_t expected, struct store_record *r,
                         struct sdd_error *err)
{
    int rc = store_record_find(s, id, r, err);
    if (rc || expected == STORE_ANY_VERSION || expected == r->info.version)
        return rc;
    rc = sdd_fail(err, SDD_ESTALE, "If-Match", "the mesh is at version %lld, not %lld", (long long)r->info.version,
                  (long long)expected);
    if (err)
        err->available = r->info.version;
    return rc;
}

int store_record_write(struct store *s, struct store_record *r, struct sdd_error *err)
{
    struct store_info *i = &r->info;
    XXH128_canonical_t hash = checksum(r);
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
    bound |= sqlite3_bind_blob(st, N + 5, &hash, sizeof hash, SQLITE_STATIC);
    bound |= sqlite3_bind_blob(st, N + 6, i->primvars, i->n_primvars * (int)sizeof *i->primvars, SQLITE_STATIC);
    rc = store_step(s, st, bound, "write a mesh", err);
    (void)sqlite3_clear_bindings(st);
    if (rc && (sqlite3_extended_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
        rc = sdd_fail(err, SDD_ECONFLICT, "id", "there is a mesh with this id already");
    if (!rc && !r->key)
        r->key = sqlite3_last_insert_rowid(s->db);
    return rc;
}

int store_finish(struct store *s, int rc, const struct store_record *r, const struct store_answer *answer,
                 struct store_info *info, struct sdd_error *err)
{
    if (!rc && answer)
        rc = store_answer_insert(s, answer, r->info.updated_ms, err);
    rc = store_end(s, rc, err);
    if (!rc && info)
        *info = r->info;
    return rc;
}

int store_find(struct store *s, const char *id, struct store_info *info, struct sdd_error *err)
{
    struct store_record r;
    int rc = store_record_find(s, id, &r, err);
    if (!rc)
        *info = r.info;
    return rc;
}

int store_list(struct store *s, const char *name, const char *after, int limit, struct store_info **out, int *n,
               int *more, struct sdd_error *err)
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
    if (name)
        bound |= sqlite3_bind_text(st, 3, name, -1, SQLITE_STATIC);
    while ((rc = store_step(s, st, bound, "list meshes", err)) == 1) {
        *more = *n == limit;
        if (*more)
            break;
        rc = read_row(st, &r, err);
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
