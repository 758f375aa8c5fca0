/* SPDX-License-Identifier: Apache-2.0 */
/* rcm.c: the reverse Cuthill-McKee order of a mesh's vertices, and the order of its faces, for sdd_order_rcm. Every
 * sort is a count or a transpose, so all of it takes linear time: transposing a symmetric pattern in some order of
 * its columns leaves each row in that order. */
#include "gpu/sdd/sdd.h"
#include <stdlib.h>
#include <string.h>

/* At most this many walks over a component look for an end of it. The first two gain nearly all there is to gain. */
#define MAX_SEARCHES 8

/* The vertices along the face edges. The neighbours of v are next[first[v]] to next[first[v] + degree[v] - 1],
 * ordered by degree and then index. */
struct graph {
    int64_t n_vertices;
    int64_t *first;
    int32_t *degree, *next;
    int32_t *by_degree;  /* All vertices, in the same order. */
    unsigned char *walk; /* The number of the last walk that met the vertex; 0 before any. */
};

static void graph_fini(struct graph *g)
{
    free(g->first);
    free(g->degree);
    free(g->next);
    free(g->by_degree);
    free(g->walk);
}

static void *rows(int64_t n, size_t bytes, struct sdd_error *err)
{
    void *p = n < INT64_MAX / 16 ? calloc((size_t)n + 1, bytes) : NULL;
    if (!p)
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %lld rows of %zu bytes", (long long)n, bytes);
    return p;
}

static int check(const struct sdd_mesh_desc *d, struct sdd_error *err)
{
    int64_t corners = 0;
    for (int64_t f = 0; f < d->n_faces; f++) {
        if (d->face_counts[f] < 0 || d->face_counts[f] > d->n_corners - corners)
            return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "face %lld has %d of %lld corners", (long long)f,
                            d->face_counts[f], (long long)d->n_corners);
        for (int64_t c = corners; c < corners + d->face_counts[f]; c++)
            if (d->face_vertices[c] < 0 || d->face_vertices[c] >= d->n_vertices)
                return sdd_fail(err, SDD_EMESH, "faceVertexIndices",
                                "face %lld uses vertex %d, and the mesh has %lld, from 0 on", (long long)f,
                                d->face_vertices[c], (long long)d->n_vertices);
        corners += d->face_counts[f];
    }
    return SDD_OK;
}

/* Goes over the edges of all faces. Without `to` it counts the edges of each vertex v in g->first[v + 1]. With `to`
 * it writes each end of an edge to the list of the other; n[v] counts how many a vertex has so far. */
static void each_edge(const struct sdd_mesh_desc *d, struct graph *g, int32_t *to, int64_t *n)
{
    const int32_t *v = d->face_vertices;
    for (int64_t f = 0; f < d->n_faces; v += d->face_counts[f++])
        for (int32_t i = 0, size = d->face_counts[f]; i < size; i++) {
            int32_t a = v[i], b = v[i + 1 < size ? i + 1 : 0];
            if (a == b)
                continue;
            if (to) {
                to[g->first[a] + n[a]++] = b;
                to[g->first[b] + n[b]++] = a;
            } else {
                g->first[a + 1]++;
                g->first[b + 1]++;
            }
        }
}

/* Lists the vertices by ascending degree, then index. start[V + 1] is scratch. */
static void sort_by_degree(struct graph *g, int64_t *start)
{
    memset(start, 0, (size_t)(g->n_vertices + 1) * sizeof *start);
    for (int64_t v = 0; v < g->n_vertices; v++)
        start[g->degree[v] + 1]++;
    for (int64_t i = 0; i < g->n_vertices; i++)
        start[i + 1] += start[i];
    for (int64_t v = 0; v < g->n_vertices; v++)
        g->by_degree[start[g->degree[v]]++] = (int32_t)v;
}

/* Sorts the neighbours. all[] has each edge from both ends once for each face; two transposes drop the repetitions
 * and sort the rows. */
