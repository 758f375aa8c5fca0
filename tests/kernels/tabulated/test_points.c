/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of table_points, table_points_n, table_points_uv, table_points_batch, table_points_unorm16, table_order,
 * table_locations, table_rows and table_isolated: on the grids of meshes, pieces that make what chance leaves them,
 * with columns and tables of no meaning. Each point is summed in double; all that no piece makes, or is not in the
 * range, must stay as it was. Grid rows come from the grid order in words (tests/oracle/refined.h). */
#include "gpu/engines/tabulated/kernels/table_isolated.k.h"
#include "gpu/engines/tabulated/kernels/table_points_batch.k.h"
#include "gpu/engines/tabulated/kernels/table_variants.ks.h"
#include "gpu/engines/tabulated/kernels/table_order.k.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/quantised.h"
#include "tests/kernels/row_range.h"
#include "tests/kernels/tabulated/table_pieces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Once 1 for each place of a grid of 2 x 2 cells. */
static int claim(const struct pieces *s, unsigned char *claimed, int64_t c, int x, int y)
{
    unsigned char *at = claimed + grid_vertex(&s->g, 2, c, x, y);
    return *at ? 0 : ++*at;
}

/* Which corners' pieces are of which kind, and what they make: no point has two makers, some have none. share: of 8
 * corners, those that are regular where they can be. */
static void deal(struct pieces *s, int regular_share)
{
    static const struct {
        uint32_t bit;
        int x, y;
    } parts[] = {{SDD_TABLE_VERTEX, 0, 0},
                 {SDD_TABLE_EDGE, 2, 0},
                 {SDD_TABLE_FACE, 2, 2},
                 {SDD_TABLE_BOTTOM, 1, 0},
                 {SDD_TABLE_LEFT, 0, 1}};
    const struct brute *b = &s->k.b;
    unsigned char *claimed = xalloc(grid_n_vertices(&s->g, 2), 1);
    for (uint32_t c = 0; c < b->C; c++) {
        int is_other = !pieces_deal(s, c, regular_share) || !claim(s, claimed, c, 1, 0);
        uint32_t owns = 0;
        for (int i = 0; i < 5; i++) /* a regular one's bottom is its own */
            if ((is_other || i != 3) && random_below(&pieces_seed, 5) && claim(s, claimed, c, parts[i].x, parts[i].y))
                owns |= parts[i].bit;
        if (is_other)
            s->other[s->n_other++] = pieces_quad(s, c, owns);
        else
            s->regular[s->n_regular++] = pieces_quad(s, c, owns | SDD_TABLE_BOTTOM);
    }
    pieces_regular_quads(s);
    free(claimed);
}

/* ---- what is to come of it ------------------------------------------------------------------------------------- */
struct sum {
    double value, size, most; /* size: of its terms; most: that it may be off */
};

static void add(struct sum *sum, double weight, double value)
{
    double term = weight * value;
    sum->value += term;
    sum->size += fabs(term);
}

/* A rounding a term; of regular pieces along x and along y. across: what others of a point's rows count. */
static struct sum regular_sum(const struct pieces *s, int64_t i, int64_t x, int64_t y, int component)
{
    struct sum sum = {0, 0, 0};
    const struct sdd_table_basis *basis = pieces_table(s, s->basis, i);
    const int side = y == 0 && (s->regular[i].owns >> SDD_TABLE_OPEN & 1);
    const double across =
        side ? 0 : fabs((double)basis[y].s[0]) + fabs((double)basis[y].s[2]) + fabs((double)basis[y].s[3]);
    for (int k = 0; k < SDD_TABLE_REGULAR; k++) {
        const struct pieces_point p = pieces_point(s, i, k);
        const uint32_t open =
            s->regular[i].owns >> SDD_TABLE_OPEN; /* there a point is made of those of the side alone */
        const double along = x == 0 && (open & 8) ? k % 4 == 1 : (double)basis[x].s[k % 4];
        const double weight = along * (side ? k / 4 == 1 : (double)basis[y].s[k / 4]);
        add(&sum, weight, p.v[component]);
        sum.size += fabs(weight) * p.size[component];
        if (k / 4 == 1) /* from which the other rows are seen */
            sum.size += fabs(along) * across * (fabs(p.v[component]) + p.size[component]);
    }
    sum.most = 8 * 0x1p-24 * sum.size;
    return sum;
}

static struct sum other_sum(const struct pieces *s, int64_t i, int64_t x, int64_t y, int component)
{
    int k = MOST_CLASSES - 1;
    while (s->tables[k].first > i)
        k--;
    const struct sdd_table_table *t = s->tables + k;
    struct sum sum = {0, 0, 0};
    for (int64_t j = 0; j < t->n_columns; j++)
        add(&sum, (double)s->table[(t->table + j) * pieces_slots(s->side - 1) + pieces_slot(s->side - 1, x, y)],
            (double)s->from[s->wide * (int64_t)s->column[t->column + (i - t->first) * t->n_columns + j] + component]);
    sum.most = t->n_columns * 0x1p-24 * sum.size;
    return sum;
}

