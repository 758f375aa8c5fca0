/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the points that mesh-matrix makes: mm_faces, mm_first, mm_seams, mm_inside, mm_linear, and of table_first
 * with table_first_terms. Each kernel gets the oracle's points (wild.h: double precision, manifold or not), rounded to
 * float; rows that it does not own keep what they held. The oracle itself is held against the witness of manifold
 * meshes. And grid_quads, where edges are apart or have equal ends. */
#include "tests/kernels/launch.h"
#include "gpu/refine/kernels/grid_quads.k.h"
#include "gpu/levels/mm_first.k.h"
#include "gpu/engines/tabulated/kernels/table_first.tile.h"
#include "gpu/engines/tabulated/kernels/table_first_terms.k.h"
#include "gpu/engines/tabulated/kernels/table_keys.k.h"
#include "gpu/levels/mm_faces.k.h"
#include "gpu/levels/mm_inside.k.h"
#include "gpu/levels/mm_linear.k.h"
#include "gpu/levels/mm_seams.k.h"
#include "tests/kernels/wild.h"
#include "tests/oracle/naive.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100
#define N_SOUPS 300

static double *rows_of(const struct wild *w)
{
    double *want = xalloc(3 * w->V, sizeof *want);
    for (int64_t v = 0; v < w->V; v++)
        memcpy(want + 3 * (int64_t)w->row[v], w->p + 3 * v, 24);
    return want;
}

static void check_rows(const struct wild_case *k, const struct wild *w, const char *kernel, const float *got,
                       const float *before, int64_t begin, int64_t end)
{
    double *want = rows_of(w);
    const struct wild_rows rows = {want, w->V, begin, end, w->level};
    wild_check_rows(k, &rows, kernel, got, before);
    free(want);
}

/* Edges that are sharp because they have not two faces hold what somebody may have authored there. */
static const float *authored(const struct wild_case *k)
{
    float *sharp = xalloc(k->o.E, sizeof *sharp);
    for (int64_t e = 0; e < k->o.E; e++)
        sharp[e] = k->o.kind[e] ? (float)(e % 3) / 3 : k->o.edge_sharp[e];
    const float *device = launch_in(sharp, k->o.E, sizeof *sharp);
    free(sharp);
    return device;
}

/* ---- the first step -------------------------------------------------------------------------------------------- */
static void check_vertices_and_edges(const struct wild_case *k, const struct wild *to, int no_arrays, float *before)
{
    const int64_t V = k->b.V, F = k->b.F, E = k->o.E, n = V + F + E;
    const float *points = k->p->points;
    for (int only_authored = 0; only_authored < 2; only_authored++) {
        struct mm_first_args rows = {.mesh = wild_upload(k, no_arrays), .p = launch_in(points, 3 * V, 4)};
        if (only_authored) /* then vertices come out wrong, edges do not */
            rows.mesh.edge_sharp = authored(k);
        rows.out = launch_inout(before, 3 * n, 4), rows.smooth_triangles = k->smooth_triangles;
        int64_t n_items = wild_interleave(V, E, &rows.rows);
        LAUNCH(mm_first, &rows, rows.mesh.feature_vertices.n_items + n_items);
        const float *got = launch_got(rows.out);
        assert_memory_equal(got + 3 * V, before + 3 * V, (size_t)F * 12);
        if (only_authored)
            memcpy(before, got, (size_t)V * 12);
        check_rows(k, to, "mm_first", got, before, only_authored ? V + F : 0, n);
        for (int64_t v = 0; v < V; v++) /* a vertex without faces keeps its place, to the bit */
            if (k->b.valence[v] == 0 && memcmp(got + 3 * v, points + 3 * v, 12) != 0)
                fail_msg("%s: isolated vertex %lld has moved", launch_case(), (long long)v);
        launch_end();
    }
}

/* What rows of level 1, in any order, are made of: counted, then listed. */
static struct sdd_first_step first_step(const struct wild_case *k, int no_arrays, const uint32_t *row, int64_t n)
{
    struct table_first_terms_args a = {.mesh = wild_upload(k, no_arrays), .row = launch_in(row, n, 4)};
    int32_t *end = xalloc(n, sizeof *end);
    a.smooth_triangles = k->smooth_triangles;
    a.to.count = launch_out(n, 4);
    LAUNCH(table_first_terms, &a, n);
    memcpy(end, launch_got(a.to.count), (size_t)n * 4);
    for (int64_t i = 1; i < n; i++)
        end[i] += end[i - 1];
    a.to = (struct sdd_matrix_rows){.end = launch_in(end, n, 4), .term = launch_out(end[n - 1], sizeof *a.to.term)};
    LAUNCH(table_first_terms, &a, n);
    (void)launch_got(a.to.term); /* what table_first makes of them says what they are */
    free(end);
    return (struct sdd_first_step){a.row, a.to.end, a.to.term, (uint32_t)n};
}

