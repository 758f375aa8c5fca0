/* SPDX-License-Identifier: Apache-2.0 */
/* Edits that make versions and are damaged, lost, exchanged or old are told, never passed over; and so is what nobody
 * wrote. */
#include "server/base/stop.h"
#include "tests/unit/sample.h"
#include "tests/unit/store/edited.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <cmocka.h>

/* A store whose mesh has edits 2 to 7 behind version 1. */
static struct mesh *six_edits(const char *dir, int face)
{
    struct store *s;
    struct mesh *m = edited_begin(&s, dir, sample_grid(60, 60), 9);
    for (int i = 0; i < 6; i++)
        edited_take(&m, i == 2 ? edited_move(s, m, face, 2, 9) : edited_poke(s, m, face + i));
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
                 {1, fine, sizeof fine, "ids that are none", {0, 9999}},
                 {1, fine, sizeof fine, "ids that are none", {9999, 5}},
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

/* A mesh that is deleted although its row is damaged leaves its edits, which nobody needs, and which may be damaged,
 * too. */
static void test_left_behind(void **state)
{
    char *dir = tempdir();
    struct mesh *m = six_edits(dir, 10);
    struct sdd_error err = {0};
    (void)state;
    store_sql(dir, "UPDATE meshes SET vertices = 1; UPDATE edits SET data = zeroblob(9) WHERE version = 4");
    refuses(dir, STORE_ANY_VERSION, "its row does not match its checksum");
    struct store *s = store_reopen(dir);
    assert_int_equal(store_delete(s, "m_a", STORE_ANY_VERSION, NULL, 0, &err), SDD_OK);
    if (store_check(s, &err))
        fail_msg("%s", err.text);
    assert_int_equal(store_create(s, "m_a", m, 1, NULL, NULL, &err), SDD_OK);
    store_close(s);
    assert_int_equal(edited_count(dir, "count(*) FROM edits"), 0);
    mesh_free(m);
    tempdir_remove(dir);
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
    edited_has(s, 7, m, m);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage), cmocka_unit_test(test_older),
                                       cmocka_unit_test(test_hostile), cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_left_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
