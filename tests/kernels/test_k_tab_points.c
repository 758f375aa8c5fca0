/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of tab_points, tab_where, tab_rows and tab_lone: on the grids of meshes, pieces that make what chance leaves
 * them, with columns and tables of no meaning. Each point is summed in double; all that no piece makes, or that is not
 * in the range, must stay as it was. Grid rows come from the grid order in words (tests/oracle/refined.h). */
#include "gpu/kernels/tab_lone.h"
#include "gpu/kernels/tab_points.h"
#include "gpu/kernels/tab_rows.h"
#include "gpu/kernels/tab_where.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/row_range.h"
#include "tests/kernels/wild.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 5, MOST_COLUMNS = 129, TOGETHER = 8, MOST_LEVEL = 6 };

static uint64_t seed = 977;

/* A launch of tab_points; in host memory. */
struct pieces {
    struct wild_case k;
    struct grid g;
    int level, n, stride, offset; /* components; floats of a row, and before the first component */
    int64_t side, n_from, n_column, n_table, n_regular, n_other, n_runs;
    uint32_t *regular, *regular_owns, *regular_column, *other, *owns, *column;
    float *from, *table;
    struct sdd_tab_basis basis[(1 << (MOST_LEVEL - 1)) + 1];
    struct sdd_tab_table tables[MOST_CLASSES];
    struct sdd_tab_run *runs;
};

