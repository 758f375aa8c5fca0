/* SPDX-License-Identifier: Apache-2.0 */
/* table_ring_tri.dev.h: what surrounds a triangle of level 1 under Loop (tri_class.h), and the columns of its table,
 * which are rows of level 1. Here such a triangle is a piece. Piece 4 f + t is the one at corner t of control
 * triangle f, or the middle one if t is 3. */
#ifndef SDD_TABLE_RING_TRI_H
#define SDD_TABLE_RING_TRI_H
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"

#define SDD_TRI_MIDDLE 3
#define SDD_TRI_REGULAR 12                  /* The number of columns of a regular piece. */
#define SDD_TRI_COLUMNS (SDD_TABLE_MAX + 7) /* The most columns of a class. */
#define SDD_TRI_WORDS (1 + SDD_TABLE_WORDS)

/* Whether there are six triangles around the vertex and nothing is sharp. words are those of sdd_table_words. */
SDD_FN int sdd_tri_is_regular(const float *words)
{
    int smooth = words[0] == 6.0f && words[2] == 0.0f && words[4] == 0.0f && words[5] == 0.0f;
    for (int32_t i = 6; i < 12 && smooth; i++)
        smooth = words[i] == 0.0f;
    return smooth;
}

/* Describes the class of a piece in numbers. words[0] is its corner in the triangle. For the middle piece there follow
 * the sharpness of the three control edges, and whether there is a triangle across each of them. For others there
 * follows what sdd_table_words gives. A regular piece at any corner is described as one at corner 0. It returns how
 * many numbers there are, or 0 if the piece can have no table. */
SDD_FN int32_t sdd_tri_words(const struct sdd_control *m, uint32_t piece, float *words)
{
    uint32_t first = 3 * (piece / 4), corner = piece % 4;
    words[0] = (float)corner;
    if (corner == SDD_TRI_MIDDLE) {
        for (uint32_t i = 0; i < 3; i++) {
            words[1 + i] = sdd_table_edge(m, first + i);
            words[4 + i] = m->twin[first + i] < m->n_corners;
        }
        return 7;
    }
    int32_t n = sdd_table_words(m, first + corner, words + 1);
    if (n == 0)
        return 0;
    if (sdd_tri_is_regular(words + 1))
        words[0] = 0.0f;
    return n + 1;
}

/* Writes the two edge points of the triangle across the edge after corner c that do not lie on that edge, in the order
 * of the edge, and returns how many there are. */
SDD_FN int32_t sdd_tri_across(const struct sdd_control *m, uint32_t c, uint32_t *out)
{
    uint32_t t = m->twin[c];
    if (t >= m->n_corners)
        return 0;
    out[0] = m->n_vertices + m->edge[sdd_next(&m->faces, t)];
    out[1] = m->n_vertices + m->edge[sdd_prev(&m->faces, t)];
    return 2;
}

SDD_FN int32_t sdd_tri_middle_columns(const struct sdd_control *m, uint32_t first, uint32_t *out)
{
    int32_t n = 6;
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = m->n_vertices + m->edge[first + i];
        out[3 + i] = m->vert[first + i];
        n += sdd_tri_across(m, first + i, out + n);
    }
    return n;
}

/* The columns of the piece at corner c. */
SDD_FN int32_t sdd_tri_corner_columns(const struct sdd_control *m, uint32_t c, uint32_t *out)
{
    struct sdd_table_ring f = sdd_table_ring_of(m, c);
    uint32_t q = f.first, after = sdd_next(&m->faces, c), before = sdd_prev(&m->faces, c), last = q, across[2];
    int32_t n = 0;
    out[n++] = m->vert[c];
    for (int32_t i = 0; i < f.n; i++) {
        out[n++] = m->n_vertices + m->edge[q];
        last = q;
        q = sdd_table_after(m, q);
    }
    if (f.open)
        out[n++] = m->n_vertices + m->edge[sdd_prev(&m->faces, last)];
    out[n++] = m->vert[after];
    out[n++] = m->n_vertices + m->edge[after];
    out[n++] = m->vert[before];
    if (sdd_tri_across(m, c, across))
        out[n++] = across[1];
    if (sdd_tri_across(m, before, across))
        out[n++] = across[0];
    return n;
}

/* Writes the columns of a piece's table, and returns how many there are. `corner_of_class` is word 0 of the class. */
SDD_FN int32_t sdd_tri_columns(const struct sdd_control *m, uint32_t piece, uint32_t corner_of_class, uint32_t *out)
{
    /* Where the columns of a regular piece at corners 1 and 2 are among those of one at corner 0. */
    const uint8_t at[2][SDD_TRI_REGULAR] = {{1, 2, 0, 6, 10, 7, 8, 11, 3, 4, 9, 5},
                                            {2, 0, 1, 8, 9, 11, 3, 5, 6, 10, 4, 7}};
    uint32_t first = 3 * (piece / 4), corner = piece % 4, rows[SDD_TRI_REGULAR];
    if (corner == SDD_TRI_MIDDLE)
        return sdd_tri_middle_columns(m, first, out);
    if (corner == corner_of_class)
        return sdd_tri_corner_columns(m, first + corner, out);
    (void)sdd_tri_corner_columns(m, first + corner, rows);
    for (int32_t k = 0; k < SDD_TRI_REGULAR; k++)
        out[at[corner - 1][k]] = rows[k];
    return SDD_TRI_REGULAR;
}
#endif