/* Checks the points of one piece, and leaves poison there. */
static void check_piece(const struct pieces *s, int is_regular, int64_t i, float *got)
{
    const struct sdd_table_quad q = is_regular ? s->regular[i] : s->other[i];
    for (int64_t y = 0; y < s->side; y++)
        for (int64_t x = 0; x < s->side; x++) {
            if (!pieces_makes(q.owns, s->side - 1, x, y))
                continue;
            int64_t row = grid_vertex(&s->g, s->level, q.corner, x, y);
            float *p = got + s->stride * row + s->offset;
            for (int k = 0; k < s->n; k++) {
                struct sum want = is_regular ? regular_sum(s, i, x, y, k) : other_sum(s, i, x, y, k);
                if (!(fabs((double)p[k] - want.value) <= want.most))
                    fail_msg("%s level %d, %d of %d floats, %s piece %d: (%d, %d) is %.9g, not %.9g", launch_case(),
                             s->level, s->n, s->stride, is_regular ? "regular" : "other", (int)i, (int)x, (int)y,
                             (double)p[k], want.value);
            }
            memset(p, LAUNCH_POISON, (size_t)s->n * sizeof *p);
        }
}

/* All that was written to `to`, and nothing else. */
static void check_result(const struct pieces *s, const float *to)
{
    int64_t n_to = grid_n_vertices(&s->g, s->level), bytes = n_to * s->stride * 4;
    float *got = xalloc(bytes, 1), *untouched = poisoned(bytes, 1);
    memcpy(got, launch_got(to), (size_t)bytes);
    for (int64_t i = 0; i < s->n_regular; i++)
        check_piece(s, 1, i, got);
    for (int64_t i = 0; i < s->n_other; i++)
        check_piece(s, 0, i, got);
    for (int64_t i = 0; i < n_to * s->stride; i++)
        if (memcmp(got + i, untouched + i, 4) != 0)
            fail_msg("%s level %d, %d of %d floats: float %d was written", launch_case(), s->level, s->n, s->stride,
                     (int)i);
    free(got), free(untouched);
}

/* Of what is put as `to`, where that can be of 16 bits. */
static void run_quantised(const struct pieces *s, struct table_points_args a, const float *to)
{
    const int64_t n = grid_n_vertices(&s->g, s->level), items = sdd_table_items(&a);
    if (s->stride != s->n || s->n == 1)
        return;
    const struct quantised q = quantised_begin(s->n == 3 ? SDD_ROWS_UNORM16 : SDD_ROWS_F16, n);
    a.to = q.to;
    a.as = q.as;
    const struct table_points_unorm16_args box = {a};
    const struct table_points_uv_args half = {a};
    if (s->n == 3)
        LAUNCH(table_points_unorm16, &box, items);
    else
        LAUNCH(table_points_uv, &half, items);
    quantised_check(&q, launch_got(to), n);
}

static void run(const struct pieces *s)
{
    const struct sdd_control m = wild_upload(&s->k, 1);
    float *to = launch_out(grid_n_vertices(&s->g, s->level) * s->stride, sizeof *to);
    struct table_points_args a = pieces_upload(s, &m, 0);
    a.to = to + s->offset;
    const struct table_points_uv_args uv = {a};
    const struct table_points_n_args n = {a};
    if (s->n == 3 && s->stride == 3)
        LAUNCH(table_points, &a, sdd_table_items(&a));
    else if (sdd_is_uv(a.width))
        LAUNCH(table_points_uv, &uv, sdd_table_items(&a));
    else
        LAUNCH(table_points_n, &n, sdd_table_items(&a));
    check_result(s, to);
    run_quantised(s, a, to);
    launch_end();
}

/* Where the items begin: runs of threads one after the other, some of a run or of several in an item, then pieces of
 * whole quads, then those that come later. */
