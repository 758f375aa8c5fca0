/* SPDX-License-Identifier: Apache-2.0 */
/* table_pairs.dev.h: two vectors that lead away from a point of a level, made from the rows of level 1, and the
 * normal and tangents that are made of them, point by point. The points that a piece reads are taken relative to its
 * vertex and scaled by a power of two, so neither the location nor the size of a mesh costs precision, except by the
 * rounding of points beyond open sides.
 * Source  Halstead et al. 1993 */
#ifndef SDD_TABLE_PAIRS_H
#define SDD_TABLE_PAIRS_H
#include "gpu/engines/tabulated/kernels/table_other.dev.h"
#include "gpu/engines/tabulated/kernels/table_rows.tile.h"
#include "gpu/engines/tabulated/kernels/table_unit.dev.h"
#include "gpu/rules/tangents.h"

struct table_normals_args {
    struct table_rows_args rows; /* pieces.basis weighs each vector in the direction that it does not lead in. */
    const struct sdd_table_basis *slope; /* A pair of tables, like basis. */
    sdd_table_weights slopes;            /* The same numbers, as kernels on a GPU read them. */
    const float *t1, *t2;                /* The tables of both vectors, like pieces.table. */
    const uint32_t *shared;
    float *tangents;
    int32_t by_pieces; /* If set, the launch makes all rows except isolated ones, piece by piece, and no tangents. */
};

/* A power of two that brings numbers up to `most` near 1, or as near as a float can. */
SDD_FN float sdd_table_scale(float most)
{
    uint32_t bits, exponent;
    memcpy(&bits, &most, sizeof bits);
    exponent = bits >> 23 & 255;
    bits = (exponent < 4 ? 250u : 254u - exponent) << 23;
    memcpy(&most, &bits, sizeof most);
    return most;
}

SDD_FN float sdd_table_most(struct sdd_vec3 p, float most)
{
    float x = fabsf(p.x), y = fabsf(p.y), z = fabsf(p.z);
    x = x > y ? x : y;
    x = x > z ? x : z;
    return x > most ? x : most;
}

/* The largest size of a coordinate of n points, or 0. */
SDD_FN float sdd_table_most_of(const struct sdd_vec3 *p, int32_t n)
{
#ifdef __CUDACC__
    float most = 0.0f;
    for (int32_t k = 0; k < n; k++)
        most = sdd_table_most(p[k], most);
    return most;
#else
    sdd_lanes most = {0.0f}; /* The largest size of each component. */
    for (int32_t k = 0; k < n; k++) {
        const sdd_lane_bits size = (sdd_lane_bits)p[k].v & 0x7fffffff, more = (sdd_lane_bits)((sdd_lanes)size > most);
        most = (sdd_lanes)((size & more) | ((sdd_lane_bits)most & ~more));
    }
    return sdd_table_most(sdd_vec3_of(most[0], most[1], most[2]), 0.0f);
#endif
}

SDD_FN struct sdd_dvec3 sdd_table_double(struct sdd_vec3 v)
{
    struct sdd_dvec3 d;
    d.x = (double)v.x;
    d.y = (double)v.y;
    d.z = (double)v.z;
    return d;
}

/* Writes the points of a bicubic piece to p, relative to its vertex, or to the vertex of the first piece of its regular
 * quad, and scaled. */
SDD_FN void sdd_table_see_piece(const struct table_points_args *a, uint32_t i, struct sdd_vec3 *p)
{
    const struct sdd_sixteen s = sdd_table_sixteen(a, sdd_xyz(), i);
    const uint32_t rotation = i < a->n_regular_quads ? i % 4 : 0;
    const struct sdd_vec3 from = s.p[rotation == 0 ? 5 : rotation == 1 ? 9 : rotation == 2 ? 10 : 6];
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++)
        p[k] = sdd_sub(s.p[k], from);
    const float scale = sdd_table_scale(sdd_table_most_of(p, SDD_TABLE_REGULAR));
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++)
        p[k] = sdd_scale(scale, p[k]);
}

/* What the vectors at the points of a line are made of, where one coordinate is the same all along the line. These sums
 * across the line serve all of its points. */
struct sdd_table_line {
    struct sdd_vec3 at[4], away[4];
};

/* The tables of a bicubic piece. */
struct sdd_table_bases {
    const struct sdd_table_basis *at, *slope;
};

SDD_FN struct sdd_table_bases sdd_table_bases_of(const struct table_normals_args *a, uint32_t i)
{
    struct sdd_table_bases of;
    of.at = sdd_table_basis_of(&a->rows.pieces, a->rows.pieces.basis, i);
    of.slope = sdd_table_basis_of(&a->rows.pieces, a->slope, i);
    return of;
}

