/* SPDX-License-Identifier: Apache-2.0 */
/* cut.dev.h: where the control mesh is cut, for the kernels of topology_cut.c: along the edges at which the limit
 * surface has a side for each face. These are the infinitely sharp ones and, under linear schemes, all. */
#ifndef SDD_CUT_H
#define SDD_CUT_H
#include "gpu/grid/control.h"

/* The corner across the edge after corner c, or SDD_NONE where there is no face across or the edge is cut. */
SDD_FN uint32_t sdd_cut_across(const struct sdd_control *m, int32_t all, uint32_t c)
{
    if (m->twin[c] >= m->n_corners || all || (m->edge_sharp && m->edge_sharp[m->edge[c]] >= 10.0f))
        return SDD_NONE;
    return m->twin[c];
}
#endif
