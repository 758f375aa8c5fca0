/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the grid order over triangles: tri_faces, tri_uvs, and the formulas of tri_grid.h and tri_location.h by
 * themselves. The oracle counts rows off one by one as tri_grid.h has it in words (vertices, points along each edge
 * from its lower-numbered end, points inside each triangle), for the mesh and for its UV mesh. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/quantised.h"
#include "gpu/refine/kernels/tri_faces.k.h"
#include "gpu/grid/tri_location.h"
#include "gpu/refine/kernels/tri_uvs.tile.h"
#include "tests/kernels/loop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100
#define N_SOUPS 150

static int64_t n_rows, n_loops, n_seams; /* UV edges whose ends are one value; with more corners than two */

/* ---- the order, counted ---------------------------------------------------------------------------------------- */
struct order { /* over the control mesh, or over its UV mesh */
    int64_t V, F, E, m, n;
    const uint32_t *vert, *edge, *edge_corner; /* [C], [C], [E] of the mesh in question */
    const struct brute *b;
    uint32_t *row; /* [F][m + 1][m + 1], j before i, where i + j <= m */
};

static uint32_t *row_at(const struct order *o, int64_t f, int64_t i, int64_t j)
{
    return o->row + (f * (o->m + 1) + j) * (o->m + 1) + i;
}

/* Side k of triangle f, from corner k to the next: its ends, and the points of its edge one way or the other. */
static void place_side(const struct order *o, int64_t f, int k)
{
    static const int at[4][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 0}};
    uint32_t u = o->vert[3 * f + k], v = o->vert[3 * f + (k + 1) % 3];
    int64_t m = o->m, first = o->V + o->edge[3 * f + k] * (m - 1);
    for (int64_t t = 0; t < m; t++) { /* t steps from corner k */
        int64_t i = at[k][0] * (m - t) + at[k + 1][0] * t, j = at[k][1] * (m - t) + at[k + 1][1] * t;
        int64_t line = u > v ? m - 1 - t : t - 1; /* equal ends: as the corner runs */
        *row_at(o, f, i, j) = t == 0 ? u : (uint32_t)(first + line);
    }
}

static void order_init(struct order *o, const struct wild_case *k, int level, int of_uvs)
{
    const struct brute *b = &k->b;
    *o = (struct order){.F = b->F, .m = (int64_t)1 << level, .b = b};
    o->V = of_uvs ? b->U : b->V, o->E = of_uvs ? b->E_uv : k->o.E;
    o->vert = of_uvs ? b->uv : b->vert, o->edge = of_uvs ? b->uv_edge : k->o.edge;
    o->edge_corner = of_uvs ? b->uv_edge_corner : k->o.edge_corner;
    o->n = o->V + o->E * (o->m - 1);
    o->row = xalloc(o->F * (o->m + 1) * (o->m + 1), sizeof *o->row);
    for (int64_t f = 0; f < o->F; f++) {
        for (int side = 0; side < 3; side++)
            place_side(o, f, side);
        for (int64_t j = 1; j < o->m; j++)
            for (int64_t i = 1; i + j < o->m; i++)
                *row_at(o, f, i, j) = (uint32_t)o->n++;
    }
    n_rows += o->n;
}

/* Every row is some point, but for vertices (UV values) that no face uses. */
static void check_bijection(const struct order *o)
{
    unsigned char *used = xalloc(o->n, 1);
    for (int64_t f = 0; f < o->F; f++)
        for (int64_t j = 0; j <= o->m; j++)
            for (int64_t i = 0; i + j <= o->m; i++)
                used[*row_at(o, f, i, j)] = 1;
    for (int64_t row = o->V; row < o->n; row++)
        assert_true(used[row]);
    free(used);
}

static struct sdd_grid host_grid(const struct order *o, int level)
{
    const struct brute *b = o->b;
    struct sdd_grid g = {o->vert,        o->edge,        faces_of(b),    (uint32_t)o->V,
                         (uint32_t)o->F, (uint32_t)o->E, (uint32_t)b->C, level};
    return g;
}

