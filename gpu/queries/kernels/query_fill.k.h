/* SPDX-License-Identifier: Apache-2.0 */
/* query_fill: the rows of a relation.
 * Shapes  neighbors, subjects, offset[n] u32 -> ids [room] u32, signs [room] u8 (of FE; else NULL), count[n] i32 (NULL
 *         where query_count is exact)
 * Launch  item, n rows
 * Cost    as query_count, and 4 B written an id
 * Result  Row i begins at offset[i] and is in the order of sdd_queries.h. count says how long it is.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: the eight queries */
#ifndef SDD_K_QUERY_FILL_H
#define SDD_K_QUERY_FILL_H
#include "gpu/queries/kernels/query_row.dev.h"

struct query_fill_args {
    struct sdd_neighbors neighbors;
    struct sdd_subjects subjects;
    struct sdd_flat_only only;
    const uint32_t *offset;
    uint32_t *ids;
    uint8_t *signs;
    int32_t *count;
    int32_t relation;
};

SDD_FN void k_query_fill(int64_t i, const struct query_fill_args *a)
{
    struct sdd_row r = {a->ids + a->offset[i], a->signs ? a->signs + a->offset[i] : NULL, 0};
    const uint32_t x = sdd_subject(&a->subjects, i);
    if (sdd_is_left_out(&a->neighbors, &a->only, a->relation, x))
        return;
    sdd_row_collect(&r, &a->neighbors, a->relation, x);
    sdd_row_finish(&r, a->relation);
    if (a->count)
        a->count[i] = r.n;
}
#endif
