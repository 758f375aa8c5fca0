/* SPDX-License-Identifier: Apache-2.0 */
/* cut_sides, cut_sectors, cut_rows and cut_corners: the cut mesh is held against pairs of corners that are joined one
 * by one. mm_split, loop_split and what follows them (mm_split_follow, loop_split_follow): where nothing is cut, the
 * normals of mm_finish and loop_finish; and no side knows the points of another. That a side has the limit's normal is
 * shown by tests/engines/test_split_normals.c. */
#include "gpu/levels/level_follow.ks.h"
#include "gpu/levels/split_normals.ks.h"
#include "gpu/mesh/kernels/cut_corners.k.h"
#include "gpu/mesh/kernels/cut_rows.k.h"
#include "gpu/mesh/kernels/cut_sectors.k.h"
#include "gpu/mesh/kernels/cut_sides.k.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_RINGS = 7, MOST_CORNERS = 200, N_RANDOM = 40, N_TRIES = 3 };

static int64_t n_cut, n_same, n_sides;

/* The cut mesh on the host. */
struct cut {
    uint32_t *vert, *edge, *twin, *corner, *begin, *end, *edge_corner;
    float *edge_sharp;
    int64_t V, E;
};

static void cut_free(struct cut *c)
{
    free(c->vert), free(c->edge), free(c->twin), free(c->corner);
    free(c->begin), free(c->end), free(c->edge_corner), free(c->edge_sharp);
}

static void *copy_of(const void *got, int64_t n)
{
    void *to = xalloc(n + 1, 4);
    memcpy(to, got, (size_t)n * 4);
    return to;
}

/* The inclusive scan. */
static int32_t *scan_of(const int32_t *flag, int64_t n)
{
    int32_t *sum = xalloc(n + 1, sizeof *sum);
    for (int64_t i = 0; i < n; i++)
        sum[i] = flag[i] + (i ? sum[i - 1] : 0);
    return sum;
}

/* The corner across the edge after c, by the oracle's twins and sharpness. */
static uint32_t across(const struct wild_case *k, int all, int64_t c)
{
    const uint32_t twin = k->b.real_twin[c];
    const int sharp = k->edge_sharp && k->o.edge_sharp[k->o.edge[c]] >= 10;
    return all || sharp ? BRUTE_NONE : twin;
}

static void cut_make(const struct wild_case *k, int all, struct cut *cut)
{
    const struct brute *b = &k->b;
    struct sdd_control m = wild_upload(k, 1);
    struct cut_sides_args sides = {m, launch_out(b->C, 4), all};
    struct cut_sectors_args sectors = {m, launch_out(b->C, 4), launch_out(b->C, 4), launch_out(b->V, 4), all};
    LAUNCH(cut_sides, &sides, b->C);
    LAUNCH(cut_sectors, &sectors, b->V);
    int32_t *side = copy_of(launch_got(sides.side), b->C), *more = copy_of(launch_got(sectors.more), b->V);
    uint32_t *corner = copy_of(launch_got(sectors.corner), b->C), *sector = copy_of(launch_got(sectors.sector), b->C);
    int32_t *side_rank = scan_of(side, b->C), *more_rank = scan_of(more, b->V);
    launch_end();
    cut->V = b->V + more_rank[b->V - 1];
    cut->E = k->o.E + side_rank[b->C - 1];
    m = wild_upload(k, 1);
    struct cut_rows_args rows = {m,
                                 launch_in(corner, b->C, 4),
                                 launch_in(more_rank, b->V, 4),
                                 launch_out(cut->V, 4),
                                 launch_out(cut->V, 4),
                                 launch_inout(sector, b->C, 4)};
    struct cut_corners_args corners = {m,
                                       launch_in(side, b->C, 4),
                                       launch_in(side_rank, b->C, 4),
                                       launch_out(b->C, 4),
                                       launch_out(b->C, 4),
                                       launch_out(cut->E, 4),
                                       NULL,
                                       launch_out(cut->E, 4),
                                       all};
    LAUNCH(cut_rows, &rows, b->V);
    LAUNCH(cut_corners, &corners, b->C);
    cut->corner = corner;
    cut->vert = copy_of(launch_got(rows.vert), b->C);
    cut->begin = copy_of(launch_got(rows.begin), cut->V), cut->end = copy_of(launch_got(rows.end), cut->V);
    cut->edge = copy_of(launch_got(corners.edge), b->C), cut->twin = copy_of(launch_got(corners.twin), b->C);
    cut->edge_corner = copy_of(launch_got(corners.edge_corner), cut->E);
    cut->edge_sharp = copy_of(launch_got(corners.edge_sharp), cut->E);
    launch_end();
    free(side), free(more), free(sector), free(side_rank), free(more_rank);
}

