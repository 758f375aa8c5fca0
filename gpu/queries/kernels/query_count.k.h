/* SPDX-License-Identifier: Apache-2.0 */
/* query_count: how many ids each row of a relation has.
 * Shapes  neighbors, subjects -> count[n] i32
 * Launch  item, n rows
 * Cost    of VV and VE about 20 B read a corner of the vertex, of others less; 4 B written a row
 * Result  exact, but for FF: there it counts a face once for each edge that it shares, which is the room that
 *         query_fill needs. With `only`, counts of other rows stay.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: the eight queries */
#ifndef SDD_K_QUERY_COUNT_H
#define SDD_K_QUERY_COUNT_H
#include "gpu/queries/kernels/query_row.dev.h"

struct query_count_args {
    struct sdd_neighbors neighbors;
    struct sdd_subjects subjects;
    struct sdd_flat_only only;
    int32_t *count;
    int32_t relation;
};

SDD_FN void k_query_count(int64_t i, const struct query_count_args *a)
{
    struct sdd_row r = {NULL, NULL, 0};
    const uint32_t x = sdd_subject(&a->subjects, i);
    if (sdd_is_left_out(&a->neighbors, &a->only, a->relation, x))
        return;
    sdd_row_collect(&r, &a->neighbors, a->relation, x);
    a->count[i] = r.n;
}
#endif
