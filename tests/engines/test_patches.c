/* SPDX-License-Identifier: Apache-2.0 */
/* test_patches.c: sdd_patches on every shape, manifold or not: patches and faces tile the surface once, their rows are
 * those of the uniform mesh to the bit, and patches evaluated in double by code of the test's own meet the uniform
 * limit surface at each point of the uniform grid; transitions and boundaries are what the tiling says. */
#include "tests/engines/patches_grid.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 15000
#define CLOSE 1e-5 /* of the bounding box */

static sdd_device *device;
static double farthest; /* of all evaluations, relative to the box */
static int manifold;    /* the mesh    */
static int64_t n_patches_met, n_evaluated, n_edges_met;

struct answer { /* of sdd_patches */
    sdd_result *result;
    const float *point;
    const uint32_t *patch, *patch_param, *index, *face_param;
    int64_t n_points, n_patches, n_faces;
};

static struct answer ask(sdd_mesh *m, int level, int surface)
{
    static const int semantic[] = {SDD_POSITIONS, SDD_PATCHES, SDD_PATCH_PARAMS, SDD_INDICES, SDD_FACE_PARAMS};
    const struct sdd_patches_request r = {level, surface, 0, NULL};
    struct sdd_error err = {0};
    struct answer a;
    if (sdd_patches(m, &r, &a.result, &err) != SDD_OK)
        fail_msg("%s", err.text);
    const struct sdd_plan_info *p = &sdd_result_info(a.result)->plan;
    int64_t bytes = 0;
    assert_int_equal(p->n_blocks, 5);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(p->blocks[k].semantic, semantic[k]);
        assert_true(p->blocks[k].digest == sdd_digest(p->blocks[k].data, p->blocks[k].bytes));
        bytes += p->blocks[k].bytes;
    }
    a.point = p->blocks[0].data, a.n_points = p->blocks[0].count;
    a.patch = p->blocks[1].data, a.n_patches = p->blocks[1].count;
    a.patch_param = p->blocks[2].data;
    a.index = p->blocks[3].data, a.n_faces = p->blocks[3].count;
    a.face_param = p->blocks[4].data;
    assert_int_equal(p->blocks[2].count, a.n_patches);
    assert_int_equal(p->blocks[4].count, a.n_faces);
    assert_int_equal(p->n_vertices, a.n_points);
    assert_int_equal(p->n_faces, a.n_patches + a.n_faces);
    assert_int_equal(p->n_edges, 0);
    assert_int_equal(p->host_bytes, bytes);
    assert_string_equal(p->method, "mesh-matrix");
    return a;
}

static void at_bits(const struct answer *a, uint32_t row, const sdd_result *uniform, uint32_t grid_row)
{
    int64_t n;
    const float *p = patches_rows(uniform, &n);
    assert_true(row < a->n_points && grid_row < n);
    if (memcmp(a->point + 3 * (int64_t)row, p + 3 * (int64_t)grid_row, 12) != 0)
        fail_msg("row %u is not row %u of the uniform mesh", row, grid_row);
}

/* The four corners of a tile against the uniform mesh `of` its level (NULL: the control mesh). */
static void check_corners(const struct patches_grid *g, const struct answer *a, const struct patches_tile *t,
                          const uint32_t *row, const sdd_result *of)
{
    static const int du[] = {0, 1, 1, 0}, dv[] = {0, 0, 1, 1};
    for (int k = 0; k < 4; k++) {
        uint32_t want = patches_point(g, t, t->level, t->u + du[k], t->v + dv[k]);
        if (of)
            at_bits(a, row[k], of, want);
        else
            assert_int_equal(row[k], want);
    }
}

/* ---- evaluation ------------------------------------------------------------------------------------------------- */
struct net {
    double p[4][4][3];
};

static void extrapolate(double *to, const double *edge, const double *inner)
{
    for (int x = 0; x < 3; x++)
        to[x] = 2 * edge[x] - inner[x];
}

