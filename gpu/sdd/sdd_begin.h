/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_begin.h: results whose blocks come to host memory piece by piece, for who sends them meanwhile. */
#ifndef SDD_SDD_BEGIN_H
#define SDD_SDD_BEGIN_H
#include "sdd.h"

/* sdd_refine_begin: sdd_refine without the way of the blocks to host memory: the result is whole, with its digests, but
 * its blocks hold nothing yet. Until they do it keeps the device memory of the run. Errors as sdd_refine. */
int sdd_refine_begin(sdd_mesh *m, const struct sdd_refine_request *r, sdd_result **out,
                     struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_result_bring: `bytes` more of the blocks, in their order, or what is left; waits for them. *left: of all blocks;
 * 0 at once where kernels work on host memory, and of results that were not begun so.
 * Errors  SDD_EDEVICE, SDD_ENO_MEMORY; what had come is there, and nothing more */
int sdd_result_bring(sdd_result *r, int64_t bytes, int64_t *left, struct sdd_error *err) SDD_MUST_CHECK;

#endif
