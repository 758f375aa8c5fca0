/* SPDX-License-Identifier: Apache-2.0 */
/* Versions that are stored as the edits that make them: each that is kept loads as it was acknowledged, whatever came
 * between; snapshots come when they are due; and nothing is left behind. */
#include "server/base/pool.h"
#include "server/store/sqlite/db.h"
#include "tests/unit/random_edits.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/edited.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 400, KEPT = 45 };
#define POKE "{\"pokeFaces\":{\"ids\":[%d]}}"

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
    case 0: return edited_name(s, m, v);
    case 1:
    case 2: return edited_move(s, m, (int64_t)(x % 5), 3, (float)v);
    case 3:
        return v % 3 ? edited_move(s, m, 2, m->n_vertices / 2, (float)v)
                     : edited_move(s, m, 0, m->n_vertices, (float)v);
    case 4:
    case 5:
    case 6: {
        const int old = v > 2 ? v - 2 - (int)(x / 24 % 3) * (v > 20) : 1;
        return edited_undo(s, m, at[old], old);
    }
    default: break;
    }
    for (; !(out = edited_batch(s, m, w->text)); random_batch(w, m))
        ;
    return out;
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
        edited_has(s, v, at[v], at[v]);
        if (v % 13)
            continue;
        store_close(s);
        snapshots += pending && edited_count(dir, "base FROM meshes") >= v - 13;
        pending = edited_count(dir, "count(*) FROM edits, meshes WHERE edits.version > base");
        longest = pending > longest ? pending : longest;
        s = store_reopen(dir);
        store_keep(s, KEPT, 1 << 30);
        for (int k = v > KEPT ? v - KEPT + 1 : 1; k <= v; k++)
            edited_has(s, k, at[k], at[v]);
        if (store_check(s, &err))
            fail_msg("%s", err.text);
    }
    print_message("%lld times a new snapshot, %lld edits behind one at most\n", (long long)snapshots,
                  (long long)longest);
    assert_true(snapshots > 5 && longest <= 31);
    assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
    assert_int_equal(store_history_bytes(s), 0);
    store_close(s);
    assert_int_equal(edited_count(dir, "(SELECT count(*) FROM edits) + (SELECT count(*) FROM old_chunks)"), 0);
    assert_int_equal(edited_count(dir, "(SELECT count(*) FROM chunks) + (SELECT count(*) FROM topologies)"), 0);
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
static void test_snapshot_by_number(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 1);
    (void)state;
    for (int i = 0; i < 31; i++)
        edited_take(&m, edited_poke(s, m, i));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 31);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 1);
    assert_int_equal(edited_look(&s, dir, "base FROM history"), 1);
    assert_int_equal(edited_look(&s, dir, "count(*) FROM topologies"), 1);
    edited_has(s, 32, m, m);
    edited_take(&m, edited_poke(s, m, 31));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 33);
    assert_int_equal(edited_look(&s, dir, "length(since) + length(topology_id) FROM meshes"), 0);
    assert_int_equal(edited_look(&s, dir, "count(*) FROM topologies"), 1);
    edited_has(s, 33, m, m);
    edited_take(&m, edited_poke(s, m, 32));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 1);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 33);
    edited_has(s, 34, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* The edits of a small mesh soon take more than a quarter of it; and a large batch does at once. */
static void test_snapshot_by_bytes(void **state)
{
    char *dir = tempdir(), many[8000] = "";
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(12, 12), 1);
    size_t at = 0;
    (void)state;
    const int64_t quarter = edited_look(&s, dir, "sum(length(data)) / 4 FROM chunks");
    for (int i = 0; i < 20; i++)
        edited_take(&m, edited_poke(s, m, i));
    assert_true(edited_look(&s, dir, "coalesce(sum(length(data)), 0) FROM edits") <= quarter);
    assert_true(edited_look(&s, dir, "base FROM meshes") > 1);
    edited_has(s, 21, m, m);
    for (int i = 30; i < 130; i++)
        at += (size_t)snprintf(many + at, sizeof many - at, "%s" POKE, at ? "," : "", i);
    edited_take(&m, edited_batch(s, m, many));
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 22);
    edited_has(s, 22, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* The larger the mesh, the fewer edits a load does again. Those that were undone are not done again, and one always
 * may be. */
static void test_snapshot_by_work(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(600, 600), 1);
    struct store_record r = {.info = {.version = 1, .n_vertices = 1000000, .n_faces = 1000000},
                             .topology_bytes = 16000000};
    (void)state;
    for (int i = 0; i < 23; i++) /* 23 x 722000 vertices and faces are below 2^24. */
        edited_take(&m, edited_poke(s, m, i));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 23);
    edited_take(&m, edited_poke(s, m, 23));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 25);
    edited_has(s, 25, m, m);
    assert_true(store_edits_fit(&r, 100));
    r.base = (struct store_base){.version = 1, .n = 7, .all = 7, .n_vertices = 1000000, .n_faces = 1000000};
    assert_true(store_edits_fit(&r, 100));
    r.base.n = r.base.all = 8;
    assert_false(store_edits_fit(&r, 100));
    r.base.n = 7;
    assert_true(store_edits_fit(&r, 100));
    r.info.n_faces = 100000000;
    assert_false(store_edits_fit(&r, 100));
    r.base.n = 0;
    assert_true(store_edits_fit(&r, 100));
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* Positions behind edits: few are one more edit, many a new snapshot; without edits they go into the chunks. */
static void test_positions(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 1);
    (void)state;
    edited_take(&m, edited_move(s, m, 0, 3, 5));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 2);
    edited_take(&m, edited_poke(s, m, 0));
    edited_take(&m, edited_move(s, m, 4, 3, 6));
    edited_take(&m, edited_name(s, m, 1));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 2);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 2);
    edited_has(s, 5, m, m);
    edited_take(&m, edited_move(s, m, 0, m->n_vertices, 7));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 0);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 6);
    edited_has(s, 6, m, m);
    edited_take(&m, edited_poke(s, m, 1));
    for (int i = 0; i < 32; i++)
        edited_take(&m, edited_move(s, m, i, 1, 8));
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"),
                     39); /* 38 was a snapshot, and 39 has changed its chunks. */
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 0);
    edited_has(s, 39, m, m);
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
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 3);
    (void)state;
    for (int i = 0; i < 31; i++)
        edited_take(&m, edited_poke(s, m, i));
    /* Of the versions before the present one, 30 and 31 are kept. */
    const int64_t bytes = store_history_bytes(s);
    assert_int_equal(bytes, edited_look(&s, dir, "sum(length(data)) FROM edits WHERE version IN (30, 31)"));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 31);
    store_keep(s, 3, 1 << 30);
    edited_take(&m, edited_poke(s, m, 31));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 31); /* 31 and 32 need them. */
    store_keep(s, 3, 1 << 30);
    edited_take(&m, edited_poke(s, m, 32));
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 32);
    store_keep(s, 3, 1 << 30);
    edited_take(&m, edited_poke(s, m, 33)); /* 33, which has a snapshot of its own, is the oldest now. */
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 2);
    assert_int_equal(edited_look(&s, dir, "min(version) FROM edits"), 34);
    edited_has(s, 35, m, m);
    assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
    assert_int_equal(store_history_bytes(s), 0);
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 0);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* A limit of bytes below the size of the mesh keeps what few bytes make. A snapshot ends a version that takes more, and
 * the history begins anew there. */
