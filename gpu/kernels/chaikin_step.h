/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin_step: the sharpness of the parts of semi-sharp control edges, from a level to the next. A part keeps 3/4 of
 * its own and takes 1/4 of the mean of the other semi-sharp edges at its end, then loses 1.
 * Shapes  control mesh with the parts of level L, edge[R] u32 of each row -> parts of level L + 1 [R][2^(L + 1)] f32
 * Shape   item, n = R 2^(L + 1)      Cost  about 12 B, at a control vertex about 20 B a corner
 * Result  OpenSubdiv's operations in its order: around the fan of a vertex; where faces form none, by ascending edge
 *         corners. So what just vanishes there, vanishes here
 * Source  OpenSubdiv sdc/crease.cpp; DeRose et al. 1998      Threads any queue */
#ifndef SDD_K_CHAIKIN_STEP_H
#define SDD_K_CHAIKIN_STEP_H
#include "gpu/kernels/edge_sharpness.h"

struct chaikin_step_args {
    struct sdd_control mesh;
    const uint32_t *edge;
    float *half;
    int32_t level; /* L */
};

struct sdd_semi_sum {
    float sum;
    int32_t n;
};

SDD_FN void sdd_semi_add(struct sdd_semi_sum *r, float s)
{
    if (!sdd_is_semi(s))
        return;
    r->sum += s;
    r->n++;
}

SDD_FN struct sdd_semi_sum sdd_semi_none(void)
{
    struct sdd_semi_sum r;
    r.sum = 0.0f;
    r.n = 0;
    return r;
}

/* All edges of control vertex v. */
SDD_FN struct sdd_semi_sum sdd_semi_around(const struct sdd_control *m, uint32_t v, int32_t level)
{
    uint32_t begin = m->begin[v], end = m->end[v], first = sdd_first_corner(m, v), c = first, k = begin;
    struct sdd_semi_sum r = sdd_semi_none();
    do { /* what ends an open fan is infinitely sharp */
        sdd_semi_add(&r, sdd_part_met(m, c, 0, level).now);
        c = m->twin[sdd_prev(&m->faces, c)];
        k++;
    } while (c < m->n_corners && c != first && k < end);
    if (k == end)
        return r;
    r = sdd_semi_none();
    for (k = begin; k < end; k++) {
        uint32_t p = sdd_prev(&m->faces, m->corner[k]);
        int32_t p_first = p < m->corner[k];
        for (int32_t i = 0; i < 2; i++) {
            int32_t before = i != p_first;
            uint32_t own = before ? p : m->corner[k];
            if (sdd_meets_edge(m, own, before))
                sdd_semi_add(&r, sdd_part_met(m, own, before, level).now);
        }
    }
    return r;
}

SDD_FN void k_chaikin_step(int64_t i, const struct chaikin_step_args *a)
{
    const struct sdd_control *m = &a->mesh;
    int32_t child = (int32_t)(i & (((int64_t)2 << a->level) - 1)), part = child >> 1, high = child & 1;
    int32_t beside = high ? part + 1 : part - 1;
    uint32_t e = a->edge[i >> (a->level + 1)], c = m->edge_corner[e];
    float s = sdd_part(m, e, a->level, (uint32_t)part, 0);
    struct sdd_semi_sum all = sdd_semi_none();
    if (beside < 0 || beside >> a->level) {
        if (sdd_is_downward(m, c) != high)
            c = sdd_next(&m->faces, c);
        all = sdd_semi_around(m, m->vert[c], a->level);
    } else {
        sdd_semi_add(&all, s);
        sdd_semi_add(&all, sdd_part(m, e, a->level, (uint32_t)beside, 0));
    }
    if (s > 0.0f && all.n > 1)
        s = 0.75f * s + 0.25f * ((all.sum - s) / (float)(all.n - 1));
    a->half[i] = s > 1.0f ? s - 1.0f : 0.0f;
}
#endif
