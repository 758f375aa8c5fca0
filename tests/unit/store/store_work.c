/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/store/store_work.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

uint64_t work_random(struct store_work *w)
{
    uint64_t x = w->random ? w->random : 88172645463325252u;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return w->random = x;
}

float work_content(int mesh, int64_t version)
{
    return (float)(mesh * 100000 + version);
}

/* 70 x 60 quads and a few more: two chunks of points, so that a torn change would show. */
static struct mesh *make_mesh(int mesh, int64_t version, int shape)
{
    struct mesh *m = sample_grid(70 + shape, 60);
    for (int64_t i = 0; i < 3 * m->n_vertices; i++)
        m->points[i] = work_content(mesh, version);
    return m;
}

static void mesh_id(int mesh, char id[STORE_ID_SIZE])
{
    (void)snprintf(id, STORE_ID_SIZE, "m_%d", mesh);
}

static int put_points(struct store *s, int mesh, int64_t version)
{
    char id[STORE_ID_SIZE];
    struct store_info info;
    mesh_id(mesh, id);
    int rc = store_find(s, id, STORE_ANY_VERSION, &info, NULL);
    if (rc)
        return rc;
    float *points = malloc((size_t)info.n_vertices * 12);
    for (int64_t i = 0; i < 3 * info.n_vertices; i++)
        points[i] = work_content(mesh, version);
    struct position_range ranges[] = {{0, 4000, points}, {4000, info.n_vertices - 4000, points + 12000}};
    struct positions p = {2, ranges, NULL};
    rc = store_put_points(s, id, version - 1, &p, version, NULL, NULL, NULL);
    free(points);
    return rc;
}

/* Every version that is kept has what it had. */
static void check_versions(struct store *s, int mesh, const char *id)
{
    struct sdd_error err = {0};
    struct store_version *list;
    int n, more;
    if (store_history(s, id, INT64_MAX, 100, &list, &n, &more, &err))
        fail_msg("mesh %d: %s", mesh, err.text);
    assert_in_range(n, 1, WORK_VERSIONS);
    for (int i = 0; i < n; i++) {
        struct mesh *m;
        assert_int_equal(list[i].version, list[0].version - i);
        if (store_load(s, id, list[i].version, &m, NULL, &err))
            fail_msg("mesh %d, version %lld: %s", mesh, (long long)list[i].version, err.text);
        for (int64_t k = 0; k < 3 * m->n_vertices; k++)
            assert_true(m->points[k] == work_content(mesh, list[i].version));
        mesh_free(m);
    }
    free(list);
}

int work_step(struct store *s, struct store_work *w)
{
    store_keep(s, WORK_VERSIONS, 1 << 20);
    char id[STORE_ID_SIZE], key[32];
    int mesh = (int)(work_random(w) % WORK_MESHES), op = (int)(work_random(w) % 8), rc;
    int64_t version = w->acked[mesh];
    mesh_id(mesh, id);
    (void)snprintf(key, sizeof key, "key-%lld", (long long)++w->serial);
    struct store_answer a = {.principal = "p", .key = key, .status = 200, .body = key, .bytes = 4};
    if (version && op == 0) {
        w->next[mesh] = 0;
        rc = store_delete(s, id, version, NULL, 0, NULL);
    } else if (version && op < 6) {
        w->next[mesh] = version + 1;
        rc = put_points(s, mesh, version + 1);
    } else {
        w->next[mesh] = version + 1;
        struct mesh *m = make_mesh(mesh, version + 1, op);
        rc = version ? store_replace(s, id, version, m, 1, &a, NULL, NULL) : store_create(s, id, m, 1, &a, NULL, NULL);
        mesh_free(m);
        if (!rc)
            w->answer[mesh] = w->serial;
    }
    if (rc)
        return rc;
    w->acked[mesh] = w->next[mesh];
    w->n_acked++;
    return SDD_OK;
}

static void check_answer(struct store *s, int64_t serial)
{
    static const unsigned char digest[32];
    struct store_answer got;
    struct sdd_error err = {0};
    char key[32];
    void *block;
    int found;
    (void)snprintf(key, sizeof key, "key-%lld", (long long)serial);
    if (store_idempotent_find(s, "p", key, digest, 2, &got, &block, &found, &err))
        fail_msg("%s: %s", key, err.text);
    assert_int_equal(found, 1);
    free(block);
}

void work_check(struct store *s, struct store_work *w)
{
    for (int i = 0; i < WORK_MESHES; i++) {
        char id[STORE_ID_SIZE];
        struct sdd_error err = {0};
        struct store_info info = {.version = 0};
        struct mesh *m;
        mesh_id(i, id);
        int rc = store_load(s, id, STORE_ANY_VERSION, &m, &info, &err);
        if (rc && rc != SDD_ENOT_FOUND)
            fail_msg("mesh %d: %s", i, err.text);
        if (info.version != w->acked[i] && info.version != w->next[i])
            fail_msg("mesh %d is at version %lld; %lld was acknowledged, %lld under way", i, (long long)info.version,
                     (long long)w->acked[i], (long long)w->next[i]);
        for (int64_t k = 0; m && k < 3 * m->n_vertices; k++)
            assert_true(m->points[k] == work_content(i, info.version));
        mesh_free(m);
        w->acked[i] = w->next[i] = info.version;
        if (info.version)
            check_versions(s, i, id);
        if (w->answer[i])
            check_answer(s, w->answer[i]);
    }
}
