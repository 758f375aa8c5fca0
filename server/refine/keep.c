/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c: what becomes of a frame once it is made: it is kept in the cache, and when frames of its kind are asked for
 * again and again with other positions, tables are built for the next ones. */
#include "server/refine/refine.h"

/* Do positions alone change, frame after frame of a kind? Then tables make the next ones. */
static bool wants_tables(const struct refine_job *j)
{
    const struct slot *slot = j->base.slot;
    return !j->patches && sdd_history_note(slot->resident->history, j->plan, slot->info.version, j->posed);
}

void refine_adopt(struct refine_job *j)
{
    struct job *job = &j->base.job;
    if (!j->frame || j->adopted)
        return;
    j->adopted = true;
    j->frame->references++;
    j->build = wants_tables(j);
    if (!j->posed) {
        metrics_add(job_service(job)->metrics, M_CACHE_MISSES, 1);
        cache_keep(&memory_of(job)->cache, slot_of(job), j->frame);
    }
    if (j->build)
        job_close(job); /* the next frame is made by them */
}
