/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDD_TABLE_BASIS_H
#define SDD_TABLE_BASIS_H
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

#define TABLE_BASIS_STEPS 10
enum table_basis_of { TABLE_REFINED, TABLE_LIMIT, TABLE_SLOPE };

/* table_basis: out[2^steps + 1], what to take of four points in a row for those between the middle two, `steps` steps on,
 * for their limits, or for the way from the point before each to the one after it, times 2^steps. In double, rounded
 * once. Source: the masks (1, 6, 1) / 8 and (1, 1) / 2 of the uniform cubic B-spline. */
void table_basis(int steps, enum table_basis_of of, struct sdd_table_basis *out);

#endif
