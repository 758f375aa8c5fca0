/* SPDX-License-Identifier: Apache-2.0 */
/* wild_limit.c: limits and tangents are rules of a fan of quads. So the level is cut open at all edges that are not
 * manifold, which makes boundaries of them (they are infinitely sharp either way) and as many vertices of a vertex as
 * it has fans; the witness of manifold meshes (tests/oracle/naive_limit.c) does the rest. */
#include "tests/kernels/launch.h"
#include "tests/kernels/wild.h"
#include "tests/oracle/naive.h"
#include <stdlib.h>
#include <string.h>

struct cut {
    struct naive_mesh m;
    int32_t *from; /* [n_vertices] the level's vertex */
};

static int32_t root(const int32_t *parent, int32_t c)
{
    while (parent[c] != c)
        c = parent[c];
    return c;
}

/* In the order of the rows' items, as many as `width` to an item. */
static struct naive_list list_by(const int32_t *keys, int width, int64_t n_items, int64_t n_rows)
{
    struct naive_list l = {xalloc(n_rows + 2, 4), xalloc(n_items * width, 4)};
    for (int64_t i = 0; i < n_items * width; i++)
        l.first[keys[i] + 2]++;
    for (int64_t r = 0; r < n_rows; r++)
        l.first[r + 2] += l.first[r + 1];
    for (int64_t i = 0; i < n_items * width; i++)
        l.items[l.first[keys[i] + 1]++] = (int32_t)(i / width);
    return l;
}

static int32_t after(int32_t c)
{
    return (c & ~3) | ((c + 1) & 3);
}

/* Corners of quads that meet across an edge are of one vertex. */
static void join_corners(const struct wild *w, struct naive_mesh *m, int32_t *from)
{
    int32_t *parent = xalloc(w->C, 4), *other = xalloc(w->E, 4);
    for (int32_t c = 0; c < w->C; c++)
        parent[c] = c;
    for (int64_t e = 0; e < w->E; e++)
        other[e] = -1;
    for (int32_t c = 0; c < w->C; c++) {
        int32_t e = w->edge[c], d = other[e];
        if (w->kind[e] & WILD_NONMANIFOLD)
            continue;
        other[e] = c;
        if (d < 0)
            continue;
        if (w->vert[d] != w->vert[after(c)])
            oracle_die("%s: edge %d is run twice the same way", launch_case(), e);
        parent[root(parent, d)] = root(parent, after(c));
        parent[root(parent, after(d))] = root(parent, c);
    }
    for (int32_t c = 0; c < w->C; c++)
        if (root(parent, c) == c) {
            from[m->n_vertices] = w->vert[c];
            m->corner_vertex[c] = (int32_t)m->n_vertices++;
        }
    for (int32_t c = 0; c < w->C; c++)
        m->corner_vertex[c] = m->corner_vertex[root(parent, c)];
    free(parent), free(other);
}

/* An edge that is not manifold becomes one of each of its faces. */
static void split_odd_edges(const struct wild *w, struct naive_mesh *m)
{
    m->n_edges = w->E;
    for (int32_t c = 0; c < w->C; c++) {
        int64_t e = w->kind[w->edge[c]] & WILD_NONMANIFOLD ? m->n_edges++ : w->edge[c];
        m->corner_edge[c] = (int32_t)e;
        m->edge_s[e] = w->edge_s[w->edge[c]];
        m->edge_ends[2 * e] = m->corner_vertex[c];
        m->edge_ends[2 * e + 1] = m->corner_vertex[after(c)];
    }
    for (int64_t e = 0; e < w->E; e++) /* rows that nobody uses any more would join the lists of vertex 0 */
        if (w->kind[e] & WILD_NONMANIFOLD)
            m->edge_ends[2 * e] = m->edge_ends[2 * e + 1] = (int32_t)m->n_vertices;
    m->vertex_edges = list_by(m->edge_ends, 2, m->n_edges, m->n_vertices + 1);
}

