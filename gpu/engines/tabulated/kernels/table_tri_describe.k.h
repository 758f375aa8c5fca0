/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_describe: the classes of some level-1 triangles in numbers.
 * Shapes  control mesh, head[n], piece[..] u32 -> words[n][SDD_TRI_WORDS] f32, the last of a row is how many there are,
 *         between them zeros
 * Launch  item      Cost  some 100 B a piece      Result  table_ring_tri.h      Threads any queue */
#ifndef SDD_K_TABLE_TRI_DESCRIBE_H
#define SDD_K_TABLE_TRI_DESCRIBE_H
#include "gpu/engines/tabulated/kernels/table_ring_tri.dev.h"

struct table_tri_describe_args {
    struct sdd_control mesh;
    const uint32_t *head, *piece; /* the first of each class in the list of pieces */
    float *words;
};

SDD_FN void k_table_tri_describe(int64_t i, const struct table_tri_describe_args *a)
{
    float words[SDD_TRI_WORDS], *to = a->words + SDD_TRI_WORDS * i;
    int32_t n = sdd_tri_words(&a->mesh, a->piece[a->head[i]], words);
    for (int32_t k = 0; k < SDD_TRI_WORDS; k++)
        to[k] = k < n ? words[k] : 0.0f;
    to[SDD_TRI_WORDS - 1] = (float)n;
}
#endif
