/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/brute.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void faces(struct brute *b, const struct sdd_mesh_desc *d)
{
    int32_t first = 0;
    for (int64_t f = 0; f < b->F; f++) {
        int32_t n = d->face_counts[f];
        for (int32_t k = 0; k < n; k++) {
            int32_t c = first + k, authored = first + (d->options.orientation == SDD_LEFT_HANDED ? (n - k) % n : k);
            b->vert[c] = (uint32_t)d->face_vertices[authored];
            b->face[c] = (uint32_t)f;
            b->next[c] = (uint32_t)(first + (k + 1) % n);
            b->prev[c] = (uint32_t)(first + (k + n - 1) % n);
            if (b->uv)
                b->uv[c] = (uint32_t)d->uv_indices[authored];
            b->valence[b->vert[c]]++;
            for (int32_t j = first; j < c && b->bad_repeat < 0; j++)
                if (b->vert[j] == b->vert[c])
                    b->bad_repeat = c;
        }
        b->end[f] = first += n;
    }
}

static void list_corners(struct brute *b)
{
    uint32_t n = 0;
    for (int64_t v = 0; v < b->V; v++) {
        b->vert_begin[v] = b->vert_end[v] = n;
        n += (uint32_t)b->valence[v];
    }
    for (int32_t c = 0; c < b->C; c++)
        b->vert_corner[b->vert_end[b->vert[c]]++] = c;
}

static int half_order(const void *a, const void *b)
{
    const struct brute_half *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->corner < y->corner ? -1 : 1;
}

struct brute_half *brute_halves(const uint32_t *vert, const uint32_t *next, int64_t n)
{
    struct brute_half *half = xalloc(n, sizeof *half);
    for (int64_t c = 0; c < n; c++) {
        uint32_t u = vert[c], v = vert[next[c]];
        half[c] = (struct brute_half){u < v ? u : v, u < v ? v : u, (int32_t)c};
    }
    qsort(half, (size_t)n, sizeof *half, half_order);
    return half;
}

static int64_t number_edges(const struct brute_half *half, int64_t n, uint32_t *edge, uint32_t *edge_corner)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || half[i].low != half[i - 1].low || half[i].high != half[i - 1].high)
            edge_corner[count++] = (uint32_t)half[i].corner;
        edge[half[i].corner] = (uint32_t)(count - 1);
    }
    return count;
}

static void twins(struct brute *b)
{
    for (int64_t i = 0, n = 0; i < b->C; i += n) {
        for (n = 1; i + n < b->C && b->half[i + n].low == b->half[i].low && b->half[i + n].high == b->half[i].high;)
            n++;
        int32_t c = b->half[i].corner, d = n == 2 ? b->half[i + 1].corner : c;
        int twins = n == 2 && b->vert[c] != b->vert[d] && b->face[c] != b->face[d];
        int bad = b->half[i].low == b->half[i].high || (n > 1 && !twins);
        for (int64_t k = 0; k < n; k++) {
            b->real_twin[b->half[i + k].corner] = BRUTE_NONE;
            b->bad_edge[b->half[i + k].corner] = (unsigned char)bad;
        }
        if (twins) {
            b->real_twin[c] = (uint32_t)d;
            b->real_twin[d] = (uint32_t)c;
        } else if (bad && (b->bad_corner < 0 || c < b->bad_corner)) {
            b->bad_corner = c;
        }
    }
}

static int32_t root(const int32_t *parent, int32_t c)
{
    while (parent[c] != c)
        c = parent[c];
    return c;
}

/* The faces around a vertex are one fan when its corners hang together across the vertex's edges. */
static void fans(struct brute *b)
{
    int32_t *parent = xalloc(b->C, sizeof *parent);
    for (int32_t c = 0; c < b->C; c++)
        parent[c] = c;
    for (int32_t c = 0; c < b->C; c++) {
        uint32_t t = b->real_twin[c]; /* runs to this corner's vertex: the corner after it is a neighbour */
        if (t != BRUTE_NONE)
            parent[root(parent, (int32_t)b->next[t])] = root(parent, c);
    }
    for (int32_t c = 0; c < b->C; c++)
        b->n_fans[b->vert[c]] += root(parent, c) == c;
    for (int64_t v = b->V - 1; v >= 0; v--)
        if (b->n_fans[v] > 1)
            b->bad_vertex = v;
    free(parent);
}

