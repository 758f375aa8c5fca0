/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of queries, one by one, against naive.h: edge_use_keys, edge_use_begins, query_count, query_fill,
 * block_rows, query_pack, fan_count, fan_fill; of rings ring_start, ring_count, ring_expand, ring_flags and
 * ring_rows. */
#include "tests/kernels/launch.h"
#include "gpu/tiles/kernels/edge_use_begins.k.h"
#include "gpu/tiles/kernels/edge_use_keys.k.h"
#include "gpu/queries/kernels/fan_count.k.h"
#include "gpu/queries/kernels/fan_fill.k.h"
#include "gpu/queries/kernels/query_count.k.h"
#include "gpu/queries/kernels/block_rows.tile.h"
#include "gpu/queries/kernels/query_fill.k.h"
#include "gpu/queries/kernels/query_pack.k.h"
#include "gpu/queries/kernels/ring_count.k.h"
#include "gpu/queries/kernels/ring_expand.k.h"
#include "gpu/queries/kernels/ring_flags.k.h"
#include "gpu/queries/kernels/ring_rows.k.h"
#include "gpu/queries/kernels/ring_start.k.h"
#include "tests/kernels/queries/naive.h"
#include "tests/kernels/wild.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_CORNERS = 300, N_RANDOM = 30, N_SOUPS = 30 };

/* ---- the uses of edges ------------------------------------------------------------------------------------------- */
/* What edge_use_begins should make of naive.h's edges. */
static void uses_of(const struct naive *n, uint32_t *begin, uint32_t *corner)
{
    int64_t at = 0;
    for (int64_t e = 0; e < n->E; e++) {
        begin[e] = (uint32_t)at;
        for (int64_t c = 0; c < n->C; c++)
            if (n->edge[c] == (uint32_t)e)
                corner[at++] = (uint32_t)c;
    }
    begin[n->E] = (uint32_t)at;
}

static void check_uses(const struct naive *n, const uint32_t *begin, const uint32_t *corner)
{
    uint64_t *key = xalloc(n->C, sizeof *key), *sorted = xalloc(n->C, sizeof *sorted);
    int32_t *value = xalloc(n->C, sizeof *value);
    for (int64_t c = 0; c < n->C; c++) {
        key[c] = n->edge[c];
        value[c] = (int32_t)c;
        sorted[c] = n->edge[corner[c]];
    }
    struct edge_use_keys_args keys = {launch_in(n->edge, n->C, 4), launch_out(n->C, 8), launch_out(n->C, 4)};
    struct edge_use_begins_args begins = {launch_in(sorted, n->C, 8), launch_out(n->E + 1, 4), n->C};
    LAUNCH(edge_use_keys, &keys, n->C);
    LAUNCH(edge_use_begins, &begins, n->C);
    launch_same(keys.key, key, "keys");
    launch_same(keys.value, value, "values");
    launch_same(begins.begin, begin, "begins");
    launch_end();
    free(key), free(sorted), free(value);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
struct rows { /* what naive.h says; room: what FF may need */
    int64_t n;
    int32_t *count, *room;
    uint32_t *offset, *wide, *ids;
    uint8_t *signs;
};

static int64_t room_of(const struct naive *n, const uint32_t *begin, int64_t f)
{
    int64_t room = 0;
    for (int64_t c = n->first[f]; c < n->first[f + 1]; c++)
        room += begin[n->edge[c] + 1] - begin[n->edge[c]] - 1;
    return room;
}

static void rows_init(struct rows *r, const struct naive *n, const uint32_t *begin, int relation, int oriented)
{
    uint32_t *row = xalloc(naive_most(n), sizeof *row);
    *r = (struct rows){.n = naive_count(n, relation)};
    r->count = xalloc(r->n + 1, 4), r->room = xalloc(r->n + 1, 4);
    r->offset = xalloc(r->n + 1, 4), r->wide = xalloc(r->n + 1, 4);
    r->ids = NULL;
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t length = oriented ? naive_fan(n, relation, i, row) : naive_row(n, relation, i, row);
        r->count[i] = (int32_t)length;
        r->room[i] = relation == SDD_FF ? (int32_t)room_of(n, begin, i) : r->count[i];
        r->offset[i + 1] = r->offset[i] + (uint32_t)length;
        r->wide[i + 1] = r->wide[i] + (uint32_t)r->room[i];
        r->ids = realloc(r->ids, (r->offset[i + 1] + 1) * sizeof *r->ids);
        if (length > 0)
            memcpy(r->ids + r->offset[i], row, (size_t)length * sizeof *row);
    }
    r->signs = xalloc(n->C + 1, 1);
    for (int64_t c = 0; c < n->C; c++)
        r->signs[c] = (uint8_t)naive_sign(n, c);
    free(row);
}