SDD_FN struct sdd_table_line sdd_table_line_of(struct sdd_table_bases of, const struct sdd_vec3 *piece, int32_t fixed,
                                               int32_t along_x)
{
    const float *b = of.at[fixed].s, *d = of.slope[fixed].s;
    int32_t next = along_x ? 1 : 4, across = along_x ? 4 : 1;
    struct sdd_table_line l;
    for (int32_t k = 0; k < 4; k++) {
        const struct sdd_vec3 *p = piece + k * next;
        l.at[k] = sdd_basis_sum(b, p[0], p[across], p[2 * across], p[3 * across]);
        l.away[k] = sdd_basis_sum(d, p[0], p[across], p[2 * across], p[3 * across]);
    }
    return l;
}

/* The vectors that lead away from a point, along x and along y. */
struct sdd_table_pair {
    struct sdd_vec3 t1, t2;
};

SDD_FN struct sdd_table_pair sdd_table_line_pair(struct sdd_table_bases of, const struct sdd_table_line *l, int32_t t,
                                                 int32_t along_x)
{
    const float *b = of.at[t].s, *d = of.slope[t].s;
    struct sdd_vec3 along = sdd_basis_slope(d, l->at), across = sdd_basis_across(b, l->away);
    struct sdd_table_pair r;
    r.t1 = along_x ? along : across;
    r.t2 = along_x ? across : along;
    return r;
}

/* The vectors at point (x, y) of bicubic piece i. For y = 0 the sums across the line y = 0 are made first, otherwise
 * those across the line of points with the same x. On a boundary t1 leads along it with the piece at its left, so the
 * vectors are rotated where only the side x = 0 is a boundary. At a sharp corner both sides are, and they stay as they
 * are. */
SDD_FN struct sdd_table_pair sdd_table_bicubic_pair(const struct table_normals_args *a, uint32_t i, int32_t x,
                                                    int32_t y)
{
    struct sdd_vec3 p[SDD_TABLE_REGULAR];
    sdd_table_see_piece(&a->rows.pieces, i, p);
    struct sdd_table_bases of = sdd_table_bases_of(a, i);
    struct sdd_table_line l = sdd_table_line_of(of, p, y == 0 ? 0 : x, y == 0);
    struct sdd_table_pair t = sdd_table_line_pair(of, &l, y == 0 ? x : y, y == 0);
    uint32_t open = a->rows.pieces.regular[i].owns >> SDD_TABLE_OPEN;
    if (x == 0 && (open & 8) && (y > 0 || !(open & 1))) {
        struct sdd_vec3 inwards = t.t1;
        t.t1 = sdd_scale(-1.0f, t.t2);
        t.t2 = inwards;
    }
    return t;
}

struct sdd_table_columns_seen {
    const struct sdd_table_table *table;
    const uint32_t *column;
    struct sdd_vec3 vertex; /* The point of column 0, to which the others are relative. */
};

SDD_FN struct sdd_table_columns_seen sdd_table_columns_at(const struct table_rows_args *a, uint32_t i)
{
    struct sdd_table_columns_seen c;
    c.table = sdd_table_table_of(&a->pieces, i);
    c.column = sdd_table_columns_of(&a->pieces, c.table, i);
    c.vertex = sdd_table_load(a->pieces.from, c.column[0], 3);
    return c;
}

SDD_FN struct sdd_vec3 sdd_table_seen_column(const struct table_rows_args *a, const struct sdd_table_columns_seen *c,
                                             int32_t j)
{
    return sdd_sub(sdd_table_load(a->pieces.from, c->column[j], 3), c->vertex);
}

SDD_FN float sdd_table_columns_scale(const struct table_rows_args *a, const struct sdd_table_columns_seen *c)
{
    float most = 0.0f;
    for (int32_t j = 1; j < c->table->n_columns; j++)
        most = sdd_table_most(sdd_table_seen_column(a, c, j), most);
    return sdd_table_scale(most);
}

/* Both vectors at (x, y) of a piece that is not bicubic, summed as table_other.dev.h does. */
SDD_FN struct sdd_table_pair sdd_table_pair_of(const struct table_normals_args *a,
                                               const struct sdd_table_columns_seen *c, float scale, int32_t x,
                                               int32_t y)
{
    const int32_t m = 1 << (a->rows.pieces.grid.level - 1);
    const int64_t slots = sdd_table_slots(m), at = c->table->table * slots + sdd_table_slot(m, x, y);
    int32_t n = c->table->n_columns;
    struct sdd_table_pair sum;
    sum.t1 = sum.t2 = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < n; first += SDD_TABLE_TERMS) {
        struct sdd_vec3 p1 = sdd_vec3_of(0.0f, 0.0f, 0.0f), p2 = p1;
        int32_t end = first + SDD_TABLE_TERMS < n ? first + SDD_TABLE_TERMS : n;
        for (int32_t j = first; j < end; j++) {
            struct sdd_vec3 p = sdd_scale(scale, sdd_table_seen_column(&a->rows, c, j));
            p1 = sdd_fma(a->t1[at + j * slots], p, p1);
            p2 = sdd_fma(a->t2[at + j * slots], p, p2);
        }
        sum.t1 = sdd_add(sum.t1, p1);
        sum.t2 = sdd_add(sum.t2, p2);
    }
    return sum;
}

