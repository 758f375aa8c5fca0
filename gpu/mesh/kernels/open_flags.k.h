/* SPDX-License-Identifier: Apache-2.0 */
/* open_flags: flags the corners whose edge has no face across.
 * Shapes  twin[C] u32 (SDD_NONE where there is none) -> flag[C] i32
 * Launch  item, n = C
 * Result  1 or 0; the inclusive scan of the flags numbers such corners from 1.
 * Threads any queue */
#ifndef SDD_K_OPEN_FLAGS_H
#define SDD_K_OPEN_FLAGS_H
#include "gpu/kernel/kernel.h"

struct open_flags_args {
    const uint32_t *twin;
    int32_t *flag;
};

SDD_FN void k_open_flags(int64_t c, const struct open_flags_args *a)
{
    a->flag[c] = a->twin[c] == SDD_NONE;
}
#endif
