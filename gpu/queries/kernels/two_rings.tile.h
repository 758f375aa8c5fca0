/* SPDX-License-Identifier: Apache-2.0 */
/* two_rings: all elements that are one or two steps away, from what a tile holds. Its ribbon makes the rows of all
 * elements that it owns whole, so it suffices where all neighbours of an element are the tile's own.
 * Shapes  tiles (tile_arrays.h), asked (tile_asked.dev.h), where (sdd_rows_to) -> a row for each element that is asked
 *         for and owned by a tile
 * Launch  tile, n tiles
 * Cost    as tile_rows; for each id 2 B a neighbour's neighbour from fast memory
 * Result  Rows of VV or FF with ring 2, ascending, each id once; or their lengths, which are -1 where the ribbon does
 *         not suffice or there are more than TWO_RINGS_MOST ways of two steps. Rows of these are not written.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: the one-ring of the one-ring */
#ifndef SDD_K_TWO_RINGS_H
#define SDD_K_TWO_RINGS_H
#include "gpu/tiles/tile_asked.dev.h"

enum { two_rings_threads = 256, TWO_RINGS_MOST = 128 };

struct two_rings_args {
    struct sdd_tiles tiles;
    struct sdd_asked asked;
    struct sdd_rows_to to;
    int32_t relation;
};

/* Elements that were found, some of them more than once; n is -1 once the tile does not suffice. */
struct sdd_found {
    uint16_t x[TWO_RINGS_MOST];
    int32_t n;
};

SDD_FN void sdd_find_more(struct sdd_found *f, uint16_t x)
{
    if (f->n == TWO_RINGS_MOST)
        f->n = -1;
    if (f->n >= 0)
        f->x[f->n++] = x;
}

/* Adds the neighbours of u to what element i of the tile finds, but for i itself. Those of i, which are added where
 * u == i, must be the tile's own. */
SDD_FN void sdd_find_step(const struct sdd_tile_view *v, int32_t u, int32_t i, struct sdd_found *f)
{
    const int32_t own = u == i ? sdd_tile_owns(&v->tile, v->relation) : SDD_TILE_EDGES;
    const int by_edges = v->relation == SDD_RELATION_FF;
    const int32_t first = by_edges ? sdd_tile_corner(v, u) : 0, end = by_edges ? sdd_tile_corner(v, u + 1) : 1;
    for (int32_t c = first; f->n >= 0 && c < end; c++) {
        const int32_t of = by_edges ? v->corner[c] : u;
        for (int32_t k = of > 0 ? v->end[of - 1] : 0; f->n >= 0 && k < v->end[of]; k++) {
            if (v->row[k] >= own)
                f->n = -1;
            else if (v->row[k] != i)
                sdd_find_more(f, v->row[k]);
        }
    }
}

SDD_FN void sdd_find_two_rings(const struct sdd_tile_view *v, int32_t i, struct sdd_found *f)
{
    f->n = 0;
    sdd_find_step(v, i, i, f);
    const int32_t n = f->n;
    for (int32_t k = 0; f->n >= 0 && k < n; k++)
        sdd_find_step(v, f->x[k], i, f);
    if (f->n > 0)
        f->n = sdd_tile_order(f->x, f->n, v->id);
}

SDD_FN void k_two_rings(int64_t tile, const struct two_rings_args *a)
{
    SDD_SHARED(struct sdd_tile_memory, memory, 1);
    const struct sdd_asked_part part = sdd_asked_of(&a->asked, &a->tiles, tile, a->relation);
    if (part.n == 0)
        return;
    const struct sdd_tile_view v = sdd_tile_stage(&a->tiles, tile, a->relation, memory);
    SDD_EACH (k, part.n) {
        uint32_t row;
        const int32_t i = sdd_asked_element(&a->asked, &a->tiles, &v.tile, a->relation, part, k, &row);
        struct sdd_found f;
        sdd_find_two_rings(&v, i, &f);
        if (a->to.count)
            a->to.count[row] = f.n;
        for (int32_t j = 0; !a->to.count && j < f.n; j++)
            a->to.ids[a->to.offset[row] + (uint32_t)j] = v.id[f.x[j]];
    }
}
#endif
