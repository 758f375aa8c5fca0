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

/* ---- what a version has ---- */
enum kind { WHOLE, ALL_POINTS, POINTS, EDIT, UNDO };

static float content(int mesh, int64_t version)
{
    return (float)(mesh * 100000 + version);
}

/* 70 x 60 quads and a few more: two chunks of points, so that a torn change would show. */
static struct mesh *make_mesh(int mesh, int64_t version)
{
    struct mesh *m = sample_grid(70 + (int)(version % 3), 60);
    for (int64_t i = 0; i < 3 * m->n_vertices; i++)
        m->points[i] = content(mesh, version);
    return m;
}

static void mesh_id(int mesh, char id[STORE_ID_SIZE])
{
    (void)snprintf(id, STORE_ID_SIZE, "m_%d", mesh);
}

/* The positions that a version brings to a mesh of n vertices; the points are the caller's, as are those of the
 * next. */
static struct positions new_points(int mesh, int64_t version, enum kind kind, int64_t n,
                                   struct position_range ranges[2])
{
    float *points = malloc((size_t)n * 12);
    for (int64_t i = 0; i < 3 * n; i++)
        points[i] = content(mesh, version);
    ranges[0] = (struct position_range){0, kind == ALL_POINTS ? 4000 : 5, points};
    ranges[1] = (struct position_range){4000, kind == ALL_POINTS ? n - 4000 : 2, points};
    return (struct positions){2, ranges, NULL};
}

/* The batch that makes a version. */
static struct edit_batch *new_edits(int mesh, int64_t version, const struct mesh *m)
{
    static const char *const ops[] = {"pokeFaces", "extrudeFaces", "insetFaces", "triangulateFaces", "dissolveFaces"};
    char text[300];
    const int32_t vertex = m->vertex_ids[version * 37 % m->n_vertices], face = m->face_ids[version * 101 % m->n_faces];
    (void)snprintf(text, sizeof text,
                   "{\"edits\":[{\"setPositions\":{\"ids\":[%d],\"points\":[%g,0,0]}},"
                   "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[%d]}},{\"%s\":{\"ids\":[%d]}}]}",
                   vertex, (double)content(mesh, version), vertex, (int)(version % 5), ops[version % 5], face);
    return sample_edits(text);
}

/* Versions `from` to `to` of a mesh, from the last one before them that was stored as a whole. */
static void expect(const struct store_work *w, int mesh, int64_t life, int64_t from, int64_t to, struct mesh **out)
{
    const unsigned char *kinds = w->kinds[life % WORK_LIVES];
    struct mesh *all[WORK_KINDS] = {0};
    int64_t first = from;
    struct sdd_error err;
    while (kinds[first % WORK_KINDS] != WHOLE)
        first--;
    assert_true(first > 0 && to - first < WORK_KINDS);
    for (int64_t v = first; v <= to; v++) {
        struct mesh *before = v > first ? all[v - 1 - first] : NULL, **now = &all[v - first];
        const enum kind kind = (enum kind)kinds[v % WORK_KINDS];
        if (kind == WHOLE || !before)
            *now = make_mesh(mesh, v);
        else if (kind == EDIT) {
            struct edit_batch *b = new_edits(mesh, v, before);
            struct edit_result r;
            assert_int_equal(edits_apply(before, b, &r, &err), SDD_OK);
            *now = r.mesh;
            r.mesh = NULL;
            edit_result_free(&r);
            edit_batch_free(b);
        } else {
            assert_int_equal(mesh_copy(kind == UNDO ? all[v - 2 - first] : before, now, &err), SDD_OK);
            (*now)->next_vertex_id = before->next_vertex_id;
            (*now)->next_face_id = before->next_face_id;
        }
        if (before && (kind == POINTS || kind == ALL_POINTS)) {
            struct position_range ranges[2];
            struct positions p = new_points(mesh, v, kind, before->n_vertices, ranges);
            assert_int_equal(positions_open(&p, *now, &err), SDD_OK);
            positions_apply(&p, *now);
            free((void *)(uintptr_t)ranges->points);
        }
    }
    for (int64_t v = first; v <= to; v++)
        if (v >= from)
            out[v - from] = all[v - first];
        else
            mesh_free(all[v - first]);
}

void work_same(const struct store_work *w, int mesh, const struct store_info *info, const struct mesh *m)
{
    struct mesh *want = NULL;
    expect(w, mesh, info->created_ms, info->version, info->version, &want);
    sample_equal(m, want);
    mesh_free(want);
}

