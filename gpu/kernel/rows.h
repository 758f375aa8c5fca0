/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h: rows of floats that kernels refine as points: positions, UVs and other primvars. One to three components of a
 * row are read and written at a time; the other lanes of a vector are zero. Where the width is a constant, as for
 * positions, the compiler removes all tests of it. */
#ifndef SDD_ROWS_H
#define SDD_ROWS_H
#include "gpu/kernel/kernel.h"

struct sdd_width {
    int32_t n, stride; /* The number of components, 1 to 3, and the floats from row to row. */
};

SDD_FN struct sdd_width sdd_width_of(int32_t n, int32_t stride)
{
    struct sdd_width w;
    w.n = n;
    w.stride = stride;
    return w;
}

/* Returns the width of positions. */
SDD_FN struct sdd_width sdd_xyz(void)
{
    return sdd_width_of(3, 3);
}
/* Returns the width of UVs, whose rows take one 8-byte access. */
SDD_FN struct sdd_width sdd_uv(void)
{
    return sdd_width_of(2, 2);
}
SDD_FN int sdd_is_uv(struct sdd_width w)
{
    return w.n == 2 && w.stride == 2;
}

SDD_FN struct sdd_vec3 sdd_row_load(const float *p, uint32_t row, struct sdd_width w)
{
    const float *at = p + (size_t)w.stride * row;
    if (sdd_is_uv(w)) {
        struct sdd_float2 uv = *(const struct sdd_float2 *)at;
        return sdd_vec3_of(uv.s[0], uv.s[1], 0.0f);
    }
    return sdd_vec3_of(at[0], w.n > 1 ? at[1] : 0.0f, w.n > 2 ? at[2] : 0.0f);
}

SDD_FN void sdd_row_put(float *to, uint32_t row, struct sdd_width w, struct sdd_vec3 v)
{
    float *at = to + (size_t)w.stride * row;
    if (sdd_is_uv(w)) {
        struct sdd_float2 uv;
        uv.s[0] = v.x;
        uv.s[1] = v.y;
        *(struct sdd_float2 *)at = uv;
        return;
    }
    at[0] = v.x;
    if (w.n > 1)
        at[1] = v.y;
    if (w.n > 2)
        at[2] = v.z;
}
#endif
