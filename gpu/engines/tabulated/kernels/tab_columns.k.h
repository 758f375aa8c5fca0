/* SPDX-License-Identifier: Apache-2.0 */
/* tab_columns: which rows of level 1, or of the control mesh, the points of a quad are made of.
 * Shapes  control mesh, piece[n], rank[n], classes[..] -> quad[n], column[..] u32, wrong[1] u32,
 *         read[V + F + E] i32. Of the regular class the columns are the 4 x 4 points around the quad, row by row,
 *         its own vertex where a whole quad has none
 * Shape   item      Cost  about 200 B read and 80 B written a quad
 * Result  wrong becomes 1 where two classes have one key, read where a row of level 1 is a column
 * Threads any queue */
#ifndef SDD_K_TAB_COLUMNS_H
#define SDD_K_TAB_COLUMNS_H
#include "gpu/engines/tabulated/kernels/tab_fan.dev.h"
#include "gpu/engines/tabulated/kernels/tab_pieces.dev.h"
#include "gpu/engines/tabulated/kernels/tab_whole.dev.h"

struct tab_columns_args {
    struct sdd_control mesh;
    const uint32_t *piece;               /* corners                                             */
    const int32_t *rank;                 /* [n] their classes, from 1; NULL: all are the regular one, .. */
    int64_t n_whole;                     /* .. and the first of them look at control points */
    const struct sdd_tab_table *classes; /* NULL with rank                                      */
    const float *words;                  /* [classes][SDD_TAB_WORDS]                            */
    struct sdd_tab_quad *quad;
    uint32_t *column, *wrong; /* wrong: with rank */
    uint32_t *read;
};

/* Columns of a bicubic piece, which leave in whole vectors: by themselves neighbouring threads' are 64 bytes apart. */
struct sdd_tab_sixteen {
    uint32_t row[SDD_TAB_REGULAR];
} __attribute__((aligned(16)));

SDD_FN void sdd_tab_column_read(const struct tab_columns_args *a, const uint32_t *column, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        sdd_mark(a->read + column[j]);
}

/* What a piece makes; more: beside what tab_fan.h says. */
SDD_FN void sdd_tab_quad_put(int64_t i, const struct tab_columns_args *a, uint32_t more)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i];
    struct sdd_tab_quad q;
    q.corner = c;
    q.owns = sdd_tab_owns(m, c) | more;
    q.edge = m->n_vertices + m->n_faces + m->edge[c];
    q.face = m->n_vertices + sdd_face(&m->faces, c);
    a->quad[i] = q;
}

SDD_FN void sdd_tab_regular_piece(int64_t i, const struct tab_columns_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i], open = 0;
    struct sdd_tab_sixteen column;
    if (i < a->n_whole) {
        open = sdd_tab_open_sides(m, c);
        sdd_tab_whole_columns(m, c, column.row);
    } else {
        sdd_tab_regular_columns(m, c, column.row);
        sdd_tab_column_read(a, column.row, SDD_TAB_REGULAR);
    }
    sdd_tab_quad_put(i, a, open << SDD_TAB_OPEN);
    ((struct sdd_tab_sixteen *)(void *)a->column)[i] = column;
}

SDD_FN void k_tab_columns(int64_t i, const struct tab_columns_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i];
    float words[SDD_TAB_WORDS];
    if (!a->rank) {
        sdd_tab_regular_piece(i, a);
        return;
    }
    sdd_tab_quad_put(i, a, (uint32_t)(a->rank[i] - 1) << SDD_TAB_CLASS);
    const struct sdd_tab_table *k = a->classes + (a->rank[i] - 1);
    const float *expected = a->words + SDD_TAB_WORDS * (int64_t)(a->rank[i] - 1);
    int32_t n = sdd_tab_words(m, c, words), same = n == (int32_t)expected[SDD_TAB_WORDS - 1];
    for (int32_t j = 0; j < n && same; j++)
        same = words[j] == expected[j];
    if (same) {
        uint32_t *column = a->column + k->column + (i - k->first) * k->n_columns;
        sdd_tab_column_read(a, column, sdd_tab_columns(m, c, column));
    } else {
        sdd_mark(a->wrong);
    }
}
#endif
