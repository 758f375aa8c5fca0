/* SPDX-License-Identifier: Apache-2.0 */
/* channel_runs: which corners have each row of a face-varying channel.
 * Shapes  corner[C] u32 (the corners of a row are neighbours), row[C] u32 of corners -> begin, end [R] u32
 * Launch  item, n = C
 * Cost    24 B read, 8 B written a row
 * Result  Rows without corners keep what begin and end held; the caller zeroes them.
 * Threads any queue */
#ifndef SDD_K_CHANNEL_RUNS_H
#define SDD_K_CHANNEL_RUNS_H
#include "gpu/kernel/kernel.h"

struct channel_runs_args {
    const uint32_t *corner, *row;
    uint32_t *begin, *end;
    int64_t n_corners;
};

SDD_FN void k_channel_runs(int64_t i, const struct channel_runs_args *a)
{
    uint32_t row = a->row[a->corner[i]];
    if (i == 0 || a->row[a->corner[i - 1]] != row)
        a->begin[row] = (uint32_t)i;
    if (i + 1 == a->n_corners || a->row[a->corner[i + 1]] != row)
        a->end[row] = (uint32_t)i + 1;
}
#endif
