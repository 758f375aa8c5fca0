/* SPDX-License-Identifier: Apache-2.0 */
/* test_queries_levels.c: the rows of refined levels against a witness over the faces that sdd_refine gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "gpu/device/device.h"
#include "tests/engines/fixture.h"
#include "tests/engines/query_check.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/nonmanifold.h"
#include "tests/refine_once.h"

enum { N_RANDOM = 60, N_SOUPS = 15, MOST_OF_LEVELS = 60 /* corners of a control mesh */ };

/* The faces that sdd_refine gives, as a mesh of the witness. 0 where all faces are holes. */
static int naive_of_level(sdd_mesh *m, int level, struct naive *n)
{
    const struct sdd_refine_request r = {.level = level, .include = SDD_INDICES};
    sdd_result *faces;
    struct sdd_error err = {0};
    assert_int_equal(refine_once(m, &r, &faces, &err), SDD_OK);
    const struct sdd_plan_info *p = &sdd_result_info(faces)->plan;
    int32_t *counts = xalloc(p->blocks->count + 1, sizeof *counts);
    for (int64_t f = 0; f < p->blocks->count; f++)
        counts[f] = p->blocks->components;
    const int some = p->blocks->count > 0;
    if (some)
        naive_init(n, p->n_vertices, p->blocks->count, counts, p->blocks->data, 0);
    free(counts);
    sdd_result_free(faces);
    return some;
}

static void check_level(sdd_topology *t, sdd_mesh *m, int level)
{
    struct naive n;
    if (!naive_of_level(m, level, &n)) {
        struct sdd_query_request r = query_ask(SDD_VE);
        sdd_query_plan *plan;
        struct sdd_error err = {0};
        r.level = level;
        assert_int_equal(sdd_query_plan_create(t, &r, NULL, &plan, &err), SDD_EQUERY);
        assert_string_equal(err.field, "level");
        return;
    }
    for (int k = 0; k < 2 * SDD_N_RELATIONS; k++) {
        struct sdd_query_request r = query_ask(k / 2);
        r.level = level;
        r.oriented = k % 2 && r.relation <= SDD_VF;
        r.ring = k % 2 && r.relation == SDD_FF && level < 3 ? 3 : 1;
        query_check(t, &n, &r, INT32_MAX);
        query_check_subset(t, &n, r);
        r.ring = !r.oriented && r.relation == SDD_VV && level < 3 ? 2 : r.ring;
        r.first = naive_count(&n, r.relation) / 3;
        r.count = naive_count(&n, r.relation) / 2;
        query_check(t, &n, &r, 50);
    }
    naive_fini(&n);
}

static void check_levels(const struct poly *p)
{
    static const int schemes[] = {SDD_SCHEME_CATMULL_CLARK, SDD_SCHEME_LOOP, SDD_SCHEME_SQRT3};
    int triangles = 1;
    for (int64_t f = 0; f < p->desc.n_faces; f++)
        triangles &= p->desc.face_counts[f] == 3;
    for (int k = 0; k < (triangles ? 3 : 1); k++) {
        struct sdd_mesh_desc desc = p->desc;
        sdd_device *device;
        sdd_topology *t;
        sdd_mesh *m;
        struct sdd_error err = {0};
        desc.options.scheme = schemes[k];
        desc.options.crease_method = 0;
        assert_int_equal(sdd_device_wrap(launch_backend(), 0, 2, 1 << 30, &device, &err), SDD_OK);
        assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
        assert_int_equal(sdd_mesh_create(t, p->points, p->uvs, &m, &err), SDD_OK);
        for (int level = 1; level <= (p->desc.n_corners < 30 ? 3 : 2); level++)
            check_level(t, m, level);
        sdd_mesh_free(m);
        sdd_topology_unref(t);
        sdd_device_close(device);
    }
}

static void test_levels(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_OF_LEVELS, check_levels);
    soup_each(N_SOUPS, MOST_OF_LEVELS / 2, check_levels);
}

/* Asks for the rows of these elements of level 13. */
static struct query_answer rows_of(sdd_topology *t, int relation, const uint32_t *ids, int64_t n)
{
    struct query_answer a;
    struct sdd_error err = {0};
    int64_t *list = xalloc(n, sizeof *list);
    for (int64_t i = 0; i < n; i++)
        list[i] = ids[i];
    const struct sdd_query_request r = {.relation = relation, .level = 13, .ring = 1, .ids = list, .n_ids = n};
    assert_int_equal(query_in_pieces(t, &r, n, &a, &err), SDD_OK);
    free(list);
    return a;
}

/* What has an edge is what the edge has, among 800 M edges: those of vertices of each kind, and of faces. */
static void check_deep_edges(sdd_topology *t)
{
    static const uint32_t last = 6u * 8192 * 8192 + 1;
    for (int relation = SDD_VE; relation <= SDD_FE; relation += SDD_FE - SDD_VE) {
        uint32_t ids[400], from = 0;
        for (uint32_t i = 0; i < 400; i++)
            ids[i] = i < 100 ? i : i < 200 ? 99999 + i : relation == SDD_VE ? last - (i - 200) * 999983 : i * 999983;
        struct query_answer edges = rows_of(t, relation, ids, 400);
        struct query_answer back = rows_of(t, relation == SDD_VE ? SDD_EV : SDD_EF, edges.ids, edges.offset[400]);
        assert_int_equal(back.info.n_ids, 2 * edges.info.n_ids);
        for (uint32_t i = 0; i < 400; i++)
            for (; from < edges.offset[i + 1]; from++) {
                const uint32_t *pair = back.ids + 2 * (size_t)from;
                assert_true(edges.ids[from] < 12u * 8192 * 8192 && pair[0] < pair[1]);
                assert_true(pair[0] == ids[i] || pair[1] == ids[i]);
            }
        query_answer_free(&edges);
        query_answer_free(&back);
    }
}

/* A few rows of a level of 400 M vertices, and a level that is too deep for a topology of its own. */
static void test_deep_levels(void **state)
{
    struct fixture f;
    struct query_answer a;
    struct sdd_error err = {0};
    (void)state;
    fixture_open(&f, "cube", 1, 1 << 24);
    struct sdd_query_request r = {.relation = SDD_VV, .level = 13, .ring = 2, .first = 300000000, .count = 1000};
    assert_int_equal(query_in_pieces(f.topology, &r, 1000, &a, &err), SDD_OK);
    assert_int_equal(a.info.n_elements, 6ll * 8192 * 8192 + 2);
    assert_int_equal(a.info.n_ids, 12000); /* two steps on a grid of quads */
    query_answer_free(&a);
    check_deep_edges(f.topology);
    r.relation = SDD_VE;
    r.ring = r.oriented = 1;
    sdd_query_plan *plan;
    assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_ETOO_LARGE);
    assert_string_equal(err.field, "level");
    r = query_ask(SDD_FV);
    r.level = 13;
    r.max_bytes = 1 << 20;
    assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_ETOO_LARGE);
    assert_string_equal(err.field, "max_bytes");
    assert_true(err.needed > 4ll * 6 * 8192 * 8192);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels), cmocka_unit_test(test_deep_levels)};
    return LAUNCH_GROUP("queries of levels", tests);
}
