/* SPDX-License-Identifier: Apache-2.0 */
/* loop_limit.c: limit points without eigenvectors: the rules around one vertex, over and over. Normals from the faces
 * of a vertex put in order across their shared edges; beside an edge that is not manifold, from its first face. */
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct list { /* the faces' corners at each vertex, and at each edge that has two faces: 3 face + place */
    int32_t *first, *corner, (*across)[2];
};

static struct list list_of(const struct loop *w)
{
    struct list l = {xalloc(w->V + 2, 4), xalloc(3 * w->F, 4), xalloc(w->E, sizeof *l.across)};
    for (int32_t c = 0; c < 3 * w->F; c++)
        l.first[w->vert[c / 3][c % 3] + 2]++;
    for (int64_t v = 0; v < w->V; v++)
        l.first[v + 2] += l.first[v + 1];
    for (int64_t e = 0; e < w->E; e++)
        l.across[e][0] = l.across[e][1] = -1;
    for (int32_t c = 0; c < 3 * w->F; c++) {
        int32_t e = w->edge[c / 3][c % 3];
        l.corner[l.first[w->vert[c / 3][c % 3] + 1]++] = c;
        if (!w->kind[e])
            l.across[e][l.across[e][0] >= 0] = c;
    }
    return l;
}

static void list_free(struct list *l)
{
    free(l->first), free(l->corner), free(l->across);
}

static int32_t turned(int32_t c, int by)
{
    return c - c % 3 + (c + by) % 3;
}

/* The corner at the same vertex on the other side of the edge before c, or after it; -1: there is none. */
static int32_t neighbour(const struct loop *w, const struct list *l, int32_t c, int after)
{
    int32_t on = after ? c : turned(c, 2), *pair = l->across[w->edge[on / 3][on % 3]];
    if (pair[0] < 0)
        return -1;
    int32_t other = pair[pair[0] == on];
    return after ? turned(other, 1) : other;
}

/* ---- points ---------------------------------------------------------------------------------------------------- */
struct ends {
    double edges[3], sharp[3];
    int n_edges, n_sharp;
};

static struct ends *ends_of(const struct loop *w)
{
    struct ends *a = xalloc(w->V, sizeof *a);
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2; i++) {
            struct ends *v = a + w->ends[e][i];
            v->n_edges++;
            v->n_sharp += w->edge_s[e] > 0;
            for (int x = 0; x < 3; x++) {
                v->edges[x] += w->p[3 * (int64_t)w->ends[e][1 - i] + x];
                v->sharp[x] += w->edge_s[e] > 0 ? w->p[3 * (int64_t)w->ends[e][1 - i] + x] : 0;
            }
        }
    return a;
}

/* A vertex and the mean of its neighbours, which get 3/8 of it and the rest of each other; on a crease, half. */
static void limit_point(const struct ends *a, enum loop_rule rule, const double *at, double *to)
{
    double n = rule == LOOP_CREASE ? 2 : a->n_edges, pull = rule == LOOP_CREASE ? 0.25 : n * loop_beta(a->n_edges);
    for (int x = 0; x < 3; x++) {
        double p = at[x], mean = (rule == LOOP_CREASE ? a->sharp : a->edges)[x] / n;
        for (int step = 0; step < 200 && rule != LOOP_CORNER; step++) {
            double q = (1 - pull) * p + pull * mean, share = rule == LOOP_CREASE ? 0.5 : 0.375;
            mean = share * p + (1 - share) * mean;
            p = q;
        }
        to[x] = p;
    }
}

/* ---- normals --------------------------------------------------------------------------------------------------- */
void loop_across(int64_t n, double *w)
{
    double step = acos(-1) / (double)n;
    for (int64_t i = 0; i <= n + 1; i++)
        w[i] = 0;
    if (n == 1) { /* along the bisector */
        w[0] = -2, w[1] = w[2] = 1;
    } else if (n == 2) {
        w[0] = -1, w[2] = 1;
    } else if (n == 3) {
        w[0] = -2, w[1] = w[4] = -1, w[2] = w[3] = 2;
    } else {
        w[1] = w[n + 1] = -sin(step);
        for (int64_t i = 1; i < n; i++)
            w[i + 1] = (2 - 2 * cos(step)) * sin((double)i * step);
    }
}

