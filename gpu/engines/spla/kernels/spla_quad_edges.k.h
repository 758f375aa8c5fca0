/* SPDX-License-Identifier: Apache-2.0 */
/* spla_quad_edges: edge points of Catmull-Clark. The ends of an edge are its row and column in E, and the faces beside
 * it are in F.
 * Shapes  E and F of V vertices, p[V][3] f32, faces[F][3] f32 -> edges[E][3] f32
 * Launch  item, n entries of E; those above the diagonal write
 * Cost    two searches in columns of F
 * Result  1/4 (ends + face points), without the one that is missing on a boundary, which spla_mend_edges then mends
 * Threads any queue
 * Source  Mlakar 2018, equation 4.23 */
#ifndef SDD_K_SPLA_QUAD_EDGES_H
#define SDD_K_SPLA_QUAD_EDGES_H
#include "gpu/engines/spla/kernels/spla_edge.dev.h"

struct spla_quad_edges_args {
    struct sdd_adjacency around;
    const float *p, *faces;
    float *edges;
};

SDD_FN void k_spla_quad_edges(int64_t z, const struct spla_quad_edges_args *a)
{
    uint32_t i = sdd_spla_row(&a->around.e, (uint32_t)z), j = sdd_spla_column(&a->around.e, (uint32_t)z);
    if (i > j)
        return;
    uint32_t beside[2] = {sdd_face_along(&a->around, i, j), sdd_face_along(&a->around, j, i)};
    struct sdd_vec3 ends = sdd_add(sdd_load_point(a->p, i), sdd_load_point(a->p, j));
    struct sdd_vec3 faces = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t side = 0; side < 2; side++)
        if (beside[side] != SDD_NONE)
            faces = sdd_add(faces, sdd_load_point(a->faces, beside[side]));
    sdd_put_vec3(a->edges, (uint32_t)a->around.number[z] - 1, sdd_fma(0.25f, faces, sdd_scale(0.25f, ends)));
}
#endif
