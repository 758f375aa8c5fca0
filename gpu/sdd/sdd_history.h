/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_history.h: what method `auto` has learned of the frames of a mesh. sdd_plan_create and sdd_refine keep a history
 * with each mesh and act on it by themselves; this is for callers who want to say when tables are built, for example
 * behind an answer, and who plan with sdd_plan_create_for_topology.
 *
 * Frames of one level and surface that have normals and tangents alike are of a kind; a history remembers the last four
 * kinds. Once positions have changed between two frames of a kind, more such frames are likely. From then on it pays to
 * build tables, which stay with the topology, and to make frames of that kind by the engine that has them.
 *
 *   sdd_history_method -> plan and refine by that method -> sdd_history_note -> when it says so, sdd_history_build
 *
 * Threads: any, for a history locks itself; but sdd_history_build belongs to the thread of the device. */
#ifndef SDD_SDD_HISTORY_H
#define SDD_SDD_HISTORY_H
#include "sdd.h"

typedef struct sdd_history sdd_history;

sdd_history *sdd_history_create(void);   /* NULL when there is no memory. */
void sdd_history_free(sdd_history *h);   /* NULL is fine. */
void sdd_history_forget(sdd_history *h); /* The topology has left the device, and its tables with it. */
/* sdd_history_method: the engine whose tables are there for frames of this kind when r->method is "auto"; in every
 * other case r->method. */
const char *sdd_history_method(sdd_history *h, const struct sdd_refine_request *r);
/* sdd_history_note: tells that a frame was made by the plan. `positions` names the positions that the mesh has at that
 * time: they are others when the number is another one. posed is 1 when the frame itself was made of positions of its
 * own. Returns 1 when tables for frames of this kind should be built now. */
int sdd_history_note(sdd_history *h, const sdd_plan *plan, int64_t positions, int posed);
/* sdd_history_build: builds the tables for frames such as the plan's, and remembers whether they are there or cannot be
 * had. Errors as sdd_prepare */
int sdd_history_build(sdd_history *h, sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run,
                      struct sdd_error *err) SDD_MUST_CHECK;

#endif
