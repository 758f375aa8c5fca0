/* SPDX-License-Identifier: Apache-2.0 */
/* interleave.h: two lists walked side by side in one launch. Each chunk of items takes its first part from list a and
 * the rest from list b, so that what both read of the same part of the mesh meets in the cache. */
#ifndef SDD_INTERLEAVE_H
#define SDD_INTERLEAVE_H
#include "gpu/grid/features.h"

#define SDD_CHUNK 1024

struct sdd_interleave {
    uint32_t n_a, n_b; /* The lengths of the lists. */
    uint32_t share;    /* Items of list a in a chunk, 1 to SDD_CHUNK - 1. */
};

/* The row of item i in its list, or SDD_NONE where the list has ended; *b says whether that is list b. */
SDD_FN uint32_t sdd_interleaved(const struct sdd_interleave *l, int64_t i, int *b)
{
    uint32_t position = (uint32_t)(i % SDD_CHUNK);
    int64_t chunk = i / SDD_CHUNK;
    *b = position >= l->share;
    int64_t row = *b ? chunk * (SDD_CHUNK - l->share) + (position - l->share) : chunk * l->share + position;
    return row < (int64_t)(*b ? l->n_b : l->n_a) ? (uint32_t)row : SDD_NONE;
}

/* Does what sdd_interleaved does, with the feature vertices as the first items. List a has all vertices. */
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
