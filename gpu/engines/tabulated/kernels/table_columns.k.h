/* SPDX-License-Identifier: Apache-2.0 */
/* table_columns: finds which rows of level 1, or of the control mesh, the points of each piece are made of.
 * Shapes  control mesh, piece[n], rank[n], classes[..] -> quad[n], column[..] u32, wrong[1] u32, read[V + F + E] i32
 * Launch  item, n pieces, which are all of a list, or some of it, at the rows that `at` names
 * Cost    about 200 B read and 80 B written a piece
 * Result  The columns of a bicubic piece are the 4 x 4 points around it, row by row. Where a regular quad has no
 *         such point, the piece's own vertex stands for it. read becomes 1 where a row of level 1 is a column. wrong
 *         becomes 1 if two classes have the same key.
 * Threads any queue */
#ifndef SDD_K_TABLE_COLUMNS_H
#define SDD_K_TABLE_COLUMNS_H
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"
#include "gpu/engines/tabulated/kernels/table_regular.dev.h"

struct table_columns_args {
    struct sdd_control mesh;
    const uint32_t *piece;   /* The corner of each piece. */
    const uint32_t *at;      /* Shape [n]: where the piece is in its list; NULL for all of a list. */
    const int32_t *rank;     /* Shape [n]: the classes of the pieces, from 1. NULL if all pieces are bicubic. */
    int64_t n_regular_quads; /* Only without rank: this many pieces come first and read control points. */
    const struct sdd_table_table *classes; /* NULL if rank is. */
    const float *words;                    /* Shape [classes][SDD_TABLE_WORDS]. */
    struct sdd_table_quad *quad;
    uint32_t *column, *wrong; /* wrong is only used with rank. */
    uint32_t *read;
};

/* The columns of a bicubic piece as one struct, so that they are stored as whole vectors. Stored one by one, those of
 * neighbouring threads would be 64 bytes apart. */
struct sdd_table_sixteen {
    uint32_t row[SDD_TABLE_REGULAR];
} __attribute__((aligned(16)));

SDD_FN void sdd_table_column_read(const struct table_columns_args *a, const uint32_t *column, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        sdd_mark(a->read + column[j]);
}

SDD_FN int64_t sdd_table_at(const struct table_columns_args *a, int64_t i)
{
    return a->at ? a->at[i] : i;
}

/* Writes quad i. `more` holds the bits of `owns` that sdd_table_owns leaves free. */
SDD_FN void sdd_table_quad_put(int64_t i, const struct table_columns_args *a, uint32_t more)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i];
    struct sdd_table_quad q;
    q.corner = c;
    q.owns = sdd_table_owns(m, c) | more;
    q.edge = m->n_vertices + m->n_faces + m->edge[c];
    q.face = m->n_vertices + sdd_face(&m->faces, c);
    a->quad[sdd_table_at(a, i)] = q;
}

SDD_FN void sdd_table_regular_piece(int64_t i, const struct table_columns_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i], open = 0;
    const int64_t at = sdd_table_at(a, i);
    struct sdd_table_sixteen column;
    if (at < a->n_regular_quads) {
        open = sdd_table_open_sides(m, c);
        sdd_table_regular_quad_columns(m, c, column.row);
    } else {
        sdd_table_regular_columns(m, c, column.row);
        sdd_table_column_read(a, column.row, SDD_TABLE_REGULAR);
    }
    sdd_table_quad_put(i, a, open << SDD_TABLE_OPEN);
    ((struct sdd_table_sixteen *)(void *)a->column)[at] = column;
}

SDD_FN void k_table_columns(int64_t i, const struct table_columns_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i];
    float words[SDD_TABLE_WORDS];
    if (!a->rank) {
        sdd_table_regular_piece(i, a);
        return;
    }
    sdd_table_quad_put(i, a, (uint32_t)(a->rank[i] - 1) << SDD_TABLE_CLASS);
    const struct sdd_table_table *k = a->classes + (a->rank[i] - 1);
    const float *expected = a->words + SDD_TABLE_WORDS * (int64_t)(a->rank[i] - 1);
    int32_t n = sdd_table_words(m, c, words), same = n == (int32_t)expected[SDD_TABLE_WORDS - 1];
    for (int32_t j = 0; j < n && same; j++)
        same = words[j] == expected[j];
    if (same) {
        uint32_t *column = a->column + k->column + (sdd_table_at(a, i) - k->first) * k->n_columns;
        sdd_table_column_read(a, column, sdd_table_columns(m, c, column));
    } else {
        sdd_mark(a->wrong);
    }
}
#endif
