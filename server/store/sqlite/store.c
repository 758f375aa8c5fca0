/* SPDX-License-Identifier: Apache-2.0 */
/* store.c: loads, creates, replaces and deletes whole meshes in the store (store.h). Each change is one transaction, or
 * a part of one (together.c). */
#include "server/store/sqlite/db.h"
#include "server/mesh/encode.h"
#include "server/mesh/topology_id.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

int store_new_id(char id[STORE_ID_SIZE], struct sdd_error *err)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    (void)snprintf(id, STORE_ID_SIZE, "m_%016llx", (unsigned long long)random);
    return SDD_OK;
}

/* Allocates n rows and reads them from the chunks of one kind. */
static int read_rows(struct store *s, enum store_kind kind, const struct store_record *r, int64_t n, int64_t row_bytes,
                     void **out, struct store_digest *digest, struct sdd_error *err)
{
    const bool shared = kind == STORE_TOPOLOGY; /* A topology has one version, and no place in the digest. */
    *out = mesh_alloc(n, row_bytes, err);
    return *out ? store_chunks_read(s, kind, shared ? r->topology : r->key, shared ? 0 : r->at, 0, *out, n * row_bytes,
                                    shared ? NULL : digest, err)
                : SDD_ENO_MEMORY;
}

/* Whether a row describes a primvar; what mesh_build checks is left to it. */
static bool is_primvar(const struct primvar_info *p, const struct store_sets *sets)
{
    return memchr(p->name, 0, sizeof p->name) && p->interpolation >= 0 && p->interpolation <= SDD_FACE_VARYING &&
           (p->type == PRIMVAR_F32 || p->type == PRIMVAR_I32) && p->width >= 1 && p->width <= SDD_MAX_PRIMVAR_WIDTH &&
           p->n_values >= 0 && sets->n >= 0 && sets->bytes >= sets->n;
}

/* Fills in what the primvars are, without their values. Adds up the bytes that these take, and those of the names of
 * face sets. Returns false when one is none. */
static bool list_primvars(const struct store_info *i, struct mesh_arrays *a, int64_t *values, int64_t *names)
{
    a->n_primvars = i->n_primvars;
    for (int p = 0; p < i->n_primvars; p++) {
        if (!is_primvar(&i->primvars[p], &i->sets[p]))
            return false;
        a->primvars[p].info = i->primvars[p];
        *values += (int64_t)i->primvars[p].n_values * i->primvars[p].width * 4;
        *names += i->sets[p].bytes;
    }
    return true;
}

/* Gives each primvar its values and the names of its sets, which were read. */
static void place_primvars(const struct store_info *i, struct mesh_arrays *a, const char *values, const char *names)
{
    for (int p = 0; p < i->n_primvars; p++) {
        a->primvars[p].values = values;
        a->primvars[p].n_words = (int64_t)i->primvars[p].n_values * i->primvars[p].width;
        values += 4 * a->primvars[p].n_words;
        if (i->sets[p].n)
            a->primvars[p].sets = (struct set_names){names, i->sets[p].n, i->sets[p].bytes};
        names += i->sets[p].n ? i->sets[p].bytes : 0;
    }
}

enum { N_BUFFERS = 7 };

