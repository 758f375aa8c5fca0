/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_classes: says of each triangle of level 1 which class it has and how many columns, from a list by class.
 * Shapes  piece[n] u32 in the order of classes, rank[n] i32, classes[..] -> class_of[n] u32 and count[n] i32 by piece
 * Launch  item, n pieces
 * Cost    8 B read and 8 B written a piece
 * Result  Each piece of the list has both; a rank counts classes from 1.
 * Threads any queue */
#ifndef SDD_K_TABLE_TRI_CLASSES_H
#define SDD_K_TABLE_TRI_CLASSES_H
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

struct table_tri_classes_args {
    const uint32_t *piece;
    const int32_t *rank; /* The classes of the pieces, from 1. */
    const struct sdd_table_table *classes;
    uint32_t *class_of;
    int32_t *count;
};

SDD_FN void k_table_tri_classes(int64_t i, const struct table_tri_classes_args *a)
{
    const uint32_t piece = a->piece[i], k = (uint32_t)(a->rank[i] - 1);
    a->class_of[piece] = k;
    a->count[piece] = a->classes[k].n_columns;
}
#endif
