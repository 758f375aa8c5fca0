/* SPDX-License-Identifier: Apache-2.0 */
/* table_pieces.dev.h: how the pieces of a mesh are stored and evaluated. A piece is a quad of level 1, named by the
 * corner of the control mesh that it lies at. Pieces with alike surroundings form a class, and all pieces of a class
 * are evaluated by one table: the points of a piece are fixed multiples of the points around it, which are called
 * its columns. A run is a few pieces of one class that a GPU makes together.
 * There are two lists of pieces: those that are bicubic, of which those of regular quads (table_regular.dev.h) come
 * first, and the others, class by class. */
#ifndef SDD_TABLE_PIECES_H
#define SDD_TABLE_PIECES_H
#include "gpu/bspline/basis.h"
#include "gpu/grid/grid_frame.h"
#include "gpu/kernel/rows_out.h"
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"
#include "gpu/engines/tabulated/kernels/table_first.tile.h"

#define SDD_TABLE_REGULAR 16 /* The number of columns of the bicubic class. */
/* The most columns of a class: 2 n + 2 k for a closed ring (class.h), and one more for an open one. */
#define SDD_TABLE_COLUMNS (4 * SDD_TABLE_MAX + 1)
#define SDD_TABLE_GROUP 8      /* The bicubic pieces of a group; a GPU's item has several groups (`each`). */
#define SDD_TABLE_RUN_PIECES 8 /* The most pieces in a run. */
#define SDD_TABLE_FEW 32       /* A class with more columns than this has one piece in each run. */
#define SDD_TABLE_THREADS 256  /* The number of a GPU's threads that make an item. */
/* So many terms are summed by themselves before they are added to the sum so far: long sums lose less this way. */
#define SDD_TABLE_TERMS 8

struct sdd_table_table {
    int64_t first;  /* Where the pieces of the class begin in the list of other pieces. */
    int64_t column; /* Where the columns of these pieces begin. */
    int64_t table;  /* The number of columns of all tables before its own. */
    int32_t n_columns;
};

/* A run: pieces first to first + n - 1 of a class, where their columns begin, and the number of columns of all tables
 * before their own. */
struct sdd_table_run {
    int64_t column, table;
    uint32_t first, of_class;
    int32_t n, n_columns;
} __attribute__((aligned(16)));

/* Set where the location of a piece is in the list of pieces that are not bicubic. */
#define SDD_TABLE_OTHER 0x80000000u
#define SDD_TABLE_CLASS 8 /* The class of a piece that is not bicubic begins at this bit of its `owns`. */

/* A piece: its corner, what it makes (enum sdd_table_owns, and the class if it is not bicubic), and the rows of level 1
 * that are its edge point and its face point. */
struct sdd_table_quad {
    uint32_t corner, owns, edge, face;
} __attribute__((aligned(16)));

/* The pieces and tables of a mesh, and what is to be made of them. */
struct table_points_args {
    struct sdd_grid grid; /* The grid of the last level. */
    const float *control; /* Control rows, of width. */
    const float *from;    /* Rows of level 1, as sdd_table_load reads them. */
    float *to;            /* Rows of the last level, of width or with 16 bits a number. */
    struct sdd_width width;
    struct sdd_rows_as as;
    /* Shape [n_regular]: the bicubic pieces. The n_regular_quads pieces of regular quads come first, the four of a quad
     * in the order of its corners. */
    const struct sdd_table_quad *regular;
    /* Shape [n_regular][16]: control rows for pieces of regular quads, rows of level 1 for others. */
    const uint32_t *regular_column;
    const struct sdd_table_basis *basis; /* Shape [2][m + 1]: for others, then for pieces of regular quads. */
    sdd_table_weights weights;           /* The same numbers, as kernels on a GPU read them. */
    int64_t n_regular, n_regular_quads;
    /* The groups in an item of pieces of regular quads, a multiple of SDD_TABLE_ONCE. An item of other bicubic pieces
     * has SDD_TABLE_ONCE groups. */
    int32_t each;
    const struct sdd_table_run *runs; /* Shape [n_runs]: the runs of the pieces that are not bicubic. */
    const struct sdd_table_table *tables;
    /* The tables of all classes, and then finite numbers for SDD_TABLE_TERMS - 1 more columns, which may be read. */
    const float *table;
    const struct sdd_table_quad *other; /* The pieces that are not bicubic. */
    const uint32_t *column;             /* Their columns. */
    int64_t n_runs;
    int32_t log_each;         /* SDD_TABLE_LOG_POINTS or SDD_TABLE_LOG_NORMALS, whichever the kernel uses. */
    const uint32_t *location; /* Shape [C]: where the piece of each quad of level 1 is (table_locations.k.h). */
    /* The order in which a GPU takes the items (table_order.k.h); NULL if it takes them as they are listed. */
    const uint32_t *order;
    /* The first pass, if it is fused into this launch: items before all others make rows of `from`. This is only done
     * where tiles begin in order (backend.h), so never on a CPU; otherwise it has no rows. */
    struct sdd_first_step first;
    uint32_t *made; /* Counts the finished items of first passes of all launches, modulo 2^32. */
    uint32_t due;   /* The other items wait until *made is this. */
};

/* The base-2 logarithm of how many pieces of a run a GPU's thread makes a point of. Kernels for points alone wait for
 * memory, which more threads hide better. Kernels that make normals too wait for instructions, and threads with more
 * pieces need fewer of them for each point. */
#define SDD_TABLE_LOG_POINTS 1
#define SDD_TABLE_LOG_NORMALS 2

/* The number of bicubic pieces that a GPU's warp makes at once. Together they have 32 columns of points, or 8 and 16 on
 * levels 1 and 2. */
#define SDD_TABLE_ONCE(level) ((level) < 3 ? 8 : 64 >> (level))

/* The table that bicubic piece i uses, out of a pair of them. */
SDD_FN const struct sdd_table_basis *sdd_table_basis_of(const struct table_points_args *a,
                                                        const struct sdd_table_basis *pair, int64_t i)
{
    return i < a->n_regular_quads ? pair + (1 << (a->grid.level - 1)) + 1 : pair;
}

/* The number of points of a table, on m x m cells. They are the points of a piece's grid that it may make, in the order
 * in which they follow each other in memory: inside, row by row; at x = m, from y = m - 1 down; at the bottom, from
 * x = 1 on, with the edge point. Almost all pieces make these m * m points. Then come the vertex, the face point, and
 * the points at x = 0 from y = 1 on. */
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

/* The most pieces of a run of a class with n_columns columns. */
SDD_FN int32_t sdd_table_run_pieces(int32_t n_columns)
{
    return n_columns <= SDD_TABLE_FEW ? SDD_TABLE_RUN_PIECES : 1;
}

/* The table of piece i of those that are not bicubic. */
SDD_FN const struct sdd_table_table *sdd_table_table_of(const struct table_points_args *a, uint32_t i)
{
    return a->tables + (a->other[i].owns >> SDD_TABLE_CLASS);
}

/* The columns of piece i of those that are not bicubic, whose table is k. */
SDD_FN const uint32_t *sdd_table_columns_of(const struct table_points_args *a, const struct sdd_table_table *k,
                                            uint32_t i)
{
    return a->column + k->column + (i - k->first) * k->n_columns;
}
#endif
