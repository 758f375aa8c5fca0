/* SPDX-License-Identifier: Apache-2.0 */
/* test_queries.c: the rows of sdd_queries.h against a witness that tries every
 * pair, on all shapes, random meshes and soups; their laws; what is refused,
 * and where answers are cut into pieces. */
#include "gpu/device/device.h"
#include "tests/engines/fixture.h"
#include "tests/engines/query_check.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/nonmanifold.h"
#include "tests/kernels/queries/naive.h"
#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 3;

enum { MOST_CORNERS = 700, N_RANDOM = 60, N_SOUPS = 60 };

static void check_mesh(const struct poly *p)
{
    sdd_device *device;
    sdd_topology *t;
    struct naive n;
    struct sdd_error err = {0};
    const int small = p->desc.n_corners <= 150;
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 2, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &p->desc, &t, &err), SDD_OK);
    naive_init(&n, p->desc.n_vertices, p->desc.n_faces, p->desc.face_counts, p->desc.face_vertices,
               p->desc.options.orientation == SDD_LEFT_HANDED);
    for (int relation = 0; relation < SDD_N_RELATIONS; relation++) {
        struct sdd_query_request r = query_ask(relation);
        query_check(t, &n, &r, INT32_MAX);
        query_check_subset(t, &n, r);
        r.first = random_below(&seed, naive_count(&n, relation) + 1);
        r.count = random_below(&seed, naive_count(&n, relation) - r.first + 1);
        query_check(t, &n, &r, 3);
    }
    for (int relation = SDD_VV; relation <= SDD_VF; relation++) {
        struct sdd_query_request r = query_ask(relation);
        r.oriented = 1;
        query_check(t, &n, &r, INT32_MAX);
        query_check_subset(t, &n, r);
    }
    for (int ring = 2; ring <= 4 && small; ring++)
        for (int k = 0; k < 2; k++) {
            struct sdd_query_request r = query_ask(k ? SDD_FF : SDD_VV);
            r.ring = ring;
            query_check(t, &n, &r, ring == 3 ? 5 : INT32_MAX);
            query_check_subset(t, &n, r);
        }
    naive_fini(&n);
    sdd_topology_unref(t);
    struct sdd_device_info info;
    sdd_device_info(device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(device);
}

static void test_shapes(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_mesh);
    soup_each(N_SOUPS, MOST_CORNERS, check_mesh);
    assert_true(query_orders > 300 && query_odd_orders > 30);
}

/* ---- laws
 * --------------------------------------------------------------------------------------------------------
 */
static void whole(const struct fixture *f, int relation, struct query_answer *a)
{
    const struct sdd_query_request r = query_ask(relation);
    struct sdd_error err = {0};
    assert_int_equal(query_in_pieces(f->topology, &r, INT32_MAX, a, &err), SDD_OK);
}

/* Whether y is in the row of x. */
static int has(const struct query_answer *a, int64_t x, int64_t y)
{
    for (int64_t k = a->offset[x]; k < a->offset[x + 1]; k++)
        if (a->ids[k] == (uint32_t)y)
            return 1;
    return 0;
}

static void transposed(const struct fixture *f, int relation, int other)
{
    struct query_answer a, b;
    whole(f, relation, &a);
    whole(f, other, &b);
    assert_int_equal(a.info.n_ids, b.info.n_ids);
    for (int64_t x = 0; x < a.info.n_rows; x++)
        for (int64_t k = a.offset[x]; k < a.offset[x + 1]; k++)
            assert_true(has(&b, a.ids[k], x));
    query_answer_free(&a), query_answer_free(&b);
}

