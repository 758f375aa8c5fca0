/* SPDX-License-Identifier: Apache-2.0 */
/* api_refined.c: GET and POST /v1/meshes/{id}/refined, GET .../patches: a frame from the cache, or computed, as a whole
 * or while it is sent. The answers are refine_answer.c's. */
#include "server/positions.h"
#include "server/refine_request.h"
#include "server/residency.h"
#include "server/stream.h"
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
        job->request->mesh_version = job->slot->info.version;
    if (rc)
        return rc;
    if (j->posed) {
        rc = step_match(job);
        return rc ? rc : ensure_resident_record(job);
    }
    keep_range(j);
    if (not_modified(j))
        return JOB_DONE;
    j->frame = cache_find(&job->server->cache, j->key);
    if (!j->frame)
        return ensure_resident_record(job);
    j->frame->references++;
    metrics_add(&job->server->metrics, M_CACHE_HITS, 1);
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

static bool skip_load_needed(const struct job *job)
{
    return ((const struct refine_job *)job)->own_mesh ? skip_load(job) : skip_load_resident(job);
}

/* The mesh as it is now, or posed, for this answer alone. JOB_AGAIN: a host copy is needed first. */
static int make_own_mesh(struct refine_job *j, sdd_mesh **out)
{
    struct job *job = &j->base.job;
    const struct slot *slot = job->slot;
    uint64_t start = uv_hrtime();
    j->own_mesh = true;
    if (!slot->host)
        return JOB_AGAIN;
    int rc = resident_copy(job->server->residency, slot->resident, slot->host,
                           j->posed ? j->pose->ranges[0].points : NULL, out, &job->err);
    job->phases[PHASE_UPLOAD] += (double)(uv_hrtime() - start) * 1e-9;
    return rc;
}

/* Meshes unused for long leave the device until there is room. patches NULL: sdd_refine. */
static int run(struct refine_job *j, sdd_mesh *mesh, const struct sdd_patches_request *patches, sdd_result **result)
{
    struct job *job = &j->base.job;
    struct resident *resident = job->slot->resident;
    int rc;
    do
        rc = patches ? sdd_patches(mesh, patches, result, &job->err) : sdd_refine(mesh, &j->request, result, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(job->server->residency, resident, job->err.needed));
    resident_measure(job->server->residency, resident);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(&job->server->metrics, M_GPU_ERRORS_MEMORY, 1);
    return rc;
}

static int make_refined(struct refine_job *j, sdd_result **result)
{
    sdd_mesh *own = NULL;
    int rc = refine_admit(j);
    if (!rc && j->posed)
        rc = make_own_mesh(j, &own);
    if (!rc)
        rc = run(j, own ? own : j->base.job.slot->resident->mesh, NULL, result);
    sdd_mesh_free(own);
    if (rc)
        return rc;
    const struct sdd_result_info *info = sdd_result_info(*result);
    refine_learn(j->frame_bytes, info->refine_seconds + info->digest_seconds + info->download_seconds);
    return SDD_OK;
}

/* What is asked for of a frame that is made while it is sent: its first piece. */
static int make_stream(struct refine_job *j)
{
    struct job *job = &j->base.job;
    const struct frame_about about = refine_about(j);
    struct stream_ask ask = {
        .request = &j->request, .first = j->first, .length = j->length, .scheme = job->slot->info.options.scheme};
    int rc = refine_ring(j, j->length / STREAM_ROW_BYTES + 1);
    ask.rows = j->piece_rows;
    if (!rc)
        rc = refine_admit(j);
    if (!rc)
        rc = frame_make(&about, &j->plan, &ask.frame, &job->err);
    if (rc)
        return rc;
    rc = make_own_mesh(j, &ask.mesh);
    if (rc)
        frame_fini(&ask.frame);
    else
        rc = stream_create(job->server, &ask, job->phases, &job->refined_by, &j->stream, &job->err);
    resident_measure(job->server->residency, job->slot->resident);
    return rc;
}

