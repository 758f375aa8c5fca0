/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_matrix.h: subdivision matrices for analysis. They are the matrices that engine subdivision-matrix multiplies the
 * control points with, given out as Matrix Market text. sdd.h says what holds for every call.
 *
 *   sdd_matrix_open -> sdd_matrix_info, sdd_matrix_read ... -> sdd_matrix_close */
#ifndef SDD_SDD_MATRIX_H
#define SDD_SDD_MATRIX_H
#include "sdd.h"

enum sdd_matrix_what { SDD_MATRIX_OF_POINTS, SDD_MATRIX_OF_TANGENT_1, SDD_MATRIX_OF_TANGENT_2 };
struct sdd_matrix_request {
    int level;                /* 1 to SDD_MAX_LEVEL. */
    int surface;              /* A value of enum sdd_surface. */
    int what;                 /* A value of enum sdd_matrix_what; only the limit surface has tangents. */
    int64_t max_bytes;        /* Limit of the text; 0 is no limit. */
    const atomic_int *cancel; /* Once it is not 0 the work stops at the next step; may be NULL. */
};
struct sdd_matrix_info {
    int64_t n_rows, n_columns, n_entries;
    int64_t text_bytes; /* Length of the whole text. */
    int64_t host_bytes; /* Host memory held until the matrix is closed. */
};
/* A copy of a matrix in host memory, read as Matrix Market text. It needs no device and belongs to one thread at a
 * time. */
typedef struct sdd_matrix_text sdd_matrix_text;

/* sdd_matrix_open: copies out the matrix of the points of a level, of their limits, or of the first or second limit
 * tangents. It has a row for each refined vertex in grid order and a column for each control vertex. If the topology
 * does not hold the matrix yet, it is made and kept there, as a refine would.
 * Result  for points, the product with the control points is the positions of sdd_refine up to rounding. For tangents,
 *         the products are parallel to the tangents of sdd_refine but have other lengths; rows of vertices without a
 *         limit mask (proto/README.md, "Wire format") are empty
 * Errors  as sdd_plan_create with engine subdivision-matrix; SDD_EUNSUPPORTED (bilinear has no tangent matrices);
 *         SDD_ETOO_LARGE with field max_bytes, and `needed` exactly or, before any work, as the least that it takes;
 *         SDD_ETOO_LARGE from 2^31 entries on; SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int sdd_matrix_open(sdd_topology *t, const struct sdd_matrix_request *r, sdd_matrix_text **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_matrix_info *sdd_matrix_info(const sdd_matrix_text *m);
/* sdd_matrix_read: writes the next `max` bytes of the text, or all that are left, and returns how many they are; 0 is
 * the end. The text is "coordinate real general": rows and columns are counted from 1, entries come row by row with
 * ascending columns, and every entry's line has the same length. Weights have nine digits, which restore the float
 * exactly. */
size_t sdd_matrix_read(sdd_matrix_text *m, void *out, size_t max);
/* sdd_matrix_close: frees the copy, from any thread. NULL is fine. */
void sdd_matrix_close(sdd_matrix_text *m);

#endif
