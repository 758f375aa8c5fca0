/* SPDX-License-Identifier: Apache-2.0 */
/* uv_faces: the mean value of each face's corners.
 * Shapes  end[F] i32, vert[C] u32 (rows of uv), uv[U][width] f32 -> face[F][width] f32
 * Launch  item, n = F
 * Cost    4 B and 4 B a component read a corner
 * Result  Sums run in double, in corner order, and are rounded once.
 * Threads any queue
 * Source  OpenSubdiv's linear face-varying interpolation */
#ifndef SDD_K_UV_FACES_H
#define SDD_K_UV_FACES_H
#include "gpu/kernel/kernel.h"

struct uv_faces_args {
    const int32_t *end;
    const uint32_t *vert;
    const float *uv;
    float *face;
    int32_t width;
};

SDD_FN void k_uv_faces(int64_t f, const struct uv_faces_args *a)
{
    int32_t first = f ? a->end[f - 1] : 0, end = a->end[f];
    for (int32_t k = 0; k < a->width; k++) {
        double sum = 0.0;
        for (int32_t c = first; c < end; c++)
            sum += (double)a->uv[(int64_t)a->vert[c] * a->width + k];
        a->face[f * a->width + k] = (float)(sum / (double)(end - first));
    }
}
#endif
