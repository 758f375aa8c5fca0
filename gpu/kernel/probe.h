/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h: which multiples of which points make the point of a linear rule. The rule runs over answers in the place of
 * points: in each run three of the points are one in a component of their own, all others are zero, so that the rule's
 * point holds their weights; meanwhile the probe takes down which three come next. So the rule itself says what it
 * reads, in rows of n points after n / 3 + 1 runs, and no rule is written twice. */
#ifndef SDD_PROBE_H
#define SDD_PROBE_H
#include "gpu/kernel/kernel.h"

struct sdd_probe {
    uint32_t column[3]; /* the points whose weights this run tells, ascending; SDD_NONE: none */
    uint32_t next[3];   /* the first ones after them that it has read; SDD_NONE: none yet     */
    uint32_t after;     /* those begin here */
};

/* For a first run, which tells no weights. */
SDD_FN struct sdd_probe sdd_probe_start(void)
{
    struct sdd_probe p;
    for (int32_t k = 0; k < 3; k++)
        p.column[k] = p.next[k] = SDD_NONE;
    p.after = 0;
    return p;
}

/* To the points that come next; 0: there are none. */
SDD_FN int sdd_probe_next(struct sdd_probe *p)
{
    for (int32_t k = 0; k < 3; k++) {
        p->column[k] = p->next[k];
        p->next[k] = SDD_NONE;
    }
    p->after = p->column[2] == SDD_NONE ? SDD_NONE : p->column[2] + 1;
    return p->column[0] != SDD_NONE;
}

SDD_FN struct sdd_vec3 sdd_probe_load(struct sdd_probe *p, uint32_t row)
{
    uint32_t *next = p->next;
    if (row >= p->after && row < next[2] && row != next[0] && row != next[1]) {
        next[2] = row < next[1] ? next[1] : row;
        if (row < next[1])
            next[1] = row < next[0] ? next[0] : row;
        if (row < next[0])
            next[0] = row;
    }
    return sdd_vec3_of(row == p->column[0] ? 1.0f : 0.0f, row == p->column[1] ? 1.0f : 0.0f,
                       row == p->column[2] ? 1.0f : 0.0f);
}
#endif
