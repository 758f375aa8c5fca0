/* SPDX-License-Identifier: Apache-2.0 */
/* delta_step.c: what the job of a watcher does besides that of refined: where the client has an earlier frame that is
 * still in the cache, it makes the delta, once for all who have that one (delta.h). */
#include "server/refine/delta.h"
#include "server/refine/refine.h"
#include <stdio.h>
#include <stdlib.h>

/* A client that has just come names its version alone, and its frame may have been made by the engine that `auto` stood
 * for then. */
static struct cached *find_base(struct ask_job *a)
{
    struct cache *cache = &memory_of(&a->base.job)->cache;
    const char *asked = query_get(&a->base.query, "method");
    if (!a->deltas || !a->seen || a->seen == a->base.slot->info.version)
        return NULL;
    for (int i = 0; i < 2 && !(*a->base_key && cache_find(cache, a->base_key)); i++)
        name_past(a, a->seen, i ? asked ? asked : "auto" : a->method, a->base_key);
    struct cached *base = cache_find(cache, a->base_key);
    return base && compute_is_there(base) ? base : NULL;
}

bool delta_could(struct ask_job *a)
{
    return find_base(a) != NULL;
}

bool delta_find(struct refine_job *j)
{
    struct ask_job *a = &j->base.base;
    char key[CACHE_KEY_SIZE];
    if (!find_base(a))
        return false;
    name_delta(a, key);
    j->delta = cache_find(&memory_of(&a->base.job)->cache, key);
    if (j->delta)
        cached_ref(j->delta);
    return j->delta != NULL;
}

/* The base may be dropped while the frame is made, and then the frame could not be made from it. */
static void hold_base(struct refine_job *j)
{
    if (!j->past && (j->past = find_base(&j->base.base)))
        cached_ref(j->past);
}

int delta_expect(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    if (!j->base.frame)
        hold_base(j);
    return SDD_OK;
}

int delta_base(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    if (!j->delta && j->base.frame && !delta_find(j))
        hold_base(j);
    return SDD_OK;
}

bool delta_skip(const struct job *job)
{
    const struct refine_job *j = (const struct refine_job *)job;
    return !j->past || j->delta;
}

/* What is made on the way takes no more than the frame, nor does the delta. Where there is no memory for it the frame
 * is sent, which is there. */
int delta_compare(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    const struct store_info *info = &slot_of(job)->info;
    const uint32_t counts[4] = {(uint32_t)info->n_vertices, (uint32_t)info->n_faces, (uint32_t)info->n_edges,
                                (uint32_t)info->n_corners};
    struct payload payload = {.n_blocks = 1};
    unsigned char *body = NULL;
    if (budget_claim(&j->base, j->base.frame->payload.bytes) ||
        delta_make(j->past, j->base.base.seen, j->base.frame, j->base.base.request.level, counts, &body, &payload.bytes,
                   &job->err))
        job->err = (struct sdd_error){0};
    if (!body)
        return SDD_OK;
    payload.blocks[0].bytes = payload.bytes;
    j->delta = cached_of_block(&payload, body, payload.bytes);
    if (!j->delta) {
        free(body);
        return SDD_OK;
    }
    j->base.claim -= payload.bytes; /* The delta takes these over. */
    budget_give(&j->base);
    return SDD_OK;
}

int delta_keep(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    budget_give(&j->base);
    if (!j->delta)
        return SDD_OK;
    name_delta(&j->base.base, j->delta->key);
    if (*j->delta->key)
        cache_keep(&memory_of(job)->cache, slot_of(job), j->delta);
    return SDD_OK;
}

void delta_free(struct refine_job *j)
{
    struct cache *cache = &memory_of(&j->base.base.base.job)->cache;
    if (j->past)
        cached_unref(cache, j->past);
    if (j->delta)
        cached_unref(cache, j->delta);
}
