/* SPDX-License-Identifier: Apache-2.0 */
/* fair_cycle.dev.h: a level of the preconditioner of conjugate gradients, which is one V-cycle of plain aggregation on
 * L (fair_levels.c). Its vectors are quaternions, each component of which is a problem by itself. */
#ifndef SDD_FAIR_CYCLE_DEV_H
#define SDD_FAIR_CYCLE_DEV_H
#include "gpu/fair/fair.dev.h"

#define FAIR_DAMPING 0.67
#define FAIR_CORRECTION 1.6 /* Corrections that are constant on each group are too small by this much. */
#define FAIR_LAST 200       /* Rows of a level that is solved by its inverse, at most. */

/* Rows are counted from the first of the part. */
struct fair_level {
    const uint32_t *row, *column;  /* Shape [n + 1], [entries]. */
    const double *value, *inverse; /* Shape [entries], [n]: the damping divided by the diagonal. */
    const uint32_t *group;         /* Shape [n]: the row of the next level that each row is in. */
    uint32_t column_base, n;       /* What is taken from a column to make it a row of the part; the rows. */
};

/* A level of the preconditioner: what it solves, b, and with what result. */
struct fair_on_level {
    struct fair_level level;
    double *b, *x, *y, *out;        /* Shape [n][4]; x and y are scratch. */
    const uint32_t *begin, *member; /* The rows of each group. */
};

/* b - A x of a row. */
SDD_FN struct fair_quat fair_residual(const struct fair_level *l, const double *b, const double *x, uint32_t i)
{
    struct fair_quat sum = fair_get(b, i);
    SDD_UNROLL(4)
    for (uint32_t e = l->row[i]; e < l->row[i + 1]; e++)
        sum = fair_add(sum, -l->value[e], fair_get(x, l->column[e] - l->column_base));
    return sum;
}

/* Two damped Jacobi steps from zero: y = d b, then y + d (b - A y), where d is the damping divided by the diagonal; y
 * is made again at each entry. */
SDD_FN struct fair_quat fair_smoothed(const struct fair_level *l, const double *rhs, uint32_t i)
{
    const struct fair_quat b = fair_get(rhs, i);
    struct fair_quat sum = b;
    SDD_UNROLL(4)
    for (uint32_t e = l->row[i]; e < l->row[i + 1]; e++) {
        const uint32_t j = l->column[e] - l->column_base;
        sum = fair_add(sum, -l->value[e], fair_scale(l->inverse[j], fair_get(rhs, j)));
    }
    return fair_scale(l->inverse[i], fair_add(b, 1.0, sum));
}

/* What the members of a group have left, in order. */
SDD_FN struct fair_quat fair_gathered(const double *left, const uint32_t *begin, const uint32_t *member, int64_t group)
{
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    for (uint32_t k = begin[group]; k < begin[group + 1]; k++)
        sum = fair_add(sum, 1.0, fair_get(left, member[k]));
    return sum;
}

/* y = x + 1.6 coarse[group]. */
SDD_FN struct fair_quat fair_raised(const struct fair_level *l, const double *x, const double *coarse, uint32_t i)
{
    return fair_add(fair_get(x, i), FAIR_CORRECTION, fair_get(coarse, l->group[i]));
}

/* y + d (b - A y); y is made again at each entry. */
SDD_FN struct fair_quat fair_corrected(const struct fair_level *l, const double *b, const double *x,
                                       const double *coarse, uint32_t i)
{
    struct fair_quat sum = fair_get(b, i);
    SDD_UNROLL(4)
    for (uint32_t e = l->row[i]; e < l->row[i + 1]; e++)
        sum = fair_add(sum, -l->value[e], fair_raised(l, x, coarse, l->column[e] - l->column_base));
    return fair_add(fair_raised(l, x, coarse, i), l->inverse[i], sum);
}

/* x + d (b - A x). */
SDD_FN struct fair_quat fair_relaxed(const struct fair_level *l, const double *b, const double *x, uint32_t i)
{
    return fair_add(fair_get(x, i), l->inverse[i], fair_residual(l, b, x, i));
}
#endif
