/* SPDX-License-Identifier: Apache-2.0 */
/* ribbon_count: how many keys ribbon_fill writes for each corner; finds tiles that cannot have all neighbours.
 * Shapes  ribbon -> count[C] i32, flat[tiles] u32
 * Launch  item, n = C
 * Cost    about 30 B read and 4 B written a corner
 * Result  flat = 1 for the tile of a face that has an edge of more than SDD_CLUSTER_USES faces.
 * Threads any queue */
#ifndef SDD_K_RIBBON_COUNT_H
#define SDD_K_RIBBON_COUNT_H
#include "gpu/tiles/kernels/ribbon.dev.h"

struct ribbon_count_args {
    struct sdd_ribbon ribbon;
    int32_t *count;
    uint32_t *flat;
};

SDD_FN void k_ribbon_count(int64_t c, const struct ribbon_count_args *a)
{
    const struct sdd_control *m = &a->ribbon.neighbors.mesh;
    a->count[c] = sdd_ribbon_of(&a->ribbon, (uint32_t)c, NULL);
    if (sdd_n_near(&a->ribbon.neighbors, m->edge[c]) == 0)
        sdd_mark(a->flat + a->ribbon.label[sdd_face(&m->faces, (uint32_t)c)]);
}
#endif
