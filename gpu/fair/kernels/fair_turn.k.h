/* SPDX-License-Identifier: Apache-2.0 */
/* fair_turn: turns and scales all quaternions alike, so that their mean is real and positive.
 * Shapes  sum[8] f64: the four of mass lambda, and the four of mass lambda^2 -> lambda[n][4] f64, changed
 * Launch  item, n rows
 * Cost    64 B a row
 * Result  sum mass |lambda|^2 = area. The flow is then one answer and not one of many.
 * Threads any queue */
#ifndef SDD_K_FAIR_TURN_H
#define SDD_K_FAIR_TURN_H
#include "gpu/fair/fair.dev.h"

struct fair_turn_args {
    const double *sum;
    double *lambda;
    double area;
};

SDD_FN void k_fair_turn(int64_t i, const struct fair_turn_args *a)
{
    const struct fair_quat mean = fair_get(a->sum, 0);
    const double size = sqrt(fair_dot(mean, mean));
    const double scale = sqrt(a->area / (a->sum[4] + a->sum[5] + a->sum[6] + a->sum[7]));
    const struct fair_quat turn =
        size > 0.0 ? fair_scale(scale / size, fair_conjugate(mean)) : fair_quat_of(scale, 0.0, 0.0, 0.0);
    fair_put(a->lambda, (uint32_t)i, fair_product(fair_get(a->lambda, (uint32_t)i), turn));
}
#endif
