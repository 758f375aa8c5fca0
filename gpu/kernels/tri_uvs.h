/* SPDX-License-Identifier: Apache-2.0 */
/* tri_uvs: UV values of a refined triangle mesh under faceVaryingLinearInterpolation `all`: linear over each control
 * triangle.
 * Shapes  grid of the UV mesh (vert are rows of uv), edge_corner[E'], uv[U][2] f32 -> out[n][2] f32
 * Shape   item, n = grid points      Cost  8 B written and 24 B read (cached) a value
 * Result  a value on a shared UV edge is made once, from the edge, for both triangles
 * Source  OpenSubdiv's linear face-varying interpolation      Threads any queue */
#ifndef SDD_K_TRI_UVS_H
#define SDD_K_TRI_UVS_H
#include "gpu/kernels/tri_spot.h"

struct tri_uvs_args {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const struct sdd_float2 *uv;
    struct sdd_float2 *out;
};

SDD_FN void k_tri_uvs(int64_t i, const struct tri_uvs_args *a)
{
    const struct sdd_grid *g = &a->grid;
    struct sdd_tri_spot s = sdd_tri_spot_of(g, a->edge_corner, (uint32_t)i);
    float unit = 1.0f / (float)((uint32_t)1 << g->level), x = (float)s.x * unit, y = (float)s.y * unit;
    if (s.kind == SDD_AT_VERTEX) {
        a->out[i] = a->uv[s.id];
        return;
    }
    uint32_t c = s.kind == SDD_INSIDE ? 3 * s.id : a->edge_corner[s.id];
    struct sdd_float2 u = a->uv[g->vert[c]], ux = a->uv[g->vert[sdd_next(&g->faces, c)]],
                      uy = a->uv[g->vert[sdd_prev(&g->faces, c)]], out;
    for (int32_t k = 0; k < 2; k++)
        out.s[k] = fmaf(y, uy.s[k] - u.s[k], fmaf(x, ux.s[k] - u.s[k], u.s[k]));
    a->out[i] = out;
}
#endif
