/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c: puts a frame of refined or patches into the cache once it is made. When frames of its kind are requested
 * again with other positions, it has tables built for the next ones. */
#include "server/refine/refine.h"

/* Makes the job hold a reference to its frame. Returns false when there is no frame, or the job holds it already. */
static bool hold(struct frame_job *j)
{
    if (!j->frame || j->adopted)
        return false;
    j->adopted = true;
    j->frame->references++;
    return true;
}

static void keep(struct frame_job *j)
{
    struct job *job = &j->base.base.job;
    metrics_add(job_service(job)->metrics, M_CACHE_MISSES, 1);
    cache_keep(&memory_of(job)->cache, slot_of(job), j->frame);
}

int patches_adopt(struct job *job)
{
    struct frame_job *j = (struct frame_job *)job;
    if (hold(j))
        keep(j);
    return SDD_OK;
}

void refine_adopt(struct refine_job *j)
{
    struct job *job = &j->base.base.base.job;
    const struct slot *slot = slot_of(job);
    if (!hold(&j->base))
        return;
    /* Frames that are made from others come sooner than by tables. */
    j->build = !j->carried && sdd_history_note(slot->resident->history, j->plan.plan, slot->info.version, j->posed);
    if (!j->posed)
        keep(&j->base);
    if (j->build)
        job_close(job); /* The next frame is made by the tables. */
}