static void rows_fini(struct rows *r)
{
    free(r->count), free(r->room), free(r->offset), free(r->wide), free(r->ids), free(r->signs);
}

static void check_ff(const struct sdd_neighbors *q, const struct rows *r)
{
    const struct sdd_subjects all = {NULL, 0};
    struct query_fill_args fill = {
        *q,    all, {NULL, NULL}, launch_in(r->wide, r->n, 4), launch_out(r->wide[r->n], 4), NULL, launch_out(r->n, 4),
        SDD_FF};
    LAUNCH(query_fill, &fill, r->n);
    struct query_pack_args pack = {fill.offset, launch_in(r->offset, r->n, 4), fill.count, fill.ids,
                                   launch_out(r->offset[r->n], 4)};
    LAUNCH(query_pack, &pack, r->n);
    launch_same(fill.count, r->count, "count of FF");
    (void)launch_got(fill.ids);
    launch_same(pack.ids, r->ids, "FF");
}

static void check_relation(const struct naive *n, const struct sdd_neighbors *q, const uint32_t *begin, int relation)
{
    struct rows r;
    rows_init(&r, n, begin, relation, 0);
    const struct sdd_subjects all = {NULL, 0};
    struct query_count_args count = {*q, all, {NULL, NULL}, launch_out(r.n, 4), relation};
    LAUNCH(query_count, &count, r.n);
    launch_same(count.count, r.room, sdd_relation_name(relation));
    if (relation == SDD_FF) {
        check_ff(q, &r);
    } else {
        struct query_fill_args fill = {*q,
                                       all,
                                       {NULL, NULL},
                                       launch_in(r.offset, r.n, 4),
                                       launch_out(r.offset[r.n], 4),
                                       relation == SDD_FE ? launch_out(n->C, 1) : NULL,
                                       NULL,
                                       relation};
        struct block_rows_args blocks = {*q,
                                         all,
                                         launch_in(r.offset, r.n + 1, 4),
                                         launch_out(r.offset[r.n], 4),
                                         relation == SDD_FE ? launch_out(n->C, 1) : NULL,
                                         r.n,
                                         relation};
        LAUNCH(query_fill, &fill, r.n);
        LAUNCH(block_rows, &blocks, (r.n + BLOCK_ROWS - 1) / BLOCK_ROWS);
        launch_same(fill.ids, r.ids, sdd_relation_name(relation));
        launch_same(blocks.ids, r.ids, sdd_relation_name(relation));
        if (fill.signs)
            launch_same(fill.signs, r.signs, "signs");
        if (blocks.signs)
            launch_same(blocks.signs, r.signs, "signs of blocks");
    }
    rows_fini(&r);
}