static void test_history_of_few_bytes(void **state)
{
    char *dir = tempdir(), move[100];
    struct store *s;
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m = edited_begin(&s, dir, sample_grid(10, 10), 1);
    int v = 1;
    (void)state;
    store_keep(s, 40, 1024);
    for (; v < 6; v++) {
        (void)snprintf(move, sizeof move, "{\"setPositions\":{\"ids\":[5],\"points\":[5,0,%d]}}", v);
        edited_take(&m, edited_batch(s, m, move));
    }
    while (edited_look(&s, dir, "base FROM meshes") == 1) {
        assert_int_equal(store_find(s, "m_a", 1, &info, &err), SDD_OK);
        assert_in_range(store_history_bytes(s), 1, 1024);
        store_keep(s, 40, 1024);
        edited_take(&m, edited_poke(s, m, v++));
    }
    assert_in_range(v, 8, 33);
    assert_int_equal(store_find(s, "m_a", v - 1, &info, &err), SDD_EGONE);
    store_keep(s, 40, 1024);
    edited_take(&m, edited_poke(s, m, v++));
    assert_int_equal(store_find(s, "m_a", v - 1, &info, &err), SDD_OK);
    edited_has(s, v, m, m);
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
    struct mesh *one = edited_begin(&s, dir, sample_grid(60, 60), 9), *two = edited_poke(s, one, 0),
                *three = edited_poke(s, two, 1);
    (void)state;
    struct mesh *four = edited_name(s, three, 4), *five;
    assert_int_equal(mesh_copy(three, &five, &err), SDD_OK);
    assert_int_equal(store_rename(s, "m_a", STORE_ANY_VERSION, "mesh", 1, NULL, &err), SDD_OK);
    struct mesh *six = edited_undo(s, five, two, 2), *seven = edited_undo(s, six, one, 1);
    struct mesh *eight = edited_undo(s, seven, three, 3), *nine = edited_poke(s, eight, 2);
    assert_int_equal(store_history(s, "m_a", INT64_MAX, 9, &list, &n, &more, &err), SDD_OK);
    assert_int_equal(n, 9);
    static const int same_as[] = {0, 1, 2, 3, 4, 3, 2, 1, 3, 9};
    for (int i = 1; i <= 9; i++)
        for (int k = 1; k <= 9; k++)
            if ((memcmp(list[9 - i].content, list[9 - k].content, sizeof list->content) == 0) !=
                (same_as[i] == same_as[k]))
                fail_msg("versions %d and %d", i, k);
    free(list);
    assert_int_equal(edited_look(&s, dir, "count(*) FROM edits"), 3);
    assert_int_equal(edited_look(&s, dir, "base FROM meshes"), 1);
    struct mesh *all[] = {one, two, three, four, five, six, seven, eight, nine};
    for (int i = 0; i < 9; i++)
        edited_has(s, i + 1, all[i], nine);
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
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 50), *before = NULL;
    (void)state;
    for (int i = 0; i < 32; i++) {
        mesh_free(before);
        before = m;
        m = edited_poke(s, m, i);
    }
    struct mesh *back = edited_undo(s, m, before, 32), *again = edited_undo(s, back, m, 33);
    struct mesh *other = edited_name(s, again, 1), *edited = edited_poke(s, other, 40),
                *undone = edited_undo(s, edited, other, 36);
    edited_has(s, 34, back, undone);
    edited_has(s, 38, undone, undone);
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
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 1 << 20);
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct mesh *next = edited_poke(s, m, 7);
        edited_take(&m, edited_undo(s, next, m, 2 * i + 1));
        mesh_free(next);
    }
    edited_has(s, 201, m, m);
    assert_true(edited_look(&s, dir,
                            "max(n) FROM (SELECT count(*) AS n FROM edits e, history h WHERE e.version > h.base AND"
                            " e.version <= h.version GROUP BY h.version)") == 31);
    store_keep(s, 2, 1 << 30);
    edited_take(&m, edited_poke(s, m, 8));
    assert_true(edited_look(&s, dir, "count(*) FROM edits") <= 31);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* A load takes memory for one edit at a time, and tells how far it is. */
