/* SPDX-License-Identifier: Apache-2.0 */
/* channel_vertices: the sharpness of the rows of a face-varying channel: corners stay (sharpness 10), other rows are as
 * sharp as their vertex. A row with more than two sharp edges is a corner because of those. This kernel adds what its
 * edges do not say: what its vertex is, the mode, and what the other value of the vertex does.
 * Shapes  control mesh and channel, the latter with twin SDD_NONE where there is none, vertex[n] u32 (NULL for all) ->
 *         sharp[R] f32
 * Launch  item, n, or V
 * Cost    about 60 B read a corner of the vertex
 * Result  Rows without corners, and those of other vertices, keep what sharp held.
 * Threads any queue
 * Source  OpenSubdiv, Vtr::internal::FVarLevel::completeTopologyFromFaceValues and FVarRefinement */
#ifndef SDD_K_CHANNEL_VERTICES_H
#define SDD_K_CHANNEL_VERTICES_H
#include "gpu/rules/chaikin_rule.h"

/* The values of enum sdd_fvar, which a kernel cannot include. */
enum sdd_channel_mode {
    SDD_MODE_CORNERS_PLUS1,
    SDD_MODE_NONE,
    SDD_MODE_CORNERS_ONLY,
    SDD_MODE_CORNERS_PLUS2,
    SDD_MODE_BOUNDARIES
};

struct channel_vertices_args {
    struct sdd_control mesh, channel; /* The vert_sharp of `channel` is not read. */
    float *sharp;
    int32_t mode;           /* A value of enum sdd_channel_mode. */
    int32_t chaikin;        /* Whether creases decay by chaikin. */
    const uint32_t *vertex; /* The control vertices to look at; NULL for all. */
};

/* What is around a vertex. */
struct sdd_value_ring {
    uint32_t first, second; /* Its first two rows; `second` is SDD_NONE if there is only one. */
    int32_t n_values;       /* The number of rows; 3 stands for three or more. */
    int32_t boundary;       /* Whether some edge is a boundary. */
    int32_t seam;           /* Whether some edge has other values on its other side. */
    int32_t nonmanifold;    /* Whether some edge is non-manifold. */
};

SDD_FN struct sdd_value_ring sdd_value_ring_of(const struct sdd_control *m, const struct sdd_control *channel,
                                               uint32_t v)
{
    struct sdd_value_ring r;
    r.first = channel->vert[m->corner[m->begin[v]]];
    r.second = SDD_NONE;
    r.n_values = 1;
    r.boundary = r.seam = r.nonmanifold = 0;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        uint32_t c = m->corner[k], row = channel->vert[c];
        if (row != r.first && r.second == SDD_NONE) {
            r.second = row;
            r.n_values = 2;
        } else if (row != r.first && row != r.second) {
            r.n_values = 3;
        }
        for (int32_t before = 0; before < 2; before++) {
            uint32_t own = before ? sdd_prev(&m->faces, c) : c, stands = m->edge_corner[m->edge[own]];
            int open = m->twin[own] >= m->n_corners;
            r.seam |= channel->edge[own] != channel->edge[stands];
            r.boundary |= open;
            r.nonmanifold |= open && stands != own; /* The edge has more than one face, and yet no twin. */
        }
    }
    return r;
}

/* The faces of one value at its vertex, between seams. */
struct sdd_value_span {
    int32_t n_fans;                     /* The separate fans, counted by where they begin. */
    int32_t n_infinite;                 /* The infinitely sharp edges inside. */
    struct sdd_semisharp_sum semisharp; /* What is left of the semi-sharp edges inside. */
};

SDD_FN struct sdd_value_span sdd_value_span_of(const struct sdd_control *channel, uint32_t row,
                                               const struct sdd_semisharp_past *past, int32_t level)
{
    struct sdd_value_span p;
    p.n_fans = p.n_infinite = 0;
    p.semisharp = sdd_semisharp_none();
    for (uint32_t k = channel->begin[row]; k < channel->end[row]; k++) {
        uint32_t c = channel->corner[k];
        float s = channel->edge_sharp[channel->edge[c]];
        if (channel->twin[c] == SDD_NONE)
            p.n_fans++;
        else if (s >= 10.0f) /* Each edge inside leaves the vertex in exactly one face. */
            p.n_infinite++;
        else
            sdd_semisharp_add(&p.semisharp, sdd_semisharp_left(s, past, level));
    }
    return p;
}

