/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels in which mesh-matrix-spla's schemes are written: spla_vertex_weights, spla_quad_edges,
 * spla_triangle_edges, spla_mend_edges, spla_mend_vertices, spla_quads, spla_triangles, and the permutations
 * spla_quad_points and spla_triangle_points. Meshes are refined by spla_level.h; grid rows come from the grid order in
 * words (tests/oracle/refined.h). */
#include "tests/kernels/launch.h"
#include "gpu/engines/spla/kernels/spla_mend_edges.k.h"
#include "gpu/engines/spla/kernels/spla_mend_vertices.k.h"
#include "gpu/engines/spla/kernels/spla_quad_edges.k.h"
#include "gpu/engines/spla/kernels/spla_quad_points.k.h"
#include "gpu/engines/spla/kernels/spla_quads.k.h"
#include "gpu/engines/spla/kernels/spla_triangle_edges.k.h"
#include "gpu/engines/spla/kernels/spla_triangle_points.k.h"
#include "gpu/engines/spla/kernels/spla_triangles.k.h"
#include "gpu/engines/spla/kernels/spla_vertex_weights.k.h"
#include "tests/kernels/poly.h"
#include "tests/kernels/spla/spla_level.h"
#include "tests/kernels/wild.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 60
#define MOST_CORNERS 120
#define MOST_VERTICES 1600 /* of a level whose tables are made */

static float *random_points(int64_t n, uint64_t seed)
{
    float *p = xalloc(3 * n, sizeof *p);
    for (int64_t i = 0; i < 3 * n; i++)
        p[i] = random_unit(&seed) - 0.5f;
    return p;
}

