/* SPDX-License-Identifier: Apache-2.0 */
/* vertex_implicit: boundary rule `edgeAndCorner`: a vertex of one face and two edges becomes infinitely sharp.
 * Shapes  begin, end [V] u32 -> vert_sharp[V] f32
 * Launch  item, n = V
 * Result  Other vertices keep what vert_sharp held.
 * Threads any queue */
#ifndef SDD_K_VERTEX_IMPLICIT_H
#define SDD_K_VERTEX_IMPLICIT_H
#include "gpu/kernel/kernel.h"

struct vertex_implicit_args {
    const uint32_t *begin, *end;
    float *vert_sharp;
};

SDD_FN void k_vertex_implicit(int64_t v, const struct vertex_implicit_args *a)
{
    if (a->end[v] - a->begin[v] == 1)
        a->vert_sharp[v] = 10.0f;
}
#endif