static struct sdd_grid upload_grid(const struct order *o, int level)
{
    struct sdd_grid g = host_grid(o, level);
    g.vert = launch_in(g.vert, o->b->C, 4), g.faces = faces_in(o->b, o->b->C);
    g.edge = launch_in(g.edge, o->b->C, 4);
    return g;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */
/* (i, j) seen from corner `turn` of a triangle: the same point seen from its first corner. */
static void seen_first(int64_t m, int turn, int64_t *i, int64_t *j)
{
    for (; turn > 0; turn--) { /* what was along the edge after is along the edge before, seen from the corner before */
        int64_t rest = m - *i - *j;
        *j = *i, *i = rest;
    }
}

static void check_formulas(const struct order *o, int level)
{
    struct sdd_grid g = host_grid(o, level);
    for (uint32_t c = 0; c < o->b->C; c++)
        for (int64_t y = 0; y <= o->m; y++)
            for (int64_t x = 0; x + y <= o->m; x++) {
                int64_t i = x, j = y;
                seen_first(o->m, (int)(c % 3), &i, &j);
                uint32_t want = *row_at(o, c / 3, i, j), got = sdd_tri_point(&g, c, (int32_t)x, (int32_t)y);
                if (got != want)
                    fail_msg("%s level %d: (%d, %d) from corner %u is row %u, not %u", launch_case(), level, (int)x,
                             (int)y, c, got, want);
            }
}

/* Every row lies where its spot says. */
static void check_spots(const struct order *o, int level)
{
    struct sdd_grid g = host_grid(o, level);
    for (int64_t row = 0; row < o->n; row++) {
        struct sdd_tri_location s = sdd_tri_location_of(&g, o->edge_corner, (uint32_t)row);
        int64_t f = s.id, i = s.x, j = s.y, line = o->E * (o->m - 1);
        int kind = row < o->V ? SDD_AT_VERTEX : row < o->V + line ? SDD_AT_EDGE : SDD_INSIDE;
        if (kind == SDD_AT_EDGE) {
            f = o->edge_corner[s.id] / 3;
            seen_first(o->m, (int)(o->edge_corner[s.id] % 3), &i, &j);
        }
        if (s.kind != kind || (kind == SDD_AT_VERTEX ? s.id != row : *row_at(o, f, i, j) != row))
            fail_msg("%s level %d: row %lld is said to be at (%d, %d, %u, %d)", launch_case(), level, (long long)row,
                     s.kind, s.x, s.id, s.y);
    }
}

/* Rows of m faces; a face that would stick out is turned about the middle of its cells' square instead. */
static void check_faces(const struct order *o, int level, const uint32_t *shown, int64_t n_visible)
{
    int64_t m = o->m, n = n_visible / 3 * m * m;
    uint32_t(*want)[3] = xalloc(n, sizeof *want);
    for (int64_t k = 0; k < n; k++) {
        int64_t f = shown ? shown[k / (m * m) * 3] / 3 : k / (m * m), x = k % m, y = k / m % m;
        int64_t at[3][2] = {{x, y}, {x + 1, y}, {x, y + 1}}, turned[3][2] = {{x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
        for (int c = 0; c < 3; c++) {
            if (x + y >= m) {
                at[c][0] = turned[c][0] + m - 1 - 2 * x;
                at[c][1] = turned[c][1] + m - 1 - 2 * y;
            }
            want[k][c] = *row_at(o, f, at[c][0], at[c][1]);
        }
    }
    struct tri_faces_args a = {.grid = upload_grid(o, level), .face = launch_out(n, sizeof *want)};
    a.visible = shown ? launch_in(shown, n_visible, 4) : NULL;
    LAUNCH(tri_faces, &a, n);
    launch_same(a.face, want, "face");
    launch_end();
    free(want);
}

static int highest(const struct brute *b)
{
    return b->C <= 200 ? 5 : b->C <= 800 ? 4 : b->C <= 4000 ? 3 : 2;
}

/* ---- UVs ------------------------------------------------------------------------------------------------------- */
static void check_uvs(const struct poly *p, const struct order *o, int level)
{
    struct tri_uvs_args a = {
        .grid = upload_grid(o, level), .out = launch_out(o->n, sizeof(struct sdd_float2)), .width = 2, .n = o->n};
    a.edge_corner = launch_in(o->edge_corner, o->E, 4), a.uv = launch_in(p->uvs, o->V, sizeof(struct sdd_float2));
    LAUNCH(tri_uvs, &a, (o->n + SDD_LINEAR_EACH - 1) / SDD_LINEAR_EACH);
    const struct sdd_float2 *got = launch_got(a.out);
    assert_memory_equal(got, p->uvs, (size_t)o->V * sizeof *got); /* values stay, also those that no face uses */
    for (int64_t f = 0; f < o->F; f++)
        for (int64_t j = 0; j <= o->m; j++)
            for (int64_t i = 0; i + j <= o->m; i++) {
                int64_t row = *row_at(o, f, i, j), share[3] = {o->m - i - j, i, j};
                for (uint32_t x = 0; x < 2; x++) {
                    double want = 0;
                    for (int k = 0; k < 3; k++)
                        want += (double)share[k] / (double)o->m * (double)p->uvs[2 * o->vert[3 * f + k] + x];
                    if (!(fabs((double)got[row].s[x] - want) <= 5e-7 * fmax(1, fabs(want))))
                        fail_msg("%s level %d: UV row %lld is %.9g, not %.9g", launch_case(), level, (long long)row,
                                 (double)got[row].s[x], want);
                }
            }
    const struct quantised q = quantised_begin(SDD_ROWS_F16, o->n);
    struct tri_uvs_args half = a;
    half.out = q.to, half.as = q.as;
    LAUNCH(tri_uvs, &half, (o->n + SDD_LINEAR_EACH - 1) / SDD_LINEAR_EACH);
    quantised_check(&q, launch_got(a.out), o->n);
    launch_end();
}

static void count_kinds(const struct order *o)
{
    int32_t *corners = xalloc(o->E, 4);
    for (int64_t c = 0; c < o->b->C; c++)
        corners[o->edge[c]]++;
    for (int64_t e = 0; e < o->E; e++) {
        uint32_t c = o->edge_corner[e];
        n_loops += o->vert[c] == o->vert[o->b->next[c]];
        n_seams += corners[e] > 2;
    }
    free(corners);
}

/* ---- all meshes ------------------------------------------------------------------------------------------------ */
static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    wild_case_init(&k, p, 0);
    const struct brute *b = &k.b;
    uint64_t r = (uint64_t)b->C + 3;
    uint32_t *shown = xalloc(b->C, sizeof *shown), n_visible = 0;
    for (uint32_t f = 0; f < b->F; f++)
        for (uint32_t c = 0, keep = random_below(&r, 3) > 0; keep && c < 3; c++)
            shown[n_visible++] = 3 * f + c;
    for (int of_uvs = 0; of_uvs <= (p->desc.n_uvs > 0); of_uvs++)
        for (int level = 1; level <= highest(b); level++) {
            struct order o;
            order_init(&o, &k, level, of_uvs);
            check_bijection(&o);
            check_formulas(&o, level);
            check_spots(&o, level);
            check_faces(&o, level, NULL, b->C);
            check_faces(&o, level, shown, n_visible);
            if (of_uvs)
                check_uvs(p, &o, level);
            if (of_uvs && level == 1)
                count_kinds(&o);
            free(o.row);
        }
    free(shown);
    wild_case_fini(&k);
}

static void test_shapes(void **state)
{
    (void)state;
    n_rows = n_loops = n_seams = 0;
    loop_each(N_RANDOM, 100000, check_mesh);
    print_message("%lld rows; %lld UV edges have equal ends, %lld have more than two sides\n", (long long)n_rows,
                  (long long)n_loops, (long long)n_seams);
    assert_true(n_loops > 50 && n_seams > 100);
}

static void test_odd(void **state)
{
    (void)state;
    loop_each_odd(N_SOUPS, 100000, check_mesh);
}

/* Each face of a level is the only one of its place, and all of them fill the triangle: inner edges are run once each
 * way, those on the sides once. */
static void test_tiles(void **state)
{
    const uint32_t vert[] = {2, 0, 1}, edge[] = {1, 0, 2};
    (void)state;
    for (int level = 1; level <= 6; level++) {
        int64_t m = (int64_t)1 << level, n = (m + 1) * (m + 2) / 2, open = 0;
        struct tri_faces_args a = {.face = launch_out(m * m, 12)};
        a.grid = (struct sdd_grid){
            launch_in(vert, 3, 4), launch_in(edge, 3, 4), {.n_uniform = 3, .size = 3}, 3, 1, 3, 3, level};
        LAUNCH(tri_faces, &a, m * m);
        const uint32_t *got = launch_got(a.face);
        unsigned char *runs = xalloc(n * n, 1);
        for (int64_t c = 0; c < 3 * m * m; c++) {
            int64_t u = got[c], v = got[c % 3 == 2 ? c - 2 : c + 1];
            assert_true(u < n && v < n && u != v && runs[u * n + v]++ == 0);
        }
        for (int64_t i = 0; i < n * n; i++)
            open += runs[i] && !runs[i % n * n + i / n];
        assert_int_equal(open, 3 * m);
        launch_end();
        free(runs);
    }
}

/* As many triangles of a fan as 32 bits hold at a level: beyond 31 bits. The witness has the rows in 64. */
static void check_big(int32_t n_faces, int32_t level)
{
    const int32_t m = 1 << level, special[] = {0, 1, 2, m / 2, m - 2, m - 1, m}, rim[] = {0, 1, 2, 3, 5, 6, 7, 8};
    const float points[27] = {0};
    int32_t counts[7], vertices[21];
    struct poly p = {.desc = {.n_vertices = 9, .n_faces = n_faces, .n_corners = 3 * n_faces}, .points = points};
    struct wild_case k;
    struct grid want;
    uint64_t r = 77;
    for (int32_t f = 0; f < n_faces; f++) {
        const int32_t v[3] = {rim[f], rim[f + 1], 4};
        counts[f] = 3;
        for (int i = 0; i < 3; i++)
            vertices[3 * f + i] = v[(i + f) % 3];
    }
    p.desc.face_counts = counts, p.desc.face_vertices = vertices, p.desc.options.scheme = SDD_SCHEME_LOOP;
    wild_case_init(&k, &p, 0);
    grid_init(&want, &p.desc);
    assert_true(grid_n_vertices(&want, level) > INT32_MAX && grid_n_vertices(&want, level) < UINT32_MAX);
    struct sdd_grid g = {k.b.vert,          k.o.edge,        faces_of(&k.b),  9,
                         (uint32_t)n_faces, (uint32_t)k.o.E, (uint32_t)k.b.C, level};
    for (int n = 0; n < 20000; n++) {
        uint32_t c = (uint32_t)random_below(&r, k.b.C);
        int32_t x = random_below(&r, 3) ? random_below(&r, m + 1) : special[random_below(&r, 7)];
        int32_t y = random_below(&r, 3) ? random_below(&r, m + 1 - x) : random_below(&r, 2) ? m - x : 0;
        y -= y > 0 && random_below(&r, 4) == 0; /* beside a side, where a row of inner points ends */
        uint32_t row = tri_vertex(&want, level, c, x, y), got = sdd_tri_point(&g, c, x, y);
        struct sdd_tri_location s = sdd_tri_location_of(&g, k.o.edge_corner, row);
        uint32_t from = s.kind == SDD_INSIDE ? 3 * s.id : s.kind == SDD_AT_EDGE ? k.o.edge_corner[s.id] : 0;
        if (got != row || (s.kind == SDD_AT_VERTEX ? s.id : sdd_tri_point(&g, from, s.x, s.y)) != row)
            fail_msg("level %d: (%d, %d) from corner %u is row %u, not %u; that is at (%d, %d) of %u", level, x, y, c,
                     got, row, s.x, s.y, s.id);
    }
    grid_fini(&want);
    wild_case_fini(&k);
}

static void test_big_rows(void **state)
{
    (void)state;
    check_big(7, 15);
    check_big(1, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_big_rows),
    };
    return LAUNCH_GROUP("grid order over triangles", tests);
}
