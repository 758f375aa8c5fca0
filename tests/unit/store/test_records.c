/* SPDX-License-Identifier: Apache-2.0 */
/* Versions that are stored as the edits that make them: each that is kept loads as it was acknowledged, whatever came
 * between; snapshots come when they are due; nothing is left behind; and edits that are damaged, lost, exchanged or old
 * are told, never passed over. */
#include "server/base/stop.h"
#include "tests/unit/random_edits.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <cmocka.h>

enum { N = 400, KEPT = 45 };
#define POKE "{\"pokeFaces\":{\"ids\":[%d]}}"

/* ---- changes; each makes the next version in the store, and returns it ---- */
static struct mesh *copy(const struct mesh *m)
{
    struct sdd_error err;
    struct mesh *out;
    assert_int_equal(mesh_copy(m, &out, &err), SDD_OK);
    return out;
}

/* NULL when the batch is refused. */
static struct mesh *edit(struct store *s, const struct mesh *m, const char *edits)
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

static struct mesh *poke(struct store *s, const struct mesh *m, int face)
{
    char text[64];
    (void)snprintf(text, sizeof text, POKE, face);
    struct mesh *out = edit(s, m, text);
    assert_non_null(out);
    return out;
}

static struct mesh *move(struct store *s, const struct mesh *m, int64_t first, int64_t n, float to)
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
    positions_apply(&p, out);
    free(points);
    return out;
}

static struct mesh *rename_to(struct store *s, const struct mesh *m, int number)
{
    struct mesh *out = copy(m);
    struct sdd_error err;
    (void)snprintf(out->name, sizeof out->name, "mesh %d", number);
    assert_int_equal(store_rename(s, "m_a", STORE_ANY_VERSION, out->name, 1, NULL, &err), SDD_OK);
    return out;
}

/* As undo does: what an earlier version was, with the ids to come of the present one. */
static struct mesh *bring_back(struct store *s, const struct mesh *m, const struct mesh *old, int64_t version)
{
    struct mesh *out = copy(old);
    struct sdd_error err;
    const struct store_edit e = {.mesh = out, .as = version};
    out->next_vertex_id = m->next_vertex_id;
    out->next_face_id = m->next_face_id;
    assert_int_equal(store_edit(s, "m_a", STORE_ANY_VERSION, &e, 1, NULL, NULL, &err), SDD_OK);
    return out;
}

/* A version is what was acknowledged; ids to come are those of the present one. */
static void has(struct store *s, int64_t version, const struct mesh *want, const struct mesh *now)
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

/* ---- all kinds of changes ---- */
static struct mesh *grown(const char *json, int rounds)
{
    struct mesh *m = sample_json(json);
    for (; rounds; rounds--) {
        struct edit_result r;
        struct sdd_error err;
        struct edit e = {.op = EDIT_INSET_FACES, .n = m->n_faces, .ids = m->face_ids};
        const struct edit_batch b = {1, &e, NULL};
        assert_int_equal(edits_apply(m, &b, &r, &err), SDD_OK);
        mesh_free(m);
        m = r.mesh;
        r.mesh = NULL;
        edit_result_free(&r);
    }
    (void)snprintf(m->name, sizeof m->name, "mesh");
    return m;
}

/* A random change of version v - 1, whose mesh is at[v - 1]. */
static struct mesh *change(struct store *s, struct random_edits *w, struct mesh *const *at, int v)
{
    const struct mesh *m = at[v - 1];
    struct mesh *out = NULL;
    random_batch(w, m);
    const uint64_t x = w->x >> 7;
    switch (x % 24) {
    case 0: return rename_to(s, m, v);
    case 1:
    case 2: return move(s, m, (int64_t)(x % 5), 3, (float)v);
    case 3: return v % 3 ? move(s, m, 2, m->n_vertices / 2, (float)v) : move(s, m, 0, m->n_vertices, (float)v);
    case 4:
    case 5:
    case 6: {
        const int old = v > 2 ? v - 2 - (int)(x / 24 % 3) * (v > 20) : 1;
        return bring_back(s, m, at[old], old);
    }
    default: break;
    }
    for (; !(out = edit(s, m, w->text)); random_batch(w, m))
        ;
    return out;
}

