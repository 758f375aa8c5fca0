/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h: finds the weights that a linear rule gives to the points it reads, for kernels that write matrix rows. The
 * rule runs over unit vectors in place of points. In each run three of the points are one in a component of their own
 * and all others are zero, so that the resulting point holds the weights of these three. Meanwhile the probe notes
 * which three points come next. A row of n points takes n / 3 + 1 runs, and no rule is written twice. */
#ifndef SDD_PROBE_H
#define SDD_PROBE_H
#include "gpu/kernel/kernel.h"

struct sdd_probe {
    uint32_t column[3]; /* The points whose weights this run finds, ascending; SDD_NONE when there is none. */
    uint32_t next[3];   /* The first points after those that this run has read; SDD_NONE when there is none yet. */
    uint32_t after;     /* The least number that a point in `next` may have. */
};

/* Starts the first run, which finds no weights. */
SDD_FN struct sdd_probe sdd_probe_start(void)
{
    struct sdd_probe p;
    for (int32_t k = 0; k < 3; k++)
        p.column[k] = p.next[k] = SDD_NONE;
    p.after = 0;
    return p;
}

/* Goes on to the next points. Returns 0 when there are none. */
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