/* Reads all arrays of the snapshot of a mesh into the buffers, which the caller frees. */
static int load_arrays(struct store *s, const struct store_record *r, struct mesh_arrays *a, void *buffers[N_BUFFERS],
                       struct sdd_error *err)
{
    struct store_info of_snapshot;
    const struct store_info *i = &of_snapshot;
    struct store_digest d = {0};
    store_base_info(r, &of_snapshot);
    int64_t n_vertices = 0, n_uvs = 0, primvar_bytes = 0, name_bytes = 0;
    if (!list_primvars(i, a, &primvar_bytes, &name_bytes))
        return sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: mesh %s has a primvar that is none", i->id);
    int rc = read_rows(s, STORE_TOPOLOGY, r, r->topology_bytes, 1, &buffers[0], &d, err);
    if (!rc && mesh_decode(buffers[0], r->topology_bytes, a, &n_vertices, &n_uvs, err))
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: topology %lld cannot be read",
                      (long long)r->topology);
    if (!rc && (n_vertices != i->n_vertices || a->face_counts.n != i->n_faces || n_uvs != i->n_uvs))
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: mesh %s and its topology differ", i->id);
    if (!rc)
        rc = read_rows(s, STORE_POINTS, r, i->n_vertices, 12, &buffers[1], &d, err);
    if (!rc)
        rc = read_rows(s, STORE_UVS, r, i->n_uvs, 8, &buffers[2], &d, err);
    if (!rc && r->flags & STORE_SPARSE_VERTICES)
        rc = read_rows(s, STORE_VERTEX_IDS, r, i->n_vertices, 4, &buffers[3], &d, err);
    if (!rc && r->flags & STORE_SPARSE_FACES)
        rc = read_rows(s, STORE_FACE_IDS, r, i->n_faces, 4, &buffers[4], &d, err);
    if (!rc && i->n_primvars)
        rc = read_rows(s, STORE_PRIMVARS, r, primvar_bytes, 1, &buffers[5], &d, err);
    if (!rc && name_bytes)
        rc = read_rows(s, STORE_SETS, r, name_bytes, 1, &buffers[6], &d, err);
    if (!rc && r->has_digest && memcmp(&d, &r->digest, sizeof d) != 0)
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: not all arrays are those of version %lld",
                      (long long)i->version);
    if (rc)
        return rc;
    a->points = (struct f32s){buffers[1], 3 * i->n_vertices};
    a->uvs = (struct f32s){buffers[2], 2 * i->n_uvs};
    a->vertex_ids = (struct i32s){buffers[3], buffers[3] ? i->n_vertices : 0};
    a->face_ids = (struct i32s){buffers[4], buffers[4] ? i->n_faces : 0};
    place_primvars(i, a, buffers[5], buffers[6]);
    a->stage = i->stage;
    a->next_vertex_id = r->next_vertex_id;
    a->next_face_id = r->next_face_id;
    return SDD_OK;
}

/* Makes the snapshot, and the version of it. */
static int make_mesh(struct store *s, const struct store_record *r, struct mesh **out, struct sdd_error *err)
{
    struct mesh_arrays a = {.crease_pairs = 1};
    char topology_id[MESH_TOPOLOGY_ID_SIZE];
    void *buffers[N_BUFFERS] = {0};
    int rc = load_arrays(s, r, &a, buffers, err);
    if (!rc)
        rc = mesh_build(&a, out, err);
    for (int i = 0; i < N_BUFFERS; i++)
        free(buffers[i]);
    if (!rc)
        rc = store_edits_apply(s, r, out, err);
    if (!rc)
        rc = mesh_topology_id_keep(*out, topology_id, err);
    if (!rc && strcmp(topology_id, r->info.topology_id) != 0)
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: topology %s has become %s",
                      r->info.topology_id, topology_id);
    return rc;
}

int store_mesh_read(struct store *s, const struct store_record *r, struct mesh **out, struct sdd_error *err)
{
    const struct store_info *i = &r->info;
    struct sdd_error why = {0};
    *out = NULL;
    int rc = make_mesh(s, r, out, &why);
    if (rc) {
        mesh_free(*out);
        *out = NULL;
        const bool is_told = rc == SDD_ESTORE || rc == SDD_ENO_MEMORY || rc == SDD_ECANCELLED;
        if (err)
            *err = why;
        if (!is_told) /* What is no mesh has not been stored. */
            rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: %s", why.text);
        return store_name(i->id, rc, err);
    }
    memcpy((*out)->name, i->name, sizeof i->name);
    (*out)->n_edges = i->n_edges;
    (*out)->manifold = i->manifold;
    (*out)->next_vertex_id = r->next_vertex_id;
    (*out)->next_face_id = r->next_face_id;
    return SDD_OK;
}

int store_load(struct store *s, const char *id, int64_t version, struct mesh **out, struct store_info *info,
               struct sdd_error *err)
{
    struct store_record r;
    *out = NULL;
    int rc = store_record_at(s, id, version, &r, err);
    if (!rc)
        rc = store_mesh_read(s, &r, out, err);
    if (!rc && info)
        *info = r.info;
    return rc;
}

/* ---- writing ---- */
static int write_array(struct store *s, enum store_kind kind, int64_t owner, const void *data, int64_t bytes,
                       struct store_digest *d, struct sdd_error *err)
{
    struct store_writer w;
    int rc = store_writer_init(&w, s, kind, owner, d, err);
    return rc ? rc : store_writer_fini(&w, store_writer_add(&w, data, bytes, err), err);
}

