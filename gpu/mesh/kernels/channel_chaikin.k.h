/* SPDX-License-Identifier: Apache-2.0 */
/* channel_chaikin: says which semi-sharp control edge an edge of a face-varying channel decays with under chaikin.
 * Shapes  control mesh with its rows (chaikin_rows), channel with twins -> row[E'] u32
 * Launch  item, n = E'
 * Cost    about 40 B read, 4 B written an edge
 * Result  The control edge's row, with its lowest bit flipped where the two edges begin at different ends (the control
 *         edge's direction goes by vertices, the channel's by rows). SDD_NONE at seams and boundaries and where nothing
 *         is semi-sharp.
 * Threads any queue */
#ifndef SDD_K_CHANNEL_CHAIKIN_H
#define SDD_K_CHANNEL_CHAIKIN_H
#include "gpu/rules/edge_sharpness.h"

struct channel_chaikin_args {
    struct sdd_control mesh, channel; /* The chaikin rows of `channel` are not read. */
    uint32_t *row;
};

SDD_FN void k_channel_chaikin(int64_t e, const struct channel_chaikin_args *a)
{
    const struct sdd_control *m = &a->mesh, *channel = &a->channel;
    uint32_t c = channel->edge_corner[e], row = channel->twin[c] == SDD_NONE ? SDD_NONE : m->chaikin.row[m->edge[c]];
    a->row[e] = row == SDD_NONE ? SDD_NONE : row ^ (uint32_t)(sdd_is_downward(m, c) != sdd_is_downward(channel, c));
}
#endif
