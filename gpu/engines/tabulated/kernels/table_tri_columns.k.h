/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_columns: finds the class of each triangle of level 1, and which rows of level 1 its points are made of.
 * Shapes  control mesh, piece[n] u32 in the order of classes, rank[n] i32, classes[..], words[..][SDD_TRI_WORDS] ->
 *         of[n] by piece, column[..] u32, wrong[1] u32
 * Launch  item, n pieces
 * Cost    about 150 B read and 56 B written a piece
 * Result  wrong becomes 1 if two classes have the same key.
 * Threads any queue */
#ifndef SDD_K_TABLE_TRI_COLUMNS_H
#define SDD_K_TABLE_TRI_COLUMNS_H
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"

struct table_tri_columns_args {
    struct sdd_control mesh;
    const uint32_t *piece;
    const int32_t *rank; /* The classes of the pieces, from 1. */
    const struct sdd_table_table *classes;
    const float *words;
    struct sdd_tri_piece *of;
    uint32_t *column, *wrong;
};

SDD_FN void k_table_tri_columns(int64_t i, const struct table_tri_columns_args *a)
{
    const struct sdd_table_table *k = a->classes + (a->rank[i] - 1);
    const float *expected = a->words + SDD_TRI_WORDS * (int64_t)(a->rank[i] - 1);
    float words[SDD_TRI_WORDS];
    int32_t n = sdd_tri_words(&a->mesh, a->piece[i], words), same = n == (int32_t)expected[SDD_TRI_WORDS - 1];
    struct sdd_tri_piece piece;
    for (int32_t j = 0; j < n && same; j++)
        same = words[j] == expected[j];
    piece.class_of = (uint32_t)(a->rank[i] - 1);
    piece.column = (uint32_t)(k->column + (i - k->first) * k->n_columns);
    a->of[a->piece[i]] = piece;
    if (same)
        (void)sdd_tri_columns(&a->mesh, a->piece[i], (uint32_t)words[0], a->column + piece.column);
    else
        sdd_mark(a->wrong);
}
#endif