static struct net net_of(const struct answer *a, int64_t k, uint32_t flags)
{
    struct net n;
    for (int j = 0; j < 16; j++) {
        uint32_t row = a->patch[16 * k + j];
        assert_true(row < a->n_points);
        for (int x = 0; x < 3; x++)
            n.p[j / 4][j % 4][x] = (double)a->point[3 * (int64_t)row + x];
    }
    for (int i = 0; i < 4; i++) {
        if (flags & SDD_PATCH_BOUNDARY)
            extrapolate(n.p[0][i], n.p[1][i], n.p[2][i]);
        if (flags & SDD_PATCH_BOUNDARY << 2)
            extrapolate(n.p[3][i], n.p[2][i], n.p[1][i]);
    }
    for (int j = 0; j < 4; j++) {
        if (flags & SDD_PATCH_BOUNDARY << 3)
            extrapolate(n.p[j][0], n.p[j][1], n.p[j][2]);
        if (flags & SDD_PATCH_BOUNDARY << 1)
            extrapolate(n.p[j][3], n.p[j][2], n.p[j][1]);
    }
    return n;
}

static void basis(double t, double *b)
{
    b[0] = (1 - t) * (1 - t) * (1 - t) / 6;
    b[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    b[2] = (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6;
    b[3] = t * t * t / 6;
}

/* Cells of the uniform mesh along a side of a tile. */
static int64_t parts_of(const struct patches_grid *g, const struct patches_tile *t)
{
    return (int64_t)1 << (t->level < g->level ? g->level - t->level : 0);
}

static void check_surface(const struct patches_grid *g, const struct net *net, const struct patches_tile *t)
{
    int64_t n, parts = parts_of(g, t);
    const float *limit = patches_rows(g->limit[SDD_SURFACE_LIMIT], &n);
    double box = g->shape->diagonal > 0 ? g->shape->diagonal : 1;
    for (int64_t at = 0; at < (parts + 1) * (parts + 1); at++) {
        int64_t i = at % (parts + 1), j = at / (parts + 1);
        double bu[4], bv[4], p[3] = {0};
        basis((double)i / (double)parts, bu);
        basis((double)j / (double)parts, bv);
        for (int k = 0; k < 16; k++)
            for (int x = 0; x < 3; x++)
                p[x] += bu[k % 4] * bv[k / 4] * net->p[k / 4][k % 4][x];
        const float *want = limit + 3 * (int64_t)patches_point(g, t, g->level, t->u * parts + i, t->v * parts + j);
        for (int x = 0; x < 3; x++) {
            double off = fabs(p[x] - (double)want[x]) / box;
            farthest = fmax(farthest, off);
            if (!(off <= CLOSE))
                fail_msg("patch of level %d on face %lld at (%lld, %lld): %g from the limit surface", t->level,
                         (long long)t->face, (long long)t->u, (long long)t->v, off);
        }
        n_evaluated++;
    }
}

/* ---- tiling ------------------------------------------------------------------------------------------------------ */
/* Which tile's level has each face of the uniform mesh; -1 none yet. */
static void cover(const struct patches_grid *g, const struct patches_tile *t, int8_t *level_of)
{
    assert_true(t->level <= g->level && t->face < g->shape->desc.n_faces);
    int64_t parts = parts_of(g, t);
    assert_int_equal(t->quad, g->shape->desc.face_counts[t->face] == 4);
    assert_true(t->corner < (t->quad ? 1 : g->shape->desc.face_counts[t->face]));
    assert_true(t->u < patches_side(t, t->level) && t->v < patches_side(t, t->level));
    for (int64_t j = 0; j < parts; j++)
        for (int64_t i = 0; i < parts; i++) {
            int8_t *at = level_of + patches_cell(g, t, t->u * parts + i, t->v * parts + j);
            assert_int_equal(*at, -1);
            *at = (int8_t)t->level;
        }
}

static void check_holes(const struct patches_grid *g, const int8_t *level_of)
{
    int64_t n, cells;
    (void)patches_quads(g->uniform[g->level], &n);
    cells = n / g->n_corners;
    for (int64_t f = 0; f < g->shape->desc.n_faces; f++)
        for (int64_t k = g->first[f] * cells; k < g->first[f + 1] * cells; k++)
            if ((level_of[k] >= 0) != g->visible[f])
                fail_msg("face %lld: a cell is %s", (long long)f,
                         g->visible[f] ? "in no tile" : "in a hole and in a tile");
}

struct side { /* of a face of the uniform mesh */
    uint32_t low, high;
    int64_t cell;
    int forward;
};

static int by_ends(const void *a, const void *b)
{
    const struct side *p = a, *q = b;
    return p->low != q->low ? (p->low < q->low ? -1 : 1) : p->high != q->high ? (p->high < q->high ? -1 : 1) : 0;
}

static struct side side_of(uint32_t from, uint32_t to, int64_t cell)
{
    return (struct side){from < to ? from : to, from < to ? to : from, cell, from < to};
}

static struct side *sides_of(const struct patches_grid *g, int64_t *n_sides)
{
    int64_t n;
    const uint32_t *quad = patches_quads(g->uniform[g->level], &n);
    struct side *s = xalloc(4 * n, sizeof *s);
    for (int64_t k = 0; k < 4 * n; k++)
        s[k] = side_of(quad[k], quad[(k & ~3) | ((k + 1) & 3)], k / 4);
    qsort(s, (size_t)(4 * n), sizeof *s, by_ends);
    *n_sides = 4 * n;
    return s;
}

/* The level of the tile across one edge of the uniform mesh: -1 nothing or a hole, -2 not to be told: there are more
 * faces than two, or they do not run against each other. */
static int across(const struct side *sides, int64_t n_sides, const struct side *own, const int8_t *level_of)
{
    const struct side *at = bsearch(own, sides, (size_t)n_sides, sizeof *own, by_ends);
    assert_non_null(at);
    while (at > sides && by_ends(at - 1, own) == 0)
        at--;
    int64_t n = 0;
    while (at + n < sides + n_sides && by_ends(at + n, own) == 0)
        n++;
    if (n == 1)
        return -1;
    return n > 2 || at[0].forward == at[1].forward ? -2 : level_of[at[at[0].forward == own->forward].cell];
}

static void check_edges(const struct patches_grid *g, const struct patches_tile *t, const struct side *sides,
                        int64_t n_sides, const int8_t *level_of)
{
    static const int du[] = {0, 1, 1, 0}, dv[] = {0, 0, 1, 1};
    int64_t parts = parts_of(g, t);
    for (int e = 0; e < 4; e++) {
        int finer = 0, f = (e + 1) & 3;
        int clear =
            manifold || !(t->flags & SDD_PATCH_BOUNDARY << e); /* else the edge may be one that is not manifold */
        for (int64_t k = 0; k < parts; k++) {
            int64_t u = (t->u + du[e]) * parts + (du[f] - du[e]) * k, v = (t->v + dv[e]) * parts + (dv[f] - dv[e]) * k;
            struct side own = side_of(patches_point(g, t, g->level, u, v),
                                      patches_point(g, t, g->level, u + du[f] - du[e], v + dv[f] - dv[e]), 0);
            int level = across(sides, n_sides, &own, level_of);
            clear = clear && level != -2;
            finer = finer || level > t->level;
            if (level > t->level + 1)
                fail_msg("a tile of level %d beside one of level %d", level, t->level);
        }
        if (clear && finer != ((t->flags & SDD_PATCH_TRANSITION << e) != 0))
            fail_msg("patch of level %d on face %lld at (%lld, %lld): edge %d has the transition bit %d", t->level,
                     (long long)t->face, (long long)t->u, (long long)t->v, e, !finer);
        n_edges_met += clear;
    }
}

/* ---- rows that only other rows need, or patches beyond their own corners --------------------------------------- */
static int by_bits(const void *a, const void *b)
{
    return memcmp(a, b, 12);
}

static void check_rows(const struct patches_grid *g, const struct answer *a, int surface)
{
    const sdd_result *limit = g->limit[surface == SDD_SURFACE_REFINED ? SDD_SURFACE_LIMIT : surface];
    int64_t n = 0, V = g->shape->desc.n_vertices, m;
    for (int l = 1; l <= g->level + 1; l++)
        (void)patches_rows(l <= g->level ? g->uniform[l] : limit, &m), n += m;
    float *all = xalloc(3 * n, sizeof *all);
    n = 0;
    for (int l = 1; l <= g->level + 1; l++) {
        const float *p = patches_rows(l <= g->level ? g->uniform[l] : limit, &m);
        memcpy(all + 3 * n, p, (size_t)m * 12);
        n += m;
    }
    qsort(all, (size_t)n, 12, by_bits);
    assert_memory_equal(a->point, g->shape->points, (size_t)V * 12);
    for (int64_t k = V; k < a->n_points; k++)
        if (!bsearch(a->point + 3 * k, all, (size_t)n, 12, by_bits))
            fail_msg("row %lld is no point of a uniform mesh", (long long)k);
    free(all);
}

static int ascending(const uint32_t *a, const uint32_t *b)
{
    uint32_t x = a[3] & SDD_PATCH_LEVEL_MASK, y = b[3] & SDD_PATCH_LEVEL_MASK;
    return x != y ? x < y : a[0] != b[0] ? a[0] < b[0] : a[1] != b[1] ? a[1] < b[1] : a[2] != b[2];
}

static void check_answer(const struct patches_grid *g, const struct answer *a, int surface)
{
    int64_t cells, n_sides;
    (void)patches_quads(g->uniform[g->level], &cells);
    int8_t *level_of = xalloc(cells, 1);
    memset(level_of, -1, (size_t)cells);
    for (int64_t k = 0; k < a->n_patches; k++) {
        struct patches_tile t = patches_tile_of(a->patch_param + 4 * k);
        const uint32_t *row = a->patch + 16 * k, own[4] = {row[5], row[6], row[10], row[9]};
        cover(g, &t, level_of);
        check_corners(g, a, &t, own, t.level ? g->uniform[t.level] : NULL);
        struct net net = net_of(a, k, t.flags);
        check_surface(g, &net, &t);
        assert_true(k == 0 || ascending(a->patch_param + 4 * (k - 1), a->patch_param + 4 * k));
    }
    for (int64_t k = 0; k < a->n_faces; k++) {
        struct patches_tile t = patches_tile_of(a->face_param + 4 * k);
        assert_int_equal(t.level, g->level);
        assert_int_equal(t.flags & 0xff0, 0);
        cover(g, &t, level_of);
        check_corners(g, a, &t, a->index + 4 * k,
                      surface != SDD_SURFACE_REFINED ? g->limit[surface] : g->uniform[g->level]);
    }
    check_holes(g, level_of);
    struct side *sides = sides_of(g, &n_sides);
    for (int64_t k = 0; k < a->n_patches; k++) {
        struct patches_tile t = patches_tile_of(a->patch_param + 4 * k);
        check_edges(g, &t, sides, n_sides, level_of);
    }
    check_rows(g, a, surface);
    n_patches_met += a->n_patches;
    free(sides);
    free(level_of);
}

static void check_shape(const struct shape *s)
{
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_error err = {0};
    if (sdd_topology_create(device, &s->desc, &t, &err) || sdd_mesh_create(t, s->points, s->uvs, &m, &err))
        fail_msg("%s: %s", s->name, err.text);
    struct sdd_topology_info info;
    sdd_topology_info(t, &info);
    manifold = info.manifold;
    int last = level_that_fits(&s->desc, 5, MOST_VERTICES);
    for (int level = 1; level <= last; level++) {
        struct patches_grid g;
        patches_grid_make(&g, device, s, level);
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            struct answer a = ask(m, level, surface);
            check_answer(&g, &a, surface);
            sdd_result_free(a.result);
        }
        patches_grid_free(&g);
    }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

static void test_shape(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    if (shape_load(test_shapes_dir(), *state, &s, &err) != SDD_OK)
        fail_msg("%s: %s", (const char *)*state, err.text);
    check_shape(&s);
    shape_free(&s);
}

static void test_figures(void **state)
{
    (void)state;
    print_message("%lld patches, %lld points evaluated, farthest %.3g of the box; %lld edges\n",
                  (long long)n_patches_met, (long long)n_evaluated, farthest, (long long)n_edges_met);
    assert_true(n_patches_met > 10000 && n_edges_met > 10000);
}

/* The names of all shapes, those that are not manifold last. */
static char **all_names(size_t *n)
{
    char dir[4096];
    size_t n_odd;
    snprintf(dir, sizeof dir, "%s/nonmanifold", test_shapes_dir());
    char **good = shape_list(test_shapes_dir(), n), **odd = shape_list(dir, &n_odd);
    assert_true(good && odd);
    char **all = xalloc((int64_t)(*n + n_odd + 1), sizeof *all);
    memcpy(all, good, *n * sizeof *all);
    for (size_t i = 0; i < n_odd; i++) {
        snprintf(dir, sizeof dir, "nonmanifold/%s", odd[i]);
        all[*n + i] = strdup(dir);
    }
    *n += n_odd;
    shape_list_free(odd);
    free(good);
    return all;
}

int main(void)
{
    size_t n;
    char **names = all_names(&n);
    struct CMUnitTest *tests = xalloc((int64_t)n + 1, sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){names[i], test_shape, NULL, NULL, names[i]};
    tests[n] = (struct CMUnitTest)cmocka_unit_test(test_figures);
    device = open_device(2);
    int failed = _cmocka_run_group_tests("patches", tests, n + 1, NULL, NULL);
    sdd_device_close(device);
    shape_list_free(names);
    free(tests);
    return failed;
}
