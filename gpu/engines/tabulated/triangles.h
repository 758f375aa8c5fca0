/* SPDX-License-Identifier: Apache-2.0 */
/* triangles.h: points of a level of triangles under Loop straight from those of level 1: as internal.h, which
 * asks it, has those of quads. Every piece goes by a table of its class (tri_class.h), also where nothing is
 * irregular. */
#ifndef SDD_TABLE_TRIANGLES_H
#define SDD_TABLE_TRIANGLES_H
#include "gpu/engines/tabulated/kernels/table_tri_normals.k.h"
#include "gpu/engines/tabulated/tri_class.h"
#include "gpu/mesh/topology.h"

/* Tables for rows of one level, or for their limits. */
struct table_triangles_surface {
    struct device_block memory;
    int level;       /* 0: none */
    uint32_t *place; /* as a GPU looks points up */
    float *table;
    float *away_table; /* NULL: not for normals */
    struct sdd_tri_away *away;
};

/* The pieces of a control mesh, or of a channel's, and tables. Zeros: nothing is there yet. */
struct table_triangles {
    int64_t n_classes, n_columns, n_column; /* columns of all classes together, of all pieces */
    struct device_block memory;
    struct sdd_float2 *weights; /* Loop's by valence: the matrix of the first step is made by them */
    struct sdd_tri_piece *piece;
    struct sdd_table_table *classes;
    uint32_t *column;
    struct table_tri_class *description; /* host, [n_classes]; NULL: there are no pieces yet */
    struct table_triangles_surface surface[2];
};

/* table_triangles_classify: the pieces of the mesh; waits.
 * Errors  SDD_EUNSUPPORTED (a piece without a table, too many forms), SDD_ENO_MEMORY, SDD_EDEVICE; the caller frees */
int table_triangles_classify(const sdd_topology *topology, const struct sdd_control *mesh, struct table_triangles *t,
                             struct sdd_error *err) SDD_MUST_CHECK;
/* table_triangles_tables: for rows of `level`, and their normals, in place of those that are there, unless they have it
 * all; waits. Errors as above. */
int table_triangles_tables(sdd_device *d, struct table_triangles *t, int level, int surface, int normals,
                           struct sdd_error *err) SDD_MUST_CHECK;
/* table_triangles_points: how many rows there are of what there are tables for. */
int64_t table_triangles_points(const struct sdd_control *mesh, const struct table_triangles *t, int surface);
/* table_triangles_rows: rows [first_row, first_row + n) of what there are tables for, from rows of level 1; queues. */
void table_triangles_rows(sdd_device *d, const struct sdd_control *mesh, const struct table_triangles *t, int surface,
                          struct sdd_width width, const float *first, int64_t first_row, int64_t n, float *to,
                          struct sdd_rows_as as);
/* table_triangles_normals: of all rows, [..][3], and tangents [..][6]; either may be NULL; queues. */
void table_triangles_normals(sdd_device *d, const struct sdd_control *mesh, const struct table_triangles *t,
                             int surface, const float *first, float *to, struct sdd_rows_as as, float *tangents);
int64_t table_triangles_bytes(const struct table_triangles *t); /* on the device */
void table_triangles_free(sdd_device *d, struct table_triangles *t);

#endif
