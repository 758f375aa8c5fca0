/* SPDX-License-Identifier: Apache-2.0 */
/* open_twins: numbers the corners whose edge has no face across, as ghosts number those of a manifold mesh.
 * Shapes  twin[C] u32, rank[C] i32 (inclusive scan of open_flags) -> twin[C]
 * Launch  item, n = C
 * Result  twin becomes C + 0, C + 1 and so on where it was SDD_NONE; other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_OPEN_TWINS_H
#define SDD_K_OPEN_TWINS_H
#include "gpu/kernel/kernel.h"

struct open_twins_args {
    const int32_t *rank;
    uint32_t *twin;
    uint32_t n_corners;
};

SDD_FN void k_open_twins(int64_t c, const struct open_twins_args *a)
{
    if (a->twin[c] == SDD_NONE)
        a->twin[c] = a->n_corners + (uint32_t)a->rank[c] - 1;
}
#endif
