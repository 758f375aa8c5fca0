/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.h: compact blocks: which there are, and how they are made of what the engines make. Shared inside gpu/. */
#ifndef SDD_QUANTISE_H
#define SDD_QUANTISE_H
#include "gpu/kernel/rows_out.h"
#include "gpu/mesh/mesh.h"
#include "gpu/engine_api/result.h"

/* quantise_check: is what shall be compact of those that can be, and asked for?
 * Errors  SDD_EINVALID */
int quantise_check(const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* quantise_add_block: positions, normals or UVs in the format that the request has them in. */
void quantise_add_block(const struct sdd_refine_request *r, struct sdd_plan_info *p, int semantic, int64_t count);
/* quantise_begin: queues what rows of 16 bits are made with, before anything of the engine's: kernels of whole quads do
 * not wait for the launch before them (cuda/overlap.cuh). In `scratch`, exactly so many bytes. */
int64_t quantise_scratch(const sdd_topology *t);
void quantise_begin(const sdd_mesh *m, const struct sdd_plan_info *p, const struct result_layout *lay, void *scratch);
/* quantise_as: what kernels are to make rows of the block as. */
struct sdd_rows_as quantise_as(const struct result_layout *lay, int semantic);
/* quantise_queue: queues the compact blocks that nobody makes as such, once what they are made of is queued. */
void quantise_queue(sdd_device *d, const struct sdd_plan_info *p, const struct result_layout *lay);

#endif
