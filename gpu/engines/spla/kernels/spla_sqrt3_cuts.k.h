/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3_cuts: the second step cuts each line v w at p and q. This makes the columns of the next level's lines, and
 * writes the position of p, which is the new vertex of the face beside it. q has a row of its own.
 * Shapes  level (spla_sqrt3.dev.h), its lines[B][2] u32, near[B][3] f32 (positions of p) -> rid[B][3][2] u32; rows of
 *         to
 * Launch  item, n = B
 * Cost    a search in a column of F, 20 B read, 36 B written a line
 * Result  Line o becomes 3 o (v p), 3 o + 1 (p q) and 3 o + 2 (q w).
 * Threads any queue
 * Source  Kobbelt 2000, section 5 */
#ifndef SDD_K_SPLA_SQRT3_CUTS_H
#define SDD_K_SPLA_SQRT3_CUTS_H
#include "gpu/engines/spla/kernels/spla_sqrt3.dev.h"

struct spla_sqrt3_cuts_args {
    struct sdd_thirds around;
    const uint32_t *lines;
    const float *near;
    uint32_t *rid;
    float *to;
};

SDD_FN void k_spla_sqrt3_cuts(int64_t o, const struct spla_sqrt3_cuts_args *a)
{
    const struct sdd_thirds *m = &a->around;
    uint32_t v = a->lines[2 * o], w = a->lines[2 * o + 1], *rid = a->rid + 6 * o;
    uint32_t p = m->m.n_rows + sdd_entry_at(&m->f, v, w), q = m->m.n_rows + m->m.n_cols + (uint32_t)o;
    rid[0] = v;
    rid[1] = rid[2] = p;
    rid[3] = rid[4] = q;
    rid[5] = w;
    for (int32_t x = 0; a->to && x < 3; x++)
        a->to[3 * (size_t)p + (size_t)x] = a->near[3 * o + x];
}
#endif