/* Some of these rows, of points of another width: as many components of `want`, rows of four floats, to the bit; a
 * fourth float is 0, and other rows stay as they are. */
static void check_width(const struct wild_case *k, struct sdd_first_step step, const uint32_t *row, int64_t n,
                        struct sdd_width w, const float *want)
{
    const int64_t V = k->b.V, wide = sdd_table_width(w.n).stride;
    float *from = poisoned(V * w.stride, sizeof *from), *to = poisoned(n * wide, sizeof *to);
    for (int64_t i = 0; i < V * w.n; i++)
        from[i / w.n * w.stride + i % w.n] = k->p->points[i / w.n * 3 + i % w.n];
    step.n_rows = (uint32_t)(n - n / 3);
    struct table_first_args a = {.step = step, .rows = {.n = 1}, .width = w};
    a.rows.from[0] = launch_in(from, V * w.stride, 4), a.rows.to[0] = launch_inout(to, n * wide, 4);
    LAUNCH(table_first, &a, sdd_table_step_items(&step));
    for (int64_t i = 0; i < (int64_t)step.n_rows * wide; i++)
        to[row[i / wide] * wide + i % wide] = i % wide < w.n ? want[4 * row[i / wide] + i % wide] : 0.0f;
    launch_same(a.rows.to[0], to, "rows of another width");
    free(from), free(to);
}

/* All rows at once, as a product; of three meshes, one with its points mirrored: so are its rows. */
static void check_together(const struct wild_case *k, const struct wild *to, int no_arrays)
{
    enum { MESHES = 3, MIRRORED = 1 };
    static unsigned turn;
    const int listed = (int)(turn++ % 2);
    static const struct sdd_width widths[] = {{3, 5}, {2, 2}, {2, 3}, {1, 1}, {1, 4}};
    const int64_t V = k->b.V, n = V + k->b.F + k->o.E;
    float *before = poisoned(3 * n, sizeof *before), *got = xalloc(3 * n, sizeof *got);
    uint32_t *row = xalloc(n, sizeof *row);
    float *mirrored = xalloc(3 * V, sizeof *mirrored), *kept = xalloc(4 * n, sizeof *kept);
    for (int64_t i = 0; i < n; i++) /* in any order, or all in theirs, which needs no list */
        row[i] = (uint32_t)(listed ? n - 1 - i : i);
    struct table_first_args a = {.step = first_step(k, no_arrays, row, n), .rows = {.n = MESHES}, .width = sdd_xyz()};
    a.step.row = listed ? a.step.row : NULL;
    for (int64_t i = 0; i < 3 * V; i++)
        mirrored[i] = -k->p->points[i];
    for (int j = 0; j < MESHES; j++)
        a.rows.from[j] = launch_in(j == MIRRORED ? mirrored : k->p->points, 3 * V, 4),
        a.rows.to[j] = launch_out(4 * n, 4);
    LAUNCH(table_first, &a, MESHES * sdd_table_step_items(&a.step));
    for (int j = 0; j < MESHES; j++) {
        const float *rows = launch_got(a.rows.to[j]), sign = j == MIRRORED ? -1 : 1;
        for (int64_t i = 0; i < 3 * n; i++)
            got[i] = sign * rows[i / 3 * 4 + i % 3];
        check_rows(k, to, "table_first", got, before, 0, n);
        for (int64_t v = 0; v < V; v++)
            for (int c = 0; c < 3 && k->b.valence[v] == 0; c++) /* a sum from 0 has no -0 */
                if (got[3 * v + c] != k->p->points[3 * v + c])
                    fail_msg("%s: isolated vertex %lld has moved", launch_case(), (long long)v);
        if (j != MIRRORED)
            memcpy(kept, rows, (size_t)n * 16);
    }
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        check_width(k, a.step, row, n, widths[i], kept);
    launch_end();
    free(mirrored), free(row), free(kept);
    free(before), free(got);
}

