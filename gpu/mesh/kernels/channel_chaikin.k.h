/* SPDX-License-Identifier: Apache-2.0 */
/* channel_chaikin: which semi-sharp control edge an edge of a face-varying channel decays with, under chaikin.
 * Shapes  control mesh with its rows (chaikin_rows.h), channel with twins -> row[E'] u32
 * Shape   item, n = E'      Cost  about 40 B read, 4 B written an edge
 * Result  the control edge's row, the other way round where that edge begins at the higher vertex but the channel's at
 *         the lower row, or the reverse; SDD_NONE at seams and boundaries and where nothing is semi-sharp
 * Threads any queue */
#ifndef SDD_K_CHANNEL_CHAIKIN_H
#define SDD_K_CHANNEL_CHAIKIN_H
#include "gpu/rules/edge_sharpness.h"

struct channel_chaikin_args {
    struct sdd_control mesh, channel; /* the channel's rows are not read */
    uint32_t *row;
};

SDD_FN void k_channel_chaikin(int64_t e, const struct channel_chaikin_args *a)
{
    const struct sdd_control *m = &a->mesh, *channel = &a->channel;
    uint32_t c = channel->edge_corner[e], row = channel->twin[c] == SDD_NONE ? SDD_NONE : m->chaikin.row[m->edge[c]];
    a->row[e] = row == SDD_NONE ? SDD_NONE : row ^ (uint32_t)(sdd_is_downward(m, c) != sdd_is_downward(channel, c));
}
#endif
