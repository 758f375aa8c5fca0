/* SPDX-License-Identifier: Apache-2.0 */
/* tile_asked.dev.h: which rows a launch over tiles makes. A tile that owns none of the elements whose rows are asked
 * for is not staged: its block, or its turn of the loop, ends at once. */
#ifndef SDD_TILE_ASKED_DEV_H
#define SDD_TILE_ASKED_DEV_H
#include "gpu/tiles/tile_rows.dev.h"

/* Rows of the elements [first, end), in that order; or where `key` is given, of those of a list, in which an element
 * may come more than once. The keys are sorted: tile << bits | element. */
struct sdd_asked {
    uint32_t first, end;
    const uint64_t *key;
    const int32_t *row;                  /* Of each key: which row of the answer it asks for. */
    const uint32_t *key_begin, *key_end; /* Shape [tiles]: the keys of each. */
    int32_t bits;
};

/* What is asked of one tile: entries [first, first + n) of its own elements, or of the keys. */
struct sdd_asked_part {
    uint32_t first;
    int32_t n;
};

/* How many of n ascending numbers are below x. */
SDD_FN int32_t sdd_count_below(const uint32_t *a, int32_t n, uint32_t x)
{
    int32_t low = 0, high = n;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (a[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SDD_FN struct sdd_asked_part sdd_asked_of(const struct sdd_asked *a, const struct sdd_tiles *tiles, int64_t tile,
                                          int32_t relation)
{
    struct sdd_asked_part p;
    p.first = a->key ? a->key_begin[tile] : 0;
    p.n = a->key ? (int32_t)(a->key_end[tile] - p.first) : 0;
    if (a->key && p.n == 0)
        return p;
    const struct sdd_tile t = tiles->tile[tile];
    const int32_t own = sdd_tile_owns(&t, relation);
    if (own == 0) { /* A flat tile owns nothing here. */
        p.n = 0;
        return p;
    }
    if (!a->key) {
        const uint32_t *x = sdd_tile_elements(tiles, &t, relation);
        const int32_t end = x[own - 1] < a->end ? own : sdd_count_below(x, own, a->end);
        p.first = x[0] >= a->first ? 0 : (uint32_t)sdd_count_below(x, own, a->first);
        p.n = end - (int32_t)p.first;
    }
    return p;
}

/* The element that entry k of a part asks for, as the tile numbers it, and the row of the answer that it becomes. */
SDD_FN int32_t sdd_asked_element(const struct sdd_asked *a, const struct sdd_tiles *tiles, const struct sdd_tile *t,
                                 int32_t relation, struct sdd_asked_part p, int32_t k, uint32_t *row)
{
    const uint32_t *x = sdd_tile_elements(tiles, t, relation), at = p.first + (uint32_t)k;
    if (a->key) {
        *row = (uint32_t)a->row[at];
        return sdd_count_below(x, sdd_tile_owns(t, relation), (uint32_t)(a->key[at] & (((uint64_t)1 << a->bits) - 1)));
    }
    *row = x[at] - a->first;
    return (int32_t)at;
}

/* Whether entry k is the first that asks for its element. */
SDD_FN int sdd_asked_first(const struct sdd_asked *a, struct sdd_asked_part p, int32_t k)
{
    return !a->key || k == 0 || a->key[p.first + (uint32_t)k] != a->key[p.first + (uint32_t)k - 1];
}
#endif