static int64_t count(const char *dir, const char *what)
{
    char sql[200];
    (void)snprintf(sql, sizeof sql, "SELECT %s", what);
    return store_count(dir, sql);
}

static void all_kinds(struct mesh *first, uint64_t seed)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct random_edits w = {.x = seed, .collapses = true};
    struct mesh *at[N + 1] = {NULL, first};
    struct sdd_error err = {0};
    int64_t longest = 0, pending = 0, snapshots = 0;
    store_keep(s, KEPT, 1 << 30);
    assert_int_equal(store_create(s, "m_a", first, 1, NULL, NULL, &err), SDD_OK);
    for (int v = 2; v <= N; v++) {
        at[v] = change(s, &w, at, v);
        has(s, v, at[v], at[v]);
        if (v % 13)
            continue;
        store_close(s);
        snapshots += pending && count(dir, "base FROM meshes") >= v - 13;
        pending = count(dir, "count(*) FROM edits, meshes WHERE edits.version > base");
        longest = pending > longest ? pending : longest;
        s = store_reopen(dir);
        store_keep(s, KEPT, 1 << 30);
        for (int k = v > KEPT ? v - KEPT + 1 : 1; k <= v; k++)
            has(s, k, at[k], at[v]);
        if (store_check(s, &err))
            fail_msg("%s", err.text);
    }
    print_message("%lld times a new snapshot, %lld edits behind one at most\n", (long long)snapshots,
                  (long long)longest);
    assert_true(snapshots > 5 && longest <= 31);
    assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
    assert_int_equal(store_history_bytes(s), 0);
    store_close(s);
    assert_int_equal(count(dir, "(SELECT count(*) FROM edits) + (SELECT count(*) FROM old_chunks)"), 0);
    assert_int_equal(count(dir, "(SELECT count(*) FROM chunks) + (SELECT count(*) FROM topologies)"), 0);
    for (int v = 1; v <= N; v++)
        mesh_free(at[v]);
    tempdir_remove(dir);
}

static void test_all_kinds(void **state)
{
    (void)state;
    all_kinds(grown(sample_primvars_json, 2), 88172645463325252u);
    all_kinds(grown(sample_sets_json, 3), 1234567u);
    all_kinds(grown(sample_primvars_json, 0), 4711u);
}