/* ---- changes ---- */
static int put_points(struct store *s, int mesh, int64_t version, enum kind kind)
{
    char id[STORE_ID_SIZE];
    struct store_info info;
    struct position_range ranges[2];
    mesh_id(mesh, id);
    int rc = store_find(s, id, STORE_ANY_VERSION, &info, NULL);
    if (rc)
        return rc;
    struct positions p = new_points(mesh, version, kind, info.n_vertices, ranges);
    rc = store_put_points(s, id, version - 1, &p, NULL, version, NULL, NULL, NULL);
    free((void *)(uintptr_t)ranges->points);
    return rc;
}

static int edit(struct store *s, int mesh, int64_t version, const struct store_answer *a)
{
    char id[STORE_ID_SIZE];
    struct mesh *m;
    struct edit_result r;
    struct sdd_error err;
    void *bytes;
    size_t n;
    mesh_id(mesh, id);
    int rc = store_load(s, id, STORE_ANY_VERSION, &m, NULL, NULL);
    if (rc)
        return rc;
    struct edit_batch *b = new_edits(mesh, version, m);
    assert_int_equal(edits_apply(m, b, &r, &err), SDD_OK);
    assert_int_equal(edits_to_proto(r.primitives, &bytes, &n, &err), SDD_OK);
    const struct store_edit e = {r.mesh, NULL, bytes, (int64_t)n, 0};
    rc = store_edit(s, id, version - 1, &e, 1, a, NULL, NULL);
    free(bytes);
    edit_batch_free(b);
    edit_result_free(&r);
    mesh_free(m);
    return rc;
}

/* Makes the version before the present one the next. The caller knows that it is kept. */
static int undo(struct store *s, int mesh, int64_t version)
{
    char id[STORE_ID_SIZE];
    struct mesh *m;
    mesh_id(mesh, id);
    int rc = store_load(s, id, version - 2, &m, NULL, NULL);
    const struct store_edit e = {.mesh = m, .as = version - 2};
    if (!rc)
        rc = store_edit(s, id, version - 1, &e, 1, NULL, NULL, NULL);
    mesh_free(m);
    return rc;
}

static int replace(struct store *s, int mesh, int64_t version, int64_t life, const struct store_answer *a)
{
    char id[STORE_ID_SIZE];
    mesh_id(mesh, id);
    struct mesh *m = make_mesh(mesh, version);
    int rc = version > 1 ? store_replace(s, id, version - 1, m, 1, a, NULL, NULL)
                         : store_create(s, id, m, life, a, NULL, NULL);
    mesh_free(m);
    return rc;
}

static enum kind choose(struct store *s, struct store_work *w, int mesh, int64_t version)
{
    static const enum kind kinds[] = {WHOLE, ALL_POINTS, POINTS, POINTS, UNDO, UNDO, EDIT, EDIT,
                                      EDIT,  EDIT,       EDIT,   EDIT,   EDIT, EDIT, EDIT, EDIT};
    char id[STORE_ID_SIZE];
    struct store_info info;
    const enum kind kind = kinds[work_random(w) % 16];
    mesh_id(mesh, id);
    if (!version || (version + 1) % (WORK_KINDS / 2) == 0)
        return WHOLE;
    /* What came before the last whole mesh is not remembered. */
    const bool is_far =
        kind == UNDO && (version < 2 || w->kinds[w->life[mesh] % WORK_LIVES][version % WORK_KINDS] == WHOLE ||
                         store_find(s, id, version - 1, &info, NULL) != SDD_OK);
    return is_far ? EDIT : kind;
}

