/* SPDX-License-Identifier: Apache-2.0 */
/* loop_tangents: loop_finish with limit tangents of levels of triangles.
 * Shapes  as loop_finish -> its out and normal, tangents[n][6] f32: t1, t2
 * Shape   item, n grid points      Cost  as loop_finish and 24 B more written a vertex
 * Result  as ef_tangents, for what loop_finish calls the normal
 * Source  as loop_finish; Duff et al. 2017      Threads any queue */
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
