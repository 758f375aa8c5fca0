/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_matrix.h: subdivision matrices for analysis: what engine subdivision-matrix multiplies control points with.
 *
 *   sdd_matrix_open -> sdd_matrix_info, sdd_matrix_read ... -> sdd_matrix_close */
#ifndef SDD_SDD_MATRIX_H
#define SDD_SDD_MATRIX_H
#include "sdd.h"

enum sdd_matrix_what { SDD_MATRIX_OF_POINTS, SDD_MATRIX_OF_TANGENT_1, SDD_MATRIX_OF_TANGENT_2 };
struct sdd_matrix_request {
    int level, surface, what; /* enum sdd_surface; enum sdd_matrix_what, tangents of the limit surface alone */
    int64_t max_bytes;        /* of the text; 0: no limit                               */
    const atomic_int *cancel; /* non-zero: stop at the next step; may be NULL           */
};
struct sdd_matrix_info {
    int64_t n_rows, n_columns, n_entries;
    int64_t text_bytes, host_bytes; /* host: held until it is closed */
};
/* A copy in host memory, read as Matrix Market text. It needs no device, and belongs to one thread at a time. */
typedef struct sdd_matrix_text sdd_matrix_text;

/* sdd_matrix_open: the matrix of the points of a level, of their limits, or of the first or second limit tangents: a
 * row for each refined vertex in grid order, a column for each control vertex. Points: its product with the control
 * points is sdd_refine's block but for rounding. Tangents: the products are along the block's, of other lengths; rows
 * without a mask (proto/README.md, "Wire format") are empty. Made, and kept with the topology, as by a refine.
 * Errors  as sdd_plan by engine subdivision-matrix; SDD_EUNSUPPORTED: bilinear has no tangents; SDD_ETOO_LARGE with
 *         field max_bytes and `needed`, exactly or, before any work, what it takes at least; SDD_ETOO_LARGE from 2^31
 *         entries on, SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int sdd_matrix_open(sdd_topology *t, const struct sdd_matrix_request *r, sdd_matrix_text **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_matrix_info *sdd_matrix_info(const sdd_matrix_text *m);
/* sdd_matrix_read: what comes next of the text, `max` bytes or all that is left: "coordinate real general", rows and
 * columns counted from 1, row by row, columns ascending, lines of one length. Weights have nine digits, which give the
 * float back. */
size_t sdd_matrix_read(sdd_matrix_text *m, void *out, size_t max);
void sdd_matrix_close(sdd_matrix_text *m); /* any thread; NULL is fine */

#endif