static void check_first(const struct wild_case *k, const struct wild *to, int no_arrays)
{
    const int64_t V = k->b.V, F = k->b.F, n = V + F + k->o.E;
    float *before = poisoned(3 * n, sizeof *before), *all = wild_points(to);
    struct mm_faces_args faces = {.mesh = wild_upload(k, no_arrays), .p = launch_in(k->p->points, 3 * V, 4)};
    faces.out = launch_inout(before, 3 * n, 4);
    LAUNCH(mm_faces, &faces, F);
    check_rows(k, to, "mm_faces", launch_got(faces.out), before, V, V + F);
    launch_end();
    memcpy(before + 3 * V, all + 3 * V, (size_t)F * 12);
    check_vertices_and_edges(k, to, no_arrays, before);
    if (wild_most(k) <= SDD_TABLE_AROUND) /* else rows cost the cube of it, and nobody asks for those (table_keys.h) */
        check_together(k, to, no_arrays);
    free(before), free(all);
}

static struct sdd_grid grid_of(const struct sdd_control *m, int level)
{
    struct sdd_grid g = {.vert = m->vert, .edge = m->edge, .faces = m->faces};
    g.n_vertices = m->n_vertices, g.n_faces = m->n_faces, g.n_edges = m->n_edges, g.n_corners = m->n_corners;
    g.level = level;
    return g;
}

/* Quad (i, j) of corner c's grid is row c m m + j m + i, and begins at its lowest place. */
static void check_quads(const struct wild_case *k, const struct wild *w)
{
    const int64_t m = (int64_t)1 << (w->level - 1);
    struct sdd_quad *want = xalloc(w->F, sizeof *want);
    for (int64_t q = 0; q < w->F; q++) {
        int64_t first = 0, i, j;
        for (int c = 1; c < 4; c++)
            if (w->at[q][c][0] + w->at[q][c][1] < w->at[q][first][0] + w->at[q][first][1])
                first = c;
        i = w->at[q][first][0], j = w->at[q][first][1];
        for (int c = 0; c < 4; c++)
            want[(w->home[q] * m + j) * m + i].v[c] = (uint32_t)w->row[w->vert[4 * q + (first + c) % 4]];
    }
    const struct sdd_control mesh = wild_upload(k, 1);
    struct grid_quads_args a = {.grid = grid_of(&mesh, w->level), .quad = launch_out(w->F, sizeof *want)};
    LAUNCH(grid_quads, &a, w->F);
    launch_same(a.quad, want, "quad");
    launch_end();
    free(want);
}

/* ---- a later step ---------------------------------------------------------------------------------------------- */
static void check_step(const struct wild_case *k, const struct wild *w, const struct wild *to, int no_arrays)
{
    const int64_t along = ((int64_t)1 << w->level) - 1, inside = to->V - k->b.C * along * along;
    float *from = wild_points(w), *before = poisoned(3 * to->V, sizeof *before);
    struct mm_seams_args seams = {.mesh = wild_upload(k, no_arrays), .from = launch_in(from, 3 * w->V, 4)};
    seams.to = launch_inout(before, 3 * to->V, 4), seams.level = w->level;
    LAUNCH(mm_seams, &seams,
           seams.mesh.feature_vertices.n_items + k->b.V + k->b.F + k->o.E + ((2 * k->o.E + k->b.C) << (w->level - 1)));
    check_rows(k, to, "mm_seams", launch_got(seams.to), before, 0, inside);
    launch_end();
    struct sdd_control m = wild_upload(k, no_arrays);
    struct mm_inside_args cells = {.from = launch_in(from, 3 * w->V, 4), .to = launch_inout(before, 3 * to->V, 4)};
    cells.grid = grid_of(&m, w->level);
    LAUNCH(mm_inside, &cells, w->F);
    check_rows(k, to, "mm_inside", launch_got(cells.to), before, inside, to->V);
    launch_end();
    free(from), free(before);
}

/* The oracle agrees with the witness that knows manifold meshes only. */
static void check_oracle(const struct wild_case *k, const struct wild *w)
{
    struct refined r;
    double *mine = rows_of(w);
    naive_refine(&k->p->desc, k->p->points, NULL, w->level, &r);
    assert_int_equal(r.n_vertices, w->V);
    for (int64_t i = 0; i < 3 * w->V; i++)
        if (!(fabs(mine[i] - r.points[i]) <= 1e-12 * k->magnitude))
            fail_msg("%s level %d: the oracles say %.17g and %.17g of point %lld", launch_case(), w->level, mine[i],
                     r.points[i], (long long)(i / 3));
    refined_free(&r);
    free(mine);
}

