/* SPDX-License-Identifier: Apache-2.0 */
/* grid_walk.c: the grid order from its words, and the walk that carries a witness's numbers over to it. */
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>

struct half {
    int32_t low, high, corner;
};

static int half_order(const void *a, const void *b)
{
    const struct half *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->corner < y->corner ? -1 : x->corner > y->corner;
}

static void number_edges(struct grid *g)
{
    struct half *halves = xalloc(g->n_corners, sizeof *halves);
    for (int64_t f = 0; f < g->n_faces; f++)
        for (int32_t c = g->first[f]; c < g->first[f + 1]; c++) {
            int32_t a = g->vertices[c], b = g->vertices[c + 1 < g->first[f + 1] ? c + 1 : g->first[f]];
            halves[c] = (struct half){a < b ? a : b, a < b ? b : a, c};
        }
    qsort(halves, (size_t)g->n_corners, sizeof *halves, half_order);
    int32_t shared = 0;
    for (int64_t k = 0; k < g->n_corners; k++) {
        const struct half *h = &halves[k], *b = k ? h - 1 : NULL;
        int other = !b || h->low != b->low || h->high != b->high;
        /* a face's further use of an edge is an edge of its own, and so is each edge with equal ends */
        int own = !other && (h->low == h->high || g->corner_face[h->corner] == g->corner_face[b->corner]);
        if (other)
            shared = (int32_t)g->n_edges;
        g->edge[h->corner] = own ? (int32_t)g->n_edges : shared;
        if (other || own) {
            g->ends[2 * g->n_edges] = h->low;
            g->ends[2 * g->n_edges++ + 1] = h->high;
        }
    }
    free(halves);
}

void grid_init(struct grid *g, const struct sdd_mesh_desc *d)
{
    *g = (struct grid){.n_vertices = d->n_vertices,
                       .n_faces = d->n_faces,
                       .n_corners = d->n_corners,
                       .triangles = d->options.scheme == SDD_SCHEME_LOOP || d->options.scheme == SDD_SCHEME_SQRT3};
    g->first = xalloc(g->n_faces + 1, sizeof *g->first);
    g->vertices = xalloc(g->n_corners, sizeof *g->vertices);
    g->authored = xalloc(g->n_corners, sizeof *g->authored);
    g->corner_face = xalloc(g->n_corners, sizeof *g->corner_face);
    g->edge = xalloc(g->n_corners, sizeof *g->edge);
    g->ends = xalloc(2 * g->n_corners, sizeof *g->ends);
    for (int32_t f = 0; f < g->n_faces; f++) {
        int32_t n = d->face_counts[f], c0 = g->first[f];
        g->first[f + 1] = c0 + n;
        for (int32_t k = 0; k < n; k++) {
            int left = d->options.orientation == SDD_LEFT_HANDED;
            g->authored[c0 + k] = c0 + (left && k > 0 ? n - k : k);
            g->vertices[c0 + k] = d->face_vertices[g->authored[c0 + k]];
            g->corner_face[c0 + k] = f;
        }
    }
    number_edges(g);
}

void grid_fini(struct grid *g)
{
    free(g->first);
    free(g->vertices);
    free(g->authored);
    free(g->corner_face);
    free(g->edge);
    free(g->ends);
}

static int64_t level1_vertices(const struct grid *g)
{
    return g->n_vertices + g->n_faces + g->n_edges;
}
static int64_t level1_edges(const struct grid *g)
{
    return 2 * g->n_edges + g->n_corners;
}

int64_t grid_n_vertices(const struct grid *g, int level)
{
    if (g->triangles) {
        int64_t m = (int64_t)1 << level;
        return g->n_vertices + (m - 1) * g->n_edges + (m - 1) * (m - 2) / 2 * g->n_faces;
    }
    int64_t m = (int64_t)1 << (level - 1);
    return level1_vertices(g) + (m - 1) * level1_edges(g) + (m - 1) * (m - 1) * g->n_corners;
}