/* Makes one change of a random mesh, and notes which version it makes; the serial of an answer goes to answers. */
static int change(struct store *s, struct store_work *w, bool may_go, int64_t answers[WORK_MESHES])
{
    char id[STORE_ID_SIZE], key[32];
    int mesh = (int)(work_random(w) % WORK_MESHES), rc;
    const bool goes = work_random(w) % 16 == 0 && may_go;
    const int64_t version = w->next[mesh], next = version + 1;
    mesh_id(mesh, id);
    (void)snprintf(key, sizeof key, "key-%lld", (long long)++w->serial);
    struct store_answer a = {.principal = "p", .key = key, .status = 200, .body = key, .bytes = 4};
    const enum kind kind = choose(s, w, mesh, version);
    if (!version)
        w->life[mesh] = ++w->n_lives;
    if (!version || !goes)
        w->kinds[w->life[mesh] % WORK_LIVES][next % WORK_KINDS] = (unsigned char)kind;
    if (may_go) /* It may be there before the store has said so. */
        w->next[mesh] = version && goes ? 0 : next;
    rc = version && goes ? store_delete(s, id, version, NULL, 0, NULL)
         : kind == WHOLE ? replace(s, mesh, next, w->life[mesh], &a)
         : kind == EDIT  ? edit(s, mesh, next, &a)
         : kind == UNDO  ? undo(s, mesh, next)
                         : put_points(s, mesh, next, kind);
    if (rc)
        return rc;
    w->next[mesh] = version && goes ? 0 : next;
    if (w->next[mesh] && (kind == WHOLE || kind == EDIT))
        answers[mesh] = w->serial;
    w->n_edits += w->next[mesh] && kind == EDIT;
    return SDD_OK;
}

int work_step(struct store *s, struct store_work *w)
{
    int64_t answers[WORK_MESHES], n_done = 0;
    const bool alone = !w->together || work_random(w) % 3;
    const int64_t n = alone ? 1 : 2 + (int64_t)work_random(w) % 5;
    memcpy(answers, w->answer, sizeof answers);
    store_keep(s, WORK_VERSIONS, 1 << 20);
    int rc = alone ? SDD_OK : store_together(s, NULL);
    if (rc)
        return rc;
    while (n_done < n && !(rc = change(s, w, alone, answers)))
        n_done++;
    const int ended = alone ? rc : store_together_end(s, NULL);
    if (ended)
        return ended;
    memcpy(w->answer, answers, sizeof answers);
    memcpy(w->acked, w->next, sizeof w->acked);
    w->n_acked += n_done;
    w->n_together += !alone;
    return rc;
}

/* ---- checks ---- */
/* Every version that is kept, the present one too, has what it had. */
static void check_versions(struct store *s, const struct store_work *w, int mesh, const char *id, int64_t life)
{
    struct sdd_error err = {0};
    struct store_version *list;
    struct mesh *want[WORK_VERSIONS] = {0};
    int n, more;
    if (store_history(s, id, INT64_MAX, 100, &list, &n, &more, &err))
        fail_msg("mesh %d: %s", mesh, err.text);
    assert_in_range(n, 1, WORK_VERSIONS);
    expect(w, mesh, life, list[n - 1].version, list[0].version, want);
    for (int i = 0; i < n; i++) {
        struct mesh *m, *wanted = want[n - 1 - i];
        assert_int_equal(list[i].version, list[0].version - i);
        if (store_load(s, id, list[i].version, &m, NULL, &err))
            fail_msg("mesh %d, version %lld: %s", mesh, (long long)list[i].version, err.text);
        if (wanted->next_vertex_id < want[n - 1]->next_vertex_id)
            wanted->next_vertex_id = want[n - 1]->next_vertex_id;
        if (wanted->next_face_id < want[n - 1]->next_face_id)
            wanted->next_face_id = want[n - 1]->next_face_id;
        sample_equal(m, wanted);
        mesh_free(m);
    }
    for (int i = 0; i < n; i++)
        mesh_free(want[i]);
    free(list);
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
    int done = 0, not_done = 0; /* What was under way was one commit. */
    for (int i = 0; i < WORK_MESHES; i++) {
        char id[STORE_ID_SIZE];
        struct sdd_error err = {0};
        struct store_info info = {.version = 0};
        mesh_id(i, id);
        int rc = store_find(s, id, STORE_ANY_VERSION, &info, &err);
        if (rc && rc != SDD_ENOT_FOUND)
            fail_msg("mesh %d: %s", i, err.text);
        if (info.version != w->acked[i] && info.version != w->next[i])
            fail_msg("mesh %d is at version %lld; %lld was acknowledged, %lld under way", i, (long long)info.version,
                     (long long)w->acked[i], (long long)w->next[i]);
        done += w->acked[i] != w->next[i] && info.version == w->next[i];
        not_done += w->acked[i] != w->next[i] && info.version != w->next[i];
        w->acked[i] = w->next[i] = info.version;
        if (info.version)
            check_versions(s, w, i, id, info.created_ms);
        if (w->answer[i])
            check_answer(s, w->answer[i]);
    }
    if (done && not_done)
        fail_msg("of one commit %d changes are there, and %d are not", done, not_done);
}
