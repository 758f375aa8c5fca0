/* SPDX-License-Identifier: Apache-2.0 */
/* mm_seams_n: mm_seams over rows of one to three floats, such as UVs.
 * Shapes  as mm_seams; rows of `width`      Shape  item, n as mm_seams      Cost  as mm_seams, a float 4 B
 * Result  as mm_seams, component by component      Source  mm_seams      Threads any queue */
#ifndef SDD_K_MM_SEAMS_N_H
#define SDD_K_MM_SEAMS_N_H
#include "gpu/levels/mm_seams.k.h"

struct mm_seams_n_args {
    struct mm_seams_args base;
    struct sdd_width width;
};

SDD_FN void k_mm_seams_n(int64_t i, const struct mm_seams_n_args *a)
{
    if (sdd_is_uv(a->width)) /* a constant from here on */
        sdd_seam_item(i, &a->base, sdd_uv());
    else
        sdd_seam_item(i, &a->base, a->width);
}
#endif
