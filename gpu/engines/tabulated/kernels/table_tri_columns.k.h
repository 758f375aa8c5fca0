/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_columns: writes which rows of level 1 the points of triangles of level 1 are made of.
 * Shapes  control mesh, piece[n] u32 (NULL for pieces 0 to n - 1), class_of[n] u32, end[n] i32, classes[..],
 *         words[..][SDD_TRI_WORDS] -> of by piece, column[..] u32, wrong[1] u32
 * Launch  item, n pieces
 * Cost    about 150 B read and 56 B written a piece
 * Result  The columns of each piece end where `end` says. wrong becomes 1 if two classes have the same key.
 * Threads any queue */
#ifndef SDD_K_TABLE_TRI_COLUMNS_H
#define SDD_K_TABLE_TRI_COLUMNS_H
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"

struct table_tri_columns_args {
    struct sdd_control mesh;
    const uint32_t *piece, *class_of;
    const int32_t *end;
    const struct sdd_table_table *classes;
    const float *words;
    struct sdd_tri_piece *of;
    uint32_t *column, *wrong;
};

SDD_FN void k_table_tri_columns(int64_t i, const struct table_tri_columns_args *a)
{
    const uint32_t piece = a->piece ? a->piece[i] : (uint32_t)i, k = a->class_of[i];
    const float *expected = a->words + SDD_TRI_WORDS * (int64_t)k;
    float words[SDD_TRI_WORDS];
    int32_t n = sdd_tri_words(&a->mesh, piece, words), same = n == (int32_t)expected[SDD_TRI_WORDS - 1];
    struct sdd_tri_piece of;
    for (int32_t j = 0; j < n && same; j++)
        same = words[j] == expected[j];
    of.class_of = k;
    of.column = (uint32_t)(a->end[i] - a->classes[k].n_columns);
    a->of[piece] = of;
    if (same)
        (void)sdd_tri_columns(&a->mesh, piece, (uint32_t)words[0], a->column + of.column);
    else
        sdd_mark(a->wrong);
}
#endif
