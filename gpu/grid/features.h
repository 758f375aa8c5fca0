/* SPDX-License-Identifier: Apache-2.0 */
/* features.h: the vertices where a rule other than the smooth one can hold, on whatever level (feature_vertices.h). They are
 * few and stand anywhere: a launch leaves them out and has them as its first items, where neighbouring threads do the
 * same, while the others follow. */
#ifndef SDD_RULED_H
#define SDD_RULED_H
#include "gpu/kernel/kernel.h"

struct sdd_feature_vertices {
    const uint8_t *flag;  /* [V] NULL: there are none */
    const uint32_t *list; /* [n] ascending            */
    uint32_t n;
    uint32_t n_items; /* n rounded up, so that warps after them begin where they would without */
};

SDD_FN int sdd_is_feature(const struct sdd_feature_vertices *r, uint32_t v)
{
    return r->flag && r->flag[v];
}

/* Item i of the feature ones; SDD_NONE: it is none. */
SDD_FN uint32_t sdd_feature_item(const struct sdd_feature_vertices *r, int64_t i)
{
    return i < (int64_t)r->n ? r->list[i] : SDD_NONE;
}
#endif
