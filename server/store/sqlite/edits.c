/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c: keeps a version as what was done to the one before, in a row of the table `edits`, instead of its arrays. To
 * load it, the snapshot that came before is read and all edits since are done again, so their number is limited. The
 * checksum of an edit also covers its place, and the row of the version has a digest of the checksums of all of them:
 * one that is lost, damaged, older or from elsewhere shows. */
#include "server/store/sqlite/db.h"
#include "server/base/stop.h"
#include "server/mesh/formats/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MOST_EDITS 31                  /* Between two snapshots. */
#define MOST_BYTES (INT64_C(64) << 20) /* Of their data, */
#define BYTES_PART 4                   /* which is not more than this part of what a snapshot takes. */

_Static_assert(sizeof(struct store_base) == 88 + SDD_MAX_PRIMVARS * sizeof(struct store_layer), "no padding");
_Static_assert(sizeof(struct store_layer) == 88, "no padding: it is stored as it stands");

size_t store_base_bytes(const struct store_base *b)
{
    return offsetof(struct store_base, layers) + (size_t)b->n_layers * sizeof *b->layers;
}

static void begin(struct store_record *r)
{
    const struct store_info *i = &r->info;
    r->base = (struct store_base){.version = i->version,
                                  .n_vertices = i->n_vertices,
                                  .n_faces = i->n_faces,
                                  .n_uvs = i->n_uvs,
                                  .next_vertex_id = r->next_vertex_id,
                                  .next_face_id = r->next_face_id,
                                  .n_layers = i->n_primvars};
    for (int p = 0; p < i->n_primvars; p++)
        r->base.layers[p] = (struct store_layer){i->primvars[p], i->sets[p]};
}

void store_base_info(const struct store_record *r, struct store_info *out)
{
    const struct store_base *b = &r->base;
    *out = r->info;
    if (!b->n)
        return;
    out->n_vertices = b->n_vertices;
    out->n_faces = b->n_faces;
    out->n_uvs = b->n_uvs;
    out->n_primvars = (int)b->n_layers;
    for (int p = 0; p < out->n_primvars; p++) {
        out->primvars[p] = b->layers[p].primvar;
        out->sets[p] = b->layers[p].sets;
    }
}

/* What the snapshot takes, without ids. */
static int64_t snapshot_bytes(const struct store_record *r)
{
    struct store_info i;
    store_base_info(r, &i);
    int64_t bytes = r->topology_bytes + 12 * i.n_vertices + 8 * i.n_uvs;
    for (int p = 0; p < i.n_primvars; p++)
        bytes += (int64_t)i.primvars[p].n_values * i.primvars[p].width * 4;
    return bytes;
}

bool store_edits_fit(const struct store_record *r, int64_t bytes)
{
    const int64_t all = r->base.bytes + bytes;
    return r->base.n < MOST_EDITS && all <= MOST_BYTES && all <= snapshot_bytes(r) / BYTES_PART;
}

static XXH128_canonical_t checksum(int64_t owner, int64_t version, int64_t kind, const void *data, int64_t bytes)
{
    const int64_t place[] = {owner, version, kind};
    XXH128_canonical_t out;
    XXH128_canonicalFromHash(&out, XXH3_128bits_withSeed(data, (size_t)bytes, XXH3_64bits(place, sizeof place)));
    return out;
}

/* Adds a checksum to a digest. */
static void extend(unsigned char chain[16], const XXH128_canonical_t *hash)
{
    unsigned char both[32];
    XXH128_canonical_t out;
    memcpy(both, chain, 16);
    memcpy(both + 16, hash, 16);
    XXH128_canonicalFromHash(&out, XXH3_128bits(both, sizeof both));
    memcpy(chain, &out, 16);
}

int store_edits_add(struct store *s, struct store_record *r, enum store_edit_kind kind, const void *data, int64_t bytes,
                    struct sdd_error *err)
{
    const int64_t version = r->info.version + 1;
    const XXH128_canonical_t hash = checksum(r->key, version, kind, data, bytes);
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_EDIT_WRITE, &st, err);
    if (rc)
        return rc;
    if (!r->base.n)
        begin(r);
    r->base.n++;
    r->base.bytes += bytes;
    extend(r->base.chain, &hash);
    int bound = sqlite3_bind_int64(st, 1, r->key) | sqlite3_bind_int64(st, 2, version);
    bound |= sqlite3_bind_int(st, 3, (int)kind);
    bound |= sqlite3_bind_blob(st, 4, &hash, sizeof hash, SQLITE_STATIC);
    bound |= sqlite3_bind_blob64(st, 5, data, (sqlite3_uint64)bytes, SQLITE_STATIC);
    rc = store_step(s, st, bound, "write an edit", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

/* ---- reading ---- */
/* A row of the table. */
struct row {
    int64_t owner, version, kind, bytes;
    const void *data;
    XXH128_canonical_t hash;
};

static int damaged(const struct row *e, const char *how, struct sdd_error *err)
{
    return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: the edits of version %lld of mesh %lld %s",
                    (long long)e->version, (long long)e->owner, how);
}

