/* SPDX-License-Identifier: Apache-2.0 */
/* fold_vertices: finds a vertex inside a surface that has only two faces. Triangles there share two edges, and on a
 * refined level the edge that cuts this corner off either of them is the same, so that it has four faces.
 * Shapes  neighbors of a manifold mesh -> error[1] u64
 * Launch  item, n = V
 * Cost    8 B read a vertex
 * Result  error = min(error, v)
 * Threads any queue */
#ifndef SDD_K_FOLD_VERTICES_H
#define SDD_K_FOLD_VERTICES_H
#include "gpu/tiles/neighbors.h"

struct fold_vertices_args {
    struct sdd_neighbors neighbors;
    uint64_t *error;
};

SDD_FN void k_fold_vertices(int64_t v, const struct fold_vertices_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    if (m->end[v] - m->begin[v] != 2)
        return;
    const uint32_t c = m->corner[m->begin[v]], d = m->corner[m->begin[v] + 1];
    if (m->edge[c] == m->edge[sdd_prev(&m->faces, d)] && m->edge[d] == m->edge[sdd_prev(&m->faces, c)])
        sdd_atomic_min(a->error, (uint64_t)v);
}
#endif
