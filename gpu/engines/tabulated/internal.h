/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: makes the points of a level straight from the rows of level 1, piece by piece, for engine.c. A piece is a
 * quad of level 1 (kernels/table_pieces.dev.h), or a triangle of it under Loop (triangles.h). The surroundings of a
 * piece fall into few classes, and a table for each class says which multiples of the points around the piece make its
 * points. tables.c makes the tables and rows.c makes rows with them; after an edit, pieces and tables come from those
 * of the older mesh (update.h). This serves Catmull-Clark and Loop, unless an edge is semi-sharp under creaseMethod
 * chaikin.
 *
 * Threads  one at a time for each device: what is kept has no locks of its own. */
#ifndef SDD_TABULATED_INTERNAL_H
#define SDD_TABULATED_INTERNAL_H
#include "gpu/patches/adaptive.h"
#include "gpu/engines/tabulated/kernels/table_batch.dev.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"
#include "gpu/engines/tabulated/class.h"
#include "gpu/engines/tabulated/triangles.h"

#define TABULATED_MAX_LEVEL 6

/* The tables for one level of one surface, refined or limit. The arrays are in device memory, within `memory`. */
struct tabulated_surface {
    struct device_block memory;
    int level; /* The level that the tables are for; 0 if there are none. */
    /* Shape [2][m + 1]: the weights of bicubic points and those of their slopes, for bicubic pieces and then for
     * regular quads. */
    struct sdd_table_basis *basis, *slope;
    sdd_table_weights weights, slopes; /* The same numbers in host memory, for the arguments of kernels. */
    float *table;                      /* The tables of points of all classes, one after the other. */
    float *t1, *t2;                    /* The tables of tangents likewise; t1 is NULL if normals cannot be made. */
    uint32_t *shared;                  /* Shape [n_classes], only with t1: what table_class_shared says. */
    /* The order in which a GPU takes its items (table_order.k.h), of launches for points and of launches with normals.
     * Without memory it takes them as they are listed. */
    struct device_block order[2];
    struct adaptive *adaptive; /* Patches for positions, where there can be no tables; NULL if they were not needed. */
};

/* The pieces of a control mesh, or of a channel's mesh, and their tables. Zeros say that there is nothing yet. The
 * arrays are in device memory unless their comment says otherwise. */
struct tabulated {
    const sdd_topology *topology;
    struct sdd_control mesh; /* The control mesh, or the mesh of a channel. */
    int64_t n_regular;       /* The number of bicubic pieces. */
    int64_t n_regular_quads; /* How many of these belong to regular quads; they come first in the list. */
    int64_t n_others;        /* The number of pieces that are not bicubic. */
    int64_t n_isolated_rows; /* The number of vertices without faces. */
    int64_t n_classes;
    int64_t n_runs;
    int64_t n_columns; /* The columns of all classes together. */
    int64_t n_column;  /* The columns of all pieces together that are not bicubic. */
    int64_t n_rows;    /* The number of rows of level 1 that the first pass makes. */
    /* The memory of the arrays below: of those that list pieces, of those by class, and of the first pass. */
    struct device_block pieces, lists, rows, terms;
    uint32_t *location;    /* Shape [C]: where each piece is in its list (table_locations.k.h). */
    uint32_t *row;         /* Shape [n_rows]: the rows of level 1 that pieces read; NULL for rows 0 to n_rows - 1. */
    int32_t *row_end;      /* Shape [n_rows]: where the terms of each of these rows end. */
    struct sdd_term *term; /* The terms of the rows: the matrix of the first pass (table_first.tile.h). */
    /* `made` is one word that counts, modulo 2^32, the finished items of first passes that were fused into launches.
     * `due` is what it will be when all items that are queued have been finished. */
    uint32_t *made;
    uint32_t due;
    struct sdd_table_quad *regular;   /* Shape [n_regular]. */
    uint32_t *regular_column;         /* Shape [n_regular][SDD_TABLE_REGULAR]. */
    struct sdd_table_quad *other;     /* Shape [n_others], in the order of their classes. */
    uint32_t *column;                 /* The columns of these, piece after piece. */
    struct sdd_table_table *classes;  /* Shape [n_classes]. */
    struct sdd_table_run *runs;       /* Shape [n_runs]. */
    uint32_t *isolated;               /* Shape [n_isolated_rows]: these rows stay where they are on every level. */
    struct table_class *description;  /* Shape [n_classes], in host memory. */
    float *words;                     /* Shape [n_classes][SDD_TABLE_WORDS], in host memory: the same in numbers. */
    struct sdd_error refused;         /* If it has a code, this mesh can have no tables; it says why. */
    int ready;                        /* 1 once the pieces have been classified. */
    struct table_triangles triangles; /* The pieces under Loop, where there are no others. */
    struct tabulated_surface surface[SDD_N_SURFACES]; /* By enum sdd_surface. */
    /* After an edit, what the older mesh has, until this one is ready; NULL if there is nothing to begin with. */
    struct table_seed *seed;
    int is_updated;  /* Whether the pieces were made from those of an older mesh. */
    int n_seeds;     /* How many seeds hold this one. */
    int is_orphaned; /* 1 once seeds alone hold it. */
};

