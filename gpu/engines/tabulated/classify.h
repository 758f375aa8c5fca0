/* SPDX-License-Identifier: Apache-2.0 */
/* classify.h: puts the level-1 quads of a mesh, the pieces, into lists for tables.c: the bicubic ones, and the others
 * by the class of what surrounds them. It also makes the matrix of the first pass, which computes rows of level 1. */
#ifndef SDD_TABULATED_CLASSIFY_H
#define SDD_TABULATED_CLASSIFY_H
#include "gpu/engines/tabulated/internal.h"

/* table_classify: fills the lists of pieces of t and its first pass, for a mesh under Catmull-Clark, and waits for the
 * device. smooth_triangles says whether triangleSubdivisionRule is smooth. On failure the caller frees what t has by
 * then.
 * Cost    scratch of 40 B a corner, 8 B a vertex and a row of level 1, and about 50 B a quad that is not bicubic
 * Errors  SDD_EUNSUPPORTED (a quad can have no table, too many classes), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_classify(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                   struct sdd_error *err) SDD_MUST_CHECK;

int64_t table_first_rows(const struct sdd_control *m); /* The number of rows of level 1 under Catmull-Clark. */

/* The rules that rows of level 1 are made by. */
struct table_first_rule {
    const struct sdd_control *mesh;
    const struct sdd_float2 *weights; /* Loop's weights by valence, in device memory; NULL under Catmull-Clark. */
    int smooth_triangles;             /* Whether triangleSubdivisionRule is smooth; used only under Catmull-Clark. */
};

/* table_first_matrix: makes the matrix of the first pass for rows 0 to t->n_rows - 1 of level 1 under Loop, so rule
 * must have weights. It waits for the device. On failure the caller frees what t has by then.
 * Errors  SDD_EUNSUPPORTED (the matrix would be too large), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_first_matrix(sdd_device *d, const struct table_first_rule *rule, struct tabulated *t,
                       struct sdd_error *err) SDD_MUST_CHECK;

#endif
