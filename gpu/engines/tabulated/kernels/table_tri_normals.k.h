/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_normals: makes the normals of a level of triangles under Loop from the rows of level 1, as
 * table_tri_rows makes positions. Each point has one or two pairs of sums for vectors that lead away from it
 * (tri_class.h). Its normal is the sum of the cross products of the pairs, scaled to length 1.
 * Shapes  pieces as in table_tri_rows, but with the table of the pairs, away[n_classes] -> to[n][3] f32 or oct16
 *         (as) and tangents[n][6] f32 of length 1, either of which may be NULL, for all rows of the level
 * Launch  item, as table_tri_rows
 * Cost    that of table_tri_rows, but with a multiply-add a column and float for each of two or four sums
 * Result  The direction of mesh-matrix's normals up to rounding, and zero where there is none.
 * Threads any queue
 * Source  Loop 1987; OpenSubdiv sdc/loopScheme.h */
#ifndef SDD_K_TABLE_TRI_NORMALS_H
#define SDD_K_TABLE_TRI_NORMALS_H
#include "gpu/engines/tabulated/kernels/table_pairs.dev.h"
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"
#ifndef __CUDACC__
#include "gpu/engines/tabulated/kernels/table_tri_wide.dev.h"
#endif

/* What the normals of a class need besides its columns. */
struct sdd_tri_away {
    int64_t table; /* The number of columns of all tables before its own. */
    /* `pairs` counts the pairs of sums. `shared` says whether the normal at the vertex is a sum over all triangles
     * around it. */
    int32_t pairs, shared;
};

struct table_tri_normals_args {
    struct sdd_tri_pieces pieces; /* Their table is that of the pairs. */
    const struct sdd_tri_away *away;
    const float *from;
    float *to, *tangents;
    struct sdd_rows_as as; /* The format of `to`. */
    int64_t n;
    int32_t each, by_triangles; /* by_triangles is set only in launches without tangents. */
};

/* Column j relative to the piece's first one, so that the location of a mesh costs no precision. */
SDD_FN struct sdd_vec3 sdd_tri_way(const struct table_tri_normals_args *a, uint32_t column, int32_t j)
{
    const uint32_t *row = a->pieces.column + column;
    return sdd_sub(sdd_table_load(a->from, row[j], 3), sdd_table_load(a->from, row[0], 3));
}

SDD_FN float sdd_tri_scale(const struct table_tri_normals_args *a, uint32_t piece)
{
    struct sdd_tri_piece p = a->pieces.piece[piece];
    float most = 0.0f;
    for (int32_t j = 1; j < a->pieces.classes[p.class_of].n_columns; j++)
        most = sdd_table_most(sdd_tri_way(a, p.column, j), most);
    return sdd_table_scale(most);
}

/* Sum k of a point, where k is less than twice the number of its pairs. */
SDD_FN struct sdd_vec3 sdd_tri_way_sum(const struct table_tri_normals_args *a, struct sdd_tri_at at, float scale,
                                       int32_t k)
{
    struct sdd_tri_piece piece = a->pieces.piece[at.piece];
    int64_t rows = sdd_tri_table_rows(1 << (a->pieces.level - 1));
    int32_t n = a->pieces.classes[piece.class_of].n_columns;
    const float *w = a->pieces.table + (a->away[piece.class_of].table + k * n) * rows + at.row;
    struct sdd_vec3 sum = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < n; first += SDD_TABLE_TERMS) {
        struct sdd_vec3 part = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        int32_t end = first + SDD_TABLE_TERMS < n ? first + SDD_TABLE_TERMS : n;
        for (int32_t j = first; j < end; j++)
            part = sdd_fma(w[j * rows], sdd_scale(scale, sdd_tri_way(a, piece.column, j)), part);
        sum = sdd_add(sum, part);
    }
    return sum;
}

/* The normal of a point, of any length, and its first pair. */
struct sdd_tri_normal {
    struct sdd_vec3 n, t1, t2;
    int32_t masks; /* Whether t1 and t2 are tangent to the surface. */
};

/* What the normal of a point is as seen from one piece, at `scale`. */
SDD_FN struct sdd_tri_normal sdd_tri_normal_at(const struct table_tri_normals_args *a, struct sdd_tri_at at,
                                               float scale)
{
    struct sdd_tri_normal r;
    r.t1 = sdd_tri_way_sum(a, at, scale, 0);
    r.t2 = sdd_tri_way_sum(a, at, scale, 1);
    r.n = sdd_table_cross(r.t1, r.t2);
    r.masks = 1;
    if (a->away[a->pieces.piece[at.piece].class_of].pairs > 1) {
        struct sdd_vec3 u1 = sdd_tri_way_sum(a, at, scale, 2), u2 = sdd_tri_way_sum(a, at, scale, 3);
        r.masks = u1.x == 0.0f && u1.y == 0.0f && u1.z == 0.0f && u2.x == 0.0f && u2.y == 0.0f && u2.z == 0.0f;
        r.n = sdd_add(r.n, sdd_table_cross(u1, u2));
    }
    return r;
}