static void test_load(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 1), *found;
    struct pool pool = {.limit = 1 << 30};
    struct claim claim = {.pool = &pool};
    struct sdd_error err;
    (void)state;
    for (int i = 0; i < 31; i++)
        edited_take(&m, i % 8 ? edited_poke(s, m, i) : edited_move(s, m, i, 2, 3));
    assert_int_equal(store_applied(s), 0);
    claim_enter(&claim);
    assert_int_equal(store_load(s, "m_a", STORE_ANY_VERSION, &found, NULL, &err), SDD_OK);
    claim_leave();
    assert_int_equal(store_applied(s), 30); /* The first change was no edit. */
    print_message("%lld of %lld bytes drawn\n", (long long)claim.held, (long long)mesh_bytes(m));
    assert_true(claim.drawn >= mesh_bytes(m) && claim.held < 7 * mesh_bytes(m));
    claim_end(&claim);
    store_close(s);
    mesh_free(found);
    mesh_free(m);
    tempdir_remove(dir);
}

/* To sort what is read, SQLite may need a temporary file, and a place for it. */
static void test_load_sorts_nothing(void **state)
{
    char *dir = tempdir();
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 1);
    int n_statements = 0;
    (void)state;
    for (int i = 0; i < 31; i++)
        edited_take(&m, edited_poke(s, m, i));
    store_close(s);
    s = store_reopen(dir);
    edited_has(s, 32, m, m);
    assert_int_equal(store_applied(s), 31);
    for (sqlite3_stmt *st = sqlite3_next_stmt(s->db, NULL); st; st = sqlite3_next_stmt(s->db, st), n_statements++)
        if (sqlite3_stmt_status(st, SQLITE_STMTSTATUS_SORT, 0))
            fail_msg("%s", sqlite3_sql(st));
    assert_true(n_statements > 3);
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
        cmocka_unit_test(test_snapshot_by_work),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_history_of_few_bytes),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_content_across),
        cmocka_unit_test(test_undone),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_load_sorts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
