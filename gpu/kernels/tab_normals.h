/* SPDX-License-Identifier: Apache-2.0 */
/* tab_normals: normals of a level from the rows of level 1, as tab_rows makes positions: two sums a point, of what
 * leads away from it in two directions; their cross product, of length 1.
 * Shapes  pieces as in tab_rows, slope[m + 1], t1, t2 as pieces.table, shared[n_classes] u32 (tab_class_shared)
 *         -> to[n][3], tangents[n][6] f32, of length 1; either may be NULL: rows first .. first + n - 1
 * Shape   item: `each` rows, the last perhaps fewer; n items: n / each, rounded up
 * Cost    12 B written a row; of a bicubic piece 256 B read, cached, 39 multiply-adds a float of a row alone, 8 of many;
 *         of others two multiply-adds a column and float
 * Result  the direction of mesh-matrix's normals, but for rounding. All that a piece reads is taken from its vertex and
 *         by a power of two, so neither place nor size of a mesh is lost in rounding; zero where there is no direction
 * Source  Halstead et al. 1993      Threads any queue */
#ifndef SDD_K_TAB_NORMALS_H
#define SDD_K_TAB_NORMALS_H
#include "gpu/kernels/tab_other.h"
#include "gpu/kernels/tab_rows.h"
#include "gpu/kernels/tangents.h"

struct tab_normals_args {
    struct tab_rows_args rows; /* basis: of lines across */
    const struct sdd_tab_basis *slope;
    const float *t1, *t2;
    const uint32_t *shared;
    float *tangents;
};

/* A power of two that brings numbers up to `most` near 1. */
SDD_FN float sdd_tab_scale(float most)
{
    uint32_t bits, exponent;
    memcpy(&bits, &most, sizeof bits);
    exponent = bits >> 23 & 255;
    if (most == 0.0f)
        return 1.0f;
    bits = (exponent < 4 ? 250u : 254u - exponent) << 23;
    memcpy(&most, &bits, sizeof most);
    return most;
}

SDD_FN float sdd_tab_most(struct sdd_vec3 p, float most)
{
    float x = fabsf(p.x), y = fabsf(p.y), z = fabsf(p.z);
    x = x > y ? x : y;
    x = x > z ? x : z;
    return x > most ? x : most;
}

