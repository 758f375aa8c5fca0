/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/fair_mesh.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void resize(struct flowing *m, int64_t n_vertices, int64_t n_triangles)
{
    float *points = xalloc(3 * n_vertices, sizeof *points);
    int32_t *triangles = xalloc(3 * n_triangles, sizeof *triangles);
    if (m->points)
        memcpy(points, m->points, 3 * (size_t)m->n_vertices * sizeof *points);
    if (m->triangles)
        memcpy(triangles, m->triangles, 3 * (size_t)m->n_triangles * sizeof *triangles);
    free(m->points), free(m->triangles);
    m->points = points;
    m->triangles = triangles;
}

static void add_triangle(struct flowing *m, int32_t a, int32_t b, int32_t c)
{
    int32_t *t = m->triangles + 3 * (size_t)m->n_triangles++;
    t[0] = a, t[1] = b, t[2] = c;
}

/* ---- from a file ------------------------------------------------------------------------------------------------- */
static void read_face(struct flowing *m, const char *line)
{
    char *end;
    int32_t first = 0, before = 0;
    for (int k = 0;; k++) {
        const int32_t v = (int32_t)strtol(line, &end, 10) - 1;
        if (end == line)
            return;
        if (k >= 2)
            add_triangle(m, first, before, v);
        first = k == 0 ? v : first;
        before = v;
        line = end + strcspn(end, " \n");
    }
}

/* Vertices that no face uses are read too. */
static void read_obj(struct flowing *m, FILE *file)
{
    char line[4096];
    int64_t n_vertices = 0, n_corners = 0;
    while (fgets(line, sizeof line, file)) {
        n_vertices += line[0] == 'v' && line[1] == ' ';
        for (const char *p = line; line[0] == 'f' && (p = strchr(p, ' ')); p++)
            n_corners++;
    }
    rewind(file);
    resize(m, n_vertices, n_corners);
    while (fgets(line, sizeof line, file)) {
        char *p = line + 2;
        if (line[0] == 'f')
            read_face(m, p);
        if (line[0] != 'v' || line[1] != ' ')
            continue;
        for (int c = 0; c < 3; c++)
            m->points[3 * (size_t)m->n_vertices + (size_t)c] = strtof(p, &p);
        m->n_vertices++;
    }
}

/* An edge, with the triangle corner that it begins at. */
struct edge {
    int32_t low, high, from;
    int64_t corner;
};

static int by_ends(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->high > y->high) - (x->high < y->high);
}

/* All corners' edges, the same ones next to each other. */
static struct edge *edges_of(const struct flowing *m)
{
    const int64_t n = 3 * (int64_t)m->n_triangles;
    struct edge *e = xalloc(n, sizeof *e);
    for (int64_t c = 0; c < n; c++) {
        const int32_t a = m->triangles[c], b = m->triangles[c - c % 3 + (c + 1) % 3];
        e[c] = (struct edge){a < b ? a : b, a < b ? b : a, a, c};
    }
    qsort(e, (size_t)n, sizeof *e, by_ends);
    return e;
}

static void close_rim(struct flowing *m, int32_t *before, int32_t start)
{
    double sum[3] = {0};
    int n = 0;
    const int32_t centre = m->n_vertices++;
    for (int32_t v = start; before[v] >= 0; n++) {
        const int32_t next = before[v];
        for (int c = 0; c < 3; c++)
            sum[c] += (double)m->points[3 * (size_t)v + (size_t)c];
        add_triangle(m, v, next, centre);
        before[v] = -1;
        v = next;
    }
    for (int c = 0; c < 3; c++)
        m->points[3 * (size_t)centre + (size_t)c] = (float)(sum[c] / n);
}

static void close_rims(struct flowing *m)
{
    const int64_t n = 3 * (int64_t)m->n_triangles, V = m->n_vertices;
    struct edge *e = edges_of(m);
    int32_t *before = xalloc(V, sizeof *before); /* Along the rim, as seen from the triangles. */
    int64_t n_open = 0;
    memset(before, 0xff, (size_t)V * sizeof *before);
    for (int64_t i = 0; i < n; i++)
        if ((i == 0 || by_ends(e + i, e + i - 1) != 0) && (i == n - 1 || by_ends(e + i, e + i + 1) != 0)) {
            before[e[i].from == e[i].low ? e[i].high : e[i].low] = e[i].from;
            n_open++;
        }
    resize(m, V + n_open, m->n_triangles + n_open);
    for (int32_t v = 0; v < V; v++)
        if (before[v] >= 0)
            close_rim(m, before, v);
    free(e), free(before);
}

