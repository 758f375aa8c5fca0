/* SPDX-License-Identifier: Apache-2.0 */
/* channel_split: gives rows of their own to values that several vertices share, because OpenSubdiv's values belong to
 * one vertex.
 * Shapes  key[C] u64 and corner[C] u32 sorted by key (channel_keys), rank[C] i32 (inclusive scan of channel_extras) ->
 *         row[C] u32 of corners, value[extra rows] u32
 * Launch  item, n = C
 * Cost    16 B and log2 C keys read a corner
 * Result  The lowest vertex of a value keeps the value's row. The others have the rows from n_values on, ascending by
 *         value and vertex. Corners that keep their row are not written.
 * Threads any queue */
#ifndef SDD_K_CHANNEL_SPLIT_H
#define SDD_K_CHANNEL_SPLIT_H
#include "gpu/kernel/kernel.h"

struct channel_split_args {
    const uint64_t *key;
    const uint32_t *corner;
    const int32_t *rank;
    uint32_t *row, *value;
    uint32_t n_values;
    int32_t bits;
};

SDD_FN void k_channel_split(int64_t i, const struct channel_split_args *a)
{
    uint64_t value = a->key[i] >> a->bits;
    int64_t low = 0, high = i; /* The search finds where the corners of the value begin. */
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (a->key[middle] >> a->bits < value)
            low = middle + 1;
        else
            high = middle;
    }
    int32_t extra = a->rank[i] - 1;
    if (a->rank[low] == extra + 1)
        return;
    a->row[a->corner[i]] = a->n_values + (uint32_t)extra;
    a->value[extra] = (uint32_t)value;
}
#endif