static void expect_point(const float *got, const double want[3], const char *what, int number)
{
    for (int x = 0; x < 3; x++)
        if (!(fabs((double)got[x] - want[x]) <= 2e-7))
            fail_msg("%s: %s %d is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(), what, number,
                     (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}

/* ---- points ------------------------------------------------------------------------------------------------- */
static int valence(const struct spla_level *l, int v)
{
    int n = 0;
    for (int c = 0; c < l->C; c++)
        n += l->vert[c] == v;
    return n;
}

static void check_weights(const struct spla_level *l)
{
    struct sdd_float2 beta[9] = {{{0}}};
    for (int n = 1; n < 9; n++)
        beta[n].s[0] = 1.0f / (float)(n + 7);
    for (int loop = 0; loop < 2; loop++) {
        struct spla_vertex_weights_args a = {.rows = spla_level_rows(l), .own = launch_out(l->V, 8)};
        a.others = launch_out(l->V, 8);
        if (loop)
            a.beta = launch_in(beta, 9, sizeof *beta), a.n_beta = 9;
        LAUNCH(spla_vertex_weights, &a, l->V);
        const double *own = launch_got(a.own), *others = launch_got(a.others);
        for (int v = 0; v < l->V; v++) {
            double n = valence(l, v), w = n == 0 ? 0 : !loop ? 1 / n / n : n < 9 ? (double)beta[(int)n].s[0] : 0.0625;
            double sum = loop ? own[v] + n * others[v] : own[v] + 2 * n * others[v];
            if (!(fabs(others[v] - w) < 1e-15) || !(fabs(sum - 1) < 1e-13)) /* rows sum to one */
                fail_msg("%s: weights of vertex %d are %.17g and %.17g", launch_case(), v, own[v], others[v]);
        }
        launch_end();
    }
}

static void check_quad_edges(const struct spla_level *l)
{
    float *p = random_points(l->V, 5), *faces = random_points(l->F, 6);
    struct spla_quad_edges_args a = {.around = spla_level_around(l), .p = launch_in(p, 3 * l->V, 4)};
    a.faces = launch_in(faces, 3 * l->F, 4), a.edges = launch_out(3 * l->E, 4);
    LAUNCH(spla_quad_edges, &a, a.around.e.n_entries);
    const float *got = launch_got(a.edges);
    for (int i = 0; i < l->V; i++)
        for (int j = 0; j < i; j++) {
            int f = l->along[i * l->V + j], g = l->along[j * l->V + i], e = l->number[i * l->V + j];
            double want[3];
            for (int x = 0; x < 3 && e >= 0; x++)
                want[x] = ((double)p[3 * i + x] + (double)p[3 * j + x] + (f < 0 ? 0 : (double)faces[3 * f + x]) +
                           (g < 0 ? 0 : (double)faces[3 * g + x])) /
                          4;
            if (e >= 0)
                expect_point(got + 3 * e, want, "edge", e);
        }
    launch_end();
    free(p), free(faces);
}

/* What triangle f gives to its edge between i and j: the part of the corner that is neither. */
static const float *part_of(const struct spla_level *l, float *const part[3], int f, int i, int j)
{
    for (int k = 0; k < 3; k++)
        if (l->vert[3 * f + k] != i && l->vert[3 * f + k] != j)
            return part[k] + 3 * f;
    return NULL;
}

static void check_triangle_edges(const struct spla_level *l)
{
    float *part[3];
    struct spla_triangle_edges_args a = {.around = spla_level_around(l), .m = spla_level_in(l)};
    for (int k = 0; k < 3; k++) {
        part[k] = random_points(l->F, 10 + (uint64_t)k);
        a.part[k] = launch_in(part[k], 3 * l->F, 4);
    }
    a.edges = launch_out(3 * l->E, 4);
    LAUNCH(spla_triangle_edges, &a, a.around.e.n_entries);
    const float *got = launch_got(a.edges);
    for (int i = 0; i < l->V; i++)
        for (int j = 0; j < i; j++) {
            int f = l->along[i * l->V + j], g = l->along[j * l->V + i], e = l->number[i * l->V + j];
            const float none[3] = {0}, *here = f < 0 ? none : part_of(l, part, f, i, j);
            const float *there = g < 0 ? none : part_of(l, part, g, i, j);
            double want[3];
            if (e < 0)
                continue;
            for (int x = 0; x < 3; x++)
                want[x] = (double)here[x] + (double)there[x];
            expect_point(got + 3 * e, want, "edge", e);
        }
    launch_end();
    for (int k = 0; k < 3; k++)
        free(part[k]);
}

static void check_mend(const struct spla_level *l)
{
    float *p = random_points(l->V, 7), *before = random_points(l->V + l->E, 8), *want = random_points(l->V + l->E, 8);
    struct spla_mend_edges_args lines = {.around = spla_level_around(l), .p = launch_in(p, 3 * l->V, 4)};
    lines.edges = launch_inout(before, 3 * l->E, 4);
    for (int i = 0; i < l->V; i++)
        for (int j = 0; j < i; j++)
            for (int x = 0; x < 3 && l->faces[i * l->V + j] == 1; x++)
                want[3 * l->number[i * l->V + j] + x] = 0.5f * (p[3 * i + x] + p[3 * j + x]);
    LAUNCH(spla_mend_edges, &lines, lines.around.e.n_entries);
    launch_same(lines.edges, want, "edge points");
    launch_end();
    for (int corners = 0; corners < 2; corners++) {
        struct spla_mend_vertices_args a = {.e = spla_level_around(l).e, .rows = spla_level_rows(l)};
        a.p = launch_in(p, 3 * l->V, 4), a.to = launch_inout(before, 3 * l->V, 4), a.corners = corners;
        LAUNCH(spla_mend_vertices, &a, l->V);
        const float *got = launch_got(a.to);
        for (int v = 0; v < l->V; v++) {
            double ends[3] = {0}, kept[3], crease[3];
            int n = 0;
            for (int j = 0; j < l->V; j++)
                for (int x = 0; x < 3 && l->faces[v * l->V + j] == 1; x++)
                    ends[x] += (double)p[3 * j + x], n++;
            for (int x = 0; x < 3; x++) {
                kept[x] = (double)(n ? p : before)[3 * v + x];
                crease[x] = 0.75 * (double)p[3 * v + x] + 0.125 * ends[x];
            }
            expect_point(got + 3 * v, n == 0 || (corners && valence(l, v) == 1) ? kept : crease, "vertex", v);
        }
        launch_end();
    }
    free(p), free(before), free(want);
}

/* ---- the next matrix ---------------------------------------------------------------------------------------- */
static void check_columns(const struct spla_level *l, const struct spla_level *next)
{
    void *rid;
    if (l->triangles) {
        struct spla_triangles_args a = {.m = spla_level_in(l), .around = spla_level_around(l)};
        a.rid = launch_out(3 * next->F, 4);
        LAUNCH(spla_triangles, &a, l->F);
        rid = a.rid;
    } else {
        struct spla_quads_args a = {.m = spla_level_in(l), .around = spla_level_around(l)};
        a.rid = launch_out(next->F, 16);
        LAUNCH(spla_quads, &a, l->C);
        rid = a.rid;
    }
    launch_same(rid, next->vert, "faces");
    launch_end();
}

/* ---- grid order --------------------------------------------------------------------------------------------- */
static void walk(struct grid_walk *w, const struct spla_level *l, const struct spla_level *next)
{
    int32_t *child = xalloc(l->C, 4), *same = xalloc(l->V, 4);
    const struct walk_level step = {l->first, l->vert, child, same, next->vert};
    for (int c = 0; c < l->C; c++)
        child[c] = c;
    for (int v = 0; v < l->V; v++)
        same[v] = v;
    grid_walk_step(w, &step);
    free(child), free(same);
}

static int32_t *triangle_map(const struct grid *g, const struct spla_level *l)
{
    int32_t *map = xalloc(l->V, 4);
    for (int v = 0; v < l->V; v++)
        map[v] = -1;
    for (int v = 0; v < g->n_vertices; v++) /* those without faces, too */
        map[v] = v;
    for (int c = 0; c < l->C; c++) {
        uint32_t row = tri_vertex(g, l->level, 3 * l->home[c / 3], l->at[c][1], l->at[c][2]);
        if (map[row] >= 0 && map[row] != l->vert[c])
            oracle_die("%s: grid row %u is %d and %d", launch_case(), row, map[row], l->vert[c]);
        map[row] = l->vert[c];
    }
    return map;
}

static void check_points(const struct wild_case *k, const struct grid_walk *w, const struct spla_level *l)
{
    int32_t *map = l->triangles ? triangle_map(w->grid, l) : grid_walk_map(w, l->vert, l->V);
    float *p = random_points(l->V, 9), *want = xalloc(3 * l->V, 4), *to;
    const uint32_t *rid = launch_in(l->vert, l->C, 4);
    for (int row = 0; row < l->V; row++)
        memcpy(want + 3 * row, p + 3 * map[row], 12);
    if (l->triangles) {
        struct spla_triangle_points_args a = {.mesh = wild_upload(k, 1), .rid = rid, .level = l->level};
        a.p = launch_in(p, 3 * l->V, 4), a.to = to = launch_out(3 * l->V, 4);
        LAUNCH(spla_triangle_points, &a, l->V);
    } else {
        struct spla_quad_points_args a = {.mesh = wild_upload(k, 1), .rid = rid, .level = l->level};
        a.p = launch_in(p, 3 * l->V, 4), a.to = to = launch_out(3 * l->V, 4);
        LAUNCH(spla_quad_points, &a, l->V);
    }
    launch_same(to, want, "points in grid order");
    launch_end();
    free(map), free(p), free(want);
}

/* ---- meshes ------------------------------------------------------------------------------------------------- */
static void check_levels(const struct poly *p)
{
    struct wild_case k;
    struct grid g;
    struct grid_walk w;
    struct spla_level l, next;
    wild_case_init(&k, p, 0);
    grid_init(&g, &p->desc);
    grid_walk_init(&w, &g);
    spla_level_of(&l, &g);
    for (; l.level < 4; l = next) {
        check_weights(&l);
        check_mend(&l);
        if (l.triangles)
            check_triangle_edges(&l);
        else
            check_quad_edges(&l);
        if (l.V + l.F + l.E > MOST_VERTICES)
            break;
        spla_level_next(&l, &next);
        check_columns(&l, &next);
        if (!l.triangles)
            walk(&w, &l, &next);
        check_points(&k, &w, &next);
        spla_level_free(&l);
    }
    spla_level_free(&l);
    grid_walk_fini(&w);
    grid_fini(&g);
    wild_case_fini(&k);
}

/* A new vertex in each face: triangles around it. */
static void check_fans(const struct poly *p)
{
    const struct sdd_mesh_desc *d = &p->desc;
    const int64_t C = d->n_corners, V = d->n_vertices;
    int32_t *counts = xalloc(C, 4), *vertices = xalloc(3 * C, 4);
    float *points = random_points(V + d->n_faces, 3);
    struct poly t = {.desc = {.n_vertices = V + d->n_faces, .n_faces = C, .n_corners = 3 * C}, .points = points};
    for (int64_t f = 0, c = 0; f < d->n_faces; c += d->face_counts[f++])
        for (int32_t i = 0; i < d->face_counts[f]; i++) {
            const int32_t *v = d->face_vertices + c, fan[3] = {v[i], v[(i + 1) % d->face_counts[f]], (int32_t)(V + f)};
            counts[c + i] = 3;
            for (int x = 0; x < 3; x++) /* begun at any corner */
                vertices[3 * (c + i) + x] = fan[(x + (int)f + i) % 3];
        }
    t.desc.face_counts = counts, t.desc.face_vertices = vertices;
    t.desc.options = d->options, t.desc.options.scheme = SDD_SCHEME_LOOP;
    check_levels(&t);
    free(counts), free(vertices), free(points);
}

static void test_quads(void **state)
{
    (void)state, poly_each(N_RANDOM, MOST_CORNERS, check_levels);
}

static void test_triangles(void **state)
{
    (void)state, poly_each(N_RANDOM, MOST_CORNERS / 3, check_fans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quads), cmocka_unit_test(test_triangles)};
    return LAUNCH_GROUP("schemes in the algebra", tests);
}
