/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/queries/naive.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>

/* ---- edges ------------------------------------------------------------------------------------------------------- */
struct use {
    uint32_t low, high;
    int32_t own, corner; /* own: no other face shares this use */
};

static int by_ends(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->own != y->own ? x->own - y->own : (x->corner > y->corner) - (x->corner < y->corner);
}

static int64_t after(const struct naive *n, int64_t f, int64_t c)
{
    return c + 1 < n->first[f + 1] ? c + 1 : n->first[f];
}

static int64_t before(const struct naive *n, int64_t f, int64_t c)
{
    return c > n->first[f] ? c - 1 : n->first[f + 1] - 1;
}

static int64_t face_of(const struct naive *n, int64_t c)
{
    int64_t f = 0;
    while (n->first[f + 1] <= c)
        f++;
    return f;
}

static void number_edges(struct naive *n)
{
    struct use *use = xalloc(n->C, sizeof *use);
    for (int64_t f = 0; f < n->F; f++)
        for (int64_t c = n->first[f]; c < n->first[f + 1]; c++) {
            const uint32_t a = n->vert[c], b = n->vert[after(n, f, c)];
            use[c] = (struct use){a < b ? a : b, a < b ? b : a, a == b, (int32_t)c};
            for (int64_t k = n->first[f]; k < c; k++)
                use[c].own |= use[k].low == use[c].low && use[k].high == use[c].high;
        }
    qsort(use, (size_t)n->C, sizeof *use, by_ends);
    for (int64_t i = 0; i < n->C; i++) {
        if (i == 0 || use[i].own || use[i - 1].own || use[i].low != use[i - 1].low || use[i].high != use[i - 1].high) {
            n->end[n->E][0] = use[i].low;
            n->end[n->E++][1] = use[i].high;
        }
        n->edge[use[i].corner] = (uint32_t)(n->E - 1);
    }
    free(use);
}

void naive_init(struct naive *n, int64_t n_vertices, int64_t n_faces, const int32_t *counts, const int32_t *vertices,
                int left_handed)
{
    *n = (struct naive){.V = n_vertices, .F = n_faces};
    n->first = xalloc(n_faces + 1, sizeof *n->first);
    for (int64_t f = 0; f < n_faces; f++)
        n->first[f + 1] = n->first[f] + counts[f];
    n->C = n->first[n_faces];
    n->vert = xalloc(n->C, sizeof *n->vert);
    n->edge = xalloc(n->C, sizeof *n->edge);
    n->end = xalloc(n->C, sizeof *n->end);
    for (int64_t f = 0; f < n_faces; f++)
        for (int64_t k = 0; k < counts[f]; k++)
            n->vert[n->first[f] + k] = (uint32_t)vertices[n->first[f] + (left_handed && k ? counts[f] - k : k)];
    number_edges(n);
    n->hit = xalloc(naive_most(n), 1);
}

void naive_fini(struct naive *n)
{
    free(n->first), free(n->vert), free(n->edge), free(n->end), free(n->hit);
}

int64_t naive_count(const struct naive *n, int relation)
{
    return relation <= SDD_VF ? n->V : relation <= SDD_EF ? n->E : n->F;
}

int64_t naive_most(const struct naive *n)
{
    return n->V + n->C + n->F + 2 * n->C;
}

int naive_sign(const struct naive *n, int64_t c)
{
    return n->vert[c] != n->end[n->edge[c]][0];
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* The ids below `count` that are marked, without x; clears the marks. */
static int64_t take_marked(const struct naive *n, int64_t count, int64_t x, uint32_t *out)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        if (n->hit[i] && i != x)
            out[found++] = (uint32_t)i;
        n->hit[i] = 0;
    }
    return found;
}

/* Marks the faces that have an edge (or a vertex). */
static void mark_faces(const struct naive *n, const uint32_t *of_corner, uint32_t id)
{
    for (int64_t f = 0; f < n->F; f++)
        for (int64_t c = n->first[f]; c < n->first[f + 1]; c++)
            n->hit[f] |= of_corner[c] == id;
}

int64_t naive_row(const struct naive *n, int relation, int64_t x, uint32_t *out)
{
    const uint32_t id = (uint32_t)x;
    switch (relation) {
    case SDD_VV:
        for (int64_t e = 0; e < n->E; e++)
            for (int k = 0; k < 2; k++)
                if (n->end[e][k] == id)
                    n->hit[n->end[e][!k]] = 1;
        return take_marked(n, n->V, x, out);
    case SDD_VE:
        for (int64_t e = 0; e < n->E; e++)
            n->hit[e] = n->end[e][0] == id || n->end[e][1] == id;
        return take_marked(n, n->E, -1, out);
    case SDD_VF: mark_faces(n, n->vert, id); return take_marked(n, n->F, -1, out);
    case SDD_EV: memcpy(out, n->end[x], sizeof n->end[x]); return 2;
    case SDD_EF: mark_faces(n, n->edge, id); return take_marked(n, n->F, -1, out);
    case SDD_FF:
        for (int64_t c = n->first[x]; c < n->first[x + 1]; c++)
            mark_faces(n, n->edge, n->edge[c]);
        return take_marked(n, n->F, x, out);
    default:
        for (int64_t c = n->first[x]; c < n->first[x + 1]; c++)
            *out++ = relation == SDD_FV ? n->vert[c] : n->edge[c];
        return n->first[x + 1] - n->first[x];
    }
}

