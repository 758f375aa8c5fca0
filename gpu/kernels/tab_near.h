/* SPDX-License-Identifier: Apache-2.0 */
/* tab_near.h: what the vertex and edge points of level 1 are made of, as lists: who has them finds all points at once,
 * where a walk over the mesh would wait for one corner after the other. And rows of level 1 as pieces read them. */
#ifndef SDD_TAB_NEAR_H
#define SDD_TAB_NEAR_H
#include "gpu/kernels/rows.h"

enum sdd_tab_near {
    SDD_NEAR_NEXT = 1,   /* the edge to `next` is met at this corner, */
    SDD_NEAR_BEFORE = 2, /* .. and the one to `before`                */
    SDD_NEAR_QUAD = 4    /* the face is a quad                        */
};

/* The face of a corner of a vertex: its other vertices, of others than quads those beside it. */
struct sdd_tab_corner {
    uint32_t next, across, before, bits;
} __attribute__((aligned(16)));

/* An edge between two quads: its ends, and what else they have, along and across the edge's corner; else
 * side[0][0] is SDD_NONE. */
struct sdd_tab_edge {
    uint32_t end[2], side[2][2];
} __attribute__((aligned(8)));

/* Three floats take the room of four, so that a point is one access. */
SDD_FN struct sdd_width sdd_tab_width(int32_t n)
{
    return sdd_width_of(n, n == 3 ? 4 : n);
}

SDD_FN struct sdd_vec3 sdd_tab_load(const float *from, uint32_t row, int32_t n)
{
    if (n == 3) {
        struct sdd_float4 p = *(const struct sdd_float4 *)(from + 4 * (size_t)row);
        return sdd_vec3_of(p.s[0], p.s[1], p.s[2]);
    }
    return sdd_row_load(from, row, sdd_tab_width(n));
}

SDD_FN void sdd_tab_store(float *to, uint32_t row, int32_t n, struct sdd_vec3 p)
{
    if (n == 3) {
        struct sdd_float4 all;
        all.s[0] = p.x;
        all.s[1] = p.y;
        all.s[2] = p.z;
        all.s[3] = 0.0f;
        *(struct sdd_float4 *)(to + 4 * (size_t)row) = all;
    } else {
        sdd_row_put(to, row, sdd_tab_width(n), p);
    }
}
#endif
