/* SPDX-License-Identifier: Apache-2.0 */
/* random_tags.c: options, sharpness, holes and UVs of random_mesh.h. */
#include "tests/oracle/random_mesh.h"
#include <string.h>

enum { MOST_QUADS = 16000 }; /* of the refined mesh */

static float sharpness(struct dice *d)
{
    static const float values[] = {0, 0.3f, 1, 1.5f, 2, 4.7f, 9.5f, 10};
    return values[dice_from(d, 0, 7)];
}

static void add_crease(struct dice *d, struct tagged_mesh *m, const struct tagged_edge *e, float s)
{
    int turned = dice_one_in(d, 2);
    if (m->n_creases == TAGGED_TAGS)
        return;
    m->creases[m->n_creases][0] = turned ? e->b : e->a;
    m->creases[m->n_creases][1] = turned ? e->a : e->b;
    m->sharpness[m->n_creases++] = s;
}

/* A walk over edges from a random one on; a step may go back. Returns how many. */
static int walk(struct dice *d, const struct tagged_edge *edges, int32_t n_edges, int most, int32_t *out)
{
    int32_t e = dice_from(d, 0, n_edges - 1), at = edges[e].b;
    int n = 0;
    out[n++] = e;
    for (int tries = 0; tries < 40 && n < most; tries++) {
        int32_t next = dice_from(d, 0, n_edges - 1);
        for (int32_t k = 0; k < n_edges && edges[next].a != at && edges[next].b != at; k++)
            next = (next + 1) % n_edges;
        if (next == out[n - 1] || (edges[next].a != at && edges[next].b != at))
            continue;
        at = edges[next].a == at ? edges[next].b : edges[next].a;
        out[n++] = next;
    }
    return n;
}

static void add_creases(struct dice *d, struct tagged_mesh *m)
{
    struct tagged_edge edges[TAGGED_CORNERS];
    int32_t uses[TAGGED_CORNERS], chain[8], n = tagged_edges(m, edges, uses);
    uint32_t rate = (uint32_t)dice_from(d, 1, 12);
    for (int chains = dice_from(d, 0, 4); chains > 0 && n > 0; chains--) {
        float s = sharpness(d);
        int same = dice_one_in(d, 2), length = walk(d, edges, n, dice_from(d, 2, 8), chain);
        for (int i = 0; i < length; i++)
            add_crease(d, m, &edges[chain[i]], same ? s : sharpness(d));
    }
    for (int32_t e = 0; e < n && rate < 8; e++) /* else only chains */
        if (dice_one_in(d, rate * rate))
            add_crease(d, m, &edges[e], sharpness(d));
}

void random_tags(struct dice *d, struct tagged_mesh *m)
{
    uint32_t corner_rate = (uint32_t)dice_from(d, 3, 20);
    int holes = dice_one_in(d, 4), tags = !dice_one_in(d, 5);
    if (tags)
        add_creases(d, m);
    for (int32_t v = 0; v < m->n_vertices && tags; v++)
        if (dice_one_in(d, corner_rate)) {
            m->corners[m->n_corner_tags] = v;
            m->corner_sharpness[m->n_corner_tags++] = sharpness(d);
        }
    for (int32_t f = 0; f < m->n_faces && holes; f++)
        if (dice_one_in(d, 6))
            m->holes[m->n_holes++] = f;
}

/* ---- UVs: a value is a class of corners that an edge without a seam joins ---------------------------------------- */
/* Which edges are seams: chains, some alone, all around some faces. */
static void choose_seams(struct dice *d, const struct tagged_mesh *m, const struct tagged_edge *edges, int32_t n_edges,
                         const int32_t *uses, unsigned char *seam)
{
    static const uint32_t rates[] = {2, 4, 10, 1000000, 1000000};
    uint32_t rate = rates[dice_from(d, 0, 4)], island = dice_one_in(d, 3) ? 8 : 1000000;
    unsigned char alone[TAGGED_CORNERS];
    int32_t chain[12];
    for (int32_t f = 0, c = 0; f < m->n_faces; f++)
        for (int32_t k = 0, is = dice_one_in(d, island); k < m->counts[f]; k++)
            alone[c++] = (unsigned char)is;
    for (int32_t e = 0; e < n_edges; e++) {
        seam[e] = (unsigned char)dice_one_in(d, rate);
        for (int32_t k = 0; k < edges[e].n_uses; k++)
            seam[e] |= alone[uses[edges[e].first + k]];
    }
    for (int chains = dice_from(d, 0, 3); chains > 0 && n_edges > 0; chains--) {
        int n = walk(d, edges, n_edges, dice_from(d, 1, 12), chain);
        for (int i = 0; i < n; i++)
            seam[chain[i]] = 1;
    }
}

