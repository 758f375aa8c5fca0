/* SPDX-License-Identifier: Apache-2.0 */
/* table_pieces.h: the level-1 quads of a mesh, the pieces, as they are evaluated: those of the bicubic class, of which
 * those of whole control quads (table_regular.h) come first, and those of others, class by class. */
#ifndef SDD_TABLE_PIECES_H
#define SDD_TABLE_PIECES_H
#include "gpu/grid/grid_frame.h"
#include "gpu/kernel/rows_out.h"
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"
#include "gpu/engines/tabulated/kernels/table_first.k.h"

#define SDD_TABLE_REGULAR 16 /* columns of the bicubic class */
#define SDD_TABLE_SIDE 32    /* cells along a piece, at most */
#define SDD_TABLE_COLUMNS                                                                                              \
    (4 * SDD_TABLE_MAX + 1)   /* of a class, at most: 2 n + 2 k of closed fans, one more of open ones */
#define SDD_TABLE_GROUP 8     /* bicubic pieces of a GPU's item of table_points, `each` times, .. */
#define SDD_TABLE_TOGETHER 8  /* .. and pieces of another class in a run, at most, .. */
#define SDD_TABLE_FEW 32      /* .. of so many columns; of more each is alone */
#define SDD_TABLE_THREADS 256 /* of a GPU, for an item */
#define SDD_TABLE_TERMS 8     /* of a sum before it is added to those before it: long sums lose less */

struct sdd_table_table {
    int64_t first;  /* its pieces begin there, in the order of classes */
    int64_t column; /* .. and their columns there                      */
    int64_t table;  /* columns of the tables before its own            */
    int32_t n_columns;
};

/* Pieces [first, first + n) of a class, where their columns begin, and columns of the tables before their own. */
struct sdd_table_run {
    int64_t column, table;
    uint32_t first, of_class;
    int32_t n, n_columns;
} __attribute__((aligned(16)));

/* Of a level-1 quad, by its corner: the place of its piece in the list of its kind, .. */
#define SDD_TABLE_OTHER 0x80000000u /* .. of those that are not bicubic; .. */
#define SDD_TABLE_CLASS 8           /* .. in what these make, their class from this bit on */

/* A piece: what it makes (table_ring_quad.h), of one that is not bicubic its class too, and its edge's and face's points, rows
 * of level 1. */
struct sdd_table_quad {
    uint32_t corner, owns, edge, face;
} __attribute__((aligned(16)));

/* The weights of four points in a row. */
struct sdd_table_basis {
    float s[4];
} __attribute__((aligned(16)));

/* A pair of tables of those as numbers in a kernel's arguments, where a GPU's instructions take them from: [m + 1] of
 * pieces on level 1, then of those of whole quads. No struct sdd_table_basis: gcc 12 takes some of an array of aligned
 * structs for padding (DEV_LAUNCH). */
typedef float sdd_table_weights[2][SDD_TABLE_SIDE + 1][4] __attribute__((aligned(16)));

/* Pieces and tables of a mesh, and what they are to make. */
struct table_points_args {
    struct sdd_grid grid; /* of the last level */
    const float *control; /* control rows, of width                          */
    const float *from;    /* .. of level 1, as sdd_table_load reads them       */
    float *to;            /* .. of the last, of width, or in 16 bits         */
    struct sdd_width width;
    struct sdd_rows_as as;
    /* bicubic pieces, n of them, the first n_regular_quads from control rows, a quad's four by their corners, the others from
     * rows of level 1: [n], [n][16], and [2][m + 1]: for the others, for those of whole quads; weights: the same */
    const struct sdd_table_quad *regular;
    const uint32_t *regular_column;
    const struct sdd_table_basis *basis;
    sdd_table_weights weights;
    int64_t n_regular, n_regular_quads;
    int32_t each; /* groups of whole quads' pieces to an item: a multiple of SDD_TABLE_ONCE, of others once as many */
    /* others, in n_runs runs */
    const struct sdd_table_run *runs;
    const struct sdd_table_table *tables;
    const float *table; /* of all classes, and finite numbers for SDD_TABLE_TERMS - 1 columns more */
    const struct sdd_table_quad *other;
    const uint32_t *column;
    int64_t n_runs;
    int32_t log_each;      /* SDD_TABLE_LOG_POINTS or _NORMALS, as the kernel has it */
    const uint32_t *where; /* [C] the piece of each level-1 quad */
    const uint32_t
        *turn; /* the items in the order that a GPU takes them in (table_order.h); NULL: as they are listed */
    /* The first step, where it is of the same launch: rows of `from` that items before all others make; these wait
     * until *made, which counts those of all launches, modulo 2^32, is `due`. Only where tiles begin in order
     * (backend.h), so never on a CPU; else no rows. */
    struct sdd_first_step first;
    uint32_t *made;
    uint32_t due;
};

