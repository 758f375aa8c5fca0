/* SPDX-License-Identifier: Apache-2.0 */
/* carry.c: makes the frame of a watcher from the one that its client has, where a version has changed positions,
 * creases and corners alone (gpu/sdd/sdd_carry.h). Frames keep the control mesh that they were made of for that. Where
 * no host copy of it is in memory none is loaded: the frame is made as a whole then, as without watchers. */
#include "gpu/sdd/sdd_carry.h"
#include "server/refine/refine.h"

#define MESHES_A_FRAME 8 /* A frame keeps a mesh of at most this part of its size. */

int carry_frame(struct refine_job *j, sdd_result **out)
{
    struct job *job = &j->base.base.base.job;
    const struct slot *slot = slot_of(job);
    const struct cached *past = j->past;
    struct sdd_mesh_desc now, before;
    *out = NULL;
    if (!past || !past->mesh || !past->result || !slot->host)
        return SDD_OK;
    mesh_desc(slot->host, &now);
    mesh_desc(past->mesh, &before);
    const struct sdd_run how = {.cancel = &job->cancel};
    const struct sdd_cage a = {&now, slot->host->points}, b = {&before, past->mesh->points};
    struct sdd_error err = {0};
    int rc = sdd_carry(slot->resident->mesh, j->plan.plan, &a, &b, past->result, &how, out, &err);
    if (rc)
        job->err = err;
    j->carried = *out != NULL;
    metrics_add(job_service(job)->metrics, M_FRAMES_CARRIED, j->carried);
    return rc;
}

void carry_keep_mesh(struct refine_job *j)
{
    const struct mesh *host = slot_of(&j->base.base.base.job)->host;
    struct cached *frame = j->base.frame;
    struct sdd_error err;
    if (!j->base.base.deltas || !host || mesh_bytes(host) > frame->payload.bytes / MESHES_A_FRAME ||
        mesh_copy(host, &frame->mesh, &err))
        return;
    frame->mesh_bytes = mesh_bytes(frame->mesh);
    frame->claim += frame->mesh_bytes;
    pool_add(&memory_of(&j->base.base.base.job)->pool, POOL_FRAMES, frame->mesh_bytes);
}