static void test_laws(void **state)
{
    static const char *const closed[] = {"cube", "icosahedron", "dodecahedron", "prism40", "pillow_triangle"};
    static const char *const simple[] = {"cube54_open", "genus2_mixed", "random_mixed0", "valence60", "grid_holed"};
    (void)state;
    for (size_t k = 0; k < sizeof closed / sizeof *closed; k++) {
        struct fixture f;
        struct query_answer vv, fe;
        fixture_open(&f, closed[k], 2, 0);
        whole(&f, SDD_VV, &vv);
        whole(&f, SDD_FE, &fe);
        const int64_t E = vv.info.n_ids / 2; /* each edge is in the row of both its
                                            ends, and in those of two faces */
        assert_int_equal(vv.info.n_ids, 2 * E);
        assert_int_equal(fe.info.n_ids, 2 * E);
        assert_int_equal(vv.info.n_rows - E + fe.info.n_rows, 2);
        query_answer_free(&vv), query_answer_free(&fe);
        fixture_close(&f);
    }
    for (size_t k = 0; k < sizeof simple / sizeof *simple; k++) {
        struct fixture f;
        fixture_open(&f, simple[k], 3, 0);
        transposed(&f, SDD_EV, SDD_VE);
        transposed(&f, SDD_FV, SDD_VF);
        transposed(&f, SDD_FE, SDD_EF);
        transposed(&f, SDD_VV, SDD_VV);
        transposed(&f, SDD_FF, SDD_FF);
        fixture_close(&f);
    }
}

/* ---- large answers
 * -----------------------------------------------------------------------------------------------
 */
/* More rows than a chunk has, of one short list of elements again and again. */
static void check_long(const struct fixture *f, struct sdd_query_request r, int64_t n_ids)
{
    const int64_t V = f->shape.desc.n_vertices, F = f->shape.desc.n_faces, n_elements = V < F ? V : F;
    int64_t *ids = xalloc(n_ids, sizeof *ids);
    struct query_answer once, many;
    struct sdd_error err = {0};
    for (int64_t i = 0; i < n_ids; i++)
        ids[i] = (i * 7) % n_elements;
    assert_int_equal(query_in_pieces(f->topology, &r, INT32_MAX, &once, &err), SDD_OK);
    r.ids = ids;
    r.n_ids = n_ids;
    assert_int_equal(query_in_pieces(f->topology, &r, n_ids / 2 + 1, &many, &err), SDD_OK);
    for (int64_t i = 0; i < n_ids; i++) {
        const int64_t n = once.offset[ids[i] + 1] - once.offset[ids[i]];
        assert_int_equal(many.offset[i + 1] - many.offset[i], n);
        assert_memory_equal(many.ids + many.offset[i], once.ids + once.offset[ids[i]], (size_t)n * sizeof *once.ids);
    }
    query_answer_free(&once), query_answer_free(&many);
    free(ids);
}

static void test_chunks(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, "cube54", 0, 0);
    check_long(&f, query_ask(SDD_VV), (1 << 22) + 77);
    check_long(&f, query_ask(SDD_FF), (1 << 22) + 77);
    struct sdd_query_request r = query_ask(SDD_VV);
    r.ring = SDD_MAX_RING; /* reaches all: more keys than a chunk has */
    check_long(&f, r, 90000);
    fixture_close(&f);
}

/* One vertex of very many faces, of which no two share an edge, then all in one
 * fan: no row may take longer than it is long. */
static void check_hub(int64_t n_faces, int closed)
{
    const int64_t V = 1 + (closed ? n_faces : 2 * n_faces);
    int32_t *counts = xalloc(n_faces, sizeof *counts), *vertices = xalloc(3 * n_faces, sizeof *vertices);
    for (int64_t f = 0; f < n_faces; f++) {
        const int64_t a = closed ? f : 2 * f, b = closed ? (f + 1) % n_faces : 2 * f + 1;
        counts[f] = 3;
        vertices[3 * f] = 0;
        vertices[3 * f + 1] = (int32_t)(1 + a);
        vertices[3 * f + 2] = (int32_t)(1 + b);
    }
    const struct sdd_mesh_desc desc = {.n_vertices = V,
                                       .n_faces = n_faces,
                                       .n_corners = 3 * n_faces,
                                       .face_counts = counts,
                                       .face_vertices = vertices};
    sdd_device *device;
    sdd_topology *t;
    struct query_answer a;
    struct sdd_error err = {0};
    struct sdd_query_request r = query_ask(SDD_VV);
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 2, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
    for (r.oriented = 0; r.oriented < 2; r.oriented++) {
        if (query_in_pieces(t, &r, INT32_MAX, &a, &err))
            fail_msg("%s", err.text);
        assert_int_equal(a.offset[1], V - 1);
        for (int64_t k = 0; k < V - 1; k++)
            assert_int_equal(a.ids[k], k + 1);
        query_answer_free(&a);
    }
    sdd_topology_unref(t);
    sdd_device_close(device);
    free(counts), free(vertices);
}

