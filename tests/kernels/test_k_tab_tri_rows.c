/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of tab_tri_rows: on the grids of meshes of triangles, pieces of classes that chance deals, with columns and
 * tables of no meaning. Each point is summed in double; a point that several pieces have may be that of any of them.
 * All that is not in the range must stay as it was. Grid rows come from the grid order in words
 * (tests/oracle/refined.h). */
#include "gpu/kernels/tab_tri_rows.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include "tests/kernels/row_range.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, MOST_COLUMNS = 39, MOST_LEVEL = 6, SPARE = 8 };

static uint64_t seed = 4711;

/* In host memory. */
struct pieces {
    struct wild_case k;
    struct grid g;
    int level;
    int64_t n, n_from, n_column, n_table, points; /* points: of a piece */
    struct sdd_tri_piece *piece;
    struct sdd_tab_table tables[CLASSES];
    uint32_t *column;
    float *table, *from;
};

static float *floats(int64_t n)
{
    float *p = xalloc(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = 2 * random_unit(&seed) - 1;
    return p;
}

static void pieces_init(struct pieces *s, const struct poly *p, int level, int32_t stride)
{
    int64_t h = (int64_t)1 << (level - 1), columns = 0;
    *s = (struct pieces){.level = level, .points = (h + 1) * (h + 2) / 2};
    wild_case_init(&s->k, p, 0);
    grid_init(&s->g, &p->desc);
    s->n = 4 * s->k.b.F, s->n_from = grid_n_vertices(&s->g, 1);
    for (int k = 0; k < CLASSES; k++) {
        s->tables[k].n_columns = random_below(&seed, 6) ? 1 + random_below(&seed, 20) : MOST_COLUMNS;
        columns += s->tables[k].n_columns;
    }
    for (int64_t k = 0, at = columns; k < CLASSES; k++) /* the other way round */
        s->tables[k].table = at -= s->tables[k].n_columns;
    s->piece = xalloc(s->n, sizeof *s->piece), s->column = xalloc(s->n * (MOST_COLUMNS + 2), 4);
    for (int64_t i = 0; i < s->n; i++) {
        s->n_column += random_below(&seed, 2);
        s->piece[i] = (struct sdd_tri_piece){(uint32_t)random_below(&seed, CLASSES), (uint32_t)s->n_column};
        for (int32_t j = 0; j < s->tables[s->piece[i].class_of].n_columns; j++)
            s->column[s->n_column++] = (uint32_t)random_below(&seed, s->n_from);
    }
    s->n_table = columns * s->points + SPARE;
    s->table = floats(s->n_table), s->from = floats(s->n_from * stride);
}

static void pieces_fini(struct pieces *s)
{
    free(s->piece), free(s->column), free(s->table), free(s->from);
    grid_fini(&s->g);
    wild_case_fini(&s->k);
}

static struct sdd_tri_pieces upload(const struct pieces *s)
{
    return (struct sdd_tri_pieces){.mesh = wild_upload(&s->k, 1),
                                   .piece = launch_in(s->piece, s->n, sizeof *s->piece),
                                   .classes = launch_in(s->tables, CLASSES, sizeof *s->tables),
                                   .table = launch_in(s->table, s->n_table, 4),
                                   .column = launch_in(s->column, s->n_column, 4),
                                   .level = s->level};
}

/* Point `at` of piece i: its sum, and how far it may be off: a rounding a term. */
static double sum_of(const struct pieces *s, int64_t i, int64_t at, int64_t float_of_row, int32_t stride, double *most)
{
    const struct sdd_tab_table *t = s->tables + s->piece[i].class_of;
    double sum = 0, size = 0;
    for (int64_t j = 0; j < t->n_columns; j++) {
        double term = (double)s->table[(t->table + j) * s->points + at] *
                      (double)s->from[stride * (int64_t)s->column[s->piece[i].column + j] + float_of_row];
        sum += term, size += fabs(term);
    }
    *most = (t->n_columns + 1) * 0x1p-24 * size;
    return sum;
}

/* Does piece t of a triangle have point (i, j), seen from its first corner? */
static int has_point(int t, int64_t h, int64_t i, int64_t j)
{
    return t == 0 ? i + j <= h : t == 1 ? i >= h : t == 2 ? j >= h : i <= h && j <= h && i + j >= h;
}

/* Every point of every piece: the row that it may be, the piece, and its place in the table. */
typedef void visit(const struct pieces *s, int64_t row, int64_t piece, int64_t at, void *to);

static void each_point(const struct pieces *s, visit *see, void *to)
{
    int64_t h = (int64_t)1 << (s->level - 1), m = 2 * h;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = 0;
        for (int64_t y = 0; y <= m; y++)
            for (int64_t x = 0; x + y <= m; x++)
                if (has_point((int)(i % 4), h, x, y))
                    see(s, tri_vertex(&s->g, s->level, i / 4 * 3, x, y), i, at++, to);
        assert_int_equal(at, s->points);
    }
}

/* ---- ranges of positions ----------------------------------------------------------------------------------------- */
static int64_t n_rows[MOST_LEVEL + 1], n_single, n_inside;

