/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold_split_flags: which uses of an edge are edges of their own (see nonmanifold_split_edges), and where each run of uses begins.
 * Shapes  key[C] u64 and corner[C] i32 sorted by key, run[C] i32 (runs, from 1), vert[C] u32, faces
 *         -> flag[C] i32, run_first[runs] i32
 * Shape   item, n = C      Cost  32 B read, 8 B written
 * Result  flag = 1 where the use before is of the same edge and of the same face, or the edge's ends are equal; the
 *         sort is stable, so the uses of one face are neighbours      Threads any queue */
#ifndef SDD_K_APART_FLAGS_H
#define SDD_K_APART_FLAGS_H
#include "gpu/grid/faces.h"

struct nonmanifold_split_flags_args {
    const int32_t *corner, *run;
    const uint32_t *vert;
    struct sdd_faces faces;
    int32_t *flag, *run_first;
};

SDD_FN void k_nonmanifold_split_flags(int64_t i, const struct nonmanifold_split_flags_args *a)
{
    uint32_t c = (uint32_t)a->corner[i];
    int head = i == 0 || a->run[i - 1] != a->run[i];
    a->flag[i] = !head && (a->vert[c] == a->vert[sdd_next(&a->faces, c)] ||
                           sdd_face(&a->faces, (uint32_t)a->corner[i - 1]) == sdd_face(&a->faces, c));
    if (head)
        a->run_first[a->run[i] - 1] = (int32_t)i;
}
#endif
