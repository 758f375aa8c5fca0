/* SPDX-License-Identifier: Apache-2.0 */
/* mm_faces_n: mm_faces over rows of one to three floats, such as UVs.
 * Shapes  as mm_faces; rows of `width`      Shape  item, n as mm_faces      Cost  as mm_faces, a float 4 B
 * Result  as mm_faces, component by component      Source  mm_faces      Threads any queue */
#ifndef SDD_K_MM_FACES_N_H
#define SDD_K_MM_FACES_N_H
#include "gpu/levels/mm_faces.k.h"

struct mm_faces_n_args {
    struct mm_faces_args base;
    struct sdd_width width;
};

SDD_FN void k_mm_faces_n(int64_t i, const struct mm_faces_n_args *a)
{
    if (sdd_is_uv(a->width)) /* a constant from here on */
        sdd_mean_of_face(i, &a->base, sdd_uv());
    else
        sdd_mean_of_face(i, &a->base, a->width);
}
#endif