static void test_hubs(void **state)
{
    (void)state;
    check_hub(30000, 0);
    check_hub(60000, 1);
}

/* ---- what is refused
 * ---------------------------------------------------------------------------------------------
 */
static const int64_t far_ids[] = {0, 7, 8, 900}, negative_ids[] = {3, -1};
static const struct refused {
    const char *field, *text;
    struct sdd_query_request request; /* relation, level, ring, oriented, first,
                                       count, ids, n_ids, max_bytes */
} of_cube[] = {
    {"relation", "-1 is not", {-1, 0, 1, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"relation", "there are 8", {8, 0, 1, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"level", "0 to 15", {SDD_VV, -1, 1, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"level", "0 to 15", {SDD_VV, 16, 1, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"ring", "1 to 64", {SDD_VV, 0, 0, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"ring", "1 to 64", {SDD_FF, 0, 65, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"ring", "VE has no rings", {SDD_VE, 0, 2, 0, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"oriented", "EF has no order", {SDD_EF, 0, 1, 1, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"oriented", "ring of 2", {SDD_VV, 0, 2, 1, 0, SDD_ALL_ROWS, NULL, 0, 0}},
    {"first", "row 9; there are 8 vertices", {SDD_VV, 0, 1, 0, 9, SDD_ALL_ROWS, NULL, 0, 0}},
    {"first", "row -1", {SDD_VV, 0, 1, 0, -1, SDD_ALL_ROWS, NULL, 0, 0}},
    {"count", "2 rows from row 5 on; there are 6 faces", {SDD_FE, 0, 1, 0, 5, 2, NULL, 0, 0}},
    {"count", "-2 rows", {SDD_EV, 0, 1, 0, 0, -2, NULL, 0, 0}},
    {"ids", "id 8 of row 2 is out of range; there are 8 vertices", {SDD_VE, 0, 1, 0, 0, 0, far_ids, 4, 0}},
    {"ids", "id 900 of row 3 is out of range; there are 12 edges", {SDD_EF, 0, 1, 0, 0, 0, far_ids, 4, 0}},
    {"ids", "id -1 of row 1", {SDD_VV, 0, 3, 0, 0, 0, negative_ids, 2, 0}},
    {"ids", "-1 ids", {SDD_VV, 0, 1, 0, 0, 0, negative_ids, -1, 0}},
    {"max_bytes", "0 is no limit", {SDD_VV, 0, 1, 0, 0, SDD_ALL_ROWS, NULL, 0, -1}},
};

static void test_refused(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    int relation = 5;
    (void)state;
    fixture_open(&f, "cube", 1, 0);
    for (size_t k = 0; k < sizeof of_cube / sizeof *of_cube; k++) {
        sdd_query_plan *plan;
        assert_int_equal(sdd_query_plan_create(f.topology, &of_cube[k].request, NULL, &plan, &err), SDD_EQUERY);
        assert_null(plan);
        assert_string_equal(err.field, of_cube[k].field);
        if (!strstr(err.text, of_cube[k].text))
            fail_msg("\"%s\" does not say \"%s\"", err.text, of_cube[k].text);
    }
    assert_int_equal(sdd_relation_find("vv", &relation, &err), SDD_EQUERY);
    assert_string_equal(err.field, "relation");
    assert_int_equal(relation, 5);
    for (int k = 0; k < SDD_N_RELATIONS; k++) {
        assert_int_equal(sdd_relation_find(sdd_relation_name(k), &relation, &err), SDD_OK);
        assert_int_equal(relation, k);
    }
    assert_null(sdd_relation_name(SDD_N_RELATIONS));
    assert_int_equal(sdd_err_http(SDD_EQUERY), 422);
    fixture_close(&f);
}

static void test_limit(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    for (int k = 0; k < 3; k++) {
        struct sdd_query_request r = query_ask(k ? SDD_FF : SDD_VV);
        sdd_query_plan *plan;
        struct sdd_error err = {0};
        r.ring = k == 2 ? 3 : 1;
        assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_OK);
        const int64_t needed = sdd_query_plan_info(plan)->host_bytes;
        sdd_query_plan_free(plan);
        r.max_bytes = needed;
        assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_OK);
        sdd_query_plan_free(plan);
        r.max_bytes = needed - 1;
        assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_ETOO_LARGE);
        assert_string_equal(err.field, "max_bytes");
        assert_int_equal(err.needed, needed);
        assert_int_equal(err.available, needed - 1);
    }
    fixture_close(&f);
}

/* What the plan says is enough: a device that has just so much left makes the rows. */
static void test_device_bytes(void **state)
{
    static const struct {
        int relation, ring, oriented;
    } asked[] = {{SDD_VV, 1, 0}, {SDD_FE, 1, 0}, {SDD_FF, 1, 0}, {SDD_VE, 1, 1}, {SDD_VV, 3, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct fixture f;
        sdd_query_plan *plan;
        sdd_rows *rows;
        struct sdd_query_request r = query_ask(asked[k].relation);
        struct sdd_error err = {0};
        r.ring = asked[k].ring;
        r.oriented = asked[k].oriented;
        fixture_open(&f, "cube54", 1, 0);
        assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_OK);
        const int64_t limit = f.device->limit, n = sdd_query_plan_info(plan)->n_rows;
        f.device->limit = f.device->used + sdd_query_plan_info(plan)->device_bytes;
        if (sdd_query(f.topology, plan, 0, n, NULL, &rows, &err))
            fail_msg("%s: %s", sdd_relation_name(r.relation), err.text);
        sdd_rows_free(rows);
        f.device->limit = f.device->used;
        assert_int_equal(sdd_query(f.topology, plan, 0, n, NULL, &rows, &err), SDD_ENO_MEMORY);
        f.device->limit = limit;
        sdd_query_plan_free(plan);
        fixture_close(&f);
    }
}

static void test_plan_of_another(void **state)
{
    struct fixture f, g;
    const struct sdd_query_request r = query_ask(SDD_VF);
    sdd_query_plan *plan;
    sdd_rows *rows;
    struct sdd_error err = {0};
    (void)state;
    fixture_open(&f, "cube", 1, 0);
    fixture_open(&g, "cube", 1, 0);
    sdd_topology *second;
    assert_int_equal(sdd_topology_create(f.device, &f.shape.desc, &second, &err), SDD_OK);
    assert_int_equal(sdd_query_plan_create(second, &r, NULL, &plan, &err), SDD_OK);
    assert_int_equal(sdd_query(f.topology, plan, 0, 8, NULL, &rows, &err), SDD_EQUERY);
    assert_string_equal(err.field, "plan");
    assert_int_equal(sdd_query(second, plan, 4, 5, NULL, &rows, &err), SDD_EQUERY);
    assert_string_equal(err.field, "n_rows");
    assert_int_equal(sdd_query(second, plan, -1, 2, NULL, &rows, &err), SDD_EQUERY);
    assert_int_equal(sdd_query(second, plan, 0, INT64_MAX, NULL, &rows, &err), SDD_EQUERY);
    assert_null(rows);
    sdd_query_plan_free(plan);
    sdd_query_plan_free(NULL);
    sdd_rows_free(NULL);
    sdd_topology_unref(second);
    fixture_close(&g);
    fixture_close(&f);
}

static void test_cancelled(void **state)
{
    const atomic_int set = 1;
    const struct sdd_run run = {.cancel = &set};
    struct fixture f;
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    for (int k = 0; k < 3; k++) {
        struct sdd_query_request r = query_ask(k ? SDD_FF : SDD_VV);
        sdd_query_plan *plan;
        sdd_rows *rows;
        struct sdd_error err = {0};
        r.ring = k == 2 ? 3 : 1;
        assert_int_equal(sdd_query_plan_create(f.topology, &r, &run, &plan, &err), SDD_ECANCELLED);
        assert_null(plan);
        assert_int_equal(sdd_query_plan_create(f.topology, &r, NULL, &plan, &err), SDD_OK);
        assert_int_equal(sdd_query(f.topology, plan, 0, 10, &run, &rows, &err), SDD_ECANCELLED);
        assert_null(rows);
        sdd_query_plan_free(plan);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),       cmocka_unit_test(test_laws),
                                       cmocka_unit_test(test_chunks),       cmocka_unit_test(test_hubs),
                                       cmocka_unit_test(test_refused),      cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_device_bytes), cmocka_unit_test(test_plan_of_another),
                                       cmocka_unit_test(test_cancelled)};
    return LAUNCH_GROUP("queries", tests);
}