static int make_patches(struct refine_job *j, sdd_result **result)
{
    struct sdd_patches_request request = {j->request.level, j->request.surface, 0, j->request.cancel};
    int rc = refine_budget(j, &request.max_bytes);
    if (!rc)
        rc = run(j, j->base.job.slot->resident->mesh, &request, result);
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
    sdd_result *result = NULL;
    bool pieces = false;
    int rc = ensure_resident(job);
    if (!rc && !j->patches)
        rc = refine_plan(j);
    if (!rc && !j->patches)
        rc = refine_range(j, &pieces);
    if (!rc && pieces)
        return make_stream(j);
    if (!rc)
        rc = j->patches ? make_patches(j, &result) : make_refined(j, &result);
    if (rc)
        return rc;
    const struct frame_about about = refine_about(j);
    const struct sdd_result_info *info = sdd_result_info(result);
    job->phases[PHASE_REFINE] += info->refine_seconds;
    job->refined_by = info->by;
    job->phases[PHASE_DIGEST] += info->digest_seconds;
    job->phases[PHASE_DOWNLOAD] += info->download_seconds;
    metrics_add(&s->metrics, (enum metric)(M_REFINED_CATMULL_CLARK + job->slot->info.options.scheme),
                info->plan.n_vertices);
    residency_publish(s->residency);
    j->computed = true;
    return cached_create(j->key, &about, result, &j->frame, &job->err);
}

/* The frame's kind, of those of its mesh or in the place of the one not asked for longest. *moved: it was there, and
 * its last frame had other positions. */
static struct auto_frames *kind_of(const struct refine_job *j, bool *moved)
{
    const struct slot *slot = j->base.job.slot;
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

/* Do positions alone change, frame after frame of a kind? Then tables make the next ones. NULL: they do not. */
static struct auto_frames *wants_tables(const struct refine_job *j)
{
    bool moved;
    if (!refine_is_auto(j))
        return NULL;
    struct auto_frames *kind = kind_of(j, &moved);
    return moved && !atomic_load(&kind->built) && !atomic_load(&kind->refused) ? kind : NULL;
}

static int adopt(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    if (!j->frame)
        return SDD_OK;
    j->frame->references++;
    j->build = wants_tables(j);
    if (!j->posed) {
        metrics_add(&job->server->metrics, M_CACHE_MISSES, 1);
        cache_keep(&job->server->cache, job->slot, j->frame);
    }
    if (j->build)
        job_answer(job);
    return SDD_OK;
}

/* Behind the answer. Where the engine cannot do the mesh all stays as it is. */
static int build_tables(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    struct resident *resident = job->slot->resident;
    struct sdd_refine_request request = j->request;
    struct sdd_error err = {0};
    request.method = TABLES_METHOD;
    int rc = resident->mesh ? sdd_prepare(resident->mesh, &request, &err) : SDD_ENO_MEMORY;
    atomic_store(&j->build->built, !rc);
    atomic_store(&j->build->refused, rc == SDD_EUNSUPPORTED || rc == SDD_ETOO_LARGE);
    if (resident->mesh)
        resident_measure(job->server->residency, resident);
    if (rc == SDD_EDEVICE)
        job->err = err;
    return rc == SDD_EDEVICE ? rc : SDD_OK;
}

static bool skip_build(const struct job *job)
{
    return !((const struct refine_job *)job)->build;
}

static void free_job(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    if (j->frame && j->frame->references == 0)
        cached_free(&job->server->cache, j->frame); /* cancelled before it was adopted */
    else if (j->frame && --j->frame->references == 0)
        cached_free(&job->server->cache, j->frame);
    stream_close(j->stream);
    positions_free(j->pose);
    mesh_job_fini(&j->base);
    free(job);
}

static void start(struct request *r, bool patches, bool posed)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, look_up, NULL},
                                        {ON_HOST, PHASE_PARSE, parse, skip_parse},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_needed},
                                        {ON_DEVICE, -1, compute, NULL},
                                        {ON_LOOP, -1, adopt, NULL},
                                        {ON_DEVICE, -1, build_tables, skip_build},
                                        {0}};
    static const struct job_ops ops = {steps, refine_answer, free_job};
    struct refine_job *j = refine_job_create(r, sizeof *j, patches);
    if (!j)
        return;
    j->posed = j->own_mesh = posed;
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