/* The sharpness of a value without sharp edges inside whose sibling, the vertex's other value, has some. Such a value
 * waits: it is a corner until the step in which the last of the sibling's edges vanish, and is then blended with their
 * weight. Where a seam at the vertex is semi-sharp for longer, it stays a corner one step more and is blended with
 * nothing; for that there is the least weight that a float below 10 can hold. Vertex sharpness decays uniformly under
 * chaikin too, so one number can say this. */
SDD_FN float sdd_waiting_sharpness(const struct channel_vertices_args *a, uint32_t v, uint32_t sibling)
{
    struct sdd_semisharp_past past;
    struct sdd_semisharp_sum all = sdd_semisharp_around(&a->mesh, v, 0, &past), last = sdd_semisharp_none();
    struct sdd_semisharp_sum inside = sdd_value_span_of(&a->channel, sibling, &past, 0).semisharp;
    int32_t level = 0;
    while (inside.n > 0 && level < SDD_SEMISHARP_LEVELS) {
        past.at[level++] = a->chaikin ? all : sdd_semisharp_none();
        all = sdd_semisharp_around(&a->mesh, v, level, &past);
        last = inside;
        inside = sdd_value_span_of(&a->channel, sibling, &past, level).semisharp;
    }
    if (all.n > 0)
        return (float)level + 9.5367431640625e-07f;
    float w = last.sum / (float)last.n;
    return (float)(level - 1) + (w < 1.0f ? w : 1.0f);
}

SDD_FN float sdd_row_sharpness(const struct channel_vertices_args *a, uint32_t v, const struct sdd_value_ring *r,
                               uint32_t row)
{
    float vertex = a->mesh.vert_sharp ? a->mesh.vert_sharp[v] : 0.0f;
    const struct sdd_control *m = &a->channel;
    int32_t mode = a->mode, plus = mode == SDD_MODE_CORNERS_PLUS1 || mode == SDD_MODE_CORNERS_PLUS2;
    if (vertex >= 10.0f || (r->nonmanifold && (r->seam || r->n_values > 1)) ||
        (m->end[row] - m->begin[row] == 1 && mode != SDD_MODE_NONE))
        return 10.0f;
    if (mode == SDD_MODE_BOUNDARIES && (r->seam || (r->boundary && !r->nonmanifold)))
        return 10.0f;
    if (mode == SDD_MODE_CORNERS_PLUS2 && r->seam && r->n_values == 1 && !r->boundary) /* A seam ends here. */
        return 10.0f;
    if (!plus || r->n_values == 1)
        return vertex;
    if (r->n_values > 2)
        return 10.0f;
    uint32_t sibling = row == r->first ? r->second : r->first;
    struct sdd_value_span mine = sdd_value_span_of(m, row, NULL, 0), other = sdd_value_span_of(m, sibling, NULL, 0);
    if (other.n_fans > 1 || other.n_infinite > 0 ||
        (mode == SDD_MODE_CORNERS_PLUS2 && m->end[sibling] - m->begin[sibling] == 1))
        return 10.0f;
    /* A value waits for its sibling only where it has no semi-sharp edges inside, the sibling has some, and the vertex
     * is not semi-sharp itself. */
    if (vertex > 0.0f || mine.semisharp.n > 0 || other.semisharp.n == 0)
        return vertex;
    return sdd_waiting_sharpness(a, v, sibling);
}

SDD_FN void k_channel_vertices(int64_t i, const struct channel_vertices_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t v = a->vertex ? a->vertex[i] : (uint32_t)i;
    if (m->begin[v] == m->end[v])
        return;
    struct sdd_value_ring r = sdd_value_ring_of(m, &a->channel, v);
    float first = sdd_row_sharpness(a, v, &r, r.first), second = 0.0f;
    if (r.n_values > 1)
        second = sdd_row_sharpness(a, v, &r, r.second);
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        uint32_t row = a->channel.vert[m->corner[k]];
        a->sharp[row] = row == r.first ? first : row == r.second ? second : sdd_row_sharpness(a, v, &r, row);
    }
}
#endif
