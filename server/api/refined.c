/* SPDX-License-Identifier: Apache-2.0 */
/* refined.c: GET and POST /v1/meshes/{id}/refined, GET .../patches: a frame from the cache, or computed, as a whole
 * or while it is sent. The work is done in refine/. */
#include "server/mesh/positions.h"
#include "server/api/api.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- steps ------------------------------------------------------------------------------------------------------ */
/* A client that knows the frame knows it with or without its digest. */
static bool not_modified(struct refine_job *j)
{
    const char *known = j->base.job.request ? request_header(j->base.job.request, "If-None-Match") : NULL;
    char tag[sizeof j->etag];
    if (!known || etag_matches(known, j->etag, true))
        return known;
    memcpy(tag, j->etag, sizeof tag);
    refine_tag_stream(j);
    if (etag_matches(known, j->etag, true))
        return true;
    memcpy(j->etag, tag, sizeof tag);
    return false;
}

/* What the device thread will need of the headers. Several ranges, which alone are longer, are not served. */
static void keep_range(struct refine_job *j)
{
    const struct request *r = j->base.job.request;
    const char *range = r ? request_header(r, "Range") : NULL, *unless = r ? request_header(r, "If-Range") : NULL;
    if (range && strlen(range) < sizeof j->range)
        memcpy(j->range, range, strlen(range) + 1);
    if (unless)
        snprintf(j->unless, sizeof j->unless, "%s", *unless ? unless : "none");
}

static int look_up(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    int rc = refine_name(j);
    if (job->request)
        job->request->mesh_version = slot_of(job)->info.version;
    if (rc)
        return rc;
    if (j->posed) {
        rc = step_match(job);
        return rc ? rc : ensure_resident_record(job);
    }
    keep_range(j);
    if (not_modified(j))
        return JOB_DONE;
    j->frame = cache_find(&memory_of(job)->cache, j->key);
    if (!j->frame)
        return ensure_resident_record(job);
    j->frame->references++;
    metrics_add(job_service(job)->metrics, M_CACHE_HITS, 1);
    return JOB_DONE;
}

static int parse(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    return positions_read(&j->base, true, &j->pose);
}

static bool skip_parse(const struct job *job)
{
    return !((const struct refine_job *)job)->posed;
}

static bool skip_share(const struct job *job)
{
    return !job->reader;
}

static bool skip_load_needed(const struct job *job)
{
    return ((const struct refine_job *)job)->own_mesh ? skip_load(job) : skip_load_resident(job);
}

static int adopt(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    refine_adopt(j);
    job->phases[PHASE_DOWNLOAD] += j->rest;
    if (j->build)
        job_answer(job);
    return SDD_OK;
}

/* Builds behind the answer. Where the engine cannot do the mesh, all stays as it is. */
static int build_tables(struct job *job)
{
    const struct refine_job *j = (const struct refine_job *)job;
    struct resident *resident = slot_of(job)->resident;
    const struct sdd_run run = {.cancel = &job->cancel};
    struct sdd_error err = {0};
    if (!resident->mesh)
        return SDD_OK;
    const int rc = sdd_history_build(resident->history, resident->mesh, j->plan, &run, &err);
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

static void free_job(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    refine_lose(j);
    if (j->frame && j->frame->references == 0)
        cached_free(&memory_of(job)->cache, j->frame); /* cancelled before it was adopted */
    else if (j->frame && --j->frame->references == 0)
        cached_free(&memory_of(job)->cache, j->frame);
    stream_close(j->stream);
    sdd_plan_free(j->plan);
    positions_free(j->pose);
    mesh_job_free(job);
}

static void start(struct request *r, bool patches, bool posed)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, look_up, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_needed},
                                        {ON_LOOP, -1, job_share, skip_share},
                                        {ON_HOST, PHASE_PARSE, parse, skip_parse},
                                        {ON_DEVICE, -1, refine_compute, NULL},
                                        {ON_LOOP, -1, adopt, NULL},
                                        {ON_DEVICE, -1, build_tables, skip_build},
                                        {0}};
    static const struct job_ops ops = {steps, refine_answer, free_job};
    struct refine_job *j = refine_job_create(r, sizeof *j, patches);
    if (!j)
        return;
    j->posed = j->own_mesh = j->base.job.reader = posed;
    mesh_job_start(r, &j->base, &ops);
}

void api_refined(struct request *r)
{
    start(r, false, false);
}

void api_pose(struct request *r)
{
    start(r, false, true);
}

void api_patches(struct request *r)
{
    start(r, true, false);
}
