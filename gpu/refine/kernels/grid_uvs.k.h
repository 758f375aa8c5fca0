/* SPDX-License-Identifier: Apache-2.0 */
/* grid_uvs: what is linear over the control faces, of any width: face-varying values under
 * faceVaryingLinearInterpolation `all`, and varying primvars. Values are face means (uv_faces), edge midpoints and,
 * inside each level-1 quad, bilinear interpolation of its corners.
 * Shapes  grid of the channel or of the vertices (vert are rows of uv), edge_corner[E'], uv[U][width], face[F][width]
 *         f32 (uv_faces) -> out[n][width] f32, or f16 for two floats (as)
 * Launch  item: SDD_LINEAR_EACH rows of n, the last item perhaps fewer
 * Cost    4 B written and about 20 B read (cached) a component
 * Result  A value on a shared UV edge is made once, from the edge, for both quads. Where `out` has floats, `face` is
 *         the part of it with the face values, which is left alone.
 * Threads any queue
 * Source  Kuth et al. 2023, section 3.6; OpenSubdiv's linear face-varying interpolation */
#ifndef SDD_K_GRID_UVS_H
#define SDD_K_GRID_UVS_H
#include "gpu/grid/grid.h"
#include "gpu/kernel/tile.h"
#include "gpu/refine/kernels/linear_lines.dev.h"

struct grid_uvs_args {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const float *uv, *face;
    float *out;
    int32_t width;
    struct sdd_rows_as as;
    int64_t n;
};

/* Where a row lies. Its value is a blend of those at the level-1 vertices, component by component. */
enum sdd_uv_kind { SDD_UV_VERTEX, SDD_UV_FACE, SDD_UV_EDGE, SDD_UV_HALF, SDD_UV_SPOKE, SDD_UV_INSIDE };
struct sdd_uv_location {
    int32_t kind;
    int32_t x, y; /* Along a line x counts from 1; inside a grid both are the position there. */
    /* The row of uv at a vertex or at the lower end of a half, or the face. */
    uint32_t id;
    uint32_t c; /* A corner of the edge, the spoke or the grid. */
};

SDD_FN float sdd_uv_middle(const struct grid_uvs_args *a, int32_t width, uint32_t c, int32_t k)
{
    const struct sdd_grid *g = &a->grid;
    return sdd_mix(a->uv[(size_t)g->vert[c] * (size_t)width + (size_t)k],
                   a->uv[(size_t)g->vert[sdd_next(&g->faces, c)] * (size_t)width + (size_t)k], 0.5f);
}

/* Component k of the values at the corners of level-1 quad c. */
struct sdd_uv_corners {
    /* `own` and `before` are at the midpoints of the edges after and before the corner. */
    float vertex, own, before, face;
};

SDD_FN struct sdd_uv_corners sdd_uv_corners_of(const struct grid_uvs_args *a, int32_t width, uint32_t c, int32_t k)
{
    struct sdd_uv_corners q;
    q.vertex = a->uv[(size_t)a->grid.vert[c] * (size_t)width + (size_t)k];
    q.own = sdd_uv_middle(a, width, c, k);
    q.before = sdd_uv_middle(a, width, sdd_prev(&a->grid.faces, c), k);
    q.face = a->face[(size_t)sdd_face(&a->grid.faces, c) * (size_t)width + (size_t)k];
    return q;
}

/* Finds the lower end of level-1 edge `line`, which is a half, and a corner of its edge. */
SDD_FN void sdd_uv_half(const struct grid_uvs_args *a, uint32_t line, struct sdd_uv_location *p)
{
    const struct sdd_grid *g = &a->grid;
    p->c = a->edge_corner[line / 2];
    uint32_t u = g->vert[p->c], v = g->vert[sdd_next(&g->faces, p->c)];
    p->id = (line & 1) == (u > v) ? u : v; /* Even lines are the halves at the lower end. */
}

