/* SPDX-License-Identifier: Apache-2.0 */
/* loop_tangents: as loop_finish, with limit tangents of levels of triangles.
 * Shapes  those of loop_finish -> its out and normal, tangents[n][6] f32 (t1, t2)
 * Launch  item, n grid points
 * Cost    that of loop_finish, and 24 B more written a vertex
 * Result  as ef_tangents, for what loop_finish calls the normal
 * Threads any queue
 * Source  that of loop_finish; Duff et al. 2017 */
#ifndef SDD_K_LOOP_TANGENTS_H
#define SDD_K_LOOP_TANGENTS_H
#include "gpu/levels/loop_finish.k.h"

struct loop_tangents_args {
    struct loop_finish_args finish;
    float *tangents;
};

SDD_FN void k_loop_tangents(int64_t i, const struct loop_tangents_args *a)
{
    int64_t row = a->finish.rows ? a->finish.rows[i] : i;
    sdd_loop_finish(row, &a->finish, a->tangents + 6 * row);
}
#endif
