/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDD_TAB_BASIS_H
#define SDD_TAB_BASIS_H
#include "gpu/engines/tabulated/kernels/tab_pieces.dev.h"

#define TAB_BASIS_STEPS 10
enum tab_basis_of { TAB_REFINED, TAB_LIMIT, TAB_SLOPE };

/* tab_basis: out[2^steps + 1], what to take of four points in a row for those between the middle two, `steps` steps on,
 * for their limits, or for the way from the point before each to the one after it, times 2^steps. In double, rounded
 * once. Source: the masks (1, 6, 1) / 8 and (1, 1) / 2 of the uniform cubic B-spline. */
void tab_basis(int steps, enum tab_basis_of of, struct sdd_tab_basis *out);

#endif