/* ---- the cut mesh ------------------------------------------------------------------------------------------------ */
static uint32_t root(const uint32_t *joined, uint32_t c)
{
    while (joined[c] != c)
        c = joined[c];
    return c;
}

/* Corners of a vertex have one row if they hang together by faces across edges that are not cut. */
static void check_rows(const struct wild_case *k, int all, const struct cut *cut)
{
    const struct brute *b = &k->b;
    uint32_t *joined = xalloc(b->C + 1, sizeof *joined), last = 0;
    int64_t n = 0;
    for (uint32_t c = 0; c < (uint32_t)b->C; c++)
        joined[c] = c;
    for (uint32_t c = 0; c < (uint32_t)b->C; c++) {
        const uint32_t t = across(k, all, c);
        if (t == BRUTE_NONE)
            continue;
        joined[root(joined, b->next[t])] = root(joined, c);
    }
    for (uint32_t c = 0; c < (uint32_t)b->C; c++) {
        n += joined[c] == c;
        for (uint32_t q = b->vert_begin[b->vert[c]]; q < b->vert_end[b->vert[c]]; q++) {
            const uint32_t d = (uint32_t)b->vert_corner[q];
            assert_int_equal(cut->vert[c] == cut->vert[d], root(joined, c) == root(joined, d));
        }
    }
    for (int64_t v = 0; v < b->V; v++) /* Isolated vertices have a row. */
        n += b->valence[v] == 0;
    assert_int_equal(n, cut->V);
    for (uint32_t row = 0; row < (uint32_t)cut->V; row++) {
        const uint32_t first = cut->begin[row] < cut->end[row] ? cut->corner[cut->begin[row]] : 0;
        for (uint32_t q = cut->begin[row]; q < cut->end[row]; q++) {
            const uint32_t c = cut->corner[q];
            assert_int_equal(cut->vert[c], row);
            if (q > cut->begin[row]) /* Each face after the one before. */
                assert_int_equal(across(k, all, b->prev[cut->corner[q - 1]]), c);
        }
        if (cut->begin[row] < cut->end[row]) { /* Rows ascend by vertex. */
            assert_true(b->vert[first] >= last);
            last = b->vert[first];
        }
    }
    free(joined);
}

static void check_edges(const struct wild_case *k, int all, const struct cut *cut)
{
    const struct brute *b = &k->b;
    int *uses = xalloc(cut->E + 1, sizeof *uses);
    for (uint32_t c = 0; c < (uint32_t)b->C; c++) {
        const uint32_t t = across(k, all, c), e = cut->edge[c];
        assert_true(e < cut->E);
        uses[e]++;
        assert_int_equal(cut->twin[c], t);
        if (t != BRUTE_NONE)
            assert_int_equal(cut->edge[t], e);
        assert_int_equal(cut->edge[cut->edge_corner[e]], e);
        const float sharp = t == BRUTE_NONE ? 10 : k->edge_sharp ? k->o.edge_sharp[k->o.edge[c]] : 0;
        assert_true(cut->edge_sharp[e] == sharp);
    }
    for (int64_t e = 0; e < cut->E; e++)
        assert_int_equal(uses[e], cut->twin[cut->edge_corner[e]] == BRUTE_NONE ? 1 : 2);
    n_cut += cut->E > k->o.E;
    free(uses);
}

static void check_cut(const struct poly *p)
{
    struct wild_case k;
    wild_case_init(&k, p, 0);
    for (int all = 0; all < 2; all++) {
        struct cut cut;
        cut_make(&k, all, &cut);
        check_rows(&k, all, &cut);
        check_edges(&k, all, &cut);
        cut_free(&cut);
    }
    wild_case_fini(&k);
}

static void test_cut(void **state)
{
    (void)state;
    n_cut = 0;
    poly_each(N_RANDOM, MOST_CORNERS, check_cut);
    soup_each(N_RANDOM, MOST_CORNERS, check_cut);
    assert_true(n_cut > 100);
}

/* ---- normals of level 1 ------------------------------------------------------------------------------------------ */
static struct sdd_control upload_cut(const struct wild_case *k, const struct sdd_control *m, const struct cut *cut)
{
    struct sdd_control c = *m;
    c.vert = launch_in(cut->vert, k->b.C, 4), c.edge = launch_in(cut->edge, k->b.C, 4);
    c.twin = launch_in(cut->twin, k->b.C, 4), c.corner = launch_in(cut->corner, k->b.C, 4);
    c.begin = launch_in(cut->begin, cut->V, 4), c.end = launch_in(cut->end, cut->V, 4);
    c.edge_corner = launch_in(cut->edge_corner, cut->E, 4), c.edge_sharp = launch_in(cut->edge_sharp, cut->E, 4);
    c.vert_sharp = NULL;
    c.feature_vertices = (struct sdd_feature_vertices){0};
    c.n_vertices = (uint32_t)cut->V, c.n_edges = (uint32_t)cut->E;
    c.edges = m->edges == SDD_EDGES_CLOSED ? SDD_EDGES_MANIFOLD : m->edges;
    return c;
}

