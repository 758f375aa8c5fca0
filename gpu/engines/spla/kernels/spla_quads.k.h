/* SPDX-License-Identifier: Apache-2.0 */
/* spla_quads: the mesh matrix of the next level of Catmull-Clark, in reduced form. Each corner makes a quad of its
 * vertex, the edge point after it, the face point and the edge point before it.
 * Shapes  mesh matrix of C entries in cyclic order, E -> rid[C][4] u32
 * Launch  item, n = C
 * Cost    two searches in columns of E
 * Result  The children of a face are next to each other, in the order of its corners. Vertex ids are those of
 *         [vertices | face points | edge points].
 * Threads any queue
 * Source  Mlakar 2018, figure 4.16 */
#ifndef SDD_K_SPLA_QUADS_H
#define SDD_K_SPLA_QUADS_H
#include "gpu/engines/spla/kernels/spla_edge.dev.h"

struct spla_quads_args {
    struct sdd_spla m;
    struct sdd_adjacency around;
    struct sdd_quad *rid;
};

SDD_FN void k_spla_quads(int64_t z, const struct spla_quads_args *a)
{
    uint32_t k = sdd_spla_column(&a->m, (uint32_t)z), first = sdd_spla_first(&a->m, k);
    int32_t n = sdd_spla_size(&a->m, k), i = (int32_t)((uint32_t)z - first);
    uint32_t v = a->m.rid[z], n_vertices = a->m.n_rows, first_edge = n_vertices + a->m.n_cols;
    uint32_t after = a->m.rid[first + (uint32_t)sdd_rotated(i, 1, n)];
    uint32_t before = a->m.rid[first + (uint32_t)sdd_rotated(i, -1, n)];
    struct sdd_quad q;
    q.v[0] = v;
    q.v[1] = first_edge + sdd_edge_between(&a->around, v, after);
    q.v[2] = n_vertices + k;
    q.v[3] = first_edge + sdd_edge_between(&a->around, before, v);
    a->rid[z] = q;
}
#endif
