/* SPDX-License-Identifier: Apache-2.0 */
/* store.c: meshes in and out of the store. Each change is one transaction. */
#include "server/store_db.h"
#include "server/mesh_encode.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SPARSE_VERTICES = 1, SPARSE_FACES = 2 }; /* ids that are not just 0, 1, 2 ... are stored */

struct mesh_record {
    struct store_info info;
    int64_t key, topology, topology_bytes, next_vertex_id, next_face_id;
    int sparse;
};

int store_new_id(char id[STORE_ID_SIZE], struct sdd_error *err)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    (void)snprintf(id, STORE_ID_SIZE, "m_%016llx", (unsigned long long)random);
    return SDD_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */
static void copy_text(sqlite3_stmt *st, int column, char *out, size_t n)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    (void)snprintf(out, n, "%s", text ? text : "");
}

static void read_record(sqlite3_stmt *st, struct mesh_record *r)
{
    struct store_info *i = &r->info;
    memset(r, 0, sizeof *r);
    r->key = sqlite3_column_int64(st, 0);
    r->topology = sqlite3_column_int64(st, 1);
    r->topology_bytes = sqlite3_column_int64(st, 2);
    r->next_vertex_id = sqlite3_column_int64(st, 3);
    r->next_face_id = sqlite3_column_int64(st, 4);
    r->sparse = sqlite3_column_int(st, 5);
    copy_text(st, 6, i->id, sizeof i->id);
    copy_text(st, 7, i->name, sizeof i->name);
    copy_text(st, 8, i->topology_id, sizeof i->topology_id);
    i->version = sqlite3_column_int64(st, 9);
    if (sqlite3_column_bytes(st, 10) == (int)sizeof i->options)
        memcpy(&i->options, sqlite3_column_blob(st, 10), sizeof i->options);
    i->n_vertices = sqlite3_column_int64(st, 11);
    i->n_faces = sqlite3_column_int64(st, 12);
    i->n_corners = sqlite3_column_int64(st, 13);
    i->n_edges = sqlite3_column_int64(st, 14);
    i->n_uvs = sqlite3_column_int64(st, 15);
    i->created_ms = sqlite3_column_int64(st, 16);
    i->updated_ms = sqlite3_column_int64(st, 17);
}

static int find_record(struct store *s, const char *id, struct mesh_record *out, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, STORE_MESH_FIND, &st, err);
    if (rc)
        return rc;
    rc = store_step(s, st, sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC), "find a mesh", err);
    if (rc == 1)
        read_record(st, out);
    (void)sqlite3_reset(st);
    (void)sqlite3_clear_bindings(st);
    if (rc == 1)
        return SDD_OK;
    return rc ? rc : sdd_fail(err, SDD_ENOT_FOUND, "id", "there is no such mesh");
}

int store_find(struct store *s, const char *id, struct store_info *info, struct sdd_error *err)
{
    struct mesh_record r;
    int rc = find_record(s, id, &r, err);
    if (!rc)
        *info = r.info;
    return rc;
}

