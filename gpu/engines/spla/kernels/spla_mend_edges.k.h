/* SPDX-License-Identifier: Apache-2.0 */
/* spla_mend_edges: mends the edge points of the boundary, where E is 1: they become the middle of the edge.
 * Shapes  E with its numbers, p[V][3] f32 -> edges[E][3] f32
 * Launch  item, n entries of E
 * Cost    4 B read an entry, a search on the boundary
 * Result  Other edge points are left alone.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.18 */
#ifndef SDD_K_SPLA_MEND_EDGES_H
#define SDD_K_SPLA_MEND_EDGES_H
#include "gpu/engines/spla/kernels/spla_edge.dev.h"

struct spla_mend_edges_args {
    struct sdd_adjacency around;
    const float *p;
    float *edges;
};

SDD_FN void k_spla_mend_edges(int64_t z, const struct spla_mend_edges_args *a)
{
    if (a->around.e.val[z] != 1)
        return;
    uint32_t i = sdd_spla_row(&a->around.e, (uint32_t)z), j = sdd_spla_column(&a->around.e, (uint32_t)z);
    if (i < j)
        sdd_put_vec3(a->edges, (uint32_t)a->around.number[z] - 1,
                     sdd_scale(0.5f, sdd_add(sdd_load_point(a->p, i), sdd_load_point(a->p, j))));
}
#endif