/* Of the vertices whose faces have an order, taken by a list. */
static void check_fans(const struct naive *n, const struct sdd_neighbors *q, const uint32_t *begin, int relation)
{
    struct rows r;
    uint32_t *list = xalloc(n->V + 1, 4), *offset = xalloc(n->V + 1, 4);
    int32_t *count = xalloc(n->V + 1, 4);
    int64_t n_rows = 0, odd = -1;
    uint32_t n_ids = 0;
    rows_init(&r, n, begin, relation, 0);
    free(r.ids);
    r.ids = xalloc(naive_most(n) * (n->V + 1), 4);
    for (int64_t v = 0; v < n->V; v++) {
        const int64_t length = naive_fan(n, relation, v, r.ids + n_ids);
        if (length < 0) {
            odd = odd < 0 ? v : odd;
            continue;
        }
        list[n_rows] = (uint32_t)v;
        offset[n_rows] = n_ids;
        count[n_rows++] = (int32_t)length;
        n_ids += (uint32_t)length;
    }
    const struct sdd_subjects some = {launch_in(list, n_rows, 4), 0}, all = {NULL, 0};
    struct fan_count_args counts = {*q, some, launch_out(n_rows, 4), launch_error(), relation};
    struct fan_count_args every = {*q, all, launch_out(n->V, 4), launch_error(), relation};
    struct fan_fill_args fill = {
        *q,      some, launch_in(offset, n_rows, 4), launch_out(n_ids, 4), q->use_begin ? launch_out(n_ids, 8) : NULL,
        relation};
    LAUNCH(fan_count, &counts, n_rows);
    LAUNCH(fan_count, &every, n->V);
    LAUNCH(fan_fill, &fill, n_rows);
    launch_same(counts.count, count, "lengths of fans");
    launch_word(counts.error, LAUNCH_NO_ERROR, "no error");
    launch_word(every.error, odd < 0 ? LAUNCH_NO_ERROR : (uint64_t)odd, "the first vertex without an order");
    (void)launch_got(every.count);
    launch_same(fill.ids, r.ids, "fans");
    if (fill.keys)
        (void)launch_got(fill.keys);
    rows_fini(&r);
    free(list), free(offset), free(count);
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct naive n;
    wild_case_init(&k, p, 1);
    naive_init(&n, p->desc.n_vertices, p->desc.n_faces, p->desc.face_counts, p->desc.face_vertices,
               p->desc.options.orientation == SDD_LEFT_HANDED);
    uint32_t *begin = xalloc(n.E + 1, 4), *corner = xalloc(n.C, 4);
    uses_of(&n, begin, corner);
    check_uses(&n, begin, corner);
    const int manifold = k.b.bad_repeat < 0 && k.b.bad_corner < 0 && k.b.bad_vertex < 0;
    for (int relation = 0; relation < SDD_N_RELATIONS; relation++)
        for (int by_twins = 0; by_twins <= manifold; by_twins++) {
            struct sdd_neighbors q = {.mesh = wild_upload(&k, 1)};
            q.mesh.edges = !by_twins ? SDD_EDGES_ANY : k.b.B > 0 ? SDD_EDGES_MANIFOLD : SDD_EDGES_CLOSED;
            q.use_begin = by_twins ? NULL : launch_in(begin, n.E + 1, 4);
            q.use_corner = by_twins ? NULL : launch_in(corner, n.C, 4);
            check_relation(&n, &q, begin, relation);
            if (relation <= SDD_VF)
                check_fans(&n, &q, begin, relation);
            launch_end();
        }
    free(begin), free(corner);
    naive_fini(&n);
    wild_case_fini(&k);
}

static void test_rows(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_mesh);
    soup_each(N_SOUPS, MOST_CORNERS, check_mesh);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */
