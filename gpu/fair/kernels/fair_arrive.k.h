/* SPDX-License-Identifier: Apache-2.0 */
/* fair_arrive: moves points by the way that each of them goes.
 * Shapes  way[n][4] f64 -> points[n][4], changed
 * Launch  item, n rows
 * Cost    96 B a row
 * Result  p + way. Points without a way stay bit for bit, also where a component is -0.
 * Threads any queue */
#ifndef SDD_K_FAIR_ARRIVE_H
#define SDD_K_FAIR_ARRIVE_H
#include "gpu/fair/fair.dev.h"

struct fair_arrive_args {
    const double *way;
    double *points;
};

SDD_FN void k_fair_arrive(int64_t i, const struct fair_arrive_args *a)
{
    const struct fair_quat way = fair_get(a->way, (uint32_t)i);
    if (way.x != 0.0 || way.y != 0.0 || way.z != 0.0)
        fair_put(a->points, (uint32_t)i, fair_add(way, 1.0, fair_get(a->points, (uint32_t)i)));
}
#endif
