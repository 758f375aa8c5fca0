/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.h: compact blocks for refine/: which blocks can be compact, and how they are made of what the engines
 * make. */
#ifndef SDD_QUANTISE_H
#define SDD_QUANTISE_H
#include "gpu/kernel/rows_out.h"
#include "gpu/mesh/mesh.h"
#include "gpu/engine_api/result.h"

/* quantise_check: whether the blocks that shall be compact can be, and are asked for. */
int quantise_check(const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* quantise_add_block: adds positions, normals or UVs to the plan, in the format that the request has them in. */
void quantise_add_block(const struct sdd_refine_request *r, struct sdd_plan_info *p, int semantic, int64_t count);
/* quantise_scratch: the exact bytes of scratch that quantise_begin and quantise_queue need, one after the other. */
int64_t quantise_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
/* quantise_begin: queues what is needed to write rows of 16 bits. It comes before all that the engine queues, because
 * kernels of regular quads do not wait for the launch before them (overlap.cuh). */
void quantise_begin(const sdd_mesh *m, const struct sdd_plan_info *p, const struct result_layout *lay, void *scratch);
/* quantise_as: the format in which kernels are to write the rows of a block. */
struct sdd_rows_as quantise_as(const struct result_layout *lay, int semantic);
/* quantise_queue: queues the compact blocks that no engine writes as such, once the rows they are made of are queued
 * and nothing else needs the scratch. */
void quantise_queue(const sdd_topology *t, const struct sdd_plan_info *p, const struct result_layout *lay,
                    void *scratch);

#endif
