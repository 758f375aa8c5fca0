/* SPDX-License-Identifier: Apache-2.0 */
/* fan_fill: the rows of oriented VV, VE or VF.
 * Shapes  neighbors, subjects, offset[n] u32 -> ids [sum of counts] u32; scratch keys [sum of counts] u64, NULL where
 *         the mesh is manifold
 * Launch  item, n rows
 * Cost    about 16 B read a corner of the vertex, in a dependent walk; 4 B written an id
 * Result  Row i begins at offset[i] and is in the order that sdd_queries.h tells. fan_count has found no error.
 * Threads any queue */
#ifndef SDD_K_FAN_FILL_H
#define SDD_K_FAN_FILL_H
#include "gpu/queries/kernels/query_fan.dev.h"

struct fan_fill_args {
    struct sdd_neighbors neighbors;
    struct sdd_subjects subjects;
    const uint32_t *offset;
    uint32_t *ids;
    uint64_t *keys;
    int32_t relation;
};

SDD_FN void k_fan_fill(int64_t i, const struct fan_fill_args *a)
{
    struct sdd_row r = {a->ids + a->offset[i], NULL, 0};
    sdd_fan_add_vertex(&r, &a->neighbors, a->relation, sdd_subject(&a->subjects, i),
                       a->keys ? a->keys + a->offset[i] : NULL);
}
#endif
