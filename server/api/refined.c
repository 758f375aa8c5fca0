/* SPDX-License-Identifier: Apache-2.0 */
/* refined.c: the handlers of GET and POST /v1/meshes/{id}/refined and GET .../patches. They answer with a frame from
 * the cache, or have refine/ compute one, as a whole or while it is sent. Refined and pose take the same steps, so that
 * their frames can be made in one batch. */
#include "server/mesh/positions.h"
#include "server/api/api.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- steps ------------------------------------------------------------------------------------------------------ */
/* Answers 304 when the client has the frame, whether its header has a digest or not. */
static bool not_modified(struct ask_job *a)
{
    const struct request *r = a->base.job.request;
    char tag[sizeof a->etag];
    if (!r || !request_header(r, "If-None-Match"))
        return false;
    if (name_is_known(a))
        return true;
    memcpy(tag, a->etag, sizeof tag);
    name_stream(a);
    if (name_is_known(a))
        return true;
    memcpy(a->etag, tag, sizeof tag);
    return false;
}

/* A watcher is told of versions that it does not have. */
static bool is_seen(const struct ask_job *a)
{
    return a->watched && a->seen == a->base.slot->info.version;
}

/* A file is made from its frame by a worker, so no job may change the record meanwhile. */
static bool is_whole(const struct ask_job *a, const struct cached *frame)
{
    if (a->watched)
        return frame && compute_is_there(frame);
    return frame && (!file_format(a) || (compute_is_there(frame) && job_may_peek(&a->base.slot->turns, SETTLED_HOST)));
}

/* Whether all that is to be sent is there: for a watcher that could take a delta, that one. */
static bool is_sendable(struct ask_job *a)
{
    char key[CACHE_KEY_SIZE];
    struct cache *cache = &memory_of(&a->base.job)->cache;
    if (!is_whole(a, cache_find(cache, a->key)))
        return false;
    if (!delta_could(a))
        return true;
    name_delta(a, key);
    return cache_find(cache, key);
}

/* Whether the frame need not be made. The method that `auto` stands for is chosen again when the job has its turn. */
static bool is_there(struct job *job)
{
    struct ask_job *a = (struct ask_job *)job;
    char method[sizeof a->method];
    memcpy(method, a->method, sizeof method);
    const bool named = !name_by_history(a);
    const bool there = named && (is_seen(a) || name_is_known(a) || is_sendable(a));
    memcpy(a->method, method, sizeof method);
    job->err = (struct sdd_error){0};
    return there;
}

/* Looks for the frame by its name: the client or the cache may have it. */
static int find_frame(struct frame_job *j)
{
    struct job *job = &j->base.base.job;
    range_keep(j);
    if (not_modified(&j->base))
        return JOB_DONE;
    j->frame = cache_find(&memory_of(job)->cache, j->base.key);
    if (j->frame && (file_format(&j->base) || j->base.watched) && !compute_is_there(j->frame))
        j->frame = NULL; /* A file, like a watcher, needs all of the frame at once. */
    if (!j->frame)
        return ensure_resident_record(job);
    j->frame->references++;
    j->adopted = true;
    metrics_add(job_service(job)->metrics, M_CACHE_HITS, 1);
    if (j->base.watched)
        return delta_could(&j->base) && !delta_find((struct refine_job *)j) ? SDD_OK : JOB_DONE;
    return file_format(&j->base) ? SDD_OK : JOB_DONE;
}

static void tell_version(struct job *job)
{
    if (job->request)
        job->request->mesh_version = slot_of(job)->info.version;
}

static int look_up(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    int rc = name_by_history(&j->base.base);
    tell_version(job);
    job->cost_ns[ON_DEVICE] = ask_cost_ns(&j->base.base, 0);
    if (!rc && is_seen(&j->base.base))
        return JOB_DONE;
    if (!rc && !j->posed)
        return find_frame(&j->base);
    if (!rc)
        rc = step_match(job);
    return rc ? rc : ensure_resident_record(job);
}

static bool is_there_of_patches(struct job *job)
{
    struct ask_job *a = (struct ask_job *)job;
    const bool named = !name_answer(a);
    job->err = (struct sdd_error){0};
    return named && cache_find(&memory_of(job)->cache, a->key);
}

static int look_up_patches(struct job *job)
{
    struct frame_job *j = (struct frame_job *)job;
    int rc = name_answer(&j->base);
    tell_version(job);
    job->cost_ns[ON_DEVICE] = ask_cost_ns(&j->base, 0);
    return rc ? rc : find_frame(j);
}

static int parse(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    return positions_read(&j->base.base.base, true, &j->pose);
}

static bool skip_parse(const struct job *job)
{
    return !((const struct refine_job *)job)->posed;
}

/* A frame that was found in the cache is not made, but may become a file. */
static bool skip_found(const struct job *job)
{
    return ((const struct frame_job *)job)->frame != NULL;
}

/* What was loaded stays as it is. Poses even share their turn. */
static int share(struct job *job)
{
    return job->reader ? job_share(job) : step_settle(job);
}

static bool skip_load_needed(const struct job *job)
{
    const struct refine_job *j = (const struct refine_job *)job;
    return skip_found(job) || (j->own_mesh ? skip_load(job) : skip_load_resident(job));
}

