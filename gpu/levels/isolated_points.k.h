/* SPDX-License-Identifier: Apache-2.0 */
/* isolated_points: control vertices without faces are copied at every level, from where they are.
 * Result  rows of other vertices are left alone
 * Shapes  list[n] u32, p[V][3] f32 -> out[.][3] f32 rows list[k]      Shape  item, n = isolated vertices
 * Threads any queue */
#ifndef SDD_K_ISOLATED_POINTS_H
#define SDD_K_ISOLATED_POINTS_H
#include "gpu/kernel/kernel.h"

struct isolated_points_args {
    const uint32_t *list;
    const float *p;
    float *out;      /* may be NULL */
    float *normal;   /* may be NULL; there is no surface: zero */
    float *tangents; /* [.][6]; as normal */
};

SDD_FN void k_isolated_points(int64_t k, const struct isolated_points_args *a)
{
    int64_t v = a->list[k];
    for (int32_t i = 0; i < 6 && a->tangents; i++)
        a->tangents[6 * v + i] = 0.0f;
    for (int32_t i = 0; i < 3; i++) {
        if (a->out)
            a->out[3 * v + i] = a->p[3 * v + i];
        if (a->normal)
            a->normal[3 * v + i] = 0.0f;
    }
}
#endif
