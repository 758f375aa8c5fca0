/* SPDX-License-Identifier: Apache-2.0 */
/* fair.h: the solver of conformal flow, for rooms that let a surface flow otherwise. sdd_fair.h is what users see of
 * this room; what is said there of beginning, reading and ending a flow holds here. */
#ifndef SDD_FAIR_H
#define SDD_FAIR_H
#include "gpu/sdd/sdd_fair.h"

/* fair_shrink: takes an implicit step of mean curvature flow from the present points: (M + t L) p' = M p, by the
 * cotangent Laplacian L and masses M at p, with t = strength area / 4 pi. The rim stays, or with `along` moves first,
 * towards the mean of its neighbours along itself, by strength.
 * Result  the same bits on the CPU and on a GPU, with any number of threads; after an error no points to go on from
 * Errors  SDD_EQUERY with field iterations, where nothing or no more than rounding is left of the surface;
 *         SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE
 * Source  Desbrun et al. 1999 */
int fair_shrink(sdd_fair *f, double strength, int along, struct sdd_error *err) SDD_MUST_CHECK;

#endif
