/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_matrix.h: subdivision matrices for analysis: what engine subdivision-matrix multiplies control points with. */
#ifndef SDD_SDD_MATRIX_H
#define SDD_SDD_MATRIX_H
#include "sdd.h"
#include <stdio.h>

/* sdd_matrix_write: the matrix of the points of a level, or of their limits, as Matrix Market text ("coordinate real
 * general"): a row for each refined vertex in grid order, a column for each control vertex, both counted from 1; row by
 * row, columns ascending, nine digits, which give the float back. Its product with positions is sdd_refine's block but
 * for rounding. It stays with the topology as after a refine; time and host memory go with its entries.
 * Whether all of it could be written, ferror(to) says.
 * Errors  as sdd_plan by that engine; SDD_ETOO_LARGE from 2^31 entries on, SDD_ENO_MEMORY, SDD_EDEVICE */
int sdd_matrix_write(sdd_topology *t, int level, int surface, FILE *to, struct sdd_error *err) SDD_MUST_CHECK;

#endif
