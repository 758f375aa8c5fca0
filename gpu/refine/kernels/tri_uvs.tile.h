/* SPDX-License-Identifier: Apache-2.0 */
/* tri_uvs: as grid_uvs, for triangles: values that are linear over each control triangle.
 * Shapes  grid of the channel or of the vertices (vert are rows of uv), edge_corner[E'], uv[U][width] f32 ->
 *         out[n][width] f32, or f16 for two floats (as)
 * Launch  tile: SDD_LINEAR_EACH rows of n, the last tile perhaps fewer
 * Cost    4 B written and 12 B read (cached) a component
 * Result  A value on a shared UV edge is made once, from the edge, for both triangles.
 * Threads any queue
 * Source  OpenSubdiv's linear face-varying interpolation */
#ifndef SDD_K_TRI_UVS_H
#define SDD_K_TRI_UVS_H
#include "gpu/kernel/tile.h"
#include "gpu/refine/kernels/linear_lines.dev.h"
#include "gpu/grid/tri_location.h"

enum { tri_uvs_threads = 128 };

struct tri_uvs_args {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const float *uv;
    float *out;
    int32_t width;
    struct sdd_rows_as as;
    int64_t n;
};

/* The values at corner c of a triangle, at the next corner and at the one before. */
struct sdd_tri_values {
    const float *u, *ux, *uy;
};

SDD_FN struct sdd_tri_values sdd_tri_values_of(const struct tri_uvs_args *a, int32_t width, uint32_t c)
{
    const struct sdd_grid *g = &a->grid;
    struct sdd_tri_values v;
    v.u = a->uv + (size_t)g->vert[c] * (size_t)width;
    v.ux = a->uv + (size_t)g->vert[sdd_next(&g->faces, c)] * (size_t)width;
    v.uy = a->uv + (size_t)g->vert[sdd_prev(&g->faces, c)] * (size_t)width;
    return v;
}

SDD_FN float sdd_tri_value(const struct sdd_tri_values *v, float x, float y, int32_t k)
{
    return fmaf(y, v->uy[k] - v->u[k], fmaf(x, v->ux[k] - v->u[k], v->u[k]));
}

SDD_FN void sdd_tri_uv_put(const struct tri_uvs_args *a, uint32_t row)
{
    struct sdd_tri_location s = sdd_tri_location_of(&a->grid, a->edge_corner, row);
    const float unit = 1.0f / (float)((uint32_t)1 << a->grid.level), x = (float)s.x * unit, y = (float)s.y * unit;
    struct sdd_tri_values v;
    v.u = v.ux = v.uy = a->uv + (size_t)s.id * (size_t)a->width;
    if (s.kind != SDD_AT_VERTEX)
        v = sdd_tri_values_of(a, a->width, s.kind == SDD_INSIDE ? 3 * s.id : a->edge_corner[s.id]);
    if (a->width == 2)
        sdd_row_out(a->out, &a->as, row, sdd_uv(),
                    s.kind == SDD_AT_VERTEX ? sdd_row_load(v.u, 0, sdd_uv())
                                            : sdd_vec3_of(sdd_tri_value(&v, x, y, 0), sdd_tri_value(&v, x, y, 1), 0));
    else
        for (int32_t k = 0; k < a->width; k++)
            a->out[(size_t)row * (size_t)a->width + (size_t)k] =
                s.kind == SDD_AT_VERTEX ? v.u[k] : sdd_tri_value(&v, x, y, k);
}

