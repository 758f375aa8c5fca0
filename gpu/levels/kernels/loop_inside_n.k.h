/* SPDX-License-Identifier: Apache-2.0 */
/* loop_inside_n: loop_inside over rows of one to three floats, such as UVs.
 * Shapes  as loop_inside; rows of `width`      Shape  item, n as loop_inside      Cost  as loop_inside, a float 4 B
 * Result  as loop_inside, component by component      Source  loop_inside      Threads any queue */
#ifndef SDD_K_LOOP_INSIDE_N_H
#define SDD_K_LOOP_INSIDE_N_H
#include "gpu/levels/kernels/loop_inside.k.h"

struct loop_inside_n_args {
    struct loop_inside_args base;
    struct sdd_width width;
};

SDD_FN void k_loop_inside_n(int64_t i, const struct loop_inside_n_args *a)
{
    if (sdd_is_uv(a->width)) /* a constant from here on */
        sdd_tri_cell(i, &a->base, sdd_uv());
    else
        sdd_tri_cell(i, &a->base, a->width);
}
#endif
