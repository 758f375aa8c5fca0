/* SPDX-License-Identifier: Apache-2.0 */
/* planner.h: decides when method `auto` takes an engine with tables, by the rule in sdd_history.h. Only this folder
 * includes it. */
#ifndef SDD_PLANNER_H
#define SDD_PLANNER_H
#include "gpu/refine/internal.h"
#include "gpu/sdd/sdd_history.h"

/* planner_tables: returns the engine that makes these frames in the least time once its tables are built, or NULL. It
 * is NULL for all methods but "auto". */
const struct engine *planner_tables(const sdd_topology *t, const struct sdd_refine_request *r);
/* planner_history: returns the history that is kept with the mesh, or NULL with SDD_ENO_MEMORY.
 * planner_ref: takes a reference, which sdd_history_free gives back. */
sdd_history *planner_history(sdd_mesh *m, struct sdd_error *err) SDD_MUST_CHECK;
sdd_history *planner_ref(sdd_history *h);
/* planner_wants_tables: says whether positions changed between two frames of the plan's kind and tables may be
 * built. */
int planner_wants_tables(sdd_history *h, const struct sdd_plan *p);
/* planner_settle: remembers the result rc of building tables for frames of the plan's kind. */
void planner_settle(sdd_history *h, const struct sdd_plan *p, int rc);

#endif
