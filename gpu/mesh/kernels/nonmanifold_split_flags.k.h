/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold_split_flags: flags the uses of an edge that become edges of their own (nonmanifold_split_edges), and
 * finds where each run of uses begins.
 * Shapes  corner[C] i32 sorted by edge key, run[C] i32 (number of the run, from 1), vert[C] u32, faces -> flag[C] i32,
 *         run_first[runs] i32
 * Launch  item, n = C
 * Cost    32 B read, 8 B written
 * Result  flag = 1 where the use before it is of the same edge and the same face, or where it is not the first and the
 *         edge's ends are equal. The sort is stable, so the uses of one face are neighbours.
 * Threads any queue */
#ifndef SDD_K_NONMANIFOLD_SPLIT_FLAGS_H
#define SDD_K_NONMANIFOLD_SPLIT_FLAGS_H
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
