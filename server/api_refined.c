/* SPDX-License-Identifier: Apache-2.0 */
/* api_refined.c: GET /v1/meshes/{id}/refined and /patches: a frame from the cache, or computed, streamed from where it
 * was computed to. */
#include "server/refine_request.h"
#include "server/residency.h"
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BYTES (32 << 10) /* small frames go out in one write with their headers */

struct stream {              /* one answer's hold on a frame */
    struct request *request; /* outlives the reading, not this */
    struct server *server;
    struct cached *frame;
    int64_t first;
};

static ssize_t stream_read(void *cls, uint64_t at, char *out, size_t max)
{
    struct stream *s = cls;
    int64_t left = s->frame->frame.bytes - s->first - (int64_t)at;
    size_t n = (uint64_t)left < max ? (size_t)left : max;
    frame_read(&s->frame->frame, s->first + (int64_t)at, out, n);
    s->request->answer_bytes += (int64_t)n;
    return (ssize_t)n;
}

static void stream_free(void *cls)
{
    struct stream *s = cls;
    cached_unref(&s->server->cache, s->frame);
    free(s);
}

static struct MHD_Response *copy_response(const struct frame *f, int64_t first, int64_t length)
{
    void *bytes = malloc((size_t)length + 1);
    if (!bytes)
        return NULL;
    frame_read(f, first, bytes, (size_t)length);
    return MHD_create_response_from_buffer((size_t)length, bytes, MHD_RESPMEM_MUST_FREE);
}

static struct MHD_Response *stream_response(struct request *r, struct cached *frame, int64_t first, int64_t length)
{
    struct stream *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct stream){r, r->server, frame, first};
    struct MHD_Response *response =
        MHD_create_response_from_callback((uint64_t)length, ANSWER_BLOCK, stream_read, s, stream_free);
    if (response)
        cached_ref(&r->server->cache, frame);
    else
        free(s);
    return response;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */
static bool not_modified(struct refine_job *j)
{
    const char *known = j->base.job.request ? request_header(j->base.job.request, "If-None-Match") : NULL;
    return known && etag_matches(known, j->etag, true);
}

static int look_up(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    int rc = refine_name(j);
    if (job->request)
        job->request->mesh_version = job->slot->info.version;
    if (rc)
        return rc;
    if (not_modified(j))
        return JOB_DONE;
    j->frame = cache_find(&job->server->cache, j->key);
    if (!j->frame)
        return ensure_resident_record(job);
    j->frame->references++;
    metrics_add(&job->server->metrics, M_CACHE_HITS, 1);
    return JOB_DONE;
}

/* Meshes unused for long leave the device until there is room. patches NULL: sdd_refine. */
static int run(struct refine_job *j, const struct sdd_patches_request *patches, sdd_result **result)
{
    struct job *job = &j->base.job;
    struct resident *resident = job->slot->resident;
    int rc;
    do
        rc = patches ? sdd_patches(resident->mesh, patches, result, &job->err)
                     : sdd_refine(resident->mesh, &j->request, result, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(job->server->residency, resident, job->err.needed));
    resident_measure(job->server->residency, resident);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(&job->server->metrics, M_GPU_ERRORS_MEMORY, 1);
    return rc;
}

static int make_refined(struct refine_job *j, sdd_result **result)
{
    int rc = refine_plan(j);
    if (!rc)
        rc = refine_admit(j);
    if (!rc)
        rc = run(j, NULL, result);
    if (rc)
        return rc;
    const struct sdd_result_info *info = sdd_result_info(*result);
    refine_learn(j->frame_bytes, info->refine_seconds + info->digest_seconds + info->download_seconds);
    return SDD_OK;
}

static int make_patches(struct refine_job *j, sdd_result **result)
{
    struct sdd_patches_request request = {j->request.level, j->request.surface, 0, j->request.cancel};
    int rc = refine_budget(j, &request.max_bytes);
    if (!rc)
        rc = run(j, &request, result);
    if (rc == SDD_ETOO_LARGE && strcmp(j->base.job.err.field, "max_bytes") == 0)
        return refine_over(j);
    if (rc)
        return rc;
    j->plan = sdd_result_info(*result)->plan;
    rc = refine_check(j);
    if (rc)
        sdd_result_free(*result);
    return rc;
}

static int compute(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    struct server *s = job->server;
    struct frame_about about = refine_about(j);
    sdd_result *result = NULL;
    int rc = ensure_resident(job);
    if (!rc)
        rc = j->patches ? make_patches(j, &result) : make_refined(j, &result);
    if (rc)
        return rc;
    const struct sdd_result_info *info = sdd_result_info(result);
    job->phases[PHASE_REFINE] += info->refine_seconds;
    job->phases[PHASE_DIGEST] += info->digest_seconds;
    job->phases[PHASE_DOWNLOAD] += info->download_seconds;
    metrics_add(&s->metrics, (enum metric)(M_REFINED_CATMULL_CLARK + job->slot->info.options.scheme),
                info->plan.n_vertices);
    residency_publish(s->residency);
    j->computed = true;
    return cached_create(j->key, &about, result, &j->frame, &job->err);
}

static int adopt(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    metrics_add(&job->server->metrics, M_CACHE_MISSES, 1);
    j->frame->references++;
    cache_keep(&job->server->cache, job->slot, j->frame);
    return SDD_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */
static void answer_frame(struct request *r, struct refine_job *j)
{
    const struct frame *f = &j->frame->frame;
    const char *condition = request_header(r, "If-Range");
    int64_t first = 0, length = f->bytes;
    char line[96];
    int ranged = condition && strcmp(condition, j->etag)
                     ? 0
                     : range_parse(request_header(r, "Range"), f->bytes, &first, &length);
    if (ranged < 0) {
        struct sdd_error err = {0};
        sdd_fail(&err, SDD_ERANGE, "range", "the frame has %lld bytes", (long long)f->bytes);
        err.available = f->bytes;
        answer_error(r, &err);
        return;
    }
    bool copy = length <= COPY_BYTES;
    struct MHD_Response *response =
        copy ? copy_response(f, first, length) : stream_response(r, j->frame, first, length);
    if (!response) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return;
    }
    answer_response(r, ranged ? 206 : 200, response, copy ? length : -1);
    answer_header(r, "Content-Type", media_name(MEDIA_FRAME));
    answer_header(r, "Accept-Ranges", "bytes");
    answer_header(r, "Subdd-Cache", j->computed ? "miss" : "hit");
    if (!ranged)
        return;
    snprintf(line, sizeof line, "bytes %lld-%lld/%lld", (long long)first, (long long)(first + length - 1),
             (long long)f->bytes);
    answer_header(r, "Content-Range", line);
}

static void answer(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    struct request *r = job->request;
    if (j->frame)
        answer_frame(r, j);
    else
        answer_empty(r, 304);
    answer_header(r, "ETag", j->etag);
}

static void free_job(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    if (j->frame && j->frame->references == 0)
        cached_free(&job->server->cache, j->frame); /* cancelled before it was adopted */
    else if (j->frame && --j->frame->references == 0)
        cached_free(&job->server->cache, j->frame);
    mesh_job_fini(&j->base);
    free(job);
}

static void start(struct request *r, bool patches)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, look_up, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_DEVICE, -1, compute, NULL},
                                        {ON_LOOP, -1, adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    struct refine_job *j = refine_job_create(r, sizeof *j, patches);
    if (j)
        mesh_job_start(r, &j->base, &ops);
}

void api_refined(struct request *r)
{
    start(r, false);
}

void api_patches(struct request *r)
{
    start(r, true);
}
