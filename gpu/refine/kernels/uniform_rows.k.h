/* SPDX-License-Identifier: Apache-2.0 */
/* uniform_rows: gives each refined face the uniform primvar of its control face.
 * Shapes  visible[S] u32, value[F][width] u32 words -> out[n][width]
 * Launch  item, n refined faces
 * Cost    4 B read and 4 B written a word
 * Result  copies
 * Threads any queue */
#ifndef SDD_K_UNIFORM_ROWS_H
#define SDD_K_UNIFORM_ROWS_H
#include "gpu/refine/kernels/face_parent.dev.h"

struct uniform_rows_args {
    struct sdd_parents parents;
    const uint32_t *value;
    uint32_t *out;
    int32_t width;
};

SDD_FN void k_uniform_rows(int64_t i, const struct uniform_rows_args *a)
{
    uint32_t f = sdd_parent_of(&a->parents, i);
    for (int32_t k = 0; k < a->width; k++)
        a->out[i * a->width + k] = a->value[(int64_t)f * a->width + k];
}
#endif
