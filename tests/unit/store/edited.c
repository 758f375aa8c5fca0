/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/store/edited.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct mesh *copy(const struct mesh *m)
{
    struct sdd_error err;
    struct mesh *out;
    assert_int_equal(mesh_copy(m, &out, &err), SDD_OK);
    return out;
}

struct mesh *edited_batch(struct store *s, const struct mesh *m, const char *edits)
{
    char text[8100];
    struct edit_result r;
    struct sdd_error err = {0};
    void *bytes = NULL;
    size_t n = 0;
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", edits);
    struct edit_batch *b = sample_edits(text);
    int rc = edits_apply(m, b, &r, &err);
    edit_batch_free(b);
    if (rc)
        return NULL;
    if (r.primitives && edits_to_proto(r.primitives, &bytes, &n, &err))
        fail_msg("%s", err.text);
    r.mesh->manifold = (int)(r.mesh->n_faces % 2); /* Only what is stored says so. */
    r.mesh->n_edges = r.mesh->n_faces;
    const struct store_edit e = {r.mesh, NULL, bytes, (int64_t)n, 0};
    if (store_edit(s, "m_a", STORE_ANY_VERSION, &e, 1, NULL, NULL, &err))
        fail_msg("%s", err.text);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    free(bytes);
    return out;
}

struct mesh *edited_poke(struct store *s, const struct mesh *m, int face)
{
    char text[64];
    (void)snprintf(text, sizeof text, "{\"pokeFaces\":{\"ids\":[%d]}}", face);
    struct mesh *out = edited_batch(s, m, text);
    assert_non_null(out);
    return out;
}

struct mesh *edited_move(struct store *s, const struct mesh *m, int64_t first, int64_t n, float to)
{
    struct mesh *out = copy(m);
    float *points = calloc((size_t)n, 12);
    struct position_range range = {first, n, points};
    struct positions p = {1, &range, NULL};
    struct sdd_error err = {0};
    for (int64_t i = 0; i < 3 * n; i++)
        points[i] = to;
    if (store_put_points(s, "m_a", STORE_ANY_VERSION, &p, n % 2 ? m : NULL, 1, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(positions_open(&p, out, &err), SDD_OK);
    positions_apply(&p, out);
    free(points);
    return out;
}

struct mesh *edited_name(struct store *s, const struct mesh *m, int number)
{
    struct mesh *out = copy(m);
    struct sdd_error err;
    (void)snprintf(out->name, sizeof out->name, "mesh %d", number);
    assert_int_equal(store_rename(s, "m_a", STORE_ANY_VERSION, out->name, 1, NULL, &err), SDD_OK);
    return out;
}

struct mesh *edited_undo(struct store *s, const struct mesh *m, const struct mesh *old, int64_t version)
{
    struct mesh *out = copy(old);
    struct sdd_error err;
    const struct store_edit e = {.mesh = out, .as = version};
    out->next_vertex_id = m->next_vertex_id;
    out->next_face_id = m->next_face_id;
    assert_int_equal(store_edit(s, "m_a", STORE_ANY_VERSION, &e, 1, NULL, NULL, &err), SDD_OK);
    return out;
}

void edited_has(struct store *s, int64_t version, const struct mesh *want, const struct mesh *now)
{
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m, *w = copy(want);
    if (store_load(s, "m_a", version, &m, &info, &err))
        fail_msg("version %lld: %s", (long long)version, err.text);
    w->next_vertex_id = now->next_vertex_id;
    w->next_face_id = now->next_face_id;
    sample_equal(m, w);
    assert_string_equal(m->name, want->name);
    assert_int_equal(m->n_edges, want->n_edges);
    assert_int_equal(m->manifold, want->manifold);
    assert_int_equal(info.n_faces, want->n_faces);
    assert_int_equal(info.version, version);
    mesh_free(m);
    mesh_free(w);
}

struct mesh *edited_begin(struct store **s, const char *dir, struct mesh *m, int64_t versions)
{
    struct sdd_error err;
    *s = store_reopen(dir);
    (void)snprintf(m->name, sizeof m->name, "mesh");
    store_keep(*s, versions, 1 << 30);
    assert_int_equal(store_create(*s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    return m;
}

void edited_take(struct mesh **m, struct mesh *next)
{
    mesh_free(*m);
    *m = next;
}

int64_t edited_look(struct store **s, const char *dir, const char *what)
{
    store_close(*s);
    int64_t n = edited_count(dir, what);
    *s = store_reopen(dir);
    return n;
}

int64_t edited_count(const char *dir, const char *what)
{
    char sql[200];
    (void)snprintf(sql, sizeof sql, "SELECT %s", what);
    return store_count(dir, sql);
}