static void run_turns(const struct pieces *s)
{
    const struct sdd_control m = wild_upload(&s->k, 1);
    struct table_order_args a = {.pieces = pieces_upload(s, &m, random_below(&pieces_seed, 2))};
    const int64_t n = sdd_table_items(&a.pieces), cells = (s->side - 1) * (s->side - 1);
    const int64_t once = 8 * (s->level < 3 ? 8 : 64 >> s->level), of_thread = s->level == 4 ? 2 : 1;
    const int64_t points = (8 >> a.pieces.log_each) * cells / of_thread;
    const int64_t of_run = points < 32 ? 32 : points;
    uint64_t *want = xalloc(n, sizeof *want);
    uint32_t *items = xalloc(n, sizeof *items);
    int64_t k = 0;
    for (int64_t thread = 0; thread < of_run * s->n_runs; thread += SDD_TABLE_THREADS)
        want[k++] = s->other[s->runs[thread / of_run].first].corner;
    for (int64_t i = 0; i < s->n_regular_quads; i += 8 * a.pieces.each)
        want[k++] = s->regular[i].corner;
    for (int64_t i = s->n_regular_quads; i < s->n_regular; i += once)
        want[k++] = s->regular[i].corner + (uint64_t)(SDD_TABLE_LATER / cells);
    assert_int_equal(k, n);
    for (int64_t i = 0; i < n; i++)
        items[i] = (uint32_t)i;
    a.key = launch_out(n, sizeof *a.key);
    a.item = launch_out(n, sizeof *a.item);
    LAUNCH(table_order, &a, n);
    launch_same(a.key, want, "key");
    launch_same(a.item, items, "item");
    launch_end();
    free(want), free(items);
}

