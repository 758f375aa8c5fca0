/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_describe: writes the classes of some triangles of level 1 as numbers.
 * Shapes  control mesh, head[n], piece[..] u32 -> words[n][SDD_TRI_WORDS] f32
 * Launch  item, n classes
 * Cost    about 100 B a class
 * Result  A row holds what sdd_tri_words gives (table_ring_tri.dev.h), then zeros. Its last number is how many words
 *         there are.
 * Threads any queue */
#ifndef SDD_K_TABLE_TRI_DESCRIBE_H
#define SDD_K_TABLE_TRI_DESCRIBE_H
#include "gpu/engines/tabulated/kernels/table_ring_tri.dev.h"

struct table_tri_describe_args {
    struct sdd_control mesh;
    const uint32_t *head, *piece; /* head says where each class begins in the list of pieces. */
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
