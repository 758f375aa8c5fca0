/* SPDX-License-Identifier: Apache-2.0 */
/* Versions before the present one: each has what it had, whatever came after it; they go by count and by bytes; and
 * nothing of them is left behind. */
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 40, KEPT = 12 };

static void move(struct store *s, const char *id, struct mesh *m, int64_t first, float to)
{
    float points[3] = {to, to, to};
    struct position_range range = {first, 1, points};
    struct positions p = {1, &range, NULL};
    struct sdd_error err = {0};
    if (store_put_points(s, id, STORE_ANY_VERSION, &p, NULL, (int64_t)to, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(positions_open(&p, m, &err), SDD_OK);
    positions_apply(&p, m);
}

static void has(struct store *s, const char *id, int64_t version, const struct mesh *want)
{
    struct store_info info, found;
    struct sdd_error err = {0};
    struct mesh *m;
    if (store_load(s, id, version, &m, &info, &err))
        fail_msg("version %lld: %s", (long long)version, err.text);
    sample_same(m, want);
    assert_string_equal(m->name, want->name);
    assert_int_equal(info.version, version);
    assert_int_equal(store_find(s, id, version, &found, &err), SDD_OK);
    assert_int_equal(found.n_vertices, want->n_vertices);
    mesh_free(m);
}

/* Version v of a mesh, made of the one before: another name, other points, or another mesh of other size, UVs and
 * primvars. Returns what it is. */
static struct mesh *change(struct store *s, const char *id, const struct mesh *before, int v)
{
    struct sdd_error err = {0};
    struct mesh *m = NULL;
    char name[MESH_NAME_SIZE];
    if (v % 5 == 2) {
        m = v % 2 ? sample_grid(70 + v, 61) : v % 3 ? sample_json(sample_primvars_json) : sample_json(sample_sets_json);
        snprintf(m->name, sizeof m->name, "whole %d", v);
        if (store_replace(s, id, v - 1, m, v, NULL, NULL, &err))
            fail_msg("%s", err.text);
        return m;
    }
    assert_int_equal(mesh_copy(before, &m, &err), SDD_OK);
    if (v % 5 == 4) {
        snprintf(name, sizeof name, "name %d", v);
        assert_int_equal(store_rename(s, id, v - 1, name, v, NULL, &err), SDD_OK);
        memcpy(m->name, name, sizeof name);
    } else
        move(s, id, m, (int64_t)v * 7919 % m->n_vertices, (float)v);
    return m;
}

static void test_versions(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *at[N + 1] = {0}, *other = sample_grid(70, 61);
    struct store_info info;
    struct sdd_error err = {0};
    (void)state;
    store_keep(s, KEPT, 1 << 30);
    at[1] = sample_grid(80, 61);
    snprintf(at[1]->name, sizeof at[1]->name, "first");
    assert_int_equal(store_create(s, "m_a", at[1], 1, NULL, NULL, &err), SDD_OK);
    assert_int_equal(store_create(s, "m_b", other, 1, NULL, NULL, &err), SDD_OK);
    for (int v = 2; v <= N; v++) {
        at[v] = change(s, "m_a", at[v - 1], v);
        if (v % 11 == 0) { /* What is kept is on the disk. */
            store_close(s);
            s = store_reopen(dir);
            store_keep(s, KEPT, 1 << 30);
        }
        for (int k = v > KEPT ? v - KEPT + 1 : 1; k <= v; k++)
            has(s, "m_a", k, at[k]);
    }
    assert_int_equal(store_find(s, "m_a", N - KEPT, &info, &err), SDD_EGONE);
    assert_int_equal(err.available, N - KEPT + 1);
    assert_string_equal(err.field, "version");
    assert_int_equal(store_find(s, "m_a", N + 1, &info, &err), SDD_ENOT_FOUND);
    assert_string_equal(err.field, "version");
    assert_int_equal(store_find(s, "m_c", 1, &info, &err), SDD_ENOT_FOUND);
    assert_int_equal(store_check(s, &err), SDD_OK);
    assert_true(store_history_bytes(s) > 0);
    assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
    assert_int_equal(store_history_bytes(s), 0);
    store_close(s);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM old_chunks"), 0);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM history"), 1);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM topologies"), 1);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM chunks WHERE kind = 0"),
                     store_count(dir, "SELECT count(*) FROM chunks, topologies WHERE kind = 0 AND owner = key"));
    for (int v = 1; v <= N; v++)
        mesh_free(at[v]);
    mesh_free(other);
    tempdir_remove(dir);
}