/* The floats of a mesh, in another order for each k. */
static float *turned(const float *from, int64_t n, int k)
{
    float *p = xalloc(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = from[(i + 7 * k) % n];
    return p;
}

/* Meshes with rows of their own, in one launch. */
static void run_batch(const struct pieces *s)
{
    enum { MESHES = 3 };
    struct pieces of[MESHES];
    const struct sdd_control m = wild_upload(&s->k, 1);
    struct table_points_batch_args a = {.of = pieces_upload(s, &m, 0), .rows = {.n = MESHES}};
    a.of.control = a.of.from = NULL;
    for (int k = 0; k < MESHES; k++) {
        of[k] = *s;
        of[k].control = turned(s->control, s->k.b.V * 3, k);
        of[k].from = turned(s->from, s->n_from * s->wide, k);
        a.control[k] = launch_in(of[k].control, s->k.b.V * 3, 4);
        a.rows.from[k] = launch_in(of[k].from, s->n_from * s->wide, 4);
        a.rows.to[k] = launch_out(grid_n_vertices(&s->g, s->level) * 3, 4);
    }
    LAUNCH(table_points_batch, &a, sdd_table_items(&a.of) * MESHES);
    for (int k = 0; k < MESHES; k++)
        check_result(of + k, a.rows.to[k]);
    launch_end();
    for (int k = 0; k < MESHES; k++)
        free(of[k].control), free(of[k].from);
}

/* ---- on meshes ------------------------------------------------------------------------------------------------- */
static int64_t n_seen[MOST_LEVEL + 1][4][2][3]; /* level, components, strided, kind */
static int64_t n_alone[2];                      /* launches of one kind             */

static void check(const struct poly *p)
{
    static const int shares[] = {4, 8, 0, 7};
    static unsigned turn;
    const int share = shares[turn % 4], level = 1 + (int)(turn / 4 % MOST_LEVEL);
    struct pieces s;
    pieces_init(&s, p, level, 1 + random_below(&pieces_seed, 3), 3);
    deal(&s, share);
    pieces_cut(&s);
    s.table = pieces_floats(s.n_table);
    run(&s);
    run_turns(&s);
    if (s.n == 3 && s.stride == 3)
        run_batch(&s);
    n_seen[level][s.n][s.stride > s.n][0] += s.n_regular - s.n_regular_quads;
    n_seen[level][s.n][s.stride > s.n][2] += s.n_regular_quads;
    n_seen[level][s.n][s.stride > s.n][1] += s.n_other;
    n_alone[0] += s.n_regular > 0 && s.n_runs == 0;
    n_alone[1] += s.n_regular == 0 && s.n_runs > 0;
    pieces_fini(&s);
    turn++;
}

static void test_points(void **state)
{
    (void)state;
    for (int round = 0; round < 8; round++)
        poly_each(60, 100, check);
    soup_each(60, 60, check);
    for (int level = 1; level <= MOST_LEVEL; level++)
        for (int i = 6; i < 24; i++)
            assert_true(n_seen[level][i / 6][i / 3 % 2][i % 3] > 20);
    assert_true(n_alone[0] > 10 && n_alone[1] > 10);
}

/* ---- rows of a range ------------------------------------------------------------------------------------------- */
static int64_t n_rows_seen[MOST_LEVEL + 1][3]; /* level, kind; inside grids */
static int64_t n_single, n_inside;             /* ranges of a row; that begin inside a grid */

/* What piece i of a kind makes of a range. */
static void offer_piece(const struct pieces *s, int is_regular, int64_t i, struct row_range *r)
{
    int64_t c = (is_regular ? s->regular : s->other)[i].corner, m = s->side - 1;
    int kind = is_regular + (is_regular && i < s->n_regular_quads);
    for (int64_t y = 0; y <= m; y++)
        for (int64_t x = y < m ? 0 : m; x <= m; x++) { /* above, they are the corner before's */
            int64_t row = grid_vertex(&s->g, s->level, c, x, y);
            double value[3], most[3];
            if (!row_range_has(r, row))
                continue;
            for (int k = 0; k < 3; k++) {
                struct sum sum = is_regular ? regular_sum(s, i, x, y, k) : other_sum(s, i, x, y, k);
                value[k] = sum.value, most[k] = sum.most;
            }
            row_range_offer(r, row, value, most);
            n_rows_seen[s->level][kind] += x > 0 && x < m && y > 0 && y < m;
        }
}

static void check_range(const struct pieces *s)
{
    struct row_range r;
    struct table_rows_args a = {.mesh = wild_upload(&s->k, 1)};
    a.pieces = pieces_upload(s, &a.mesh, 0);
    row_range_init(&r, &s->g, s->level, INT32_MAX, &pieces_seed);
    a.to = r.to, a.first = r.first, a.n = r.n, a.each = r.each;
    LAUNCH(table_rows, &a, r.items);
    row_range_got(&r);
    for (int64_t i = 0; i < s->n_regular; i++)
        offer_piece(s, 1, i, &r);
    for (int64_t i = 0; i < s->n_other; i++)
        offer_piece(s, 0, i, &r);
    for (uint32_t v = 0; v < s->k.b.V; v++) /* a vertex without faces stays */
        if (s->k.b.valence[v] == 0 && row_range_has(&r, v)) {
            const float *p = s->control + s->stride * (int64_t)v;
            row_range_offer(&r, v, (const double[]){p[0], p[1], p[2]}, (const double[]){0, 0, 0});
        }
    for (int64_t i = 0; i < r.n && strcmp(test_backend(), "cpu") == 0; i++) { /* as a GPU makes it */
        struct sdd_vec3 p = sdd_table_row_point(&a, (uint32_t)(r.first + i));
        row_range_same(&r, i, &p.x);
    }
    n_single += r.n == 1, n_inside += r.inside;
    row_range_fini(&r);
    launch_end();
}

static void check_ranges(const struct poly *p)
{
    static unsigned turn;
    struct pieces s;
    pieces_init(&s, p, 1 + (int)(turn++ % MOST_LEVEL), 3, 0);
    pieces_deal_all(&s, random_below(&pieces_seed, 9));
    pieces_cut(&s);
    s.table = pieces_floats(s.n_table);
    for (int i = 0; i < 6; i++)
        check_range(&s);
    pieces_fini(&s);
}

static void test_rows(void **state)
{
    (void)state;
    poly_each(60, 100, check_ranges);
    soup_each(60, 60, check_ranges);
    for (int level = 2; level <= MOST_LEVEL; level++)
        for (int kind = 0; kind < 3; kind++)
            assert_true(n_rows_seen[level][kind] > 200);
    assert_true(n_single > 100 && n_inside > 100);
}

static void test_lone(void **state)
{
    (void)state;
    enum { ROWS = 500, LISTED = 80 };
    for (int32_t i = 1; i <= 6; i++) {
        const int32_t width = i < 6 ? i : 3, zeros = i == 6;
        uint32_t list[LISTED];
        float *from = pieces_floats(ROWS * width), *want = poisoned(ROWS * width, sizeof *want);
        for (int32_t k = 0; k < LISTED; k++) {
            int32_t row = 6 * k + random_below(&pieces_seed, 6);
            list[k] = (uint32_t)row;
            memcpy(want + width * row, from + width * row, (size_t)width * sizeof *want);
            if (zeros)
                memset(want + width * row, 0, (size_t)width * sizeof *want);
        }
        launch_say("width %d", width);
        struct table_isolated_args a = {launch_in(list, LISTED, 4),
                                        zeros ? NULL : launch_in(from, ROWS * width, 4),
                                        launch_out(ROWS * width, 4),
                                        width,
                                        {SDD_ROWS_F32, NULL}};
        LAUNCH(table_isolated, &a, (int64_t)LISTED * width);
        launch_same(a.to, want, "rows");
        if (width == 2 || width == 3) {
            const struct quantised q = quantised_begin(width == 2 ? SDD_ROWS_F16
                                                       : zeros    ? SDD_ROWS_OCT16
                                                                  : SDD_ROWS_UNORM16,
                                                       ROWS);
            a.to = q.to;
            a.as = q.as;
            LAUNCH(table_isolated, &a, LISTED);
            quantised_check(&q, want, ROWS);
        }
        launch_end();
        free(from), free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_lone)};
    return LAUNCH_GROUP("tabulated points", tests);
}
