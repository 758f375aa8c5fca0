/* SPDX-License-Identifier: Apache-2.0 */
/* channel_edges: the sharpness of the edges of a face-varying channel.
 * Shapes  edge_corner[E'] u32, twin[C] u32 of the channel, edge[C] u32 and sharp[E] f32 of the control mesh -> out[E']
 *         f32
 * Launch  item, n = E'
 * Cost    16 B read, 4 B written an edge
 * Result  The sharpness of the control edge; infinite at seams and boundaries.
 * Threads any queue */
#ifndef SDD_K_CHANNEL_EDGES_H
#define SDD_K_CHANNEL_EDGES_H
#include "gpu/kernel/kernel.h"

struct channel_edges_args {
    const uint32_t *edge_corner, *twin, *edge;
    const float *sharp; /* NULL where all are smooth. */
    float *out;
};

SDD_FN void k_channel_edges(int64_t e, const struct channel_edges_args *a)
{
    uint32_t c = a->edge_corner[e];
    a->out[e] = a->twin[c] == SDD_NONE ? 10.0f : a->sharp ? a->sharp[a->edge[c]] : 0.0f;
}
#endif
