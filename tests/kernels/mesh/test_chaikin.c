/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of what crease method chaikin adds: mark_semisharp_edges, chaikin_rows, channel_chaikin, chaikin_step. Parts
 * of edges are edges of a graph, split over and over in double precision (SEMANTICS.md section 2); each step gets the
 * oracle's parts. */
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/chaikin_rows.k.h"
#include "gpu/levels/kernels/chaikin_step.k.h"
#include "gpu/mesh/kernels/channel_chaikin.k.h"
#include "gpu/mesh/kernels/mark_semisharp_edges.k.h"
#include "tests/kernels/wild.h"
#include <math.h>
#include <stdlib.h>

#define N_RANDOM 100
#define N_SOUPS 300
#define LEVELS 5

struct graph { /* the parts of edge e are e n .. e n + n - 1, from its lower end */
    int64_t V, E, n;
    int32_t (*ends)[2];
    double *s;
};

static int is_semi(double s)
{
    return s > 0 && s < 10;
}

static void graph_control(const struct wild_case *k, struct graph *g)
{
    *g = (struct graph){k->b.V, k->o.E, 1, xalloc(k->o.E, sizeof *g->ends), xalloc(k->o.E, sizeof *g->s)};
    for (int64_t e = 0; e < g->E; e++) {
        uint32_t c = k->o.edge_corner[e], u = k->b.vert[c], v = k->b.vert[k->b.next[c]];
        g->ends[e][0] = (int32_t)(u < v ? u : v);
        g->ends[e][1] = (int32_t)(u < v ? v : u);
        g->s[e] = (double)k->o.edge_sharp[e];
    }
}

static void graph_next(const struct graph *from, struct graph *to)
{
    const int64_t n = from->E * from->n;
    double *sum = xalloc(from->V, sizeof *sum);
    int *count = xalloc(from->V, sizeof *count);
    *to = (struct graph){from->V + n, from->E, 2 * from->n, xalloc(2 * n, sizeof *to->ends),
                         xalloc(2 * n, sizeof *to->s)};
    for (int64_t i = 0; i < 2 * n; i++)
        if (is_semi(from->s[i / 2])) {
            sum[from->ends[i / 2][i % 2]] += from->s[i / 2];
            count[from->ends[i / 2][i % 2]]++;
        }
    for (int64_t i = 0; i < 2 * n; i++) {
        double s = from->s[i / 2];
        int32_t v = from->ends[i / 2][i % 2];
        if (is_semi(s) && count[v] > 1)
            s = 0.75 * s + 0.25 * (sum[v] - s) / (count[v] - 1);
        to->s[i] = s >= 10 ? 10 : fmax(0, s - 1);
        to->ends[i][i % 2] = v;
        to->ends[i][1 - i % 2] = (int32_t)(from->V + i / 2);
    }
    free(sum), free(count);
}

static void graph_fini(struct graph *g)
{
    free(g->ends), free(g->s);
}

/* The rows of semi-sharp edges, in the edges' order. */
struct rows {
    int32_t n, *flag, *rank;
    uint32_t *row, *edge;
};

static void check_rows(const struct wild_case *k, struct rows *r)
{
    const int64_t E = k->o.E;
    *r = (struct rows){0, xalloc(E, 4), xalloc(E, 4), xalloc(E, 4), xalloc(E, 4)};
    float *part = xalloc(E, 4);
    for (int64_t e = 0; e < E; e++) {
        r->flag[e] = is_semi((double)k->o.edge_sharp[e]);
        r->row[e] = r->flag[e] ? 2 * (uint32_t)r->n : SDD_NONE;
        if (r->flag[e]) {
            part[r->n] = k->o.edge_sharp[e];
            r->edge[r->n++] = (uint32_t)e;
        }
        r->rank[e] = r->n;
    }
    struct mark_semisharp_edges_args flags = {launch_in(k->o.edge_sharp, E, 4), launch_out(E, 4)};
    LAUNCH(mark_semisharp_edges, &flags, E);
    launch_same(flags.flag, r->flag, "flag");
    launch_end();
    struct chaikin_rows_args a = {launch_in(k->o.edge_sharp, E, 4), launch_in(r->rank, E, 4), launch_out(E, 4),
                                  launch_out(r->n, 4), launch_out(r->n, 4)};
    LAUNCH(chaikin_rows, &a, E);
    launch_same(a.row, r->row, "row");
    launch_same(a.edge, r->edge, "edge");
    launch_same(a.part, part, "part");
    launch_end();
    free(part);
}