uint32_t grid_vertex(const struct grid *g, int level, int64_t c, int64_t i, int64_t j)
{
    int64_t m = (int64_t)1 << (level - 1), f = g->corner_face[c];
    int64_t before = c > g->first[f] ? c - 1 : g->first[f + 1] - 1;
    int32_t v = g->vertices[c], e = g->edge[c], d = g->edge[before];
    int64_t on_edge = level1_vertices(g), inside = on_edge + (m - 1) * level1_edges(g);
    int64_t vf = g->n_vertices, ve = vf + g->n_faces;
    if (i == 0 && j == 0)
        return (uint32_t)v;
    if (i == m && j == 0)
        return (uint32_t)(ve + e);
    if (i == m && j == m)
        return (uint32_t)(vf + f);
    if (i == 0 && j == m)
        return (uint32_t)(ve + d);
    /* Halves of a control edge run from the control vertex, edges inside a face from the face point. */
    if (j == 0)
        return (uint32_t)(on_edge + (m - 1) * (2 * e + (v != g->ends[2 * e])) + i - 1);
    if (i == 0)
        return (uint32_t)(on_edge + (m - 1) * (2 * d + (v != g->ends[2 * d] || g->ends[2 * d] == g->ends[2 * d + 1])) +
                          j - 1);
    if (i == m)
        return (uint32_t)(on_edge + (m - 1) * (2 * g->n_edges + c) + m - j - 1);
    if (j == m)
        return (uint32_t)(on_edge + (m - 1) * (2 * g->n_edges + before) + m - i - 1);
    return (uint32_t)(inside + c * (m - 1) * (m - 1) + (j - 1) * (m - 1) + i - 1);
}

uint32_t tri_vertex(const struct grid *g, int level, int64_t c, int64_t i, int64_t j)
{
    int64_t m = (int64_t)1 << level, f = c / 3, weight[3] = {0};
    weight[c % 3] = m - i - j;
    weight[(c + 1) % 3] = i;
    weight[(c + 2) % 3] = j;
    for (int k = 0; k < 3; k++) {
        int64_t a = 3 * f + k, b = 3 * f + (k + 1) % 3, t = weight[(k + 1) % 3]; /* the edge from a to b, t from a */
        if (weight[k] == m)
            return (uint32_t)g->vertices[a];
        if (weight[(k + 2) % 3] > 0 || t == 0 || t == m)
            continue;
        if (g->vertices[a] > g->vertices[b])
            t = m - t;
        return (uint32_t)(g->n_vertices + (m - 1) * g->edge[a] + t - 1);
    }
    int64_t before = 0; /* the inner points of the rows below */
    for (int64_t row = 1; row < weight[2]; row++)
        before += m - 1 - row;
    return (uint32_t)(g->n_vertices + (m - 1) * g->n_edges + (m - 1) * (m - 2) / 2 * f + before + weight[1] - 1);
}

void tri_cell(int level, int64_t row, int64_t at[3][2])
{
    static const int upright[3][2] = {{0, 0}, {1, 0}, {0, 1}}, turned[3][2] = {{1, 0}, {1, 1}, {0, 1}};
    int64_t m = (int64_t)1 << level, x = row % m, y = row / m;
    int up = x + y < m;
    for (int k = 0; k < 3; k++) {
        at[k][0] = (up ? x : m - 1 - x) + (up ? upright : turned)[k][0];
        at[k][1] = (up ? y : m - 1 - y) + (up ? upright : turned)[k][1];
    }
}

void grid_walk_init(struct grid_walk *w, const struct grid *g)
{
    *w = (struct grid_walk){.grid = g, .n_rows = g->n_corners};
    w->image = xalloc(g->n_vertices, sizeof *w->image);
    for (int32_t v = 0; v < g->n_vertices; v++)
        w->image[v] = v;
}

void grid_walk_fini(struct grid_walk *w)
{
    free(w->face);
    free(w->turn);
    free(w->image);
}

