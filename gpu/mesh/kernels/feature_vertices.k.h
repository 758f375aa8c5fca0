/* SPDX-License-Identifier: Apache-2.0 */
/* feature_vertices: finds the feature vertices, where a rule other than the smooth one may hold: those that are sharp
 * or have two or more sharp edges. Other vertices are smooth on all levels, so that engines need not look at their
 * edges.
 * Shapes  control mesh with edge_sharp, vertex[n] u32 (NULL for all) -> is_feature[V] u8
 * Launch  item, n, or V
 * Cost    about 20 B read a corner, 1 B written a vertex
 * Result  1 or 0; other rows than those of `vertex` keep what they held.
 * Threads any queue */
#ifndef SDD_K_FEATURE_VERTICES_H
#define SDD_K_FEATURE_VERTICES_H
#include "gpu/grid/control.h"

struct feature_vertices_args {
    struct sdd_control mesh;
    const uint32_t *vertex;
    uint8_t *is_feature;
};

SDD_FN int sdd_is_feature_vertex(const struct sdd_control *m, uint32_t v)
{
    int32_t n_sharp = m->vert_sharp && m->vert_sharp[v] > 0.0f ? 2 : 0;
    for (uint32_t k = m->begin[v]; k < m->end[v] && n_sharp < 2; k++) {
        for (int32_t before = 0; before < 2; before++) {
            uint32_t own = before ? sdd_prev(&m->faces, m->corner[k]) : m->corner[k];
            n_sharp += sdd_meets_edge(m, own, before) && m->edge_sharp[m->edge[own]] > 0.0f;
        }
    }
    return n_sharp >= 2;
}

SDD_FN void k_feature_vertices(int64_t i, const struct feature_vertices_args *a)
{
    const uint32_t v = a->vertex ? a->vertex[i] : (uint32_t)i;
    a->is_feature[v] = (uint8_t)sdd_is_feature_vertex(&a->mesh, v);
}
#endif
