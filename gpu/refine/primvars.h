/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.h: what refines along with the positions: UVs, primvars, the parent of each face. It belongs to no engine:
 * all engines give the same. Shared inside gpu/. */
#ifndef SDD_PRIMVARS_H
#define SDD_PRIMVARS_H
#include "gpu/mesh/mesh.h"
#include "gpu/engine_api/result.h"

/* primvars_check: is all there that the request asks for?
 * Errors  SDD_EINVALID (no such primvar, no UVs) */
int primvars_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_add_blocks: those of UVs, primvars and face params; p has the counts of the refined mesh. */
void primvars_add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *p);
/* primvars_most_rows: of the longest block that indices go to. */
int64_t primvars_most_rows(const sdd_topology *t, const struct sdd_refine_request *r);
/* primvars_index: the faces over a grid of the refined mesh; rows NULL: none. Not under sqrt3. */
void primvars_index(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n);
/* primvars_prepare: makes the tables or matrices of what the engine refines along; errors as theirs. */
int primvars_prepare(const sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_direct: which of the blocks that are to be compact (enum sdd_include) it makes as such, after
 * primvars_prepare. */
int primvars_direct(const sdd_topology *t, const struct sdd_refine_request *r, const char *method);
/* primvars_scratch: exact bytes that primvars_run works in, free of what the engine had there. */
int64_t primvars_scratch(const sdd_topology *t, const struct sdd_refine_request *r, const char *method);
/* primvars_run: queues what makes those blocks; UVs under sqrt3 are the engine's.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int primvars_run(const sdd_mesh *m, const struct sdd_refine_request *r, const struct sdd_plan *p,
                 const struct result_layout *lay, void *scratch, struct sdd_error *err) SDD_MUST_CHECK;

#endif