static void join_corners(struct dice *d, const struct tagged_mesh *m, int32_t *value)
{
    struct tagged_edge edges[TAGGED_CORNERS];
    unsigned char seam[TAGGED_CORNERS], whole[TAGGED_VERTICES];
    int32_t uses[TAGGED_CORNERS], n = tagged_edges(m, edges, uses), any[TAGGED_VERTICES];
    uint32_t half = dice_one_in(d, 3) ? 12 : 1000000, joined = dice_one_in(d, 2) ? 10 : 1000000;
    choose_seams(d, m, edges, n, uses, seam);
    for (int32_t e = 0; e < n; e++)
        for (int32_t k = 1; k < edges[e].n_uses; k++) {
            const int32_t *u = &uses[edges[e].first + k], ends[2] = {edges[e].a, edges[e].b};
            int one = dice_one_in(d, half), which = dice_from(d, 0, 1);
            for (int end = 0; end < 2; end++)
                if (one ? end == which : !seam[e])
                    value[tagged_find(value, tagged_corner(m, u[0], ends[end]))] =
                        tagged_find(value, tagged_corner(m, u[-1], ends[end]));
        }
    for (int32_t v = 0; v < m->n_vertices; v++) { /* one value at the whole vertex, whatever the edges say */
        whole[v] = (unsigned char)dice_one_in(d, joined);
        any[v] = -1;
    }
    for (int32_t c = 0; c < m->n_corners; c++) {
        int32_t v = m->vertices[c];
        if (whole[v] && any[v] >= 0)
            value[tagged_find(value, c)] = tagged_find(value, any[v]);
        any[v] = c;
    }
}

/* Two values that never meet at a vertex become one. */
static void share_value(struct dice *d, struct tagged_mesh *m)
{
    unsigned char at[TAGGED_VERTICES] = {0};
    int32_t x = dice_from(d, 0, m->n_uvs - 1), y = dice_from(d, 0, m->n_uvs - 1), meet = 0;
    for (int32_t c = 0; c < m->n_corners; c++)
        at[m->vertices[c]] |= (unsigned char)(m->uv_indices[c] == x);
    for (int32_t c = 0; c < m->n_corners; c++)
        meet |= m->uv_indices[c] == y && at[m->vertices[c]];
    for (int32_t c = 0; c < m->n_corners && !meet; c++)
        m->uv_indices[c] = m->uv_indices[c] == y ? x : m->uv_indices[c];
}

void random_uvs(struct dice *d, struct tagged_mesh *m)
{
    int32_t value[TAGGED_CORNERS], row[TAGGED_CORNERS], number[TAGGED_UVS];
    int32_t unused = dice_one_in(d, 3) ? dice_from(d, 1, 3) : 0;
    for (int32_t c = 0; c < m->n_corners; c++)
        value[c] = c;
    join_corners(d, m, value);
    for (int32_t c = 0; c < m->n_corners; c++)
        row[c] = value[c] == c ? m->n_uvs++ : -1;
    m->n_uvs += unused;
    dice_shuffle(d, number, m->n_uvs);
    for (int32_t i = 0; i < m->n_uvs; i++)
        for (int k = 0; k < 2; k++)
            m->uvs[i][k] = (float)dice_real(d);
    for (int32_t c = 0; c < m->n_corners; c++) {
        int32_t u = number[row[tagged_find(value, c)]];
        m->uv_indices[c] = u;
        for (int k = 0; k < 2; k++) /* near the vertex, apart enough for a wrong value to be seen */
            m->uvs[u][k] += value[c] == c ? 0.5f * m->points[m->vertices[c]][k] : 0;
    }
    for (int i = dice_from(d, 0, 2); i > 0 && dice_one_in(d, 3); i--)
        share_value(d, m);
}

static void random_options(struct dice *d, struct tagged_mesh *m)
{
    static const int schemes[] = {SDD_SCHEME_CATMULL_CLARK, SDD_SCHEME_CATMULL_CLARK, SDD_SCHEME_CATMULL_CLARK,
                                  SDD_SCHEME_LOOP,          SDD_SCHEME_LOOP,          SDD_SCHEME_BILINEAR};
    m->options = (struct sdd_options){schemes[dice_from(d, 0, 5)], dice_from(d, 0, 2), dice_from(d, 0, 5),
                                      dice_from(d, 0, 1),          dice_from(d, 0, 1), dice_from(d, 0, 1)};
}

void random_mesh(uint64_t seed, struct tagged_mesh *m)
{
    struct dice d = dice_of(seed);
    memset(m, 0, sizeof *m);
    random_options(&d, m);
    random_polygons(&d, m);
    random_tags(&d, m);
    if (!dice_one_in(&d, 6))
        random_uvs(&d, m);
    m->level = dice_from(&d, 1, 4);
    while (m->level > 1 && m->n_corners << (2 * (m->level - 1)) > MOST_QUADS)
        m->level--;
}