/* The child face at a parent's corner, turned so that its corner k is the parent's image of that corner. */
static void child_at(const struct walk_level *l, int64_t corner, int k, int32_t *face, unsigned char *turn)
{
    int32_t image = l->vertex_child[l->face_verts[corner]];
    *face = l->face_child[corner];
    for (int p = 0; p < 4; p++)
        if (l->child_verts[4 * (int64_t)*face + p] == image) {
            *turn = (unsigned char)((p - k + 4) & 3);
            return;
        }
    oracle_die("child face %d at corner %lld lacks the child of its vertex", *face, (long long)corner);
}

static void first_step(struct grid_walk *w, const struct walk_level *l)
{
    const struct grid *g = w->grid;
    for (int64_t c = 0; c < g->n_corners; c++) {
        if (l->face_verts[c] != g->vertices[c])
            oracle_die("corner %lld is vertex %d there and %d here", (long long)c, l->face_verts[c], g->vertices[c]);
        child_at(l, c, 0, &w->face[c], &w->turn[c]);
    }
}

void grid_walk_step(struct grid_walk *w, const struct walk_level *l)
{
    int64_t m = w->level ? (int64_t)1 << (w->level - 1) : 0, n = w->level ? w->n_rows : 0;
    int32_t *face = w->face;
    unsigned char *turn = w->turn;
    w->n_rows = w->level ? 4 * w->n_rows : w->n_rows;
    w->face = xalloc(w->n_rows, sizeof *w->face);
    w->turn = xalloc(w->n_rows, sizeof *w->turn);
    if (w->level == 0)
        first_step(w, l);
    for (int64_t row = 0; row < n; row++) {
        int64_t c = row / (m * m), j = row / m % m, i = row % m;
        for (int k = 0; k < 4; k++) {
            int64_t x = 2 * i + (k == 1 || k == 2), y = 2 * j + (k >= 2), to = (4 * m * m) * c + 2 * m * y + x;
            child_at(l, l->face_first[face[row]] + ((k + turn[row]) & 3), k, &w->face[to], &w->turn[to]);
        }
    }
    for (int64_t v = 0; v < w->grid->n_vertices; v++)
        w->image[v] = l->vertex_child[w->image[v]];
    w->level++;
    free(face);
    free(turn);
}

static void pair(int32_t *map, int32_t *back, uint32_t id, int32_t theirs)
{
    if (map[id] < 0 && back[theirs] < 0) {
        map[id] = theirs;
        back[theirs] = (int32_t)id;
    }
    if (map[id] != theirs || back[theirs] != (int32_t)id)
        oracle_die("grid vertex %u is both %d and %d of the witness", id, map[id], theirs);
}

int32_t *grid_walk_map(const struct grid_walk *w, const int32_t *face_verts, int64_t n_vertices)
{
    const struct grid *g = w->grid;
    int64_t m = (int64_t)1 << (w->level - 1), n = grid_n_vertices(g, w->level);
    if (n != n_vertices)
        oracle_die("level %d: %lld grid vertices, the witness has %lld", w->level, (long long)n, (long long)n_vertices);
    int32_t *map = xalloc(n, sizeof *map), *back = xalloc(n, sizeof *back);
    memset(map, -1, (size_t)n * sizeof *map);
    memset(back, -1, (size_t)n * sizeof *back);
    for (int32_t v = 0; v < g->n_vertices; v++)
        pair(map, back, (uint32_t)v, w->image[v]);
    for (int64_t row = 0; row < w->n_rows; row++) {
        int64_t c = row / (m * m), j = row / m % m, i = row % m;
        const int32_t *theirs = &face_verts[4 * (int64_t)w->face[row]];
        for (int k = 0; k < 4; k++)
            pair(map, back, grid_vertex(g, w->level, c, i + (k == 1 || k == 2), j + (k >= 2)),
                 theirs[(k + w->turn[row]) & 3]);
    }
    for (int64_t id = 0; id < n; id++)
        if (map[id] < 0)
            oracle_die("grid vertex %lld has no counterpart", (long long)id);
    free(back);
    return map;
}