static void graph_sort(struct graph *g, int32_t *all, int64_t *n_all)
{
    for (int64_t a = 0; a < g->n_vertices; a++)
        for (int64_t i = g->first[a]; i < g->first[a] + n_all[a]; i++) {
            int32_t b = all[i], *row = g->next + g->first[b];
            if (!g->degree[b] || row[g->degree[b] - 1] != a)
                row[g->degree[b]++] = (int32_t)a;
        }
    sort_by_degree(g, n_all);
    memset(n_all, 0, (size_t)g->n_vertices * sizeof *n_all);
    for (int64_t k = 0; k < g->n_vertices; k++) {
        int32_t a = g->by_degree[k];
        for (int64_t i = g->first[a]; i < g->first[a] + g->degree[a]; i++) {
            int32_t b = g->next[i];
            all[g->first[b] + n_all[b]++] = a;
        }
    }
    for (int64_t v = 0; v < g->n_vertices; v++)
        memcpy(g->next + g->first[v], all + g->first[v], (size_t)g->degree[v] * sizeof *all);
}

static int graph_init(struct graph *g, const struct sdd_mesh_desc *d, struct sdd_error *err)
{
    *g = (struct graph){.n_vertices = d->n_vertices};
    g->first = rows(g->n_vertices, sizeof *g->first, err);
    g->degree = rows(g->n_vertices, sizeof *g->degree, err);
    g->by_degree = rows(g->n_vertices, sizeof *g->by_degree, err);
    g->walk = rows(g->n_vertices, 1, err);
    if (!g->first || !g->degree || !g->by_degree || !g->walk)
        return SDD_ENO_MEMORY;
    each_edge(d, g, NULL, NULL);
    for (int64_t v = 0; v < g->n_vertices; v++)
        g->first[v + 1] += g->first[v];
    g->next = rows(g->first[g->n_vertices], sizeof *g->next, err);
    int32_t *all = rows(g->first[g->n_vertices], sizeof *all, err);
    int64_t *n_all = rows(g->n_vertices, sizeof *n_all, err);
    int rc = g->next && all && n_all ? SDD_OK : SDD_ENO_MEMORY;
    if (!rc) {
        each_edge(d, g, all, n_all);
        graph_sort(g, all, n_all);
    }
    free(all);
    free(n_all);
    return rc;
}

/* What a walk found. */
struct levels {
    int64_t n;        /* The vertices of the component. */
    int64_t n_levels; /* Its levels, by distance from the first vertex. */
    int64_t last;     /* Where in `out` the last level starts. */
};

/* Walks breadth first from `from`. out[] gets the component in the order of Cuthill and McKee. */
static struct levels walk(struct graph *g, int32_t from, unsigned char number, int32_t *out)
{
    struct levels l = {.n = 1};
    g->walk[from] = number;
    out[0] = from;
    for (int64_t at = 0, end = 1; at < l.n; end = l.n, l.n_levels++)
        for (l.last = at; at < end; at++) {
            const int32_t *row = g->next + g->first[out[at]];
            for (int32_t i = 0; i < g->degree[out[at]]; i++) {
                if (g->walk[row[i]] == number)
                    continue;
                g->walk[row[i]] = number;
                out[l.n++] = row[i];
            }
        }
    return l;
}

/* Orders the component of `from`. By George and Liu 1979 the walk starts again at the lowest-degree vertex of the
 * last level, as long as that makes more levels. */
static int64_t component(struct graph *g, int32_t from, int32_t *out)
{
    struct levels l = walk(g, from, 1, out);
    for (unsigned char number = 2; number <= MAX_SEARCHES; number++) {
        int64_t before = l.n_levels;
        int32_t far = out[l.last];
        for (int64_t i = l.last; i < l.n; i++)
            if (g->degree[out[i]] < g->degree[far] || (g->degree[out[i]] == g->degree[far] && out[i] < far))
                far = out[i];
        l = walk(g, far, number, out);
        if (l.n_levels <= before)
            break;
    }
    for (int64_t i = 0, j = l.n - 1; i < j; i++, j--) {
        int32_t swap = out[i];
        out[i] = out[j];
        out[j] = swap;
    }
    return l.n;
}

static void order_vertices(struct graph *g, int32_t *out)
{
    int64_t n = 0, k = 0, isolated = 0;
    for (; isolated < g->n_vertices && !g->degree[g->by_degree[isolated]]; isolated++)
        ;
    for (k = isolated; k < g->n_vertices; k++)
        if (!g->walk[g->by_degree[k]])
            n += component(g, g->by_degree[k], out + n);
    memcpy(out + n, g->by_degree, (size_t)isolated * sizeof *out);
}