static void cut_in_four(struct flowing *m)
{
    const int32_t T = m->n_triangles;
    struct edge *e = edges_of(m);
    int32_t *middle = xalloc(3 * (int64_t)T, sizeof *middle);
    resize(m, m->n_vertices + 3 * (int64_t)T, 4 * (int64_t)T);
    for (int64_t i = 0; i < 3 * (int64_t)T; i++) {
        const int is_new = i == 0 || by_ends(e + i, e + i - 1) != 0;
        float *p = m->points + 3 * (size_t)m->n_vertices;
        for (size_t c = 0; c < 3 && is_new; c++)
            p[c] = (m->points[3 * (size_t)e[i].low + c] + m->points[3 * (size_t)e[i].high + c]) / 2;
        m->n_vertices += is_new;
        middle[e[i].corner] = m->n_vertices - 1;
    }
    for (int32_t t = 0; t < T; t++) {
        int32_t *v = m->triangles + 3 * (size_t)t, *half = middle + 3 * (size_t)t;
        for (int k = 0; k < 3; k++)
            add_triangle(m, v[k], half[k], half[(k + 2) % 3]);
        memcpy(v, half, 3 * sizeof *v);
    }
    free(e), free(middle);
}

/* ---- made -------------------------------------------------------------------------------------------------------- */
/* Vertex j of the ring of 4 k vertices that lies k rows below the upper pole, or above the lower one. */
static int32_t ring_vertex(int32_t side, int32_t k, int32_t j, int is_lower)
{
    const int32_t within = k ? j % (4 * k) : 0, before = k ? 2 * k * (k - 1) + 1 : 0;
    return is_lower && k < side ? 4 * side * side + 1 - before - within : before + within;
}

static void place_vertex(struct flowing *m, int32_t side, int32_t k, int32_t j, int is_lower)
{
    static const double corner[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const int32_t quarter = k ? j / k : 0;
    const double t = k ? (double)(j % k) / k : 0, size = (double)k / side;
    double p[3], length = 0;
    for (int c = 0; c < 2; c++)
        p[c] = size * (corner[quarter][c] * (1 - t) + corner[quarter + 1][c] * t);
    p[2] = is_lower ? size - 1 : 1 - size;
    for (int c = 0; c < 3; c++)
        length += p[c] * p[c];
    for (int c = 0; c < 3; c++)
        p[c] /= sqrt(length);
    const double bump = 1 + 0.15 * sin(4 * p[0]) * cos(4 * p[1] + 1) + 0.15 * sin(4 * p[2]);
    for (int c = 0; c < 3; c++)
        m->points[3 * (size_t)ring_vertex(side, k, j, is_lower) + (size_t)c] = (float)(p[c] * bump);
}

/* The triangles between rings k and k + 1 of a half; the lower half is its mirror image. */
static void add_ring(struct flowing *m, int32_t side, int32_t k, int is_lower)
{
    for (int32_t i = 0; i < 4 * (k + 1); i++) {
        const int32_t quarter = i / (k + 1), j = i % (k + 1), inner = quarter * k + j;
        const int32_t a = ring_vertex(side, k, inner, is_lower), b = ring_vertex(side, k + 1, i, is_lower);
        const int32_t c = ring_vertex(side, k + 1, i + 1, is_lower), d = ring_vertex(side, k, inner + 1, is_lower);
        add_triangle(m, a, is_lower ? c : b, is_lower ? b : c);
        if (j < k)
            add_triangle(m, a, is_lower ? d : c, is_lower ? c : d);
    }
}

/* The triangles of an octahedron, each cut into side^2, on a bumpy sphere. */
static void make_sphere(struct flowing *m, int32_t side)
{
    resize(m, 4 * (int64_t)side * side + 2, 8 * (int64_t)side * side);
    m->n_vertices = 4 * side * side + 2;
    for (int is_lower = 0; is_lower < 2; is_lower++)
        for (int32_t k = 0; k <= side; k++)
            for (int32_t j = 0; j < (k ? 4 * k : 1); j++)
                place_vertex(m, side, k, j, is_lower);
    for (int is_lower = 0; is_lower < 2; is_lower++)
        for (int32_t k = 0; k < side; k++)
            add_ring(m, side, k, is_lower);
    snprintf(m->name, sizeof m->name, "bumpy sphere");
}

void flowing_open(struct flowing *m, const char *file, int cuts, int32_t side)
{
    const char *shared = test_shared_dir();
    char path[4200];
    *m = (struct flowing){0};
    snprintf(path, sizeof path, "%s/data/%s.obj", shared ? shared : "", file ? file : "");
    FILE *f = shared && file ? fopen(path, "r") : NULL;
    if (f) {
        read_obj(m, f);
        fclose(f);
        close_rims(m);
        for (int i = 0; i < cuts; i++)
            cut_in_four(m);
        snprintf(m->name, sizeof m->name, "%s%s", file, cuts ? ", in four" : "");
    } else {
        if (file)
            printf("skip: no %s.obj here (SUBDD_SHARED); a sphere instead\n", file);
        make_sphere(m, side);
    }
    m->counts = xalloc(m->n_triangles, sizeof *m->counts);
    for (int32_t t = 0; t < m->n_triangles; t++)
        m->counts[t] = 3;
}

void flowing_close(struct flowing *m)
{
    free(m->triangles), free(m->counts), free(m->points);
}

struct sdd_mesh_desc flowing_desc(const struct flowing *m)
{
    return (struct sdd_mesh_desc){.n_vertices = m->n_vertices,
                                  .n_faces = m->n_triangles,
                                  .n_corners = 3 * (int64_t)m->n_triangles,
                                  .face_counts = m->counts,
                                  .face_vertices = m->triangles};
}