/* ---- snapshots ---- */
static struct mesh *begin(struct store **s, const char *dir, struct mesh *m, int64_t versions)
{
    struct sdd_error err;
    *s = store_reopen(dir);
    (void)snprintf(m->name, sizeof m->name, "mesh");
    store_keep(*s, versions, 1 << 30);
    assert_int_equal(store_create(*s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    return m;
}

static void take(struct mesh **m, struct mesh *next)
{
    mesh_free(*m);
    *m = next;
}

/* What the database has, without closing the store for longer than that takes. */
static int64_t look(struct store **s, const char *dir, const char *what)
{
    store_close(*s);
    int64_t n = count(dir, what);
    *s = store_reopen(dir);
    return n;
}

static void test_snapshot_by_number(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = begin(&s, dir, sample_grid(60, 60), 1);
    (void)state;
    for (int i = 0; i < 31; i++)
        take(&m, poke(s, m, i));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 31);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 1);
    assert_int_equal(look(&s, dir, "base FROM history"), 1);
    assert_int_equal(look(&s, dir, "count(*) FROM topologies"), 1);
    has(s, 32, m, m);
    take(&m, poke(s, m, 31));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 33);
    assert_int_equal(look(&s, dir, "length(since) + length(topology_id) FROM meshes"), 0);
    assert_int_equal(look(&s, dir, "count(*) FROM topologies"), 1);
    has(s, 33, m, m);
    take(&m, poke(s, m, 32));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 1);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 33);
    has(s, 34, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* The edits of a small mesh soon take more than a quarter of it; and a large batch does at once. */
static void test_snapshot_by_bytes(void **state)
{
    char *dir = tempdir(), many[8000] = "";
    struct store *s;
    struct mesh *m = begin(&s, dir, sample_grid(12, 12), 1);
    size_t at = 0;
    (void)state;
    const int64_t quarter = look(&s, dir, "sum(length(data)) / 4 FROM chunks");
    for (int i = 0; i < 20; i++)
        take(&m, poke(s, m, i));
    assert_true(look(&s, dir, "coalesce(sum(length(data)), 0) FROM edits") <= quarter);
    assert_true(look(&s, dir, "base FROM meshes") > 1);
    has(s, 21, m, m);
    for (int i = 30; i < 130; i++)
        at += (size_t)snprintf(many + at, sizeof many - at, "%s" POKE, at ? "," : "", i);
    take(&m, edit(s, m, many));
    assert_int_equal(look(&s, dir, "base FROM meshes"), 22);
    has(s, 22, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* Positions behind edits: few are one more edit, many a new snapshot; without edits they go into the chunks. */
static void test_positions(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = begin(&s, dir, sample_grid(60, 60), 1);
    (void)state;
    take(&m, move(s, m, 0, 3, 5));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 2);
    take(&m, poke(s, m, 0));
    take(&m, move(s, m, 4, 3, 6));
    take(&m, rename_to(s, m, 1));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 2);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 2);
    has(s, 5, m, m);
    take(&m, move(s, m, 0, m->n_vertices, 7));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 6);
    has(s, 6, m, m);
    take(&m, poke(s, m, 1));
    for (int i = 0; i < 32; i++)
        take(&m, move(s, m, i, 1, 8));
    assert_int_equal(look(&s, dir, "base FROM meshes"), 39); /* 38 was a snapshot, and 39 has changed its chunks. */
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 0);
    has(s, 39, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* ---- history ---- */
/* The edits that a version needs stay as long as it, and count. */
static void test_history(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct sdd_error err;
    struct mesh *m = begin(&s, dir, sample_grid(60, 60), 3);
    (void)state;
    for (int i = 0; i < 31; i++)
        take(&m, poke(s, m, i));
    /* Of the versions before the present one, 30 and 31 are kept. */
    const int64_t bytes = store_history_bytes(s);
    assert_int_equal(bytes, look(&s, dir, "sum(length(data)) FROM edits WHERE version IN (30, 31)"));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 31);
    store_keep(s, 3, 1 << 30);
    take(&m, poke(s, m, 31));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 31); /* 31 and 32 need them. */
    store_keep(s, 3, 1 << 30);
    take(&m, poke(s, m, 32));
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 32);
    store_keep(s, 3, 1 << 30);
    take(&m, poke(s, m, 33)); /* 33, which has a snapshot of its own, is the oldest now. */
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 2);
    assert_int_equal(look(&s, dir, "min(version) FROM edits"), 34);
    has(s, 35, m, m);
    assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
    assert_int_equal(store_history_bytes(s), 0);
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 0);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* What is undone and done again takes no edits of its own, and is known to be equal. */
static void test_content(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct store_version *list;
    struct sdd_error err;
    int n, more;
    struct mesh *one = begin(&s, dir, sample_grid(60, 60), 9), *two = poke(s, one, 0), *three = poke(s, two, 1);
    (void)state;
    struct mesh *four = rename_to(s, three, 4), *five = copy(three);
    assert_int_equal(store_rename(s, "m_a", STORE_ANY_VERSION, "mesh", 1, NULL, &err), SDD_OK);
    struct mesh *six = bring_back(s, five, two, 2), *seven = bring_back(s, six, one, 1);
    struct mesh *eight = bring_back(s, seven, three, 3), *nine = poke(s, eight, 2);
    assert_int_equal(store_history(s, "m_a", INT64_MAX, 9, &list, &n, &more, &err), SDD_OK);
    assert_int_equal(n, 9);
    static const int same_as[] = {0, 1, 2, 3, 4, 3, 2, 1, 3, 9};
    for (int i = 1; i <= 9; i++)
        for (int k = 1; k <= 9; k++)
            if ((memcmp(list[9 - i].content, list[9 - k].content, sizeof list->content) == 0) !=
                (same_as[i] == same_as[k]))
                fail_msg("versions %d and %d", i, k);
    free(list);
    assert_int_equal(look(&s, dir, "count(*) FROM edits"), 3);
    assert_int_equal(look(&s, dir, "base FROM meshes"), 1);
    struct mesh *all[] = {one, two, three, four, five, six, seven, eight, nine};
    for (int i = 0; i < 9; i++)
        has(s, i + 1, all[i], nine);
    store_close(s);
    for (int i = 0; i < 9; i++)
        mesh_free(all[i]);
    tempdir_remove(dir);
}