static float *random_floats(int64_t n)
{
    float *p = xalloc(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = 2 * random_unit(&seed) - 1;
    return p;
}

static uint32_t any_row(const struct pieces *s)
{
    return (uint32_t)random_below(&seed, s->n_from);
}

/* Once 1 for each place of a grid of 2 x 2 cells. */
static int claim(const struct pieces *s, unsigned char *claimed, int64_t c, int x, int y)
{
    unsigned char *at = claimed + grid_vertex(&s->g, 2, c, x, y);
    return *at ? 0 : ++*at;
}

/* Which corners are pieces of which kind, and what they make: no point has two makers, some have none. share: of 8
 * corners, those that are regular where they can be, and those that are not. */
static void deal(struct pieces *s, int regular_share, int other_share)
{
    static const struct {
        uint32_t bit;
        int x, y;
    } parts[] = {{SDD_TAB_VERTEX, 0, 0},
                 {SDD_TAB_EDGE, 2, 0},
                 {SDD_TAB_FACE, 2, 2},
                 {SDD_TAB_BOTTOM, 1, 0},
                 {SDD_TAB_LEFT, 0, 1}};
    const struct brute *b = &s->k.b;
    unsigned char *claimed = xalloc(grid_n_vertices(&s->g, 2), 1);
    for (uint32_t c = 0; c < b->C; c++) {
        int kind = random_below(&seed, 8), is_other = kind >= 8 - other_share;
        uint32_t owns = 0;
        if (!is_other && (kind >= regular_share || !claim(s, claimed, c, 1, 0)))
            continue;
        for (int i = 0; i < (is_other ? 5 : 3); i++) /* a regular one's bottom is its own, its left never */
            if (random_below(&seed, 5) && claim(s, claimed, c, parts[i].x, parts[i].y))
                owns |= parts[i].bit;
        if (is_other) {
            s->owns[s->n_other] = owns;
            s->other[s->n_other++] = c;
        } else {
            uint32_t *column = s->regular_column + SDD_TAB_REGULAR * s->n_regular;
            for (int i = 0; i < SDD_TAB_REGULAR; i++)
                column[i] = any_row(s);
            column[5] = b->vert[c], column[7] = b->vert[b->next[c]]; /* these say where the piece lies */
            column[6] = (uint32_t)(b->V + b->F) + s->k.o.edge[c], column[10] = (uint32_t)b->V + b->face[c];
            s->regular_owns[s->n_regular] = owns | SDD_TAB_BOTTOM;
            s->regular[s->n_regular++] = c;
        }
    }
    free(claimed);
}

/* The pieces cut into classes, in their order, and these into runs; tables stand in another order. */
static void cut(struct pieces *s)
{
    int64_t at = 0, n_tables = 0;
    for (int k = 0; k < MOST_CLASSES; k++) {
        int64_t left = s->n_other - at, n = k == MOST_CLASSES - 1 ? left : random_below(&seed, left + 1);
        int32_t n_columns = random_below(&seed, 6) ? 1 + random_below(&seed, 40) : MOST_COLUMNS;
        s->tables[k] = (struct sdd_tab_table){at, s->n_column, n_tables, n_columns};
        n_tables += n_columns;
        for (int64_t i = 0; i < n; i += TOGETHER) {
            int64_t together = n - i < TOGETHER ? n - i : TOGETHER;
            s->runs[s->n_runs++] = (struct sdd_tab_run){(uint32_t)(at + i), (uint32_t)(k << 4 | together)};
        }
        at += n;
        s->n_column += n * n_columns + random_below(&seed, 3);
    }
    for (int k = 0; k < MOST_CLASSES; k++) /* the other way round */
        s->tables[k].table = n_tables - s->tables[k].table - s->tables[k].n_columns;
    s->n_table = n_tables * s->side * s->side;
    s->column = xalloc(s->n_column, 4);
    for (int64_t i = 0; i < s->n_column; i++)
        s->column[i] = any_row(s);
}

/* others: floats of a row that are no components, at most. */
static void pieces_init(struct pieces *s, const struct poly *p, int level, int n, int others)
{
    *s = (struct pieces){.level = level, .n = n, .side = (1 << (level - 1)) + 1};
    wild_case_init(&s->k, p, 0);
    grid_init(&s->g, &p->desc);
    s->stride = n + random_below(&seed, 2) * random_below(&seed, others + 1);
    s->offset = random_below(&seed, s->stride - n + 1);
    s->n_from = grid_n_vertices(&s->g, 1);
    s->from = random_floats(s->n_from * s->stride);
    int64_t C = s->k.b.C;
    s->regular = xalloc(C, 4), s->regular_owns = xalloc(C, 4), s->regular_column = xalloc(C * SDD_TAB_REGULAR, 4);
    s->other = xalloc(C, 4), s->owns = xalloc(C, 4), s->runs = xalloc(C, sizeof *s->runs);
    for (int64_t x = 0; x < s->side; x++)
        for (int i = 0; i < 4; i++)
            s->basis[x].s[i] = 2 * random_unit(&seed) - 1;
}

static void pieces_fini(struct pieces *s)
{
    free(s->from), free(s->regular), free(s->regular_owns), free(s->regular_column), free(s->other), free(s->owns);
    free(s->runs), free(s->column), free(s->table);
    grid_fini(&s->g);
    wild_case_fini(&s->k);
}

/* ---- what is to come of it ------------------------------------------------------------------------------------- */
struct sum {
    double value, size, most; /* size: of its terms; most: that it may be off */
};

static void add(const struct pieces *s, struct sum *sum, double weight, uint32_t row, int component)
{
    double term = weight * (double)s->from[s->stride * (int64_t)row + s->offset + component];
    sum->value += term;
    sum->size += fabs(term);
}

/* A rounding a term; of regular pieces along x and along y. */
static struct sum regular_sum(const struct pieces *s, int64_t i, int64_t x, int64_t y, int component)
{
    struct sum sum = {0, 0, 0};
    for (int k = 0; k < SDD_TAB_REGULAR; k++)
        add(s, &sum, (double)s->basis[x].s[k % 4] * (double)s->basis[y].s[k / 4],
            s->regular_column[SDD_TAB_REGULAR * i + k], component);
    sum.most = 8 * 0x1p-24 * sum.size;
    return sum;
}

static struct sum other_sum(const struct pieces *s, int64_t i, int64_t x, int64_t y, int component)
{
    int k = MOST_CLASSES - 1;
    while (s->tables[k].first > i)
        k--;
    const struct sdd_tab_table *t = s->tables + k;
    struct sum sum = {0, 0, 0};
    for (int64_t j = 0; j < t->n_columns; j++)
        add(s, &sum, (double)s->table[((t->table + j) * s->side + y) * s->side + x],
            s->column[t->column + (i - t->first) * t->n_columns + j], component);
    sum.most = t->n_columns * 0x1p-24 * sum.size;
    return sum;
}

/* By tab_fan.h's words: does a piece make point (x, y) of its grid, of m x m cells? */
static int makes(uint32_t owns, int64_t m, int64_t x, int64_t y)
{
    if (y == 0)
        return (owns & (x == 0 ? SDD_TAB_VERTEX : x == m ? SDD_TAB_EDGE : SDD_TAB_BOTTOM)) != 0;
    if (y == m)
        return x == m && (owns & SDD_TAB_FACE);
    return x > 0 || (owns & SDD_TAB_LEFT);
}

/* Checks the points of one piece, and leaves poison there. */
static void check_piece(const struct pieces *s, int is_regular, int64_t i, float *got)
{
    uint32_t c = is_regular ? s->regular[i] : s->other[i], owns = is_regular ? s->regular_owns[i] : s->owns[i];
    for (int64_t y = 0; y < s->side; y++)
        for (int64_t x = 0; x < s->side; x++) {
            if (!makes(owns, s->side - 1, x, y))
                continue;
            int64_t row = grid_vertex(&s->g, s->level, c, x, y);
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

static struct tab_points_args upload(const struct pieces *s, const struct sdd_control *m)
{
    const float *from = launch_in(s->from, s->n_from * s->stride, sizeof *from);
    return (struct tab_points_args){
        .grid = {m->vert, m->edge, m->faces, m->n_vertices, m->n_faces, m->n_edges, m->n_corners, s->level},
        .from = from + s->offset,
        .width = {s->n, s->stride},
        .regular = launch_in(s->regular, s->n_regular, 4),
        .regular_owns = launch_in(s->regular_owns, s->n_regular, 4),
        .regular_column = launch_in(s->regular_column, s->n_regular, 4 * SDD_TAB_REGULAR),
        .basis = launch_in(s->basis, s->side, sizeof *s->basis),
        .n_regular = s->n_regular,
        .each = 1 + random_below(&seed, 3),
        .runs = launch_in(s->runs, s->n_runs, sizeof *s->runs),
        .tables = launch_in(s->tables, MOST_CLASSES, sizeof *s->tables),
        .table = launch_in(s->table, s->n_table, 4),
        .other = launch_in(s->other, s->n_other, 4),
        .owns = launch_in(s->owns, s->n_other, 4),
        .column = launch_in(s->column, s->n_column, 4),
        .n_runs = s->n_runs};
}

static void run(const struct pieces *s)
{
    const struct sdd_control m = wild_upload(&s->k, 1);
    int64_t n_to = grid_n_vertices(&s->g, s->level), bytes = n_to * s->stride * 4;
    float *to = launch_out(n_to * s->stride, sizeof *to);
    struct tab_points_args a = upload(s, &m);
    a.to = to + s->offset;
    LAUNCH(tab_points, &a, sdd_tab_items(&a));
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
    launch_end();
}

/* ---- on meshes ------------------------------------------------------------------------------------------------- */
static int64_t n_seen[MOST_LEVEL + 1][4][2][2]; /* level, components, strided, kind */
static int64_t n_alone[2];                      /* launches of one kind             */

static void check(const struct poly *p)
{
    static const int shares[][2] = {{4, 3}, {7, 0}, {0, 7}, {8, 0}};
    static unsigned turn;
    const int *share = shares[turn % 4], level = 1 + (int)(turn / 4 % MOST_LEVEL);
    struct pieces s;
    pieces_init(&s, p, level, 1 + random_below(&seed, 3), 3);
    deal(&s, share[0], share[1]);
    cut(&s);
    s.table = random_floats(s.n_table);
    run(&s);
    n_seen[level][s.n][s.stride > s.n][0] += s.n_regular;
    n_seen[level][s.n][s.stride > s.n][1] += s.n_other;
    n_alone[0] += s.n_regular > 0 && s.n_runs == 0;
    n_alone[1] += s.n_regular == 0 && s.n_runs > 0;
    pieces_fini(&s);
    turn++;
}

static void test_points(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++)
        poly_each(60, 100, check);
    soup_each(60, 60, check);
    for (int level = 1; level <= MOST_LEVEL; level++)
        for (int i = 4; i < 16; i++)
            assert_true(n_seen[level][i / 4][i / 2 % 2][i % 2] > 50);
    assert_true(n_alone[0] > 10 && n_alone[1] > 10);
}

/* ---- rows of a range ------------------------------------------------------------------------------------------- */
static int64_t n_rows_seen[MOST_LEVEL + 1][2]; /* level, kind; inside grids */
static int64_t n_single, n_inside;             /* ranges of a row; that begin inside a grid */

/* Every corner is a piece, of one kind or the other. */
static void deal_all(struct pieces *s, int regular_share)
{
    for (uint32_t c = 0; c < s->k.b.C; c++) {
        if (random_below(&seed, 8) < regular_share)
            s->regular[s->n_regular++] = c;
        else
            s->other[s->n_other++] = c;
    }
    for (int64_t i = 0; i < SDD_TAB_REGULAR * s->n_regular; i++)
        s->regular_column[i] = any_row(s);
}

/* Where each corner's piece stands, as tab_where must have it. */
static uint32_t *check_where(const struct pieces *s)
{
    uint32_t *want = poisoned(s->k.b.C, 4);
    for (int64_t i = 0; i < s->n_regular; i++)
        want[s->regular[i]] = (uint32_t)i;
    for (int64_t i = 0; i < s->n_other; i++)
        want[s->other[i]] = (uint32_t)i | SDD_TAB_OTHER;
    struct tab_where_args a = {launch_in(s->regular, s->n_regular, 4), launch_out(s->k.b.C, 4), 0};
    LAUNCH(tab_where, &a, s->n_regular);
    a.piece = launch_in(s->other, s->n_other, 4), a.kind = SDD_TAB_OTHER;
    LAUNCH(tab_where, &a, s->n_other);
    launch_same(a.where, want, "where");
    launch_end();
    return want;
}

/* What piece i of a kind makes of a range. */
static void offer_piece(const struct pieces *s, int is_regular, int64_t i, struct row_range *r)
{
    int64_t c = is_regular ? s->regular[i] : s->other[i], m = s->side - 1;
    for (int64_t y = 0; y <= m; y++)
        for (int64_t x = 0; x <= m; x++) {
            int64_t row = grid_vertex(&s->g, s->level, c, x, y);
            double value[3], most[3];
            if (!row_range_has(r, row))
                continue;
            for (int k = 0; k < 3; k++) {
                struct sum sum = is_regular ? regular_sum(s, i, x, y, k) : other_sum(s, i, x, y, k);
                value[k] = sum.value, most[k] = sum.most;
            }
            row_range_offer(r, row, value, most);
            n_rows_seen[s->level][is_regular] += x > 0 && x < m && y > 0 && y < m;
        }
}

static void check_range(const struct pieces *s, const uint32_t *where)
{
    struct row_range r;
    struct tab_rows_args a = {.mesh = wild_upload(&s->k, 1), .where = launch_in(where, s->k.b.C, 4)};
    a.pieces = upload(s, &a.mesh);
    row_range_init(&r, &s->g, s->level, INT32_MAX, &seed);
    a.to = r.to, a.first = r.first, a.n = r.n, a.each = r.each, a.n_classes = MOST_CLASSES;
    LAUNCH(tab_rows, &a, r.items);
    row_range_got(&r);
    for (int64_t i = 0; i < s->n_regular; i++)
        offer_piece(s, 1, i, &r);
    for (int64_t i = 0; i < s->n_other; i++)
        offer_piece(s, 0, i, &r);
    for (uint32_t v = 0; v < s->k.b.V; v++) /* a vertex without faces stays */
        if (s->k.b.valence[v] == 0 && row_range_has(&r, v)) {
            const float *p = s->from + 3 * (size_t)v;
            row_range_offer(&r, v, (const double[]){p[0], p[1], p[2]}, (const double[]){0, 0, 0});
        }
    for (int64_t i = 0; i < r.n && strcmp(test_backend(), "cpu") == 0; i++) { /* as a GPU makes it */
        struct sdd_vec3 p = sdd_tab_row_point(&a, (uint32_t)(r.first + i));
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
    deal_all(&s, random_below(&seed, 9));
    cut(&s);
    s.table = random_floats(s.n_table);
    uint32_t *where = check_where(&s);
    for (int i = 0; i < 6; i++)
        check_range(&s, where);
    free(where);
    pieces_fini(&s);
}

static void test_rows(void **state)
{
    (void)state;
    poly_each(60, 100, check_ranges);
    soup_each(60, 60, check_ranges);
    for (int level = 2; level <= MOST_LEVEL; level++)
        assert_true(n_rows_seen[level][0] > 200 && n_rows_seen[level][1] > 200);
    assert_true(n_single > 100 && n_inside > 100);
}

static void test_lone(void **state)
{
    (void)state;
    enum { ROWS = 500, LISTED = 80 };
    for (int32_t width = 1; width <= 5; width++) {
        uint32_t list[LISTED];
        float *from = random_floats(ROWS * width), *want = poisoned(ROWS * width, sizeof *want);
        for (int32_t i = 0; i < LISTED; i++) {
            int32_t row = 6 * i + random_below(&seed, 6);
            list[i] = (uint32_t)row;
            memcpy(want + width * row, from + width * row, (size_t)width * sizeof *want);
        }
        launch_say("width %d", width);
        struct tab_lone_args a = {launch_in(list, LISTED, 4), launch_in(from, ROWS * width, 4),
                                  launch_out(ROWS * width, 4), width};
        LAUNCH(tab_lone, &a, (int64_t)LISTED * width);
        launch_same(a.to, want, "rows");
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
