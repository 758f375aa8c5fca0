/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: what a plan holds, the engine table, and what refines along with the positions: UVs, primvars, the parent
 * of each face. All engines give the same there. For this room alone, whose door is gpu/sdd/sdd.h. */
#ifndef SDD_REFINE_INTERNAL_H
#define SDD_REFINE_INTERNAL_H
#include "gpu/engine_api/engine_api.h"
#include "gpu/engine_api/result.h"
#include "gpu/sdd/sdd_history.h"

extern const struct engine *const sdd_engines[]; /* In order of preference; NULL ends the table. */

/* Host memory alone: the topology is known by its serial, so that a plan keeps nothing of the device alive. */
struct sdd_plan {
    sdd_device *device;
    uint64_t topology_serial;
    const struct engine *engine;
    const struct engine *tables; /* What `auto` takes once tables pay (planner.h); NULL when they never do. */
    sdd_history *history;        /* That of the mesh that was planned on, where `tables` is not NULL; else NULL. */
    struct sdd_refine_request request; /* Its method and primvar_shapes are those of the plan. */
    struct sdd_primvar shapes[SDD_MAX_PRIMVARS];
    int is_range;              /* 1 when the plan is of rows [first_row, first_row + n_rows) alone. */
    int64_t first_row, n_rows; /* All rows when it is not. */
    int64_t scratch_bytes;     /* What a run works in, in steps of an arena. */
    int64_t result_bytes;      /* Device memory of one result without its words (result_words). */
    struct sdd_plan_info info;
};
/* plan_check: may mesh k of a call be refined by the plan?
 * Errors  SDD_EINVALID (it has another topology, or other primvars) */
int plan_check(const struct sdd_plan *p, const sdd_mesh *m, int k, struct sdd_error *err) SDD_MUST_CHECK;
/* plan_device_bytes: device memory of n results in one allocation, with scratch for n_scratch of them at a time. */
int64_t plan_device_bytes(const struct sdd_plan *p, int n, int n_scratch);
/* plan_lay_out: lays out the memory of one result. Returns the memory of all positions when a range is wanted of an
 * engine that makes no ranges, else NULL. */
float *plan_lay_out(const struct sdd_plan *p, uint64_t *words, struct arena *a, struct result_layout *out);

/* primvars_check: is all there that the request asks for?
 * Errors  SDD_EINVALID (no such primvar, no UVs) */
int primvars_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_add_blocks: those of UVs, primvars and face params; p has the counts of the refined mesh. */
void primvars_add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan_info *p);
/* primvars_most_rows: of the longest block that indices go to. */
int64_t primvars_most_rows(const sdd_topology *t, const struct sdd_refine_request *r);
/* primvars_index: the faces over a grid of the refined mesh; rows NULL: none. Not under sqrt3. */
void primvars_index(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n);
/* primvars_prepare: has the engine make what it refines rows of values with; errors as its own. */
int primvars_prepare(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r,
                     const atomic_int *cancel, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_direct: which of the blocks that are to be compact (enum sdd_include) are made as such by any engine. */
int primvars_direct(const sdd_topology *t);
/* primvars_scratch: exact bytes that primvars_run works in, free of what the engine had there. */
int64_t primvars_scratch(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r);
/* primvars_run: queues what makes those blocks, of the mesh and in the scratch of the engine's run. UVs under sqrt3 are
 * the engine's.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int primvars_run(const struct engine_run *of, const struct engine *e, const struct sdd_plan_info *p,
                 const struct result_layout *lay, struct sdd_error *err) SDD_MUST_CHECK;

#endif
