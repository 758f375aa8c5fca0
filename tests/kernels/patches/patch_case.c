/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/patches/patch_case.h"
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include <string.h>

static int32_t size_of(const struct wild *w, int32_t f)
{
    return w->first[f + 1] - w->first[f];
}

static int32_t turned(const struct wild *w, int32_t corner, int32_t by)
{
    int32_t f = w->face[corner], n = size_of(w, f);
    return w->first[f] + (corner - w->first[f] + by + n) % n;
}

static double decayed(double s, int n)
{
    for (; n > 0; n--)
        s = s >= 10 ? 10 : s > 1 ? s - 1 : 0;
    return s;
}

static int is_blocked(const struct wild *w, int32_t e)
{
    return w->kind[e] != 0 || w->edge_s[e] >= 10 || w->sides[e][1] < 0;
}

static int is_semi(double s, int n)
{
    return decayed(s, n) > 0 && s < 10;
}

/* The corner across the edge of a corner, of the same edge; -1: none, or more than one. */
static int32_t opposite(const struct patch_case *c, int32_t corner)
{
    const struct wild *w = c->w;
    int32_t e = w->edge[corner];
    if (w->kind[e] != 0 || w->sides[e][1] < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        int32_t f = w->sides[e][i];
        for (int32_t k = w->first[f]; k < w->first[f + 1]; k++)
            if (w->edge[k] == e && k != corner)
                return k;
    }
    return -1;
}

/* The faces of v fall apart at blocked edges: how many hang together with the one at `corner`, and the first and last
 * edge of them, -1 if they go round. */
static int sector_of(const struct patch_case *c, int32_t corner, int32_t *first, int32_t *last)
{
    const struct wild *w = c->w;
    int32_t at = corner, n = 1, next;
    while (!is_blocked(w, w->edge[at])) { /* clockwise */
        at = turned(w, opposite(c, at), 1);
        if (at == corner) {
            *first = *last = -1;
            for (; (next = turned(w, opposite(c, at), 1)) != corner; at = next)
                n++;
            return n;
        }
    }
    *first = w->edge[at];
    for (; !is_blocked(w, w->edge[turned(w, at, -1)]); n++)
        at = opposite(c, turned(w, at, -1));
    *last = w->edge[turned(w, at, -1)];
    return n;
}

int patch_regular(const struct patch_case *c, int32_t v, int n)
{
    const struct wild *w = c->w;
    int n_blocked = 0, n_faces = c->vert_first[v + 1] - c->vert_first[v], regular = 1;
    if (is_semi(w->vert_s[v], n))
        return 0;
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2; i++) {
            if (w->ends[e][i] != v)
                continue;
            n_blocked += is_blocked(w, (int32_t)e);
            regular = regular && (is_blocked(w, (int32_t)e) || !is_semi(w->edge_s[e], n));
        }
    int want = w->vert_s[v] >= 10 || n_blocked > 2 ? 1 : n_blocked == 2 ? 2 : 4;
    if (n_blocked == 1 && want == 4)
        return 0;
    for (int32_t k = c->vert_first[v]; k < c->vert_first[v + 1] && regular; k++) {
        int32_t first, last, corner = c->vert_corner[k];
        regular = sector_of(c, corner, &first, &last) == want && (w->level + n > 0 || size_of(w, w->face[corner]) == 4);
        regular = regular && (want == 4) == (first < 0) && (want != 2 || first != last);
    }
    return regular && (want != 4 || n_faces == 4 || n_faces == 0) && (n_faces > 0 || want != 4);
}

int patch_is_split(const struct patch_case *c, int32_t f)
{
    int split = size_of(c->w, f) != 4;
    for (int32_t k = c->w->first[f]; k < c->w->first[f + 1]; k++)
        split = split || !c->regular[c->w->vert[k]];
    return split;
}