int store_list(struct store *s, const char *after, int limit, struct store_info **out, int *n, int *more,
               struct sdd_error *err)
{
    struct mesh_record r;
    sqlite3_stmt *st;
    *n = *more = 0;
    *out = NULL;
    if (limit < 1)
        return sdd_fail(err, SDD_EINVALID, "limit", "limit is %d", limit);
    int rc = store_statement(s, STORE_MESH_LIST, &st, err);
    if (rc)
        return rc;
    struct store_info *list = mesh_alloc(limit, sizeof *list, err);
    if (!list)
        return SDD_ENO_MEMORY;
    int bound = sqlite3_bind_text(st, 1, after, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 2, (int64_t)limit + 1);
    while ((rc = store_step(s, st, bound, "list meshes", err)) == 1) {
        *more = *n == limit;
        if (*more)
            break;
        read_record(st, &r);
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

/* Room for n rows, read from the chunks of one kind. */
static int read_rows(struct store *s, enum store_kind kind, int64_t owner, int64_t n, int64_t row_bytes, void **out,
                     struct sdd_error *err)
{
    *out = mesh_alloc(n, row_bytes, err);
    return *out ? store_chunks_read(s, kind, owner, 0, *out, n * row_bytes, err) : SDD_ENO_MEMORY;
}

/* Everything that a mesh has, as stored; buffers[0..4] are the caller's to free. */
static int load_arrays(struct store *s, const struct mesh_record *r, struct mesh_arrays *a, void *buffers[5],
                       struct sdd_error *err)
{
    const struct store_info *i = &r->info;
    int64_t n_vertices = 0, n_uvs = 0;
    int rc = read_rows(s, STORE_TOPOLOGY, r->topology, r->topology_bytes, 1, &buffers[0], err);
    if (!rc && mesh_decode(buffers[0], r->topology_bytes, a, &n_vertices, &n_uvs, err))
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: topology %lld cannot be read",
                      (long long)r->topology);
    if (!rc && (n_vertices != i->n_vertices || a->face_counts.n != i->n_faces || n_uvs != i->n_uvs))
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: mesh %s and its topology differ", i->id);
    if (!rc)
        rc = read_rows(s, STORE_POINTS, r->key, i->n_vertices, 12, &buffers[1], err);
    if (!rc)
        rc = read_rows(s, STORE_UVS, r->key, i->n_uvs, 8, &buffers[2], err);
    if (!rc && r->sparse & SPARSE_VERTICES)
        rc = read_rows(s, STORE_VERTEX_IDS, r->key, i->n_vertices, 4, &buffers[3], err);
    if (!rc && r->sparse & SPARSE_FACES)
        rc = read_rows(s, STORE_FACE_IDS, r->key, i->n_faces, 4, &buffers[4], err);
    a->points = (struct f32s){buffers[1], 3 * i->n_vertices};
    a->uvs = (struct f32s){buffers[2], 2 * i->n_uvs};
    a->vertex_ids = (struct i32s){buffers[3], buffers[3] ? i->n_vertices : 0};
    a->face_ids = (struct i32s){buffers[4], buffers[4] ? i->n_faces : 0};
    a->next_vertex_id = r->next_vertex_id;
    a->next_face_id = r->next_face_id;
    return rc;
}

int store_load(struct store *s, const char *id, struct mesh **out, struct store_info *info, struct sdd_error *err)
{
    struct mesh_record r;
    struct mesh_arrays a = {.crease_pairs = 1};
    char topology_id[MESH_TOPOLOGY_ID_SIZE];
    void *buffers[5] = {0};
    *out = NULL;
    int rc = find_record(s, id, &r, err);
    if (!rc)
        rc = load_arrays(s, &r, &a, buffers, err);
    if (!rc)
        rc = mesh_build(&a, out, err);
    if (!rc)
        rc = mesh_topology_id(*out, topology_id, err);
    if (!rc && strcmp(topology_id, r.info.topology_id) != 0)
        rc = sdd_fail(err, SDD_ESTORE, "store", "stored data is damaged: topology %s has become %s", r.info.topology_id,
                      topology_id);
    for (int i = 0; i < 5; i++)
        free(buffers[i]);
    if (rc) {
        mesh_free(*out);
        *out = NULL;
        return rc;
    }
    memcpy((*out)->name, r.info.name, sizeof r.info.name);
    (*out)->n_edges = r.info.n_edges;
    if (info)
        *info = r.info;
    return SDD_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */
static int write_array(struct store *s, enum store_kind kind, int64_t owner, const void *data, int64_t bytes,
                       struct sdd_error *err)
{
    struct store_writer w;
    int rc = store_writer_init(&w, s, kind, owner, err);
    return rc ? rc : store_writer_fini(&w, store_writer_add(&w, data, bytes, err), err);
}

static int write_topology(struct store *s, const struct mesh_encoding *e, int64_t key, struct sdd_error *err)
{
    struct store_writer w;
    int rc = store_writer_init(&w, s, STORE_TOPOLOGY, key, err);
    if (rc)
        return rc;
    for (int i = 0; i < e->n && !rc; i++)
        rc = store_writer_add(&w, e->parts[i].data, (int64_t)e->parts[i].bytes, err);
    return store_writer_fini(&w, rc, err);
}

/* The key of m's topology, which is written if nobody has it yet. */
static int put_topology(struct store *s, const struct mesh *m, int64_t *key, struct sdd_error *err)
{
    char id[MESH_TOPOLOGY_ID_SIZE];
    struct mesh_encoding e;
    sqlite3_stmt *st;
    int rc = mesh_topology_id(m, id, err);
    if (!rc)
        rc = store_statement(s, STORE_TOPOLOGY_FIND, &st, err);
    if (rc)
        return rc;
    rc = store_step(s, st, sqlite3_bind_text(st, 1, id, -1, SQLITE_TRANSIENT), "find a topology", err);
    if (rc == 1)
        *key = sqlite3_column_int64(st, 0);
    (void)sqlite3_reset(st);
    if (rc)
        return rc < 0 ? rc : SDD_OK;
    mesh_encode(m, &e);
    rc = store_statement(s, STORE_TOPOLOGY_INSERT, &st, err);
    if (rc)
        return rc;
    int bound = sqlite3_bind_text(st, 1, id, -1, SQLITE_TRANSIENT) | sqlite3_bind_int64(st, 2, e.bytes);
    rc = store_step(s, st, bound, "insert a topology", err);
    *key = sqlite3_last_insert_rowid(s->db);
    return rc ? rc : write_topology(s, &e, *key, err);
}

/* Drops a topology that no mesh has any more. */
static int drop_topology(struct store *s, int64_t key, struct sdd_error *err)
{
    int rc = store_run(s, STORE_TOPOLOGY_DROP, key, 0, err);
    if (rc || !sqlite3_changes(s->db))
        return rc;
    return store_run(s, STORE_TOPOLOGY_CHUNKS_DELETE, key, 0, err);
}

static bool is_sparse(const int32_t *ids, int64_t n)
{
    int64_t i = 0;
    while (i < n && ids[i] == i)
        i++;
    return i < n;
}

static int sparse_ids(const struct mesh *m)
{
    return (is_sparse(m->vertex_ids, m->n_vertices) ? SPARSE_VERTICES : 0) |
           (is_sparse(m->face_ids, m->n_faces) ? SPARSE_FACES : 0);
}

static int write_mesh_row(struct store *s, enum store_sql sql, const char *id, const struct mesh *m, int64_t topology,
                          int64_t now_ms, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_statement(s, sql, &st, err);
    if (rc)
        return rc;
    const int64_t numbers[] = {m->n_vertices, m->n_faces, m->n_corners, m->n_edges, m->n_uvs, now_ms};
    int bound = sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(st, 2, m->name[0] ? m->name : id, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int64(st, 3, topology);
    bound |= sqlite3_bind_int64(st, 4, m->next_vertex_id);
    bound |= sqlite3_bind_int64(st, 5, m->next_face_id);
    bound |= sqlite3_bind_int(st, 6, sparse_ids(m));
    bound |= sqlite3_bind_blob(st, 7, &m->options, sizeof m->options, SQLITE_STATIC);
    for (int i = 0; i < 6; i++)
        bound |= sqlite3_bind_int64(st, 8 + i, numbers[i]);
    rc = store_step(s, st, bound, "write a mesh", err);
    (void)sqlite3_clear_bindings(st);
    if (rc && (sqlite3_extended_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
        rc = sdd_fail(err, SDD_ECONFLICT, "id", "there is a mesh with this id already");
    return rc;
}

static int write_mesh_arrays(struct store *s, int64_t key, const struct mesh *m, struct sdd_error *err)
{
    int sparse = sparse_ids(m);
    int rc = write_array(s, STORE_POINTS, key, m->points, 12 * m->n_vertices, err);
    if (!rc)
        rc = write_array(s, STORE_UVS, key, m->uvs, 8 * m->n_uvs, err);
    if (!rc)
        rc =
            write_array(s, STORE_VERTEX_IDS, key, m->vertex_ids, sparse & SPARSE_VERTICES ? 4 * m->n_vertices : 0, err);
    if (!rc)
        rc = write_array(s, STORE_FACE_IDS, key, m->face_ids, sparse & SPARSE_FACES ? 4 * m->n_faces : 0, err);
    return rc;
}

/* The last steps of every change: the answer, the commit, what the mesh is now. */
static int finish(struct store *s, int rc, const char *id, int64_t now_ms, const struct store_answer *answer,
                  struct store_info *info, struct sdd_error *err)
{
    struct mesh_record r;
    if (!rc && answer)
        rc = store_answer_insert(s, answer, now_ms, err);
    if (!rc && info)
        rc = find_record(s, id, &r, err);
    rc = store_end(s, rc, err);
    if (!rc && info)
        *info = r.info;
    return rc;
}

int store_create(struct store *s, const char *id, const struct mesh *m, int64_t now_ms,
                 const struct store_answer *answer, struct store_info *info, struct sdd_error *err)
{
    int64_t topology;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = put_topology(s, m, &topology, err);
    if (!rc)
        rc = write_mesh_row(s, STORE_MESH_INSERT, id, m, topology, now_ms, err);
    if (!rc)
        rc = write_mesh_arrays(s, sqlite3_last_insert_rowid(s->db), m, err);
    return finish(s, rc, id, now_ms, answer, info, err);
}

static int find_version(struct store *s, const char *id, int64_t expected, struct mesh_record *r, struct sdd_error *err)
{
    int rc = find_record(s, id, r, err);
    if (rc || expected == STORE_ANY_VERSION || expected == r->info.version)
        return rc;
    rc = sdd_fail(err, SDD_ESTALE, "If-Match", "the mesh is at version %lld, not %lld", (long long)r->info.version,
                  (long long)expected);
    if (err)
        err->available = r->info.version;
    return rc;
}

int store_replace(struct store *s, const char *id, int64_t expected, const struct mesh *m, int64_t now_ms,
                  const struct store_answer *answer, struct store_info *info, struct sdd_error *err)
{
    struct mesh_record r;
    int64_t topology = 0;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = find_version(s, id, expected, &r, err);
    if (!rc)
        rc = put_topology(s, m, &topology, err);
    if (!rc)
        rc = write_mesh_row(s, STORE_MESH_REPLACE, id, m, topology, now_ms, err);
    if (!rc)
        rc = write_mesh_arrays(s, r.key, m, err);
    if (!rc && topology != r.topology)
        rc = drop_topology(s, r.topology, err);
    return finish(s, rc, id, now_ms, answer, info, err);
}

int store_delete(struct store *s, const char *id, int64_t expected, struct sdd_error *err)
{
    struct mesh_record r;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = find_version(s, id, expected, &r, err);
    if (!rc)
        rc = store_run(s, STORE_MESH_CHUNKS_DELETE, r.key, 0, err);
    if (!rc)
        rc = store_run(s, STORE_MESH_DELETE, r.key, 0, err);
    if (!rc)
        rc = drop_topology(s, r.topology, err);
    return store_end(s, rc, err);
}

/* ---- positions: only the chunks that a range touches are rewritten ---------------------------------------------------- */
struct touch {
    int64_t chunk, range;
};

static int touch_compare(const void *pa, const void *pb)
{
    const struct touch *a = pa, *b = pb;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return (a->range > b->range) - (a->range < b->range);
}

/* Every (chunk, range) that meet, by chunk and then in the order of the ranges. */
static int list_touches(const struct positions *p, struct touch **out, int64_t *n, struct sdd_error *err)
{
    int64_t total = 0;
    for (int64_t i = 0; i < p->n_ranges; i++)
        if (p->ranges[i].n)
            total += (p->ranges[i].first + p->ranges[i].n - 1) / STORE_POINT_ROWS -
                     p->ranges[i].first / STORE_POINT_ROWS + 1;
    *n = 0;
    *out = mesh_alloc(total, sizeof **out, err);
    if (!*out)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < p->n_ranges; i++) {
        const struct position_range *r = &p->ranges[i];
        for (int64_t c = r->first / STORE_POINT_ROWS; r->n && c <= (r->first + r->n - 1) / STORE_POINT_ROWS; c++)
            (*out)[(*n)++] = (struct touch){c, i};
    }
    qsort(*out, (size_t)*n, sizeof **out, touch_compare);
    return SDD_OK;
}

/* Rewrites one chunk with the n ranges that touch it. */
static int put_chunk(struct store *s, const struct mesh_record *r, const struct positions *p, const struct touch *t,
                     int64_t n, float *buffer, struct sdd_error *err)
{
    int64_t first = t->chunk * STORE_POINT_ROWS, rows = r->info.n_vertices - first;
    bool covered = false;
    int rc = SDD_OK;
    if (rows > STORE_POINT_ROWS)
        rows = STORE_POINT_ROWS;
    for (int64_t i = 0; i < n; i++) {
        const struct position_range *range = &p->ranges[t[i].range];
        covered |= range->first <= first && range->first + range->n >= first + rows;
    }
    if (!covered)
        rc = store_chunks_read(s, STORE_POINTS, r->key, t->chunk, buffer, 12 * rows, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        const struct position_range *range = &p->ranges[t[i].range];
        int64_t from = range->first > first ? range->first : first, end = range->first + range->n;
        if (end > first + rows)
            end = first + rows;
        memcpy(buffer + 3 * (from - first), range->points + 3 * (from - range->first), (size_t)(12 * (end - from)));
    }
    return rc ? rc : store_chunk_write(s, STORE_POINTS, r->key, t->chunk, buffer, 12 * rows, err);
}

static int put_ranges(struct store *s, const struct mesh_record *r, const struct positions *p, struct sdd_error *err)
{
    struct touch *touches = NULL;
    int64_t n = 0;
    float *buffer = mesh_alloc(STORE_POINT_ROWS, 12, err);
    int rc = buffer ? list_touches(p, &touches, &n, err) : SDD_ENO_MEMORY;
    for (int64_t i = 0, end; i < n && !rc; i = end) {
        for (end = i + 1; end < n && touches[end].chunk == touches[i].chunk;)
            end++;
        rc = put_chunk(s, r, p, touches + i, end - i, buffer, err);
    }
    free(touches);
    free(buffer);
    return rc;
}

int store_put_points(struct store *s, const char *id, int64_t expected, const struct positions *p, int64_t now_ms,
                     const struct store_answer *answer, struct store_info *info, struct sdd_error *err)
{
    struct mesh_record r;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = find_version(s, id, expected, &r, err);
    if (!rc)
        rc = positions_check(p, r.info.n_vertices, 0, err);
    if (!rc)
        rc = put_ranges(s, &r, p, err);
    if (!rc)
        rc = store_run(s, STORE_MESH_TOUCH, r.key, now_ms, err);
    return finish(s, rc, id, now_ms, answer, info, err);
}
