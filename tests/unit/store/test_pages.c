/* SPDX-License-Identifier: Apache-2.0 */
/* Writes that the disk lost: each page of a database in turn is as it was after an earlier change. Every mesh is then
 * what was acknowledged last, or it is refused by its name; no older version and no mixture is ever read. */
#include "tests/unit/sample.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGE 4096
enum { N_STEPS = 15, N_MESHES = 5, N_KEYS = 3 };

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        struct sdd_error err = {0};                                                                                    \
        if (call)                                                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                                       \
    } while (0)

/* What the store has in the end. */
struct truth {
    const char *id;
    struct mesh *mesh; /* NULL: it was deleted */
    struct store_info info;
};

static void put(struct store *s, const char *id, int64_t first, int64_t n, float value, const struct store_answer *a)
{
    float *points = malloc((size_t)n * 12);
    for (int64_t i = 0; i < 3 * n; i++)
        points[i] = value;
    struct position_range range = {first, n, points};
    struct positions p = {1, &range, NULL};
    OK(store_put_points(s, id, STORE_ANY_VERSION, &p, NULL, 5, a, NULL, &err));
    free(points);
}

static void create(struct store *s, const char *id, struct mesh *m, const struct store_answer *a)
{
    OK(store_create(s, id, m, 5, a, NULL, &err));
    mesh_free(m);
}

static struct store_answer answer(int k)
{
    static const char *const keys[N_KEYS] = {"k0", "k1", "k2"};
    return (struct store_answer){
        .principal = "p", .key = keys[k], .status = 200, .etag = keys[k], .body = keys[k], .bytes = 2};
}

static void step(struct store *s, int i)
{
    struct store_answer a = answer(i == 1 ? 0 : i == 3 ? 1 : 2);
    struct mesh *m = NULL;
    switch (i) {
    case 0: create(s, "m_a", sample_grid(70, 60), NULL); break;
    case 1: create(s, "m_b", sample_json(sample_primvars_json), &a); break;
    case 2: create(s, "m_c", sample_grid(3, 3), NULL); break;
    case 3: put(s, "m_a", 100, 20, 7, &a); break;
    case 4: put(s, "m_a", 0, 4331, 8, NULL); break;
    case 5: OK(store_rename(s, "m_b", 1, "first", 5, NULL, &err)); break;
    case 6:
        m = sample_grid(4, 4);
        OK(store_replace(s, "m_c", 1, m, 5, NULL, NULL, &err));
        break;
    case 7: put(s, "m_c", 3, 5, 9, NULL); break;
    case 8: create(s, "m_d", sample_cube(), NULL); break;
    case 9: OK(store_delete(s, "m_d", 1, NULL, 0, &err)); break;
    case 10: OK(store_rename(s, "m_b", 2, "second", 5, NULL, &err)); break;
    case 11:
        m = sample_json(sample_primvars_json);
        ((float *)m->primvars[4].values)[7] = 70;
        OK(store_replace(s, "m_b", 3, m, 5, NULL, NULL, &err));
        break;
    case 12: create(s, "m_e", sample_cube(), NULL); break;
    case 13: put(s, "m_e", 1, 3, 11, &a); break;
    default: put(s, "m_a", 4200, 100, 12, NULL); break;
    }
    mesh_free(m);
}

static bool is_refused(int rc, const struct sdd_error *err, const char *name)
{
    if (rc != SDD_ESTORE)
        return false;
    if (!strstr(err->text, "damaged") || !strstr(err->text, name))
        fail_msg("does not say that %s is damaged: %s", name, err->text);
    return true;
}

/* Counts what is wrongly read. */
static int judge_mesh(struct store *s, const struct truth *t, int *refused)
{
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m;
    int rc = store_load(s, t->id, STORE_ANY_VERSION, &m, &info, &err);
    if (is_refused(rc, &err, t->id)) {
        ++*refused;
        return 0;
    }
    if (rc || !t->mesh) {
        mesh_free(m);
        return rc != SDD_ENOT_FOUND || t->mesh;
    }
    bool same = info.version == t->info.version && !strcmp(info.name, t->info.name) &&
                m->n_vertices == t->mesh->n_vertices && m->n_corners == t->mesh->n_corners &&
                m->n_primvars == t->mesh->n_primvars &&
                !memcmp(m->points, t->mesh->points, (size_t)m->n_vertices * 12) &&
                !memcmp(m->face_vertices, t->mesh->face_vertices, (size_t)m->n_corners * 4);
    for (int i = 0; same && i < m->n_primvars; i++)
        same = !memcmp(m->primvars[i].values, t->mesh->primvars[i].values,
                       4 * (size_t)m->primvars[i].info.n_values * (size_t)m->primvars[i].info.width);
    mesh_free(m);
    return !same;
}

static int judge_list(struct store *s, const char *name, const struct truth *truths, int *refused)
{
    struct store_info *list;
    struct sdd_error err = {0};
    int n, more, at = 0, wrong = 0;
    int rc = store_list(s, "", name, "", 10, &list, &n, &more, &err);
    if (is_refused(rc, &err, "")) {
        ++*refused;
        return 0;
    }
    for (int i = 0; !rc && i < N_MESHES; i++) {
        if (!truths[i].mesh || (name && strcmp(name, truths[i].info.name) != 0))
            continue;
        wrong |= at >= n || strcmp(list[at].id, truths[i].id) != 0 || list[at].version != truths[i].info.version;
        at++;
    }
    wrong |= rc || at != n;
    free(list);
    return wrong;
}

