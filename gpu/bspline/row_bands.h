/* SPDX-License-Identifier: Apache-2.0 */
/* row_bands.h: any run of rows of a level: first single points, then bands of grids. It serves kernels that make some
 * rows without the others. */
#ifndef SDD_ROW_BANDS_H
#define SDD_ROW_BANDS_H
#include "gpu/bspline/basis.h"
#include "gpu/bspline/boundary_points.h"
#include "gpu/grid/quad_location.h"
#include <string.h>

/* The location of a row: a point in the grid of one of the level-1 quads that contain it. `corner` is SDD_NONE for a
 * control vertex without faces. */
struct sdd_row_location {
    uint32_t corner;
    int32_t x, y;
};

SDD_FN struct sdd_row_location sdd_row_location_of(const struct sdd_control *m, int32_t level, uint32_t row)
{
    struct sdd_quad_location s = sdd_quad_location_of(m, level, row);
    int32_t side = level < 2 ? 1 : 1 << (level - 1);
    struct sdd_row_location r;
    r.corner = s.id;
    r.x = s.x;
    r.y = s.y;
    if (s.kind == SDD_AT_VERTEX) {
        r.corner = m->begin[s.id] < m->end[s.id] ? m->corner[m->begin[s.id]] : SDD_NONE;
    } else if (s.kind == SDD_AT_FACE) {
        r.corner = s.id ? (uint32_t)m->face_end[s.id - 1] : 0;
        r.x = r.y = side;
    } else if (s.kind == SDD_AT_EDGE) {
        r.corner = m->edge_corner[s.id];
        r.x = side;
    } else if (s.kind == SDD_AT_HALF) {
        r.corner = s.a != SDD_NONE ? s.a : s.b;
        r.x = s.a != SDD_NONE ? s.x : 0;
        r.y = s.a != SDD_NONE ? 0 : s.x;
    } else if (s.kind == SDD_AT_SPOKE) {
        r.x = side;
        r.y = side - s.x;
    }
    return r;
}

/* The 4 x 4 points of a bicubic piece in the frame of a grid, 4 j + i with i along x and j along y; its own are those
 * from (x0, y0) to (x0 + side, y0 + side). */
struct sdd_sixteen {
    struct sdd_vec3 p[16];
    int32_t x0, y0, side;
    /* The sides at y0 (bit 0) and x0 (bit 3) beyond which there is no surface (boundary_points.h). Points on such a
     * side are made from the points along it alone. */
    uint32_t open;
};

/* Overwrites the points that lie beyond open sides. `open` has a bit for each of the four sides. */
SDD_FN void sdd_sixteen_extend(struct sdd_sixteen *s, uint32_t open)
{
    const float *p = (const float *)(const void *)s->p;
    int32_t next = sizeof *s->p / sizeof *p, dx, dy;
    for (int32_t k = 0; k < 16; k++, p += next)
        if (sdd_is_boundary_point(open, k, next, &dx, &dy))
            s->p[k] = sdd_vec3_of(sdd_boundary_points(p, dx, dy), sdd_boundary_points(p + 1, dx, dy),
                                  sdd_boundary_points(p + 2, dx, dy));
}

/* Returns the weighted sum of four points in their order. */
SDD_FN struct sdd_vec3 sdd_basis_sum(const float *w, struct sdd_vec3 p0, struct sdd_vec3 p1, struct sdd_vec3 p2,
                                     struct sdd_vec3 p3)
{
    return sdd_fma(w[3], p3, sdd_fma(w[2], p2, sdd_fma(w[1], p1, sdd_scale(w[0], p0))));
}

/* Does the same as sdd_table_across, from points that are not differences yet. */
SDD_FN struct sdd_vec3 sdd_basis_across(const float *w, const struct sdd_vec3 p[4])
{
    return sdd_fma(w[3], sdd_sub(p[3], p[1]),
                   sdd_fma(w[2], sdd_sub(p[2], p[1]), sdd_fma(w[0], sdd_sub(p[0], p[1]), p[1])));
}

/* Does the same as sdd_table_slope, from points that are not differences yet. */
SDD_FN struct sdd_vec3 sdd_basis_slope(const float *w, const struct sdd_vec3 p[4])
{
    return sdd_fma(w[3], sdd_sub(p[3], p[1]), sdd_fma(w[2], sdd_sub(p[2], p[1]), sdd_scale(w[0], sdd_sub(p[0], p[1]))));
}

/* Evaluates the piece at point (x, y) of the grid, along x first, then along y. `basis` has side + 1 entries. */
SDD_FN struct sdd_vec3 sdd_sixteen_point(const struct sdd_sixteen *s, const struct sdd_table_basis *basis, int32_t x,
                                         int32_t y)
{
    const struct sdd_table_basis along = sdd_table_basis_at(basis, x - s->x0, s->open & 8),
                                 across = sdd_table_basis_at(basis, y - s->y0, s->open & 1);
    struct sdd_vec3 q[4];
    for (int32_t b = 0; b < 4; b++)
        q[b] = sdd_basis_sum(along.s, s->p[4 * b], s->p[4 * b + 1], s->p[4 * b + 2], s->p[4 * b + 3]);
    return sdd_basis_across(across.s, q);
}

