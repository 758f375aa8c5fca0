/* SPDX-License-Identifier: Apache-2.0 */
/* What edits_apply notes of a batch is primitives, and as protobuf they make the same mesh again, bit for bit: of
 * random batches of all kinds, from each shape, also when they were noted twice. */
#include "server/base/pool.h"
#include "tests/unit/random_edits.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int64_t of_kind[EDIT_MERGE_VERTICES + 1], n_recorded, n_bytes, n_idle;

static struct edit_batch *recorded(const struct edit_result *r)
{
    struct sdd_error err = {0};
    struct edit_batch *b;
    void *bytes;
    size_t n;
    assert_non_null(r->primitives);
    for (int64_t i = 0; i < r->primitives->n_edits; i++)
        of_kind[r->primitives->edits[i].op]++;
    if (edits_to_proto(r->primitives, &bytes, &n, &err))
        fail_msg("%s", err.text);
    if (edits_from_proto(bytes, n, &b, &err))
        fail_msg("%s", err.text);
    n_recorded++;
    n_bytes += (int64_t)n;
    free(bytes);
    return b;
}

/* The mesh that the batch makes, or NULL; the record of it, and the record of that, make the same. */
static struct mesh *edited(const struct mesh *m, const char *edits)
{
    char text[8100];
    struct edit_result r, again, twice;
    struct sdd_error err = {0};
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", edits);
    struct edit_batch *b = sample_edits(text), *record = NULL, *second = NULL;
    int rc = edits_apply(m, b, &r, &err);
    edit_batch_free(b); /* The record has no need of it. */
    if (rc) {
        assert_null(r.primitives);
        return NULL;
    }
    if (!r.primitives) { /* Such as triangles that are to be triangulated. */
        sample_equal(r.mesh, m);
        n_idle++;
        edit_result_free(&r);
        return NULL;
    }
    record = recorded(&r);
    if (edits_apply(m, record, &again, &err))
        fail_msg("%s: %s", edits, err.text);
    sample_equal(r.mesh, again.mesh);
    second = recorded(&again);
    assert_int_equal(second->n_edits, record->n_edits);
    if (edits_apply(m, second, &twice, &err))
        fail_msg("%s: %s", edits, err.text);
    sample_equal(r.mesh, twice.mesh);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_batch_free(record);
    edit_batch_free(second);
    edit_result_free(&r);
    edit_result_free(&again);
    edit_result_free(&twice);
    return out;
}

static struct mesh *with_primvars(void)
{
    return sample_json(sample_primvars_json);
}

static struct mesh *with_sets(void)
{
    return sample_json(sample_sets_json);
}

static void test_random(void **state)
{
    static struct mesh *(*const make[])(void) = {sample_cube, with_primvars, with_sets, sample_reordered};
    struct random_edits w = {.x = 88172645463325252u, .collapses = true};
    (void)state;
    for (size_t k = 0; k < sizeof make / sizeof *make; k++) {
        struct mesh *m = make[k]();
        for (int round = 0; round < 4000; round++) {
            random_batch(&w, m);
            struct mesh *n = edited(m, w.text);
            if (!n)
                continue;
            mesh_free(m);
            m = n->n_faces > 60 || n->n_vertices > 120 ? make[k]() : n;
            if (m != n)
                mesh_free(n);
        }
        mesh_free(m);
    }
    print_message("%lld records of %lld bytes each\n", (long long)n_recorded, (long long)(n_bytes / n_recorded));
    assert_true(n_recorded > 8000 && n_idle < 100);
    for (int op = 0; op <= EDIT_MERGE_VERTICES; op++)
        if ((of_kind[op] > 50) != (op < EDIT_FLIP_EDGES))
            fail_msg("%s: %lld primitives were noted", edit_name((enum edit_op)op), (long long)of_kind[op]);
}

