/* SPDX-License-Identifier: Apache-2.0 */
/* planner.h: when method `auto` takes an engine with tables (sdd_history.h says by what rule). For this room alone. */
#ifndef SDD_PLANNER_H
#define SDD_PLANNER_H
#include "gpu/refine/internal.h"
#include "gpu/sdd/sdd_history.h"

/* planner_tables: the engine with tables that would make these frames in less time than others once its tables are
 * there, or NULL. Any method but "auto" has none. */
const struct engine *planner_tables(const sdd_topology *t, const struct sdd_refine_request *r);
/* planner_history: the history that is kept with the mesh; NULL and SDD_ENO_MEMORY. planner_ref: takes a reference,
 * which sdd_history_free gives back. */
sdd_history *planner_history(sdd_mesh *m, struct sdd_error *err) SDD_MUST_CHECK;
sdd_history *planner_ref(sdd_history *h);
/* planner_wants_tables: have positions changed between two frames such as the plan's, and can tables be had? */
int planner_wants_tables(sdd_history *h, const struct sdd_plan *p);
/* planner_settle: remembers what became of building tables for frames such as the plan's; rc is the result of that. */
void planner_settle(sdd_history *h, const struct sdd_plan *p, int rc);

#endif