#ifndef __CUDACC__
/* Returns the number of rows that an item makes. Many items keep all cores busy, but long items share more of what
 * their rows have in common. */
SDD_FN int32_t sdd_rows_each(int64_t n)
{
    int64_t each = n / 256;
    return (int32_t)(each < 256 ? 256 : each > 16384 ? 16384 : each);
}

#define SDD_BAND_SIDE 512 /* The most cells along a grid. */

/* Rows [low, high), which are points inside the grid of level-1 quad `corner`, of m x m cells. Point (x, y) has row
 * inside + (m - 1) y + x. */
struct sdd_band {
    uint32_t corner;
    int64_t low, high, inside;
    int32_t m, y_low, y_high; /* The rows have y in [y_low, y_high). */
};

/* Returns the first row that is a point inside a grid. */
SDD_FN int64_t sdd_first_inside(const struct sdd_control *m, int32_t level)
{
    int64_t along = ((int64_t)1 << (level - 1)) - 1;
    return (int64_t)m->n_vertices + m->n_faces + m->n_edges + (2 * (int64_t)m->n_edges + m->n_corners) * along;
}

/* Returns the band that begins at row `low`, which is inside a grid. It ends with the grid, or at `high`. */
SDD_FN struct sdd_band sdd_band_at(const struct sdd_control *m, int32_t level, int64_t low, int64_t high)
{
    int64_t first = sdd_first_inside(m, level), along = ((int64_t)1 << (level - 1)) - 1, size = along * along;
    int64_t begin = first + (low - first) / size * size;
    struct sdd_band b;
    b.corner = (uint32_t)((low - first) / size);
    b.low = low;
    b.high = high < begin + size ? high : begin + size;
    b.inside = begin - 1 - along;
    b.m = (int32_t)along + 1;
    b.y_low = (int32_t)((b.low - begin) / along) + 1;
    b.y_high = (int32_t)((b.high - 1 - begin) / along) + 2;
    return b;
}

SDD_FN int64_t sdd_band_row(const struct sdd_band *b, int32_t x, int32_t y)
{
    return b->inside + (int64_t)y * (b->m - 1) + x;
}

/* Writes floats [first, first + n) of the sums across four rows of floats, which sdd_table_across takes. */
static inline void sdd_band_floats(const float *w, float (*q)[3 * SDD_BAND_SIDE + 8], int64_t first, int64_t n,
                                   float *to)
{
    int64_t f = 0;
#ifdef __FMA__ /* The stores bypass the caches, because a result is larger than they are. */
    const __m256 before = _mm256_set1_ps(w[0]), after = _mm256_set1_ps(w[2]), last = _mm256_set1_ps(w[3]);
    for (; f < n && ((uintptr_t)(to + f) & 31); f++)
        to[f] = sdd_table_across(w, q[0][first + f], q[1][first + f], q[2][first + f], q[3][first + f]);
    for (; f + 8 <= n; f += 8) {
        __m256 sum = _mm256_fmadd_ps(before, _mm256_loadu_ps(q[0] + first + f), _mm256_loadu_ps(q[1] + first + f));
        sum = _mm256_fmadd_ps(after, _mm256_loadu_ps(q[2] + first + f), sum);
        _mm256_stream_ps(to + f, _mm256_fmadd_ps(last, _mm256_loadu_ps(q[3] + first + f), sum));
    }
#endif
    for (; f < n; f++)
        to[f] = sdd_table_across(w, q[0][first + f], q[1][first + f], q[2][first + f], q[3][first + f]);
}

/* Writes the points of a bicubic piece that are in the band. Row `first` is at `to`. */
static inline void sdd_band_sixteen(const struct sdd_band *b, const struct sdd_sixteen *s,
                                    const struct sdd_table_basis *basis, int64_t first, float *to)
{
    int32_t left = s->x0 > 0 ? s->x0 : 1, right = s->x0 + s->side, top = s->y0 + s->side;
    float q[4][3 * SDD_BAND_SIDE + 8];
    right = right < b->m ? right : b->m;
    top = top < b->y_high ? top : b->y_high;
    for (int32_t row = 0; row < 4; row++)
        for (int32_t x = left; x < right; x++) {
            struct sdd_vec3 sum = sdd_basis_sum(basis[x - s->x0].s, s->p[4 * row], s->p[4 * row + 1], s->p[4 * row + 2],
                                                s->p[4 * row + 3]);
            memcpy(q[row] + 3 * (x - left), &sum, sizeof(float) * 4); /* The next point overwrites the fourth float. */
        }
    for (int32_t f = 0; f < 3 * (right - left); f++)
        q[0][f] -= q[1][f], q[2][f] -= q[1][f], q[3][f] -= q[1][f];
    for (int32_t y = s->y0 > b->y_low ? s->y0 : b->y_low; y < top; y++) {
        int64_t at = sdd_band_row(b, left, y), low = at > b->low ? at : b->low, high = at + right - left;
        high = high < b->high ? high : b->high;
        if (low < high)
            sdd_band_floats(basis[y - s->y0].s, q, 3 * (low - at), 3 * (high - low), to + 3 * (low - first));
    }
}
#endif
#endif
