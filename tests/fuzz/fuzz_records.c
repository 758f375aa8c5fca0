/* SPDX-License-Identifier: Apache-2.0 */
/* What the store keeps of versions. The first byte says what the rest is: e the data of an edit, p positions, both with
 * a right checksum among edits that were made; b what a row says of its snapshot; anything else a batch. What a batch
 * makes of a cube its record makes again. Stored bytes that make no sense are damage, and nothing else. */
#include "server/store/sqlite/db.h"
#include "tests/fuzz/bodies.h"
#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct store *store;

static void must(int rc)
{
    if (rc)
        abort();
}

/* Version 1 is the cube, and 2 to 5 are made by edits. */
static struct store *make_store(void)
{
    static const char batch[] = "{\"edits\":[{\"setPrimvar\":{\"name\":\"v\",\"ids\":[3],\"values\":[9,9]}}]}";
    char dir[] = "/tmp/fuzz-records-XXXXXX", command[64];
    struct store *s;
    struct mesh *m;
    must(!mkdtemp(dir));
    must(store_open(dir, &s, NULL));
    must(mesh_from_json(body_cube, strlen(body_cube), &m, NULL, NULL));
    store_keep(s, 9, 1 << 20);
    must(store_create(s, "m_a", m, 1, NULL, NULL, NULL));
    for (int i = 0; i < 4; i++) {
        struct edit_batch *b;
        struct edit_result r;
        void *bytes;
        size_t n;
        must(edits_from_json(batch, strlen(batch), &b, NULL));
        must(edits_apply(m, b, &r, NULL));
        must(edits_to_proto(r.primitives, &bytes, &n, NULL));
        const struct store_edit e = {r.mesh, NULL, bytes, (int64_t)n, 0};
        must(store_edit(s, "m_a", STORE_ANY_VERSION, &e, 1, NULL, NULL, NULL));
        mesh_free(m);
        m = r.mesh;
        r.mesh = NULL;
        edit_result_free(&r);
        edit_batch_free(b);
        free(bytes);
    }
    mesh_free(m);
    (void)snprintf(command, sizeof command, "rm -r %s", dir); /* The files stay until they are closed. */
    must(system(command));                                    // NOLINT
    return s;
}

static void read_mesh(const struct store_record *r)
{
    struct sdd_error err = {0};
    struct mesh *m;
    int rc = store_mesh_read(store, r, &m, &err);
    if (rc == SDD_OK)
        must(mesh_check_indices(m, NULL));
    else if (rc != SDD_ESTORE || m || !strstr(err.text, "m_a"))
        abort();
    mesh_free(m);
}

/* Bytes in the place of the third of four edits. */
static void stored_edit(int kind, const uint8_t *data, size_t size)
{
    const int64_t place[] = {1, 4, 3, 8, 6, kind};
    XXH128_canonical_t hash;
    struct store_record r;
    sqlite3_stmt *st;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_withSeed(data, size, XXH3_64bits(place, sizeof place)));
    must(sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL));
    must(sqlite3_prepare_v2(store->db, "UPDATE edits SET kind = ?1, hash = ?2, data = ?3 WHERE version = 4", -1, &st,
                            NULL));
    must(sqlite3_bind_int(st, 1, kind) | sqlite3_bind_blob(st, 2, &hash, sizeof hash, SQLITE_STATIC) |
         sqlite3_bind_blob64(st, 3, size ? data : (const uint8_t *)"", size, SQLITE_STATIC));
    must(sqlite3_step(st) != SQLITE_DONE);
    (void)sqlite3_finalize(st);
    must(store_record_at(store, "m_a", STORE_ANY_VERSION, &r, NULL));
    read_mesh(&r);
    must(sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL));
}

/* As a row could have it that passes its own checks. The sizes stay small, as memory is not what is tested. */
static void stored_base(const uint8_t *data, size_t size)
{
    struct store_record r;
    must(store_record_at(store, "m_a", STORE_ANY_VERSION, &r, NULL));
    struct store_base *b = &r.base;
    memcpy(b, data, size < sizeof *b ? size : sizeof *b);
    int64_t *const sizes[] = {&b->n_vertices, &b->n_faces, &b->n_uvs};
    for (int i = 0; i < 3; i++)
        *sizes[i] %= 1 << 16;
    b->version = b->version > 1 ? b->version : 1;
    b->n = b->n > 0 ? b->n : 0;
    b->n_layers = b->n_layers & 7;
    for (int i = 0; i < b->n_layers; i++) {
        struct store_layer *l = &b->layers[i];
        l->primvar.name[PRIMVAR_NAME_SIZE - 1] = 0;
        l->primvar.n_values %= 1 << 16;
        l->primvar.width %= 1 << 8;
        l->sets.bytes %= 1 << 16;
    }
    read_mesh(&r);
}

static int same(const struct mesh *a, const struct mesh *b)
{
    void *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    must(mesh_to_proto(a, &x, &n, NULL));
    must(mesh_to_proto(b, &y, &m, NULL));
    int is =
        n == m && memcmp(x, y, n) == 0 && a->next_vertex_id == b->next_vertex_id && a->next_face_id == b->next_face_id;
    free(x);
    free(y);
    return is;
}

/* Whatever a batch does, its record does. */
static void recorded(const uint8_t *data, size_t size)
{
    struct mesh *cube;
    struct edit_batch *b, *again;
    struct edit_result r, s;
    void *bytes;
    size_t n;
    if (edits_from_proto(data, size, &b, NULL))
        return;
    must(mesh_from_json(body_cube, strlen(body_cube), &cube, NULL, NULL));
    int rc = edits_apply(cube, b, &r, NULL);
    if (!rc && r.primitives && edits_to_proto(r.primitives, &bytes, &n, NULL) == SDD_OK) {
        must(edits_from_proto(bytes, n, &again, NULL));
        must(edits_apply(cube, again, &s, NULL));
        must(!same(r.mesh, s.mesh));
        edit_result_free(&s);
        edit_batch_free(again);
        free(bytes);
    }
    edit_result_free(&r);
    edit_batch_free(b);
    mesh_free(cube);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!store)
        store = make_store();
    if (!size)
        return 0;
    switch (data[0]) {
    case 'e': stored_edit(STORE_BATCH, data + 1, size - 1); break;
    case 'p': stored_edit(STORE_POSITIONS, data + 1, size - 1); break;
    case 'k': stored_edit(size & 0xff, data + 1, size - 1); break;
    case 'b': stored_base(data + 1, size - 1); break;
    default: recorded(data + 1, size - 1); break;
    }
    return 0;
}