static struct sdd_limit_rings rings_of(const struct wild_case *k)
{
    const uint32_t stride = (uint32_t)(2 * wild_most(k));
    return (struct sdd_limit_rings){launch_out((int64_t)N_RINGS * stride, sizeof(struct sdd_spoke)), N_RINGS, stride};
}

/* The normals of level 1 by the split kernels, and with `plain` by the others. The caller frees. */
static float *quads(const struct wild_case *k, const struct cut *cut, const float *from, int64_t n, float **plain)
{
    struct mm_finish_args a = {.mesh = wild_upload(k, 1), .from = launch_in(from, 3 * n, 4)};
    const int64_t rows = cut->V + k->b.F + cut->E;
    a.angle = wild_upload_angles(k), a.level = 1, a.limit = SDD_LIMIT;
    struct sdd_follow f = {.rings = rings_of(k), .width = sdd_xyz(), .n_points = (uint32_t)(k->b.V + k->o.E)};
    f.first_edge = (uint32_t)(k->b.V + k->b.F);
    struct mm_split_args s = {a, upload_cut(k, &a.mesh, cut)};
    struct mm_split_follow_args follow = {s, rings_of(k), (uint32_t)(cut->V + cut->E), (uint32_t)(cut->V + k->b.F)};
    a.normal = launch_out(3 * n, 4);
    struct mm_follow_args plain_follow = {a, f};
    LAUNCH(mm_finish, &a, n);
    LAUNCH(mm_follow, &plain_follow, N_RINGS);
    follow.split.finish.normal = s.finish.normal = launch_out(3 * rows, 4);
    LAUNCH(mm_split, &s, rows);
    LAUNCH(mm_split_follow, &follow, N_RINGS);
    (void)launch_got(f.rings.spoke), (void)launch_got(follow.rings.spoke);
    *plain = copy_of(launch_got(a.normal), 3 * n);
    float *normals = copy_of(launch_got(s.finish.normal), 3 * rows);
    launch_end();
    return normals;
}

static float *triangles(const struct wild_case *k, const struct cut *cut, const float *from, int64_t n, float **plain)
{
    struct loop_finish_args a = {.mesh = wild_upload(k, 1), .from = launch_in(from, 3 * n, 4)};
    const int64_t rows = cut->V + cut->E;
    a.weights = loop_upload_weights(k), a.angle = wild_upload_angles(k), a.level = 1, a.limit = SDD_LIMIT;
    struct sdd_follow f = {.rings = rings_of(k), .width = sdd_xyz(), .n_points = (uint32_t)(k->b.V + k->o.E)};
    f.first_edge = (uint32_t)k->b.V;
    struct loop_split_args s = {a, upload_cut(k, &a.mesh, cut)};
    struct loop_split_follow_args follow = {s, rings_of(k), (uint32_t)(cut->V + cut->E), (uint32_t)cut->V};
    a.normal = launch_out(3 * n, 4);
    struct loop_follow_args plain_follow = {a, f};
    LAUNCH(loop_finish, &a, n);
    LAUNCH(loop_follow, &plain_follow, N_RINGS);
    follow.split.finish.normal = s.finish.normal = launch_out(3 * rows, 4);
    LAUNCH(loop_split, &s, rows);
    LAUNCH(loop_split_follow, &follow, N_RINGS);
    (void)launch_got(f.rings.spoke), (void)launch_got(follow.rings.spoke);
    *plain = copy_of(launch_got(a.normal), 3 * n);
    float *normals = copy_of(launch_got(s.finish.normal), 3 * rows);
    launch_end();
    return normals;
}

typedef float *make_normals(const struct wild_case *k, const struct cut *cut, const float *from, int64_t n,
                            float **plain);

/* Marks the points of level 1 in the face at corner c (grid.h, tri_grid.h in words). */
static void mark(const struct wild_case *k, int64_t faces, uint32_t c, char *near)
{
    const struct brute *b = &k->b;
    near[b->vert[c]] = near[b->V + faces + k->o.edge[c]] = near[b->V + faces + k->o.edge[b->prev[c]]] = 1;
    if (faces)
        near[b->V + b->face[c]] = 1;
}

