/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin_step: the sharpness of the parts of semi-sharp control edges, from one level to the next. The half of a part
 * keeps 3/4 of the part's sharpness and takes 1/4 of the mean of the other semi-sharp edges at its end, then loses 1.
 * Shapes  control mesh with the parts of level L, edge[R] u32 of each row -> parts of level L + 1 [R][2^(L + 1)] f32
 * Launch  item, n = R 2^(L + 1)
 * Cost    about 12 B, at a control vertex about 20 B a corner
 * Result  OpenSubdiv's operations in its order (chaikin_rule.h)
 * Threads any queue
 * Source  OpenSubdiv sdc/crease.cpp; DeRose et al. 1998 */
#ifndef SDD_K_CHAIKIN_STEP_H
#define SDD_K_CHAIKIN_STEP_H
#include "gpu/rules/chaikin_rule.h"

struct chaikin_step_args {
    struct sdd_control mesh;
    const uint32_t *edge;
    float *half;
    int32_t level; /* The level L. */
};

SDD_FN void k_chaikin_step(int64_t i, const struct chaikin_step_args *a)
{
    const struct sdd_control *m = &a->mesh;
    int32_t child = (int32_t)(i & (((int64_t)2 << a->level) - 1)), part = child >> 1, high = child & 1;
    int32_t beside = high ? part + 1 : part - 1;
    uint32_t e = a->edge[i >> (a->level + 1)], c = m->edge_corner[e];
    float s = sdd_part(m, e, a->level, (uint32_t)part, 0);
    struct sdd_semisharp_sum all = sdd_semisharp_none();
    if (beside < 0 || beside >> a->level) {
        if (sdd_is_downward(m, c) != high)
            c = sdd_next(&m->faces, c);
        all = sdd_semisharp_around(m, m->vert[c], a->level, NULL);
    } else {
        sdd_semisharp_add(&all, s);
        sdd_semisharp_add(&all, sdd_part(m, e, a->level, (uint32_t)beside, 0));
    }
    a->half[i] = sdd_semisharp_half(s, &all);
}
#endif
