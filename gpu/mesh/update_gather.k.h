/* SPDX-License-Identifier: Apache-2.0 */
/* update_gather: fetches single rows of an array, for the host.
 * Shapes  in u32, row[n] u32 -> out[n] u32
 * Launch  item, n
 * Result  out[i] = in[row[i]]
 * Threads any queue */
#ifndef SDD_K_UPDATE_GATHER_H
#define SDD_K_UPDATE_GATHER_H
#include "gpu/kernel/kernel.h"

struct update_gather_args {
    const uint32_t *in, *row;
    uint32_t *out;
};

SDD_FN void k_update_gather(int64_t i, const struct update_gather_args *a)
{
    a->out[i] = a->in[a->row[i]];
}
#endif