/* An undo that goes behind a snapshot writes another one, which is known to have what the earlier version had. */
static void test_content_across(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct store_version *list;
    struct sdd_error err;
    int n, more;
    struct mesh *m = begin(&s, dir, sample_grid(60, 60), 50), *before = NULL;
    (void)state;
    for (int i = 0; i < 32; i++) {
        mesh_free(before);
        before = m;
        m = poke(s, m, i);
    }
    struct mesh *back = bring_back(s, m, before, 32), *again = bring_back(s, back, m, 33);
    struct mesh *other = rename_to(s, again, 1), *edited = poke(s, other, 40),
                *undone = bring_back(s, edited, other, 36);
    has(s, 34, back, undone);
    has(s, 38, undone, undone);
    assert_int_equal(store_history(s, "m_a", INT64_MAX, 50, &list, &n, &more, &err), SDD_OK);
    assert_int_equal(n, 38);
    static const int same_as[] = {31, 32, 33, 32, 33, 36, 37, 36}; /* Versions 31 to 38. */
    for (int i = 31; i <= 38; i++)
        for (int k = 31; k <= 38; k++)
            if ((memcmp(list[38 - i].content, list[38 - k].content, sizeof list->content) == 0) !=
                (same_as[i - 31] == same_as[k - 31]))
                fail_msg("versions %d and %d", i, k);
    free(list);
    assert_int_equal(store_check(s, &err), SDD_OK);
    store_close(s);
    struct mesh *all[] = {m, before, back, again, other, edited, undone};
    for (int i = 0; i < 7; i++)
        mesh_free(all[i]);
    tempdir_remove(dir);
}

/* What was undone counts, so that edits that are undone again and again do not pile up. */
static void test_undone(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = begin(&s, dir, sample_grid(60, 60), 1 << 20);
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct mesh *next = poke(s, m, 7);
        take(&m, bring_back(s, next, m, 2 * i + 1));
        mesh_free(next);
    }
    has(s, 201, m, m);
    assert_true(look(&s, dir,
                     "max(n) FROM (SELECT count(*) AS n FROM edits e, history h WHERE e.version > h.base AND"
                     " e.version <= h.version GROUP BY h.version)") == 31);
    store_keep(s, 2, 1 << 30);
    take(&m, poke(s, m, 8));
    assert_true(look(&s, dir, "count(*) FROM edits") <= 31);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* ---- damage ---- */
/* A store whose mesh has edits 2 to 7 behind version 1. */
static struct mesh *six_edits(const char *dir, int face)
{
    struct store *s;
    struct mesh *m = begin(&s, dir, sample_grid(60, 60), 9);
    for (int i = 0; i < 6; i++)
        take(&m, i == 2 ? move(s, m, face, 2, 9) : poke(s, m, face + i));
    store_close(s);
    return m;
}