/* A small change of a large mesh costs what it changes. Who made it is told, and equal versions are known as such. */
static void test_history(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_grid(200, 200);
    struct store_version *list;
    struct sdd_error err = {0};
    int n, more;
    (void)state;
    store_keep(s, 10, 1 << 30);
    store_author(s, &(struct store_change){.principal = "ann", .kind = "create"});
    assert_int_equal(store_create(s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    store_author(s,
                 &(struct store_change){.principal = "bob", .kind = "edits", .n_edits = 2, .edit_kinds = 0x80000011});
    move(s, "m_a", m, 5, 7);
    move(s, "m_a", m, 5, 9);
    move(s, "m_a", m, 5, 7);
    assert_int_equal(store_history_bytes(s), 3 * 4096 * 12);
    assert_int_equal(store_history(s, "m_a", INT64_MAX, 3, &list, &n, &more, &err), SDD_OK);
    assert_int_equal(n, 3);
    assert_int_equal(more, 1);
    assert_int_equal(list[0].version, 4);
    assert_string_equal(list[0].kind, ""); /* An author is of one change. */
    assert_string_equal(list[2].principal, "bob");
    assert_string_equal(list[2].kind, "edits");
    assert_int_equal(list[2].edit_kinds, 0x80000011);
    assert_int_equal(list[0].edit_kinds, 0);
    assert_int_equal(list[2].n_vertices, m->n_vertices);
    assert_memory_equal(list[0].content, list[2].content, sizeof list->content);
    assert_memory_not_equal(list[0].content, list[1].content, sizeof list->content);
    free(list);
    assert_int_equal(store_history(s, "m_a", 2, 3, &list, &n, &more, &err), SDD_OK);
    assert_int_equal(n, 1);
    assert_int_equal(more, 0);
    assert_string_equal(list[0].principal, "ann");
    free(list);
    assert_int_equal(store_history(s, "m_a", 2, 0, &list, &n, &more, &err), SDD_EINVALID);
    assert_int_equal(store_history(s, "m_b", 2, 1, &list, &n, &more, &err), SDD_ENOT_FOUND);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* Beyond the bytes that all may take, those that ended first go, of whatever mesh; with 1 version none stay. */
static void test_limits(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_grid(60, 60);
    struct store_info info;
    struct sdd_error err = {0};
    const int64_t chunk = 12 * m->n_vertices;
    (void)state;
    store_keep(s, 10, 3 * chunk);
    assert_int_equal(store_create(s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    assert_int_equal(store_create(s, "m_b", m, 1, NULL, NULL, &err), SDD_OK);
    for (int v = 2; v <= 4; v++) /* Their times are 2, 3, 4. */
        move(s, "m_a", m, 0, (float)v);
    assert_int_equal(store_history_bytes(s), 3 * chunk);
    move(s, "m_b", m, 0, 5);
    assert_int_equal(store_history_bytes(s), 3 * chunk);
    assert_int_equal(store_find(s, "m_a", 1, &info, &err), SDD_EGONE); /* It ended at 2. */
    assert_int_equal(store_find(s, "m_a", 2, &info, &err), SDD_OK);
    assert_int_equal(store_find(s, "m_b", 1, &info, &err), SDD_OK);
    store_keep(s, 2, 3 * chunk);
    move(s, "m_a", m, 0, 6);
    assert_int_equal(store_find(s, "m_a", 4, &info, &err), SDD_OK);
    assert_int_equal(store_find(s, "m_a", 3, &info, &err), SDD_EGONE);
    assert_int_equal(err.available, 4);
    store_keep(s, 10, chunk - 1); /* Too little for any. */
    move(s, "m_a", m, 0, 7);
    assert_int_equal(store_find(s, "m_a", 5, &info, &err), SDD_EGONE);
    assert_int_equal(store_find(s, "m_a", 6, &info, &err), SDD_OK);
    store_keep(s, 1, 1 << 30);
    move(s, "m_b", m, 0, 8);
    assert_int_equal(store_history_bytes(s), 0);
    store_close(s);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM old_chunks"), 0);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM history"), 2);
    mesh_free(m);
    tempdir_remove(dir);
}

/* A chunk of an earlier version that is damaged is told when that is read; the others stay readable. */
static void test_damage(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_cube(), *read;
    struct sdd_error err = {0};
    (void)state;
    store_keep(s, 10, 1 << 20);
    snprintf(m->name, sizeof m->name, "cube");
    assert_int_equal(store_create(s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    move(s, "m_a", m, 0, 2);
    move(s, "m_a", m, 0, 3);
    store_close(s);
    store_sql(dir, "UPDATE old_chunks SET data = zeroblob(length(data)) WHERE until = 1");
    s = store_reopen(dir);
    assert_int_equal(store_load(s, "m_a", 1, &read, NULL, &err), SDD_ESTORE);
    has(s, "m_a", 3, m);
    assert_int_equal(store_load(s, "m_a", 2, &read, NULL, &err), SDD_OK);
    mesh_free(read);
    assert_int_equal(store_check(s, &err), SDD_ESTORE);
    store_close(s);
    store_sql(dir, "UPDATE history SET vertices = 9 WHERE version = 2");
    s = store_reopen(dir);
    assert_int_equal(store_load(s, "m_a", 2, &read, NULL, &err), SDD_ESTORE);
    has(s, "m_a", 3, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* What counts is what a change replaces, not how large the mesh is. */
static void test_limit_below_the_mesh(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m = sample_grid(100, 100); /* Three chunks of points. */
    struct store_info info;
    struct sdd_error err = {0};
    (void)state;
    (void)snprintf(m->name, sizeof m->name, "m_a");
    store_keep(s, 10, 4096 * 12);
    assert_int_equal(store_create(s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    move(s, "m_a", m, 5, 2);
    assert_int_equal(store_history_bytes(s), 4096 * 12);
    assert_int_equal(store_find(s, "m_a", 1, &info, &err), SDD_OK);
    struct position_range all = {0, m->n_vertices, m->points};
    for (int64_t i = 0; i < 3 * m->n_vertices; i++)
        m->points[i]++;
    const struct positions p = {1, &all, NULL};
    assert_int_equal(store_put_points(s, "m_a", 2, &p, NULL, 3, NULL, NULL, &err), SDD_OK);
    assert_int_equal(store_history_bytes(s), 0);
    assert_int_equal(store_find(s, "m_a", 2, &info, &err), SDD_EGONE);
    has(s, "m_a", 3, m);
    store_close(s);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM old_chunks"), 0);
    assert_int_equal(store_count(dir, "SELECT count(*) FROM history"), 1);
    mesh_free(m);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_versions), cmocka_unit_test(test_history),
                                       cmocka_unit_test(test_limits), cmocka_unit_test(test_limit_below_the_mesh),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
