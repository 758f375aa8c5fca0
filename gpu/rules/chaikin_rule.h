/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin_rule.h: how the half of an edge at a vertex decays under crease method chaikin, by the semi-sharp edges that
 * meet there (OpenSubdiv sdc/crease.cpp). Operations and their order are OpenSubdiv's, so that what only just vanishes
 * there vanishes here as well. */
#ifndef SDD_CHAIKIN_RULE_H
#define SDD_CHAIKIN_RULE_H
#include "gpu/rules/edge_sharpness.h"

struct sdd_semisharp_sum {
    float sum;
    int32_t n;
};

SDD_FN void sdd_semisharp_add(struct sdd_semisharp_sum *r, float s)
{
    if (!sdd_is_semisharp(s))
        return;
    r->sum += s;
    r->n++;
}

SDD_FN struct sdd_semisharp_sum sdd_semisharp_none(void)
{
    struct sdd_semisharp_sum r;
    r.sum = 0.0f;
    r.n = 0;
    return r;
}

/* The sharpness of the half of an edge of sharpness s, at a vertex whose semi-sharp edges `all` sums up. An edge that
 * is the only one decays uniformly. */
SDD_FN float sdd_semisharp_half(float s, const struct sdd_semisharp_sum *all)
{
    if (sdd_is_semisharp(s) && all->n > 1)
        s = 0.75f * s + 0.25f * ((all->sum - s) / (float)(all->n - 1));
    return sdd_decay(s);
}

/* The sums over the semi-sharp edges of a vertex on the levels before; where they are empty, creases decay uniformly.
 * After this many levels no edge is semi-sharp any more, whatever rounding does. */
enum { SDD_SEMISHARP_LEVELS = 11 };
struct sdd_semisharp_past {
    struct sdd_semisharp_sum at[SDD_SEMISHARP_LEVELS];
};

/* What is left on a level, at the vertex, of a control edge of sharpness s. */
SDD_FN float sdd_semisharp_left(float s, const struct sdd_semisharp_past *past, int32_t level)
{
    for (int32_t i = 0; i < level; i++)
        s = sdd_semisharp_half(s, past->at + i);
    return s;
}

/* The sharpness of an edge at its control vertex: of its stored part or, with `past`, of a level whose parts are not
 * stored, from the past of the vertex. */
SDD_FN float sdd_semisharp_met(const struct sdd_control *m, uint32_t own, int32_t before, int32_t level,
                               const struct sdd_semisharp_past *past)
{
    return past ? sdd_semisharp_left(m->edge_sharp[m->edge[own]], past, level)
                : sdd_part_met_now(m, own, before, level);
}

/* Sums up the semi-sharp edges of control vertex v, around its fan. Where the faces form no single fan, the edges come
 * in the order of their lowest corners. */
SDD_FN struct sdd_semisharp_sum sdd_semisharp_around(const struct sdd_control *m, uint32_t v, int32_t level,
                                                     const struct sdd_semisharp_past *past)
{
    uint32_t begin = m->begin[v], end = m->end[v], first = sdd_first_corner(m, v), c = first, k = begin;
    struct sdd_semisharp_sum r = sdd_semisharp_none();
    do { /* The last edge of an open fan is infinitely sharp and does not count. */
        sdd_semisharp_add(&r, sdd_semisharp_met(m, c, 0, level, past));
        c = m->twin[sdd_prev(&m->faces, c)];
        k++;
    } while (c < m->n_corners && c != first && k < end);
    if (k == end)
        return r;
    r = sdd_semisharp_none();
    for (k = begin; k < end; k++) {
        uint32_t p = sdd_prev(&m->faces, m->corner[k]);
        int32_t p_first = p < m->corner[k];
        for (int32_t i = 0; i < 2; i++) {
            int32_t before = i != p_first;
            uint32_t own = before ? p : m->corner[k];
            if (sdd_meets_edge(m, own, before))
                sdd_semisharp_add(&r, sdd_semisharp_met(m, own, before, level, past));
        }
    }
    return r;
}
#endif
