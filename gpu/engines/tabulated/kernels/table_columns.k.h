/* SPDX-License-Identifier: Apache-2.0 */
/* table_columns: which rows of level 1, or of the control mesh, the points of a quad are made of.
 * Shapes  control mesh, piece[n], rank[n], classes[..] -> quad[n], column[..] u32, wrong[1] u32,
 *         read[V + F + E] i32. Of the regular class the columns are the 4 x 4 points around the quad, row by row,
 *         its own vertex where a whole quad has none
 * Launch  item      Cost  about 200 B read and 80 B written a quad
 * Result  wrong becomes 1 where two classes have one key, read where a row of level 1 is a column
 * Threads any queue */
#ifndef SDD_K_TABLE_COLUMNS_H
#define SDD_K_TABLE_COLUMNS_H
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"
#include "gpu/engines/tabulated/kernels/table_regular.dev.h"

struct table_columns_args {
    struct sdd_control mesh;
    const uint32_t *piece;                 /* corners                                             */
    const int32_t *rank;                   /* [n] their classes, from 1; NULL: all are the regular one, .. */
    int64_t n_regular_quads;               /* .. and the first of them look at control points */
    const struct sdd_table_table *classes; /* NULL with rank                                      */
    const float *words;                    /* [classes][SDD_TABLE_WORDS]                            */
    struct sdd_table_quad *quad;
    uint32_t *column, *wrong; /* wrong: with rank */
    uint32_t *read;
};

/* Columns of a bicubic piece, which leave in whole vectors: by themselves neighbouring threads' are 64 bytes apart. */
struct sdd_table_sixteen {
    uint32_t row[SDD_TABLE_REGULAR];
} __attribute__((aligned(16)));

SDD_FN void sdd_table_column_read(const struct table_columns_args *a, const uint32_t *column, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        sdd_mark(a->read + column[j]);
}

/* What a piece makes; more: beside what table_ring_quad.h says. */
SDD_FN void sdd_table_quad_put(int64_t i, const struct table_columns_args *a, uint32_t more)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i];
    struct sdd_table_quad q;
    q.corner = c;
    q.owns = sdd_table_owns(m, c) | more;
    q.edge = m->n_vertices + m->n_faces + m->edge[c];
    q.face = m->n_vertices + sdd_face(&m->faces, c);
    a->quad[i] = q;
}

SDD_FN void sdd_table_regular_piece(int64_t i, const struct table_columns_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i], open = 0;
    struct sdd_table_sixteen column;
    if (i < a->n_regular_quads) {
        open = sdd_table_open_sides(m, c);
        sdd_table_regular_quad_columns(m, c, column.row);
    } else {
        sdd_table_regular_columns(m, c, column.row);
        sdd_table_column_read(a, column.row, SDD_TABLE_REGULAR);
    }
    sdd_table_quad_put(i, a, open << SDD_TABLE_OPEN);
    ((struct sdd_table_sixteen *)(void *)a->column)[i] = column;
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
        uint32_t *column = a->column + k->column + (i - k->first) * k->n_columns;
        sdd_table_column_read(a, column, sdd_table_columns(m, c, column));
    } else {
        sdd_mark(a->wrong);
    }
}
#endif
