/* SPDX-License-Identifier: Apache-2.0 */
/* table_touched: marks the faces around some vertices: those whose pieces an edit may have given other surroundings.
 * Shapes  control mesh, vertex[n] u32 -> flag[F] u32
 * Launch  item, n
 * Cost    8 B for each face of a vertex
 * Result  flag becomes 1 where a vertex of the face is listed; other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_TABLE_TOUCHED_H
#define SDD_K_TABLE_TOUCHED_H
#include "gpu/grid/control.h"

struct table_touched_args {
    struct sdd_control mesh;
    const uint32_t *vertex;
    uint32_t *flag;
};

SDD_FN void k_table_touched(int64_t i, const struct table_touched_args *a)
{
    const uint32_t v = a->vertex[i];
    for (uint32_t k = a->mesh.begin[v]; k < a->mesh.end[v]; k++)
        sdd_mark(a->flag + sdd_face(&a->mesh.faces, a->mesh.corner[k]));
}
#endif
