/* SPDX-License-Identifier: Apache-2.0 */
/* tab_pairs_wide.h: tab_pairs.h for many points at once, on a CPU: the bits are the same. */
#ifndef SDD_TAB_PAIRS_WIDE_H
#define SDD_TAB_PAIRS_WIDE_H
#include "gpu/kernels/tab_pairs.h"

#define SDD_TAB_WIDE (SDD_TAB_SIDE + 8)

/* Numbers of many points, component by component. */
struct sdd_tab_soa {
    float x[SDD_TAB_WIDE], y[SDD_TAB_WIDE], z[SDD_TAB_WIDE];
};

static inline void sdd_soa_put(struct sdd_tab_soa *to, int32_t i, struct sdd_vec3 p)
{
    to->x[i] = p.x;
    to->y[i] = p.y;
    to->z[i] = p.z;
}

/* Normals of n points from what leads away; both may be read up to the next multiple of eight. unit: or of whatever
 * length they have. */
static inline void sdd_soa_normals(const struct sdd_tab_soa *t1, const struct sdd_tab_soa *t2, int32_t n, int unit,
                                   float *to)
{
    int32_t i = 0;
#ifdef __FMA__
    for (; i < n; i += 8) {
        __m256 ax = _mm256_loadu_ps(t1->x + i), ay = _mm256_loadu_ps(t1->y + i), az = _mm256_loadu_ps(t1->z + i);
        __m256 bx = _mm256_loadu_ps(t2->x + i), by = _mm256_loadu_ps(t2->y + i), bz = _mm256_loadu_ps(t2->z + i);
        __m256 x = _mm256_sub_ps(_mm256_mul_ps(ay, bz), _mm256_mul_ps(az, by));
        __m256 y = _mm256_sub_ps(_mm256_mul_ps(az, bx), _mm256_mul_ps(ax, bz));
        __m256 z = _mm256_sub_ps(_mm256_mul_ps(ax, by), _mm256_mul_ps(ay, bx));
        __m256 square = _mm256_fmadd_ps(z, z, _mm256_fmadd_ps(y, y, _mm256_mul_ps(x, x)));
        __m256 one = unit ? sdd_one_over_root_eight(square) : _mm256_set1_ps(1.0f);
        one = _mm256_and_ps(one, _mm256_cmp_ps(square, _mm256_set1_ps(SDD_TAB_NOTHING), _CMP_GT_OQ));
        float out[24];
        sdd_interleave(_mm256_mul_ps(one, x), _mm256_mul_ps(one, y), _mm256_mul_ps(one, z), out);
        memcpy(to + 3 * i, out, sizeof(float) * 3 * (size_t)(n - i < 8 ? n - i : 8));
    }
#endif
    for (; i < n; i++) {
        struct sdd_vec3 way =
            sdd_tab_cross(sdd_vec3_of(t1->x[i], t1->y[i], t1->z[i]), sdd_vec3_of(t2->x[i], t2->y[i], t2->z[i]));
        sdd_put_vec3(to, (uint32_t)i, unit ? sdd_tab_unit(way) : sdd_tab_way(way));
    }
}

/* The columns of a piece that is not bicubic, as sdd_tab_pair_of takes them, for many points. */
static inline struct sdd_tab_columns_of sdd_tab_columns_seen(const struct tab_normals_args *a, uint32_t piece,
                                                             struct sdd_vec3 *p)
{
    struct sdd_tab_columns_of c = sdd_tab_columns_at(&a->rows, piece);
    float scale = sdd_tab_columns_scale(&a->rows, &c);
    for (int32_t j = 0; j < c.table->n_columns; j++)
        p[j] = sdd_scale(scale, sdd_tab_seen_column(&a->rows, &c, j));
    return c;
}

/* n points of a side of the piece's grid, from (x, y); none of them is one of its corners. */
static inline void sdd_tab_other_line(const struct tab_normals_args *a, uint32_t piece, struct sdd_row_place at,
                                      int32_t step, int64_t row, int64_t n)
{
    struct sdd_vec3 p[SDD_TAB_COLUMNS];
    struct sdd_tab_columns_of c = sdd_tab_columns_seen(a, piece, p);
    int32_t side = (1 << (a->rows.pieces.grid.level - 1)) + 1, points = side * side;
    int64_t first = c.table->table * points + at.y * side + at.x, next = at.y == 0 ? 1 : step * side;
    for (int64_t i = 0; i < n; i++) {
        struct sdd_tab_pair t;
        t.t1 = sdd_tab_column_sum(a->t1 + first + i * next, points, p, c.table->n_columns);
        t.t2 = sdd_tab_column_sum(a->t2 + first + i * next, points, p, c.table->n_columns);
        sdd_tab_put_pair(a, row + i, t);
    }
}

