/* SPDX-License-Identifier: Apache-2.0 */
/* ribbon.dev.h: which faces a corner brings into the ribbons of tiles. */
#ifndef SDD_RIBBON_DEV_H
#define SDD_RIBBON_DEV_H
#include "gpu/tiles/kernels/cluster_near.dev.h"

struct sdd_ribbon {
    struct sdd_neighbors neighbors;
    const uint32_t *label;
    int32_t bits; /* A key is tile << bits | face. */
};

/* Calls for corner c: its face into the tile that owns its vertex, and the faces across its edge into the tile of its
 * face. Writes their keys where `key` is given, and returns how many there are. */
SDD_FN int32_t sdd_ribbon_of(const struct sdd_ribbon *r, uint32_t c, uint64_t *key)
{
    const struct sdd_neighbors *q = &r->neighbors;
    const struct sdd_control *m = &q->mesh;
    const uint32_t f = sdd_face(&m->faces, c), own = r->label[f], owner = sdd_owner(q, r->label, 0, m->vert[c]);
    const int32_t n = sdd_n_near(q, m->edge[c]);
    int32_t found = 0;
    if (owner != own) {
        if (key)
            key[found] = (uint64_t)owner << r->bits | f;
        found++;
    }
    for (int32_t k = 0; k < n; k++) {
        const uint32_t near = sdd_face(&m->faces, sdd_use(q, m->edge[c], k));
        if (r->label[near] == own)
            continue;
        if (key)
            key[found] = (uint64_t)own << r->bits | near;
        found++;
    }
    return found;
}
#endif
