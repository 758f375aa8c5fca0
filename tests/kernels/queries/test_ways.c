/* SPDX-License-Identifier: Apache-2.0 */
/* test_ways.c: rows that are made flat, by transposes in tiles and from kept rows are the same bytes: kernels
 * tile_rows and kept_rows against block_rows, which test_rows.c checks. So are sums of smooth_mean, a kernel of
 * queries, in its three forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/fields/internal.h"
#include "gpu/queries/internal.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/nonmanifold.h"
#include "tests/kernels/tiles/big_mesh.h"
#include "tests/oracle/refined.h"

static int n_staged, n_kept; /* The meshes whose sums were made so. */

enum { MOST_CORNERS = 700, N_RANDOM = 30, N_SOUPS = 30 };

static void by_way(sdd_topology *t, int relation, int way, sdd_query_plan **plan, sdd_rows **rows)
{
    const struct sdd_query_request r = {.relation = relation, .ring = 1, .count = SDD_ALL_ROWS};
    struct sdd_error err = {0};
    if (query_plan_by(t, &r, way, NULL, plan, &err))
        fail_msg("%s: %s", launch_case(), err.text);
    if (sdd_query(t, *plan, 0, (*plan)->info.n_rows, NULL, rows, &err))
        fail_msg("%s: %s", launch_case(), err.text);
}

static void check_relation(sdd_topology *t, int relation)
{
    sdd_query_plan *plan, *other_plan;
    sdd_rows *rows, *other;
    by_way(t, relation, QUERY_FLAT, &plan, &rows);
    const struct sdd_query_info *i = &plan->info;
    for (int way = QUERY_TRANSPOSE; way <= QUERY_KEPT; way++) {
        by_way(t, relation, way, &other_plan, &other);
        assert_int_equal(other_plan->way, way);
        assert_int_equal(other_plan->info.n_ids, i->n_ids);
        assert_memory_equal(sdd_rows_info(other)->offsets, sdd_rows_info(rows)->offsets, (size_t)i->offsets_bytes);
        if (memcmp(sdd_rows_info(other)->ids, sdd_rows_info(rows)->ids, (size_t)i->ids_bytes) != 0)
            fail_msg("%s: %s by way %d has other ids", launch_case(), sdd_relation_name(relation), way);
        sdd_rows_free(other);
        sdd_query_plan_free(other_plan);
    }
    sdd_rows_free(rows);
    sdd_query_plan_free(plan);
}

/* A kernel of queries has the same sums over flat rows, kept ones and ones staged in tiles. */
static void check_sums(sdd_topology *t)
{
    const int64_t V = t->info.n_vertices;
    float *points = xalloc(3 * V, sizeof *points), *uvs = xalloc(2 * t->info.n_uvs + 1, sizeof *uvs);
    uint64_t state = 7;
    sdd_mesh *mesh;
    sdd_values *want, *got;
    struct sdd_error err = {0};
    for (int64_t i = 0; i < 3 * V; i++)
        points[i] = random_unit(&state);
    assert_int_equal(sdd_mesh_create(t, points, uvs, &mesh, &err), SDD_OK);
    const struct sdd_smooth_request r = {.method = SDD_SMOOTH_UNIFORM, .iterations = 2, .strength = 0.5f};
    assert_int_equal(smooth_by(mesh, &r, QUERY_FLAT, NULL, &want, &err), SDD_OK);
    for (int way = QUERY_BY_RULE; way <= QUERY_KEPT; way++) {
        struct device_rows rows;
        assert_int_equal(smooth_by(mesh, &r, way, NULL, &got, &err), SDD_OK);
        if (memcmp(sdd_values_info(got)->values, sdd_values_info(want)->values, (size_t)V * 3 * sizeof *points) != 0)
            fail_msg("%s: sums by way %d differ", launch_case(), way);
        sdd_values_free(got);
        assert_int_equal(queries_rows(t, SDD_VV, way, 1, NULL, &rows, &err), SDD_OK);
        n_staged += rows.way == QUERY_TRANSPOSE;
        n_kept += rows.way == QUERY_KEPT;
        block_give(t->device, &rows.block);
    }
    sdd_values_free(want);
    sdd_mesh_free(mesh);
    free(points), free(uvs);
}

