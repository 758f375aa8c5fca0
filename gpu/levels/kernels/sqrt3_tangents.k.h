/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_tangents: as sqrt3_finish, with limit tangents of levels of scheme sqrt3.
 * Shapes  those of sqrt3_finish -> its out and normal, tangents[n][6] f32 (t1, t2)
 * Launch  that of sqrt3_finish
 * Cost    that of sqrt3_finish, and 24 B more written a vertex
 * Result  as ef_tangents, with masks at smooth points alone
 * Threads any queue
 * Source  that of sqrt3_finish; Duff et al. 2017 */
#ifndef SDD_K_SQRT3_TANGENTS_H
#define SDD_K_SQRT3_TANGENTS_H
#include "gpu/levels/sqrt3_finish.k.h"

struct sqrt3_tangents_args {
    struct sqrt3_finish_args finish;
    float *tangents;
};

SDD_FN void k_sqrt3_tangents(int64_t i, const struct sqrt3_tangents_args *a)
{
    sdd_sqrt3_finish(i, &a->finish, a->tangents);
}
#endif
