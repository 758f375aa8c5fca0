/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_firsts: a half-edge of each control vertex from which one walk meets all of its fan.
 * Shapes  begin, end [V], corner[C] u32 (corners sorted by vertex), twin[C] u32 (>= C where there is none) -> first[V]
 *         u32
 * Launch  item, n = V
 * Cost    up to 8 B read a corner of the vertex
 * Result  The first of its corners whose own edge is a boundary, else its first corner; SDD_NONE for a vertex without
 *         corners.
 * Threads any queue */
#ifndef SDD_K_SQRT3_FIRSTS_H
#define SDD_K_SQRT3_FIRSTS_H
#include "gpu/kernel/kernel.h"

struct sqrt3_firsts_args {
    const uint32_t *begin, *end, *corner, *twin;
    uint32_t *first;
    uint32_t n_corners;
};

SDD_FN void k_sqrt3_firsts(int64_t v, const struct sqrt3_firsts_args *a)
{
    uint32_t k = a->begin[v], end = a->end[v], first = k < end ? a->corner[k] : SDD_NONE;
    while (k < end && a->twin[a->corner[k]] < a->n_corners)
        k++;
    a->first[v] = k < end ? a->corner[k] : first;
}
#endif
