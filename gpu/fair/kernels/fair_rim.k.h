/* SPDX-License-Identifier: Apache-2.0 */
/* fair_rim: marks the rows at edges of one triangle.
 * Shapes  mesh (fair.dev.h) -> rim[n] u32
 * Launch  item, n rows
 * Cost    the entries of each row read once
 * Result  1 on the rim of the surface.
 * Threads any queue */
#ifndef SDD_K_FAIR_RIM_H
#define SDD_K_FAIR_RIM_H
#include "gpu/fair/fair.dev.h"

struct fair_rim_args {
    struct fair_mesh mesh;
    uint32_t *rim;
};

SDD_FN void k_fair_rim(int64_t i, const struct fair_rim_args *a)
{
    uint32_t rim = 0;
    for (uint32_t e = a->mesh.row[i]; e < a->mesh.row[i + 1]; e++)
        rim |= e != a->mesh.diagonal[i] && a->mesh.begin[e + 1] - a->mesh.begin[e] == 1;
    a->rim[i] = rim;
}
#endif