static void test_ring_keys(void **state)
{
    static const uint32_t list[] = {5, 2, 5};
    static const uint64_t start[] = {5, 1 << 3 | 2, 2 << 3 | 5};
    static const uint64_t sorted[] = {1, 1, 4, 1 << 3 | 4, 1 << 3 | 4, 3 << 3 | 2};
    static const int32_t value[] = {0, 1, 1, 1, 1, 0}, flag[] = {0, 0, 1, 1, 0, 0};
    static const uint32_t zeros[4] = {0}, begin[] = {0, 3, 0, 5}, end[] = {3, 5, 0, 6}, ids[] = {1, 1, 4, 4, 4, 2};
    (void)state;
    struct ring_start_args starts = {{launch_in(list, 3, 4), 0}, launch_out(3, 8), 3};
    struct ring_flags_args flags = {launch_in(sorted, 6, 8), launch_in(value, 6, 4), launch_out(6, 4)};
    struct ring_rows_args rows = {flags.key, launch_inout(zeros, 4, 4), launch_inout(zeros, 4, 4), launch_out(6, 4), 6,
                                  3};
    LAUNCH(ring_start, &starts, 3);
    LAUNCH(ring_flags, &flags, 6);
    LAUNCH(ring_rows, &rows, 6);
    launch_same(starts.key, start, "start");
    launch_same(flags.flag, flag, "flags");
    launch_same(rows.begin, begin, "begin");
    launch_same(rows.end, end, "end");
    launch_same(rows.ids, ids, "ids");
    launch_end();
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* One step from every vertex: its candidates are its row. */
static void check_step(const struct poly *p)
{
    enum { BITS = 20 };
    struct wild_case k;
    struct naive n;
    struct rows r;
    wild_case_init(&k, p, 1);
    naive_init(&n, p->desc.n_vertices, p->desc.n_faces, p->desc.face_counts, p->desc.face_vertices,
               p->desc.options.orientation == SDD_LEFT_HANDED);
    uint32_t *begin = xalloc(n.E + 1, 4), *corner = xalloc(n.C, 4);
    uses_of(&n, begin, corner);
    rows_init(&r, &n, begin, SDD_VV, 0);
    const int64_t n_ids = r.offset[r.n];
    uint64_t *key = xalloc(r.n, 8), *want = xalloc(n_ids, 8);
    int32_t *end = xalloc(r.n, 4), *ones = xalloc(n_ids, 4);
    for (int64_t i = 0; i < r.n; i++) {
        key[i] = (uint64_t)(r.n - i) << BITS | (uint64_t)i;
        end[i] = (int32_t)r.offset[i + 1];
        for (uint32_t at = r.offset[i]; at < r.offset[i + 1]; at++) {
            want[at] = (uint64_t)(r.n - i) << BITS | r.ids[at];
            ones[at] = 1;
        }
    }
    struct sdd_neighbors q = {
        .mesh = wild_upload(&k, 1), .use_begin = launch_in(begin, n.E + 1, 4), .use_corner = launch_in(corner, n.C, 4)};
    q.mesh.edges = SDD_EDGES_ANY;
    struct ring_count_args count = {q, launch_in(key, r.n, 8), launch_out(r.n, 4), SDD_VV, BITS};
    struct ring_expand_args expand = {
        q,      count.key, launch_in(end, r.n, 4), launch_out(n_ids, 4), launch_out(n_ids, 8), launch_out(n_ids, 4),
        SDD_VV, BITS};
    LAUNCH(ring_count, &count, r.n);
    LAUNCH(ring_expand, &expand, r.n);
    launch_same(count.count, r.count, "counts of candidates");
    launch_same(expand.value, ones, "values");
    (void)launch_got(expand.ids);
    const uint64_t *got = launch_got(expand.candidate);
    for (int64_t i = 0; i < r.n; i++) {
        uint64_t *row = xalloc(r.count[i] + 1, 8);
        memcpy(row, got + r.offset[i], (size_t)r.count[i] * 8);
        qsort(row, (size_t)r.count[i], 8, by_key);
        assert_memory_equal(row, want + r.offset[i], (size_t)r.count[i] * 8);
        free(row);
    }
    launch_end();
    free(key), free(want), free(end), free(ones), free(begin), free(corner);
    rows_fini(&r);
    naive_fini(&n);
    wild_case_fini(&k);
}

static void test_ring_step(void **state)
{
    (void)state;
    poly_each_random(N_RANDOM, MOST_CORNERS, check_step);
    soup_each(N_SOUPS, MOST_CORNERS, check_step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_ring_keys),
                                       cmocka_unit_test(test_ring_step)};
    return LAUNCH_GROUP("rows of queries", tests);
}
