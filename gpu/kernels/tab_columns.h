/* SPDX-License-Identifier: Apache-2.0 */
/* tab_columns: which rows of level 1 the points of a quad are made of.
 * Shapes  control mesh, piece[n], rank[n], classes[..] -> column[..] u32, owns[n] u32, wrong[1] u32. Of the regular
 *         class the columns are the 4 x 4 points around the quad, row by row
 * Shape   item      Cost  about 200 B read and 80 B written a quad
 * Result  wrong becomes 1 where two classes have one key
 * Threads any queue */
#ifndef SDD_K_TAB_COLUMNS_H
#define SDD_K_TAB_COLUMNS_H
#include "gpu/kernels/tab_fan.h"
#include "gpu/kernels/tab_pieces.h"

struct tab_columns_args {
    struct sdd_control mesh;
    const uint32_t *piece;               /* corners                                             */
    const int32_t *rank;                 /* [n] their classes, from 1; NULL: all are the regular one */
    const struct sdd_tab_table *classes; /* NULL with rank                                      */
    const float *words;                  /* [classes][SDD_TAB_WORDS]                            */
    uint32_t *column, *owns, *wrong;
};

SDD_FN void k_tab_columns(int64_t i, const struct tab_columns_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = a->piece[i];
    a->owns[i] = sdd_tab_owns(m, c);
    if (!a->rank) {
        sdd_tab_regular_columns(m, c, a->column + SDD_TAB_REGULAR * i);
        return;
    }
    float words[SDD_TAB_WORDS];
    const struct sdd_tab_table *k = a->classes + (a->rank[i] - 1);
    const float *expected = a->words + SDD_TAB_WORDS * (int64_t)(a->rank[i] - 1);
    int32_t n = sdd_tab_words(m, c, words), same = n == (int32_t)expected[SDD_TAB_WORDS - 1];
    for (int32_t j = 0; j < n && same; j++)
        same = words[j] == expected[j];
    if (same)
        (void)sdd_tab_columns(m, c, a->column + k->column + (i - k->first) * k->n_columns);
    else
        sdd_mark(a->wrong);
}
#endif
