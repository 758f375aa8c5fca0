/* SPDX-License-Identifier: Apache-2.0 */
/* table_ring_quad.dev.h: what surrounds a piece (class.h): the ring of quads of level 1 around its control vertex,
 * which is open on a boundary, and the columns of its table, which are rows of level 1. */
#ifndef SDD_TABLE_RING_QUAD_H
#define SDD_TABLE_RING_QUAD_H
#include "gpu/grid/control.h"
#include "gpu/grid/quad_location.h"
#include <string.h>

#define SDD_TABLE_MAX 32 /* The most quads of a ring, and the most corners of a face. */

/* The ring of the vertex of a corner, counterclockwise. In a closed ring the corner's own quad is the first. */
struct sdd_table_ring {
    uint32_t first;
    int32_t n, open, own; /* n is 0 if there are more quads than SDD_TABLE_MAX. */
};

SDD_FN struct sdd_table_ring sdd_table_ring_of(const struct sdd_control *m, uint32_t c)
{
    struct sdd_table_ring f;
    uint32_t t = m->twin[c];
    f.first = c;
    f.n = 1;
    f.open = f.own = 0;
    for (; t < m->n_corners && f.n <= SDD_TABLE_MAX; t = m->twin[f.first]) {
        f.first = sdd_next(&m->faces, t);
        if (f.first == c)
            return f;
        f.n++;
    }
    f.open = 1;
    f.own = f.n - 1;
    for (t = m->twin[sdd_prev(&m->faces, c)]; t < m->n_corners && f.n <= SDD_TABLE_MAX;
         t = m->twin[sdd_prev(&m->faces, t)])
        f.n++;
    if (f.n > SDD_TABLE_MAX)
        f.n = 0;
    return f;
}

/* The corner of the quad after that of corner q in a ring. */
SDD_FN uint32_t sdd_table_after(const struct sdd_control *m, uint32_t q)
{
    return m->twin[sdd_prev(&m->faces, q)];
}

/* The number of corners of the face of corner c, or 0 if there are more than SDD_TABLE_MAX. */
SDD_FN int32_t sdd_table_corners(const struct sdd_control *m, uint32_t c)
{
    uint32_t f = sdd_face(&m->faces, c);
    int32_t k = m->face_end[f] - (f ? m->face_end[f - 1] : 0);
    return k <= SDD_TABLE_MAX ? k : 0;
}

/* The sharpness on level 1 of the edge after corner `own`. */
SDD_FN float sdd_table_edge(const struct sdd_control *m, uint32_t own)
{
    return m->edge_sharp ? sdd_decayed(m->edge_sharp[m->edge[own]], 1) : 0.0f;
}

SDD_FN float sdd_table_vertex(const struct sdd_control *m, uint32_t c)
{
    return m->vert_sharp ? sdd_decayed(m->vert_sharp[m->vert[c]], 1) : 0.0f;
}

SDD_FN int32_t sdd_table_sharp_edges(const struct sdd_control *m, uint32_t v)
{
    int32_t n = 0;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++)
        for (int32_t before = 0; before < 2; before++) {
            uint32_t own = before ? sdd_prev(&m->faces, m->corner[k]) : m->corner[k];
            n += sdd_meets_edge(m, own, before) && sdd_table_edge(m, own) > 0.0f;
        }
    return n;
}

/* Describes the class of a piece in numbers, from words[0] on: n, k, open and own of struct table_class, the sharpness
 * of the vertex, whether other faces meet in the vertex, and the sharpness of each edge of the ring. It returns how
 * many numbers there are, or 0 if the piece can have no table. */
#define SDD_TABLE_WORDS (8 + SDD_TABLE_MAX) /* There is room for the count too, which table_describe adds. */
SDD_FN int32_t sdd_table_words(const struct sdd_control *m, uint32_t c, float *words)
{
    struct sdd_table_ring f = sdd_table_ring_of(m, c);
    int32_t k = sdd_table_corners(m, c), n = 6;
    uint32_t q = f.first, last = q;
    if (f.n == 0 || k == 0)
        return 0;
    words[0] = (float)f.n;
    words[1] = (float)k;
    words[2] = (float)f.open;
    words[3] = (float)f.own;
    words[4] = sdd_table_vertex(m, c);
    for (int32_t i = 0; i < f.n; i++) {
        words[n++] = sdd_table_edge(m, q);
        last = q;
        q = sdd_table_after(m, q);
    }
    if (f.open)
        words[n++] = sdd_table_edge(m, sdd_prev(&m->faces, last));
    uint32_t n_faces = m->end[m->vert[c]] - m->begin[m->vert[c]];
    words[5] = n_faces != (uint32_t)f.n;
    if (n_faces == (uint32_t)f.n || words[4] >= 10.0f)
        return n;
    if (n_faces > 4 * SDD_TABLE_MAX) /* Every piece at the vertex would look at all of its faces. */
        return 0;
    /* Where several rings meet in a vertex that can move, this one must be open between two edges, and all sharp edges
     * at the vertex must be in it. */
    int32_t n_sharp = 0;
    for (int32_t i = 6; i < n; i++)
        n_sharp += words[i] > 0.0f;
    int between_edges = f.open && m->edge[f.first] != m->edge[sdd_prev(&m->faces, last)];
    return between_edges && n_sharp == sdd_table_sharp_edges(m, m->vert[c]) ? n : 0;
}

SDD_FN uint64_t sdd_table_hash(const float *words, int32_t n)
{
    uint64_t key = 0x9e3779b97f4a7c15u;
    for (int32_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, words + k, sizeof bits);
        key = (key ^ bits) * 0xff51afd7ed558ccdu;
        key ^= key >> 32;
    }
    return key;
}

