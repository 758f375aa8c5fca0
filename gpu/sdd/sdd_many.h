/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_many.h: many meshes of one topology refined together: a batch, or poses of one mesh. */
#ifndef SDD_SDD_MANY_H
#define SDD_SDD_MANY_H
#include "sdd.h"

#define SDD_MAX_MANY 4096 /* meshes a call */

/* sdd_refine_many: sdd_refine of n meshes of one topology by one request, all of them or none. results[k] is that of
 * meshes[k], bit for bit what sdd_refine gives alone; a mesh may be there more than once. Positions that `tabulated`
 * makes from tables of quads are made of up to 64 meshes in one launch, all else mesh after mesh; the device is waited
 * for once. Of its times each result has an equal share; n_launches are those of the call.
 * Cost    device memory of all results at once: what is needed and what there is are said before any work
 * Errors  SDD_EINVALID (meshes: how many; one that is not of the first's topology), as sdd_refine; all of results are
 *         NULL then, but for a wrong n */
int sdd_refine_many(sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r, sdd_result **results,
                    struct sdd_error *err) SDD_MUST_CHECK;

#endif
