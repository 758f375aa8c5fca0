/* SPDX-License-Identifier: Apache-2.0 */
/* test_asked.c: rows of some elements by tiles, and rings of two steps: kernels asked_keys, tile_rows, kept_rows and
 * two_rings, and cluster_bounds for a list. They are the same bytes as flat rows and rounds, which test_rows.c and
 * test_queries.c check; of small meshes they are held to the witness, too. Tiles that own nothing of what is asked for
 * are not read. */
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include <string.h>
#include "gpu/device/device.h"
#include "gpu/queries/internal.h"
#include "tests/kernels/nonmanifold.h"
#include "tests/kernels/queries/naive.h"
#include "tests/kernels/tiles/big_mesh.h"
#include "tests/oracle/refined.h"

enum { MOST_CORNERS = 700, N_RANDOM = 25, N_SOUPS = 25, MOST_IDS = 40 };

static const int tiled[] = {SDD_VV, SDD_VE, SDD_VF, SDD_EF, SDD_FF};
static uint64_t seed = 11;
static int64_t n_by_tiles, n_by_rounds; /* Rows of two steps. */

static void open_mesh(const struct sdd_mesh_desc *desc, sdd_device **device, sdd_topology **t)
{
    struct sdd_error err = {0};
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 2, 1 << 30, device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(*device, desc, t, &err), SDD_OK);
}

static void close_mesh(sdd_device *device, sdd_topology *t)
{
    struct sdd_device_info info;
    sdd_topology_unref(t);
    sdd_device_info(device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(device);
}

static sdd_query_plan *plan_by(sdd_topology *t, const struct sdd_query_request *r, int way)
{
    struct sdd_error err = {0};
    sdd_query_plan *plan;
    if (query_plan_by(t, r, way, NULL, &plan, &err))
        fail_msg("%s: %s", launch_case(), err.text);
    return plan;
}

static sdd_rows *rows_of(sdd_topology *t, const sdd_query_plan *plan, int64_t first, int64_t n)
{
    struct sdd_error err = {0};
    sdd_rows *rows;
    if (sdd_query(t, plan, first, n, NULL, &rows, &err))
        fail_msg("%s: %s", launch_case(), err.text);
    return rows;
}

/* Some rows of a plan are the same by each way. */
static void same_piece(sdd_topology *t, const sdd_query_plan *plan, const sdd_query_plan *want, int64_t first,
                       int64_t n)
{
    sdd_rows *got = rows_of(t, plan, first, n), *flat = rows_of(t, want, first, n);
    const struct sdd_rows_info *a = sdd_rows_info(got), *b = sdd_rows_info(flat);
    assert_int_equal(a->n_ids, b->n_ids);
    assert_memory_equal(a->offsets, b->offsets, (size_t)(n + 1) * 4);
    if (memcmp(a->ids, b->ids, (size_t)a->n_ids * 4) != 0)
        fail_msg("%s: %s of ring %d by way %d has other ids", launch_case(), sdd_relation_name(plan->request.relation),
                 plan->request.ring, plan->way);
    sdd_rows_free(got), sdd_rows_free(flat);
}

static void check_witness(sdd_topology *t, const struct naive *n, const struct sdd_query_request *r,
                          const sdd_query_plan *plan)
{
    sdd_rows *rows = rows_of(t, plan, 0, plan->info.n_rows);
    uint32_t *want = xalloc(naive_most(n), sizeof *want);
    const uint32_t *offset = sdd_rows_info(rows)->offsets;
    for (int64_t i = 0; i < plan->info.n_rows; i++) {
        const int64_t x = r->ids ? r->ids[i] : r->first + i;
        const int64_t length =
            r->ring > 1 ? naive_ring(n, r->relation, x, r->ring, want) : naive_row(n, r->relation, x, want);
        assert_int_equal(offset[i + 1] - offset[i], length);
        assert_memory_equal(sdd_rows_info(rows)->ids + offset[i], want, (size_t)length * 4);
    }
    free(want);
    sdd_rows_free(rows);
}

static void check_request(sdd_topology *t, const struct naive *n, const struct sdd_query_request *r)
{
    sdd_query_plan *flat = plan_by(t, r, QUERY_FLAT);
    for (int way = QUERY_TRANSPOSE; way <= QUERY_KEPT; way++) {
        sdd_query_plan *plan = plan_by(t, r, way);
        const int64_t n_rows = plan->info.n_rows, first = random_below(&seed, n_rows + 1);
        assert_int_equal(plan->way, way);
        assert_int_equal(plan->tiled, 1);
        same_piece(t, plan, flat, 0, n_rows);
        same_piece(t, plan, flat, first, random_below(&seed, n_rows - first + 1));
        if (n)
            check_witness(t, n, r, plan);
        n_by_rounds += plan->n_rest;
        n_by_tiles += r->ring > 1 ? n_rows - plan->n_rest : 0;
        sdd_query_plan_free(plan);
    }
    sdd_query_plan_free(flat);
}

/* All rows, a range of them, none, and a list in which some come more than once. */
static void check_relation(sdd_topology *t, const struct naive *n, int relation, int ring)
{
    struct sdd_query_request r = {.relation = relation, .ring = ring, .count = SDD_ALL_ROWS};
    const int64_t n_elements = relation <= SDD_VF   ? t->info.n_vertices
                               : relation <= SDD_EF ? t->info.n_edges
                                                    : t->info.n_faces;
    int64_t ids[MOST_IDS];
    check_request(t, n, &r);
    r.first = random_below(&seed, n_elements);
    r.count = random_below(&seed, n_elements - r.first + 1);
    check_request(t, n, &r);
    r.count = 0;
    check_request(t, n, &r);
    r.ids = ids;
    for (int k = 0; k < 3; k++) {
        r.n_ids = k == 0 ? 0 : k == 1 ? 1 : random_below(&seed, MOST_IDS) + 1;
        for (int64_t i = 0; i < r.n_ids; i++)
            ids[i] = i % 4 == 3 ? ids[random_below(&seed, i)] : random_below(&seed, n_elements);
        check_request(t, n, &r);
    }
}

static void check_desc(const struct sdd_mesh_desc *desc, const struct naive *n)
{
    sdd_device *device;
    sdd_topology *t;
    open_mesh(desc, &device, &t);
    for (int k = 0; k < 5; k++)
        check_relation(t, n, tiled[k], 1);
    check_relation(t, n, SDD_VV, 2);
    check_relation(t, n, SDD_FF, 2);
    close_mesh(device, t);
}

static void check_poly(const struct poly *p)
{
    struct naive n;
    naive_init(&n, p->desc.n_vertices, p->desc.n_faces, p->desc.face_counts, p->desc.face_vertices,
               p->desc.options.orientation == SDD_LEFT_HANDED);
    check_desc(&p->desc, p->desc.n_corners <= 150 ? &n : NULL);
    naive_fini(&n);
}

/* The witness takes too long for these. */
static void check_big(const struct big_mesh *m)
{
    launch_say("%s", m->name);
    check_desc(&m->desc, NULL);
}

static void test_small(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_poly);
    soup_each(N_SOUPS, MOST_CORNERS, check_poly);
}