static int adopt(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    refine_adopt(j);
    job->phases[PHASE_DOWNLOAD] += j->rest;
    return SDD_OK;
}

/* Tables are built behind the answer. */
static int answer_first(struct job *job)
{
    if (((const struct refine_job *)job)->build)
        job_answer(job);
    return SDD_OK;
}

/* Builds tables after the answer. When the engine cannot do that for the mesh, nothing changes. */
static int build_tables(struct job *job)
{
    const struct refine_job *j = (const struct refine_job *)job;
    struct resident *resident = slot_of(job)->resident;
    const struct sdd_run run = {.cancel = &job->cancel};
    struct sdd_error err = {0};
    if (!resident->mesh)
        return SDD_OK;
    resident_touch(memory_of(job)->residency, resident);
    const int rc = sdd_history_build(resident->history, resident->mesh, j->plan.plan, &run, &err);
    resident_measure(memory_of(job)->residency, resident);
    if (rc != SDD_EDEVICE)
        return SDD_OK;
    job->err = err;
    return rc;
}

static bool skip_build(const struct job *job)
{
    return !((const struct refine_job *)job)->build;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */
static void free_frame_job(struct job *job)
{
    struct frame_job *j = (struct frame_job *)job;
    struct cache *cache = &memory_of(job)->cache;
    budget_give(j);
    if (j->frame && j->frame->references == 0)
        cached_free(cache, j->frame); /* It was cancelled before the frame was adopted. */
    else if (j->frame && --j->frame->references == 0)
        cached_free(cache, j->frame);
    mesh_job_free(job);
}

static void free_refine_job(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    refine_lose(j);
    delta_free(j);
    stream_close(j->stream);
    sdd_plan_free(j->plan.plan);
    positions_free(j->pose);
    free_frame_job(job);
}

static const struct step refine_steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                           {ON_LOOP, -1, look_up, NULL},
                                           {ON_STORE, PHASE_LOAD, step_load, skip_load_needed},
                                           {ON_LOOP, -1, share, NULL},
                                           {ON_HOST, PHASE_PARSE, parse, skip_parse},
                                           {ON_DEVICE, -1, refine_compute, skip_found},
                                           {ON_HOST, PHASE_ENCODE, file_begin, file_skip},
                                           {ON_LOOP, -1, adopt, NULL},
                                           {ON_LOOP, -1, answer_first, NULL},
                                           {ON_DEVICE, -1, build_tables, skip_build},
                                           {0}};

static const struct step watched_steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                            {ON_LOOP, -1, look_up, NULL},
                                            {ON_STORE, PHASE_LOAD, step_load, skip_load_needed},
                                            {ON_LOOP, -1, share, NULL},
                                            {ON_LOOP, -1, delta_expect, NULL},
                                            {ON_DEVICE, -1, refine_compute, skip_found},
                                            {ON_LOOP, -1, adopt, NULL},
                                            {ON_LOOP, -1, delta_base, NULL},
                                            {ON_HOST, PHASE_ENCODE, delta_compare, delta_skip},
                                            {ON_LOOP, -1, delta_keep, NULL},
                                            {ON_LOOP, -1, answer_first, NULL},
                                            {ON_DEVICE, -1, build_tables, skip_build},
                                            {0}};

static void start(struct request *r, bool posed)
{
    static const struct job_ops ops = {refine_steps, refine_answer, free_refine_job};
    struct refine_job *j = ask_job_create(r, sizeof *j, ask_max_level(service_of(r)->config), ASK_FRAME_BLOCKS);
    if (!j)
        return;
    j->posed = j->own_mesh = j->base.base.base.job.reader = posed;
    j->base.base.base.job.peeks = posed ? SETTLED_NOTHING : SETTLED_RECORD;
    j->base.base.base.finds = is_there;
    mesh_job_start(r, &j->base.base.base, &ops);
}

void refined_for_watcher(struct request *r, int64_t seen, bool deltas, const char *base_key)
{
    static const struct job_ops ops = {watched_steps, watcher_answer, free_refine_job};
    struct refine_job *j = ask_job_create(r, sizeof *j, ask_max_level(service_of(r)->config), ASK_FRAME_BLOCKS);
    if (!j)
        return;
    j->base.base.watched = true;
    j->base.base.seen = seen;
    j->base.base.deltas = deltas;
    snprintf(j->base.base.base_key, sizeof j->base.base.base_key, "%s", base_key);
    j->base.base.base.job.peeks = SETTLED_RECORD;
    j->base.base.base.finds = is_there;
    mesh_job_start(r, &j->base.base.base, &ops);
}

void api_refined(struct request *r)
{
    start(r, false);
}

void api_pose(struct request *r)
{
    start(r, true);
}

void api_patches(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, look_up_patches, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, step_settle, NULL},
                                        {ON_DEVICE, -1, patches_compute, NULL},
                                        {ON_LOOP, -1, patches_adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, patches_answer, free_frame_job};
    struct frame_job *j = ask_job_create(r, sizeof *j, ask_max_patch_level(service_of(r)->config), ASK_PATCH_BLOCKS);
    if (!j)
        return;
    j->base.base.job.peeks = SETTLED_RECORD;
    j->base.base.finds = is_there_of_patches;
    mesh_job_start(r, &j->base.base, &ops);
}