/* The points of line run [low, high), all on one side of one grid. */
static inline void sdd_tab_line_run(const struct tab_normals_args *a, int64_t low, int64_t high)
{
    struct sdd_row_place at = sdd_row_place_of(&a->rows.mesh, a->rows.pieces.grid.level, (uint32_t)low);
    int32_t side = 1 << (a->rows.pieces.grid.level - 1), along_x = at.y == 0, fixed = along_x ? 0 : at.x;
    int32_t t = along_x ? at.x : at.y, step = !along_x && at.x == side ? -1 : 1;
    uint32_t piece = a->rows.where[at.corner];
    if (piece & SDD_TAB_OTHER) {
        sdd_tab_other_line(a, piece & ~SDD_TAB_OTHER, at, step, low - a->rows.first, high - low);
        return;
    }
    struct sdd_sixteen s = sdd_tab_seen(&a->rows.pieces, piece);
    struct sdd_tab_bases of = sdd_tab_bases_of(a, piece);
    struct sdd_tab_line l = sdd_tab_line_of(of, &s, fixed, along_x);
    for (; low < high; low++, t += step)
        sdd_tab_put_pair(a, low - a->rows.first, sdd_tab_line_pair(of, &l, t, along_x));
}

/* Where the points [1, m) of row y of a band go, as far as they are in it: the first of them and how many. */
static inline int32_t sdd_band_part(const struct sdd_band *b, int32_t y, int32_t *x)
{
    int64_t at = sdd_band_row(b, 0, y), low = b->low > at + 1 ? b->low : at + 1;
    int64_t high = b->high < at + b->m ? b->high : at + b->m;
    *x = (int32_t)(low - at);
    return (int32_t)(high - low);
}

static inline void sdd_tab_bicubic_band(const struct tab_normals_args *a, const struct sdd_band *b, uint32_t piece)
{
    struct sdd_sixteen s = sdd_tab_seen(&a->rows.pieces, piece);
    struct sdd_tab_bases of = sdd_tab_bases_of(a, piece);
    struct sdd_tab_soa at[4], away[4], t1, t2;
    for (int32_t x = 1; x < b->m + 8; x++) {
        struct sdd_tab_line l;
        memset(&l, 0, sizeof l);
        if (x < b->m)
            l = sdd_tab_line_of(of, &s, x, 0);
        for (int32_t k = 0; k < 4; k++) {
            sdd_soa_put(at + k, x - 1, l.at[k]);
            sdd_soa_put(away + k, x - 1, l.away[k]);
        }
    }
    for (int32_t y = b->y_low; y < b->y_high; y++) {
        const float *by = of.at[y].s, *dy = of.slope[y].s;
        for (int32_t i = 0; i < (b->m + 6) / 8 * 8; i++) { /* away and at are across x here */
            t1.x[i] = sdd_tab_sum(by, away[0].x[i], away[1].x[i], away[2].x[i], away[3].x[i]);
            t1.y[i] = sdd_tab_sum(by, away[0].y[i], away[1].y[i], away[2].y[i], away[3].y[i]);
            t1.z[i] = sdd_tab_sum(by, away[0].z[i], away[1].z[i], away[2].z[i], away[3].z[i]);
            t2.x[i] = sdd_tab_sum(dy, at[0].x[i], at[1].x[i], at[2].x[i], at[3].x[i]);
            t2.y[i] = sdd_tab_sum(dy, at[0].y[i], at[1].y[i], at[2].y[i], at[3].y[i]);
            t2.z[i] = sdd_tab_sum(dy, at[0].z[i], at[1].z[i], at[2].z[i], at[3].z[i]);
        }
        float row[3 * SDD_TAB_WIDE];
        int32_t x, n = sdd_band_part(b, y, &x);
        sdd_soa_normals(&t1, &t2, b->m - 1, a->rows.pieces.as.format == SDD_ROWS_F32, row);
        memcpy(a->rows.to + 3 * (sdd_band_row(b, x, y) - a->rows.first), row + 3 * (x - 1),
               sizeof(float) * 3 * (size_t)n);
    }
}

static inline void sdd_tab_other_band(const struct tab_normals_args *a, const struct sdd_band *b, uint32_t piece)
{
    struct sdd_vec3 p[SDD_TAB_COLUMNS];
    struct sdd_tab_columns_of c = sdd_tab_columns_seen(a, piece, p);
    int32_t n = c.table->n_columns, side = b->m + 1, some = b->m < 8 ? b->m : 8;
    for (int32_t y = b->y_low; y < b->y_high; y++) {
        int64_t at = c.table->table * side * side + (int64_t)y * side + 1;
        int32_t x, count = sdd_band_part(b, y, &x);
        struct sdd_tab_soa t[2];
        float row[3 * SDD_TAB_WIDE];
        memset(t, 0, sizeof t);
        for (int32_t i = 0; i < b->m; i += some) { /* the side too: whole vectors */
            struct sdd_tab_sums sum[2];
            sdd_tab_two_sums(a->t1 + at + i, a->t2 + at + i, (int64_t)side * side, some, p, n, sum);
            for (int32_t k = 0; k < 2; k++) {
                memcpy(t[k].x + i, sum[k].at[0], sizeof(float) * (size_t)some);
                memcpy(t[k].y + i, sum[k].at[1], sizeof(float) * (size_t)some);
                memcpy(t[k].z + i, sum[k].at[2], sizeof(float) * (size_t)some);
            }
        }
        sdd_soa_normals(t, t + 1, b->m - 1, a->rows.pieces.as.format == SDD_ROWS_F32, row);
        memcpy(a->rows.to + 3 * (sdd_band_row(b, x, y) - a->rows.first), row + 3 * (x - 1),
               sizeof(float) * 3 * (size_t)count);
    }
}
#endif
