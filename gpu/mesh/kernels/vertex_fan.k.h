/* SPDX-License-Identifier: Apache-2.0 */
/* vertex_fan: checks that the faces of a vertex form one fan, and finds the largest valence.
 * Shapes  begin, end [V], corner[C] i32 (sorted by vertex), twin[C] u32, faces -> fan_error, most_edges [1] u64
 * Launch  item, n = V
 * Cost    about 16 B read a corner of the vertex, in a dependent walk
 * Result  fan_error = min(fan_error, vertex). most_edges = min(most_edges, ~edges << 32 | vertex), so it names the
 *         largest valence. A walk over non-manifold edges may not close, so it is bounded by the vertex's corners.
 * Threads any queue */
#ifndef SDD_K_VERTEX_FAN_H
#define SDD_K_VERTEX_FAN_H
#include "gpu/grid/faces.h"

struct vertex_fan_args {
    const uint32_t *begin, *end, *twin;
    struct sdd_faces faces;
    const int32_t *corner;
    uint64_t *fan_error, *most_edges;
};

/* The number of corners in the fan of corner `start`, at most n + 1. *open says whether the fan ends at edges without a
 * twin. */
SDD_FN uint32_t sdd_fan_of(uint32_t start, uint32_t n, const uint32_t *twin, const struct sdd_faces *faces, int *open)
{
    uint32_t c = start, seen = 1, across;
    /* Walk over incoming edges until the fan closes or ends. */
    while ((across = twin[sdd_prev(faces, c)]) != SDD_NONE && across != start && seen <= n) {
        c = across;
        seen++;
    }
    *open = across == SDD_NONE;
    /* Then walk the other way from the start, over outgoing edges. */
    for (c = start; *open && (across = twin[c]) != SDD_NONE && seen <= n; seen++)
        c = sdd_next(faces, across);
    return seen;
}

/* The lowest of these words names the largest valence and the first vertex that has it. In ascending order few vertices
 * lower the word that is there, and only those cost an atomic. */
SDD_FN uint64_t sdd_most_edges(uint32_t edges, int64_t v)
{
    return (uint64_t)~edges << 32 | (uint64_t)v;
}

SDD_FN void k_vertex_fan(int64_t v, const struct vertex_fan_args *a)
{
    uint32_t n = a->end[v] - a->begin[v];
    int open;
    if (n == 0)
        return;
    if (sdd_fan_of((uint32_t)a->corner[a->begin[v]], n, a->twin, &a->faces, &open) != n)
        sdd_atomic_min(a->fan_error, (uint64_t)v);
    sdd_atomic_min(a->most_edges, sdd_most_edges(n + (uint32_t)open, v));
}
#endif
