/* SPDX-License-Identifier: Apache-2.0 */
/* channel_values: fills the rows that a face-varying channel has in addition to its values (channel_split).
 * Shapes  value[n] u32, p[U + n][width] f32 rows below U -> rows from U on
 * Launch  item, n rows
 * Cost    4 B read, 8 B a float
 * Result  Rows below U keep what they held.
 * Threads any queue */
#ifndef SDD_K_CHANNEL_VALUES_H
#define SDD_K_CHANNEL_VALUES_H
#include "gpu/kernel/kernel.h"

struct channel_values_args {
    const uint32_t *value;
    float *p;
    int64_t n_values;
    int32_t width;
};

SDD_FN void k_channel_values(int64_t i, const struct channel_values_args *a)
{
    const float *from = a->p + (int64_t)a->value[i] * a->width;
    float *to = a->p + (a->n_values + i) * a->width;
    for (int32_t k = 0; k < a->width; k++)
        to[k] = from[k];
}
#endif
