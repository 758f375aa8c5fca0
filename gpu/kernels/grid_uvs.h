/* SPDX-License-Identifier: Apache-2.0 */
/* grid_uvs: what is linear over the control faces, of any width: face-varying values under
 * faceVaryingLinearInterpolation `all`, varying primvars. Face means, edge midpoints and, inside each level-1 quad,
 * bilinear interpolation of its corners.
 * Shapes  grid of the channel or of the vertices (vert are rows of uv), edge_corner[E'], uv[U][width] f32
 *         -> out[n][width] f32
 * Shape   item, n = grid points      Cost  4 B written and about 20 B read (cached) a component
 * Result  a value on a shared UV edge is made once, from the edge, for both quads
 * Needs   uv_faces: the rows U .. U + F of out
 * Source  Kuth et al. 2023, section 3.6; OpenSubdiv's linear face-varying interpolation      Threads any queue */
#ifndef SDD_K_GRID_UVS_H
#define SDD_K_GRID_UVS_H
#include "gpu/kernels/grid.h"

struct grid_uvs_args {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const float *uv;
    float *out;
    int32_t width;
};

/* Where a row lies, and its value as mixes of what the level-1 vertices have, component by component. */
enum sdd_uv_kind { SDD_UV_VERTEX, SDD_UV_EDGE, SDD_UV_HALF, SDD_UV_SPOKE, SDD_UV_INSIDE };
struct sdd_uv_place {
    int32_t kind;
    uint32_t id; /* the value of a vertex, at the lower end of a half; else the corner */
    uint32_t c;  /* a corner of the edge                                                */
    float s, t;
};

SDD_FN float sdd_mix(float a, float b, float t)
{
    return fmaf(t, b - a, a);
}

SDD_FN float sdd_uv_at(const struct grid_uvs_args *a, int32_t width, uint32_t row, int32_t k)
{
    return a->uv[(int64_t)row * width + k];
}

SDD_FN float sdd_uv_face(const struct grid_uvs_args *a, int32_t width, uint32_t c, int32_t k)
{
    return a->out[((int64_t)a->grid.n_vertices + sdd_face(&a->grid.faces, c)) * width + k];
}

SDD_FN float sdd_uv_middle(const struct grid_uvs_args *a, int32_t width, uint32_t c, int32_t k)
{
    const struct sdd_grid *g = &a->grid;
    return sdd_mix(sdd_uv_at(a, width, g->vert[c], k), sdd_uv_at(a, width, g->vert[sdd_next(&g->faces, c)], k), 0.5f);
}

SDD_FN float sdd_uv_inside(const struct grid_uvs_args *a, int32_t width, const struct sdd_uv_place *p, int32_t k)
{
    float low = sdd_mix(sdd_uv_at(a, width, a->grid.vert[p->c], k), sdd_uv_middle(a, width, p->c, k), p->s);
    float high =
        sdd_mix(sdd_uv_middle(a, width, sdd_prev(&a->grid.faces, p->c), k), sdd_uv_face(a, width, p->c, k), p->s);
    return sdd_mix(low, high, p->t);
}

/* n: the row, counted from the first level-1 edge's points. */
SDD_FN struct sdd_uv_place sdd_uv_place_of(const struct grid_uvs_args *a, int64_t n)
{
    const struct sdd_grid *g = &a->grid;
    int64_t m = (int64_t)1 << (g->level - 1), lines = 2 * (int64_t)g->n_edges + g->n_corners, line;
    float unit = 1.0f / (float)m;
    struct sdd_uv_place p;
    p.kind = SDD_UV_INSIDE;
    p.id = p.c = 0;
    p.s = p.t = 0.0f;
    if (n < lines * (m - 1)) {
        line = n / (m - 1);
        p.t = (float)(n % (m - 1) + 1) * unit;
        p.kind = line < 2 * (int64_t)g->n_edges ? SDD_UV_HALF : SDD_UV_SPOKE;
        if (p.kind == SDD_UV_SPOKE) {
            p.c = (uint32_t)(line - 2 * (int64_t)g->n_edges);
            return p;
        }
        p.c = a->edge_corner[line / 2];
        uint32_t u = g->vert[p.c], v = g->vert[sdd_next(&g->faces, p.c)];
        p.id = (line & 1) == (u > v) ? u : v; /* even: the half at the lower end */
        return p;
    }
    n -= lines * (m - 1);
    int64_t step = (m - 1) * (m - 1);
    int32_t at = (int32_t)(n % step);
    p.c = (uint32_t)(n / step);
    int32_t along = (int32_t)(m - 1), y = at / along, x = at - y * along;
    p.s = (float)(x + 1) * unit;
    p.t = (float)(y + 1) * unit;
    return p;
}

SDD_FN float sdd_uv_value(const struct grid_uvs_args *a, int32_t width, const struct sdd_uv_place *p, int32_t k)
{
    if (p->kind == SDD_UV_VERTEX)
        return sdd_uv_at(a, width, p->id, k);
    if (p->kind == SDD_UV_EDGE)
        return sdd_uv_middle(a, width, p->c, k);
    if (p->kind == SDD_UV_HALF)
        return sdd_mix(sdd_uv_at(a, width, p->id, k), sdd_uv_middle(a, width, p->c, k), p->t);
    if (p->kind == SDD_UV_SPOKE)
        return sdd_mix(sdd_uv_face(a, width, p->c, k), sdd_uv_middle(a, width, p->c, k), p->t);
    return sdd_uv_inside(a, width, p, k);
}

SDD_FN void k_grid_uvs(int64_t i, const struct grid_uvs_args *a)
{
    const int32_t width = a->width;
    const struct sdd_grid *g = &a->grid;
    int64_t n = i - g->n_vertices;
    struct sdd_uv_place p;
    p.kind = SDD_UV_VERTEX;
    p.id = (uint32_t)i;
    p.c = 0;
    p.s = p.t = 0.0f;
    if (n >= 0 && n < g->n_faces)
        return; /* uv_faces wrote it */
    n -= g->n_faces;
    if (n >= 0 && n < g->n_edges) {
        p.kind = SDD_UV_EDGE;
        p.c = a->edge_corner[n];
    } else if (n >= g->n_edges) {
        p = sdd_uv_place_of(a, n - g->n_edges);
    }
    if (width == 2) { /* a constant, and no store before all is read: what both have in common is read once */
        struct sdd_float2 uv;
        uv.s[0] = sdd_uv_value(a, 2, &p, 0);
        uv.s[1] = sdd_uv_value(a, 2, &p, 1);
        ((struct sdd_float2 *)a->out)[i] = uv;
        return;
    }
    for (int32_t k = 0; k < width; k++)
        a->out[i * width + k] = sdd_uv_value(a, width, &p, k);
}
#endif