/* Both products are rounded alike, so of vectors along one axis of a symmetry nothing is left. */
SDD_FN struct sdd_vec3 sdd_tab_cross(struct sdd_vec3 a, struct sdd_vec3 b)
{
    return sdd_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* What is left of a product of sums where there is nothing: their rounding, squared. */
#define SDD_TAB_NOTHING 0x1p-36f

/* Of length 1; zero where it has none. */
SDD_FN struct sdd_vec3 sdd_tab_unit(struct sdd_vec3 n)
{
    float square = fmaf(n.z, n.z, fmaf(n.y, n.y, n.x * n.x));
    float one = square > SDD_TAB_NOTHING ? 1.0f / sqrtf(square) : 0.0f;
    return sdd_scale(one, n);
}

SDD_FN struct sdd_dvec3 sdd_tab_double(struct sdd_vec3 v)
{
    struct sdd_dvec3 d;
    d.x = (double)v.x;
    d.y = (double)v.y;
    d.z = (double)v.z;
    return d;
}

/* The points of a bicubic piece as seen from its vertex. */
SDD_FN struct sdd_sixteen sdd_tab_seen(const struct tab_points_args *a, uint32_t i)
{
    struct sdd_sixteen s = sdd_tab_sixteen(a, i);
    struct sdd_vec3 from = s.p[5];
    float most = 0.0f;
    for (int32_t k = 0; k < SDD_TAB_REGULAR; k++) {
        s.p[k] = sdd_sub(s.p[k], from);
        most = sdd_tab_most(s.p[k], most);
    }
    for (int32_t k = 0; k < SDD_TAB_REGULAR; k++)
        s.p[k] = sdd_scale(sdd_tab_scale(most), s.p[k]);
    return s;
}

/* What leads away from points of a line along which one coordinate is the same: the sums across it are made first, as
 * they serve all of them. */
struct sdd_tab_line {
    struct sdd_vec3 at[4], away[4];
};

SDD_FN struct sdd_tab_line sdd_tab_line_of(const struct tab_normals_args *a, const struct sdd_sixteen *s, int32_t fixed,
                                           int32_t along_x)
{
    const float *b = a->rows.pieces.basis[fixed].s, *d = a->slope[fixed].s;
    int32_t next = along_x ? 1 : 4, across = along_x ? 4 : 1;
    struct sdd_tab_line l;
    for (int32_t k = 0; k < 4; k++) {
        const struct sdd_vec3 *p = s->p + k * next;
        l.at[k] = sdd_basis_sum(b, p[0], p[across], p[2 * across], p[3 * across]);
        l.away[k] = sdd_basis_sum(d, p[0], p[across], p[2 * across], p[3 * across]);
    }
    return l;
}

/* What leads away along x and along y. */
struct sdd_tab_pair {
    struct sdd_vec3 t1, t2;
};

SDD_FN struct sdd_tab_pair sdd_tab_line_pair(const struct tab_normals_args *a, const struct sdd_tab_line *l, int32_t t,
                                             int32_t along_x)
{
    const float *b = a->rows.pieces.basis[t].s, *d = a->slope[t].s;
    struct sdd_vec3 along = sdd_basis_sum(d, l->at[0], l->at[1], l->at[2], l->at[3]);
    struct sdd_vec3 across = sdd_basis_sum(b, l->away[0], l->away[1], l->away[2], l->away[3]);
    struct sdd_tab_pair r;
    r.t1 = along_x ? along : across;
    r.t2 = along_x ? across : along;
    return r;
}

/* Sums across x come first, but on the side y = 0. */
SDD_FN struct sdd_tab_pair sdd_tab_bicubic_pair(const struct tab_normals_args *a, uint32_t i, int32_t x, int32_t y)
{
    struct sdd_sixteen s = sdd_tab_seen(&a->rows.pieces, i);
    struct sdd_tab_line l = sdd_tab_line_of(a, &s, y == 0 ? 0 : x, y == 0);
    return sdd_tab_line_pair(a, &l, y == 0 ? x : y, y == 0);
}

/* ---- pieces that are not bicubic -------------------------------------------------------------------------------- */
struct sdd_tab_columns_of {
    const struct sdd_tab_table *table;
    const uint32_t *column;
    struct sdd_vec3 vertex; /* column 0, from which all is seen */
};

SDD_FN struct sdd_tab_columns_of sdd_tab_columns_at(const struct tab_rows_args *a, uint32_t i)
{
    struct sdd_tab_columns_of c;
    c.table = sdd_tab_table_of(a, i);
    c.column = a->pieces.column + c.table->column + (i - c.table->first) * c.table->n_columns;
    c.vertex = sdd_load_point(a->pieces.from, c.column[0]);
    return c;
}

SDD_FN struct sdd_vec3 sdd_tab_seen_column(const struct tab_rows_args *a, const struct sdd_tab_columns_of *c, int32_t j)
{
    return sdd_sub(sdd_load_point(a->pieces.from, c->column[j]), c->vertex);
}

SDD_FN float sdd_tab_columns_scale(const struct tab_rows_args *a, const struct sdd_tab_columns_of *c)
{
    float most = 0.0f;
    for (int32_t j = 1; j < c->table->n_columns; j++)
        most = sdd_tab_most(sdd_tab_seen_column(a, c, j), most);
    return sdd_tab_scale(most);
}

/* Both sums at (x, y), as tab_other.h makes them. */
SDD_FN struct sdd_tab_pair sdd_tab_pair_of(const struct tab_normals_args *a, const struct sdd_tab_columns_of *c,
                                           float scale, int32_t x, int32_t y)
{
    int64_t side = ((int64_t)1 << (a->rows.pieces.grid.level - 1)) + 1, points = side * side;
    int64_t at = c->table->table * points + y * side + x;
    int32_t n = c->table->n_columns;
    struct sdd_tab_pair sum;
    sum.t1 = sum.t2 = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < n; first += SDD_TAB_TERMS) {
        struct sdd_vec3 p1 = sdd_vec3_of(0.0f, 0.0f, 0.0f), p2 = p1;
        int32_t end = first + SDD_TAB_TERMS < n ? first + SDD_TAB_TERMS : n;
        for (int32_t j = first; j < end; j++) {
            struct sdd_vec3 p = sdd_scale(scale, sdd_tab_seen_column(&a->rows, c, j));
            p1 = sdd_fma(a->t1[at + j * points], p, p1);
            p2 = sdd_fma(a->t2[at + j * points], p, p2);
        }
        sum.t1 = sdd_add(sum.t1, p1);
        sum.t2 = sdd_add(sum.t2, p2);
    }
    return sum;
}

/* A corner where the pieces of several corners [begin, end) of the mesh each have their part; corner: the list, NULL:
 * they are their own. */
