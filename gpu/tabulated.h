/* SPDX-License-Identifier: Apache-2.0 */
/* tabulated.h: points of a level straight from those of level 1, piece by piece (kernels/tab_pieces.h). What
 * surrounds a piece takes few forms; a table a form says which multiples of the points around it make its points.
 * Catmull-Clark; not where an edge is semi-sharp under chaikin. */
#ifndef SDD_TABULATED_H
#define SDD_TABULATED_H
#include "gpu/kernels/tab_pieces.h"
#include "gpu/tab_class.h"
#include "gpu/topology.h"

#define TABULATED_MAX_LEVEL 6 /* kernels/tab_pieces.h, SDD_TAB_SIDE */

/* The pieces of a control mesh, and tables for one level and surface. Zeros: nothing is there yet. */
struct tabulated {
    int64_t n_regular, n_others, n_classes, n_runs, n_columns; /* n_columns: of all classes together */
    struct topology_part pieces, lists, tables;
    uint32_t *regular, *regular_owns, *regular_column; /* bicubic ones                    */
    uint32_t *other, *owns, *column;                   /* others, in the order of classes */
    struct sdd_tab_table *classes;
    struct sdd_tab_run *runs;
    struct tab_class *description; /* host, [n_classes] */
    int ready, level, limit;       /* of what is in `tables` */
    struct sdd_tab_basis *basis;
    float *table;
};

/* tabulated_prepare: makes what is missing for rows of `level` or their limits; waits. What it had is kept on error.
 * Errors  SDD_ETOO_LARGE (a vertex or a face too large for a table, too many forms), SDD_ENO_MEMORY, SDD_EDEVICE */
int tabulated_prepare(sdd_device *d, const struct sdd_control *mesh, struct tabulated *t, int level, int limit,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* tabulated_run: rows of level 1 -> those of the level that was prepared; queues. */
void tabulated_run(sdd_device *d, const struct sdd_control *mesh, const struct tabulated *t, struct sdd_width width,
                   const float *from, float *to);
void tabulated_free(sdd_device *d, struct tabulated *t);

#endif