/* The normal at a control vertex to which each piece around it contributes. */
SDD_FN struct sdd_tri_normal sdd_tri_shared_normal(const struct table_tri_normals_args *a, uint32_t v)
{
    const struct sdd_control *m = &a->pieces.mesh;
    int32_t h = 1 << (a->pieces.level - 1);
    struct sdd_tri_normal r;
    float scale = 0.0f, own;
    r.n = r.t1 = r.t2 = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    r.masks = 0;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) { /* All parts are scaled alike, as the largest needs it. */
        own = sdd_tri_scale(a, sdd_tri_at_edge(m->corner[k], h, 0).piece);
        scale = k == m->begin[v] || own < scale ? own : scale;
    }
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++)
        r.n = sdd_add(r.n, sdd_tri_normal_at(a, sdd_tri_at_edge(m->corner[k], h, 0), scale).n);
    return r;
}

/* Writes row i, whatever kind of row it is. */
SDD_FN void sdd_tri_put_normal(const struct table_tri_normals_args *a, int64_t i)
{
    struct sdd_tri_at at = sdd_tri_at_row(&a->pieces, (uint32_t)i);
    struct sdd_tri_normal r;
    r.n = r.t1 = r.t2 = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    r.masks = 0;
    if (at.piece != SDD_NONE) {
        if (i < a->pieces.mesh.n_vertices && a->away[a->pieces.piece[at.piece].class_of].shared)
            r = sdd_tri_shared_normal(a, (uint32_t)i);
        else
            r = sdd_tri_normal_at(a, at, sdd_tri_scale(a, at.piece));
    }
    if (a->to)
        sdd_row_out(a->to, &a->as, (uint32_t)i, sdd_xyz(),
                    a->as.format == SDD_ROWS_F32 ? sdd_table_unit(r.n) : sdd_table_way(r.n));
    r.n = sdd_table_unit(r.n);
    if (a->tangents && r.masks)
        sdd_put_tangents(a->tangents + 6 * i, r.t1, r.t2, sdd_table_double(r.n));
    else if (a->tangents)
        sdd_put_basis(a->tangents + 6 * i, sdd_table_double(r.n), 1.0);
}

SDD_FN void r_table_tri_normals(int64_t tile, const struct table_tri_normals_args *a)
{
    const int64_t n = sdd_tri_items(&a->pieces); /* Used only if by_triangles is set. */
    const int64_t low = a->by_triangles ? a->n * tile / n : tile * a->each;
    const int64_t high = a->by_triangles ? a->n * (tile + 1) / n : low + a->each < a->n ? low + a->each : a->n;
    SDD_EACH (k, (int32_t)(high - low))
        sdd_tri_put_normal(a, low + k);
}

#ifndef __CUDACC__
static inline void sdd_tri_see_ways(const void *args, uint32_t piece, struct sdd_tri_seen *s)
{
    const struct table_tri_normals_args *a = args;
    float scale = sdd_tri_scale(a, piece);
    sdd_tri_see(&a->pieces, a->from, sdd_xyz(), piece, s);
    struct sdd_vec3 from = s->p[0];
    for (int32_t j = 0; j < s->n; j++)
        s->p[j] = sdd_scale(scale, sdd_sub(s->p[j], from));
    s->at = a->away[s->class_of].table * sdd_tri_table_rows(1 << (a->pieces.level - 1));
}

static inline void sdd_tri_make_normals(const void *args, const struct sdd_tri_seen *s, int64_t first, int32_t n,
                                        float *rows)
{
    const struct table_tri_normals_args *a = args;
    int64_t points = sdd_tri_table_rows(1 << (a->pieces.level - 1)), next = s->n * points;
    int32_t n_sums = 2 * a->away[s->class_of].pairs;
    const float *w = a->pieces.table + s->at + first;
    float ways[4][3 * SDD_TABLE_PITCH];
    for (int32_t k = 0; k < n_sums; k += 2) {
        const struct sdd_table_part part[2] = {{w + k * next, ways[k], n}, {w + (k + 1) * next, ways[k + 1], n}};
        sdd_table_sums(part, points, s->p, s->n);
    }
    for (int32_t i = 0; i < n; i += SDD_LANES) {
        struct sdd_wide_vec3 way = sdd_wide_cross(sdd_table_soa_load(ways[0] + i), sdd_table_soa_load(ways[1] + i));
        if (n_sums > 2) {
            struct sdd_wide_vec3 u = sdd_wide_cross(sdd_table_soa_load(ways[2] + i), sdd_table_soa_load(ways[3] + i));
            way.x += u.x;
            way.y += u.y;
            way.z += u.z;
        }
        sdd_wide_weave(sdd_wide_unit(way, a->as.format == SDD_ROWS_F32), rows + 3 * i);
    }
}

SDD_FN void k_table_tri_normals(int64_t i, const struct table_tri_normals_args *a)
{
    int64_t low = i * a->each, high = low + a->each < a->n ? low + a->each : a->n;
    for (; low < high && (low < a->pieces.mesh.n_vertices || a->tangents); low++)
        sdd_tri_put_normal(a, low);
    sdd_tri_walk(&a->pieces, a, 0, low, high, a->to, a->as, sdd_xyz(), sdd_tri_see_ways, sdd_tri_make_normals);
}
#endif
#endif
