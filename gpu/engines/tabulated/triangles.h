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
    struct sdd_float2 *weights;  /* Loop's weights by valence, which make the matrix of the first pass. */
    struct sdd_tri_piece *piece; /* Shape [4 F]: the class of each piece, and where its columns begin. */
    /* Shape [n_classes], by their keys. `first` counts the pieces of the classes before; `column` is not used. */
    struct sdd_table_table *classes;
    uint32_t *column;                    /* Shape [n_column]: rows of level 1, piece after piece. */
    struct table_tri_class *description; /* Shape [n_classes], in host memory; NULL if there are no pieces yet. */
    float *words;                        /* Shape [n_classes][SDD_TRI_WORDS], in host memory: the same in numbers. */
    struct table_triangles_surface surface[SDD_N_SURFACES]; /* By enum sdd_surface. */
};

/* table_triangles_classify: finds the pieces of the mesh and their classes, and waits for the device. On failure the
 * caller frees what t has by then.
 * Errors  SDD_EUNSUPPORTED (a piece can have no table, too many classes), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_triangles_classify(const sdd_topology *topology, const struct sdd_control *mesh, struct table_triangles *t,
                             struct sdd_error *err) SDD_MUST_CHECK;
/* What table_triangles_classify and table_update (update.h) share, in the order in which they use it.
 * table_triangles_classes: the host's memory of n classes. Returns 0 if there is none.
 * table_triangles_take: once there are the words of the classes, their descriptions, and the memory of what n pieces
 *   have, with weights and classes in it. heads[n_classes] counts the pieces of the classes before.
 * Errors  SDD_EUNSUPPORTED (too many columns), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_triangles_classes(struct table_triangles *t, int64_t n) SDD_MUST_CHECK;
int table_triangles_take(const sdd_topology *topology, int64_t n, const uint32_t *heads, struct table_triangles *t,
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
/* table_triangles_shed: frees the tables of both surfaces. table_triangles_free: frees all. */
void table_triangles_shed(sdd_device *d, struct table_triangles *t);
void table_triangles_free(sdd_device *d, struct table_triangles *t);

#endif