/* The normal, of any length, of a point where the pieces of several corners [begin, end) each contribute their part.
 * The corners are those of the list `corner`, or the numbers themselves if it is NULL. */
SDD_FN struct sdd_vec3 sdd_table_shared_way(const struct table_normals_args *a, const uint32_t *corner, uint32_t begin,
                                            uint32_t end, int32_t at)
{
    struct sdd_vec3 n = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    float scale = 0.0f, own;
    for (uint32_t k = begin; k < end; k++) { /* All parts are scaled alike, as the largest needs it. */
        struct sdd_table_columns_seen c =
            sdd_table_columns_at(&a->rows, a->rows.pieces.location[corner ? corner[k] : k] & ~SDD_TABLE_OTHER);
        own = sdd_table_columns_scale(&a->rows, &c);
        scale = k == begin || own < scale ? own : scale;
    }
    for (uint32_t k = begin; k < end; k++) {
        uint32_t piece = a->rows.pieces.location[corner ? corner[k] : k] & ~SDD_TABLE_OTHER;
        struct sdd_table_columns_seen c = sdd_table_columns_at(&a->rows, piece);
        struct sdd_table_pair t = sdd_table_pair_of(a, &c, scale, at, at);
        n = sdd_add(n, sdd_table_cross(t.t1, t.t2));
    }
    return n;
}

SDD_FN void sdd_table_put_normal(const struct table_normals_args *a, int64_t i, struct sdd_vec3 way)
{
    const struct sdd_rows_as *as = &a->rows.pieces.as;
    if (a->rows.to)
        sdd_row_out(a->rows.to, as, (uint32_t)i, sdd_xyz(),
                    as->format == SDD_ROWS_F32 ? sdd_table_unit(way) : sdd_table_way(way));
}

SDD_FN void sdd_table_put_pair(const struct table_normals_args *a, int64_t i, struct sdd_table_pair t)
{
    struct sdd_vec3 way = sdd_table_cross(t.t1, t.t2);
    sdd_table_put_normal(a, i, way);
    if (a->tangents)
        sdd_put_tangents(a->tangents + 6 * i, t.t1, t.t2, sdd_table_double(sdd_table_unit(way)));
}

SDD_FN void sdd_table_put_shared(const struct table_normals_args *a, int64_t i, struct sdd_vec3 way)
{
    sdd_table_put_normal(a, i, way);
    if (a->tangents)
        sdd_put_basis(a->tangents + 6 * i, sdd_table_double(sdd_table_unit(way)), 1.0);
}

SDD_FN void sdd_table_put_other(const struct table_normals_args *a, int64_t i, uint32_t piece,
                                struct sdd_row_location at)
{
    const struct sdd_control *m = &a->rows.mesh;
    struct sdd_table_columns_seen c = sdd_table_columns_at(&a->rows, piece);
    uint32_t shared = a->shared[c.table - a->rows.pieces.tables], f = sdd_face(&m->faces, at.corner);
    uint32_t v = m->vert[at.corner];
    int32_t side = 1 << (a->rows.pieces.grid.level - 1);
    if (at.x == 0 && at.y == 0 && (shared & 1))
        sdd_table_put_shared(a, i, sdd_table_shared_way(a, m->corner, m->begin[v], m->end[v], 0));
    else if (at.x == side && at.y == side && (shared & 2))
        sdd_table_put_shared(
            a, i, sdd_table_shared_way(a, 0, f ? (uint32_t)m->face_end[f - 1] : 0, (uint32_t)m->face_end[f], side));
    else
        sdd_table_put_pair(a, i, sdd_table_pair_of(a, &c, sdd_table_columns_scale(&a->rows, &c), at.x, at.y));
}

/* Writes row first + i, whatever kind of piece it belongs to. */
SDD_FN void sdd_table_put_row(const struct table_normals_args *a, int64_t i)
{
    struct sdd_row_location at =
        sdd_row_location_of(&a->rows.mesh, a->rows.pieces.grid.level, (uint32_t)(a->rows.first + i));
    uint32_t piece = at.corner == SDD_NONE ? 0 : a->rows.pieces.location[at.corner];
    if (at.corner == SDD_NONE)
        sdd_table_put_shared(a, i, sdd_vec3_of(0.0f, 0.0f, 0.0f));
    else if (piece & SDD_TABLE_OTHER)
        sdd_table_put_other(a, i, piece & ~SDD_TABLE_OTHER, at);
    else
        sdd_table_put_pair(a, i, sdd_table_bicubic_pair(a, piece, at.x, at.y));
}
#endif
