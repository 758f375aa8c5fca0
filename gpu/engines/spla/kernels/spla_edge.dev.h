/* SPDX-License-Identifier: Apache-2.0 */
/* spla_edge.dev.h: what the matrices E and F say of an edge (Mlakar 2018, sections 4.1.2 and 4.2.2). E(i, j) counts the
 * faces of edge ij; the entries above E's diagonal are numbered, one for each edge. F(i, j) is the face that runs from
 * i to j. */
#ifndef SDD_SPLA_EDGE_H
#define SDD_SPLA_EDGE_H
#include "gpu/grid/quad_location.h"
#include "gpu/engines/spla/kernels/spla.dev.h"

struct sdd_adjacency {
    struct sdd_spla e, f;
    const int32_t *number; /* Shape [entries of e]; numbers count from 1. */
};

/* The number, from 0, of the edge between two vertices. */
SDD_FN uint32_t sdd_edge_between(const struct sdd_adjacency *a, uint32_t i, uint32_t j)
{
    uint32_t z = i < j ? sdd_spla_find(&a->e, i, j) : sdd_spla_find(&a->e, j, i);
    return (uint32_t)a->number[z] - 1;
}

/* F(i, j), or SDD_NONE if no face runs from i to j. */
SDD_FN uint32_t sdd_face_along(const struct sdd_adjacency *a, uint32_t i, uint32_t j)
{
    uint32_t z = sdd_spla_find(&a->f, i, j);
    return z == SDD_NONE ? SDD_NONE : (uint32_t)a->f.val[z];
}
#endif
