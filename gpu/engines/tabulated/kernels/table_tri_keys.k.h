/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_keys: hashes the class (tri_class.h) of each triangle of level 1 under Loop.
 * Shapes  control mesh of F triangles -> key[4 F] u64, list[4 F] u32, none[1] u32
 * Launch  item, n = 4 F
 * Cost    about 60 B read a piece
 * Result  Equal classes have equal keys; table_tri_columns finds out if different classes do too. list is the pieces
 *         in order. none becomes 1 if a piece has no table (sdd_tri_words).
 * Threads any queue */
#ifndef SDD_K_TABLE_TRI_KEYS_H
#define SDD_K_TABLE_TRI_KEYS_H
#include "gpu/engines/tabulated/kernels/table_ring_tri.dev.h"

struct table_tri_keys_args {
    struct sdd_control mesh;
    uint64_t *key;
    uint32_t *list, *none;
};

SDD_FN void k_table_tri_keys(int64_t i, const struct table_tri_keys_args *a)
{
    float words[SDD_TRI_WORDS];
    int32_t n = sdd_tri_words(&a->mesh, (uint32_t)i, words);
    a->key[i] = sdd_table_hash(words, n);
    a->list[i] = (uint32_t)i;
    if (n == 0)
        sdd_mark(a->none);
}
#endif
