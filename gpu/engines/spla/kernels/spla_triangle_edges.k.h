/* SPDX-License-Identifier: Apache-2.0 */
/* spla_triangle_edges: edge points of Loop. The parts of both triangles beside each edge (p_klm of equation 4.15) are
 * added up. The thesis scatters them; here the edge finds its triangles in F.
 * Shapes  E and F, reduced mesh matrix of triangles, part[3][F][3] f32 (part[s] is M^T p with 1/8 at corner s and 3/16
 *         at the others) -> edges[E][3] f32
 * Launch  item, n entries of E; those above the diagonal write
 * Cost    two searches in columns of F
 * Result  The sum of both parts; on a boundary the one that is there, which spla_mend_edges then mends.
 * Threads any queue
 * Source  Mlakar 2018, section 4.2.2, figure 4.11 */
#ifndef SDD_K_SPLA_TRIANGLE_EDGES_H
#define SDD_K_SPLA_TRIANGLE_EDGES_H
#include "gpu/engines/spla/kernels/spla_edge.dev.h"

struct spla_triangle_edges_args {
    struct sdd_adjacency around;
    struct sdd_spla m;
    const float *part[3];
    float *edges;
};

/* What triangle f gives to its edge that begins at vertex i: the part in which the corner opposite has 1/8. */
SDD_FN struct sdd_vec3 sdd_part_of_edge(const struct spla_triangle_edges_args *a, uint32_t f, uint32_t i)
{
    if (f == SDD_NONE)
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    uint32_t c = 3 * f;
    if (a->m.rid[c] == i)
        return sdd_load_point(a->part[2], f);
    return sdd_load_point(a->part[a->m.rid[c + 1] == i ? 0 : 1], f);
}

SDD_FN void k_spla_triangle_edges(int64_t z, const struct spla_triangle_edges_args *a)
{
    uint32_t i = sdd_spla_row(&a->around.e, (uint32_t)z), j = sdd_spla_column(&a->around.e, (uint32_t)z);
    if (i > j)
        return;
    struct sdd_vec3 here = sdd_part_of_edge(a, sdd_face_along(&a->around, i, j), i);
    struct sdd_vec3 there = sdd_part_of_edge(a, sdd_face_along(&a->around, j, i), j);
    sdd_put_vec3(a->edges, (uint32_t)a->around.number[z] - 1, sdd_add(here, there));
}
#endif
