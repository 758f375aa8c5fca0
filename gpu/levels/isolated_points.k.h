/* SPDX-License-Identifier: Apache-2.0 */
/* isolated_points: copies the control vertices without faces to a later level. There, too, the number of a control
 * vertex is the number of its row.
 * Shapes  list[n] u32, p[V][3] f32 -> rows list[k] of out[.][3], normal[.][3] and tangents[.][6] f32, where [.] is all
 *         rows of the level
 * Launch  item, n = isolated vertices
 * Result  Other rows keep what they held. There is no surface, so normals and tangents are zero.
 * Threads any queue */
#ifndef SDD_K_ISOLATED_POINTS_H
#define SDD_K_ISOLATED_POINTS_H
#include "gpu/kernel/kernel.h"

struct isolated_points_args {
    const uint32_t *list; /* The vertices without faces. */
    const float *p;       /* The control points. */
    float *out;           /* Positions; may be NULL. */
    float *normal;        /* May be NULL. */
    float *tangents;      /* Shape [.][6]; may be NULL. */
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
