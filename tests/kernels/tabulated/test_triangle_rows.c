/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of table_tri_rows and table_tri_normals: on the grids of meshes of triangles, pieces of classes that chance
 * deals, with columns and tables of no meaning. Each point is summed in double; a point that several pieces have may
 * be that of any of them. All that is not in the range must stay as it was. Grid rows come from the grid order in
 * words (tests/oracle/refined.h). */
#include "gpu/engines/tabulated/kernels/table_tri_normals.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_rows.k.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/quantised.h"
#include "tests/kernels/loop.h"
#include "tests/kernels/row_range.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, MOST_COLUMNS = 39, MOST_LEVEL = 6 };

static uint64_t seed = 4711;

/* In host memory. */
struct pieces {
    struct wild_case k;
    struct grid g;
    int level, wide;
    int64_t n, n_from, n_column, n_table, points, rows; /* points: of a piece; rows: of its table */
    struct sdd_tri_piece *piece;
    struct sdd_table_table tables[CLASSES];
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

/* width: of rows of level 1; three floats take the room of four. */
static void pieces_init(struct pieces *s, const struct poly *p, int level, int32_t width)
{
    int64_t h = (int64_t)1 << (level - 1), columns = 0;
    *s = (struct pieces){.level = level, .points = (h + 1) * (h + 2) / 2};
    s->rows = s->points + 3 * (h + 1); /* and of its three sides again */
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
    s->n_table = (columns + SDD_TRI_REGULAR) * s->rows;
    s->wide = width == 3 ? 4 : width;
    s->table = floats(s->n_table), s->from = floats(s->n_from * s->wide);
}

static void pieces_fini(struct pieces *s)
{
    free(s->piece), free(s->column), free(s->table), free(s->from);
    grid_fini(&s->g);
    wild_case_fini(&s->k);
}

static struct sdd_tri_pieces upload(const struct pieces *s)
{
    uint32_t place[2048 + 3 * 63]; /* of level 6 */
    sdd_tri_fill_locations(s->level, place);
    return (struct sdd_tri_pieces){.mesh = wild_upload(&s->k, 1),
                                   .piece = launch_in(s->piece, s->n, sizeof *s->piece),
                                   .classes = launch_in(s->tables, CLASSES, sizeof *s->tables),
                                   .table = launch_in(s->table, s->n_table, 4),
                                   .column = launch_in(s->column, s->n_column, 4),
                                   .location = launch_in(place, sdd_tri_locations(s->level), 4),
                                   .level = s->level};
}

/* Point `at` of piece i: its sum, and how far it may be off: a rounding a term. */
static double sum_of(const struct pieces *s, int64_t i, int64_t at, int64_t float_of_row, double *most)
{
    const struct sdd_table_table *t = s->tables + s->piece[i].class_of;
    double sum = 0, size = 0;
    for (int64_t j = 0; j < t->n_columns; j++) {
        double term = (double)s->table[(t->table + j) * s->rows + at] *
                      (double)s->from[s->wide * (int64_t)s->column[s->piece[i].column + j] + float_of_row];
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

/* Every point of every piece: the row that it may be, the piece, and its place in the table: that of a side on an edge
 * of the control triangle, counterclockwise from corner to corner. */
typedef void visit(const struct pieces *s, int64_t row, int64_t piece, int64_t at, void *to);

static void each_point(const struct pieces *s, visit *see, void *to)
{
    int64_t h = (int64_t)1 << (s->level - 1), m = 2 * h;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = 0, t = i % 4, c = i / 4 * 3;
        for (int64_t y = 0; y <= m; y++)
            for (int64_t x = 0; x + y <= m; x++)
                if (has_point((int)t, h, x, y)) {
                    if (x > 0 && y > 0 && x + y < m)
                        see(s, tri_vertex(&s->g, s->level, c, x, y), i, at, to);
                    at++;
                }
        assert_int_equal(at, s->points);
        for (int64_t side = 0; side < 3; side++)
            for (int64_t x = 0; x <= m; x++) /* from corner `side` on: half of it is that corner's, half the next's */
                if (t == (x <= h ? side : (side + 1) % 3) || (x == h && t == (side + 1) % 3))
                    see(s, tri_vertex(&s->g, s->level, c + side, x, 0), i,
                        s->points + side * (h + 1) + (t == side ? x : x - h), to);
    }
}

/* How a GPU makes all rows: triangle by triangle, or one by one? */
static int64_t items_of(const struct sdd_tri_pieces *pieces, int by_triangles, int64_t rows, int64_t each)
{
    return by_triangles ? sdd_tri_items(pieces) : (rows + each - 1) / each;
}

static int on_gpu(void)
{
    return strcmp(test_backend(), "cpu") != 0;
}

static int by_triangles(const struct pieces *s, int least)
{
    return on_gpu() && s->level >= least;
}

/* ---- ranges of positions ----------------------------------------------------------------------------------------- */
static int64_t n_rows[MOST_LEVEL + 1], n_single, n_inside, n_by_triangles;

static void offer(const struct pieces *s, int64_t row, int64_t piece, int64_t at, void *to)
{
    double value[3], most[3];
    if (!row_range_has(to, row))
        return;
    for (int x = 0; x < 3; x++)
        value[x] = sum_of(s, piece, at, x, most + x);
    row_range_offer(to, row, value, most);
    n_rows[s->level]++;
}

static void check_range(const struct pieces *s)
{
    struct row_range r;
    struct table_tri_rows_args a = {.pieces = upload(s), .width = {3, 3}};
    a.from = launch_in(s->from, s->n_from, sizeof(float[4]));
    row_range_init(&r, &s->g, s->level, INT32_MAX, &seed);
    a.to = r.to, a.first = r.first, a.n = r.n, a.each = r.each;
    LAUNCH(table_tri_rows, &a, r.items);
    const struct quantised q = quantised_begin(SDD_ROWS_UNORM16, r.n);
    struct table_tri_rows_args box = a, all = a;
    const int whole = by_triangles(s, SDD_TRI_LEAST_OF_ROWS) && r.n == grid_n_vertices(&s->g, s->level);
    box.to = q.to, box.as = q.as, box.by_triangles = whole;
    LAUNCH(table_tri_rows, &box, whole ? sdd_tri_items(&a.pieces) : r.items);
    all.by_triangles = 1;
    if (whole) {
        all.to = launch_out(r.n, sizeof(float[3]));
        LAUNCH(table_tri_rows, &all, sdd_tri_items(&a.pieces));
    }
    row_range_got(&r);
    if (whole)
        launch_same(all.to, r.got, "rows by triangles"), n_by_triangles++;
    each_point(s, offer, &r);
    quantised_check(&q, r.got, r.n);
    for (uint32_t v = 0; v < s->k.b.V; v++) /* a vertex without faces stays */
        if (s->k.b.valence[v] == 0 && row_range_has(&r, v)) {
            const float *p = s->from + 4 * (size_t)v;
            row_range_offer(&r, v, (const double[]){p[0], p[1], p[2]}, (const double[]){0, 0, 0});
        }
    float *one = xalloc(3 * r.n, sizeof *one); /* row by row, as a GPU makes them */
    a.to = one;
    for (int64_t i = 0; i < r.n && !on_gpu(); i++) {
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
    assert_true(n_single > 100 && n_inside > 100 && (!on_gpu() || n_by_triangles > 20));
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
        double most, value = sum_of(s, piece, at, x, &most);
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
    pieces_init(&s, p, 1 + (int)(turn++ % 5), w.n);
    int64_t rows = grid_n_vertices(&s.g, s.level);
    struct table_tri_rows_args a = {.pieces = upload(&s), .width = {w.n, w.stride}, .n = rows, .each = 97};
    a.from = launch_in(s.from, s.n_from, (size_t)s.wide * 4);
    float *out = launch_out(rows * w.stride, 4);
    a.to = out + w.offset, a.by_triangles = by_triangles(&s, SDD_TRI_LEAST_OF_ROWS) && random_below(&seed, 2);
    LAUNCH(table_tri_rows, &a, items_of(&a.pieces, a.by_triangles, rows, a.each));
    if (w.n == 2 && w.stride == 2) {
        const struct quantised q = quantised_begin(SDD_ROWS_F16, rows);
        a.to = q.to, a.as = q.as;
        LAUNCH(table_tri_rows, &a, items_of(&a.pieces, a.by_triangles, rows, a.each));
        quantised_check(&q, launch_got(out), rows);
    }
    w.got = launch_got(out), w.is = xalloc(rows, 1);
    each_point(&s, offer_wide, &w);
    for (int64_t row = 0; row < rows; row++) {
        const float *at = w.got + w.stride * row;
        int alone = row < s.k.b.V && s.k.b.valence[row] == 0;
        if (alone && memcmp(at + w.offset, s.from + s.wide * row, (size_t)w.n * 4) == 0)
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

/* ---- normals ----------------------------------------------------------------------------------------------------- */
struct vec {
    double x[3];
};

static double length(struct vec a)
{
    return sqrt(a.x[0] * a.x[0] + a.x[1] * a.x[1] + a.x[2] * a.x[2]);
}

static struct vec cross(struct vec a, struct vec b)
{
    return (struct vec){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static void add_to(struct vec *to, double w, struct vec a)
{
    for (int x = 0; x < 3; x++)
        to->x[x] += w * a.x[x];
}

/* What normals are made of: pieces, whose tables are of pairs of sums. */
struct normals {
    struct pieces s;
    struct sdd_tri_away away[CLASSES];
    const float *got, *tangents;
    unsigned char *is; /* [rows] */
};

/* A sum that leads away, and the size of its terms. */
static struct vec way_of(const struct normals *n, int64_t piece, int64_t at, int k, double *size)
{
    const struct pieces *s = &n->s;
    uint32_t of = s->piece[piece].class_of;
    int64_t columns = s->tables[of].n_columns;
    const uint32_t *row = s->column + s->piece[piece].column;
    struct vec sum = {{0}};
    *size = 0;
    for (int64_t j = 0; j < columns; j++) {
        double w = (double)s->table[(n->away[of].table + k * columns + j) * s->rows + at];
        struct vec d;
        for (int x = 0; x < 3; x++)
            d.x[x] = (double)s->from[4 * (size_t)row[j] + (size_t)x] - (double)s->from[4 * (size_t)row[0] + (size_t)x];
        add_to(&sum, w, d);
        *size += fabs(w) * length(d);
    }
    return sum;
}

/* Adds the products of a point; most: how far their sum may be off. */
static void add_products(const struct normals *n, int64_t piece, int64_t at, struct vec *sum, double *most)
{
    uint32_t of = n->s.piece[piece].class_of;
    for (int k = 0; k < n->away[of].pairs; k++) {
        double size[2];
        struct vec a = way_of(n, piece, at, 2 * k, size), b = way_of(n, piece, at, 2 * k + 1, size + 1);
        add_to(sum, 1, cross(a, b));
        *most += (n->s.tables[of].n_columns + 8) * 0x1p-23 * (size[0] * length(b) + size[1] * length(a));
    }
}

static int64_t n_sure, n_shared, n_masks;

/* Row of the table where a corner's piece has its control vertex: the first of the side that begins there. */
static int64_t vertex_row(const struct pieces *s, int64_t turn)
{
    return s->points + turn * (((int64_t)1 << (s->level - 1)) + 1);
}

/* Of length 1, along t1 and t2 where the point is of one pair, else at right angles to each other and the normal. */
static int tangents_are(const struct normals *n, int64_t row, int64_t piece, int64_t at, int one_pair)
{
    const float *t = n->tangents + 6 * row;
    struct vec got[2], normal;
    double size, off = 0;
    for (int x = 0; x < 3; x++)
        got[0].x[x] = (double)t[x], got[1].x[x] = (double)t[3 + x], normal.x[x] = (double)n->got[3 * row + x];
    for (int k = 0; k < 2; k++) {
        struct vec want = one_pair ? way_of(n, piece, at, k, &size) : got[k];
        double all = length(want);
        for (int x = 0; x < 3; x++)
            off = fmax(off, fabs(got[k].x[x] - want.x[x] / all));
    }
    n_masks += one_pair;
    if (!one_pair) {
        struct vec is = cross(got[0], got[1]);
        add_to(&is, -1, normal);
        off = fmax(off, length(is));
    }
    return off < 1e-3;
}

static void offer_normal(const struct pieces *s, int64_t row, int64_t piece, int64_t at, void *to)
{
    struct normals *n = to;
    struct vec want = {{0}};
    double most = 0, off = 0;
    int vertex = row < s->k.b.V, shared = 0;
    if (vertex) { /* one piece says whether they share */
        int64_t first = s->k.b.vert_corner[s->k.b.vert_begin[row]];
        shared = n->away[s->piece[first / 3 * 4 + first % 3].class_of].shared;
    }
    if (!shared)
        add_products(n, piece, at, &want, &most);
    for (uint32_t k = s->k.b.vert_begin[vertex ? row : 0]; shared && k < s->k.b.vert_end[row]; k++) {
        int64_t c = s->k.b.vert_corner[k];
        add_products(n, c / 3 * 4 + c % 3, vertex_row(s, c % 3), &want, &most);
    }
    double all = length(want);
    if (!(most < 0.02 * all)) {
        n->is[row] = 1; /* rounding decides */
        return;
    }
    for (int x = 0; x < 3; x++)
        off = fmax(off, fabs((double)n->got[3 * row + x] - want.x[x] / all));
    int one_pair = !shared && n->away[s->piece[piece].class_of].pairs == 1;
    if (off <= 2 * most / all + 0x1p-21 && tangents_are(n, row, piece, at, one_pair))
        n->is[row] = 1, n_sure++, n_shared += shared;
}

static void check_normals(const struct poly *p)
{
    static unsigned turn;
    struct normals n = {.got = NULL};
    struct pieces *s = &n.s;
    int64_t columns = 0;
    pieces_init(s, p, 1 + (int)(turn++ % 5), 3);
    for (int k = 0; k < CLASSES; k++) {
        n.away[k] = (struct sdd_tri_away){columns, 1 + random_below(&seed, 2), random_below(&seed, 2)};
        columns += 2 * n.away[k].pairs * s->tables[k].n_columns;
    }
    free(s->table);
    s->n_table = (columns + SDD_TRI_REGULAR) * s->rows, s->table = floats(s->n_table);
    int64_t rows = grid_n_vertices(&s->g, s->level), each = 1 + random_below(&seed, 200);
    struct table_tri_normals_args a = {.pieces = upload(s), .n = rows, .each = (int32_t)each};
    a.away = launch_in(n.away, CLASSES, sizeof *n.away), a.from = launch_in(s->from, s->n_from, sizeof(float[4]));
    float *to = a.to = launch_out(rows, sizeof(float[3])), *one = xalloc(rows, sizeof(float[3]));
    a.by_triangles = by_triangles(s, SDD_TRI_LEAST_OF_NORMALS) && random_below(&seed, 2);
    LAUNCH(table_tri_normals, &a, items_of(&a.pieces, a.by_triangles, rows, each));
    a.by_triangles = 0, a.to = NULL, a.tangents = launch_out(rows, sizeof(float[6])); /* these alone */
    LAUNCH(table_tri_normals, &a, (rows + each - 1) / each);
    const struct quantised q = quantised_begin(SDD_ROWS_OCT16, rows);
    struct table_tri_normals_args oct16 = a;
    oct16.to = q.to, oct16.as = q.as, oct16.tangents = NULL,
    oct16.by_triangles = by_triangles(s, SDD_TRI_LEAST_OF_NORMALS);
    LAUNCH(table_tri_normals, &oct16, items_of(&a.pieces, oct16.by_triangles, rows, each));
    n.got = launch_got(to), n.tangents = launch_got(a.tangents), n.is = xalloc(rows, 1);
    quantised_check(&q, n.got, rows);
    each_point(s, offer_normal, &n);
    a.tangents = NULL, a.to = one;
    for (int64_t row = 0; row < rows; row++) {
        if (!on_gpu()) {
            sdd_tri_put_normal(&a, row); /* as a GPU makes it */
            assert_memory_equal(one + 3 * row, n.got + 3 * row, sizeof(float[3]));
        }
        if (row < s->k.b.V && s->k.b.valence[row] == 0) /* without faces there is none */
            for (int x = 0; x < 3; x++)
                n.is[row] = n.got[3 * row + x] == 0 && n.tangents[6 * row + x] == 0 && n.tangents[6 * row + 3 + x] == 0;
        if (!n.is[row])
            fail_msg("%s level %d: the normal of row %d, or its tangents", launch_case(), s->level, (int)row);
    }
    free(one), free(n.is);
    pieces_fini(s);
    launch_end();
}

static void test_normals(void **state)
{
    (void)state;
    loop_each(60, 60, check_normals);
    loop_each_odd(30, 60, check_normals);
    assert_true(n_sure > 20000 && n_shared > 500 && n_masks > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges), cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_normals)};
    return LAUNCH_GROUP("rows of triangles from tables", tests);
}