static void cut_open(const struct wild *w, struct cut *k)
{
    struct naive_mesh *m = &k->m;
    *k = (struct cut){.from = xalloc(w->C, 4)};
    *m = (struct naive_mesh){.n_faces = w->F, .n_corners = w->C};
    m->corner_vertex = xalloc(w->C, 4), m->corner_edge = xalloc(w->C, 4), m->corner_face = w->face;
    m->edge_ends = xalloc(2 * (w->E + w->C), 4), m->edge_s = xalloc(w->E + w->C, 8);
    join_corners(w, m, k->from);
    split_odd_edges(w, m);
    m->vertex_corners = list_by(m->corner_vertex, 1, m->n_corners, m->n_vertices);
    m->vertex_s = xalloc(m->n_vertices, 8), m->points = xalloc(3 * m->n_vertices, 8);
    for (int64_t v = 0; v < m->n_vertices; v++) {
        m->vertex_s[v] = w->vert_s[k->from[v]];
        memcpy(m->points + 3 * v, w->p + 3 * (int64_t)k->from[v], 24);
    }
}

static void cut_fini(struct cut *k)
{
    struct naive_mesh *m = &k->m;
    free(m->corner_vertex), free(m->corner_edge), free(m->edge_ends), free(m->edge_s), free(m->vertex_s);
    free(m->points), free(m->vertex_edges.first), free(m->vertex_edges.items);
    free(m->vertex_corners.first), free(m->vertex_corners.items), free(k->from);
}

/* The limit of a vertex that is not manifold: it stays, or lies on a crease of two edges. */
static void odd_limit(const struct wild *w, int32_t v, double *to)
{
    double ends[3] = {0};
    int n = 0;
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2 && w->edge_s[e] > 0; i++)
            if (w->ends[e][i] == v) {
                n++;
                for (int x = 0; x < 3; x++)
                    ends[x] += w->p[3 * (int64_t)w->ends[e][1 - i] + x];
            }
    int crease = n == 2 && w->vert_s[v] <= 0;
    if (n < 2 && w->vert_s[v] <= 0)
        oracle_die("%s: vertex %d is not manifold and smooth", launch_case(), v);
    for (int x = 0; x < 3; x++)
        to[x] = crease ? w->p[3 * (int64_t)v + x] * 2 / 3 + ends[x] / 6 : w->p[3 * (int64_t)v + x];
}

/* Has the surface a tangent plane by the rules, however the points lie? */
static int has_plane(const struct naive_mesh *m, int32_t v)
{
    int32_t sharp[2], n = m->vertex_corners.first[v + 1] - m->vertex_corners.first[v];
    int open = m->vertex_edges.first[v + 1] - m->vertex_edges.first[v] > n;
    enum naive_rule rule = naive_vertex_rule(m, NULL, m->vertex_s[v], v, sharp);
    return rule == NAIVE_CREASE ? open : rule != NAIVE_CORNER && n > 2;
}

void wild_limits(const struct wild_case *k, const struct wild *w, struct wild_limits *out)
{
    struct cut cut;
    cut_open(w, &cut);
    int64_t n = cut.m.n_vertices;
    double *limit = xalloc(3 * n, 8), *normal = xalloc(3 * n, 8);
    unsigned char *ok = xalloc(n, 1), *seen = xalloc(w->V, 1);
    out->p = xalloc(3 * w->V, 8), out->normal = xalloc(3 * w->V, 8), out->normal_ok = xalloc(w->V, 1);
    memcpy(out->p, w->p, (size_t)w->V * 24);
    naive_limit(&cut.m, limit, normal, ok);
    for (int32_t c = 0; c < w->C; c++) { /* the first face of an edge that is not manifold is its lowest corner's */
        int32_t v = w->vert[c], mine = cut.m.corner_vertex[c];
        if (seen[v])
            continue;
        seen[v] = 1;
        if (v < k->b.V && k->o.vertex[v]) {
            odd_limit(w, v, out->p + 3 * (int64_t)v);
            continue;
        }
        memcpy(out->p + 3 * (int64_t)v, limit + 3 * (int64_t)mine, 24);
        memcpy(out->normal + 3 * (int64_t)v, normal + 3 * (int64_t)mine, 24);
        out->normal_ok[v] = !has_plane(&cut.m, mine) ? 0 : ok[mine] ? 1 : 2;
    }
    free(limit), free(normal), free(ok), free(seen);
    cut_fini(&cut);
}
