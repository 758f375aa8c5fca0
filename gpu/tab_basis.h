/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDD_TAB_BASIS_H
#define SDD_TAB_BASIS_H
#include "gpu/kernels/tab_pieces.h"

#define TAB_BASIS_STEPS 10
/* tab_basis: the points `steps` steps on between the middle two of four, out[2^steps + 1]; limit: the limits of those.
 * In double, rounded once. Source: the masks (1, 6, 1) / 8 and (1, 1) / 2 of the uniform cubic B-spline. */
void tab_basis(int steps, int limit, struct sdd_tab_basis *out);

#endif