SDD_FN struct sdd_uv_location sdd_uv_location_of(const struct grid_uvs_args *a, uint32_t row)
{
    const struct sdd_grid *g = &a->grid;
    uint32_t along = ((uint32_t)1 << (g->level - 1)) - 1, lines = 2 * g->n_edges + g->n_corners, n = row, line;
    struct sdd_uv_location p;
    p.kind = SDD_UV_VERTEX;
    p.x = p.y = 0;
    p.id = row;
    p.c = 0;
    if (n < g->n_vertices)
        return p;
    n -= g->n_vertices;
    p.kind = SDD_UV_FACE;
    p.id = n;
    if (n < g->n_faces)
        return p;
    n -= g->n_faces;
    p.kind = SDD_UV_EDGE;
    if (n < g->n_edges) {
        p.c = a->edge_corner[n];
        return p;
    }
    n -= g->n_edges;
    if (n < lines * along) {
        /* There are no such rows at level 1. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
        line = n / along;
        p.x = (int32_t)(n - line * along) + 1;
        p.kind = line < 2 * g->n_edges ? SDD_UV_HALF : SDD_UV_SPOKE;
        p.c = line - 2 * g->n_edges;
        if (p.kind == SDD_UV_HALF)
            sdd_uv_half(a, line, &p);
        return p;
    }
    n -= lines * along;
    p.kind = SDD_UV_INSIDE;
    p.c = n / (along * along); /* NOLINT(clang-analyzer-core.DivideZero) */
    n -= p.c * along * along;
    p.y = (int32_t)(n / along); /* NOLINT(clang-analyzer-core.DivideZero) */
    p.x = (int32_t)n - p.y * (int32_t)along + 1;
    p.y++;
    return p;
}

SDD_FN float sdd_uv_value(const struct grid_uvs_args *a, int32_t width, const struct sdd_uv_location *p, int32_t k)
{
    const float unit = 1.0f / (float)(1 << (a->grid.level - 1)), s = (float)p->x * unit, t = (float)p->y * unit;
    const size_t at = (size_t)p->id * (size_t)width + (size_t)k;
    if (p->kind == SDD_UV_VERTEX)
        return a->uv[at];
    if (p->kind == SDD_UV_FACE)
        return a->face[at];
    if (p->kind == SDD_UV_EDGE)
        return sdd_uv_middle(a, width, p->c, k);
    if (p->kind == SDD_UV_HALF)
        return sdd_mix(a->uv[at], sdd_uv_middle(a, width, p->c, k), s);
    struct sdd_uv_corners q = sdd_uv_corners_of(a, width, p->c, k);
    if (p->kind == SDD_UV_SPOKE)
        return sdd_mix(q.face, q.own, s);
    return sdd_mix(sdd_mix(q.vertex, q.own, s), sdd_mix(q.before, q.face, s), t);
}

SDD_FN void sdd_uv_put(const struct grid_uvs_args *a, uint32_t row)
{
    const struct sdd_uv_location p = sdd_uv_location_of(a, row);
    if (p.kind == SDD_UV_FACE && a->as.format == SDD_ROWS_F32)
        return;
    if (a->width == 2) /* The width is a constant, so what both have in common is read once. */
        sdd_row_out(a->out, &a->as, row, sdd_uv(),
                    sdd_vec3_of(sdd_uv_value(a, 2, &p, 0), sdd_uv_value(a, 2, &p, 1), 0.0f));
    else
        for (int32_t k = 0; k < a->width; k++)
            a->out[(size_t)row * (size_t)a->width + (size_t)k] = sdd_uv_value(a, a->width, &p, k);
}

SDD_FN void r_grid_uvs(int64_t tile, const struct grid_uvs_args *a)
{
    const int64_t low = tile * SDD_LINEAR_EACH, left = a->n - low;
    SDD_EACH (i, left < SDD_LINEAR_EACH ? (int32_t)left : SDD_LINEAR_EACH)
        sdd_uv_put(a, (uint32_t)(low + i));
}

#ifndef __CUDACC__
SDD_FN sdd_wide sdd_uv_wide_middle(const struct grid_uvs_args *a, uint32_t c)
{
    const struct sdd_grid *g = &a->grid;
    return sdd_wide_mix(sdd_wide_pair(a->uv + 2 * (size_t)g->vert[c]),
                        sdd_wide_pair(a->uv + 2 * (size_t)g->vert[sdd_next(&g->faces, c)]), sdd_wide_of(0.5f));
}

/* Does what sdd_uv_line does, for rows of two floats. Up to SDD_LANES - 1 more floats are written. */
SDD_FN void sdd_uv_wide_line(const struct grid_uvs_args *a, uint32_t line, float *values)
{
    const struct sdd_grid *g = &a->grid;
    const int32_t m = 1 << (g->level - 1), spoke = line >= 2 * g->n_edges;
    struct sdd_uv_location p;
    p.id = 0;
    p.c = line - 2 * g->n_edges;
    if (!spoke)
        sdd_uv_half(a, line, &p);
    const float *at = spoke ? a->face + 2 * (size_t)sdd_face(&g->faces, p.c) : a->uv + 2 * (size_t)p.id;
    const sdd_wide from = sdd_wide_pair(at), to = sdd_uv_wide_middle(a, p.c);
    for (int32_t x = 1; x < m; x += SDD_LANES / 2)
        sdd_wide_store(values + 2 * (x - 1), sdd_wide_mix(from, to, sdd_linear_along(x, 1.0f / (float)m)));
}

/* Does what sdd_uv_lines does, for rows of two floats. */
SDD_FN void sdd_uv_wide_lines(const struct grid_uvs_args *a, uint32_t c, struct sdd_linear_lines *l)
{
    const struct sdd_grid *g = &a->grid;
    const int32_t m = 1 << (g->level - 1);
    const sdd_wide vertex = sdd_wide_pair(a->uv + 2 * (size_t)g->vert[c]), own = sdd_uv_wide_middle(a, c);
    const sdd_wide before = sdd_uv_wide_middle(a, sdd_prev(&g->faces, c));
    const sdd_wide face = sdd_wide_pair(a->face + 2 * (size_t)sdd_face(&g->faces, c));
    for (int32_t x = 1; x < m; x += SDD_LANES / 2) {
        const sdd_wide s = sdd_linear_along(x, 1.0f / (float)m), low = sdd_wide_mix(vertex, own, s);
        sdd_wide_store(l->low + 2 * (x - 1), low);
        sdd_wide_store(l->step + 2 * (x - 1), sdd_wide_mix(before, face, s) - low);
    }
}

/* Makes the values along level-1 edge `line`, at x = 1, 2 and so on. */
static inline void sdd_uv_line(const struct grid_uvs_args *a, int32_t width, uint32_t line, float *values)
{
    struct sdd_uv_location p;
    const uint32_t halves = 2 * a->grid.n_edges;
    const int32_t m = 1 << (a->grid.level - 1);
    const float unit = 1.0f / (float)m;
    if (width == 2) {
        sdd_uv_wide_line(a, line, values);
        return;
    }
    p.id = p.c = 0;
    if (line < halves)
        sdd_uv_half(a, line, &p);
    for (int32_t k = 0; k < width; k++) {
        float from, to;
        if (line < halves) {
            from = a->uv[(size_t)p.id * (size_t)width + (size_t)k];
            to = sdd_uv_middle(a, width, p.c, k);
        } else {
            struct sdd_uv_corners q = sdd_uv_corners_of(a, width, line - halves, k);
            from = q.face;
            to = q.own;
        }
        for (int32_t x = 1; x < m; x++)
            values[(x - 1) * width + k] = sdd_mix(from, to, (float)x * unit);
    }
}

/* Makes the lines of level-1 quad c, where t goes from y = 0 to y = m. */
static inline void sdd_uv_lines(const struct grid_uvs_args *a, int32_t width, uint32_t c, struct sdd_linear_lines *l)
{
    const int32_t m = 1 << (a->grid.level - 1);
    const float unit = 1.0f / (float)m;
    if (width == 2) {
        sdd_uv_wide_lines(a, c, l);
        return;
    }
    for (int32_t k = 0; k < width; k++) {
        struct sdd_uv_corners q = sdd_uv_corners_of(a, width, c, k);
        for (int32_t x = 1; x < m; x++) {
            float s = (float)x * unit, low = sdd_mix(q.vertex, q.own, s);
            l->low[(x - 1) * width + k] = low;
            l->step[(x - 1) * width + k] = sdd_mix(q.before, q.face, s) - low;
        }
    }
}

/* Makes rows [low, high), all of which lie on level-1 edges or inside grids. */
static inline void sdd_uv_walk(const struct grid_uvs_args *a, int32_t width, int64_t low, int64_t high,
                               struct sdd_row_stream *s)
{
    const struct sdd_grid *g = &a->grid;
    const int64_t along = ((int64_t)1 << (g->level - 1)) - 1, lines = 2 * (int64_t)g->n_edges + g->n_corners;
    const int64_t firsts = (int64_t)g->n_vertices + g->n_faces + g->n_edges, inside = firsts + lines * along;
    const int64_t batch = sdd_linear_batch(along * width);
    const float unit = 1.0f / (float)(along + 1);
    struct sdd_linear_lines l;
    while (low < high && low < inside) {
        const int64_t line = (low - firsts) / along, first = firsts + line * along;
        const int64_t end = first + along < high ? first + along : high;
        if (end - low == along) {
            sdd_uv_line(a, width, (uint32_t)line, sdd_stream_room(s, (size_t)(low * width), (int32_t)along * width));
        } else {
            sdd_uv_line(a, width, (uint32_t)line, l.low);
            sdd_linear_put(l.low, width, first, low, end, s);
        }
        low = end;
    }
    while (low < high) {
        const int64_t c = (low - inside) / (along * along), first = inside + c * along * along;
        const int64_t end = first + along * along < high ? first + along * along : high;
        sdd_uv_lines(a, width, (uint32_t)c, &l);
        while (low < end) {
            const int64_t y = (low - first) / along, row = first + y * along, whole = (end - low) / along;
            const int64_t n = whole < batch ? whole : batch, last = row + along < end ? row + along : end;
            if (low == row && whole) {
                sdd_linear_whole(&l, unit, y + 1, n, width, along, low, s);
                low += n * along;
            } else {
                sdd_linear_part(&l, (float)(y + 1) * unit, width, row, low, last, s);
                low = last;
            }
        }
    }
}

SDD_FN void k_grid_uvs(int64_t i, const struct grid_uvs_args *a)
{
    const struct sdd_grid *g = &a->grid;
    const int64_t firsts = (int64_t)g->n_vertices + g->n_faces + g->n_edges;
    const int64_t along = ((int64_t)1 << (g->level - 1)) - 1;
    int64_t low = i * SDD_LINEAR_EACH, high = low + SDD_LINEAR_EACH < a->n ? low + SDD_LINEAR_EACH : a->n;
    struct sdd_row_stream s;
    for (; low < high && (low < firsts || !sdd_linear_is_lines(a->width, along)); low++)
        sdd_uv_put(a, (uint32_t)low);
    sdd_stream_open(&s, a->out, a->as, a->width);
    if (a->width == 2) /* The width is a constant from here on. */
        sdd_uv_walk(a, 2, low, high, &s);
    else
        sdd_uv_walk(a, a->width, low, high, &s);
    sdd_stream_close(&s);
}
#endif
#endif
