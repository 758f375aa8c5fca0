/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine.c: DELETE /v1/meshes/{id}/quarantine, by which an administrator gives a mesh that has ended the daemon
 * another chance. */
#include "server/api/api.h"

static int lift(struct job *job)
{
    if (!quarantine_lift(job_service(job)->quarantine, slot_of(job)->id, true))
        return job_fail(job, SDD_ENOT_FOUND, "quarantine", "no version of mesh %s is in quarantine", slot_of(job)->id);
    return SDD_OK;
}

static void answer(struct job *job)
{
    answer_empty(job->request, 204);
}

void api_quarantine_end(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_STORE, -1, lift, NULL}, /* It waits for the disk. */
                                        {0}};
    static const struct job_ops ops = {steps, answer, mesh_job_free};
    struct mesh_job *j = mesh_job_create(r, sizeof *j, false);
    if (!j)
        return;
    j->job.peeks = SETTLED_RECORD;
    mesh_job_start(r, j, &ops);
}
