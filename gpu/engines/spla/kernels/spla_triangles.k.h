/* SPDX-License-Identifier: Apache-2.0 */
/* spla_triangles: the mesh matrix of the next level of Loop, in reduced form: four triangles for each.
 * Shapes  reduced mesh matrix of F triangles, E -> rid[F][4][3] u32
 * Launch  item, n = F
 * Cost    three searches in columns of E, 48 B written
 * Result  Columns 4 k to 4 k + 2 are the children at the corners of triangle k, each beginning there; 4 k + 3 is the
 *         one in the middle. Vertex ids are those of [vertices | edge points].
 * Threads any queue
 * Source  Mlakar 2018, table 4.2, whose columns k, k + F and so on are next to each other here */
#ifndef SDD_K_SPLA_TRIANGLES_H
#define SDD_K_SPLA_TRIANGLES_H
#include "gpu/engines/spla/kernels/spla_edge.dev.h"

struct spla_triangles_args {
    struct sdd_spla m;
    struct sdd_adjacency around;
    uint32_t *rid;
};

SDD_FN void k_spla_triangles(int64_t f, const struct spla_triangles_args *a)
{
    const uint32_t *v = a->m.rid + 3 * f;
    uint32_t *to = a->rid + 12 * f, e[3];
    for (int32_t i = 0; i < 3; i++) /* e[i] lies between corners i and i + 1. */
        e[i] = a->m.n_rows + sdd_edge_between(&a->around, v[i], v[(i + 1) % 3]);
    for (int32_t i = 0; i < 3; i++) {
        to[3 * i] = v[i];
        to[3 * i + 1] = e[i];
        to[3 * i + 2] = e[(i + 2) % 3];
        to[9 + i] = e[i];
    }
}
#endif
