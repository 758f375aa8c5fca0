/* SPDX-License-Identifier: Apache-2.0 */
/* update_fans: looks around the vertices whose faces have changed: whether these form one fan, how many edges there
 * are, and where ghosts follow each other.
 * Shapes  vertex[n] u32, control mesh with ghosts -> rows of next and prev [C + B - faces.n_uniform] u32, fan_error,
 *         most_edges [1] u64
 * Launch  item, n
 * Cost    a walk of the vertex's fan
 * Result  fan_error = min(fan_error, vertex), most_edges as of vertex_fan. On a boundary next and prev link the ghost
 *         that ends at the vertex with the one that begins there.
 * Threads any queue */
#ifndef SDD_K_UPDATE_FANS_H
#define SDD_K_UPDATE_FANS_H
#include "gpu/grid/control.h"
#include "gpu/mesh/kernels/vertex_fan.k.h"

struct update_fans_args {
    const uint32_t *vertex;
    struct sdd_control mesh;
    uint32_t *next, *prev;
    uint64_t *fan_error, *most_edges;
};

SDD_FN void k_update_fans(int64_t i, const struct update_fans_args *a)
{
    const struct sdd_control *m = &a->mesh;
    const uint32_t v = a->vertex[i], n = m->end[v] - m->begin[v];
    if (n == 0)
        return;
    const uint32_t first = sdd_first_corner(m, v), ends = m->twin[first];
    const int open = ends >= m->n_corners;
    uint32_t c = first, met = 0;
    do {
        met++;
        c = m->twin[sdd_prev(&m->faces, c)];
    } while (c < m->n_corners && c != first && met < n);
    if (met != n || open != (c >= m->n_corners)) {
        sdd_atomic_min(a->fan_error, (uint64_t)v);
        return;
    }
    sdd_atomic_min(a->most_edges, sdd_most_edges(n + (uint32_t)open, v));
    if (open) {
        a->next[ends - m->faces.n_uniform] = c;
        a->prev[c - m->faces.n_uniform] = ends;
    }
}
#endif