/* tabulated_prepare: makes what is missing to make rows of `level`, and their normals if `normals` is set, for the
 * control mesh (c is NULL) or the mesh of a channel. It keeps that with the mesh and waits for the device. Each surface
 * keeps the tables of one level, the last that was asked for.
 * Errors  SDD_EUNSUPPORTED (a piece can have no table, too many classes, too high a level), SDD_ENO_MEMORY,
 *         SDD_EDEVICE */
int tabulated_prepare(const sdd_topology *topology, const struct topology_channel *c, int level, int surface,
                      int normals, struct sdd_error *err) SDD_MUST_CHECK;
/* table_order_items: sorts the items of a GPU by where they write, for launches for points or, if `normals` is set, for
 * launches with normals. It does nothing if that has been done, on a device that does not begin items in order, or if
 * all pieces belong to regular quads, which are listed in this order. It waits for the device.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int table_order_items(const struct tabulated *t, struct tabulated_surface *of, int normals,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* tabulated_of: what is kept with the mesh, or NULL if it was never prepared. */
struct tabulated *tabulated_of(const sdd_topology *topology, const struct topology_channel *c);
/* tabulated_free: frees it; it has no seed. tabulated_bytes: its device bytes. */
void tabulated_free(sdd_device *d, struct tabulated *t);
int64_t tabulated_bytes(const struct tabulated *t);
/* tabulated_has: whether there are tables for rows of `level`; tabulated_has_normals asks the same for their normals.
 * For NULL there are none. */
int tabulated_has(const struct tabulated *t, int level, int surface);
int tabulated_has_normals(const struct tabulated *t, int level, int surface);
/* The rows of up to SDD_TABLE_BATCH meshes of one topology, in device memory. */
struct tabulated_batch {
    int n;                                 /* The number of meshes. */
    const float *control[SDD_TABLE_BATCH]; /* The control rows of each mesh, of `width` floats. */
    /* Scratch of tabulated_first_floats for each mesh. It takes the rows of level 1 that pieces read, three floats of
     * all rows at a time (table_first.tile.h). */
    float *first[SDD_TABLE_BATCH];
    float *to[SDD_TABLE_BATCH]; /* Where the rows of the level go. */
    /* The format of `to`. One of 16 bits is allowed for a single mesh, with rows of three floats or two. */
    struct sdd_rows_as as;
};
/* tabulated_rows: queues the rows of level 1 and then all rows of the level that was prepared, in one launch where a
 * device can. tabulated_first: queues only those of level 1, for a caller that then wants a range of rows, or
 * normals. */
int64_t tabulated_first_floats(const struct sdd_control *mesh, int width);
void tabulated_first(const struct tabulated *t, int width, const struct tabulated_batch *c);
void tabulated_rows(struct tabulated *t, int surface, int width, const struct tabulated_batch *c);
/* tabulated_range: queues rows [first_row, first_row + n_rows) of positions, with the same bits as in all rows. `first`
 * holds what tabulated_first made of `points`. */
void tabulated_range(const struct tabulated *t, int surface, const float *points, const float *first, int64_t first_row,
                     int64_t n_rows, float *to);
/* tabulated_normals: queues the normals to[points of the level][3] and the tangents [points of the level][6] of all
 * rows. Either of them, but not both, may be NULL. `first` holds what tabulated_first made of `points`. */
void tabulated_normals(const struct tabulated *t, int surface, const float *points, const float *first, float *to,
                       struct sdd_rows_as as, float *tangents);
/* tabulated_points_normals: queues all positions of one mesh and all its normals, in one launch, and returns 1. Where
 * no kernel makes both (of triangles, or if only one of them is of 16 bits), it does nothing and returns 0. */
int tabulated_points_normals(struct tabulated *t, int surface, const struct tabulated_batch *one, float *normals,
                             struct sdd_rows_as normals_as);

#endif
