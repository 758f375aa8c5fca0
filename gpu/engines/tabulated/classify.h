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

/* What table_classify and table_update (update.h) share, in the order in which they use it.
 * table_take_pieces: the memory of the lists of pieces, from their numbers in t.
 * table_take_classes: the host's memory of n classes. Returns 0 if there is none.
 * table_take_lists: once the classes are described, the memory of classes, runs and columns, and the first two of them.
 *   heads[n_classes] is where the pieces of each class begin; classes[n_classes], in host memory, gets the classes.
 * table_list_rows: the rows of level 1 that are read, and their terms; waits.
 * Errors  SDD_EUNSUPPORTED (two classes have one key, the matrix is too large), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_take_pieces(sdd_device *d, struct tabulated *t, struct sdd_error *err) SDD_MUST_CHECK;
int table_take_classes(struct tabulated *t, int64_t n) SDD_MUST_CHECK;
int table_take_lists(sdd_device *d, struct tabulated *t, const uint32_t *heads, struct sdd_table_table *classes,
                     struct sdd_error *err) SDD_MUST_CHECK;
struct table_reading {
    int32_t *read, *rank;  /* Shape [V + F + E] each, on the device: flags the rows that are read; scratch. */
    const uint32_t *wrong; /* A word that table_columns marks. */
    void *scan;            /* Scratch for a scan of so many. */
};
int table_list_rows(sdd_device *d, const struct sdd_control *m, int smooth_triangles, struct tabulated *t,
                    const struct table_reading *s, struct sdd_error *err) SDD_MUST_CHECK;

int64_t table_first_rows(const struct sdd_control *m); /* The number of rows of level 1 under Catmull-Clark. */

/* The rules that rows of level 1 are made by. */
struct table_first_rule {
    const struct sdd_control *mesh;
    const struct sdd_float2 *weights; /* Loop's weights by valence, in device memory; NULL under Catmull-Clark. */
    int smooth_triangles;             /* Whether triangleSubdivisionRule is smooth; used only under Catmull-Clark. */
};

/* table_take_rows: the memory of the first pass for t->n_rows rows, but for its terms; `listed` says that these are
 * some rows of level 1, those of a list.
 * table_launch_terms: queues one of the two passes over rows that t makes: the first counts their terms, the second
 * makes them. Under Loop they are rows list[n] of level 1, in device memory; if list is NULL, or under Catmull-Clark,
 * they are the first n. */
int table_take_rows(sdd_device *d, int listed, struct tabulated *t, struct sdd_error *err) SDD_MUST_CHECK;
void table_launch_terms(sdd_device *d, const struct table_first_rule *rule, const struct tabulated *t,
                        const uint32_t *list, int64_t n, struct sdd_matrix_rows to);

/* table_first_matrix: makes the matrix of the first pass for rows 0 to t->n_rows - 1 of level 1 under Loop, so rule
 * must have weights. It waits for the device. On failure the caller frees what t has by then.
 * Errors  SDD_EUNSUPPORTED (the matrix would be too large), SDD_ENO_MEMORY, SDD_EDEVICE */
int table_first_matrix(sdd_device *d, const struct table_first_rule *rule, struct tabulated *t,
                       struct sdd_error *err) SDD_MUST_CHECK;

#endif