/* Of how many pieces of a run a GPU's thread makes a point, 2^that. Points alone wait for memory, and more threads wait
 * better; kernels that make normals, too, wait for instructions, of which threads with more pieces have fewer. */
#define SDD_TABLE_LOG_POINTS 1
#define SDD_TABLE_LOG_NORMALS 2

/* Bicubic pieces that a GPU's warp makes at once: 32 columns of points together; on levels 1 and 2, 8 and 16. */
#define SDD_TABLE_ONCE(level) ((level) < 3 ? 8 : 64 >> (level))

/* Of a pair of tables the one that piece i takes. */
SDD_FN const struct sdd_table_basis *sdd_table_basis_of(const struct table_points_args *a,
                                                        const struct sdd_table_basis *pair, int64_t i)
{
    return i < a->n_regular_quads ? pair + (1 << (a->grid.level - 1)) + 1 : pair;
}

/* Weights of points at place i of 0 .. m along a piece; open: there is nothing beyond place 0, whose points are then
 * those of the side to the bit, whatever is further in. */
SDD_FN struct sdd_table_basis sdd_table_basis_at(const struct sdd_table_basis *basis, int32_t i, uint32_t open)
{
    struct sdd_table_basis w = basis[i];
    if (i == 0 && open) {
        w.s[0] = w.s[2] = w.s[3] = 0.0f;
        w.s[1] = 1.0f;
    }
    return w;
}

/* Points of a table, on m x m cells: those of the piece's grid that it may make, as they follow each other in memory:
 * inside, row by row; at x = m, from y = m - 1 down; at the bottom from x = 1 on, with the edge's point. Of these, the
 * first m * m, almost all pieces make all. Then the vertex', the face's, and those at the left from y = 1 on. */
SDD_FN int32_t sdd_table_slots(int32_t m)
{
    return m * m + m + 1;
}

SDD_FN int32_t sdd_table_slot(int32_t m, int32_t x, int32_t y)
{
    if (x == 0)
        return m * m + (y == 0 ? 0 : y + 1);
    if (y == 0)
        return m * (m - 1) + x - 1;
    if (x == m)
        return y == m ? m * m + 1 : m * (m - 1) - y;
    return (y - 1) * (m - 1) + x - 1;
}

/* Pieces of a run, at most. */
SDD_FN int32_t sdd_table_together(int32_t n_columns)
{
    return n_columns <= SDD_TABLE_FEW ? SDD_TABLE_TOGETHER : 1;
}

/* The table of piece i of the others, and its columns. */
SDD_FN const struct sdd_table_table *sdd_table_table_of(const struct table_points_args *a, uint32_t i)
{
    return a->tables + (a->other[i].owns >> SDD_TABLE_CLASS);
}

SDD_FN const uint32_t *sdd_table_columns_of(const struct table_points_args *a, const struct sdd_table_table *k,
                                            uint32_t i)
{
    return a->column + k->column + (i - k->first) * k->n_columns;
}

/* The products of a bicubic point along x in their order. */
SDD_FN float sdd_table_sum(const float *w, float a, float b, float c, float d)
{
    return fmaf(w[3], d, fmaf(w[2], c, fmaf(w[1], b, w[0] * a)));
}

/* Across, along y, it is made of the second of four such sums and of how the others differ from it, which serve many
 * points: weights of a point add up to 1, but for rounding, so the second one is not needed, and it is a product less;
 * .. */
SDD_FN float sdd_table_across(const float *w, float before, float at, float after, float last)
{
    return fmaf(w[3], last, fmaf(w[2], after, fmaf(w[0], before, at)));
}

/* .. those of a slope to 0. */
SDD_FN float sdd_table_slope(const float *w, float before, float after, float last)
{
    return fmaf(w[3], last, fmaf(w[2], after, w[0] * before));
}
#endif