static int read_row(sqlite3_stmt *st, struct row *e, struct sdd_error *err)
{
    *e = (struct row){.owner = sqlite3_column_int64(st, 0),
                      .version = sqlite3_column_int64(st, 1),
                      .kind = sqlite3_column_int64(st, 2),
                      .data = sqlite3_column_blob(st, 4)};
    e->bytes = sqlite3_column_bytes(st, 4);
    if (!e->data)
        return e->bytes ? sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for edits") : damaged(e, "are empty", err);
    e->hash = checksum(e->owner, e->version, e->kind, e->data, e->bytes);
    const void *hash = sqlite3_column_blob(st, 3);
    const bool same =
        hash && sqlite3_column_bytes(st, 3) == (int)sizeof e->hash && memcmp(hash, &e->hash, sizeof e->hash) == 0;
    return same ? SDD_OK : damaged(e, "do not match their checksum", err);
}

static int apply_batch(const struct row *e, struct mesh **m, struct sdd_error *err)
{
    struct edit_batch *b;
    struct edit_result result;
    int rc = edits_from_proto(e->data, (size_t)e->bytes, &b, err);
    if (rc)
        return rc;
    rc = edits_apply(*m, b, &result, err);
    edit_batch_free(b);
    if (rc)
        return rc;
    mesh_free(*m);
    *m = result.mesh;
    result.mesh = NULL;
    edit_result_free(&result);
    return SDD_OK;
}

static int apply_positions(const struct row *e, struct mesh *m, struct sdd_error *err)
{
    struct positions *p;
    int rc = positions_from_proto(e->data, (size_t)e->bytes, &p, err);
    if (rc)
        return rc;
    rc = positions_check(p, m->n_vertices, 0, err);
    if (!rc)
        positions_apply(p, m);
    positions_free(p);
    return rc;
}

static int apply(const struct row *e, struct mesh **m, struct sdd_error *err)
{
    struct sdd_error why = {0};
    char how[sizeof why.text + 32];
    if (stop_asked())
        return stop_fail(err);
    if (e->kind != STORE_BATCH && e->kind != STORE_POSITIONS)
        return damaged(e, "are of an unknown kind", err);
    int rc = e->kind == STORE_BATCH ? apply_batch(e, m, &why) : apply_positions(e, *m, &why);
    if (rc == SDD_ENO_MEMORY || rc == SDD_ECANCELLED) {
        if (err)
            *err = why;
        return rc;
    }
    (void)snprintf(how, sizeof how, "cannot be made again: %s", why.text);
    return rc ? damaged(e, how, err) : SDD_OK;
}

int store_edits_apply(struct store *s, const struct store_record *r, struct mesh **m, struct sdd_error *err)
{
    const struct store_base *b = &r->base;
    unsigned char chain[16] = {0};
    struct row e;
    sqlite3_stmt *st;
    int64_t n = 0;
    int done = SDD_OK, rc = b->n ? store_statement(s, STORE_EDITS_READ, &st, err) : SDD_OK;
    if (rc || !b->n)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, r->key) | sqlite3_bind_int64(st, 2, b->version);
    bound |= sqlite3_bind_int64(st, 3, r->info.version);
    while (!done && n <= b->n && (rc = store_step(s, st, bound, "read edits", err)) == 1) {
        n++;
        done = read_row(st, &e, err);
        if (!done)
            extend(chain, &e.hash);
        if (!done && m && n <= b->n)
            done = apply(&e, m, err);
    }
    (void)sqlite3_reset(st);
    if (done || rc < 0)
        return done ? done : rc;
    if (n == b->n && memcmp(chain, b->chain, sizeof chain) == 0)
        return SDD_OK;
    return sdd_fail(
        err, SDD_ESTORE, "store",
        "stored data is damaged: mesh %s: the edits between versions %lld and %lld are not all there as they "
        "were stored",
        r->info.id, (long long)b->version, (long long)r->info.version);
}

int store_edits_check(struct store *s, struct sdd_error *err)
{
    struct row e;
    sqlite3_stmt *st;
    int checked = SDD_OK, rc = store_statement(s, STORE_EDITS_ALL, &st, err);
    if (rc)
        return rc;
    while (!checked && (rc = store_step(s, st, 0, "read edits", err)) == 1)
        checked = read_row(st, &e, err);
    (void)sqlite3_reset(st);
    return checked ? checked : rc;
}
