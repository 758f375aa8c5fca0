/* SPDX-License-Identifier: Apache-2.0 */
/* ring_start: the keys of round 0 of a ring: each row's own element.
 * Shapes  subjects -> key[n] u64
 * Launch  item, n rows
 * Cost    4 B read and 8 B written a row
 * Result  key = row << bits | element
 * Threads any queue */
#ifndef SDD_K_RING_START_H
#define SDD_K_RING_START_H
#include "gpu/queries/kernels/query_row.dev.h"

struct ring_start_args {
    struct sdd_subjects subjects;
    uint64_t *key;
    int32_t bits;
};

SDD_FN void k_ring_start(int64_t i, const struct ring_start_args *a)
{
    a->key[i] = (uint64_t)i << a->bits | sdd_subject(&a->subjects, i);
}
#endif
