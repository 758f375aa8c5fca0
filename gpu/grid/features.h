/* SPDX-License-Identifier: Apache-2.0 */
/* features.h: the feature vertices: those where a rule other than the smooth one may hold, on whatever level
 * (feature_vertices.k.h finds them). They are few and scattered. A launch makes them its first items, so that
 * neighbouring threads do the same, and skips them when it comes to all vertices. */
#ifndef SDD_FEATURES_H
#define SDD_FEATURES_H
#include "gpu/kernel/kernel.h"

struct sdd_feature_vertices {
    const uint8_t *flag;  /* Shape [V]; NULL where there are no feature vertices. */
    const uint32_t *list; /* Shape [n], ascending. */
    uint32_t n;
    uint32_t n_items; /* This is n rounded up, so that the warps after them begin where they would without. */
};

SDD_FN int sdd_is_feature(const struct sdd_feature_vertices *r, uint32_t v)
{
    return r->flag && r->flag[v];
}

/* The feature vertex of item i, or SDD_NONE where n was rounded up. */
SDD_FN uint32_t sdd_feature_item(const struct sdd_feature_vertices *r, int64_t i)
{
    return i < (int64_t)r->n ? r->list[i] : SDD_NONE;
}
#endif
