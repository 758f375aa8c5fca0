/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: points of a level straight from those of level 1, piece by piece (kernels/table_pieces.h). What
 * surrounds a piece takes few forms; a table a form says which multiples of the points around it make its points.
 * Catmull-Clark, and Loop, whose pieces are triangles (table_triangles.h); not where an edge is semi-sharp under
 * chaikin. */
#ifndef SDD_TABULATED_H
#define SDD_TABULATED_H
#include "gpu/patches/adaptive.h"
#include "gpu/engines/tabulated/kernels/table_batch.dev.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"
#include "gpu/engines/tabulated/class.h"
#include "gpu/engines/tabulated/triangles.h"

#define TABULATED_MAX_LEVEL 6

/* Tables for rows of one level, or for their limits. */
struct tabulated_surface {
    struct device_block memory;
    int level;                             /* 0: none */
    struct sdd_table_basis *basis, *slope; /* pairs, as kernels take them, .. */
    sdd_table_weights weights, slopes;     /* .. and as their arguments have them */
    float *table;
    float *t1, *t2; /* NULL: not for normals */
    uint32_t *shared;
    struct device_block turns[2]; /* of a GPU's items, for points, with normals (table_order.h); NULL: as listed */
    struct adaptive *adaptive;    /* of the control mesh's positions alone; NULL: they were not needed */
};

/* The pieces of a control mesh, or of a channel's, and tables. Zeros: nothing is there yet. */
struct tabulated {
    const sdd_topology *topology;
    struct sdd_control mesh; /* the control mesh, or a channel's */
    int64_t n_regular, n_regular_quads, n_others, n_isolated_rows, n_classes, n_runs, n_columns,
        n_rows; /* n_columns: of all classes */
    struct device_block pieces, lists, rows, terms;
    uint32_t *where;                /* table_locations.h */
    uint32_t *row;                  /* of level 1, that pieces look at (NULL: all), */
    int32_t *row_end;               /* .. and what they are made of     */
    struct sdd_term *term;          /* .. (table_first.h)                 */
    uint32_t *made;                 /* a word: items of first steps that launches of rows have made, .. */
    uint32_t due;                   /* .. and how many of them have been queued */
    struct sdd_table_quad *regular; /* bicubic pieces */
    uint32_t *regular_column;
    struct sdd_table_quad *other; /* others, in the order of classes */
    uint32_t *column;
    struct sdd_table_table *classes;
    struct sdd_table_run *runs;
    uint32_t *lone;                  /* rows without faces, which stay where they are */
    struct table_class *description; /* host, [n_classes] */
    struct sdd_error refused;        /* code: there are no tables for this mesh */
    int ready;
    struct table_triangles triangles;    /* under Loop; no other piece is there then */
    struct tabulated_surface surface[2]; /* enum sdd_surface: the last level that was asked for */
};

/* tabulated_prepare: makes what is missing for rows of `level` of the control mesh (c NULL) or of a channel's, and
 * their normals, keeps it with that mesh, and waits for it. Of each surface the tables of one level are kept, the last
 * that was asked for.
 * Errors  SDD_EUNSUPPORTED (a quad without a table, too many forms, too high a level), SDD_ENO_MEMORY, SDD_EDEVICE */
int tabulated_prepare(const sdd_topology *topology, const struct topology_channel *c, int level, int surface,
                      int normals, struct sdd_error *err) SDD_MUST_CHECK;
/* table_order_items: the items of a GPU in the order of what they write, of launches for points, or with normals; those
 * of regular quads alone are listed in it. Waits. Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int table_order_items(const struct tabulated *t, struct tabulated_surface *of, int normals,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* tabulated_of: what is kept with the mesh; NULL: it was never prepared. */
struct tabulated *tabulated_of(const sdd_topology *topology, const struct topology_channel *c);
/* tabulated_has: are there tables for rows of `level`? And for their normals? Of NULL there are none. */
int tabulated_has(const struct tabulated *t, int level, int surface);
int tabulated_has_normals(const struct tabulated *t, int level, int surface);
/* Rows of meshes of one topology, at most SDD_TABLE_ABREAST: control rows of `width` floats; of those of level 1
 * (tabulated_first_floats), three components at a time (kernels/table_first.h), the ones that pieces look at; rows of
 * what was prepared. */
struct tabulated_batch {
    int n;
    const float *control[SDD_TABLE_ABREAST];
    float *first[SDD_TABLE_ABREAST], *to[SDD_TABLE_ABREAST];
    struct sdd_rows_as as; /* what `to` has; of one mesh, three floats or two */
};
/* tabulated_rows: control rows -> those of level 1, then all rows of what was prepared; where a device can, in one
 * launch. tabulated_first: only those of level 1, for who wants some rows or normals. Both queue. */
int64_t tabulated_first_floats(const struct sdd_control *mesh, int width);
void tabulated_first(const struct tabulated *t, int width, const struct tabulated_batch *c);
void tabulated_rows(struct tabulated *t, int surface, int width, const struct tabulated_batch *c);
/* tabulated_range: rows [first_row, first_row + n_rows) of positions alone, with the bits of the whole; queues. */
void tabulated_range(const struct tabulated *t, int surface, const float *points, const float *first, int64_t first_row,
                     int64_t n_rows, float *to);
/* tabulated_normals: of all rows, [points of the level][3], and tangents [..][6]; either may be NULL; queues. */
void tabulated_normals(const struct tabulated *t, int surface, const float *points, const float *first, float *to,
                       struct sdd_rows_as as, float *tangents);
/* tabulated_points_normals: all positions of one mesh, and its normals, in one launch; queues. Returns 0, and has done
 * nothing, where no kernel makes both: of triangles, and where one of them alone is of 16 bits. */
int tabulated_points_normals(struct tabulated *t, int surface, const struct tabulated_batch *one, float *normals,
                             struct sdd_rows_as normals_as);

#endif
