/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of grid order: grid_quads, uv_faces, grid_uvs, and the formulas of grid.h by themselves. The oracle counts
 * rows off one by one in the order that DESIGN section 4 gives (vertices, faces, edges, points along each
 * level-1 edge from its lower-numbered end, points inside each quad), finds the level-1 edge of a quad's side
 * by its two ends, and divides cells by halves. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/quantised.h"
#include "gpu/refine/kernels/grid_quads.k.h"
#include "gpu/refine/kernels/grid_uvs.k.h"
#include "gpu/refine/kernels/uv_faces.k.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/poly.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100

/* ---- the order, counted ---------------------------------------------------------------------------------------- */
struct line { /* a level-1 edge and the row of its first inner point */
    uint32_t low, high;
    int64_t first;
};

struct order { /* over the control mesh, or over its UV mesh */
    int64_t V, F, E, C, m, n;
    const uint32_t *vert, *edge; /* [C] of the mesh in question */
    const struct brute *b;
    uint32_t *row; /* [C][m + 1][m + 1], y before x */
    /* Two level-1 edges join the same two ends: only UV meshes have that, where a face meets a UV twice. */
    int ambiguous;
};

static int line_order(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static struct line *count_lines(struct order *o)
{
    struct line *line = xalloc(2 * o->E + o->C, sizeof *line);
    for (int64_t c = 0; c < o->C; c++) {
        uint32_t u = o->vert[c], v = o->vert[o->b->next[c]], middle = (uint32_t)(o->V + o->F) + o->edge[c];
        line[2 * o->edge[c]] = (struct line){u < v ? u : v, middle, 0};
        line[2 * o->edge[c] + 1] = (struct line){u < v ? v : u, middle, 0};
        line[2 * o->E + c] = (struct line){(uint32_t)o->V + o->b->face[c], middle, 0};
    }
    for (int64_t i = 0; i < 2 * o->E + o->C; i++, o->n += o->m - 1)
        line[i].first = o->n;
    qsort(line, (size_t)(2 * o->E + o->C), sizeof *line, line_order);
    for (int64_t i = 1; i < 2 * o->E + o->C; i++)
        o->ambiguous |= line_order(line + i - 1, line + i) == 0;
    return line;
}

static uint32_t *row_at(const struct order *o, int64_t c, int64_t x, int64_t y)
{
    return o->row + (c * (o->m + 1) + y) * (o->m + 1) + x;
}

/* Side k of quad c goes from its corner k to the next one; the points on it are the line's. */
static void place_side(const struct order *o, const struct line *line, int64_t c, int k)
{
    static const int at[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    int64_t m = o->m;
    uint32_t a = *row_at(o, c, m * at[k][0], m * at[k][1]), b = *row_at(o, c, m * at[k + 1][0], m * at[k + 1][1]);
    const struct line key = {a < b ? a : b, a < b ? b : a, 0};
    const struct line *found = bsearch(&key, line, (size_t)(2 * o->E + o->C), sizeof *line, line_order);
    assert_non_null(found);
    for (int64_t t = 1; t < m; t++) {
        int64_t x = at[k][0] * (m - t) + at[k + 1][0] * t, y = at[k][1] * (m - t) + at[k + 1][1] * t;
        *row_at(o, c, x, y) = (uint32_t)(found->first + (a < b ? t - 1 : m - t - 1));
    }
}

static void order_init(struct order *o, const struct brute *b, int level, int of_uvs)
{
    *o = (struct order){.F = b->F, .C = b->C, .m = (int64_t)1 << (level - 1), .b = b};
    o->V = of_uvs ? b->U : b->V, o->E = of_uvs ? b->E_uv : b->E;
    o->vert = of_uvs ? b->uv : b->vert, o->edge = of_uvs ? b->uv_edge : b->edge;
    o->n = o->V + o->F + o->E;
    o->row = xalloc(o->C * (o->m + 1) * (o->m + 1), sizeof *o->row);
    struct line *line = count_lines(o);
    for (int64_t c = 0; c < o->C; c++) {
        int64_t m = o->m, edges = o->V + o->F;
        *row_at(o, c, 0, 0) = o->vert[c];
        *row_at(o, c, m, 0) = (uint32_t)edges + o->edge[c];
        *row_at(o, c, m, m) = (uint32_t)o->V + b->face[c];
        *row_at(o, c, 0, m) = (uint32_t)edges + o->edge[b->prev[c]];
        for (int k = 0; k < 4; k++)
            place_side(o, line, c, k);
        for (int64_t y = 1; y < m; y++)
            for (int64_t x = 1; x < m; x++)
                *row_at(o, c, x, y) = (uint32_t)o->n++;
    }
    free(line);
}

/* Every row is some point, but for vertices (UV values) that no face uses. */
static void check_bijection(const struct order *o)
{
    unsigned char *used = xalloc(o->n, 1);
    for (int64_t i = 0; i < o->C * (o->m + 1) * (o->m + 1); i++)
        used[o->row[i]] = 1;
    for (int64_t c = 0; c < o->C; c++)
        used[o->vert[c]] = 2;
    for (int64_t i = 0; i < o->n; i++)
        assert_true(used[i] || i < o->V);
    free(used);
}

static struct sdd_grid host_grid(const struct order *o, int level)
{
    const struct brute *b = o->b;
    struct sdd_grid g = {o->vert,        o->edge,        faces_of(b),    (uint32_t)o->V,
                         (uint32_t)o->F, (uint32_t)o->E, (uint32_t)o->C, level};
    return g;
}

static struct sdd_grid upload_grid(const struct order *o, int level)
{
    struct sdd_grid g = host_grid(o, level);
    g.vert = launch_in(g.vert, o->C, 4), g.faces = faces_in(o->b, o->C);
    g.edge = launch_in(g.edge, o->C, 4);
    return g;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */
static void check_formulas(const struct order *o, int level)
{
    struct sdd_grid g = host_grid(o, level);
    for (uint32_t c = 0; c < o->C; c++)
        for (int32_t y = 0; y <= o->m; y++)
            for (int32_t x = 0; x <= o->m; x++) {
                int inside = x > 0 && y > 0 && x < o->m && y < o->m;
                uint32_t want = *row_at(o, c, x, y), got = sdd_grid_point(&g, c, x, y);
                if (got != want || (inside && sdd_grid_inside(&g, c, x, y) != want))
                    fail_msg("%s level %d: (%d, %d) of quad %u is row %u, not %u", launch_case(), level, x, y, c, got,
                             want);
            }
}

static void check_quads(const struct order *o, int level, const uint32_t *shown, int64_t n_visible)
{
    int64_t m = o->m, n = n_visible * m * m;
    struct sdd_quad *want = xalloc(n, sizeof *want);
    for (int64_t k = 0; k < n; k++) {
        int64_t c = shown ? shown[k / (m * m)] : k / (m * m), x = k % m, y = k / m % m;
        want[k].v[0] = *row_at(o, c, x, y);
        want[k].v[1] = *row_at(o, c, x + 1, y);
        want[k].v[2] = *row_at(o, c, x + 1, y + 1);
        want[k].v[3] = *row_at(o, c, x, y + 1);
    }
    struct grid_quads_args a = {.grid = upload_grid(o, level), .quad = launch_out(n, sizeof *want)};
    a.visible = shown ? launch_in(shown, n_visible, 4) : NULL;
    LAUNCH(grid_quads, &a, n);
    launch_same(a.quad, want, "quad");
    launch_end();
    free(want);
}

static int highest(const struct brute *b)
{
    return b->C <= 100 ? 5 : b->C <= 400 ? 4 : b->C <= 2000 ? 3 : 2;
}

static void check_rows(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    uint64_t r = (uint64_t)b.C + 3;
    uint32_t *shown = xalloc(b.C, sizeof *shown);
    int64_t n_visible = 0;
    for (uint32_t c = 0; c < b.C; c++)
        if (random_below(&r, 3))
            shown[n_visible++] = c;
    for (int level = 1; level <= highest(&b); level++) {
        struct order o;
        order_init(&o, &b, level, 0);
        assert_false(o.ambiguous);
        check_bijection(&o);
        check_formulas(&o, level);
        check_quads(&o, level, NULL, b.C);
        check_quads(&o, level, shown, n_visible);
        free(o.row);
    }
    free(shown);
    brute_fini(&b);
}

static void test_rows(void **state)
{
    (void)state, poly_each(N_RANDOM, 100000, check_rows);
}

/* Level 15 over 14 corners: 3.8 G rows, beyond 31 bits. The rows by ranges, in 64 bits
 * (tests/oracle/grid_walk.c). */
static void test_big_rows(void **state)
{
    const int32_t counts[] = {5, 4, 5}, vertices[] = {0, 1, 2, 3, 4, 5, 1, 0, 6, 2, 1, 7, 8, 9}, level = 15;
    const int32_t m = 1 << (level - 1), special[] = {0, 1, 2, m / 2, m - 2, m - 1, m};
    struct sdd_mesh_desc d = {.n_vertices = 10, .n_faces = 3, .n_corners = 14};
    struct brute b;
    struct grid want;
    uint64_t r = 77;
    (void)state;
    d.face_counts = counts, d.face_vertices = vertices;
    brute_init(&b, &d);
    grid_init(&want, &d);
    assert_true(grid_n_vertices(&want, level) > 3500000000 && grid_n_vertices(&want, level) < UINT32_MAX);
    struct sdd_grid g = {b.vert, b.edge, faces_of(&b), 10, 3, (uint32_t)b.E, 14, level};
    for (int i = 0; i < 400000; i++) {
        uint32_t c = (uint32_t)random_below(&r, 14);
        int32_t x = random_below(&r, 3) ? random_below(&r, m + 1) : special[random_below(&r, 7)];
        int32_t y = random_below(&r, 3) ? random_below(&r, m + 1) : special[random_below(&r, 7)];
        if (sdd_grid_point(&g, c, x, y) != grid_vertex(&want, level, c, x, y))
            fail_msg("level 15: (%d, %d) of quad %u is row %u, not %u", x, y, c, sdd_grid_point(&g, c, x, y),
                     grid_vertex(&want, level, c, x, y));
    }
    grid_fini(&want);
    brute_fini(&b);
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */
/* The corners of quad q of level d in units of its cells, from the level-1 quad down: child k has corner k,
 * the middle of the side that follows, the middle of the quad and the middle of the side before. */
static void check_place(uint32_t q, int d)
{
    int32_t at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int digit = d - 2; digit >= 0; digit--) {
        uint32_t k = q >> (2 * digit) & 3, n = (k + 1) % 4, b = (k + 3) % 4;
        int32_t to[4][2];
        for (int x = 0; x < 2; x++) {
            to[0][x] = 2 * at[k][x];
            to[1][x] = at[k][x] + at[n][x];
            to[2][x] = at[0][x] + at[2][x];
            to[3][x] = at[b][x] + at[k][x];
        }
        memcpy(at, to, sizeof at);
    }
    struct sdd_grid_cell p = sdd_grid_cell_of(q, d);
    assert_int_equal(p.corner, d > 1 ? (uint64_t)q >> (2 * (d - 1)) : q);
    assert_in_range(p.rotation, 0, 3);
    for (int k = 0; k < 4; k++) {
        int s = (k + p.rotation) % 4, x = p.x + (s == 1 || s == 2), y = p.y + (s >= 2);
        if (at[k][0] != x || at[k][1] != y)
            fail_msg("quad %u of level %d: corner %d is at (%d, %d), not (%d, %d)", q, d, k, x, y, at[k][0], at[k][1]);
    }
}

static void test_places(void **state)
{
    uint64_t r = 4;
    (void)state;
    for (int d = 1; d <= 6; d++)
        for (uint32_t q = 0; q < 3u << (2 * (d - 1)); q++)
            check_place(q, d);
    for (int i = 0; i < 200000; i++)
        check_place(random_next(&r) >> i % 8, 1 + i % 16);
}

/* ---- UVs ------------------------------------------------------------------------------------------------------- */
static void face_mean(const struct poly *p, const struct brute *b, uint32_t f, double mean[2])
{
    int32_t first = f ? b->end[f - 1] : 0, n = b->end[f] - first;
    mean[0] = mean[1] = 0;
    for (int32_t c = first; c < first + n; c++)
        for (int k = 0; k < 2; k++)
            mean[k] += (double)p->uvs[2 * b->uv[c] + (uint32_t)k] / n;
}

static void near_uv(int level, uint32_t row, const struct sdd_float2 *got, const double *want)
{
    for (int k = 0; k < 2; k++)
        if (!(fabs((double)got->s[k] - want[k]) <= 5e-7 * fmax(1, fabs(want[k]))))
            fail_msg("%s level %d: UV row %u is (%.9g, %.9g), not (%.9g, %.9g)", launch_case(), level, row,
                     (double)got->s[0], (double)got->s[1], want[0], want[1]);
}

/* All that a quad's points get: bilinear between its vertex, the middles of its two edges and the face's mean. */
static void check_quad_uvs(const struct poly *p, const struct order *o, int level, int64_t c,
                           const struct sdd_float2 *got)
{
    const struct brute *b = o->b;
    struct sdd_grid g = host_grid(o, level);
    double corner[4][2], mean[2];
    face_mean(p, b, b->face[c], mean);
    for (uint32_t k = 0; k < 2; k++) {
        double v = (double)p->uvs[2 * b->uv[c] + k];
        corner[0][k] = v;
        corner[1][k] = (v + (double)p->uvs[2 * b->uv[b->next[c]] + k]) / 2;
        corner[2][k] = mean[k];
        corner[3][k] = (v + (double)p->uvs[2 * b->uv[b->prev[c]] + k]) / 2;
    }
    for (int64_t y = 0; y <= o->m; y++)
        for (int64_t x = 0; x <= o->m; x++) {
            double s = (double)x / (double)o->m, t = (double)y / (double)o->m, want[2];
            for (int k = 0; k < 2; k++)
                want[k] = (1 - t) * ((1 - s) * corner[0][k] + s * corner[1][k]) +
                          t * ((1 - s) * corner[3][k] + s * corner[2][k]);
            near_uv(level, *row_at(o, c, x, y), got + *row_at(o, c, x, y), want);
            uint32_t row = sdd_grid_point(&g, (uint32_t)c, (int32_t)x, (int32_t)y);
            near_uv(level, row, got + row, want); /* the same row, unless ambiguous */
        }
}

/* Both halves of each UV edge, also where its two ends are the same value and no quad needs the second half. */
static void check_edge_uvs(const struct poly *p, const struct order *o, int level, const struct sdd_float2 *got)
{
    const struct brute *b = o->b;
    for (int64_t e = 0; e < o->E; e++) {
        uint32_t c = b->uv_edge_corner[e], u = b->uv[c], v = b->uv[b->next[c]];
        for (int64_t i = 0; i < 2 * (o->m - 1); i++) {
            int high = i >= o->m - 1;
            uint32_t from = (u < v) == !high ? u : v, to = from == u ? v : u;
            double s = (double)(i % (o->m - 1) + 1) / (double)(2 * o->m), want[2];
            for (uint32_t k = 0; k < 2; k++)
                want[k] = (1 - s) * (double)p->uvs[2 * from + k] + s * (double)p->uvs[2 * to + k];
            int64_t row = o->V + o->F + o->E + 2 * e * (o->m - 1) + i;
            near_uv(level, (uint32_t)row, got + row, want);
        }
    }
}

static int64_t n_ambiguous, n_clear;

static void check_uvs(const struct poly *p)
{
    struct brute b;
    if (p->desc.n_uvs == 0)
        return;
    brute_init(&b, &p->desc);
    for (int level = 1; level <= highest(&b); level++) {
        struct order o;
        order_init(&o, &b, level, 1);
        struct grid_uvs_args a = {
            .grid = upload_grid(&o, level), .out = launch_out(o.n, sizeof(struct sdd_float2)), .width = 2, .n = o.n};
        a.edge_corner = launch_in(b.uv_edge_corner, b.E_uv, 4);
        a.uv = launch_in(p->uvs, b.U, sizeof(struct sdd_float2));
        a.face = a.out + 2 * b.U;
        struct uv_faces_args means = {launch_in(b.end, b.F, 4), a.grid.vert, a.uv, a.out + 2 * b.U, 2};
        LAUNCH(uv_faces, &means, b.F);
        LAUNCH(grid_uvs, &a, (o.n + SDD_LINEAR_EACH - 1) / SDD_LINEAR_EACH);
        const struct sdd_float2 *got = launch_got(a.out);
        assert_memory_equal(got, p->uvs, (size_t)b.U * sizeof *got); /* values stay, also those that no face uses */
        for (int64_t c = 0; c < b.C; c++)
            check_quad_uvs(p, &o, level, c, got);
        check_edge_uvs(p, &o, level, got);
        const struct quantised q = quantised_begin(SDD_ROWS_F16, o.n);
        struct grid_uvs_args half = a;
        half.out = q.to, half.as = q.as;
        LAUNCH(grid_uvs, &half, (o.n + SDD_LINEAR_EACH - 1) / SDD_LINEAR_EACH);
        quantised_check(&q, launch_got(a.out), o.n);
        launch_end();
        n_ambiguous += o.ambiguous;
        n_clear += !o.ambiguous;
        if (!o.ambiguous) {
            check_bijection(&o);
            check_formulas(&o, level);
            check_quads(&o, level, NULL, b.C);
        }
        free(o.row);
    }
    brute_fini(&b);
}

static void test_uvs(void **state)
{
    (void)state;
    n_ambiguous = n_clear = 0;
    poly_each(N_RANDOM, 100000, check_uvs);
    assert_true(n_ambiguous > 20 && n_clear > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_big_rows),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_uvs),
    };
    return LAUNCH_GROUP("grid order", tests);
}
