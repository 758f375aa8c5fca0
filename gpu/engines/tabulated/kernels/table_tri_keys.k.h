/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_keys: hashes the classes (tri_class.h) of triangles of level 1 under Loop.
 * Shapes  control mesh of F triangles, piece[n] u32 (NULL for pieces 0 to n - 1) -> key[n] u64, list[n] u32 (may be
 *         NULL), none[1] u32
 * Launch  item, n
 * Cost    about 60 B read a piece
 * Result  Equal classes have equal keys; table_tri_columns finds out if different classes do too. list is the pieces
 *         once more. none becomes 1 if a piece has no table (sdd_tri_words).
 * Threads any queue */
#ifndef SDD_K_TABLE_TRI_KEYS_H
#define SDD_K_TABLE_TRI_KEYS_H
#include "gpu/engines/tabulated/kernels/table_ring_tri.dev.h"

struct table_tri_keys_args {
    struct sdd_control mesh;
    const uint32_t *piece;
    uint64_t *key;
    uint32_t *list, *none;
};

SDD_FN void k_table_tri_keys(int64_t i, const struct table_tri_keys_args *a)
{
    const uint32_t piece = a->piece ? a->piece[i] : (uint32_t)i;
    float words[SDD_TRI_WORDS];
    int32_t n = sdd_tri_words(&a->mesh, piece, words);
    a->key[i] = sdd_table_key_of(words, n);
    if (a->list)
        a->list[i] = piece;
    if (n == 0)
        sdd_mark(a->none);
}
#endif