static int write_topology(struct store *s, const struct mesh_encoding *e, int64_t key, struct sdd_error *err)
{
    struct store_writer w;
    int rc = store_writer_init(&w, s, STORE_TOPOLOGY, key, NULL, err);
    if (rc)
        return rc;
    for (int i = 0; i < e->n && !rc; i++)
        rc = store_writer_add(&w, e->parts[i].data, (int64_t)e->parts[i].bytes, err);
    return store_writer_fini(&w, rc, err);
}

/* Runs a statement that gives the key of the record's topology, or no row. */
static int find_topology(struct store *s, enum store_sql sql, struct store_record *r, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, sql, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_text(st, 1, r->info.topology_id, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 2, r->topology_bytes);
    rc = store_step(s, st, bound, "look for a topology", err);
    if (rc == 1)
        r->topology = sqlite3_column_int64(st, 0);
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    return rc;
}

/* topology_id is that of m, or NULL to have it found. */
static int set_topology_id(struct store_record *r, const struct mesh *m, const char *topology_id, struct sdd_error *err)
{
    if (!topology_id)
        return mesh_topology_id(m, r->info.topology_id, err);
    if (topology_id != r->info.topology_id)
        (void)snprintf(r->info.topology_id, sizeof r->info.topology_id, "%s", topology_id);
    return SDD_OK;
}

/* Makes the topology of m that of the record. Of one that is stored already only the chunks are written that have
 * another checksum, which damage has left there. */
static int put_topology(struct store *s, const struct mesh *m, const char *topology_id, struct store_record *r,
                        struct sdd_error *err)
{
    struct mesh_encoding e;
    int rc = set_topology_id(r, m, topology_id, err);
    if (rc)
        return rc;
    mesh_encode(m, &e);
    r->topology_bytes = e.bytes;
    rc = find_topology(s, STORE_TOPOLOGY_FIND, r, err);
    if (!rc)
        rc = find_topology(s, STORE_TOPOLOGY_PUT, r, err);
    return rc < 0 ? rc : write_topology(s, &e, r->topology, err);
}

static bool is_sparse(const int32_t *ids, int64_t n)
{
    int64_t i = 0;
    while (i < n && ids[i] == i)
        i++;
    return i < n;
}

static int64_t sparse_ids(const struct mesh *m)
{
    return (is_sparse(m->vertex_ids, m->n_vertices) ? STORE_SPARSE_VERTICES : 0) |
           (is_sparse(m->face_ids, m->n_faces) ? STORE_SPARSE_FACES : 0);
}

static void set_name(struct store_info *i, const char *name)
{
    (void)snprintf(i->name, sizeof i->name, "%s", *name ? name : i->id);
}

/* Updates a record, but for what it says of stored arrays, to describe m as a new version, and writes it. */
static int write_record(struct store *s, struct store_record *r, const struct mesh *m, int64_t now_ms,
                        struct sdd_error *err)
{
    struct store_info *i = &r->info;
    r->next_vertex_id = m->next_vertex_id;
    r->next_face_id = m->next_face_id;
    r->flags = (r->flags & ~(int64_t)STORE_NOT_MANIFOLD) | (m->manifold ? 0 : STORE_NOT_MANIFOLD);
    set_name(i, m->name);
    i->version++;
    store_info_measure(i, m);
    i->updated_ms = now_ms;
    return store_record_write(s, r, err);
}

static int write_primvars(struct store *s, int64_t key, const struct mesh *m, struct store_digest *d,
                          struct sdd_error *err)
{
    struct store_writer w;
    int rc = store_writer_init(&w, s, STORE_PRIMVARS, key, d, err);
    if (rc)
        return rc;
    for (int i = 0; i < m->n_primvars && !rc; i++) {
        const struct primvar *p = &m->primvars[i];
        rc = store_writer_add(&w, p->values, 4 * (int64_t)p->info.n_values * p->info.width, err);
    }
    return store_writer_fini(&w, rc, err);
}

