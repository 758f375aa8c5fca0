/* SPDX-License-Identifier: Apache-2.0 */
/* interleave.h: two lists walked side by side in one launch, so that what both read of the same places meets in the
 * cache: each chunk of items belongs with its first part to list a, with the rest to list b. */
#ifndef SDD_INTERLEAVE_H
#define SDD_INTERLEAVE_H
#include "gpu/grid/features.h"

#define SDD_CHUNK 1024

struct sdd_interleave {
    uint32_t n_a, n_b;
    uint32_t share; /* of a in a chunk, 1 .. SDD_CHUNK - 1 */
};

/* Item i: of which list (*b), and its row there; SDD_NONE: there is none. */
SDD_FN uint32_t sdd_interleaved(const struct sdd_interleave *l, int64_t i, int *b)
{
    uint32_t place = (uint32_t)(i % SDD_CHUNK);
    int64_t chunk = i / SDD_CHUNK;
    *b = place >= l->share;
    int64_t row = *b ? chunk * (SDD_CHUNK - l->share) + (place - l->share) : chunk * l->share + place;
    return row < (int64_t)(*b ? l->n_b : l->n_a) ? (uint32_t)row : SDD_NONE;
}

/* The feature vertices before all others, which are list a. */
SDD_FN uint32_t sdd_feature_or_interleaved(const struct sdd_feature_vertices *r, const struct sdd_interleave *l,
                                           int64_t i, int *b)
{
    *b = 0;
    if (i < (int64_t)r->n_items)
        return sdd_feature_item(r, i);
    uint32_t row = sdd_interleaved(l, i - r->n_items, b);
    return row != SDD_NONE && !*b && sdd_is_feature(r, row) ? SDD_NONE : row;
}
#endif
