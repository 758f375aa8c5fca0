/* SPDX-License-Identifier: Apache-2.0 */
/* loop_seams_n: loop_seams over rows of one to three floats, such as UVs.
 * Shapes  as loop_seams; rows of `width`      Shape  item, n as loop_seams      Cost  as loop_seams, a float 4 B
 * Result  as loop_seams, component by component      Source  loop_seams      Threads any queue */
#ifndef SDD_K_LOOP_SEAMS_N_H
#define SDD_K_LOOP_SEAMS_N_H
#include "gpu/levels/loop_seams.k.h"

struct loop_seams_n_args {
    struct loop_seams_args base;
    struct sdd_width width;
};

SDD_FN void k_loop_seams_n(int64_t i, const struct loop_seams_n_args *a)
{
    if (sdd_is_uv(a->width)) /* a constant from here on */
        sdd_loop_item(i, &a->base, sdd_uv());
    else
        sdd_loop_item(i, &a->base, a->width);
}
#endif
