/* SPDX-License-Identifier: Apache-2.0 */
/* table_classify.h: the level-1 quads of a mesh in lists: bicubic ones, and others by what surrounds them. */
#ifndef SDD_TABLE_CLASSIFY_H
#define SDD_TABLE_CLASSIFY_H
#include "gpu/engines/tabulated/internal.h"

/* table_classify: fills all of t but its surfaces and waits for it; on failure the caller frees what is there.
 * smooth_triangles: what rows of level 1 are made by.
 * Cost    meanwhile 40 B a corner, 8 B a vertex and a row of level 1, and about 50 B a quad that is not bicubic
 * Errors  SDD_EUNSUPPORTED (a quad without a table, too many forms), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_classify(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                   struct sdd_error *err) SDD_MUST_CHECK;

int64_t table_first_rows(const struct sdd_control *m); /* rows of level 1 */

/* What rows of level 1 are made by: under Loop `weights` by valence, in device memory. */
struct table_first_rule {
    const struct sdd_control *mesh;
    const struct sdd_float2 *weights; /* NULL: Catmull-Clark */
    int smooth_triangles;
};

/* table_first_matrix: what the first t->n_rows rows of level 1 are made of; waits. Errors as above. */
int table_first_matrix(sdd_device *d, const struct table_first_rule *rule, struct tabulated *t,
                       struct sdd_error *err) SDD_MUST_CHECK;

#endif
