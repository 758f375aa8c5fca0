/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/loop.h"
#include "tests/kernels/launch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void alloc(struct loop *w)
{
    w->vert = xalloc(w->F, sizeof *w->vert), w->edge = xalloc(w->F, sizeof *w->edge);
    w->ends = xalloc(w->E, sizeof *w->ends), w->kind = xalloc(w->E, 4), w->control_edge = xalloc(w->E, 4);
    w->edge_s = xalloc(w->E, 8), w->vert_s = xalloc(w->V, 8), w->p = xalloc(3 * w->V, 8), w->row = xalloc(w->V, 4);
    w->home = xalloc(w->F, 4), w->at = xalloc(w->F, sizeof *w->at);
}

void loop_fini(struct loop *w)
{
    free(w->vert), free(w->edge), free(w->ends), free(w->kind), free(w->control_edge), free(w->edge_s);
    free(w->vert_s), free(w->p), free(w->row), free(w->home), free(w->at);
}

void loop_control(const struct wild_case *k, struct loop *w)
{
    static const int32_t corner[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    const struct brute *b = &k->b;
    *w = (struct loop){.V = b->V, .F = b->F, .E = k->o.E};
    alloc(w);
    for (int64_t c = 0; c < b->C; c++) {
        w->vert[c / 3][c % 3] = (int32_t)b->vert[c];
        w->edge[c / 3][c % 3] = (int32_t)k->o.edge[c];
    }
    for (int32_t f = 0; f < w->F; f++) {
        w->home[f] = f;
        memcpy(w->at[f], corner, sizeof corner);
    }
    for (int32_t e = 0; e < w->E; e++) {
        uint32_t c = k->o.edge_corner[e], u = b->vert[c], v = b->vert[b->next[c]];
        w->ends[e][0] = (int32_t)(u < v ? u : v);
        w->ends[e][1] = (int32_t)(u < v ? v : u);
        w->kind[e] = k->o.kind[e];
        w->control_edge[e] = e;
        w->edge_s[e] = (double)k->o.edge_sharp[e];
    }
    for (int32_t v = 0; v < w->V; v++) {
        w->row[v] = v;
        w->vert_s[v] = (double)k->o.vert_sharp[v];
        for (int x = 0; x < 3; x++)
            w->p[3 * v + x] = (double)k->p->points[3 * v + x];
    }
}

/* ---- points of the next level ---------------------------------------------------------------------------------- */
static void add(double *to, double s, const double *p)
{
    for (int x = 0; x < 3; x++)
        to[x] += s * p[x];
}

static double decayed(double s)
{
    return s >= 10 ? 10 : s > 1 ? s - 1 : 0;
}

double loop_beta(int64_t n)
{
    double root = 0.375 + cos(2 * acos(-1) / (double)n) / 4;
    return (0.625 - root * root) / (double)n;
}

enum loop_rule loop_rule_of(double s, int n_sharp)
{
    return s > 0 || n_sharp > 2 ? LOOP_CORNER : n_sharp == 2 ? LOOP_CREASE : LOOP_SMOOTH;
}

/* Sums over the edges of each vertex, in one pass over the mesh. */
struct around {
    double edges[3], sharp_ends[3], child_ends[3], fading;
    int n_edges, n_faces, n_sharp, n_child_sharp, n_fading;
};

static struct around *look_around(const struct loop *w)
{
    struct around *a = xalloc(w->V, sizeof *a);
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2; i++) {
            struct around *v = a + w->ends[e][i];
            const double *far = w->p + 3 * (int64_t)w->ends[e][1 - i];
            double s = w->edge_s[e];
            add(v->edges, 1, far);
            v->n_edges++;
            v->n_sharp += s > 0;
            v->n_child_sharp += decayed(s) > 0;
            add(v->sharp_ends, s > 0, far);
            add(v->child_ends, decayed(s) > 0, far);
            if (s > 0 && s <= 1)
                v->fading += s, v->n_fading++;
        }
    for (int64_t c = 0; c < 3 * w->F; c++)
        a[w->vert[c / 3][c % 3]].n_faces++;
    return a;
}

