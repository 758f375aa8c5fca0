/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3_firsts: a half-edge of each vertex from which one walk meets all of its fan, as sqrt3_firsts, but found in
 * F.
 * Shapes  level (spla_sqrt3.dev.h) of V vertices -> first[V] u32
 * Launch  item, n = V
 * Cost    up to 12 B read a face of the vertex, and a search in a column of the lines
 * Result  A boundary edge where one begins, else the lowest half-edge; SDD_NONE for a vertex without faces.
 * Threads any queue */
#ifndef SDD_K_SPLA_SQRT3_FIRSTS_H
#define SDD_K_SPLA_SQRT3_FIRSTS_H
#include "gpu/engines/spla/kernels/spla_sqrt3.dev.h"

struct spla_sqrt3_firsts_args {
    struct sdd_thirds around;
    uint32_t *first;
};

SDD_FN void k_spla_sqrt3_firsts(int64_t i, const struct spla_sqrt3_firsts_args *a)
{
    const struct sdd_thirds *m = &a->around;
    uint32_t v = (uint32_t)i, least = SDD_NONE;
    int on_line = sdd_spla_size(&m->lines, v) > 0;
    for (int32_t k = m->f.ptr[v]; k < m->f.ptr[v + 1]; k++) { /* These are the faces with an edge to v. */
        uint32_t f = (uint32_t)m->f.val[k], h = 3 * f + (m->m.rid[3 * f] == v ? 0 : m->m.rid[3 * f + 1] == v ? 1 : 2);
        if (on_line && sdd_thirds_line(m, h) != SDD_NONE) {
            least = h;
            break;
        }
        least = h < least ? h : least;
    }
    a->first[v] = least;
}
#endif
