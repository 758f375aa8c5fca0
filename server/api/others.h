/* SPDX-License-Identifier: Apache-2.0 */
/* others.h: what others have done to a mesh since a version, and whether it is in the way of a change that was made for
 * that version: for edits.c, whose batches may be late, and history.c, which undoes one change of many. */
#ifndef SUBDD_OTHERS_H
#define SUBDD_OTHERS_H
#include "server/api/api.h"
#include "server/mesh/changes.h"

/* others_meet: compares `mine`, a change of `base`, with `theirs`, which the mesh has become; arguments as for
 * mesh_changes_meet. *out gets what is in the way, and `meets` whether anything is. The caller has set its versions.
 * Threads  any
 * Errors   SDD_ENO_MEMORY in job->err */
int others_meet(struct job *job, const struct mesh *base, struct mesh_change mine, const struct mesh_named *named,
                bool renumbered, const struct mesh *theirs, struct conflict *out, bool *meets) SDD_MUST_CHECK;
/* others_since: lists the versions from the one after `version` to `last` in a conflict. */
void others_since(struct conflict *out, int64_t version, int64_t last);
/* others_fail: fails with this code: "SENTENCE: changed since: vertices 3, 4, face 9TAIL". The answer lists the
 * conflict, which must live as long as the job. */
int others_fail(struct job *job, int code, const char *field, const char *sentence, const char *tail,
                const struct conflict *conflict);

#endif
