/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_near.dev.h: walks over the faces that share an edge with a face, for clusters. */
#ifndef SDD_CLUSTER_NEAR_DEV_H
#define SDD_CLUSTER_NEAR_DEV_H
#include "gpu/tiles/tile_arrays.h"

/* Clusters do not grow over edges of more faces, because each of these would look at all others. */
#define SDD_CLUSTER_USES 64

/* How many faces share edge e as clusters see it. */
SDD_FN int32_t sdd_n_near(const struct sdd_neighbors *q, uint32_t e)
{
    const int32_t n = sdd_n_uses(q, e);
    return n <= SDD_CLUSTER_USES ? n : 0;
}

/* The least label of the faces that share an edge with face f. */
SDD_FN uint32_t sdd_least_near(const struct sdd_neighbors *q, const uint32_t *label, uint32_t f)
{
    const struct sdd_control *m = &q->mesh;
    uint32_t least = SDD_NONE;
    for (uint32_t c = f > 0 ? (uint32_t)m->face_end[f - 1] : 0; c < (uint32_t)m->face_end[f]; c++) {
        const int32_t n = sdd_n_near(q, m->edge[c]);
        for (int32_t k = 0; k < n; k++) {
            const uint32_t use = sdd_use(q, m->edge[c], k),
                           near = use == c ? SDD_NONE : label[sdd_face(&m->faces, use)];
            least = near < least ? near : least;
        }
    }
    return least;
}
#endif
