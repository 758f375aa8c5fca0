/* SPDX-License-Identifier: Apache-2.0 */
/* mm_first_n: mm_first over rows of one to three floats, such as UVs.
 * Shapes  as mm_first; rows of `width`      Shape  item, n as mm_first      Cost  as mm_first, a float 4 B
 * Result  as mm_first, component by component      Source  mm_first      Threads any queue */
#ifndef SDD_K_MM_FIRST_N_H
#define SDD_K_MM_FIRST_N_H
#include "gpu/levels/mm_first.k.h"

struct mm_first_n_args {
    struct mm_first_args base;
    struct sdd_width width;
};

SDD_FN void k_mm_first_n(int64_t i, const struct mm_first_n_args *a)
{
    if (sdd_is_uv(a->width)) /* a constant from here on */
        sdd_first_row(i, &a->base, sdd_uv());
    else
        sdd_first_row(i, &a->base, a->width);
}
#endif