/* The key of a class, which is never 0. */
SDD_FN uint64_t sdd_table_key_of(const float *words, int32_t n)
{
    return sdd_table_hash(words, n) | 1;
}

/* Whether the piece is bicubic: there are four quads around its vertex, the face has four corners, and nothing is
 * sharp. Most pieces are, so this avoids describing them in words. */
SDD_FN int sdd_table_is_regular(const struct sdd_control *m, uint32_t c)
{
    uint32_t v = m->vert[c], q = c, n_sharp = sdd_table_vertex(m, c) > 0.0f;
    if (m->end[v] - m->begin[v] != 4 || sdd_table_corners(m, c) != 4)
        return 0;
    for (int32_t i = 0; i < 4; i++) {
        n_sharp += sdd_table_edge(m, q) > 0.0f;
        q = sdd_table_after(m, q);
        if (q >= m->n_corners || (q == c) != (i == 3))
            return 0;
    }
    return n_sharp == 0;
}

/* The columns of a bicubic piece: the 4 x 4 points around it, row by row. */
SDD_FN void sdd_table_regular_columns(const struct sdd_control *m, uint32_t c, uint32_t *out)
{
    uint32_t faces = m->n_vertices, edges = faces + m->n_faces;
    uint32_t n = sdd_next(&m->faces, c), nn = sdd_next(&m->faces, n), p = sdd_prev(&m->faces, c);
    uint32_t left = m->twin[p], across = sdd_table_after(m, left), below = sdd_next(&m->faces, m->twin[c]);
    out[0] = faces + sdd_face(&m->faces, across);
    out[1] = edges + m->edge[below];
    out[2] = faces + sdd_face(&m->faces, below);
    out[3] = edges + m->edge[sdd_prev(&m->faces, m->twin[c])];
    out[4] = edges + m->edge[across];
    out[5] = m->vert[c];
    out[6] = edges + m->edge[c];
    out[7] = m->vert[n];
    out[8] = faces + sdd_face(&m->faces, left);
    out[9] = edges + m->edge[left];
    out[10] = faces + sdd_face(&m->faces, c);
    out[11] = edges + m->edge[n];
    out[12] = edges + m->edge[sdd_next(&m->faces, left)];
    out[13] = m->vert[p];
    out[14] = edges + m->edge[nn];
    out[15] = m->vert[nn];
}

/* Writes the columns of the table of a piece, and returns how many there are. */
SDD_FN int32_t sdd_table_columns(const struct sdd_control *m, uint32_t c, uint32_t *out)
{
    struct sdd_table_ring f = sdd_table_ring_of(m, c);
    uint32_t faces = m->n_vertices, edges = faces + m->n_faces, q = f.first, p = sdd_prev(&m->faces, c);
    int32_t k = sdd_table_corners(m, c), n_edges = f.n + f.open, n = 0;
    out[n++] = m->vert[c];
    for (int32_t i = 0; i < f.n; i++) {
        out[1 + i] = edges + m->edge[q];
        out[1 + n_edges + i] = faces + sdd_face(&m->faces, q);
        if (i == f.n - 1 && f.open)
            out[1 + f.n] = edges + m->edge[sdd_prev(&m->faces, q)];
        q = sdd_table_after(m, q);
    }
    n += n_edges + f.n;
    q = sdd_next(&m->faces, c);
    for (int32_t j = 1; j < k; j++) {
        out[n++] = m->vert[q];
        if (j < k - 1)
            out[n++] = edges + m->edge[q];
        q = sdd_next(&m->faces, q);
    }
    if (m->twin[c] < m->n_corners)
        out[n++] = edges + m->edge[sdd_prev(&m->faces, m->twin[c])];
    if (m->twin[p] < m->n_corners)
        out[n++] = edges + m->edge[sdd_next(&m->faces, m->twin[p])];
    return n;
}

/* Which points of its grid a piece makes. It always makes those inside and those between the face point and the edge
 * point after its vertex. */
enum sdd_table_owns {
    SDD_TABLE_BOTTOM = 1, /* The points between its vertex and the edge point after it. */
    /* The points between its vertex and the edge point before it, where there is no other piece. */
    SDD_TABLE_LEFT = 2,
    SDD_TABLE_VERTEX = 4,
    SDD_TABLE_EDGE = 8, /* The edge point after its vertex. */
    SDD_TABLE_FACE = 16,
    SDD_TABLE_TURNED = 32 /* Makes no points; it says that the rows at the bottom are numbered towards the vertex. */
};
/* For bicubic pieces, the open sides of a regular quad (boundary_points.h) begin at this bit. */
#define SDD_TABLE_OPEN 6
SDD_FN uint32_t sdd_table_owns(const struct sdd_control *m, uint32_t c)
{
    uint32_t p = sdd_prev(&m->faces, c), f = sdd_face(&m->faces, c), owns = 0, v = m->vert[c];
    if (m->twin[c] < m->n_corners || m->edge_corner[m->edge[c]] == c)
        owns |= SDD_TABLE_BOTTOM;
    if (m->twin[p] >= m->n_corners && m->edge_corner[m->edge[p]] == p)
        owns |= SDD_TABLE_LEFT;
    if (m->corner[m->begin[v]] == c)
        owns |= SDD_TABLE_VERTEX;
    if (m->edge_corner[m->edge[c]] == c)
        owns |= SDD_TABLE_EDGE;
    if (c == (f ? (uint32_t)m->face_end[f - 1] : 0))
        owns |= SDD_TABLE_FACE;
    if (v > m->vert[sdd_next(&m->faces, c)])
        owns |= SDD_TABLE_TURNED;
    return owns;
}
#endif