static void check_desc(const struct sdd_mesh_desc *desc)
{
    static const int transposed[] = {SDD_VV, SDD_VE, SDD_VF, SDD_EF, SDD_FF};
    sdd_device *device;
    sdd_topology *t;
    struct sdd_device_info info;
    struct sdd_error err = {0};
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 2, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, desc, &t, &err), SDD_OK);
    for (int k = 0; k < 5; k++)
        check_relation(t, transposed[k]);
    check_sums(t);
    sdd_topology_unref(t);
    sdd_device_info(device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(device);
}

static void check_poly(const struct poly *p)
{
    check_desc(&p->desc);
}

static void check_big(const struct big_mesh *m)
{
    check_desc(&m->desc);
}

static void test_small(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_poly);
    soup_each(N_SOUPS, MOST_CORNERS, check_poly);
    assert_true(n_staged > 10 && n_kept > 10);
}

static void test_big(void **state)
{
    (void)state;
    big_each(check_big);
}

/* One mesh of several tiles alone, for checkers of memory and races, under which all of them take very long. */
static void check_components(const struct big_mesh *m)
{
    if (strcmp(m->name, "components") == 0)
        check_big(m);
}

static void test_components(void **state)
{
    (void)state;
    big_each(check_components);
}

/* What is kept is counted, and the rule then takes it, with the same bytes. */
static void test_keep(void **state)
{
    static int32_t counts[] = {3, 3}, vertices[] = {0, 1, 2, 2, 1, 3};
    const struct sdd_mesh_desc desc = {
        .n_vertices = 4, .n_faces = 2, .n_corners = 6, .face_counts = counts, .face_vertices = vertices};
    sdd_device *device;
    sdd_topology *t;
    sdd_query_plan *plan, *kept_plan;
    sdd_rows *rows, *kept;
    struct sdd_topology_info before, after;
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 1, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
    by_way(t, SDD_VV, QUERY_BY_RULE, &plan, &rows);
    sdd_topology_info(t, &before);
    assert_int_equal(sdd_query_keep(t, SDD_VV, NULL, &err), SDD_OK);
    sdd_topology_info(t, &after);
    assert_true(after.device_bytes > before.device_bytes);
    const struct query_work w = {.device = device, .topology = t, .plan = plan};
    if (strcmp(launch_backend()->name, "cpu") == 0)
        assert_int_equal(query_way(&w, plan->info.n_rows), QUERY_KEPT);
    assert_int_equal(plan->tiled, 0); /* It was made when there were no tiles, whose memory it does not count. */
    by_way(t, SDD_VV, QUERY_BY_RULE, &kept_plan, &kept);
    assert_memory_equal(sdd_rows_info(kept)->ids, sdd_rows_info(rows)->ids, (size_t)plan->info.ids_bytes);
    assert_int_equal(sdd_query_keep(t, SDD_EV, NULL, &err), SDD_EQUERY);
    assert_string_equal(err.field, "relation");
    assert_int_equal(sdd_query_keep(t, 99, NULL, &err), SDD_EQUERY);
    sdd_rows_free(rows), sdd_rows_free(kept);
    sdd_query_plan_free(plan), sdd_query_plan_free(kept_plan);
    sdd_topology_unref(t);
    sdd_device_close(device);
}

/* What tiles do not serve is made flat, whatever way is asked. */
static void test_not_tiled(void **state)
{
    static int32_t counts[] = {3, 3}, vertices[] = {0, 1, 2, 2, 1, 3};
    const struct sdd_mesh_desc desc = {
        .n_vertices = 4, .n_faces = 2, .n_corners = 6, .face_counts = counts, .face_vertices = vertices};
    const struct sdd_query_request requests[] = {{.relation = SDD_EV, .ring = 1, .count = SDD_ALL_ROWS},
                                                 {.relation = SDD_FE, .ring = 1, .count = SDD_ALL_ROWS},
                                                 {.relation = SDD_VV, .ring = 3, .count = SDD_ALL_ROWS},
                                                 {.relation = SDD_VE, .ring = 1, .oriented = 1, .count = SDD_ALL_ROWS}};
    sdd_device *device;
    sdd_topology *t;
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 1, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        sdd_query_plan *plan;
        assert_int_equal(query_plan_by(t, requests + k, QUERY_TRANSPOSE, NULL, &plan, &err), SDD_OK);
        assert_int_equal(plan->way, QUERY_FLAT);
        sdd_query_plan_free(plan);
    }
    sdd_topology_unref(t);
    sdd_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_big),
                                       cmocka_unit_test(test_components), cmocka_unit_test(test_not_tiled),
                                       cmocka_unit_test(test_keep)};
    return LAUNCH_GROUP("ways of queries", tests);
}
