/* SPDX-License-Identifier: Apache-2.0 */
/* edge_sharpness.h: the sharpness of what a control edge has become on a later level, by the mesh's crease method. On
 * level L the edge has become 2^L parts. Under uniform decay all parts are equally sharp. Under chaikin each semi-sharp
 * edge has a row of numbers, the sharpness of each part (struct sdd_chaikin), which chaikin_step.k.h makes level by
 * level; `level` must then be the one that m->chaikin has. The lower end of an edge is the vertex with the lower
 * number, and the higher end is the other one. Parts are counted from the lower end or, if `high` is 1, from the
 * higher. */
#ifndef SDD_EDGE_SHARPNESS_H
#define SDD_EDGE_SHARPNESS_H
#include "gpu/rules/crease_rule.h"
#include "gpu/grid/quad_location.h"

/* The sharpness of part i of edge e. */
SDD_FN float sdd_part(const struct sdd_control *m, uint32_t e, int32_t level, uint32_t i, int32_t high)
{
    uint32_t row = m->chaikin.row ? m->chaikin.row[e] : SDD_NONE;
    if (row == SDD_NONE)
        return m->edge_sharp ? sdd_decayed(m->edge_sharp[e], level) : 0.0f;
    if ((row & 1) != (uint32_t)high)
        i = ((uint32_t)1 << level) - 1 - i;
    return m->chaikin.now[(row >> 1 << level) + i];
}

/* The sharpness of part i of edge e, and that of one of its halves on the next level: of the half nearer to the end
 * from which parts are counted or, if far is 1, of the other half. */
SDD_FN struct sdd_sharpness sdd_part_at(const struct sdd_control *m, uint32_t e, int32_t level, uint32_t i,
                                        int32_t high, uint32_t far)
{
    uint32_t row = m->chaikin.row ? m->chaikin.row[e] : SDD_NONE;
    if (row == SDD_NONE)
        return sdd_uniform(m->edge_sharp ? sdd_decayed(m->edge_sharp[e], level) : 0.0f);
    if ((row & 1) != (uint32_t)high) {
        i = ((uint32_t)1 << level) - 1 - i;
        far = 1 - far;
    }
    i += row >> 1 << level;
    return sdd_sharpness_of(m->chaikin.now[i], m->chaikin.half[2 * i + far]);
}

/* The sharpness of part i of edge e, and that of its less sharp half, for the point in the middle of the part (struct
 * sdd_sharpness). */
SDD_FN struct sdd_sharpness sdd_part_middle(const struct sdd_control *m, uint32_t e, int32_t level, uint32_t i,
                                            int32_t high)
{
    struct sdd_sharpness s = sdd_part_at(m, e, level, i, high, 0);
    if (m->chaikin.row && s.child > 0.0f) {
        float other = sdd_part_at(m, e, level, i, high, 1).child;
        s.child = other < s.child ? other : s.child;
    }
    return s;
}

/* Whether the vertex of corner c is the higher end of the edge after c. */
SDD_FN int32_t sdd_is_downward(const struct sdd_control *m, uint32_t c)
{
    return m->vert[c] > m->vert[sdd_next(&m->faces, c)];
}

/* Whether the vertex whose edges sdd_meets_edge goes over is the higher end of the edge that `own` and `before` stand
 * for there. Where m has no parts the answer is 0, because it does not matter. */
SDD_FN int32_t sdd_meets_high(const struct sdd_control *m, uint32_t own, int32_t before)
{
    return m->chaikin.row && sdd_is_downward(m, own) != before;
}

/* The sharpness of that edge's part which ends at the vertex, and of that part's half which does; arguments are those
 * of sdd_meets_high. */
SDD_FN struct sdd_sharpness sdd_part_met(const struct sdd_control *m, uint32_t own, int32_t before, int32_t level)
{
    return sdd_part_at(m, m->edge[own], level, 0, sdd_meets_high(m, own, before), 0);
}

/* The sharpness of the same part without that of its half. Halves are not read, so they need not be there yet. */
SDD_FN float sdd_part_met_now(const struct sdd_control *m, uint32_t own, int32_t before, int32_t level)
{
    return sdd_part(m, m->edge[own], level, 0, sdd_meets_high(m, own, before));
}
#endif
