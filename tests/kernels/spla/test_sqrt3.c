/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels in which mesh-matrix-spla's sqrt3 is written: spla_sqrt3_borders, _weights, _triangles, _cuts,
 * _twins, _firsts. F and the lines are tables of vertex pairs, looked up in levels of the witness
 * (tests/oracle/kobbelt.h: explicit edges and flips); the next level must be the witness's. */
#include "tests/kernels/launch.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_borders.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_cuts.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_firsts.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_triangles.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_twins.k.h"
#include "gpu/engines/spla/kernels/spla_sqrt3_weights.k.h"
#include "tests/kernels/poly.h"
#include "tests/oracle/kobbelt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 60
#define MOST_CORNERS 60
#define MOST_VERTICES 1200 /* of a level whose tables are made */

static int64_t n_lines, n_meshes; /* what the oracle has met */

/* A level of the witness: face[i][j] runs from i to j, border[i][j] lies between them, -1; half-edges as kernels count
 * them. */
struct tables {
    const struct kobbelt *m;
    int V, C, B;
    int32_t *face, *border;
    uint32_t *twin, *ends; /* [C]; [B][2], where a boundary edge begins in its face and ends */
    int fits;              /* no two faces run from i to j */
};

static int half_edge(const struct kobbelt *m, int32_t f, int32_t e)
{
    return 3 * f + (m->edge[f][0] == e ? 0 : m->edge[f][1] == e ? 1 : 2);
}

static struct tables tables_of(const struct kobbelt *m)
{
    struct tables t = {.m = m, .V = (int)m->V, .C = (int)(3 * m->F), .B = (int)m->n_borders, .fits = 1};
    t.face = xalloc((int64_t)t.V * t.V, 4), t.border = xalloc((int64_t)t.V * t.V, 4);
    t.twin = xalloc(t.C, 4), t.ends = xalloc(2 * t.B, 4);
    memset(t.face, 0xff, (size_t)t.V * (size_t)t.V * 4), memset(t.border, 0xff, (size_t)t.V * (size_t)t.V * 4);
    for (int h = 0; h < t.C; h++) {
        const int32_t e = m->edge[h / 3][h % 3], i = m->vert[h / 3][h % 3], j = m->vert[h / 3][(h + 1) % 3];
        const struct kobbelt_edge *edge = &m->edges[e];
        t.fits &= t.face[i * t.V + j] < 0;
        t.face[i * t.V + j] = h / 3;
        if (edge->n_sides == 1) {
            t.border[i * t.V + j] = t.border[j * t.V + i] = edge->border;
            t.ends[2 * edge->border] = (uint32_t)i, t.ends[2 * edge->border + 1] = (uint32_t)j;
            t.twin[h] = (uint32_t)(t.C + edge->border);
        } else {
            t.twin[h] = (uint32_t)half_edge(m, edge->face[edge->face[0] == h / 3], e);
        }
    }
    n_lines += t.B;
    return t;
}

static void tables_free(struct tables *t)
{
    free(t->face), free(t->border), free(t->twin), free(t->ends);
}

/* The entries of a table that are not -1. */
static struct sdd_spla table_in(int V, const int32_t *table)
{
    struct sdd_spla m = {.n_rows = (uint32_t)V, .n_cols = (uint32_t)V};
    int32_t *ptr = xalloc(V + 1, 4), *rid = xalloc((int64_t)V * V, 4), *val = xalloc((int64_t)V * V, 4), n = 0;
    for (int j = 0; j < V; j++) {
        for (int i = 0; i < V; i++)
            if (table[i * V + j] >= 0)
                rid[n] = i, val[n++] = table[i * V + j];
        ptr[j + 1] = n;
    }
    m.n_entries = (uint32_t)n;
    if (n > 0) /* else columns of size 0, as the engine has them */
        m.ptr = launch_in(ptr, V + 1, 4), m.rid = launch_in(rid, n, 4), m.val = launch_in(val, n, 4);
    free(ptr), free(rid), free(val);
    return m;
}

