/* SPDX-License-Identifier: Apache-2.0 */
/* query.h: the kernel language's third shape. A kernel of queries is one header gpu/ROOM/kernels/NAME.q.k.h with a
 * struct NAME_args whose first member is `struct sdd_query_rows rows`, and a body k_NAME(element, row, n, args) for one
 * element, which gets its neighbours, in valid C11 and valid CUDA C++. What fetches the row is written once, here; gcc
 * makes a parallel loop over elements of it, nvcc a thread for each. Element i is row i of the relation that whoever
 * launches it put into `rows`. A body that wants a second relation finds that in `rows` too (sdd_second_row).
 *
 * Rules: those of kernel.h. Sums over a row run in its order, from its first neighbour to its last, so they do not
 * depend on how rows were made. The body writes only what its element owns. */
#ifndef SDD_QUERY_H
#define SDD_QUERY_H
#include "gpu/kernel/kernel.h"

/* The rows of one relation: row i is ids[offset[i]] to ids[offset[i + 1] - 1]. */
struct sdd_rows_of {
    const uint32_t *offset, *ids;
};

struct sdd_query_rows {
    struct sdd_rows_of first, second; /* The second has NULLs where the kernel asks for one relation. */
};

/* Returns the row of an element in the second relation, and its length. */
SDD_FN const uint32_t *sdd_second_row(const struct sdd_query_rows *r, int64_t element, int32_t *n)
{
    *n = (int32_t)(r->second.offset[element + 1] - r->second.offset[element]);
    return r->second.ids + r->second.offset[element];
}

/* Makes the body of an item, q_NAME, of a body that gets a row. */
#define SDD_QUERY_BODY(name)                                                                                           \
    SDD_FN void q_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        const struct sdd_rows_of *r = &a->rows.first;                                                                  \
        k_##name(i, r->ids + r->offset[i], (int32_t)(r->offset[i + 1] - r->offset[i]), a);                             \
    }
#endif
