/* SPDX-License-Identifier: Apache-2.0 */
/* uv_faces: the mean UV of each face's corners: rows U .. U + F of the refined UV values.
 * Shapes  end[F] i32, vert[C] u32 (rows of uv), uv[U][2] f32 -> out rows U + f      Shape  item, n = F
 * Cost    12 B read a corner, 8 B written a face      Result  summed in double, in corner order, rounded once
 * Source  OpenSubdiv's linear face-varying interpolation      Threads any queue */
#ifndef SDD_K_UV_FACES_H
#define SDD_K_UV_FACES_H
#include "gpu/kernel.h"

struct uv_faces_args {
    const int32_t *end;
    const uint32_t *vert;
    const struct sdd_float2 *uv;
    struct sdd_float2 *out;
    int64_t n_uvs;
};

SDD_FN void k_uv_faces(int64_t f, const struct uv_faces_args *a)
{
    int32_t first = f ? a->end[f - 1] : 0, end = a->end[f];
    double u = 0.0, v = 0.0, n = (double)(end - first);
    for (int32_t c = first; c < end; c++) {
        struct sdd_float2 at = a->uv[a->vert[c]];
        u += (double)at.s[0];
        v += (double)at.s[1];
    }
    struct sdd_float2 mean;
    mean.s[0] = (float)(u / n);
    mean.s[1] = (float)(v / n);
    a->out[a->n_uvs + f] = mean;
}
#endif
