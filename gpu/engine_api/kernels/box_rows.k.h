/* SPDX-License-Identifier: Apache-2.0 */
/* box_rows: the box of points, or of boxes. This is one round of a tree that takes 64 rows an item; the last round has
 * one item.
 * Shapes  low[n][3] f32, high[n][3] f32 (the same array for points) -> to_low[m][3], to_high[m][3], scale[3] (in the
 *         last round; else NULL)
 * Launch  item, m = (n + 63) / 64
 * Cost    24 B read a row
 * Result  Item i takes rows i, i + m and so on, so that neighbours read neighbours. Least and greatest are the same in
 *         any order.
 * Threads any queue */
#ifndef SDD_K_BOX_ROWS_H
#define SDD_K_BOX_ROWS_H
#include "gpu/kernel/quantise16.h"

#define SDD_BOX_ROWS 64

struct box_rows_args {
    const float *low, *high;
    float *to_low, *to_high, *scale;
    int64_t n_rows, n_items;
};

SDD_FN void k_box_rows(int64_t i, const struct box_rows_args *a)
{
    float low[3], high[3];
    for (int32_t k = 0; k < 3; k++) {
        low[k] = a->low[3 * i + k];
        high[k] = a->high[3 * i + k];
    }
    for (int64_t row = i + a->n_items; row < a->n_rows; row += a->n_items)
        for (int32_t k = 0; k < 3; k++) {
            float x = a->low[3 * row + k], y = a->high[3 * row + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = y > high[k] ? y : high[k];
        }
    for (int32_t k = 0; k < 3; k++) {
        float extent = high[k] - low[k];
        a->to_low[3 * i + k] = low[k];
        a->to_high[3 * i + k] = high[k];
        if (a->scale)
            a->scale[k] = extent > SDD_FLAT ? 65535.0f / extent : 0.0f;
    }
}
#endif