static struct sdd_thirds thirds_in(const struct tables *t)
{
    struct sdd_thirds a = {.level = t->m->level};
    a.m.rid = launch_in(t->m->vert, t->C, 4), a.m.size = 3;
    a.m.n_rows = (uint32_t)t->V, a.m.n_cols = (uint32_t)(t->C / 3), a.m.n_entries = (uint32_t)t->C;
    a.f = table_in(t->V, t->face);
    a.lines = table_in(t->V, t->border);
    return a;
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */
static void check_borders(const struct tables *t)
{
    struct spla_sqrt3_borders_args a = {.vert = launch_in(t->m->vert, t->C, 4), .twin = launch_in(t->twin, t->C, 4)};
    a.rid = launch_out(2 * t->B, 4), a.n_entries = (uint32_t)t->C;
    LAUNCH(spla_sqrt3_borders, &a, t->C);
    launch_same(a.rid, t->ends, "ends of boundary edges");
    launch_end();
}

static void check_weights(const struct tables *t)
{
    const int most = t->V + 2;
    struct sdd_float2 *alpha = xalloc(most, sizeof *alpha);
    for (int n = 1; n < most; n++)
        alpha[n].s[0] = 0.5f / (float)n;
    for (int corners = 0; corners < 2; corners++) {
        struct sdd_thirds around = thirds_in(t);
        struct spla_sqrt3_weights_args a = {.f = around.f, .lines = around.lines};
        a.alpha = launch_in(alpha, most, sizeof *alpha), a.level = t->m->level, a.corners = corners;
        a.own = launch_out(t->V, 8), a.ring = launch_out(t->V, 8), a.line = launch_out(t->V, 8);
        LAUNCH(spla_sqrt3_weights, &a, t->V);
        const double *own = launch_got(a.own), *ring = launch_got(a.ring), *line = launch_got(a.line);
        for (int v = 0; v < t->V; v++) {
            int n = 0, on_line = 0;
            for (int i = 0; i < t->V; i++)
                n += t->face[v * t->V + i] >= 0, on_line += t->border[v * t->V + i] >= 0;
            /* a vertex of one face has two on odd levels, on which the lines move */
            const int moves = on_line && t->m->level % 2 && !(corners && n == 2);
            const double w[3] = {n && !on_line ? (double)alpha[n].s[0] : 0, moves ? 4.0 / 27 : 0,
                                 own[v] + n * ring[v] + on_line * line[v]};
            if (!(fabs(ring[v] - w[0]) < 1e-15) || !(fabs(line[v] - w[1]) < 1e-15) || !(fabs(w[2] - 1) < 1e-13))
                fail_msg("%s level %d: weights of vertex %d are %.17g, %.17g and %.17g", launch_case(), t->m->level, v,
                         own[v], ring[v], line[v]);
        }
        launch_end();
    }
    free(alpha);
}

static void check_half_edges(const struct tables *t)
{
    struct spla_sqrt3_twins_args a = {.around = thirds_in(t), .twin = launch_out(t->C, 4)};
    LAUNCH(spla_sqrt3_twins, &a, t->C);
    launch_same(a.twin, t->twin, "twins");
    launch_end();
    struct spla_sqrt3_firsts_args f = {.around = thirds_in(t), .first = launch_out(t->V, 4)};
    uint32_t *first = xalloc(t->V, 4);
    memset(first, 0xff, (size_t)t->V * 4);
    for (int h = t->C - 1; h >= 0; h--) {
        uint32_t *of = &first[t->m->vert[h / 3][h % 3]];
        if (*of == SDD_NONE || t->twin[*of] < (uint32_t)t->C)
            *of = (uint32_t)h;
    }
    LAUNCH(spla_sqrt3_firsts, &f, t->V);
    launch_same(f.first, first, "starts of fans");
    launch_end();
    free(first);
}

static void check_next(const struct tables *t, const struct tables *to)
{
    struct spla_sqrt3_triangles_args a = {.around = thirds_in(t), .rid = launch_out(to->C, 4)};
    LAUNCH(spla_sqrt3_triangles, &a, t->C);
    launch_same(a.rid, to->m->vert, "faces");
    launch_end();
    if (t->m->level % 2 == 0) { /* lines stay what they are */
        assert_memory_equal(t->ends, to->ends, 8 * (size_t)t->B);
        return;
    }
    float *near = xalloc(3 * t->B, 4), *want = poisoned(3 * to->V, 4);
    for (int i = 0; i < 3 * t->B; i++)
        near[i] = (float)i;
    for (int o = 0; o < t->B; o++) /* line 3 o ends at p */
        memcpy(want + 3 * (size_t)to->ends[6 * o + 1], near + 3 * o, 12);
    struct spla_sqrt3_cuts_args c = {.around = thirds_in(t), .lines = launch_in(t->ends, 2 * t->B, 4)};
    c.near = launch_in(near, 3 * t->B, 4), c.rid = launch_out(2 * to->B, 4), c.to = launch_out(3 * to->V, 4);
    LAUNCH(spla_sqrt3_cuts, &c, t->B);
    launch_same(c.rid, to->ends, "thirds of lines");
    launch_same(c.to, want, "points of cuts");
    launch_end();
    free(near), free(want);
}

/* ---- meshes ---------------------------------------------------------------------------------------------------- */
static int is_manifold(const struct kobbelt *m)
{
    for (int64_t v = 0; v < m->V; v++)
        if (m->vs[v] == KOBBELT_NONMANIFOLD)
            return 0;
    return 1;
}

static void check_levels(const struct sdd_mesh_desc *d, const float *points)
{
    unsigned char *hole = xalloc(d->n_faces, 1);
    struct kobbelt level[6];
    struct tables t, to;
    int n = 0;
    kobbelt_control(d, points, &level[n], hole);
    t = tables_of(&level[n]);
    if (is_manifold(&level[n]) && t.fits) {
        check_borders(&t);
        for (; n < 5 && level[n].V < MOST_VERTICES; n++, t = to) {
            kobbelt_step(&level[n], &level[n + 1]);
            to = tables_of(&level[n + 1]);
            check_weights(&t);
            check_half_edges(&t);
            check_next(&t, &to);
            tables_free(&t);
            if (!to.fits) { /* a pillow */
                n++, t = to;
                break;
            }
        }
        n_meshes++;
    }
    tables_free(&t);
    for (int k = 0; k <= n; k++)
        kobbelt_free(&level[k]);
    free(hole);
}

/* Each face as a fan of triangles, without tags. */
static void check_mesh(const struct poly *p)
{
    struct sdd_mesh_desc d = {.n_vertices = p->desc.n_vertices};
    int32_t *vertices = xalloc(3 * p->desc.n_corners, 4), *counts = xalloc(p->desc.n_corners, 4);
    for (int64_t f = 0, c = 0; f < p->desc.n_faces; c += p->desc.face_counts[f++])
        for (int32_t k = 1; k + 1 < p->desc.face_counts[f]; k++) {
            const int64_t from[3] = {c, c + k, c + k + 1};
            counts[d.n_faces++] = 3;
            for (int i = 0; i < 3; i++)
                vertices[d.n_corners++] = p->desc.face_vertices[from[i]];
        }
    d.face_counts = counts, d.face_vertices = vertices;
    d.options.boundary = SDD_BOUNDARY_EDGE_ONLY, d.options.scheme = SDD_SCHEME_SQRT3;
    check_levels(&d, p->points);
    free(vertices), free(counts);
}

static void test_shapes(void **state)
{
    (void)state;
    n_lines = n_meshes = 0;
    poly_each(N_RANDOM, MOST_CORNERS, check_mesh);
    print_message("%lld meshes, %lld boundary edges\n", (long long)n_meshes, (long long)n_lines);
    assert_true(n_meshes > 50 && n_lines > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
    return LAUNCH_GROUP("sqrt3 in the algebra", tests);
}
