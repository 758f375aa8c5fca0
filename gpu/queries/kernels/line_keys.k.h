/* SPDX-License-Identifier: Apache-2.0 */
/* line_keys: sort keys that bring the lines of a control vertex together, and how many faces each edge has.
 * Shapes  neighbors of a manifold mesh -> key[2 E] u64, value[2 E] i32, uses[E] i32
 * Launch  item, n = 2 E
 * Cost    12 B read and 14 B written a line
 * Result  Line 2e is the half of edge e at its lower vertex, 2e + 1 that at its higher one. key = vertex, value = line.
 * Threads any queue */
#ifndef SDD_K_LINE_KEYS_H
#define SDD_K_LINE_KEYS_H
#include "gpu/tiles/neighbors.h"

struct line_keys_args {
    struct sdd_neighbors neighbors;
    uint64_t *key;
    int32_t *value, *uses;
};

SDD_FN void k_line_keys(int64_t i, const struct line_keys_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const uint32_t e = (uint32_t)i / 2, c = m->edge_corner[e];
    const uint32_t v = m->vert[c], w = m->vert[sdd_next(&m->faces, c)];
    a->key[i] = (v > w) == (i & 1) ? v : w;
    a->value[i] = (int32_t)i;
    if (!(i & 1))
        a->uses[e] = sdd_n_uses(&a->neighbors, e);
}
#endif
