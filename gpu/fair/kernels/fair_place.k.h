/* SPDX-License-Identifier: Apache-2.0 */
/* fair_place: scales and moves points.
 * Shapes  points[n][4] f64, changed
 * Launch  item, n rows
 * Cost    64 B a row
 * Result  scale p + by.
 * Threads any queue */
#ifndef SDD_K_FAIR_PLACE_H
#define SDD_K_FAIR_PLACE_H
#include "gpu/fair/fair.dev.h"

struct fair_place_args {
    double *points;
    double scale, by[3];
};

SDD_FN void k_fair_place(int64_t i, const struct fair_place_args *a)
{
    const struct fair_quat by = fair_quat_of(0.0, a->by[0], a->by[1], a->by[2]);
    fair_put(a->points, (uint32_t)i, fair_add(by, a->scale, fair_get(a->points, (uint32_t)i)));
}
#endif
