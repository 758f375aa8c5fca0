/* SPDX-License-Identifier: Apache-2.0 */
/* fair_coarse: all of the cycle on its last levels, which are too small for launches of their own.
 * Shapes  n_levels levels (fair_cycle.dev.h) and the last one, dense[n][n] f64 of that, or NULL: its inverse
 * Launch  tile, one
 * Cost    176 B an entry of the levels, 8 B an entry of the inverse
 * Result  `out` of the first level, from its `b`.
 * Threads any queue */
#ifndef SDD_K_FAIR_COARSE_H
#define SDD_K_FAIR_COARSE_H
#include "gpu/fair/fair_cycle.dev.h"

#define FAIR_COARSE_LEVELS 8 /* At most. */
#define FAIR_COARSE_ROWS 512 /* Of the first of them, at most. */
#define FAIR_SLICES 4        /* Each row of the inverse is summed in so many pieces at once. */

/* Neither this nor what it has is padded: gcc 12 clears the padding of structs with arrays in the wrong places. */
struct fair_coarse_args {
    struct fair_on_level level[FAIR_COARSE_LEVELS + 1];
    const double *dense;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
    int64_t n_levels;
};

enum { fair_coarse_threads = 512 };

SDD_FN void fair_descend(const struct fair_on_level *l, const struct fair_on_level *next)
{
    SDD_EACH (i, (int32_t)l->level.n)
        fair_put(l->x, (uint32_t)i, fair_smoothed(&l->level, l->b, (uint32_t)i));
    SDD_SYNC;
    SDD_EACH (i, (int32_t)l->level.n)
        fair_put(l->y, (uint32_t)i, fair_residual(&l->level, l->b, l->x, (uint32_t)i));
    SDD_SYNC;
    SDD_EACH (i, (int32_t)next->level.n)
        fair_put(next->b, (uint32_t)i, fair_gathered(l->y, l->begin, l->member, i));
    SDD_SYNC;
}

SDD_FN void fair_ascend(const struct fair_on_level *l, const struct fair_on_level *next)
{
    SDD_EACH (i, (int32_t)l->level.n)
        fair_put(l->y, (uint32_t)i, fair_corrected(&l->level, l->b, l->x, next->out, (uint32_t)i));
    SDD_SYNC;
    SDD_EACH (i, (int32_t)l->level.n)
        fair_put(l->out, (uint32_t)i, fair_relaxed(&l->level, l->b, l->y, (uint32_t)i));
    SDD_SYNC;
}

/* The inverse times b, whose rows are summed in slices. */
SDD_FN void fair_invert(const struct fair_on_level *l, const double *dense, double *slice)
{
    const int32_t n = (int32_t)l->level.n;
    SDD_EACH (k, FAIR_SLICES * n) {
        const int32_t i = k % n, s = k / n;
        struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
        SDD_UNROLL(4)
        for (int32_t j = s * n / FAIR_SLICES; j < (s + 1) * n / FAIR_SLICES; j++)
            sum = fair_add(sum, dense[i * n + j], fair_get(l->b, (uint32_t)j));
        fair_put(slice, (uint32_t)k, sum);
    }
    SDD_SYNC;
    SDD_EACH (i, n) {
        struct fair_quat sum = fair_get(slice, (uint32_t)i);
        for (int32_t s = 1; s < FAIR_SLICES; s++)
            sum = fair_add(sum, 1.0, fair_get(slice, (uint32_t)(s * n + i)));
        fair_put(l->out, (uint32_t)i, sum);
    }
    SDD_SYNC;
}

SDD_FN void k_fair_coarse(int64_t tile, const struct fair_coarse_args *a)
{
    SDD_SHARED(double, slice, 4 * FAIR_SLICES * FAIR_LAST) __attribute__((aligned(16)));
    const struct fair_on_level *last = a->level + a->n_levels;
    if (a->solver->done)
        return;
    for (int64_t k = 0; k < a->n_levels; k++)
        fair_descend(a->level + k, a->level + k + 1);
    if (a->dense)
        fair_invert(last, a->dense, slice);
    else
        SDD_EACH (i, (int32_t)last->level.n)
            fair_put(last->out, (uint32_t)i, fair_smoothed(&last->level, last->b, (uint32_t)i));
    SDD_SYNC;
    for (int64_t k = a->n_levels - 1; k >= 0; k--)
        fair_ascend(a->level + k, a->level + k + 1);
    (void)tile;
}
#endif
