/* SPDX-License-Identifier: Apache-2.0 */
/* replace.h: jobs that make a whole new mesh the next version of one: edits.c, and history.c. The new device state is
 * built beside the old one and then takes its place, so that the next request for a refined surface finds it.
 * Threads  as for steps: replace_build the compute thread, replace_commit the storage thread, the others the loop */
#ifndef SUBDD_REPLACE_H
#define SUBDD_REPLACE_H
#include "server/api/api.h"

struct replace_job {
    struct mesh_job base;
    struct mesh *mesh; /* The new version. */
    struct resident *resident;
    struct store_info info; /* Its record. A step before replace_build sets its topology_id. */
    /* The batch that made it, as store_edit takes it; NULL stores the mesh. */
    void *batch;
    size_t batch_bytes;
    int64_t as;    /* An earlier version that it is the same as, or 0. */
    bool unpinned; /* It has become too large to stay pinned. */
};
/* replace_build: puts the mesh onto the device; `edit` is as for build_resident. */
int replace_build(struct replace_job *r, const struct resident_edit *edit);
/* replace_describe: the record becomes what it will be after a commit at this time. */
struct info_state replace_describe(struct replace_job *r, int64_t now);
/* replace_commit: stores the mesh, and with it base.answer as the answer to the request's key. */
int replace_commit(struct replace_job *r, const struct store_change *change);
int replace_adopt(struct job *job); /* A step. */
void replace_answer(struct job *job);
void replace_free(struct job *job);

#endif
