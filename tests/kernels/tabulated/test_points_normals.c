/* SPDX-License-Identifier: Apache-2.0 */
/* Points and normals of one launch have the bits of a launch for each, whose kernels have tests of their own. */
#include "gpu/engines/tabulated/kernels/table_variants.ks.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/quantised.h"
#include "tests/kernels/tabulated/table_pieces.h"
#include <stdlib.h>

/* Rows in floats and in 16 bits. */
struct rows {
    float *points, *normals;
    struct quantised box, oct16;
};

static struct rows rows_out(int64_t n)
{
    return (struct rows){launch_out(n, 12), launch_out(n, 12), quantised_begin(SDD_ROWS_UNORM16, n),
                         quantised_begin(SDD_ROWS_OCT16, n)};
}

static void put_normals(struct table_normals_args *a, float *to, struct sdd_rows_as as)
{
    a->rows.to = a->rows.pieces.to = to;
    a->rows.pieces.as = as;
}

static void launch_each(struct table_normals_args a, int64_t items, const struct rows *to)
{
    struct table_points_args points = a.rows.pieces;
    points.log_each = SDD_TABLE_LOG_POINTS;
    points.order = NULL; /* of other items */
    struct table_points_unorm16_args box = {points};
    struct table_normals_oct16_args oct16 = {a};
    points.to = to->points;
    box.base.to = to->box.to, box.base.as = to->box.as;
    put_normals(&a, to->normals, (struct sdd_rows_as){.format = SDD_ROWS_F32});
    put_normals(&oct16.base, to->oct16.to, to->oct16.as);
    LAUNCH(table_points, &points, sdd_table_items(&points));
    LAUNCH(table_points_unorm16, &box, sdd_table_items(&points));
    LAUNCH(table_normals, &a, items);
    LAUNCH(table_normals_oct16, &oct16, items);
}

static void launch_frame(const struct table_normals_args *a, int64_t items, const struct rows *to)
{
    struct table_points_normals_args frame = {*a, to->points, {.format = SDD_ROWS_F32}};
    struct table_points_normals_16_args small = {{*a, to->box.to, to->box.as}};
    put_normals(&frame.normals, to->normals, frame.as);
    put_normals(&small.base.normals, to->oct16.to, to->oct16.as);
    LAUNCH(table_points_normals, &frame, 2 * items);
    LAUNCH(table_points_normals_16, &small, 2 * items);
}

static void check(const struct poly *p)
{
    static unsigned turn;
    const uint32_t none[MOST_CLASSES] = {0};
    struct sdd_table_basis slope[2 * ((1 << (MOST_LEVEL - 1)) + 1)];
    struct pieces s;
    pieces_init(&s, p, 1 + (int)(turn++ % MOST_LEVEL), 3, 0);
    pieces_deal_all(&s, random_below(&pieces_seed, 9));
    pieces_cut(&s);
    s.table = pieces_floats(s.n_table);
    pieces_weights(&s, 0, slope);
    float *t2 = pieces_floats(s.n_table);
    struct table_normals_args a = {.rows = {.mesh = wild_upload(&s.k, 1)}, .by_pieces = 1};
    a.rows.pieces = pieces_upload(&s, &a.rows.mesh, 1);
    a.slope = pieces_give(&s, slope, a.slopes);
    a.t1 = a.rows.pieces.table;
    a.t2 = launch_in(t2, s.n_table, 4);
    a.shared = launch_in(none, MOST_CLASSES, 4);
    const int64_t n = grid_n_vertices(&s.g, s.level), items = sdd_table_items(&a.rows.pieces);
    const struct rows each = rows_out(n), frame = rows_out(n);
    launch_each(a, items, &each);
    launch_frame(&a, items, &frame);
    launch_same(frame.points, launch_got(each.points), "points");
    launch_same(frame.normals, launch_got(each.normals), "normals");
    launch_same(frame.box.to, launch_got(each.box.to), "points of 16 bits");
    launch_same(frame.oct16.to, launch_got(each.oct16.to), "normals of 16 bits");
    launch_same(frame.box.as.facts, launch_got(each.box.as.facts), "facts");
    launch_end();
    free(t2);
    pieces_fini(&s);
}

static void test_frame(void **state)
{
    (void)state;
    poly_each(90, 100, check);
    soup_each(90, 60, check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame)};
    return LAUNCH_GROUP("tabulated frames", tests);
}
