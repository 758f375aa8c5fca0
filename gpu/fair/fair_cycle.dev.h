/* SPDX-License-Identifier: Apache-2.0 */
/* fair_cycle.dev.h: a level of the preconditioner of conjugate gradients, which is one V-cycle of plain aggregation on
 * L (fair_levels.c). Its vectors are quaternions, each component of which is a problem by itself. */
#ifndef SDD_FAIR_CYCLE_DEV_H
#define SDD_FAIR_CYCLE_DEV_H
#include "gpu/fair/fair.dev.h"

#define FAIR_DAMPING 0.67
#define FAIR_CORRECTION 1.6 /* Corrections that are constant on each group are too small by this much. */

/* Rows are counted from the first of the part. */
struct fair_level {
    const uint32_t *row, *column;  /* Shape [n + 1], [entries]. */
    const double *value, *inverse; /* Shape [entries], [n]: the damping divided by the diagonal. */
    const uint32_t *group;         /* Shape [n]: the row of the next level that each row is in. */
    uint32_t column_base;          /* What is taken from a column to make it a row of the part. */
};

/* b - A x of a row. */
SDD_FN struct fair_quat fair_residual(const struct fair_level *l, const double *b, const double *x, uint32_t i)
{
    struct fair_quat sum = fair_get(b, i);
    for (uint32_t e = l->row[i]; e < l->row[i + 1]; e++)
        sum = fair_add(sum, -l->value[e], fair_get(x, l->column[e] - l->column_base));
    return sum;
}
#endif