static int last_level(const struct poly *p)
{
    return p->desc.n_corners <= 100 ? 5 : p->desc.n_corners <= 400 ? 4 : 2;
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct wild w, next;
    wild_case_init(&k, p, 0);
    wild_control(&k, &w);
    for (; w.level < last_level(p); w = next) {
        wild_next(&k, &w, &next);
        for (int no_arrays = 0; no_arrays < 2; no_arrays++)
            if (w.level == 0)
                check_first(&k, &next, no_arrays);
            else
                check_step(&k, &w, &next, no_arrays);
        if (k.b.bad_repeat < 0 && k.b.bad_corner < 0 && k.b.bad_vertex < 0 && next.level < 4)
            check_oracle(&k, &next);
        check_quads(&k, &next);
        wild_fini(&w);
    }
    wild_fini(&w);
    wild_case_fini(&k);
}

static void test_shapes(void **state)
{
    (void)state, poly_each(N_RANDOM, 100000, check_mesh);
}

static void test_odd(void **state)
{
    (void)state, soup_each(N_SOUPS, 100000, check_mesh);
}

/* ---- bilinear -------------------------------------------------------------------------------------------------- */
static void check_linear(const struct poly *p)
{
    struct wild_case k;
    struct wild w, next;
    wild_case_init(&k, p, 1);
    wild_control(&k, &w);
    for (; w.level < last_level(p); w = next) {
        wild_next(&k, &w, &next);
        wild_fini(&w);
        float *before = poisoned(3 * next.V, sizeof *before), *all = wild_points(&next);
        memcpy(before + 3 * k.b.V, all + 3 * k.b.V, (size_t)k.b.F * 12);
        struct mm_linear_args a = {.mesh = wild_upload(&k, 1), .p = launch_in(p->points, 3 * k.b.V, 4)};
        a.out = launch_inout(before, 3 * next.V, 4), a.level = next.level;
        LAUNCH(mm_linear, &a, next.V);
        const float *got = launch_got(a.out);
        check_rows(&k, &next, "mm_linear", got, before, 0, next.V);
        if (memcmp(got, p->points, (size_t)k.b.V * 12) != 0) /* they stand where they stood, to the bit */
            fail_msg("%s: a vertex has moved", launch_case());
        if (memcmp(got + 3 * k.b.V, before + 3 * k.b.V, (size_t)k.b.F * 12) != 0)
            fail_msg("%s: mm_linear wrote a face point", launch_case());
        launch_end();
        free(before), free(all);
    }
    wild_fini(&w);
    wild_case_fini(&k);
}

static void test_linear(void **state)
{
    (void)state, poly_each(N_RANDOM, 100000, check_linear);
}

static void test_linear_odd(void **state)
{
    (void)state, soup_each(N_SOUPS, 100000, check_linear);
}

/* ---- large faces and valences ---------------------------------------------------------------------------------- */
/* Two polygons back to back, and a pyramid over one more: faces of n corners, a vertex of n edges. */
static void test_large(void **state)
{
    static const int32_t sizes[] = {63, 1000, 3001};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int32_t n = sizes[i], *counts = xalloc(n + 3, 4), *vertices = xalloc(6 * n, 4);
        float *points = xalloc(3 * (2 * n + 1), sizeof *points);
        struct poly p = {.desc = {.n_vertices = 2 * n + 1, .n_faces = n + 3, .n_corners = 6 * n}};
        counts[0] = counts[1] = counts[2] = n;
        for (int32_t v = 0; v < n; v++) {
            const int32_t next = (v + 1) % n, side[3] = {n + next, n + v, 2 * n}; /* turned: the polygon is the base */
            vertices[v] = v;
            vertices[2 * n - 1 - v] = v;
            vertices[2 * n + v] = n + v;
            counts[3 + v] = 3;
            memcpy(vertices + 3 * n + 3 * v, side, sizeof side);
        }
        for (int32_t v = 0; v < 3 * (2 * n + 1); v++)
            points[v] = sinf((float)v * 0.7f) + 0.3f;
        p.desc.face_counts = counts, p.desc.face_vertices = vertices, p.points = points;
        launch_say("polygons of %d", n);
        check_mesh(&p);
        check_linear(&p);
        free(counts), free(vertices), free(points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_odd),   cmocka_unit_test(test_linear),
        cmocka_unit_test(test_linear_odd), cmocka_unit_test(test_large),
    };
    return LAUNCH_GROUP("points of mesh-matrix", tests);
}