SDD_FN struct sdd_vec3 sdd_tab_shared_normal(const struct tab_normals_args *a, const uint32_t *corner, uint32_t begin,
                                             uint32_t end, int32_t at)
{
    struct sdd_vec3 n = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    float scale = 1.0f;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t piece = a->rows.where[corner ? corner[k] : k] & ~SDD_TAB_OTHER;
        struct sdd_tab_columns_of c = sdd_tab_columns_at(&a->rows, piece);
        if (k == begin)
            scale = sdd_tab_columns_scale(&a->rows, &c);
        struct sdd_tab_pair t = sdd_tab_pair_of(a, &c, scale, at, at);
        n = sdd_add(n, sdd_tab_cross(t.t1, t.t2));
    }
    return sdd_tab_unit(n);
}

SDD_FN void sdd_tab_put_pair(const struct tab_normals_args *a, int64_t i, struct sdd_tab_pair t)
{
    struct sdd_vec3 n = sdd_tab_unit(sdd_tab_cross(t.t1, t.t2));
    if (a->rows.to)
        sdd_put_vec3(a->rows.to, (uint32_t)i, n);
    if (a->tangents)
        sdd_put_tangents(a->tangents + 6 * i, t.t1, t.t2, sdd_tab_double(n));
}

SDD_FN void sdd_tab_put_shared(const struct tab_normals_args *a, int64_t i, struct sdd_vec3 n)
{
    if (a->rows.to)
        sdd_put_vec3(a->rows.to, (uint32_t)i, n);
    if (a->tangents)
        sdd_put_basis(a->tangents + 6 * i, sdd_tab_double(n), 1.0);
}

SDD_FN void sdd_tab_put_other(const struct tab_normals_args *a, int64_t i, uint32_t piece, struct sdd_row_place at)
{
    const struct sdd_control *m = &a->rows.mesh;
    struct sdd_tab_columns_of c = sdd_tab_columns_at(&a->rows, piece);
    uint32_t shared = a->shared[c.table - a->rows.pieces.tables], f = sdd_face(&m->faces, at.corner);
    uint32_t v = m->vert[at.corner];
    int32_t side = 1 << (a->rows.pieces.grid.level - 1);
    if (at.x == 0 && at.y == 0 && (shared & 1))
        sdd_tab_put_shared(a, i, sdd_tab_shared_normal(a, m->corner, m->begin[v], m->end[v], 0));
    else if (at.x == side && at.y == side && (shared & 2))
        sdd_tab_put_shared(
            a, i, sdd_tab_shared_normal(a, 0, f ? (uint32_t)m->face_end[f - 1] : 0, (uint32_t)m->face_end[f], side));
    else
        sdd_tab_put_pair(a, i, sdd_tab_pair_of(a, &c, sdd_tab_columns_scale(&a->rows, &c), at.x, at.y));
}

/* Row first + i, whatever it is. */
SDD_FN void sdd_tab_put_row(const struct tab_normals_args *a, int64_t i)
{
    struct sdd_row_place at = sdd_row_place_of(&a->rows.mesh, a->rows.pieces.grid.level, (uint32_t)(a->rows.first + i));
    uint32_t piece = at.corner == SDD_NONE ? 0 : a->rows.where[at.corner];
    if (at.corner == SDD_NONE)
        sdd_tab_put_shared(a, i, sdd_vec3_of(0.0f, 0.0f, 0.0f));
    else if (piece & SDD_TAB_OTHER)
        sdd_tab_put_other(a, i, piece & ~SDD_TAB_OTHER, at);
    else
        sdd_tab_put_pair(a, i, sdd_tab_bicubic_pair(a, piece, at.x, at.y));
}

#ifndef __CUDACC__
/* A sum over columns as tab_other.h has it. */
static inline struct sdd_vec3 sdd_tab_column_sum(const float *w, int64_t points, const struct sdd_vec3 *p, int32_t n)
{
    struct sdd_vec3 sum = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < n; first += SDD_TAB_TERMS) {
        struct sdd_vec3 part = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        int32_t end = first + SDD_TAB_TERMS < n ? first + SDD_TAB_TERMS : n;
        for (int32_t j = first; j < end; j++)
            part = sdd_fma(w[j * points], p[j], part);
        sum = sdd_add(sum, part);
    }
    return sum;
}

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

/* Normals of n points from what leads away; both have zeros up to the next multiple of eight. */
static inline void sdd_soa_normals(const struct sdd_tab_soa *t1, const struct sdd_tab_soa *t2, int32_t n, float *to)
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
        __m256 one = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_sqrt_ps(square));
        one = _mm256_and_ps(one, _mm256_cmp_ps(square, _mm256_set1_ps(SDD_TAB_NOTHING), _CMP_GT_OQ));
        float out[24];
        sdd_interleave(_mm256_mul_ps(one, x), _mm256_mul_ps(one, y), _mm256_mul_ps(one, z), out);
        memcpy(to + 3 * i, out, sizeof(float) * 3 * (size_t)(n - i < 8 ? n - i : 8));
    }
