/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3_triangles: the mesh matrix of the next level of sqrt3, in reduced form. Each entry makes a triangle of its
 * vertex, the centre of the face across and the centre of its own face, which flips the edge between these.
 * Shapes  level (spla_sqrt3.dev.h) of C entries -> rid[C][3] u32
 * Launch  item, n = C
 * Cost    a search in a column of F, up to three in columns of the lines
 * Result  The children of a face are next to each other, in the order of its corners. A line is not flipped: the first
 *         step makes (v, w, centre) of it, the second (p, q, third corner). Vertex ids are those of [vertices | face
 *         points | in a second step, a point for each boundary edge].
 * Threads any queue
 * Source  Mlakar 2018, table 4.1, whose columns i, i + F and so on are next to each other here */
#ifndef SDD_K_SPLA_SQRT3_TRIANGLES_H
#define SDD_K_SPLA_SQRT3_TRIANGLES_H
#include "gpu/engines/spla/kernels/spla_sqrt3.dev.h"

struct spla_sqrt3_triangles_args {
    struct sdd_thirds around;
    uint32_t *rid;
};

SDD_FN void k_spla_sqrt3_triangles(int64_t i, const struct spla_sqrt3_triangles_args *a)
{
    const struct sdd_thirds *m = &a->around;
    uint32_t z = (uint32_t)i, f = z / 3, across = sdd_thirds_across(m, z), *to = a->rid + 3 * i;
    to[0] = m->m.rid[z];
    to[2] = sdd_thirds_centre(m, f, z % 3);
    if (across != SDD_NONE) {
        to[1] = sdd_thirds_centre(m, across / 3, across % 3);
    } else if (m->level % 2 == 0) {
        to[1] = sdd_thirds_end(m, z);
    } else {
        to[0] = m->m.n_rows + f;
        to[1] = sdd_thirds_centre(m, f, 1);
        to[2] = m->m.rid[z + 2];
    }
}
#endif