/* The checksum of an edit. */
static void checksum(int64_t version, const int64_t next[2], int64_t kind, const void *data, size_t n, char hex[33])
{
    const int64_t place[] = {1, version, version - 1, next[0], next[1], kind};
    XXH128_canonical_t out;
    XXH128_canonicalFromHash(&out, XXH3_128bits_withSeed(data, n, XXH3_64bits(place, sizeof place)));
    for (int i = 0; i < 16; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", out.digest[i]);
}

/* A version cannot be loaded, with these words, and the store's check says that something is wrong, too. */
static void refuses(const char *dir, int64_t version, const char *says)
{
    struct sdd_error err = {0};
    struct mesh *m;
    struct store *s = store_reopen(dir);
    assert_int_equal(store_load(s, "m_a", version, &m, NULL, &err), SDD_ESTORE);
    assert_null(m);
    if (!strstr(err.text, says) || !strstr(err.text, "m_a"))
        fail_msg("%s, not %s", err.text, says);
    assert_int_equal(store_check(s, &err), SDD_ESTORE);
    store_close(s);
}

static void test_damage(void **state)
{
    static const struct {
        const char *sql, *says;
        int64_t sound; /* The last version that can be loaded all the same, or 0. */
    } cases[] = {
        {"UPDATE edits SET data = zeroblob(length(data)) WHERE version = 5", "version 5 of mesh 1 do not match", 4},
        {"UPDATE edits SET data = CAST(data || x'00' AS BLOB) WHERE version = 7", "do not match their checksum", 6},
        {"UPDATE edits SET data = x'' WHERE version = 7", "are empty", 6},
        {"UPDATE edits SET kind = 2 WHERE version = 2", "do not match their checksum", 1},
        {"UPDATE edits SET next_face_id = next_face_id + 1 WHERE version = 5", "do not match their checksum", 4},
        {"UPDATE edits SET before = 3 WHERE version = 5", "do not match their checksum", 4},
        {"UPDATE edits SET before = 9 WHERE version = 5", "do not match their checksum", 4},
        {"UPDATE edits SET before = 1 WHERE version = 5", "do not match their checksum", 4},
        {"UPDATE edits SET hash = x'00' WHERE version = 2", "do not match their checksum", 1},
        {"DELETE FROM edits WHERE version = 2", "", 1},
        {"DELETE FROM edits WHERE version = 4", "between versions 1 and 7 are not all there", 3},
        {"DELETE FROM edits WHERE version = 7", "between versions 1 and 7 are not all there", 6},
        {"DELETE FROM edits", "are not all there", 1},
        {"UPDATE edits SET version = 99 WHERE version = 3; UPDATE edits SET version = 3 WHERE version = 6;"
         "UPDATE edits SET version = 6 WHERE version = 99",
         "do not match their checksum", 2},
        {"UPDATE edits SET version = version + 10 WHERE version = 7", "are not all there", 6},
        {"UPDATE meshes SET base = 2", "its row names no snapshot", 0},
        {"UPDATE meshes SET since = x''", "its row names no snapshot", 0},
        {"UPDATE meshes SET since = substr(since, 1, 80)", "its row names no snapshot", 0},
        {"UPDATE meshes SET since = zeroblob(88)", "its row names no snapshot", 0},
        {"UPDATE meshes SET since = zeroblob(length(since) + 5000)", "its row names no snapshot", 0},
        {"UPDATE meshes SET since = x'' , base = version, topology_id = ''", "its row does not match its checksum", 0},
        {"UPDATE meshes SET topology_id = (SELECT id FROM topologies)", "its row does not match its checksum", 0},
        {"UPDATE meshes SET since = (SELECT since FROM history WHERE version = 6)", "its row does not match", 0},
        {"UPDATE chunks SET data = zeroblob(length(data)) WHERE kind = 1", "does not match its checksum", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *dir = tempdir();
        struct sdd_error err = {0};
        struct mesh *m = six_edits(dir, 10), *found;
        store_sql(dir, cases[i].sql);
        refuses(dir, STORE_ANY_VERSION, cases[i].says);
        struct store *s = store_reopen(dir);
        if (cases[i].sound) {
            assert_int_equal(store_load(s, "m_a", cases[i].sound, &found, NULL, &err), SDD_OK);
            mesh_free(found);
            assert_int_equal(store_load(s, "m_a", cases[i].sound + 1, &found, NULL, &err), SDD_ESTORE);
        }
        assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
        store_close(s);
        mesh_free(m);
        tempdir_remove(dir);
    }
}

/* An edit with a right checksum that is not the one: of the same version of the same mesh, as an old page would have
 * it. */
static void test_older(void **state)
{
    char *dir = tempdir(), *other = tempdir(), sql[700];
    struct mesh *m = six_edits(dir, 10), *n = six_edits(other, 1000);
    (void)state;
    (void)snprintf(sql, sizeof sql,
                   "ATTACH '%s/subdd.db' AS o; UPDATE edits SET hash = n.hash, data = n.data FROM o.edits n"
                   " WHERE n.version = edits.version AND edits.version = 4",
                   other);
    store_sql(dir, sql);
    refuses(dir, 7, "are not all there as they were stored");
    refuses(dir, 4, "are not all there as they were stored");
    mesh_free(m);
    mesh_free(n);
    tempdir_remove(dir);
    tempdir_remove(other);
}

/* Bytes that nobody wrote, with a right checksum: they do not decode, do not apply, or are of no known kind. */
static void test_hostile(void **state)
{
    static const unsigned char none[] = {0xff, 0xff, 0xff}, no_edit[] = {0x0a, 0x00};
    static const unsigned char gone[] = {0x0a, 0x08, 0x22, 0x06, 0x0a, 0x04, 0x40, 0x42, 0x0f, 0x00};
    static const unsigned char far[20] = {0x0a, 0x12, 0x08, 0xff, 0xff, 0x03, 0x12, 0x0c};
    static const unsigned char poked[] = {0x0a, 0x09, 0x8a, 0x01, 0x06, 0x0a, 0x04, 0x40, 0x42, 0x0f, 0x00};
    static const unsigned char fine[] = {0x0a, 0x0a, 0x42, 0x08, 0x0a, 0x04, 0, 0, 0, 0, 0x10, 0x01};
    static const unsigned char grows[] = {0x0a, 0x10, 0x0a, 0x0e, 0x0a, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        int kind;
        const void *data;
        size_t n;
        const char *says;
        int64_t next[2];
    } cases[] = {{1, none, 3, "bad field tag", {9999, 9999}},
                 {1, no_edit, 2, "has no operation", {9999, 9999}},
                 {1, gone, sizeof gone, "there is no face 1000000", {9999, 9999}},
                 {1, poked, sizeof poked, "there is no face 1000000", {9999, 9999}},
                 {2, none, 3, "bad field tag", {9999, 9999}},
                 {2, far, sizeof far, "65535", {9999, 9999}},
                 {3, none, 3, "unknown kind", {9999, 9999}},
                 {0, none, 3, "unknown kind", {0}},
                 {1, fine, sizeof fine, "vertexIds[0] is 0; ids are at least 0 and stay below 0", {0, 9999}},
                 {1, fine, sizeof fine, "faceIds[", {9999, 5}},
                 {1, fine, sizeof fine, "ids that are none", {-1, 9999}},
                 {1, fine, sizeof fine, "ids that are none", {9999, INT64_MAX}},
                 {1, grows, sizeof grows, "run out of ids", {INT64_C(1) << 31, 9999}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *dir = tempdir(), sql[400], hex[33], data[64] = "";
        struct mesh *m = six_edits(dir, 10);
        for (size_t k = 0; k < cases[i].n; k++)
            (void)snprintf(data + 2 * k, 3, "%02x", ((const unsigned char *)cases[i].data)[k]);
        checksum(4, cases[i].next, cases[i].kind, cases[i].data, cases[i].n, hex);
        (void)snprintf(sql, sizeof sql,
                       "UPDATE edits SET kind = %d, hash = x'%s', data = x'%s', next_vertex_id = %lld,"
                       " next_face_id = %lld WHERE version = 4",
                       cases[i].kind, hex, data, (long long)cases[i].next[0], (long long)cases[i].next[1]);
        store_sql(dir, sql);
        refuses(dir, STORE_ANY_VERSION, cases[i].says);
        mesh_free(m);
        tempdir_remove(dir);
    }
}

/* Nobody waits for the mesh any more. */
static void test_cancelled(void **state)
{
    char *dir = tempdir();
    struct mesh *m = six_edits(dir, 10), *found;
    struct store *s = store_reopen(dir);
    struct sdd_error err = {0};
    atomic_int flag = 1;
    (void)state;
    stop_watch(&flag);
    assert_int_equal(store_load(s, "m_a", STORE_ANY_VERSION, &found, NULL, &err), SDD_ECANCELLED);
    assert_null(found);
    stop_watch(NULL);
    has(s, 7, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_snapshot_by_number),
        cmocka_unit_test(test_snapshot_by_bytes),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_content_across),
        cmocka_unit_test(test_undone),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_older),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
