/* SPDX-License-Identifier: Apache-2.0 */
/* triangles.h: makes the points of a level of triangles under Loop from the rows of level 1, piece by piece, for
 * internal.h, which does so for quads. Every piece, also a regular one, is evaluated by the table of its class
 * (tri_class.h). */
#ifndef SDD_TABULATED_TRIANGLES_H
#define SDD_TABULATED_TRIANGLES_H
#include "gpu/engines/tabulated/kernels/table_tri_normals.k.h"
#include "gpu/engines/tabulated/tri_class.h"
#include "gpu/mesh/topology.h"

/* The tables for one level of one surface, refined or limit. All pointers are to device memory, within `memory`. */
struct table_triangles_surface {
    struct device_block memory;
    int level;                 /* The level that the tables are for; 0 if there are none. */
    uint32_t *location;        /* What a GPU needs to find each point of a triangle (sdd_tri_fill_locations). */
    float *table;              /* The tables of points of all classes, one after the other. */
    float *away_table;         /* The tables of tangents likewise; NULL if normals cannot be made. */
    struct sdd_tri_away *away; /* Shape [n_classes], the same; NULL with away_table. */
};

/* The pieces of a control mesh, or of a channel's mesh, and their tables. Zeros say that there is nothing yet. */
struct table_triangles {
    int64_t n_classes;
    int64_t n_columns; /* The columns of all classes together. */
    int64_t n_column;  /* The columns of all pieces together. */
    struct device_block memory;
    struct sdd_float2 *weights;          /* Loop's weights by valence, which make the matrix of the first pass. */
    struct sdd_tri_piece *piece;         /* Shape [4 F]: the class of each piece, and where its columns begin. */
    struct sdd_table_table *classes;     /* Shape [n_classes]. */
    uint32_t *column;                    /* Shape [n_column]: rows of level 1. */
    struct table_tri_class *description; /* Shape [n_classes], in host memory; NULL if there are no pieces yet. */
    struct table_triangles_surface surface[SDD_N_SURFACES]; /* By enum sdd_surface. */
};

/* table_triangles_classify: finds the pieces of the mesh and their classes, and waits for the device. On failure the
 * caller frees what t has by then.
 * Errors  SDD_EUNSUPPORTED (a piece can have no table, too many classes), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_triangles_classify(const sdd_topology *topology, const struct sdd_control *mesh, struct table_triangles *t,
                             struct sdd_error *err) SDD_MUST_CHECK;
/* table_triangles_tables: makes the tables of one level of a surface, with those for normals if `normals` is set, and
 * waits for the device. They replace the surface's tables, unless those serve already.
 * Errors  SDD_EUNSUPPORTED (tables would be too large), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_triangles_tables(sdd_device *d, struct table_triangles *t, int level, int surface, int normals,
                           struct sdd_error *err) SDD_MUST_CHECK;
/* table_triangles_points: the number of rows of the level that the surface has tables for. */
int64_t table_triangles_points(const struct sdd_control *mesh, const struct table_triangles *t, int surface);
/* table_triangles_rows: queues rows [first_row, first_row + n) of the level that the surface has tables for. `first`
 * holds all rows of level 1, as table_first writes them. */
void table_triangles_rows(sdd_device *d, const struct sdd_control *mesh, const struct table_triangles *t, int surface,
                          struct sdd_width width, const float *first, int64_t first_row, int64_t n, float *to,
                          struct sdd_rows_as as);
/* table_triangles_normals: queues the normals to[rows][3] and the tangents [rows][6] of all rows. Either of them, but
 * not both, may be NULL. */
void table_triangles_normals(sdd_device *d, const struct sdd_control *mesh, const struct table_triangles *t,
                             int surface, const float *first, float *to, struct sdd_rows_as as, float *tangents);
int64_t table_triangles_bytes(const struct table_triangles *t); /* Bytes on the device. */
void table_triangles_free(sdd_device *d, struct table_triangles *t);

#endif