int64_t naive_ring(const struct naive *n, int relation, int64_t x, int ring, uint32_t *out)
{
    const int64_t count = naive_count(n, relation);
    uint32_t *row = xalloc(naive_most(n), sizeof *row);
    int *steps = xalloc(count, sizeof *steps); /* 0: not found yet */
    steps[x] = -1;
    for (int k = 1; k <= ring; k++)
        for (int64_t y = 0; y < count; y++) {
            if (k == 1 ? y != x : steps[y] != k - 1)
                continue;
            for (int64_t i = 0, length = naive_row(n, relation, y, row); i < length; i++)
                if (steps[row[i]] == 0)
                    steps[row[i]] = k;
        }
    int64_t found = 0;
    for (int64_t y = 0; y < count; y++)
        if (steps[y] > 0)
            out[found++] = (uint32_t)y;
    free(row), free(steps);
    return found;
}

/* ---- fans -------------------------------------------------------------------------------------------------------- */
struct wedge { /* a face at a vertex, between the edge that leaves it and the one that comes back */
    uint32_t out, in;
    int64_t face;
    int fan; /* -1: in none yet */
};

static uint32_t other_end(const struct naive *n, uint32_t e, uint32_t v)
{
    return n->end[e][0] == v ? n->end[e][1] : n->end[e][0];
}

static int64_t find_wedge(const struct wedge *w, int64_t n_wedges, uint32_t out)
{
    for (int64_t i = 0; i < n_wedges; i++)
        if (w[i].out == out)
            return i;
    return -1;
}

static int is_entered(const struct wedge *w, int64_t n_wedges, uint32_t edge)
{
    for (int64_t i = 0; i < n_wedges; i++)
        if (w[i].in == edge)
            return 1;
    return 0;
}

/* The wedges of v; -1 where two leave or two enter by one edge, or an edge has equal ends. */
static int64_t find_wedges(const struct naive *n, uint32_t v, struct wedge *w)
{
    int64_t n_wedges = 0;
    for (int64_t c = 0; c < n->C; c++)
        if (n->vert[c] == v) {
            const int64_t f = face_of(n, c);
            const uint32_t out = n->edge[c], in = n->edge[before(n, f, c)];
            if (n->end[out][0] == n->end[out][1] || find_wedge(w, n_wedges, out) >= 0 || is_entered(w, n_wedges, in))
                return -1;
            w[n_wedges++] = (struct wedge){out, in, f, -1};
        }
    return n_wedges;
}

/* The wedge at which the next fan begins: an edge that no wedge comes back by, else the lowest edge. -1: all are in
 * fans. */
static int64_t next_head(const struct wedge *w, int64_t n_wedges)
{
    int64_t best = -1;
    int best_opens = 0;
    for (int64_t i = 0; i < n_wedges; i++) {
        const int opens = !is_entered(w, n_wedges, w[i].out);
        if (w[i].fan < 0 && (best < 0 || opens > best_opens || (opens == best_opens && w[i].out < w[best].out))) {
            best = i;
            best_opens = opens;
        }
    }
    return best;
}

static int64_t put(const struct naive *n, int relation, uint32_t v, uint32_t edge, int64_t face, uint32_t *out)
{
    if (relation == SDD_VF && face < 0)
        return 0;
    *out = relation == SDD_VF ? (uint32_t)face : relation == SDD_VE ? edge : other_end(n, edge, v);
    return 1;
}

/* The fan that begins at wedge `head`. Without `out` it only says what its lowest edge is. */
static int64_t walk(const struct naive *n, int relation, uint32_t v, struct wedge *w, int64_t n_wedges, int64_t head,
                    int fan, uint32_t *out, uint32_t *lowest)
{
    int64_t length = 0, i = head;
    uint32_t edge = w[head].out;
    *lowest = edge;
    do {
        w[i].fan = fan;
        if (out)
            length += put(n, relation, v, w[i].out, w[i].face, out + length);
        edge = w[i].in;
        *lowest = edge < *lowest ? edge : *lowest;
        i = find_wedge(w, n_wedges, edge);
    } while (i >= 0 && i != head);
    if (i < 0 && out)
        length += put(n, relation, v, edge, -1, out + length);
    return length;
}

int64_t naive_fan(const struct naive *n, int relation, int64_t x, uint32_t *out)
{
    struct wedge *w = xalloc(n->C, sizeof *w);
    int64_t *heads = xalloc(n->C, sizeof *heads), n_heads = 0, length = 0;
    uint32_t *lowest = xalloc(n->C, sizeof *lowest), ignored;
    const int64_t n_wedges = find_wedges(n, (uint32_t)x, w);
    for (int64_t head; n_wedges > 0 && (head = next_head(w, n_wedges)) >= 0; n_heads++) {
        heads[n_heads] = head;
        (void)walk(n, relation, (uint32_t)x, w, n_wedges, head, (int)n_heads, NULL, lowest + n_heads);
    }
    for (int64_t k = 0; k < n_heads; k++) { /* the fan of the lowest neighbour, the first found of those */
        int64_t best = -1;
        for (int64_t i = 0; i < n_heads; i++)
            if (heads[i] >= 0 &&
                (best < 0 || other_end(n, lowest[i], (uint32_t)x) < other_end(n, lowest[best], (uint32_t)x)))
                best = i;
        length += walk(n, relation, (uint32_t)x, w, n_wedges, heads[best], (int)best, out + length, &ignored);
        heads[best] = -1;
    }
    free(w), free(heads), free(lowest);
    return n_wedges < 0 ? -1 : length;
}