static void test_big(void **state)
{
    (void)state;
    n_by_tiles = n_by_rounds = 0;
    big_each(check_big);
    print_message("two rings: %lld rows by tiles, %lld by rounds\n", (long long)n_by_tiles, (long long)n_by_rounds);
    assert_true(n_by_tiles > n_by_rounds && n_by_rounds > 1000);
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

/* ---- tiles that are skipped -------------------------------------------------------------------------------------- */
/* Writes over what launches of some rows have no business with: tiles that own no asked element. Those of a range have
 * to be asked what they own; of those of a list nothing is read. Where such a tile is staged, it is one that reads far
 * outside of all memory. */
static void spoil(struct sdd_tile *tile, const unsigned char *asked, int64_t n, int is_list)
{
    for (int64_t k = 0; k < n; k++) {
        if (asked[k])
            continue;
        tile[k].first_edge = tile[k].first_corner = tile[k].first_face = 0x80000000u;
        tile[k].first_vertex = is_list ? 0x80000000u : tile[k].first_vertex;
        tile[k].n_edges = tile[k].n_corners = tile[k].n_faces = 2000;
    }
}

static void upload_tiles(sdd_device *d, const struct tiles *tiles, const struct sdd_tile *from)
{
    struct sdd_error err = {0};
    dev_upload(d, (void *)(uintptr_t)tiles->arrays.tile, from, tiles->n * (int64_t)sizeof *from);
    assert_int_equal(dev_finish(d, &err), SDD_OK);
}

static int n_skipped;

static void check_skipped(sdd_device *d, sdd_topology *t, const struct sdd_query_request *r, int way)
{
    struct sdd_error err = {0};
    struct sdd_neighbors q;
    const struct tiles *tiles;
    sdd_query_plan *flat = plan_by(t, r, QUERY_FLAT), *plan = plan_by(t, r, way);
    assert_int_equal(tiles_neighbors(t, &q, &err), SDD_OK);
    assert_int_equal(tiles_get(t, &q, NULL, &tiles, &err), SDD_OK);
    sdd_rows_free(rows_of(t, plan, 0, plan->info.n_rows)); /* Rows that are kept are made of all tiles. */
    struct sdd_tile *good = xalloc(tiles->n, sizeof *good), *bad = xalloc(tiles->n, sizeof *bad);
    uint32_t *vertex = xalloc(tiles->n_vertices, 4);
    unsigned char *asked = xalloc(tiles->n, 1);
    dev_download(d, good, tiles->arrays.tile, tiles->n * (int64_t)sizeof *good);
    dev_download(d, vertex, tiles->arrays.vertex, tiles->n_vertices * 4);
    assert_int_equal(dev_finish(d, &err), SDD_OK);
    for (int64_t k = 0; k < tiles->n; k++)
        for (int32_t i = 0; i < good[k].own_vertices; i++)
            for (int64_t row = 0; row < plan->info.n_rows; row++)
                asked[k] |= vertex[good[k].first_vertex + (uint32_t)i] == (r->ids ? r->ids[row] : r->first + row);
    for (int64_t k = 0; k < tiles->n; k++)
        n_skipped += !asked[k];
    memcpy(bad, good, (size_t)tiles->n * sizeof *good);
    spoil(bad, asked, tiles->n, r->ids != NULL);
    upload_tiles(d, tiles, bad);
    sdd_rows *rows = rows_of(t, plan, 0, plan->info.n_rows);
    upload_tiles(d, tiles, good);
    sdd_rows *want = rows_of(t, flat, 0, plan->info.n_rows);
    assert_memory_equal(sdd_rows_info(rows)->ids, sdd_rows_info(want)->ids, (size_t)plan->info.ids_bytes);
    sdd_rows_free(rows), sdd_rows_free(want);
    sdd_query_plan_free(flat), sdd_query_plan_free(plan);
    free(good), free(bad), free(vertex), free(asked);
}

static void check_skipping(const struct big_mesh *m)
{
    sdd_device *device;
    sdd_topology *t;
    launch_say("%s", m->name);
    open_mesh(&m->desc, &device, &t);
    const int64_t ids[] = {t->info.n_vertices / 3, 0, t->info.n_vertices / 3, t->info.n_vertices - 1};
    const struct sdd_query_request requests[] = {
        {.relation = SDD_VV, .ring = 1, .ids = ids, .n_ids = 4},
        {.relation = SDD_VF, .ring = 1, .ids = ids, .n_ids = 1},
        {.relation = SDD_VE, .ring = 1, .first = ids[0], .count = ids[0] + 5 < ids[3] ? 5 : 1},
        {.relation = SDD_VV, .ring = 2, .ids = ids, .n_ids = 4}};
    for (int k = 0; k < 4; k++)
        for (int way = QUERY_TRANSPOSE; way <= QUERY_KEPT; way++)
            check_skipped(device, t, requests + k, way);
    close_mesh(device, t);
}

static void test_skipped(void **state)
{
    (void)state;
    big_each(check_skipping);
    assert_true(n_skipped > 100);
}

/* ---- sizes, limits and the rule ---------------------------------------------------------------------------------- */
/* What the plan says is enough: a device that has just so much left makes the rows. */
static void check_bytes(const struct big_mesh *m)
{
    sdd_device *device;
    sdd_topology *t;
    struct sdd_error err = {0};
    int64_t ids[MOST_IDS];
    sdd_rows *rows;
    open_mesh(&m->desc, &device, &t);
    for (int64_t i = 0; i < MOST_IDS; i++)
        ids[i] = random_below(&seed, t->info.n_vertices);
    for (int k = 0; k < 4; k++) {
        struct sdd_query_request r = {
            .relation = SDD_VV, .ring = 1 + k / 2, .count = SDD_ALL_ROWS, .ids = k % 2 ? ids : NULL, .n_ids = MOST_IDS};
        sdd_query_plan *plan = plan_by(t, &r, QUERY_TRANSPOSE);
        const int64_t limit = device->limit, n = plan->info.n_rows, needed = plan->info.host_bytes;
        device->limit = device->used + plan->info.device_bytes;
        if (sdd_query(t, plan, 0, n, NULL, &rows, &err))
            fail_msg("%s: %s", launch_case(), err.text);
        sdd_rows_free(rows);
        device->limit = device->used;
        assert_int_equal(sdd_query(t, plan, 0, n, NULL, &rows, &err), SDD_ENO_MEMORY);
        device->limit = limit;
        sdd_query_plan_free(plan);
        r.max_bytes = needed;
        sdd_query_plan_free(plan_by(t, &r, QUERY_TRANSPOSE));
        r.max_bytes = needed - 1;
        assert_int_equal(query_plan_by(t, &r, QUERY_TRANSPOSE, NULL, &plan, &err), SDD_ETOO_LARGE);
        assert_string_equal(err.field, "max_bytes");
        assert_int_equal(err.needed, needed);
    }
    close_mesh(device, t);
}

static void test_bytes(void **state)
{
    (void)state;
    big_each(check_bytes);
}

static void test_cancelled(void **state)
{
    static const int32_t counts[] = {3, 3}, vertices[] = {0, 1, 2, 2, 1, 3};
    const struct sdd_mesh_desc desc = {
        .n_vertices = 4, .n_faces = 2, .n_corners = 6, .face_counts = counts, .face_vertices = vertices};
    static const int64_t ids[] = {3, 0, 3};
    const atomic_int set = 1;
    const struct sdd_run run = {.cancel = &set};
    sdd_device *device;
    sdd_topology *t;
    (void)state;
    open_mesh(&desc, &device, &t);
    for (int ring = 1; ring <= 2; ring++) {
        const struct sdd_query_request r = {.relation = SDD_VV, .ring = ring, .ids = ids, .n_ids = 3};
        struct sdd_error err = {0};
        sdd_rows *rows;
        sdd_query_plan *plan = plan_by(t, &r, QUERY_TRANSPOSE);
        assert_int_equal(sdd_query(t, plan, 0, 3, &run, &rows, &err), SDD_ECANCELLED);
        assert_null(rows);
        sdd_query_plan_free(plan);
    }
    close_mesh(device, t);
}

/* The rule does not make tiles. Where there are some it transposes for many of the elements and not for few, and takes
 * rows that are kept for any. The answers are the same. */
static void check_rule(const struct big_mesh *m)
{
    static const int kept_after[] = {SDD_VE, SDD_VV, SDD_VV}, on_cpu[3][3] = {{0, 0, 0}, {0, 1, 1}, {1, 1, 1}};
    sdd_device *device;
    sdd_topology *t;
    struct sdd_error err = {0};
    open_mesh(&m->desc, &device, &t);
    const int64_t V = t->info.n_vertices, ids[] = {V / 2, V / 2};
    const struct sdd_query_request asked[] = {
        {.relation = SDD_VV, .ring = 1, .ids = ids, .n_ids = 2},
        {.relation = SDD_VV, .ring = 1, .first = V / 8, .count = V - V / 4},
        {.relation = SDD_VV, .ring = 2, .count = SDD_ALL_ROWS},
    };
    for (int step = 0; step < 3; step++) {
        for (int k = 0; k < 3; k++) {
            sdd_query_plan *plan = plan_by(t, asked + k, QUERY_BY_RULE), *flat = plan_by(t, asked + k, QUERY_FLAT);
            same_piece(t, plan, flat, 0, plan->info.n_rows);
            if (strcmp(launch_backend()->name, "cpu") == 0 && V > 100)
                assert_int_equal(plan->tiled, on_cpu[step][k]);
            sdd_query_plan_free(plan), sdd_query_plan_free(flat);
        }
        assert_int_equal(sdd_query_keep(t, kept_after[step], NULL, &err), SDD_OK);
    }
    close_mesh(device, t);
}

static void test_rule(void **state)
{
    (void)state;
    big_each(check_rule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small),      cmocka_unit_test(test_big),
                                       cmocka_unit_test(test_components), cmocka_unit_test(test_skipped),
                                       cmocka_unit_test(test_bytes),      cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_rule)};
    return LAUNCH_GROUP("what is asked of tiles", tests);
}