/* A batch that takes more than a quarter of the mesh is not noted, and is applied all the same. */
static void test_too_large(void **state)
{
    struct sdd_error err = {0};
    struct edit_result r;
    struct mesh *m = sample_grid(100, 100);
    int32_t *ids = calloc((size_t)m->n_faces, sizeof *ids);
    struct edit e = {.op = EDIT_POKE_FACES, .ids = ids};
    const struct edit_batch b = {1, &e, NULL};
    (void)state;
    for (int64_t f = 0; f < m->n_faces; f++)
        ids[f] = (int32_t)f;
    for (e.n = 100; e.n <= m->n_faces; e.n *= 100) {
        assert_int_equal(edits_apply(m, &b, &r, &err), SDD_OK);
        assert_int_equal(r.mesh->n_faces, m->n_faces + 3 * e.n);
        assert_int_equal(r.primitives != NULL, e.n == 100);
        edit_result_free(&r);
    }
    free(ids);
    mesh_free(m);
}

/* More messages than a body may have are no record. */
static void test_too_many(void **state)
{
    struct sdd_error err = {0};
    const int32_t id = 0;
    const float point[3] = {0};
    struct edit *edits = calloc(70000, sizeof *edits);
    struct edit_batch b = {20000, edits, NULL};
    void *bytes;
    size_t n;
    (void)state;
    for (int i = 0; i < 70000; i++)
        edits[i] = (struct edit){.op = EDIT_SET_POSITIONS, .n = 1, .ids = &id, .n_values = 1, .values = point};
    assert_int_equal(edits_to_proto(&b, &bytes, &n, &err), SDD_OK);
    free(bytes);
    b.n_edits = 65537;
    assert_int_equal(edits_to_proto(&b, &bytes, &n, &err), SDD_ETOO_LARGE);
    assert_null(bytes);
    b.n_edits = 1;
    edits[0].op = EDIT_POKE_FACES;
    assert_int_equal(edits_to_proto(&b, &bytes, &n, &err), SDD_EINTERNAL);
    free(edits);
}

static void test_positions(void **state)
{
    struct sdd_error err = {0};
    const float points[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct position_range ranges[] = {{3, 2, points}, {0, 1, points + 6}, {4, 1, points + 3}};
    const struct positions p = {3, ranges, NULL};
    struct positions *q;
    struct mesh *a = sample_cube(), *b = sample_cube();
    void *bytes;
    size_t n;
    (void)state;
    assert_int_equal(positions_to_proto(&p, &bytes, &n, &err), SDD_OK);
    assert_int_equal(positions_from_proto(bytes, n, &q, &err), SDD_OK);
    positions_apply(&p, a);
    positions_apply(q, b);
    sample_equal(a, b);
    assert_true(a->points[0] == 7 && a->points[9] == 1);
    free(bytes);
    positions_free(q);
    struct positions many = {65537, ranges, NULL};
    assert_int_equal(positions_to_proto(&many, &bytes, &n, &err), SDD_ETOO_LARGE);
    mesh_free(a);
    mesh_free(b);
}

/* A batch whose record finds no memory is refused for what is wrong with it, and not for want of memory. */
static void test_no_memory(void **state)
{
    enum { N = 4000 };
    struct sdd_error err = {0};
    struct edit_result r;
    struct mesh *m = sample_grid(100, 100);
    static int32_t ids[N];
    static float points[3 * N];
    const int32_t none = 1000000;
    struct edit edits[] = {
        {.op = EDIT_SET_POSITIONS, .n = N, .ids = ids, .n_values = N, .values = points},
        {.op = EDIT_REMOVE_FACES, .n = 1, .ids = &none},
    };
    const struct edit_batch b = {2, edits, NULL};
    int n_wrong = 0, n_short = 0;
    (void)state;
    for (int i = 0; i < N; i++)
        ids[i] = i;
    for (int64_t limit = 1024; limit < 1 << 20; limit += 1024) {
        struct pool pool = {.limit = limit};
        struct claim claim = {.pool = &pool};
        claim_enter(&claim);
        int rc = edits_apply(m, &b, &r, &err);
        claim_leave();
        assert_int_equal(claim.refused > 0, rc == SDD_ENO_MEMORY);
        assert_true(rc == SDD_ENO_MEMORY || rc == SDD_EMESH);
        n_short += rc == SDD_ENO_MEMORY;
        n_wrong += rc == SDD_EMESH;
        edit_result_free(&r);
        claim_end(&claim);
    }
    assert_true(n_short > 5 && n_wrong > 500);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_too_large),
                                       cmocka_unit_test(test_too_many), cmocka_unit_test(test_positions),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