static void add_rule(double *to, double share, enum loop_rule rule, const struct around *a, const double *ends,
                     const double *p)
{
    double beta = loop_beta(a->n_edges);
    if (rule == LOOP_CORNER)
        add(to, share, p);
    if (rule == LOOP_CREASE)
        add(to, share * 0.75, p), add(to, share * 0.125, ends);
    if (rule != LOOP_SMOOTH)
        return;
    if (a->n_edges != a->n_faces)
        oracle_die("%s: a smooth vertex of %d edges and %d faces", launch_case(), a->n_edges, a->n_faces);
    add(to, share * (1 - a->n_edges * beta), p);
    add(to, share * beta, a->edges);
}

static void vertex_point(const struct around *a, double s, const double *p, double *to)
{
    enum loop_rule rule = loop_rule_of(s, a->n_sharp), child = loop_rule_of(decayed(s), a->n_child_sharp);
    int n = a->n_fading + (s > 0 && s <= 1);
    double sum = a->fading + (s > 0 && s <= 1 ? s : 0), share = n ? fmin(1, sum / n) : 0;
    if (a->n_faces == 0) {
        add(to, 1, p);
    } else if (rule == LOOP_SMOOTH || rule == child) {
        add_rule(to, 1, rule, a, a->sharp_ends, p);
    } else {
        add_rule(to, share, rule, a, a->sharp_ends, p);
        add_rule(to, 1 - share, child, a, a->child_ends, p);
    }
}

/* An edge point is the edge's middle as far as the edge is sharp; else 3/8 of its ends and 1/8 of what is across. */
static void edge_points(const struct loop *w, double *to)
{
    int32_t *n_across = xalloc(w->E, 4);
    double *smooth = xalloc(w->E, 8);
    for (int64_t e = 0; e < w->E; e++) {
        smooth[e] = w->kind[e] ? 0 : 1 - fmin(1, w->edge_s[e]);
        for (int i = 0; i < 2; i++)
            add(to + 3 * e, 0.5 - smooth[e] / 8, w->p + 3 * (int64_t)w->ends[e][i]);
    }
    for (int64_t c = 0; c < 3 * w->F; c++) {
        int64_t e = w->edge[c / 3][c % 3];
        add(to + 3 * e, smooth[e] / 8, w->p + 3 * (int64_t)w->vert[c / 3][(c + 2) % 3]);
        n_across[e]++;
    }
    for (int64_t e = 0; e < w->E; e++)
        if (!w->kind[e] && n_across[e] != 2)
            oracle_die("%s: edge %lld has %d faces", launch_case(), (long long)e, n_across[e]);
    free(n_across), free(smooth);
}

/* ---- structure of the next level ------------------------------------------------------------------------------- */
/* The half of corner k's edge at its beginning or at its end. */
static int32_t half_of(const struct loop *w, int32_t f, int k, int end)
{
    int32_t e = w->edge[f][k], second = w->ends[e][0] == w->ends[e][1] ? end : (w->ends[e][0] == w->vert[f][k]) == end;
    return 2 * e + second;
}

static void split_edges(const struct loop *w, struct loop *to)
{
    for (int32_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2; i++) {
            to->ends[2 * e + i][0] = w->ends[e][i];
            to->ends[2 * e + i][1] = (int32_t)w->V + e;
            to->kind[2 * e + i] = w->kind[e];
            to->control_edge[2 * e + i] = w->control_edge[e];
            to->edge_s[2 * e + i] = decayed(w->edge_s[e]);
        }
    for (int32_t c = 0; c < 3 * w->F; c++) { /* the edge that cuts corner c off */
        to->ends[2 * w->E + c][0] = (int32_t)w->V + w->edge[c / 3][c % 3];
        to->ends[2 * w->E + c][1] = (int32_t)w->V + w->edge[c / 3][(c + 2) % 3];
        to->control_edge[2 * w->E + c] = -1;
    }
}

