/* SPDX-License-Identifier: Apache-2.0 */
/* mm_inside_n: mm_inside over rows of one to three floats, such as UVs.
 * Shapes  as mm_inside; rows of `width`      Shape  item, n as mm_inside      Cost  as mm_inside, a float 4 B
 * Result  as mm_inside, component by component      Source  mm_inside      Threads any queue */
#ifndef SDD_K_MM_INSIDE_N_H
#define SDD_K_MM_INSIDE_N_H
#include "gpu/levels/mm_inside.k.h"

struct mm_inside_n_args {
    struct mm_inside_args base;
    struct sdd_width width;
};

SDD_FN void k_mm_inside_n(int64_t i, const struct mm_inside_n_args *a)
{
    if (sdd_is_uv(a->width)) /* a constant from here on */
        sdd_inside_cell(i, &a->base, sdd_uv());
    else
        sdd_inside_cell(i, &a->base, a->width);
}
#endif
