/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.h: compact blocks: which there are, and how they are made of what the engines make. Shared inside gpu/. */
#ifndef SDD_QUANTISE_H
#define SDD_QUANTISE_H
#include "gpu/mesh.h"
#include "gpu/result.h"

/* quantise_check: is what shall be compact of those that can be, and asked for?
 * Errors  SDD_EINVALID */
int quantise_check(const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
/* quantise_add_block: positions, normals or UVs in the format that the request has them in. */
void quantise_add_block(const struct sdd_refine_request *r, struct sdd_plan *p, int semantic, int64_t count);
/* quantise_scratch: exact bytes that quantise_queue works in. */
int64_t quantise_scratch(const sdd_topology *t);
/* quantise_queue: queues the compact blocks, once what they are made of is queued. */
void quantise_queue(const sdd_mesh *m, const struct sdd_plan *p, const struct result_layout *lay, void *scratch);

#endif
