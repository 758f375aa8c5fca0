/* SPDX-License-Identifier: Apache-2.0 */
/* level_tangents: mm_finish and loop_finish with limit tangents, for levels of quads and of triangles.
 * Shapes  as the kernel without tangents -> its out and normal, tangents[n][6] f32 (t1, t2)
 * Launch  item, n grid points
 * Cost    as that kernel and 24 B more written a vertex
 * Result  as ef_tangents, with the normal of that kernel
 * Threads any queue
 * Source  as that kernel; Duff et al. 2017 */
#ifndef SDD_K_LEVEL_TANGENTS_H
#define SDD_K_LEVEL_TANGENTS_H
#include "gpu/levels/loop_finish.k.h"
#include "gpu/levels/mm_finish.k.h"

/* Each row is ROW(kernel, the kernel without tangents, the function that makes a row of either). */
#define SDD_LEVEL_TANGENTS(ROW)                                                                                        \
    ROW(mm_tangents, mm_finish, sdd_mm_finish)                                                                         \
    ROW(loop_tangents, loop_finish, sdd_loop_finish)

#define SDD_LEVEL_TANGENT(name, of, finish_row)                                                                        \
    struct name##_args {                                                                                               \
        struct of##_args finish;                                                                                       \
        float *tangents;                                                                                               \
    };                                                                                                                 \
    SDD_FN void k_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        int64_t row = a->finish.rows ? a->finish.rows[i] : i;                                                          \
        finish_row(row, &a->finish, a->tangents + 6 * row);                                                            \
    }
SDD_LEVEL_TANGENTS(SDD_LEVEL_TANGENT)
#endif
