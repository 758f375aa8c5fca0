/* SPDX-License-Identifier: Apache-2.0 */
/* fair_spin.dev.h: the edge that the quaternions of its two ends make of an edge, by the four-term rule. */
#ifndef SDD_FAIR_SPIN_DEV_H
#define SDD_FAIR_SPIN_DEV_H
#include "gpu/fair/fair.dev.h"

SDD_FN struct fair_quat fair_spin(struct fair_quat edge, struct fair_quat a, struct fair_quat b)
{
    const struct fair_quat ea = fair_product(edge, a), eb = fair_product(edge, b);
    const struct fair_quat from_a = fair_add(fair_scale(1.0 / 3.0, ea), 1.0 / 6.0, eb);
    const struct fair_quat from_b = fair_add(fair_scale(1.0 / 6.0, ea), 1.0 / 3.0, eb);
    struct fair_quat new_edge =
        fair_add(fair_product(fair_conjugate(a), from_a), 1.0, fair_product(fair_conjugate(b), from_b));
    new_edge.w = 0.0;
    return new_edge;
}
#endif
