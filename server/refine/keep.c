/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c: what becomes of a frame once it is made: it is kept in the cache, and when frames of its kind are asked for
 * again and again with other positions, tables are built for the next ones. */
#include "server/refine/refine.h"
#include <string.h>

/* The frame's kind, of those of its mesh or in the place of the one not asked for longest. *moved: it was there, and
 * its last frame had other positions. */
static struct auto_frames *kind_of(const struct refine_job *j, bool *moved)
{
    const struct slot *slot = j->base.slot;
    struct auto_frames *kind = refine_kind(j), *kinds = slot->resident->kinds;
    *moved = kind && (j->posed || kind->version != slot->info.version);
    if (!kind) {
        kind = kinds;
        for (int k = 1; k < AUTO_KINDS; k++)
            kind = kinds[k].asked < kind->asked ? kinds + k : kind;
        kind->level = j->request.level;
        kind->surface = j->request.surface;
        kind->around = j->request.include & AUTO_AROUND;
        memcpy(kind->topology_id, slot->info.topology_id, sizeof kind->topology_id);
        atomic_store(&kind->built, false);
        atomic_store(&kind->refused, false);
    }
    kind->version = slot->info.version;
    kind->asked = uv_hrtime();
    return kind;
}

/* Do positions alone change, frame after frame of a kind? Then tables make the next ones. */
static bool wants_tables(const struct refine_job *j)
{
    bool moved;
    if (!refine_is_auto(j))
        return false;
    const struct auto_frames *kind = kind_of(j, &moved);
    return moved && !atomic_load(&kind->built) && !atomic_load(&kind->refused);
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