int32_t patch_neighbour(const struct patch_case *c, int32_t f, int i)
{
    int32_t k = opposite(c, turned(c->w, c->lead[f], i));
    return k < 0 ? -1 : c->w->face[k];
}

/* Places of the corners of the 4 x 4: own corner i, and the one two steps along each of its sides. */
int patch_square(const struct patch_case *c, int32_t f, int32_t *vertex)
{
    static const int own[4][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}}, out[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    const struct wild *w = c->w;
    int blocked = 0;
    memset(vertex, 0xff, 16 * sizeof *vertex);
    for (int i = 0; i < 4; i++) {
        int32_t corner = turned(w, c->lead[f], i), across = opposite(c, corner);
        const int *a = own[i], *b = own[(i + 1) & 3], *o = out[i], *before = out[(i + 3) & 3];
        vertex[4 * a[1] + a[0]] = w->vert[corner];
        if (is_blocked(w, w->edge[corner])) {
            blocked |= 1 << i;
            continue;
        }
        int32_t at = turned(w, across, 1); /* the same vertex, across */
        vertex[4 * (a[1] + o[1]) + a[0] + o[0]] = w->vert[turned(w, at, 1)];
        vertex[4 * (b[1] + o[1]) + b[0] + o[0]] = w->vert[turned(w, at, 2)];
        if (!is_blocked(w, w->edge[at]))
            vertex[4 * (a[1] + o[1] + before[1]) + a[0] + o[0] + before[0]] =
                w->vert[turned(w, turned(w, opposite(c, at), 1), 2)];
    }
    for (int i = 0; i < 4; i++) { /* what is missing: first along the edges, then in the corners */
        const int *a = own[i], *b = own[(i + 1) & 3], *o = out[i];
        if (blocked >> i & 1) {
            vertex[4 * (a[1] + o[1]) + a[0] + o[0]] = vertex[4 * a[1] + a[0]];
            vertex[4 * (b[1] + o[1]) + b[0] + o[0]] = vertex[4 * b[1] + b[0]];
        }
    }
    for (int i = 0; i < 4; i++) {
        const int *a = own[i], *o = out[i], *before = out[(i + 3) & 3];
        int32_t *at = vertex + 4 * (a[1] + o[1] + before[1]) + a[0] + o[0] + before[0];
        if (blocked >> i & 1)
            *at = vertex[4 * (a[1] + before[1]) + a[0] + before[0]];
        else if (*at < 0)
            *at = vertex[4 * (a[1] + o[1]) + a[0] + o[0]];
    }
    return blocked;
}

/* ---- keys --------------------------------------------------------------------------------------------------- */
static uint64_t key_of_row(const struct wild_case *k, int level, int64_t row)
{
    int64_t along = ((int64_t)1 << (level - 1)) - 1, points = k->b.V + k->b.F + k->o.E, lines = 2 * k->o.E + k->b.C;
    uint64_t id, x = 0, y = 0;
    if (row < points) {
        id = (uint64_t)row;
    } else if (row < points + lines * along) {
        id = (uint64_t)(points + (row - points) / along);
        x = (uint64_t)((row - points) % along + 1);
    } else {
        row -= points + lines * along;
        id = (uint64_t)(points + lines + row / (along * along));
        y = (uint64_t)(row % (along * along) / along + 1);
        x = (uint64_t)(row % along + 1);
    }
    return id << (2 * (level - 1)) | y << (level - 1) | x;
}

static uint64_t woven(uint64_t u, uint64_t v)
{
    uint64_t z = 0;
    for (int bit = 0; bit < 16; bit++)
        z |= (u >> bit & 1) << (2 * bit) | (v >> bit & 1) << (2 * bit + 1);
    return z;
}

/* Where a grid place of control corner c lies on its parent. */
static void place_on_parent(const struct wild_case *k, int level, int32_t c, const int32_t *at, int64_t *u, int64_t *v)
{
    int32_t f = (int32_t)k->b.face[c], first = f ? k->b.end[f - 1] : 0, side = 1 << level, x = at[0], y = at[1];
    int quarter = k->b.end[f] - first == 4 ? c - first : 0;
    *u = quarter == 0 ? x : quarter == 1 ? side - y : quarter == 2 ? side - x : y;
    *v = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? side - y : side - x;
}