static int judge_answer(struct store *s, int k, int *refused)
{
    struct store_answer a = answer(k), got;
    struct sdd_error err = {0};
    void *block;
    int found, rc = store_idempotent_find(s, a.principal, a.key, a.digest, 6, &got, &block, &found, &err);
    if (is_refused(rc, &err, "")) {
        ++*refused;
        return 0;
    }
    int wrong = rc || !found || got.bytes != 2 || memcmp(got.body, a.body, 2) != 0 || strcmp(got.etag, a.etag) != 0;
    free(block);
    return wrong;
}

static int judge(const char *dir, const struct truth *truths, int *refused)
{
    struct store *s;
    struct sdd_error err = {0};
    int wrong = 0, rc = store_open(dir, &s, &err);
    if (is_refused(rc, &err, "")) {
        ++*refused;
        return 0;
    }
    assert_int_equal(rc, SDD_OK);
    for (int i = 0; i < N_MESHES; i++)
        wrong += judge_mesh(s, &truths[i], refused);
    wrong += judge_list(s, NULL, truths, refused);
    wrong += judge_list(s, "second", truths, refused);
    wrong += judge_list(s, "first", truths, refused);
    for (int k = 0; k < N_KEYS; k++)
        wrong += judge_answer(s, k, refused);
    store_close(s);
    return wrong;
}

/* Is the page of image i the same in a later image? Then that one is tried, or it is the last. */
static bool is_repeated(const struct file_image *images, int i, size_t at)
{
    for (int k = i + 1; k < N_STEPS; k++)
        if (at + PAGE <= images[k].n && memcmp(images[i].bytes + at, images[k].bytes + at, PAGE) == 0)
            return true;
    return false;
}

static void test_old_pages(void **state)
{
    char *dir = tempdir();
    struct file_image images[N_STEPS], commits;
    struct truth truths[N_MESHES] = {{.id = "m_a"}, {.id = "m_b"}, {.id = "m_c"}, {.id = "m_d"}, {.id = "m_e"}};
    int tried = 0, wrong = 0, refused = 0;
    (void)state;
    for (int i = 0; i < N_STEPS; i++) {
        struct store *s = store_reopen(dir);
        step(s, i);
        store_close(s); /* moves the log into the database */
        images[i] = file_read(dir, "subdd.db");
    }
    commits = file_read(dir, "subdd.commits");
    struct store *s = store_reopen(dir);
    for (int i = 0; i < N_MESHES; i++)
        if (i != 3)
            OK(store_load(s, truths[i].id, STORE_ANY_VERSION, &truths[i].mesh, &truths[i].info, &err));
    store_close(s);
    assert_int_equal(judge(dir, truths, &refused), 0);
    assert_int_equal(refused, 0);
    struct file_image now = {malloc(images[N_STEPS - 1].n), images[N_STEPS - 1].n};
    for (size_t at = 0; at < now.n; at += PAGE)
        for (int i = 0; i < N_STEPS - 1; i++) {
            if (at + PAGE > images[i].n || is_repeated(images, i, at))
                continue;
            memcpy(now.bytes, images[N_STEPS - 1].bytes, now.n);
            memcpy(now.bytes + at, images[i].bytes + at, PAGE);
            file_write(dir, "subdd.db-wal", (struct file_image){0});
            file_write(dir, "subdd.db", now);
            file_write(dir, "subdd.commits", commits);
            int bad = judge(dir, truths, &refused);
            if (bad)
                print_message("page %zu as after change %d: %d wrong\n", at / PAGE, i, bad);
            wrong += bad;
            tried++;
        }
    print_message("%zu pages, %d older ones: %d answers refused, %d wrong\n", now.n / PAGE, tried, refused, wrong);
    assert_true(tried > 50 && refused > tried / 2);
    assert_int_equal(wrong, 0);
    for (int i = 0; i < N_STEPS; i++)
        free(images[i].bytes);
    for (int i = 0; i < N_MESHES; i++)
        mesh_free(truths[i].mesh);
    free(now.bytes);
    free(commits.bytes);
    tempdir_remove(dir);
}

/* A mesh with an old chunk stays refused when other vertices move, and is whole again when all of them are given. */
static void test_heal(void **state)
{
    char *dir = tempdir();
    struct store *s = store_reopen(dir);
    struct mesh *m;
    struct sdd_error err = {0};
    (void)state;
    create(s, "m_a", sample_grid(100, 100), NULL);
    store_close(s);
    store_sql(dir, "CREATE TABLE old AS SELECT hash, data FROM chunks WHERE kind = 1 AND seq = 1");
    s = store_reopen(dir);
    put(s, "m_a", 5000, 10, 2, NULL);
    store_close(s);
    store_sql(dir, "UPDATE chunks SET (hash, data) = (SELECT hash, data FROM old) WHERE kind = 1 AND seq = 1;"
                   "DROP TABLE old");
    for (int i = 0; i < 2; i++) {
        s = store_reopen(dir);
        assert_true(is_refused(store_load(s, "m_a", STORE_ANY_VERSION, &m, NULL, &err), &err, "m_a"));
        put(s, "m_a", i ? 0 : 9000, i ? 10201 : 10, 3, NULL);
        store_close(s);
    }
    s = store_reopen(dir);
    OK(store_load(s, "m_a", STORE_ANY_VERSION, &m, NULL, &err));
    assert_true(m->points[3 * 10200] == 3);
    mesh_free(m);
    OK(store_check(s, &err));
    store_close(s);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_old_pages), cmocka_unit_test(test_heal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