static void offer(const struct pieces *s, int64_t row, int64_t piece, int64_t at, void *to)
{
    double value[3], most[3];
    if (!row_range_has(to, row))
        return;
    for (int x = 0; x < 3; x++)
        value[x] = sum_of(s, piece, at, x, 3, most + x);
    row_range_offer(to, row, value, most);
    n_rows[s->level]++;
}

static void check_range(const struct pieces *s)
{
    struct row_range r;
    struct tab_tri_rows_args a = {.pieces = upload(s), .width = {3, 3}};
    a.from = launch_in(s->from, s->n_from, sizeof(float[3]));
    row_range_init(&r, &s->g, s->level, INT32_MAX, &seed);
    a.to = r.to, a.first = r.first, a.n = r.n, a.each = r.each;
    LAUNCH(tab_tri_rows, &a, r.items);
    row_range_got(&r);
    each_point(s, offer, &r);
    for (uint32_t v = 0; v < s->k.b.V; v++) /* a vertex without faces stays */
        if (s->k.b.valence[v] == 0 && row_range_has(&r, v)) {
            const float *p = s->from + 3 * (size_t)v;
            row_range_offer(&r, v, (const double[]){p[0], p[1], p[2]}, (const double[]){0, 0, 0});
        }
    float *one = xalloc(3 * r.n, sizeof *one); /* row by row, as a GPU makes them */
    a.to = one;
    for (int64_t i = 0; i < r.n && strcmp(test_backend(), "cpu") == 0; i++) {
        sdd_tri_put_row(&a, i);
        row_range_same(&r, i, one + 3 * i);
    }
    free(one);
    n_single += r.n == 1, n_inside += r.inside;
    row_range_fini(&r);
    launch_end();
}

static void check_ranges(const struct poly *p)
{
    static unsigned turn;
    struct pieces s;
    pieces_init(&s, p, 1 + (int)(turn++ % MOST_LEVEL), 3);
    for (int i = 0; i < 6; i++)
        check_range(&s);
    pieces_fini(&s);
}

static void test_ranges(void **state)
{
    (void)state;
    loop_each(40, 60, check_ranges);
    loop_each_odd(40, 60, check_ranges);
    for (int level = 1; level <= MOST_LEVEL; level++)
        assert_true(n_rows[level] > 1000);
    assert_true(n_single > 100 && n_inside > 100);
}

/* ---- rows of other widths ---------------------------------------------------------------------------------------- */
struct wide {
    int32_t n, stride, offset;
    const float *got;
    unsigned char *is; /* [rows] */
};

static void offer_wide(const struct pieces *s, int64_t row, int64_t piece, int64_t at, void *to)
{
    struct wide *w = to;
    int near = 1;
    for (int32_t x = 0; x < w->n; x++) {
        double most, value = sum_of(s, piece, at, w->offset + x, w->stride, &most);
        near = near && fabs((double)w->got[w->stride * row + w->offset + x] - value) <= most;
    }
    w->is[row] |= (unsigned char)near;
}

static void check_width(const struct poly *p)
{
    static unsigned turn;
    struct pieces s;
    struct wide w = {.n = 1 + (int32_t)(turn % 3), .stride = 1 + (int32_t)(turn % 3) + (int32_t)(turn / 3 % 3)};
    w.offset = random_below(&seed, w.stride - w.n + 1);
    pieces_init(&s, p, 1 + (int)(turn++ % 5), w.stride);
    int64_t rows = grid_n_vertices(&s.g, s.level);
    struct tab_tri_rows_args a = {.pieces = upload(&s), .width = {w.n, w.stride}, .n = rows, .each = 97};
    a.from = (float *)launch_in(s.from, s.n_from * w.stride, 4) + w.offset;
    float *out = launch_out(rows * w.stride, 4);
    a.to = out + w.offset;
    LAUNCH(tab_tri_rows, &a, (rows + 96) / 97);
    w.got = launch_got(out), w.is = xalloc(rows, 1);
    each_point(&s, offer_wide, &w);
    for (int64_t row = 0; row < rows; row++) {
        const float *at = w.got + w.stride * row;
        int alone = row < s.k.b.V && s.k.b.valence[row] == 0;
        if (alone && memcmp(at + w.offset, s.from + w.stride * row + w.offset, (size_t)w.n * 4) == 0)
            w.is[row] = 1;
        if (!w.is[row])
            fail_msg("%s level %d, %d of %d floats: row %d", launch_case(), s.level, w.n, w.stride, (int)row);
        for (int32_t x = 0; x < w.stride; x++)
            if ((x < w.offset || x >= w.offset + w.n) && memcmp(at + x, &(uint32_t){LAUNCH_POISON32}, 4) != 0)
                fail_msg("%s: float %d of row %d was written", launch_case(), x, (int)row);
    }
    free(w.is);
    pieces_fini(&s);
    launch_end();
}

static void test_widths(void **state)
{
    (void)state;
    loop_each(60, 100, check_width);
    loop_each_odd(30, 60, check_width);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges), cmocka_unit_test(test_widths)};
    return LAUNCH_GROUP("rows of triangles from tables", tests);
}
