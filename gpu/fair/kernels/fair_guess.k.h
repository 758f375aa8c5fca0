/* SPDX-License-Identifier: Apache-2.0 */
/* fair_guess: what a solve begins with.
 * Shapes  from[n][4] f64, or NULL for the quaternion 1; factor[n] f64 or NULL; rim[n] u32 -> out[n][4] f64
 * Launch  item, n rows
 * Cost    up to 76 B a row
 * Result  from times its factor times on_rim or inside.
 * Threads any queue */
#ifndef SDD_K_FAIR_GUESS_H
#define SDD_K_FAIR_GUESS_H
#include "gpu/fair/fair.dev.h"

struct fair_guess_args {
    const double *from, *factor;
    const uint32_t *rim;
    double *out;
    double on_rim, inside;
};

SDD_FN void k_fair_guess(int64_t i, const struct fair_guess_args *a)
{
    const struct fair_quat q = a->from ? fair_get(a->from, (uint32_t)i) : fair_quat_of(1.0, 0.0, 0.0, 0.0);
    const double s = a->rim[i] ? a->on_rim : a->inside;
    fair_put(a->out, (uint32_t)i, fair_scale(a->factor ? s * a->factor[i] : s, q));
}
#endif
