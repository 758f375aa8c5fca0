/* SPDX-License-Identifier: Apache-2.0 */
/* level_widths: the kernels of a level over rows of one to three floats, such as UVs. Positions have kernels of their
 * own, in which the width is a constant.
 * Shapes  as the kernel for positions, with rows of `width`
 * Launch  item, n as for that kernel
 * Cost    as that kernel, 4 B a float
 * Result  as that kernel, component by component
 * Threads any queue
 * Source  as that kernel */
#ifndef SDD_K_LEVEL_WIDTHS_H
#define SDD_K_LEVEL_WIDTHS_H
#include "gpu/levels/kernels/loop_inside.k.h"
#include "gpu/levels/loop_seams.k.h"
#include "gpu/levels/mm_faces.k.h"
#include "gpu/levels/mm_first.k.h"
#include "gpu/levels/mm_inside.k.h"
#include "gpu/levels/mm_seams.k.h"

/* Each row is ROW(kernel, the kernel for positions, the function that makes an item of either). */
#define SDD_LEVEL_WIDTHS(ROW)                                                                                          \
    ROW(mm_faces_n, mm_faces, sdd_mean_of_face)                                                                        \
    ROW(mm_first_n, mm_first, sdd_first_row)                                                                           \
    ROW(mm_inside_n, mm_inside, sdd_inside_cell)                                                                       \
    ROW(mm_seams_n, mm_seams, sdd_seam_item)                                                                           \
    ROW(loop_inside_n, loop_inside, sdd_tri_cell)                                                                      \
    ROW(loop_seams_n, loop_seams, sdd_loop_item)

#define SDD_LEVEL_WIDTH(name, of, item)                                                                                \
    struct name##_args {                                                                                               \
        struct of##_args base;                                                                                         \
        struct sdd_width width;                                                                                        \
    };                                                                                                                 \
    SDD_FN void k_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        if (sdd_is_uv(a->width)) /* Here the width is a constant. */                                                   \
            item(i, &a->base, sdd_uv());                                                                               \
        else                                                                                                           \
            item(i, &a->base, a->width);                                                                               \
    }
SDD_LEVEL_WIDTHS(SDD_LEVEL_WIDTH)
#endif
