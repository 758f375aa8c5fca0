/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c: keeps a version as what was done to the one before, in a row of the table `edits`, instead of its arrays. To
 * load it, the snapshot that came before is read and all edits since are done again, so their number is limited. Each
 * edit names the one that it follows, as after an undo that is not the one that was made before it. The
 * checksum of an edit also covers its place, and the row of the version has a digest of the checksums of all of them:
 * one that is lost, damaged, older or from elsewhere shows. */
#include "server/store/sqlite/db.h"
#include "server/base/pool.h"
#include "server/base/stop.h"
#include "server/mesh/formats/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MOST_EDITS 31                  /* Between two snapshots. */
#define MOST_BYTES (INT64_C(64) << 20) /* Of their data, */
#define BYTES_PART 4                   /* which is not more than this part of what a snapshot takes. */
/* To do an edit again takes 4 to 12 ns for each vertex and face of the mesh, on the one thread of the store. So
 * vertices and faces, times the edits that make a version, are limited, to about 0.2 s: 31 edits up to half a million
 * vertices and faces, 8 at two million. */
#define MOST_WORK (INT64_C(1) << 24)

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
                                  .last = i->version,
                                  .n_vertices = i->n_vertices,
                                  .n_faces = i->n_faces,
                                  .n_uvs = i->n_uvs,
                                  .n_layers = i->n_primvars};
    for (int p = 0; p < i->n_primvars; p++)
        r->base.layers[p] = (struct store_layer){i->primvars[p], i->sets[p]};
}

void store_base_info(const struct store_record *r, struct store_info *out)
{
    const struct store_base *b = &r->base;
    *out = r->info;
    if (!b->version)
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
    const int64_t all = r->base.all_bytes + bytes;
    const int64_t work = (r->base.n + 1) * (r->info.n_vertices + r->info.n_faces);
    return r->base.all < MOST_EDITS && all <= MOST_BYTES && all <= snapshot_bytes(r) / BYTES_PART &&
           (work <= MOST_WORK || !r->base.n); /* One edit is always less work than a snapshot. */
}

/* A row of the table. */
struct row {
    int64_t owner, version;
    int64_t before;                       /* The version of the edit that it follows, or of the snapshot. */
    int64_t next_vertex_id, next_face_id; /* The ids to come of the mesh that it was applied to. */
    int64_t kind, bytes;
    const void *data;
};

static XXH128_canonical_t checksum(const struct row *e)
{
    const int64_t place[] = {e->owner, e->version, e->before, e->next_vertex_id, e->next_face_id, e->kind};
    XXH128_canonical_t out;
    XXH128_canonicalFromHash(&out, XXH3_128bits_withSeed(e->data, (size_t)e->bytes, XXH3_64bits(place, sizeof place)));
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
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_EDIT_WRITE, &st, err);
    if (rc)
        return rc;
    if (!r->base.version)
        begin(r);
    const struct row e = {r->key,          r->info.version + 1, r->base.last, r->next_vertex_id,
                          r->next_face_id, (int64_t)kind,       bytes,        data};
    const XXH128_canonical_t hash = checksum(&e);
    r->base.n++;
    r->base.all++;
    r->base.all_bytes += bytes;
    r->base.last = e.version;
    extend(r->base.chain, &hash);
    int bound = sqlite3_bind_int64(st, 1, e.owner) | sqlite3_bind_int64(st, 2, e.version);
    bound |= sqlite3_bind_int64(st, 3, e.before) | sqlite3_bind_int64(st, 4, e.next_vertex_id);
    bound |= sqlite3_bind_int64(st, 5, e.next_face_id) | sqlite3_bind_int64(st, 6, e.kind);
    bound |= sqlite3_bind_blob(st, 7, &hash, sizeof hash, SQLITE_STATIC);
    bound |= sqlite3_bind_blob64(st, 8, data, (sqlite3_uint64)bytes, SQLITE_STATIC);
    rc = store_step(s, st, bound, "write an edit", err);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

bool store_edits_reuse(struct store_record *r, const struct store_record *old)
{
    struct store_base *b = &r->base;
    const bool is_snapshot = !old->base.version;
    if (!b->version || b->version != (is_snapshot ? old->info.version : old->base.version))
        return false;
    b->n = old->base.n;
    b->last = is_snapshot ? b->version : old->base.last;
    memcpy(b->chain, old->base.chain, sizeof b->chain);
    return true;
}

/* ---- reading ---- */
static int damaged(const struct row *e, const char *how, struct sdd_error *err)
{
    return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: the edits of version %lld of mesh %lld %s",
                    (long long)e->version, (long long)e->owner, how);
}

static int read_row(sqlite3_stmt *st, struct row *e, XXH128_canonical_t *hash, struct sdd_error *err)
{
    *e = (struct row){.owner = sqlite3_column_int64(st, 0),
                      .version = sqlite3_column_int64(st, 1),
                      .before = sqlite3_column_int64(st, 2),
                      .next_vertex_id = sqlite3_column_int64(st, 3),
                      .next_face_id = sqlite3_column_int64(st, 4),
                      .kind = sqlite3_column_int64(st, 5),
                      .data = sqlite3_column_blob(st, 7)};
    e->bytes = sqlite3_column_bytes(st, 7);
    if (!e->data)
        return e->bytes ? sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for edits") : damaged(e, "are empty", err);
    *hash = checksum(e);
    const void *stored = sqlite3_column_blob(st, 6);
    const bool same =
        stored && sqlite3_column_bytes(st, 6) == (int)sizeof *hash && memcmp(stored, hash, sizeof *hash) == 0;
    return same ? SDD_OK : damaged(e, "do not match their checksum", err);
}

