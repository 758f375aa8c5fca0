/* SPDX-License-Identifier: Apache-2.0 */
/* table_describe: the classes of some quads in numbers.
 * Shapes  control mesh, head[n], piece[..] u32 -> words[n][SDD_TABLE_WORDS] f32, the last of a row is how many there
 *         are, between them zeros
 * Launch  item      Cost  some 100 B a quad      Result  table_ring_quad.h      Threads any queue */
#ifndef SDD_K_TABLE_DESCRIBE_H
#define SDD_K_TABLE_DESCRIBE_H
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"

struct table_describe_args {
    struct sdd_control mesh;
    const uint32_t *head, *piece; /* the first of each class in the list of pieces */
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
