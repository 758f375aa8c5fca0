/* SPDX-License-Identifier: Apache-2.0 */
/* update_valences: the most edges that a vertex of a manifold mesh has.
 * Shapes  begin, end [V] u32, ghost[B] u32 (the vertices of the ghosts) -> most_edges[1] u64
 * Launch  item, n = V + B
 * Cost    8 B read a vertex, 12 B a ghost
 * Result  As vertex_fan: a vertex has an edge for each face and, on a boundary, where one ghost begins, one more.
 * Threads any queue */
#ifndef SDD_K_UPDATE_VALENCES_H
#define SDD_K_UPDATE_VALENCES_H
#include "gpu/mesh/kernels/vertex_fan.k.h"

struct update_valences_args {
    const uint32_t *begin, *end, *ghost;
    uint64_t *most_edges;
    int64_t n_vertices;
};

SDD_FN void k_update_valences(int64_t i, const struct update_valences_args *a)
{
    const int64_t v = i < a->n_vertices ? i : (int64_t)a->ghost[i - a->n_vertices];
    sdd_atomic_min(a->most_edges, sdd_most_edges(a->end[v] - a->begin[v] + (uint32_t)(i >= a->n_vertices), v));
}
#endif
