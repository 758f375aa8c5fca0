/* SPDX-License-Identifier: Apache-2.0 */
/* naive_limit.c: limit points and normals as SEMANTICS.md section 4 says them; all faces are quads by then. */
#include "tests/oracle/naive.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The fan of one vertex, counter-clockwise: face j lies between edge j and edge j + 1; open fans have one edge more. */
struct fan {
    int n_faces, n_edges;
    int32_t *ends, *across; /* far ends of the edges, corners opposite in the faces */
};

/* The corner of v whose face follows edge e counter-clockwise, or -1. */
static int32_t corner_after(const struct naive_mesh *m, int32_t v, int32_t e)
{
    for (int32_t i = m->vertex_corners.first[v]; i < m->vertex_corners.first[v + 1]; i++)
        if (m->corner_edge[m->vertex_corners.items[i]] == e)
            return m->vertex_corners.items[i];
    return -1;
}

static int32_t edge_before(const struct naive_mesh *m, int32_t c)
{
    return m->corner_edge[(c & ~3) | ((c + 3) & 3)];
}

static void fan_open(const struct naive_mesh *m, int32_t v, struct fan *fan)
{
    int32_t first = m->vertex_corners.first[v], n = m->vertex_corners.first[v + 1] - first;
    int32_t start = m->corner_edge[m->vertex_corners.items[first]], e = start;
    for (int32_t i = 0; i < n; i++) { /* a leading boundary edge ends no face of v */
        int32_t lead = m->corner_edge[m->vertex_corners.items[first + i]], ends_one = 0;
        for (int32_t k = 0; k < n; k++)
            ends_one |= edge_before(m, m->vertex_corners.items[first + k]) == lead;
        if (!ends_one)
            e = start = lead;
    }
    fan->ends = xalloc(n + 1, sizeof *fan->ends);
    fan->across = xalloc(n, sizeof *fan->across);
    fan->n_faces = fan->n_edges = 0;
    do {
        fan->ends[fan->n_edges++] = naive_far_end(m, e, v);
        int32_t c = corner_after(m, v, e);
        if (c < 0)
            break;
        fan->across[fan->n_faces++] = m->corner_vertex[(c & ~3) | ((c + 2) & 3)];
        e = edge_before(m, c);
    } while (e != start && fan->n_faces <= n);
    if (fan->n_faces != n)
        oracle_die("vertex %d: a fan of %d of %d faces", v, fan->n_faces, n);
}

static void fan_close(struct fan *fan)
{
    free(fan->ends);
    free(fan->across);
}

static void add(double *to, double w, const struct naive_mesh *m, int32_t v)
{
    for (int k = 0; k < 3; k++)
        to[k] += w * m->points[3 * v + k];
}

static void smooth_tangents(const struct naive_mesh *m, const struct fan *fan, double *s, double *t)
{
    int n = fan->n_faces;
    double th = 2 * pi / n, l = 5.0 / 16 + (cos(th) + cos(th / 2) * sqrt(2 * (9 + cos(th)))) / 16, k = 1 / (4 * l - 1);
    for (int j = 0; j < n; j++) {
        add(s, 4 * cos(j * th), m, fan->ends[j]);
        add(s, k * (cos(j * th) + cos((j + 1) * th)), m, fan->across[j]);
        add(t, 4 * cos((j - 1) * th), m, fan->ends[j]);
        add(t, k * (cos((j - 1) * th) + cos(j * th)), m, fan->across[j]);
    }
}

static void boundary_tangents(const struct naive_mesh *m, const struct fan *fan, int32_t v, double *s, double *t)
{
    int k = fan->n_faces;
    double th = pi / k, r = k > 1 ? (1 + cos(th)) / sin(th) : 0;
    add(s, 1, m, fan->ends[0]);
    add(s, -1, m, fan->ends[k]);
    if (k == 1) {
        add(t, 1, m, fan->ends[0]);
        add(t, 1, m, fan->ends[1]);
        add(t, -2, m, v);
        return;
    }
    add(t, 4 * r * (cos(th) - 1), m, v);
    add(t, -r * (1 + 2 * cos(th)), m, fan->ends[0]);
    add(t, -r * (1 + 2 * cos(th)), m, fan->ends[k]);
    for (int j = 1; j < k; j++)
        add(t, 4 * sin(j * th), m, fan->ends[j]);
    for (int j = 0; j < k; j++)
        add(t, sin(j * th) + sin((j + 1) * th), m, fan->across[j]);
}

static int vertex_limit(const struct naive_mesh *m, int32_t v, double magnitude, double *limit, double *normal)
{
    double s[3] = {0}, t[3] = {0};
    int32_t sharp[2] = {0, 0};
    struct fan fan;
    int defined = 0;
    if (m->vertex_corners.first[v] == m->vertex_corners.first[v + 1]) {
        add(limit, 1, m, v);
        return 0;
    }
    fan_open(m, v, &fan);
    enum naive_rule rule = naive_vertex_rule(m, NULL, m->vertex_s[v], v, sharp);
    int n = fan.n_faces, open = fan.n_edges > n;
    if (rule == NAIVE_CORNER) {
        add(limit, 1, m, v);
        defined = n == 1;
        for (int k = 0; k < 2 && defined; k++) {
            add(k ? t : s, 1, m, fan.ends[k]);
            add(k ? t : s, -1, m, v);
        }
    } else if (rule == NAIVE_CREASE) {
        add(limit, 2.0 / 3, m, v);
        for (int k = 0; k < 2; k++)
            add(limit, 1.0 / 6, m, naive_far_end(m, sharp[k], v));
        defined = open;
        if (open)
            boundary_tangents(m, &fan, v, s, t);
    } else if (n == 2) {
        add(limit, 1, m, v);
    } else {
        add(limit, n / (n + 5.0), m, v);
        for (int j = 0; j < n; j++) {
            add(limit, 4 / (n * (n + 5.0)), m, fan.ends[j]);
            add(limit, 1 / (n * (n + 5.0)), m, fan.across[j]);
        }
        smooth_tangents(m, &fan, s, t);
        defined = 1;
    }
    fan_close(&fan);
    return defined && refined_normal(s, t, magnitude, normal);
}

void naive_limit(const struct naive_mesh *m, double *limits, double *normals, unsigned char *normal_ok)
{
    double magnitude = refined_magnitude(m->points, m->n_vertices);
    for (int32_t v = 0; v < m->n_vertices; v++)
        normal_ok[v] = (unsigned char)vertex_limit(m, v, magnitude, &limits[3 * v], &normals[3 * v]);
}