static void close_borders(struct brute *b)
{
    for (int64_t c = 0; c < b->C; c++)
        if (b->real_twin[c] == BRUTE_NONE)
            b->border[b->B++] = (uint32_t)c;
    memcpy(b->twin, b->real_twin, (size_t)b->C * sizeof *b->twin);
    for (int64_t g = 0; g < b->B; g++) {
        uint32_t c = b->border[g], ghost = (uint32_t)(b->C + g);
        b->vert[ghost] = b->vert[b->next[c]];
        b->edge[ghost] = b->edge[c];
        b->twin[ghost] = c;
        b->twin[c] = ghost;
        for (int64_t h = 0; h < b->B; h++) /* the ghost that begins where this one ends */
            if (b->vert[b->next[b->border[h]]] == b->vert[c]) {
                b->next[ghost] = (uint32_t)(b->C + h);
                b->prev[b->C + h] = ghost;
            }
    }
    for (int64_t g = 0; g < b->B; g++) {
        uint32_t least = (uint32_t)g;
        for (uint32_t h = b->next[b->C + g]; h != b->C + g; h = b->next[h])
            if (h - (uint32_t)b->C < least)
                least = h - (uint32_t)b->C;
        b->loop[g] = least;
        if (least == g)
            b->ghost_first[b->H++] = (uint32_t)(b->C + g);
    }
    for (int64_t g = 0; g < b->B; g++)
        for (int64_t h = 0; h < b->H; h++)
            if (b->ghost_first[h] == b->C + b->loop[g])
                b->face[b->C + g] = (uint32_t)(b->F + h);
}

/* Authored sharpness (the last row wins), then what boundaries imply. */
static void tags(struct brute *b, const struct sdd_mesh_desc *d)
{
    for (int64_t e = 0; e < b->E; e++) {
        uint32_t c = b->edge_corner[e], u = b->vert[c], v = b->vert[b->next[c]];
        for (int64_t i = 0; i < d->n_creases; i++) {
            uint32_t x = (uint32_t)d->crease_edges[2 * i], y = (uint32_t)d->crease_edges[2 * i + 1];
            if ((x == u && y == v) || (x == v && y == u))
                b->edge_sharp[e] = fminf(d->crease_sharpness[i], 10.0f);
        }
        if (b->real_twin[c] != BRUTE_NONE)
            continue;
        if (d->options.boundary == SDD_BOUNDARY_NONE && b->edge_sharp[e] < 10.0f)
            b->soft[u] = b->soft[v] = 1;
        b->edge_sharp[e] = 10.0f;
    }
    for (int64_t i = 0; i < d->n_corner_tags; i++)
        b->vert_sharp[d->corner_vertices[i]] = fminf(d->corner_sharpness[i], 10.0f);
    for (int64_t v = 0; v < b->V && d->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER; v++)
        if (b->valence[v] == 1)
            b->vert_sharp[v] = 10.0f;
    for (int64_t i = 0; i < d->n_holes; i++)
        b->hole[d->hole_faces[i]] = 1;
    for (int64_t c = 0; c < b->C; c++)
        if (b->soft[b->vert[c]])
            b->hole[b->face[c]] = 1;
}

static uint32_t *words(int64_t n)
{
    return xalloc(n, sizeof(uint32_t));
}

void brute_init(struct brute *b, const struct sdd_mesh_desc *d)
{
    int64_t C = d->n_corners, most = 2 * C, V = d->n_vertices, F = d->n_faces, U = d->n_uvs;
    *b = (struct brute){.V = V, .F = F, .C = C, .U = U, .bad_repeat = -1, .bad_corner = -1, .bad_vertex = -1};
    b->end = xalloc(F, sizeof *b->end);
    b->vert = words(most), b->face = words(most), b->next = words(most), b->prev = words(most), b->edge = words(most);
    b->twin = words(most), b->real_twin = words(C), b->edge_corner = words(C);
    b->uv = U ? words(C) : NULL, b->uv_edge = U ? words(C) : NULL, b->uv_edge_corner = U ? words(C) : NULL;
    b->border = words(C), b->loop = words(C), b->ghost_first = words(C);
    b->valence = xalloc(V, sizeof *b->valence), b->n_fans = xalloc(V, sizeof *b->n_fans), b->bad_edge = xalloc(C, 1);
    b->edge_sharp = xalloc(C, sizeof *b->edge_sharp), b->vert_sharp = xalloc(V, sizeof *b->vert_sharp);
    b->soft = words(V), b->hole = words(F);
    b->vert_begin = words(V), b->vert_end = words(V), b->vert_corner = xalloc(C, sizeof *b->vert_corner);
    faces(b, d);
    list_corners(b);
    b->half = brute_halves(b->vert, b->next, C);
    b->E = number_edges(b->half, C, b->edge, b->edge_corner);
    if (U) {
        struct brute_half *half = brute_halves(b->uv, b->next, C);
        b->E_uv = number_edges(half, C, b->uv_edge, b->uv_edge_corner);
        free(half);
    }
    twins(b);
    fans(b);
    if (b->bad_repeat >= 0 || b->bad_corner >= 0 || b->bad_vertex >= 0)
        return;
    close_borders(b);
    tags(b, d);
}

void brute_fini(struct brute *b)
{
    void *all[] = {
        b->end,        b->vert,     b->face,        b->next,       b->prev,       b->edge,           b->real_twin,
        b->twin,       b->half,     b->edge_corner, b->uv,         b->uv_edge,    b->uv_edge_corner, b->valence,
        b->border,     b->loop,     b->ghost_first, b->edge_sharp, b->vert_sharp, b->soft,           b->hole,
        b->vert_begin, b->vert_end, b->vert_corner, b->n_fans,     b->bad_edge};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
