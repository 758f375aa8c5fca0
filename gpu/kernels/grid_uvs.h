/* SPDX-License-Identifier: Apache-2.0 */
/* grid_uvs: UV values of the refined UV mesh under faceVaryingLinearInterpolation `all`: face means, edge midpoints
 * and, inside each level-1 quad, bilinear interpolation of its corners.
 * Shapes  grid of the UV mesh (vert are rows of uv), edge_corner[E'], uv[U][2] f32 -> out[n][2] f32
 * Shape   item, n = grid points      Cost  8 B written and about 40 B read (cached) a value
 * Result  a value on a shared UV edge is made once, from the edge, for both quads
 * Needs   uv_faces: the rows U .. U + F of out
 * Source  Kuth et al. 2023, section 3.6; OpenSubdiv's linear face-varying interpolation      Threads any queue */
#ifndef SDD_K_GRID_UVS_H
#define SDD_K_GRID_UVS_H
#include "gpu/kernels/grid.h"

struct grid_uvs_args {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const struct sdd_float2 *uv;
    struct sdd_float2 *out;
};

SDD_FN struct sdd_float2 sdd_mix2(struct sdd_float2 a, struct sdd_float2 b, float t)
{
    struct sdd_float2 r;
    r.s[0] = fmaf(t, b.s[0] - a.s[0], a.s[0]);
    r.s[1] = fmaf(t, b.s[1] - a.s[1], a.s[1]);
    return r;
}

SDD_FN struct sdd_float2 sdd_uv_face(const struct grid_uvs_args *a, uint32_t f)
{
    return a->out[a->grid.n_vertices + f];
}

SDD_FN struct sdd_float2 sdd_uv_middle(const struct grid_uvs_args *a, uint32_t c)
{
    return sdd_mix2(a->uv[a->grid.vert[c]], a->uv[a->grid.vert[sdd_next(&a->grid.faces, c)]], 0.5f);
}

/* lower end of the line first: the value at a corner's vertex, at the point a fraction t along its quad */
SDD_FN struct sdd_float2 sdd_uv_inside(const struct grid_uvs_args *a, uint32_t c, float s, float t)
{
    struct sdd_float2 low = sdd_mix2(a->uv[a->grid.vert[c]], sdd_uv_middle(a, c), s);
    struct sdd_float2 high =
        sdd_mix2(sdd_uv_middle(a, sdd_prev(&a->grid.faces, c)), sdd_uv_face(a, sdd_face(&a->grid.faces, c)), s);
    return sdd_mix2(low, high, t);
}

SDD_FN void k_grid_uvs(int64_t i, const struct grid_uvs_args *a)
{
    const struct sdd_grid *g = &a->grid;
    int64_t m = (int64_t)1 << (g->level - 1), n = i, step;
    float unit = 1.0f / (float)m;
    struct sdd_float2 out;
    if (n < g->n_vertices) {
        out = a->uv[n];
    } else if ((n -= g->n_vertices) < g->n_faces) {
        return; /* uv_faces wrote it */
    } else if ((n -= g->n_faces) < g->n_edges) {
        out = sdd_uv_middle(a, a->edge_corner[n]);
    } else if ((n -= g->n_edges) < (2 * (int64_t)g->n_edges + g->n_corners) * (m - 1)) {
        int64_t line = n / (m - 1);
        float t = (float)(n % (m - 1) + 1) * unit;
        if (line < 2 * (int64_t)g->n_edges) {
            uint32_t c = a->edge_corner[line / 2], u = g->vert[c], v = g->vert[sdd_next(&g->faces, c)];
            uint32_t end = (line & 1) == (u > v) ? u : v; /* even: the half at the lower end */
            out = sdd_mix2(a->uv[end], sdd_uv_middle(a, c), t);
        } else {
            uint32_t c = (uint32_t)(line - 2 * (int64_t)g->n_edges);
            out = sdd_mix2(sdd_uv_face(a, sdd_face(&g->faces, c)), sdd_uv_middle(a, c), t);
        }
    } else {
        n -= (2 * (int64_t)g->n_edges + g->n_corners) * (m - 1);
        step = (m - 1) * (m - 1);
        int32_t at = (int32_t)(n % step), x = at % (int32_t)(m - 1) + 1, y = at / (int32_t)(m - 1) + 1;
        out = sdd_uv_inside(a, (uint32_t)(n / step), (float)x * unit, (float)y * unit);
    }
    a->out[i] = out;
}
#endif