static int write_sets(struct store *s, int64_t key, const struct mesh *m, struct store_digest *d, struct sdd_error *err)
{
    struct store_writer w;
    int rc = store_writer_init(&w, s, STORE_SETS, key, d, err);
    if (rc)
        return rc;
    for (int i = 0; i < m->n_primvars && !rc; i++)
        rc = store_writer_add(&w, m->primvars[i].sets.text, m->primvars[i].sets.bytes, err);
    return store_writer_fini(&w, rc, err);
}

/* Writes all arrays of the mesh that has the record, which gets their digest and becomes its own snapshot. */
static int write_mesh_arrays(struct store *s, struct store_record *r, const struct mesh *m, struct sdd_error *err)
{
    struct store_digest *d = &r->digest;
    int64_t key = r->key;
    r->flags = sparse_ids(m);
    int64_t vertex_ids = r->flags & STORE_SPARSE_VERTICES ? m->n_vertices : 0;
    int64_t face_ids = r->flags & STORE_SPARSE_FACES ? m->n_faces : 0;
    *d = (struct store_digest){0};
    r->has_digest = true;
    r->base = (struct store_base){0};
    int rc = write_array(s, STORE_POINTS, key, m->points, 12 * m->n_vertices, d, err);
    if (!rc)
        rc = write_array(s, STORE_UVS, key, m->uvs, 8 * m->n_uvs, d, err);
    if (!rc)
        rc = write_array(s, STORE_VERTEX_IDS, key, m->vertex_ids, 4 * vertex_ids, d, err);
    if (!rc)
        rc = write_array(s, STORE_FACE_IDS, key, m->face_ids, 4 * face_ids, d, err);
    if (!rc)
        rc = write_primvars(s, key, m, d, err);
    return rc ? rc : write_sets(s, key, m, d, err);
}

int store_create(struct store *s, const char *id, const struct mesh *m, int64_t now_ms,
                 const struct store_answer *answer, struct store_info *info, struct sdd_error *err)
{
    struct store_record r = {.info = {.created_ms = now_ms}};
    if (strlen(id) >= sizeof r.info.id)
        return sdd_fail(err, SDD_EINVALID, "id", "the id is too long");
    (void)snprintf(r.info.id, sizeof r.info.id, "%s", id);
    if (s->history.change.workspace)
        (void)snprintf(r.info.workspace, sizeof r.info.workspace, "%s", s->history.change.workspace);
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = put_topology(s, m, NULL, &r, err);
    if (!rc) /* The chunks need its key, and its digest and its flags need the chunks. */
        rc = write_record(s, &r, m, now_ms, err);
    if (!rc)
        rc = write_mesh_arrays(s, &r, m, err);
    r.flags |= m->manifold ? 0 : STORE_NOT_MANIFOLD;
    if (!rc)
        rc = store_record_write(s, &r, err);
    rc = store_finish(s, rc, &r, answer, info, err);
    s->n_meshes += !rc;
    return rc;
}

int store_snapshot(struct store *s, struct store_record *r, const struct mesh *m, const char *topology_id,
                   int64_t now_ms, struct sdd_error *err)
{
    int rc = put_topology(s, m, topology_id, r, err);
    if (!rc)
        rc = write_mesh_arrays(s, r, m, err);
    return rc ? rc : write_record(s, r, m, now_ms, err);
}

static int add_batch(struct store *s, struct store_record *r, const struct store_edit *e, int64_t now_ms,
                     struct sdd_error *err)
{
    int rc = store_edits_add(s, r, STORE_BATCH, e->batch, e->bytes, err);
    if (!rc)
        rc = set_topology_id(r, e->mesh, e->topology_id, err);
    return rc ? rc : write_record(s, r, e->mesh, now_ms, err);
}

/* Makes the next version of r from what an earlier one is made from.
 * Result  1, or 0 when that one cannot serve, or an error */
static int add_earlier(struct store *s, struct store_record *r, const struct store_edit *e, int64_t now_ms,
                       struct sdd_error *err)
{
    struct store_record old;
    int rc = store_record_at(s, r->info.id, e->as, &old, err);
    if (rc)
        return rc == SDD_EGONE ? 0 : rc;
    store_content(&old, r->content);
    r->has_content = true;
    if (!store_edits_reuse(r, &old))
        return 0;
    memcpy(r->info.topology_id, old.info.topology_id, sizeof r->info.topology_id);
    rc = write_record(s, r, e->mesh, now_ms, err);
    return rc ? rc : 1;
}

