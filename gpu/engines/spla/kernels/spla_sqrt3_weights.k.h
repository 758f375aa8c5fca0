/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3_weights: the maps of the vertex update, by what is in a vertex's columns: the weights of the vertex
 * itself, of its neighbours (F) and of those along a line.
 * Shapes  F and lines of V columns, alpha[n] (s[0] = alpha_n / n) -> own, ring, line [V] f64
 * Launch  item, n = V
 * Cost    16 B read, 24 B written
 * Result  Inside 1 - alpha_n, alpha_n / n, 0; on a line 1, 0, 0 in the first step and (19, 0, 4) / 27 in the second.
 *         Where `corners` is set a control vertex of one face stays; on odd levels it has two faces. A vertex without
 *         faces gets 1, 0, 0.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.9; Kobbelt 2000, section 5 */
#ifndef SDD_K_SPLA_SQRT3_WEIGHTS_H
#define SDD_K_SPLA_SQRT3_WEIGHTS_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_sqrt3_weights_args {
    struct sdd_spla f, lines;
    const struct sdd_float2 *alpha;
    double *own, *ring, *line;
    int32_t level, corners;
};

SDD_FN void k_spla_sqrt3_weights(int64_t v, const struct spla_sqrt3_weights_args *a)
{
    int32_t n = sdd_spla_size(&a->f, (uint32_t)v), second = a->level % 2;
    double own = 1.0, ring = 0.0, line = 0.0;
    if (sdd_spla_size(&a->lines, (uint32_t)v) == 0) {
        ring = n ? (double)a->alpha[n].s[0] : 0.0;
        own = 1.0 - n * ring;
    } else if (second && !(a->corners && n == 2)) {
        own = 19.0 / 27.0;
        line = 4.0 / 27.0;
    }
    a->own[v] = own;
    a->ring[v] = ring;
    a->line[v] = line;
}
#endif
