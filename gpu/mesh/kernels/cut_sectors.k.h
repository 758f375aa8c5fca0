/* SPDX-License-Identifier: Apache-2.0 */
/* cut_sectors: the sectors of each vertex: its faces as far as they meet in edges that are not cut.
 * Shapes  control mesh -> corner[C] u32 (those of a vertex sector by sector, each counter-clockwise from
 *         where it begins), sector[C] u32 (the sector of each corner, from 0 at each vertex), more[V] i32
 * Launch  item, n = V
 * Cost    about 24 B read a corner of the vertex, in a dependent walk
 * Result  `more` is how many sectors there are beyond the first. A vertex owns its corners, so there is one writer for
 *         each word.
 * Threads any queue */
#ifndef SDD_K_CUT_SECTORS_H
#define SDD_K_CUT_SECTORS_H
#include "gpu/mesh/kernels/cut.dev.h"

struct cut_sectors_args {
    struct sdd_control mesh;
    uint32_t *corner, *sector;
    int32_t *more;
    int32_t all;
};

/* The corner at which the sector of corner c begins; c itself where the sector goes all around. A vertex has at most n
 * corners. */
SDD_FN uint32_t sdd_sector_begin(const struct sdd_control *m, int32_t all, uint32_t c, uint32_t n)
{
    uint32_t first = c, across;
    for (uint32_t i = 0; i < n && (across = sdd_cut_across(m, all, first)) != SDD_NONE; i++) {
        first = sdd_next(&m->faces, across);
        if (first == c)
            break;
    }
    return first;
}

SDD_FN void k_cut_sectors(int64_t v, const struct cut_sectors_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t begin = m->begin[v], end = m->end[v], at = begin, n_sectors = 0;
    for (uint32_t k = begin; k < end; k++)
        a->sector[m->corner[k]] = SDD_NONE;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = m->corner[k];
        if (a->sector[c] != SDD_NONE)
            continue;
        for (c = sdd_sector_begin(m, a->all, c, end - begin); c != SDD_NONE && a->sector[c] == SDD_NONE && at < end;) {
            a->corner[at++] = c;
            a->sector[c] = n_sectors;
            c = sdd_cut_across(m, a->all, sdd_prev(&m->faces, c));
        }
        n_sectors++;
    }
    a->more[v] = n_sectors > 1 ? (int32_t)n_sectors - 1 : 0;
}
#endif