/* Orders faces by their lowest row; faces without corners come last. */
static int order_faces(const struct sdd_mesh_desc *d, const int32_t *row_of, int32_t *out, struct sdd_error *err)
{
    int32_t *least = rows(d->n_faces, sizeof *least, err);
    int64_t *start = rows(d->n_vertices + 1, sizeof *start, err);
    const int32_t *v = d->face_vertices;
    int rc = least && start ? SDD_OK : SDD_ENO_MEMORY;
    for (int64_t f = 0; f < d->n_faces && !rc; v += d->face_counts[f++]) {
        least[f] = (int32_t)d->n_vertices;
        for (int32_t i = 0; i < d->face_counts[f]; i++)
            least[f] = row_of[v[i]] < least[f] ? row_of[v[i]] : least[f];
        if (least[f] < d->n_vertices)
            start[least[f] + 1]++;
    }
    for (int64_t i = 0; i < d->n_vertices && !rc; i++)
        start[i + 1] += start[i];
    for (int64_t f = 0; f < d->n_faces && !rc; f++)
        out[start[least[f]]++] = (int32_t)f;
    free(least);
    free(start);
    return rc;
}

/* The larger of the row and the column bandwidth. lowest[V] and highest[V] are scratch. Where row_of and column_of
 * are NULL, it is that of the mesh in its present order. */
static int64_t bandwidth(const struct sdd_mesh_desc *d, const int32_t *row_of, const int32_t *column_of,
                         int32_t *lowest, int32_t *highest)
{
    int64_t b = 0;
    const int32_t *v = d->face_vertices;
    for (int64_t i = 0; i < d->n_vertices; i++)
        lowest[i] = INT32_MAX, highest[i] = -1;
    for (int64_t f = 0; f < d->n_faces; v += d->face_counts[f++]) {
        int32_t column = column_of ? column_of[f] : (int32_t)f, low = INT32_MAX, high = -1;
        for (int32_t i = 0; i < d->face_counts[f]; i++) {
            int32_t row = row_of ? row_of[v[i]] : v[i];
            low = row < low ? row : low;
            high = row > high ? row : high;
            lowest[row] = column < lowest[row] ? column : lowest[row];
            highest[row] = column > highest[row] ? column : highest[row];
        }
        b = high >= 0 && high - low > b ? high - low : b;
    }
    for (int64_t i = 0; i < d->n_vertices; i++)
        b = highest[i] >= 0 && highest[i] - lowest[i] > b ? highest[i] - lowest[i] : b;
    return b;
}

static void invert(const int32_t *of_row, int64_t n, int32_t *row_of)
{
    for (int64_t i = 0; i < n; i++)
        row_of[of_row[i]] = (int32_t)i;
}

int sdd_order_rcm(const struct sdd_mesh_desc *d, struct sdd_order *out, struct sdd_error *err)
{
    struct graph g = {0};
    memset(out, 0, sizeof *out);
    int rc = check(d, err);
    if (rc)
        return rc;
    int32_t *row_of = rows(d->n_vertices, sizeof *row_of, err), *column_of = rows(d->n_faces, sizeof *column_of, err);
    out->vertex_of_row = rows(d->n_vertices, sizeof(int32_t), err);
    out->face_of_row = rows(d->n_faces, sizeof(int32_t), err);
    rc = row_of && column_of && out->vertex_of_row && out->face_of_row ? SDD_OK : SDD_ENO_MEMORY;
    if (!rc)
        rc = graph_init(&g, d, err);
    if (!rc) {
        order_vertices(&g, out->vertex_of_row);
        invert(out->vertex_of_row, d->n_vertices, row_of);
        rc = order_faces(d, row_of, out->face_of_row, err);
    }
    if (!rc) { /* The graph is no longer needed, so two of its arrays serve as scratch. */
        invert(out->face_of_row, d->n_faces, column_of);
        out->bandwidth_before = bandwidth(d, NULL, NULL, g.degree, g.by_degree);
        out->bandwidth_after = bandwidth(d, row_of, column_of, g.degree, g.by_degree);
    }
    graph_fini(&g);
    free(row_of);
    free(column_of);
    if (rc)
        sdd_order_free(out);
    return rc;
}

void sdd_order_free(struct sdd_order *o)
{
    free(o->vertex_of_row);
    free(o->face_of_row);
    memset(o, 0, sizeof *o);
}