static int add_change(struct store *s, struct store_record *r, const struct store_edit *e, int64_t now_ms,
                      struct sdd_error *err)
{
    int rc = e->as ? add_earlier(s, r, e, now_ms, err) : 0;
    if (rc)
        return rc < 0 ? rc : SDD_OK;
    return e->batch && store_edits_fit(r, e->bytes) ? add_batch(s, r, e, now_ms, err)
                                                    : store_snapshot(s, r, e->mesh, e->topology_id, now_ms, err);
}

int store_edit(struct store *s, const char *id, int64_t expected, const struct store_edit *e, int64_t now_ms,
               const struct store_answer *answer, struct store_info *info, struct sdd_error *err)
{
    struct store_record r;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = store_record_version(s, id, expected, &r, err);
    if (!rc)
        rc = add_change(s, &r, e, now_ms, err);
    return store_finish(s, rc, &r, answer, info, err);
}

int store_replace(struct store *s, const char *id, int64_t expected, const struct mesh *m, int64_t now_ms,
                  const struct store_answer *answer, struct store_info *info, struct sdd_error *err)
{
    const struct store_edit whole = {.mesh = m};
    return store_edit(s, id, expected, &whole, now_ms, answer, info, err);
}

int store_rename(struct store *s, const char *id, int64_t expected, const char *name, int64_t now_ms,
                 struct store_info *info, struct sdd_error *err)
{
    struct store_record r;
    char old[MESH_NAME_SIZE];
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = store_record_version(s, id, expected, &r, err);
    if (!rc) {
        memcpy(old, r.info.name, sizeof old);
        set_name(&r.info, name);
        if (strcmp(old, r.info.name) != 0) {
            r.info.version++;
            r.info.updated_ms = now_ms;
            rc = store_record_write(s, &r, err);
        }
    }
    return store_finish(s, rc, &r, NULL, info, err);
}

static int delete_by_id(struct store *s, enum store_sql sql, const char *id, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, sql, &st, err);
    if (!rc)
        rc = store_step(s, st, sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC), "delete a row of a mesh", err);
    if (!rc)
        (void)sqlite3_clear_bindings(st);
    return rc;
}

static int delete_version(struct store *s, const char *id, struct sdd_error *err)
{
    int rc = delete_by_id(s, STORE_VERSION_DELETE, id, err);
    return rc ? rc : store_commit_note(s, id, 0, NULL, err);
}

static int delete_mesh(struct store *s, const char *id, int64_t expected, const struct store_answer *answer,
                       int64_t now_ms, struct sdd_error *err)
{
    struct store_record r;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = store_record_version(s, id, expected, &r, err);
    const bool is_damaged = rc == SDD_ESTORE && expected == STORE_ANY_VERSION && !s->failed;
    if (is_damaged) /* Its chunks, edits and topology stay, as the row may name those of another mesh. */
        rc = delete_by_id(s, STORE_MESH_DELETE_BY_ID, id, err);
    if (!rc && !is_damaged)
        rc = store_run(s, STORE_MESH_CHUNKS_DELETE, r.key, 0, err);
    if (!rc && !is_damaged)
        rc = store_run(s, STORE_MESH_EDITS_DELETE, r.key, 0, err);
    if (!rc && !is_damaged)
        rc = store_run(s, STORE_MESH_DELETE, r.key, 0, err);
    const int n_rows = sqlite3_changes(s->db);
    if (!rc)
        rc = store_past_drop(s, id, is_damaged ? 0 : r.key, INT64_MAX, err);
    if (!rc)
        rc = delete_version(s, id, err);
    if (!rc && answer)
        rc = store_answer_insert(s, answer, now_ms, err);
    rc = store_end(s, rc, err);
    s->n_meshes -= rc ? 0 : n_rows;
    return rc;
}

/* On a full disk a delete is what makes room, so a reserve is kept for it. */
int store_delete(struct store *s, const char *id, int64_t expected, const struct store_answer *answer, int64_t now_ms,
                 struct sdd_error *err)
{
    assert(!s->group.open);
    int rc = delete_mesh(s, id, expected, answer, now_ms, err);
    if (rc == SDD_ESTORE_FULL && store_reserve_use(s))
        rc = delete_mesh(s, id, expected, answer, now_ms, err);
    if (!rc)
        store_reserve_keep(s);
    return rc;
}