static int apply_batch(const struct row *e, struct mesh **m, struct sdd_error *err)
{
    const int64_t drawn = claim_drawn() - mesh_bytes(*m);
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
    claim_settle(drawn + mesh_bytes(*m)); /* Many edits take no more memory than one. */
    return SDD_OK;
}

static int apply_positions(const struct row *e, struct mesh *m, struct sdd_error *err)
{
    const int64_t drawn = claim_drawn();
    struct positions *p;
    int rc = positions_from_proto(e->data, (size_t)e->bytes, &p, err);
    if (rc)
        return rc;
    rc = positions_check(p, m->n_vertices, 0, err);
    if (!rc)
        rc = positions_open(p, m, err);
    if (!rc)
        positions_apply(p, m);
    mesh_seal(m);
    positions_free(p);
    claim_settle(drawn);
    return rc;
}

/* Edits rely on it that ids to come are above all that there are. */
static bool are_ids_to_come(int64_t next, const int32_t *ids, int64_t n, bool ascend)
{
    bool fine = next >= 0 && next <= (int64_t)INT32_MAX + 1;
    for (int64_t i = ascend && n ? n - 1 : 0; i < n && fine; i++)
        fine = ids[i] < next;
    return fine;
}

static int apply(const struct row *e, struct mesh **m, struct sdd_error *err)
{
    struct sdd_error why = {0};
    char how[sizeof why.text + 32];
    if (stop_asked())
        return stop_fail(err);
    if (e->kind != STORE_BATCH && e->kind != STORE_POSITIONS)
        return damaged(e, "are of an unknown kind", err);
    if (!are_ids_to_come(e->next_vertex_id, (*m)->vertex_ids, (*m)->n_vertices, (*m)->vertex_ids_ascend) ||
        !are_ids_to_come(e->next_face_id, (*m)->face_ids, (*m)->n_faces, (*m)->face_ids_ascend))
        return damaged(e, "give ids that are none", err);
    (*m)->next_vertex_id = e->next_vertex_id;
    (*m)->next_face_id = e->next_face_id;
    int rc = e->kind == STORE_BATCH ? apply_batch(e, m, &why) : apply_positions(e, *m, &why);
    if (rc == SDD_ENO_MEMORY || rc == SDD_ECANCELLED) {
        if (err)
            *err = why;
        return rc;
    }
    (void)snprintf(how, sizeof how, "cannot be made again: %s", why.text);
    return rc ? damaged(e, how, err) : SDD_OK;
}

/* Lists the versions that the edits made, the last one first. Of more than there can be, it lists no more. */
static int list(struct store *s, const struct store_record *r, int64_t versions[MOST_EDITS], int64_t *n,
                struct sdd_error *err)
{
    const struct store_base *b = &r->base;
    sqlite3_stmt *st;
    *n = 0;
    int rc = store_statement(s, STORE_EDITS_LINE, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_int64(st, 1, r->key) | sqlite3_bind_int64(st, 2, b->last);
    bound |= sqlite3_bind_int64(st, 3, b->version) | sqlite3_bind_int64(st, 4, b->n < MOST_EDITS ? b->n : MOST_EDITS);
    while (*n < MOST_EDITS && (rc = store_step(s, st, bound, "list edits", err)) == 1)
        versions[(*n)++] = sqlite3_column_int64(st, 0);
    (void)sqlite3_reset(st);
    return rc < 0 ? rc : SDD_OK;
}

/* Reads one edit, extends the digest by it, and does it again when there is a mesh.
 * Result  1, or 0 when there is no such edit, or an error */
static int do_again(struct store *s, int64_t owner, int64_t version, unsigned char chain[16], struct mesh **m,
                    struct sdd_error *err)
{
    struct row e;
    XXH128_canonical_t hash;
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_EDIT_READ, &st, err);
    if (!rc)
        rc = store_step(s, st, sqlite3_bind_int64(st, 1, owner) | sqlite3_bind_int64(st, 2, version), "read an edit",
                        err);
    if (rc != 1)
        return rc;
    rc = read_row(st, &e, &hash, err);
    if (!rc)
        extend(chain, &hash);
    if (!rc && m)
        rc = apply(&e, m, err);
    (void)sqlite3_reset(st);
    return rc ? rc : 1;
}

int store_edits_apply(struct store *s, const struct store_record *r, struct mesh **m, struct sdd_error *err)
{
    const struct store_base *b = &r->base;
    unsigned char chain[16] = {0};
    int64_t versions[MOST_EDITS], n = 0;
    int rc = b->n ? list(s, r, versions, &n, err) : SDD_OK;
    if (rc || !b->n)
        return rc;
    for (int64_t i = n; i-- > 0;) {
        rc = do_again(s, r->key, versions[i], chain, m, err);
        if (rc < 0)
            return rc;
        atomic_fetch_add(&s->n_applied, m != NULL);
    }
    if (n == b->n && memcmp(chain, b->chain, sizeof chain) == 0)
        return SDD_OK;
    return sdd_fail(
        err, SDD_ESTORE, "store",
        "stored data is damaged: mesh %s: the edits between versions %lld and %lld are not all there as they "
        "were stored",
        r->info.id, (long long)b->version, (long long)b->last);
}

int store_edits_check(struct store *s, struct sdd_error *err)
{
    struct row e;
    XXH128_canonical_t hash;
    sqlite3_stmt *st;
    int checked = SDD_OK, rc = store_statement(s, STORE_EDITS_ALL, &st, err);
    if (rc)
        return rc;
    while (!checked && (rc = store_step(s, st, 0, "read edits", err)) == 1)
        checked = read_row(st, &e, &hash, err);
    (void)sqlite3_reset(st);
    return checked ? checked : rc;
}