/* A channel in which each corner's edge is one of its own and every third is a seam; its rows are the vertices from the
 * middle on, then those before: edges from one half to the other run the other way. */
static int64_t n_same, n_turned;
static void check_channel(const struct wild_case *k, const struct rows *r)
{
    const int64_t C = k->b.C, V = k->b.V;
    uint32_t *own = xalloc(C, 4), *vert = xalloc(C, 4), *twin = xalloc(C, 4), *want = xalloc(C, 4);
    for (int64_t c = 0; c < C; c++) {
        own[c] = (uint32_t)c, twin[c] = c % 3 ? 0 : SDD_NONE;
        vert[c] = (uint32_t)((k->b.vert[c] + V / 2) % V);
    }
    for (int64_t c = 0; c < C; c++) {
        const int64_t next = k->b.next[c];
        const int turned = (k->b.vert[c] < k->b.vert[next]) != (vert[c] < vert[next]);
        const uint32_t row = r->row[k->o.edge[c]];
        want[c] = c % 3 == 0 || row == SDD_NONE ? SDD_NONE : row + (uint32_t)turned;
        *(turned ? &n_turned : &n_same) += want[c] != SDD_NONE;
    }
    struct channel_chaikin_args a = {wild_upload(k, 0), wild_upload(k, 0), launch_out(C, 4)};
    a.mesh.chaikin.row = launch_in(r->row, k->o.E, 4);
    a.channel.edge_corner = launch_in(own, C, 4), a.channel.vert = launch_in(vert, C, 4);
    a.channel.twin = launch_in(twin, C, 4);
    LAUNCH(channel_chaikin, &a, C);
    launch_same(a.row, want, "row");
    launch_end();
    free(own), free(vert), free(twin), free(want);
}

static float *parts_of(const struct graph *g, const struct rows *r)
{
    float *part = xalloc(r->n * g->n, sizeof *part);
    for (int64_t i = 0; i < r->n * g->n; i++)
        part[i] = (float)g->s[r->edge[i / g->n] * g->n + i % g->n];
    return part;
}

static void check_step(const struct wild_case *k, const struct rows *r, const struct graph *g, const struct graph *next,
                       int level)
{
    struct chaikin_step_args a = {.mesh = wild_upload(k, 0), .edge = launch_in(r->edge, r->n, 4), .level = level};
    float *now = parts_of(g, r), *want = parts_of(next, r), most = 0;
    a.mesh.chaikin.row = launch_in(r->row, k->o.E, 4), a.mesh.chaikin.now = launch_in(now, r->n * g->n, 4);
    a.half = launch_out(r->n * next->n, 4);
    LAUNCH(chaikin_step, &a, r->n * next->n);
    const float *got = launch_got(a.half);
    for (int64_t i = 0; i < r->n * g->n; i++)
        most = fmaxf(most, now[i]);
    for (int64_t i = 0; i < r->n * next->n; i++) {
        if (!(fabsf(got[i] - want[i]) <= 4e-6f))
            fail_msg("%s: part %lld of edge %u on level %d has %.9g, not %.9g", launch_case(), (long long)(i % next->n),
                     r->edge[i / next->n], level + 1, (double)got[i], (double)want[i]);
        assert_true(got[i] <= fmaxf(0, most - 1 + 1e-5f)); /* a mean passes nothing */
    }
    launch_end();
    free(now), free(want);
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct graph g, next;
    struct rows r;
    wild_case_init(&k, p, 0);
    check_rows(&k, &r);
    check_channel(&k, &r);
    graph_control(&k, &g);
    for (int level = 0; level < LEVELS && r.n > 0; level++, g = next) {
        graph_next(&g, &next);
        check_step(&k, &r, &g, &next, level);
        graph_fini(&g);
    }
    graph_fini(&g);
    free(r.flag), free(r.rank), free(r.row), free(r.edge);
    wild_case_fini(&k);
}

static void test_meshes(void **state)
{
    (void)state;
    poly_each(N_RANDOM, 3000, check_mesh);
    assert_true(n_same > 100 && n_turned > 100);
}

static void test_odd(void **state)
{
    (void)state;
    soup_each(N_SOUPS, 3000, check_mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meshes), cmocka_unit_test(test_odd)};
    return LAUNCH_GROUP("sharpness under chaikin", tests);
}
