/* SPDX-License-Identifier: Apache-2.0 */
/* spla_multiply: the transposed mapped product with a vector of points, M^T x: a column gathers. Given the transposed
 * matrix it makes M x, so no sum ever has several writers. Where several products make one vector, their sum is kept in
 * double and rounded by the last of them.
 * Shapes  matrix, weights, x[rows][3] f32, sum[columns][3] f64 (may be NULL) -> sum, y[columns][3] f32 (may be NULL)
 * Launch  item, n columns
 * Cost    16 B read an entry, 12 B written a column
 * Result  Added up in double in the order of the entries, onto what `sum` held where `add` is set, and rounded once; an
 *         empty column gives 0.
 * Threads any queue
 * Source  Mlakar 2018, algorithms 1 and 4 */
#ifndef SDD_K_SPLA_MULTIPLY_H
#define SDD_K_SPLA_MULTIPLY_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_multiply_args {
    struct sdd_spla m;
    struct sdd_weights map;
    const float *x;
    double *sum;
    float *y;
    int32_t add;
};

SDD_FN void k_spla_multiply(int64_t k, const struct spla_multiply_args *a)
{
    uint32_t first = sdd_spla_first(&a->m, (uint32_t)k);
    int32_t n = sdd_spla_size(&a->m, (uint32_t)k);
    double total[3] = {0.0, 0.0, 0.0};
    for (uint32_t z = first; z < first + (uint32_t)n; z++) {
        const float *x = a->x + 3 * (int64_t)sdd_spla_row(&a->m, z);
        double w = sdd_weight(&a->map, sdd_spla_value(&a->m, first, z), (uint32_t)k, n);
        for (int32_t i = 0; i < 3; i++)
            total[i] += w * (double)x[i];
    }
    for (int32_t i = 0; i < 3; i++) {
        if (a->add)
            total[i] += a->sum[3 * k + i];
        if (a->sum)
            a->sum[3 * k + i] = total[i];
        if (a->y)
            a->y[3 * k + i] = (float)total[i];
    }
}
#endif
