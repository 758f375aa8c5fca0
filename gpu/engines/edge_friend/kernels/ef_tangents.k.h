/* SPDX-License-Identifier: Apache-2.0 */
/* ef_tangents: as ef_finish, with limit tangents of edge-friend levels.
 * Shapes  those of ef_finish -> its out and normal, tangents[n][6] f32 (t1, t2)
 * Launch  item, n = N slots of the level
 * Cost    that of ef_finish, and 24 B more written a vertex
 * Result  out and normal as ef_finish. t1 and t2 have length 1, and t1 x t2 points along the normal; both are zero
 *         where that is zero. They are those of OpenSubdiv's limit masks where these are defined: on a boundary t1 runs
 *         along it; at the corner of one face they are its edges; inside, the two masks are a quarter turn apart and
 *         start at any edge. Elsewhere they are at right angles and made from the normal alone.
 * Threads any queue
 * Source  that of ef_finish; Duff et al. 2017 */
#ifndef SDD_K_EF_TANGENTS_H
#define SDD_K_EF_TANGENTS_H
#include "gpu/engines/edge_friend/kernels/ef_finish.k.h"

struct ef_tangents_args {
    struct ef_finish_args finish;
    float *tangents;
};

SDD_FN void k_ef_tangents(int64_t i, const struct ef_tangents_args *a)
{
    sdd_ef_finish(i, &a->finish, a->tangents);
}
#endif
