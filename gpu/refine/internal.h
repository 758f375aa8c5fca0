/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: the engine table, and what refines along with the positions: UVs, primvars, the parent of each face. All
 * engines give the same there. For this room alone, whose door is gpu/sdd/sdd.h. */
#ifndef SDD_REFINE_INTERNAL_H
#define SDD_REFINE_INTERNAL_H
#include "gpu/engine_api/engine_api.h"
#include "gpu/engine_api/result.h"

extern const struct engine *const sdd_engines[]; /* in order of preference; ends with NULL */

/* primvars_check: is all there that the request asks for?
 * Errors  SDD_EINVALID (no such primvar, no UVs) */
int primvars_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_add_blocks: those of UVs, primvars and face params; p has the counts of the refined mesh. */
void primvars_add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *p);
/* primvars_most_rows: of the longest block that indices go to. */
int64_t primvars_most_rows(const sdd_topology *t, const struct sdd_refine_request *r);
/* primvars_index: the faces over a grid of the refined mesh; rows NULL: none. Not under sqrt3. */
void primvars_index(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n);
/* primvars_prepare: has the engine make what it refines rows of values with; errors as its own. */
int primvars_prepare(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r,
                     struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_direct: which of the blocks that are to be compact (enum sdd_include) are made as such by any engine. */
int primvars_direct(const sdd_topology *t);
/* primvars_scratch: exact bytes that primvars_run works in, free of what the engine had there. */
int64_t primvars_scratch(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r);
/* primvars_run: queues what makes those blocks; UVs under sqrt3 are the engine's.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int primvars_run(const sdd_mesh *m, const struct engine *e, const struct sdd_refine_request *r,
                 const struct sdd_plan *p, const struct result_layout *lay, void *scratch,
                 struct sdd_error *err) SDD_MUST_CHECK;

#endif