static void put(const double *p, double s, double *to)
{
    for (int x = 0; x < 3; x++)
        to[x] += s * p[x];
}

/* The faces at v: n of them, from corner c on, closed or not. */
static int fan_normal(const struct loop *w, const struct list *l, int32_t v, int32_t c, int n, int closed,
                      double magnitude, double *out)
{
    double s[3] = {0}, t[3] = {0}, *across = xalloc(n + 2, sizeof *across), step = 2 * acos(-1) / n;
    loop_across(n, across);
    for (int j = 0; j <= n; j++) {
        int last = j == n;
        const double *far = w->p + 3 * (int64_t)w->vert[c / 3][(c + 1 + last) % 3];
        if (closed && !last) {
            put(far, cos(j * step), s);
            put(far, sin(j * step), t);
        } else if (!closed) {
            put(far, (j == 0) - last, s);
            put(far, across[j + 1], t);
        }
        if (j + 1 < n)
            c = neighbour(w, l, c, 0);
    }
    if (!closed)
        put(w->p + 3 * (int64_t)v, across[0], t);
    free(across);
    return refined_normal(s, t, magnitude, out);
}

/* 0: the rules know no tangent plane; 1: out is its normal; 2: rounding hides it. */
static int normal_at(const struct loop *w, const struct list *l, int32_t v, int n_all, enum loop_rule rule, int32_t c,
                     double magnitude, double *out)
{
    int n = 1, closed;
    int32_t d, start = c;
    while ((d = neighbour(w, l, c, 1)) >= 0 && d != start) /* to where the fan begins */
        c = d;
    closed = d >= 0;
    for (d = c; (d = neighbour(w, l, d, 0)) >= 0 && d != c;)
        n++;
    if (n_all > 0 && n != n_all)
        oracle_die("%s: vertex %d has %d faces, %d in a fan", launch_case(), v, n_all, n);
    if (!(closed ? rule == LOOP_SMOOTH && n > 2 : rule == LOOP_CREASE))
        return 0;
    return fan_normal(w, l, v, c, n, closed, magnitude, out) ? 1 : 2;
}

void loop_limits(const struct wild_case *k, const struct loop *w, struct wild_limits *out)
{
    struct list l = list_of(w);
    struct ends *a = ends_of(w);
    int32_t *odd_edge = xalloc(w->V, 4);
    out->p = xalloc(3 * w->V, 8), out->normal = xalloc(3 * w->V, 8), out->normal_ok = xalloc(w->V, 1);
    for (int64_t v = 0; v < w->V; v++)
        odd_edge[v] = -1;
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2 && (w->kind[e] & WILD_NONMANIFOLD); i++)
            odd_edge[w->ends[e][i]] = w->control_edge[e];
    for (int32_t v = 0; v < w->V; v++) {
        int32_t begin = l.first[v], end = l.first[v + 1];
        enum loop_rule rule = end > begin ? loop_rule_of(w->vert_s[v], a[v].n_sharp) : LOOP_CORNER;
        limit_point(a + v, rule, w->p + 3 * (int64_t)v, out->p + 3 * (int64_t)v);
        if (end == begin || (v < k->b.V && k->o.vertex[v]))
            continue;
        int32_t i = begin, odd = odd_edge[v];
        while (odd >= 0 && w->home[l.corner[i] / 3] != (int32_t)k->o.edge_corner[odd] / 3)
            i++;
        out->normal_ok[v] = (unsigned char)normal_at(w, &l, v, odd < 0 ? end - begin : 0, rule, l.corner[i],
                                                     k->magnitude, out->normal + 3 * (int64_t)v);
    }
    list_free(&l);
    free(a), free(odd_edge);
}
