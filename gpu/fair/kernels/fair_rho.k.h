/* SPDX-License-Identifier: Apache-2.0 */
/* fair_rho: how far the half-density of mean curvature is to go in a step.
 * Shapes  curvature[n], basis[k][stride], coefficient[k] f64, rim[n] u32 -> rho[n] f64
 * Launch  item, n rows
 * Cost    8 k + 20 B an item
 * Result  tau (-H + its part along the constraints), 0 on the rim.
 * Threads any queue
 * Source  Crane, Pinkall, Schroeder 2013 */
#ifndef SDD_K_FAIR_RHO_H
#define SDD_K_FAIR_RHO_H
#include "gpu/fair/fair.dev.h"

struct fair_rho_args {
    const double *curvature, *basis, *coefficient;
    const uint32_t *rim;
    double *rho;
    int64_t stride;
    double tau;
    int32_t k;
};

SDD_FN void k_fair_rho(int64_t i, const struct fair_rho_args *a)
{
    double value = -a->curvature[i];
    for (int32_t j = 0; j < a->k; j++)
        value += a->coefficient[j] * a->basis[i + j * a->stride];
    a->rho[i] = a->rim[i] ? 0.0 : a->tau * value;
}
#endif
