/* SPDX-License-Identifier: Apache-2.0 */
/* spla_mend_vertices: mends the vertex points of the boundary, whose columns of E hold a 1. The thesis adds 1/8 of each
 * end of such an edge to the other one; here each vertex gathers them.
 * Shapes  E, rows of the mesh matrix, p[V][3] f32 -> to[V][3] f32
 * Launch  item, n = V
 * Cost    4 B read an entry of E
 * Result  3/4 of the vertex and 1/8 of both neighbours along the boundary; where `corners` is set a vertex of one face
 *         keeps its position. Other vertex points are left alone.
 * Threads any queue
 * Source  Mlakar 2018, equations 4.19 to 4.21 */
#ifndef SDD_K_SPLA_MEND_VERTICES_H
#define SDD_K_SPLA_MEND_VERTICES_H
#include "gpu/grid/quad_location.h"
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_mend_vertices_args {
    struct sdd_spla e, rows;
    const float *p;
    float *to;
    int32_t corners; /* Set under boundary rule edgeAndCorner. */
};

SDD_FN void k_spla_mend_vertices(int64_t v, const struct spla_mend_vertices_args *a)
{
    struct sdd_vec3 at = sdd_load_point(a->p, (uint32_t)v), ends = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    int32_t n = 0;
    for (int32_t z = a->e.ptr[v]; z < a->e.ptr[v + 1]; z++)
        if (a->e.val[z] == 1) {
            ends = sdd_add(ends, sdd_load_point(a->p, a->e.rid[z]));
            n++;
        }
    if (n == 0)
        return;
    if (!a->corners || sdd_spla_size(&a->rows, (uint32_t)v) > 1)
        at = sdd_fma(0.125f, ends, sdd_scale(0.75f, at));
    sdd_put_vec3(a->to, (uint32_t)v, at);
}
#endif
