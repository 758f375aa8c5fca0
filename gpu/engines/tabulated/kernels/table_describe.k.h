/* SPDX-License-Identifier: Apache-2.0 */
/* table_describe: writes the classes of some pieces as numbers.
 * Shapes  control mesh, head[n], piece[..] u32 -> words[n][SDD_TABLE_WORDS] f32
 * Launch  item, n classes
 * Cost    about 100 B a class
 * Result  A row holds what sdd_table_words gives, then zeros. Its last number is how many words there are.
 * Threads any queue */
#ifndef SDD_K_TABLE_DESCRIBE_H
#define SDD_K_TABLE_DESCRIBE_H
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"

struct table_describe_args {
    struct sdd_control mesh;
    const uint32_t *head, *piece; /* head says where each class begins in the list of pieces. */
    float *words;
};

SDD_FN void k_table_describe(int64_t i, const struct table_describe_args *a)
{
    float words[SDD_TABLE_WORDS];
    int32_t n = sdd_table_words(&a->mesh, a->piece[a->head[i]], words);
    float *to = a->words + SDD_TABLE_WORDS * i;
    for (int32_t k = 0; k < SDD_TABLE_WORDS; k++)
        to[k] = k < n ? words[k] : 0.0f;
    to[SDD_TABLE_WORDS - 1] = (float)n;
}
#endif
