/* SPDX-License-Identifier: Apache-2.0 */
/* basis_table.h: tables of cubic B-spline weights, for the engines whose kernels evaluate bicubic patches. */
#ifndef SDD_TABLE_BASIS_H
#define SDD_TABLE_BASIS_H
#include "gpu/bspline/basis.h"

#define TABLE_BASIS_STEPS 10
enum table_basis_of { TABLE_REFINED, TABLE_LIMIT, TABLE_SLOPE };

/* table_basis: fills out[2^steps + 1] with the weights of four points in a row for each point between the middle two
 * after `steps` subdivisions. By `of` they give the refined point, its limit, or the vector from the point before it to
 * the one after it, times 2^steps. They are computed in double and rounded once.
 * Source: the masks (1, 6, 1) / 8 and (1, 1) / 2 of the uniform cubic B-spline. */
void table_basis(int steps, enum table_basis_of of, struct sdd_table_basis *out);

#endif
