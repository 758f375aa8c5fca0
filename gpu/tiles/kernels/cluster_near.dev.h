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

/* The faces that share an edge with a face, one after the other. In a manifold mesh they are those of the twins, which
 * saves the way through the edge: three reads that are far apart in a shuffled mesh. */
struct sdd_near_walk {
    uint32_t corner, end; /* The corners that are left. */
    int32_t use;          /* The next use of the edge after `corner`. */
};

SDD_FN struct sdd_near_walk sdd_near_begin(const struct sdd_neighbors *q, uint32_t f)
{
    const struct sdd_control *m = &q->mesh;
    struct sdd_near_walk w;
    w.corner = f > 0 ? (uint32_t)m->face_end[f - 1] : 0;
    w.end = (uint32_t)m->face_end[f];
    w.use = 0;
    return w;
}

/* The next of these faces, which may come more than once; SDD_NONE at the end. */
SDD_FN uint32_t sdd_near_next(const struct sdd_neighbors *q, struct sdd_near_walk *w)
{
    const struct sdd_control *m = &q->mesh;
    while (w->corner < w->end) {
        if (!q->use_begin) {
            const uint32_t twin = m->twin[w->corner++];
            if (twin < m->n_corners)
                return sdd_face(&m->faces, twin);
            continue;
        }
        const uint32_t e = m->edge[w->corner];
        if (w->use >= sdd_n_near(q, e)) {
            w->corner++;
            w->use = 0;
            continue;
        }
        const uint32_t use = sdd_use(q, e, w->use++);
        if (use != w->corner)
            return sdd_face(&m->faces, use);
    }
    return SDD_NONE;
}

/* The least label of the faces that share an edge with face f. */
SDD_FN uint32_t sdd_least_near(const struct sdd_neighbors *q, const uint32_t *label, uint32_t f)
{
    struct sdd_near_walk w = sdd_near_begin(q, f);
    uint32_t least = SDD_NONE;
    for (uint32_t g; (g = sdd_near_next(q, &w)) != SDD_NONE;)
        least = label[g] < least ? label[g] : least;
    return least;
}
#endif