/* A side keeps its normal when all points that are not its own go elsewhere. */
static void check_side(const struct wild_case *k, const struct cut *cut, const float *from, int64_t n, int64_t faces,
                       make_normals *make, const float *normals, uint64_t *seed)
{
    const uint32_t row = (uint32_t)random_below(seed, cut->V), n_own = cut->end[row] - cut->begin[row];
    char *near = xalloc(n + 1, 1);
    float *moved = copy_of(from, 3 * n), *plain;
    for (uint32_t q = cut->begin[row]; q < cut->end[row]; q++)
        mark(k, faces, cut->corner[q], near);
    for (int64_t i = 0; i < n; i++)
        for (int x = 0; x < 3 && !near[i]; x++)
            moved[3 * i + x] += (float)k->magnitude * (random_unit(seed) - 0.5f);
    float *again = make(k, cut, moved, n, &plain);
    if (n_own && memcmp(again + 3 * row, normals + 3 * row, 12) != 0)
        fail_msg("%s: the normal of side %u depends on the points of others: (%g, %g, %g), (%g, %g, %g)", launch_case(),
                 row, (double)normals[3 * row], (double)normals[3 * row + 1], (double)normals[3 * row + 2],
                 (double)again[3 * row], (double)again[3 * row + 1], (double)again[3 * row + 2]);
    n_sides += n_own && n_own < (uint32_t)k->b.valence[k->b.vert[cut->corner[cut->begin[row]]]];
    free(near), free(moved), free(plain), free(again);
}

static void check_normals(const struct wild_case *k, const float *from, int64_t n, int64_t faces, make_normals *make)
{
    static uint64_t seed = 39;
    struct cut cut;
    float *plain;
    cut_make(k, 0, &cut);
    float *normals = make(k, &cut, from, n, &plain);
    for (uint32_t row = 0; row < (uint32_t)cut.V; row++) {
        if (cut.begin[row] == cut.end[row])
            continue;
        const uint32_t v = k->b.vert[cut.corner[cut.begin[row]]];
        if (cut.end[row] - cut.begin[row] != (uint32_t)k->b.valence[v])
            continue;
        assert_memory_equal(normals + 3 * row, plain + 3 * v, 12);
        n_same++;
    }
    for (int64_t e = 0; e < cut.E; e++) {
        const uint32_t c = cut.edge_corner[e];
        if (cut.twin[c] != BRUTE_NONE)
            assert_memory_equal(normals + 3 * (cut.V + faces + e), plain + 3 * (k->b.V + faces + k->o.edge[c]), 12);
    }
    for (int i = 0; i < N_TRIES; i++)
        check_side(k, &cut, from, n, faces, make, normals, &seed);
    free(normals), free(plain);
    cut_free(&cut);
}

static void check_quads(const struct poly *p)
{
    struct wild_case k;
    struct wild w, next;
    wild_case_init(&k, p, 0);
    wild_control(&k, &w);
    wild_next(&k, &w, &next);
    float *from = wild_points(&next);
    check_normals(&k, from, next.V, k.b.F, quads);
    free(from);
    wild_fini(&w), wild_fini(&next);
    wild_case_fini(&k);
}

static void check_triangles(const struct poly *p)
{
    struct wild_case k;
    struct loop w, next;
    wild_case_init(&k, p, 0);
    loop_control(&k, &w);
    loop_next(&k, &w, &next);
    float *from = loop_points(&next);
    check_normals(&k, from, next.V, 0, triangles);
    free(from);
    loop_fini(&w), loop_fini(&next);
    wild_case_fini(&k);
}

static void test_quads(void **state)
{
    (void)state;
    n_same = n_sides = 0;
    poly_each(N_RANDOM, MOST_CORNERS, check_quads);
    soup_each(N_RANDOM, MOST_CORNERS, check_quads);
    print_message("%lld vertices as they were, %lld sides\n", (long long)n_same, (long long)n_sides);
    assert_true(n_same > 1000 && n_sides > 30);
}

static void test_triangles(void **state)
{
    (void)state;
    n_same = n_sides = 0;
    loop_each(N_RANDOM, MOST_CORNERS, check_triangles);
    loop_each_odd(N_RANDOM, MOST_CORNERS, check_triangles);
    print_message("%lld vertices as they were, %lld sides\n", (long long)n_same, (long long)n_sides);
    assert_true(n_same > 1000 && n_sides > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut), cmocka_unit_test(test_quads),
                                       cmocka_unit_test(test_triangles)};
    return LAUNCH_GROUP("the cut mesh and split normals", tests);
}