#endif
    for (; i < n; i++) {
        struct sdd_vec3 normal = sdd_tab_unit(
            sdd_tab_cross(sdd_vec3_of(t1->x[i], t1->y[i], t1->z[i]), sdd_vec3_of(t2->x[i], t2->y[i], t2->z[i])));
        sdd_put_vec3(to, (uint32_t)i, normal);
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
    struct sdd_tab_line l = sdd_tab_line_of(a, &s, fixed, along_x);
    for (; low < high; low++, t += step)
        sdd_tab_put_pair(a, low - a->rows.first, sdd_tab_line_pair(a, &l, t, along_x));
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
    struct sdd_tab_soa at[4], away[4], t1, t2;
    for (int32_t x = 1; x < b->m + 8; x++) {
        struct sdd_tab_line l;
        memset(&l, 0, sizeof l);
        if (x < b->m)
            l = sdd_tab_line_of(a, &s, x, 0);
        for (int32_t k = 0; k < 4; k++) {
            sdd_soa_put(at + k, x - 1, l.at[k]);
            sdd_soa_put(away + k, x - 1, l.away[k]);
        }
    }
    for (int32_t y = b->y_low; y < b->y_high; y++) {
        const float *by = a->rows.pieces.basis[y].s, *dy = a->slope[y].s;
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
        sdd_soa_normals(&t1, &t2, b->m - 1, row);
        memcpy(a->rows.to + 3 * (sdd_band_row(b, x, y) - a->rows.first), row + 3 * (x - 1),
               sizeof(float) * 3 * (size_t)n);
    }
}

static inline void sdd_tab_other_band(const struct tab_normals_args *a, const struct sdd_band *b, uint32_t piece)
{
    struct sdd_vec3 p[SDD_TAB_COLUMNS];
    struct sdd_tab_columns_of c = sdd_tab_columns_seen(a, piece, p);
    float sum[2][3][SDD_TAB_CHUNK];
    int32_t n = c.table->n_columns, side = b->m + 1;
    for (int32_t y = b->y_low; y < b->y_high; y++) {
        int64_t at = c.table->table * side * side + (int64_t)y * side + 1;
        int32_t x, some = sdd_band_part(b, y, &x);
        struct sdd_tab_soa t[2];
        float row[3 * SDD_TAB_WIDE];
        sdd_tab_other_sums(a->t1 + at, side * side, p, n, b->m, sum[0]); /* the side too: whole vectors */
        sdd_tab_other_sums(a->t2 + at, side * side, p, n, b->m, sum[1]);
        memset(t, 0, sizeof t);
        for (int32_t k = 0; k < 2; k++) {
            memcpy(t[k].x, sum[k][0], sizeof(float) * (size_t)b->m);
            memcpy(t[k].y, sum[k][1], sizeof(float) * (size_t)b->m);
            memcpy(t[k].z, sum[k][2], sizeof(float) * (size_t)b->m);
        }
        sdd_soa_normals(t, t + 1, b->m - 1, row);
        memcpy(a->rows.to + 3 * (sdd_band_row(b, x, y) - a->rows.first), row + 3 * (x - 1),
               sizeof(float) * 3 * (size_t)some);
    }
}

SDD_FN void k_tab_normals(int64_t i, const struct tab_normals_args *a)
{
    const struct sdd_control *m = &a->rows.mesh;
    int32_t level = a->rows.pieces.grid.level;
    int64_t low = a->rows.first + i * a->rows.each, inside = sdd_first_inside(m, level);
    int64_t lines = (int64_t)m->n_vertices + m->n_faces + m->n_edges, along = ((int64_t)1 << (level - 1)) - 1;
    int64_t end = a->rows.first + a->rows.n, high = low + a->rows.each < end ? low + a->rows.each : end;
    for (; low < high && (low < lines || a->tangents); low++)
        sdd_tab_put_row(a, low - a->rows.first);
    while (low < high && low < inside) {
        int64_t last = lines + ((low - lines) / along + 1) * along;
        sdd_tab_line_run(a, low, last < high ? last : high);
        low = last < high ? last : high;
    }
    while (low < high) {
        struct sdd_band b = sdd_band_at(m, level, low, high);
        uint32_t piece = a->rows.where[b.corner];
        if (piece & SDD_TAB_OTHER)
            sdd_tab_other_band(a, &b, piece & ~SDD_TAB_OTHER);
        else
            sdd_tab_bicubic_band(a, &b, piece);
        low = b.high;
    }
}
#endif
#endif
