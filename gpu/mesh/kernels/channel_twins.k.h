/* SPDX-License-Identifier: Apache-2.0 */
/* channel_twins: the corner across an edge of a face-varying channel. There is one where the faces on both sides have
 * the same values at both ends; any other edge is a seam or a boundary.
 * Shapes  twin[C] u32 of the control mesh, edge[C] u32 of the channel -> out[C] u32
 * Launch  item, n = C
 * Cost    16 B read, 4 B written a corner
 * Result  SDD_NONE where there is none.
 * Threads any queue */
#ifndef SDD_K_CHANNEL_TWINS_H
#define SDD_K_CHANNEL_TWINS_H
#include "gpu/kernel/kernel.h"

struct channel_twins_args {
    const uint32_t *twin, *edge;
    uint32_t *out;
    uint32_t n_corners; /* A twin from there on is none. */
};

SDD_FN void k_channel_twins(int64_t c, const struct channel_twins_args *a)
{
    uint32_t across = a->twin[c];
    a->out[c] = across < a->n_corners && a->edge[across] == a->edge[c] ? across : SDD_NONE;
}
#endif
