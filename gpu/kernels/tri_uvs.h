/* SPDX-License-Identifier: Apache-2.0 */
/* tri_uvs: grid_uvs for triangles: linear over each control triangle.
 * Shapes  grid of the channel or of the vertices (vert are rows of uv), edge_corner[E'], uv[U][width] f32
 *         -> out[n][width] f32
 * Shape   item, n = grid points      Cost  4 B written and 12 B read (cached) a component
 * Result  a value on a shared UV edge is made once, from the edge, for both triangles
 * Source  OpenSubdiv's linear face-varying interpolation      Threads any queue */
#ifndef SDD_K_TRI_UVS_H
#define SDD_K_TRI_UVS_H
#include "gpu/kernels/tri_spot.h"

struct tri_uvs_args {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const float *uv;
    float *out;
    int32_t width;
};

SDD_FN void k_tri_uvs(int64_t i, const struct tri_uvs_args *a)
{
    const struct sdd_grid *g = &a->grid;
    struct sdd_tri_spot s = sdd_tri_spot_of(g, a->edge_corner, (uint32_t)i);
    float unit = 1.0f / (float)((uint32_t)1 << g->level), x = (float)s.x * unit, y = (float)s.y * unit;
    float *out = a->out + i * a->width;
    uint32_t c = s.kind == SDD_INSIDE ? 3 * s.id : s.kind == SDD_AT_VERTEX ? 0 : a->edge_corner[s.id];
    const float *u = a->uv + (int64_t)(s.kind == SDD_AT_VERTEX ? s.id : g->vert[c]) * a->width;
    const float *ux = a->uv + (int64_t)g->vert[sdd_next(&g->faces, c)] * a->width;
    const float *uy = a->uv + (int64_t)g->vert[sdd_prev(&g->faces, c)] * a->width;
    for (int32_t k = 0; k < a->width; k++)
        out[k] = s.kind == SDD_AT_VERTEX ? u[k] : fmaf(y, uy[k] - u[k], fmaf(x, ux[k] - u[k], u[k]));
}
#endif
