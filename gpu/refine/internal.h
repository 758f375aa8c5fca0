/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: what a plan holds, the engine table, and what is refined with the positions: UVs, primvars and the parent
 * of each face, which are the same for all engines. Only this folder includes it; its public header is
 * gpu/sdd/sdd.h. */
#ifndef SDD_REFINE_INTERNAL_H
#define SDD_REFINE_INTERNAL_H
#include "gpu/engine_api/engine_api.h"
#include "gpu/engine_api/result.h"
#include "gpu/sdd/sdd_history.h"

extern const struct engine *const sdd_engines[]; /* In order of preference; NULL ends the table. */

/* A plan is host memory alone. It names the topology by its serial, so that it keeps nothing on the device alive. */
struct sdd_plan {
    sdd_device *device;
    uint64_t topology_serial;
    const struct engine *engine;
    /* The engine that `auto` takes once tables pay (planner.h); NULL when they never do. */
    const struct engine *tables;
    sdd_history *history;              /* The history of the mesh that was planned on; NULL when `tables` is NULL. */
    struct sdd_refine_request request; /* Its method and primvar_shapes point into the plan. */
    struct sdd_primvar shapes[SDD_MAX_PRIMVARS];
    int is_range;              /* 1 when the plan covers only rows [first_row, first_row + n_rows). */
    int64_t first_row, n_rows; /* All rows when is_range is 0. */
    int64_t scratch_bytes;     /* The memory that a run works in, rounded up as arenas do. */
    int64_t result_bytes;      /* The device memory of one result without its words (result_words). */
    struct sdd_plan_info info;
};
/* plan_check: checks that mesh k of a call may be refined by the plan.
 * Errors  SDD_EINVALID (it has another topology, or other primvars) */
int plan_check(const struct sdd_plan *p, const sdd_mesh *m, int k, struct sdd_error *err) SDD_MUST_CHECK;
/* plan_device_bytes: returns the device memory of n results in one allocation, with scratch for n_scratch of them. */
int64_t plan_device_bytes(const struct sdd_plan *p, int n, int n_scratch);
/* plan_lay_out: lays out the memory of one result. Returns memory for all positions when the plan is of a range and its
 * engine makes no ranges, else NULL. */
float *plan_lay_out(const struct sdd_plan *p, uint64_t *words, struct arena *a, struct result_layout *out);

/* primvars_check: checks that the topology has what the request asks for.
 * Errors  SDD_EINVALID (no such primvar, no UVs) */
int primvars_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_add_blocks: adds the blocks of UVs, primvars and face params; p has the counts of the refined mesh. */
void primvars_add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan_info *p);
/* primvars_most_rows: returns the rows of the longest block that indices refer to. */
int64_t primvars_most_rows(const sdd_topology *t, const struct sdd_refine_request *r);
/* primvars_index: queues the faces over a grid of the refined mesh, or nothing when rows is NULL. Scheme sqrt3 has no
 * grids. */
void primvars_index(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n);
/* primvars_prepare: has the engine make what it needs to refine rows of values. The errors are the engine's. */
int primvars_prepare(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r,
                     const atomic_int *cancel, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_direct: returns the blocks (enum sdd_include) that are written in compact form at once, whatever the
 * engine. */
int primvars_direct(const sdd_topology *t);
/* primvars_scratch: returns the exact bytes that primvars_run works in. It may overwrite the engine's scratch. */
int64_t primvars_scratch(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r);
/* primvars_run: queues the kernels that fill those blocks, with the mesh and the scratch of the engine's run. Under
 * sqrt3 the engine makes the UVs.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int primvars_run(const struct engine_run *of, const struct engine *e, const struct sdd_plan_info *p,
                 const struct result_layout *lay, struct sdd_error *err) SDD_MUST_CHECK;

#endif
