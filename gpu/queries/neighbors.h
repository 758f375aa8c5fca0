/* SPDX-License-Identifier: Apache-2.0 */
/* neighbors.h: what kernels of queries read: the control mesh, which relations there are, and whose rows are asked
 * for. */
#ifndef SDD_NEIGHBORS_H
#define SDD_NEIGHBORS_H
#include "gpu/grid/control.h"

/* The relations of sdd_queries.h, which kernels do not read. */
enum sdd_relation_of_kernels {
    SDD_RELATION_VV,
    SDD_RELATION_VE,
    SDD_RELATION_VF,
    SDD_RELATION_EV,
    SDD_RELATION_EF,
    SDD_RELATION_FV,
    SDD_RELATION_FE,
    SDD_RELATION_FF
};

/* A control mesh with the corners that use each edge. In a manifold mesh these are the edge's lowest corner and its
 * twin, and the two arrays are NULL. */
struct sdd_neighbors {
    struct sdd_control mesh;
    const uint32_t *use_begin;  /* Shape [E + 1]. */
    const uint32_t *use_corner; /* Shape [C]: ascending for each edge. */
};

/* Which elements have rows: those of the list, or all from `first` on where it is NULL. */
struct sdd_subjects {
    const uint32_t *list;
    uint32_t first;
};

SDD_FN uint32_t sdd_subject(const struct sdd_subjects *s, int64_t i)
{
    return s->list ? s->list[i] : s->first + (uint32_t)i;
}
#endif