static void name_cell(struct patch_case *c, int32_t f)
{
    const struct wild *w = c->w;
    const struct wild_case *k = c->k;
    if (w->level == 0) {
        c->lead[f] = w->first[f];
        c->cell[f] = (uint64_t)w->first[f];
        return;
    }
    int32_t parent = (int32_t)k->b.face[w->home[f]], first = parent ? k->b.end[parent - 1] : 0;
    int64_t least_u = INT64_MAX, least_v = INT64_MAX;
    for (int i = 0; i < 4; i++) {
        int64_t u, v;
        place_on_parent(k, w->level, w->home[f], w->at[f][i], &u, &v);
        if (i == 0 || u + v < least_u + least_v)
            least_u = u, least_v = v, c->lead[f] = w->first[f] + i;
    }
    uint64_t base = (uint64_t)(k->b.end[parent] - first == 4 ? first : w->home[f]);
    c->cell[f] = base << (2 * w->level) | woven((uint64_t)least_u, (uint64_t)least_v);
}

void patch_case_init(struct patch_case *c, const struct wild_case *k, const struct wild *w)
{
    *c = (struct patch_case){.k = k, .w = w};
    c->vert_first = xalloc(w->V + 1, 4), c->vert_corner = xalloc(w->C, 4), c->regular = xalloc(w->V, 1);
    c->cell = xalloc(w->F, 8), c->lead = xalloc(w->F, 4), c->number = xalloc(w->V, 8);
    int32_t *at = xalloc(w->V, 4);
    for (int64_t i = 0; i < w->C; i++)
        c->vert_first[w->vert[i] + 1]++;
    for (int64_t v = 0; v < w->V; v++)
        c->vert_first[v + 1] += c->vert_first[v];
    for (int32_t i = 0; i < w->C; i++)
        c->vert_corner[c->vert_first[w->vert[i]] + at[w->vert[i]]++] = i;
    for (int32_t v = 0; v < w->V; v++) {
        c->regular[v] = (unsigned char)patch_regular(c, v, 0);
        c->number[v] = w->level ? key_of_row(k, w->level, w->row[v]) : (uint64_t)v;
    }
    for (int32_t f = 0; f < w->F; f++)
        name_cell(c, f);
    free(at);
}

void patch_case_fini(struct patch_case *c)
{
    free(c->vert_first), free(c->vert_corner), free(c->regular), free(c->cell), free(c->lead), free(c->number);
}

void patch_levels(const struct patch_case *control, int32_t *level)
{
    for (int32_t v = 0; v < control->w->V; v++) {
        level[v] = 0;
        while (level[v] <= 10 && !patch_regular(control, v, level[v]))
            level[v]++;
        if (level[v] > 10)
            level[v] = SDD_NEVER_REGULAR;
    }
}

int64_t patch_holes(const struct patch_case *c, uint64_t *random, unsigned char *hole, uint32_t *shown)
{
    const struct brute *b = &c->k->b;
    int64_t n = 0;
    for (int64_t f = 0; f < b->F; f++)
        hole[f] = random_below(random, 5) == 0;
    for (int64_t i = 0; i < b->C; i++)
        if (!hole[b->face[i]])
            shown[n++] = (uint32_t)i;
    return n;
}

struct sdd_features patch_upload(const struct patch_case *c, const int32_t *regular, const uint32_t *shown, int64_t n)
{
    struct sdd_features f = {.mesh = wild_upload(c->k, (int)(n & 1)), .n_visible = (uint32_t)n};
    f.regular = launch_in(regular, c->k->b.V, 4);
    f.visible = shown ? launch_in(shown, n, 4) : NULL;
    return f;
}
