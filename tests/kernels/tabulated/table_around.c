/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/tabulated/table_around.h"
#include <stdlib.h>

/* An edge lies between two faces where these two alone have it, in opposite directions. */
static uint32_t mate_of(const struct brute *b, uint32_t c)
{
    uint32_t u = b->vert[c], v = b->vert[b->next[c]], mate = BRUTE_NONE, n = 0;
    for (uint32_t d = 0; d < b->C; d++) {
        uint32_t x = b->vert[d], y = b->vert[b->next[d]];
        if (d == c || !((x == u && y == v) || (x == v && y == u)))
            continue;
        mate = x == v && u != v && b->face[d] != b->face[c] ? d : BRUTE_NONE;
        n++;
    }
    return n == 1 ? mate : BRUTE_NONE;
}

void fans_init(struct fans *f, const struct wild_case *k)
{
    *f = (struct fans){k, xalloc(k->b.C, 4)};
    for (uint32_t c = 0; c < k->b.C; c++)
        f->mate[c] = mate_of(&k->b, c);
}

void fans_fini(struct fans *f)
{
    free(f->mate);
}

/* Counterclockwise from a quad, until there is none or it is the first again. */
static int32_t walk(const struct fans *f, uint32_t start, uint32_t *quad)
{
    int32_t n = 0;
    for (uint32_t q = start; q != BRUTE_NONE && (n == 0 || q != start); q = f->mate[f->k->b.prev[q]])
        quad[n++] = q;
    return n;
}

void fan_find(const struct fans *o, uint32_t c, struct fan *f)
{
    f->open = 1;
    for (uint32_t d = 0; d < o->k->b.C; d++) {
        if (o->k->b.vert[d] != o->k->b.vert[c] || o->mate[d] != BRUTE_NONE)
            continue;
        f->n = walk(o, d, f->quad);
        for (f->own = 0; f->own < f->n; f->own++)
            if (f->quad[f->own] == c)
                return;
    }
    f->open = f->own = 0;
    f->n = walk(o, c, f->quad);
}

float on_level_1(float s)
{
    return s >= 10 ? 10 : s > 1 ? s - 1 : 0;
}

/* Ends of edges at a vertex that are sharp on level 1. */
static int32_t sharp_ends(const struct wild_case *k, uint32_t v)
{
    int32_t n = 0;
    for (int64_t e = 0; e < k->o.E; e++) {
        uint32_t c = k->o.edge_corner[e];
        n += on_level_1(k->o.edge_sharp[e]) > 0 ? (k->b.vert[c] == v) + (k->b.vert[k->b.next[c]] == v) : 0;
    }
    return n;
}

int32_t fan_words(const struct fans *o, uint32_t c, const struct fan *f, float *words)
{
    const struct wild_case *k = o->k;
    const struct brute *b = &k->b;
    uint32_t v = b->vert[c], first = k->o.edge[f->quad[0]], last = k->o.edge[b->prev[f->quad[f->n - 1]]];
    int32_t size = b->end[b->face[c]] - (b->face[c] ? b->end[b->face[c] - 1] : 0), n_edges = f->n + f->open,
            n_sharp = 0;
    if (f->n > MOST_OF_FAN || size > MOST_OF_FAN)
        return 0;
    words[0] = (float)f->n, words[1] = (float)size, words[2] = (float)f->open, words[3] = (float)f->own;
    words[4] = on_level_1(k->o.vert_sharp[v]);
    for (int32_t i = 0; i < n_edges; i++) {
        words[6 + i] = on_level_1(k->o.edge_sharp[i < f->n ? k->o.edge[f->quad[i]] : last]);
        n_sharp += words[6 + i] > 0;
    }
    /* one of several fans: the others' edges must not matter */
    int alone = b->valence[v] == f->n, fixed = words[4] >= 10;
    words[5] = !alone;
    return alone || fixed || (f->open && first != last && n_sharp == sharp_ends(k, v)) ? 6 + n_edges : 0;
}
