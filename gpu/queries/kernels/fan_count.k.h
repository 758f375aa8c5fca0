/* SPDX-License-Identifier: Apache-2.0 */
/* fan_count: how many ids each row of oriented VV, VE or VF has; finds vertices whose faces have no order.
 * Shapes  neighbors, subjects -> count[n] i32, error[1] u64
 * Launch  item, n rows
 * Cost    about 12 B read a corner of the vertex; 4 B written a row
 * Result  error = min(error, row) where an edge of the row's vertex is not manifold.
 * Threads any queue */
#ifndef SDD_K_FAN_COUNT_H
#define SDD_K_FAN_COUNT_H
#include "gpu/queries/kernels/query_fan.dev.h"

struct fan_count_args {
    struct sdd_neighbors neighbors;
    struct sdd_subjects subjects;
    int32_t *count;
    uint64_t *error;
    int32_t relation;
};

SDD_FN void k_fan_count(int64_t i, const struct fan_count_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const uint32_t v = sdd_subject(&a->subjects, i);
    int32_t n = (int32_t)(m->end[v] - m->begin[v]);
    for (uint32_t k = m->begin[v]; a->relation != SDD_RELATION_VF && k < m->end[v]; k++)
        n += sdd_fan_opens(&a->neighbors, m->corner[k]); /* An open fan has one edge more than faces. */
    a->count[i] = n;
    if (!sdd_fan_is_ordered(&a->neighbors, v))
        sdd_atomic_min(a->error, (uint64_t)i);
}
#endif