/* Three children at the corners of face f and one in its middle. */
static void split_face(const struct loop *w, int32_t f, struct loop *to)
{
    int32_t V = (int32_t)w->V, cut = (int32_t)(2 * w->E) + 3 * f, middle = 4 * f + 3;
    for (int k = 0; k < 3; k++) {
        int32_t before = (k + 2) % 3, child = 4 * f + k;
        const int32_t vert[3] = {w->vert[f][k], V + w->edge[f][k], V + w->edge[f][before]};
        const int32_t edge[3] = {half_of(w, f, k, 0), cut + k, half_of(w, f, before, 1)};
        memcpy(to->vert[child], vert, sizeof vert);
        memcpy(to->edge[child], edge, sizeof edge);
        to->vert[middle][k] = V + w->edge[f][k];
        to->edge[middle][k] = cut + (k + 1) % 3;
        for (int x = 0; x < 2; x++) {
            int32_t here = w->at[f][k][x], after = here + w->at[f][(k + 1) % 3][x];
            to->at[child][0][x] = 2 * here;
            to->at[child][1][x] = to->at[middle][k][x] = after;
            to->at[child][2][x] = here + w->at[f][before][x];
        }
    }
    for (int k = 0; k < 4; k++)
        to->home[4 * f + k] = w->home[f];
}

/* Every corner of every face names its vertex's row; all must agree. */
static void find_rows(const struct wild_case *k, struct loop *w)
{
    struct grid g;
    grid_init(&g, &k->p->desc);
    if (grid_n_vertices(&g, w->level) != w->V)
        oracle_die("%s: level %d has %lld vertices", launch_case(), w->level, (long long)w->V);
    for (int64_t v = 0; v < w->V; v++)
        w->row[v] = v < k->b.V ? (int32_t)v : -1;
    for (int64_t c = 0; c < 3 * w->F; c++) {
        const int32_t *at = w->at[c / 3][c % 3];
        int32_t row = (int32_t)tri_vertex(&g, w->level, 3 * w->home[c / 3], at[0], at[1]);
        int32_t *mine = w->row + w->vert[c / 3][c % 3];
        if (*mine >= 0 && *mine != row)
            oracle_die("%s: vertex %d has rows %d and %d", launch_case(), w->vert[c / 3][c % 3], *mine, row);
        *mine = row;
    }
    grid_fini(&g);
}

void loop_next(const struct wild_case *k, const struct loop *w, struct loop *to)
{
    *to = (struct loop){.level = w->level + 1, .V = w->V + w->E, .F = 4 * w->F, .E = 2 * w->E + 3 * w->F};
    alloc(to);
    split_edges(w, to);
    for (int32_t f = 0; f < w->F; f++)
        split_face(w, f, to);
    find_rows(k, to);
    edge_points(w, to->p + 3 * w->V);
    struct around *a = look_around(w);
    for (int64_t v = 0; v < w->V; v++) {
        vertex_point(a + v, w->vert_s[v], w->p + 3 * v, to->p + 3 * v);
        to->vert_s[v] = decayed(w->vert_s[v]);
    }
    free(a);
}

/* ---- what kernels get ------------------------------------------------------------------------------------------ */
double *loop_rows(const struct loop *w)
{
    double *rows = xalloc(3 * w->V, sizeof *rows);
    for (int64_t v = 0; v < w->V; v++)
        memcpy(rows + 3 * (int64_t)w->row[v], w->p + 3 * v, 24);
    return rows;
}

float *loop_points(const struct loop *w)
{
    double *rows = loop_rows(w);
    float *p = xalloc(3 * w->V, sizeof *p);
    for (int64_t i = 0; i < 3 * w->V; i++)
        p[i] = (float)rows[i];
    free(rows);
    return p;
}

const struct sdd_float2 *loop_upload_weights(const struct wild_case *k)
{
    int64_t most = 0;
    for (int64_t v = 0; v < k->b.V; v++)
        most = k->b.valence[v] > most ? k->b.valence[v] : most;
    struct sdd_float2 *table = xalloc(most + 1, sizeof *table);
    for (int64_t n = 0; n <= most; n++) {
        double beta = n ? loop_beta(n) : 0;
        table[n].s[0] = n == 0 || n == 6 ? NAN : (float)beta;
        table[n].s[1] = n == 0 || n == 6 ? NAN : (float)(8 * beta / (8 * beta * (double)n + 3));
    }
    const struct sdd_float2 *device = launch_in(table, most + 1, sizeof *table);
    free(table);
    return device;
}
