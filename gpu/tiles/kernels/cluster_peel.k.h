/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_peel: a round of peeling clusters from their boundaries.
 * Shapes  neighbors, label[F] u32, from[F] u32 -> to[F] u32, changed[1] u32
 * Launch  item, n = F
 * Cost    4 B read and written a face; about 20 B read a corner of a face that is left
 * Result  A face that has been peeled stays so. In round 0 a face beside another cluster goes, in round k one beside a
 *         face of its own cluster that has gone; to = round. What is left is SDD_NONE. changed = 1 where one went.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: update of seeds */
#ifndef SDD_K_CLUSTER_PEEL_H
#define SDD_K_CLUSTER_PEEL_H
#include "gpu/tiles/kernels/cluster_near.dev.h"

struct cluster_peel_args {
    struct sdd_neighbors neighbors;
    const uint32_t *label, *from;
    uint32_t *to, *changed;
    uint32_t round;
};

/* Whether face f goes in this round. */
SDD_FN int sdd_peels(const struct cluster_peel_args *a, uint32_t f)
{
    const struct sdd_neighbors *q = &a->neighbors;
    const struct sdd_control *m = &q->mesh;
    for (uint32_t c = f > 0 ? (uint32_t)m->face_end[f - 1] : 0; c < (uint32_t)m->face_end[f]; c++) {
        const int32_t n = sdd_n_near(q, m->edge[c]);
        for (int32_t k = 0; k < n; k++) {
            const uint32_t near = sdd_face(&m->faces, sdd_use(q, m->edge[c], k));
            if (a->round == 0 ? a->label[near] != a->label[f]
                              : a->from[near] != SDD_NONE && a->label[near] == a->label[f])
                return 1;
        }
    }
    return 0;
}

SDD_FN void k_cluster_peel(int64_t f, const struct cluster_peel_args *a)
{
    uint32_t round = a->round > 0 ? a->from[f] : SDD_NONE;
    if (round == SDD_NONE && sdd_peels(a, (uint32_t)f)) {
        round = a->round;
        sdd_mark(a->changed);
    }
    a->to[f] = round;
}
#endif