#ifdef __CUDACC__
SDD_FN void k_tri_uvs(int64_t tile, const struct tri_uvs_args *a)
{
    const int64_t low = tile * SDD_LINEAR_EACH, left = a->n - low;
    SDD_EACH (i, left < SDD_LINEAR_EACH ? (int32_t)left : SDD_LINEAR_EACH)
        sdd_tri_uv_put(a, (uint32_t)(low + i));
}
#else
/* A CPU's thread makes whole lines of rows with what they have in common. */
/* Makes the values along control edge e, at its points in their order. */
static inline void sdd_tri_uv_edge(const struct tri_uvs_args *a, int32_t width, uint32_t e, float *values)
{
    const struct sdd_grid *g = &a->grid;
    const uint32_t c = a->edge_corner[e];
    const struct sdd_tri_values v = sdd_tri_values_of(a, width, c);
    const int32_t m = 1 << g->level, downward = g->vert[c] > g->vert[sdd_next(&g->faces, c)];
    const float unit = 1.0f / (float)m;
    for (int32_t t = 1; t < m; t++)
        for (int32_t k = 0; k < width; k++)
            values[(t - 1) * width + k] = sdd_tri_value(&v, (float)(downward ? m - t : t) * unit, 0.0f, k);
}

/* Makes the lines of triangle f, where t goes from the edge after its first corner to its last corner. */
static inline void sdd_tri_uv_lines(const struct tri_uvs_args *a, int32_t width, uint32_t f, struct sdd_linear_lines *l)
{
    const struct sdd_tri_values v = sdd_tri_values_of(a, width, 3 * f);
    const int32_t m = 1 << a->grid.level;
    const float unit = 1.0f / (float)m;
    for (int32_t x = 1; x < m - 1; x++)
        for (int32_t k = 0; k < width; k++) {
            l->low[(x - 1) * width + k] = fmaf((float)x * unit, v.ux[k] - v.u[k], v.u[k]);
            l->step[(x - 1) * width + k] = v.uy[k] - v.u[k];
        }
}

/* Makes rows [low, high), none of which is a control vertex. */
static inline void sdd_tri_uv_walk(const struct tri_uvs_args *a, int32_t width, int64_t low, int64_t high,
                                   struct sdd_row_stream *s)
{
    const struct sdd_grid *g = &a->grid;
    const int64_t along = ((int64_t)1 << g->level) - 1, size = along * (along - 1) / 2;
    const int64_t inside = g->n_vertices + along * g->n_edges;
    const float unit = 1.0f / (float)(along + 1);
    struct sdd_linear_lines l;
    while (low < high && low < inside) {
        const int64_t e = (low - g->n_vertices) / along, first = g->n_vertices + e * along;
        const int64_t end = first + along < high ? first + along : high;
        sdd_tri_uv_edge(a, width, (uint32_t)e, l.low);
        sdd_linear_put(l.low, width, first, low, end, s);
        low = end;
    }
    while (low < high) {
        const int64_t f = (low - inside) / size, first = inside + f * size;
        int64_t row = first;
        sdd_tri_uv_lines(a, width, (uint32_t)f, &l);
        for (int64_t y = 1; y < along && low < high; y++, row += along - y + 1) {
            const int64_t last = row + along - y < high ? row + along - y : high;
            if (low >= last)
                continue;
            sdd_linear_part(&l, (float)y * unit, width, row, low, last, s);
            low = last;
        }
    }
}

SDD_FN void k_tri_uvs(int64_t i, const struct tri_uvs_args *a)
{
    const int64_t along = ((int64_t)1 << a->grid.level) - 1;
    int64_t low = i * SDD_LINEAR_EACH, high = low + SDD_LINEAR_EACH < a->n ? low + SDD_LINEAR_EACH : a->n;
    struct sdd_row_stream s;
    for (; low < high && (low < a->grid.n_vertices || !sdd_linear_is_lines(a->width, along)); low++)
        sdd_tri_uv_put(a, (uint32_t)low);
    sdd_stream_open(&s, a->out, a->as, a->width);
    if (a->width == 2) /* The width is a constant from here on. */
        sdd_tri_uv_walk(a, 2, low, high, &s);
    else
        sdd_tri_uv_walk(a, a->width, low, high, &s);
    sdd_stream_close(&s);
}
#endif
#endif
