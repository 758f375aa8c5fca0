/* SPDX-License-Identifier: Apache-2.0 */
/* mm_tangents: as mm_finish, with limit tangents of levels of quads.
 * Shapes  those of mm_finish -> its out and normal, tangents[n][6] f32 (t1, t2)
 * Launch  item, n grid points
 * Cost    that of mm_finish, and 24 B more written a vertex
 * Result  as ef_tangents, for what mm_finish calls the normal
 * Threads any queue
 * Source  that of mm_finish; Duff et al. 2017 */
#ifndef SDD_K_MM_TANGENTS_H
#define SDD_K_MM_TANGENTS_H
#include "gpu/levels/mm_finish.k.h"

struct mm_tangents_args {
    struct mm_finish_args finish;
    float *tangents;
};

SDD_FN void k_mm_tangents(int64_t i, const struct mm_tangents_args *a)
{
    int64_t row = a->finish.rows ? a->finish.rows[i] : i;
    sdd_mm_finish(row, &a->finish, a->tangents + 6 * row);
}
#endif
