/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/edge_friend/levels.h"
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include <string.h>

struct on_edge {
    uint32_t from, to, edge;
};

static int on_edge_order(const void *a, const void *b)
{
    const struct on_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Each off-edge is the on-edge of another quad, which runs along it the other way. */
static void match_friends(struct level_quads *q)
{
    struct on_edge *on = xalloc(2 * q->n_quads, sizeof *on);
    for (int64_t i = 0; i < q->n_quads; i++)
        for (uint32_t k = 0; k < 2; k++)
            on[2 * i + k] = (struct on_edge){q->v[i][2 * k], q->v[i][2 * k + 1], (uint32_t)(2 * i + k)};
    qsort(on, (size_t)(2 * q->n_quads), sizeof *on, on_edge_order);
    for (int64_t i = 1; i < 2 * q->n_quads; i++)
        if (on_edge_order(on + i - 1, on + i) == 0)
            oracle_die("on-edges %u and %u run from %u to %u", on[i - 1].edge, on[i].edge, on[i].from, on[i].to);
    for (int64_t i = 0; i < q->n_quads; i++)
        for (int k = 0; k < 2; k++) {
            const struct on_edge key = {q->v[i][k ? 0 : 2], q->v[i][k ? 3 : 1], 0};
            const struct on_edge *found = bsearch(&key, on, (size_t)(2 * q->n_quads), sizeof *on, on_edge_order);
            if (!found)
                oracle_die("off-edge %d of quad %lld has no friend", k, (long long)i);
            q->friends[i][k] = found->edge;
        }
    free(on);
}

static void list_corners(struct level_quads *q)
{
    int64_t *at = xalloc(q->n_slots, sizeof *at);
    for (int64_t c = 0; c < 4 * q->n_quads; c++)
        q->first[q->v[c / 4][c % 4] + 1]++;
    for (int64_t s = 0; s < q->n_slots; s++)
        q->first[s + 1] += q->first[s];
    for (int64_t c = 0; c < 4 * q->n_quads; c++) {
        uint32_t s = q->v[c / 4][c % 4];
        q->corner[q->first[s] + at[s]++] = (uint32_t)c;
    }
    free(at);
}

static void level_alloc(struct level_quads *q)
{
    q->v = xalloc(q->n_quads, sizeof *q->v);
    q->friends = xalloc(q->n_quads, sizeof *q->friends);
    q->origin = xalloc(q->n_quads, sizeof *q->origin);
    q->at = xalloc(q->n_quads, sizeof *q->at);
    q->home = xalloc(q->n_quads, sizeof *q->home);
    q->control = xalloc(q->n_slots, sizeof *q->control);
    q->first = xalloc(q->n_slots + 1, sizeof *q->first);
    q->corner = xalloc(4 * q->n_quads, sizeof *q->corner);
    for (int64_t s = 0; s < q->n_slots; s++)
        q->control[s] = -1;
}

void level_first(struct level_quads *q, const struct brute *b)
{
    *q = (struct level_quads){.level = 1, .n_quads = b->C + b->B, .n_real = b->C};
    q->n_slots = b->V + b->F + b->E + b->H;
    level_alloc(q);
    for (int64_t c = 0; c < q->n_quads; c++) {
        static const int32_t square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        int64_t f = b->face[c], edges = b->V + b->F, face_point = f < b->F ? b->V + f : edges + b->E + f - b->F;
        uint32_t after = b->edge[c], before = b->edge[b->prev[c]];
        q->v[c][0] = b->vert[c];
        q->v[c][1] = (uint32_t)edges + after;
        q->v[c][2] = (uint32_t)face_point;
        q->v[c][3] = (uint32_t)edges + before;
        q->origin[c][0] = (int32_t)after;
        q->origin[c][1] = q->origin[c][2] = -1;
        q->origin[c][3] = (int32_t)before;
        memcpy(q->at[c], square, sizeof square);
        q->home[c] = (uint32_t)c;
    }
    for (int32_t v = 0; v < b->V; v++)
        q->control[v] = v;
    match_friends(q);
    list_corners(q);
}

static uint32_t moved(const struct level_quads *q, int64_t slot)
{
    return (uint32_t)(slot < q->n_quads ? 4 * slot : 3 * q->n_quads + slot);
}

void level_next(const struct level_quads *q, struct level_quads *to)
{
    int64_t Q = q->n_quads, S = q->n_slots;
    *to = (struct level_quads){.level = q->level + 1, .n_quads = 4 * Q, .n_real = 4 * q->n_real};
    to->n_slots = S > Q ? 3 * Q + S : 4 * Q;
    level_alloc(to);
    for (int64_t i = 0; i < Q; i++) {
        const uint32_t on[4] = {(uint32_t)(2 * i), q->friends[i][0], (uint32_t)(2 * i + 1), q->friends[i][1]};
        for (int k = 0; k < 4; k++) { /* child k begins at corner k and follows the winding */
            int64_t child = 4 * i + k;
            int b = (k + 3) % 4, n = (k + 1) % 4;
            to->v[child][0] = moved(q, q->v[i][k]);
            to->v[child][1] = 4 * (on[k] / 2) + 2 + on[k] % 2;
            to->v[child][2] = (uint32_t)(4 * i + 1);
            to->v[child][3] = 4 * (on[b] / 2) + 2 + on[b] % 2;
            to->origin[child][0] = q->origin[i][k];
            to->origin[child][1] = to->origin[child][2] = -1;
            to->origin[child][3] = q->origin[i][b];
            for (int x = 0; x < 2; x++) {
                const int32_t *at[4] = {q->at[i][0], q->at[i][1], q->at[i][2], q->at[i][3]};
                to->at[child][0][x] = 2 * at[k][x];
                to->at[child][1][x] = at[k][x] + at[n][x];
                to->at[child][2][x] = at[0][x] + at[2][x];
                to->at[child][3][x] = at[b][x] + at[k][x];
            }
            to->home[child] = q->home[i];
        }
    }
    for (int64_t s = 0; s < S; s++)
        to->control[moved(q, s)] = q->control[s];
    match_friends(to);
    list_corners(to);
}

void level_fini(struct level_quads *q)
{
    free(q->v), free(q->friends), free(q->origin), free(q->at), free(q->home);
    free(q->control), free(q->first), free(q->corner);
}

static float after_levels(float s, int level)
{
    return s >= 10 ? 10 : s > (float)level ? s - (float)level : 0;
}

float level_sharpness(const struct level_quads *q, const struct brute *b, int64_t i, int k)
{
    return q->origin[i][k] < 0 ? 0 : after_levels(b->edge_sharp[q->origin[i][k]], q->level);
}

float level_vertex_sharpness(const struct level_quads *q, const struct brute *b, int64_t slot)
{
    return q->control[slot] < 0 ? 0 : after_levels(b->vert_sharp[q->control[slot]], q->level);
}

struct level_marks level_marked(const struct level_quads *q, const struct brute *b)
{
    struct level_marks m = {xalloc(q->n_quads, sizeof *m.friends), poisoned(q->n_quads, sizeof *m.sharp)};
    for (int64_t i = 0; i < q->n_quads; i++) {
        float sharp = b ? level_sharpness(q, b, i, 3) : 0;
        if (b && level_sharpness(q, b, i, 1) > 0)
            oracle_die("side 1 of quad %lld is sharp", (long long)i);
        m.friends[i][0] = q->friends[i][0];
        m.friends[i][1] = q->friends[i][1] | (sharp > 0 ? 0x80000000u : 0);
        if (sharp > 0)
            m.sharp[i] = sharp;
    }
    return m;
}

void level_marks_free(struct level_marks *m)
{
    free(m->friends), free(m->sharp);
}

int level_is_used(const struct level_quads *q, int64_t slot)
{
    return q->first[slot + 1] > q->first[slot];
}

int level_is_real(const struct level_quads *q, int64_t slot)
{
    return level_is_used(q, slot) && q->corner[q->first[slot]] < 4 * q->n_real;
}
