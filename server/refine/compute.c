/* SPDX-License-Identifier: Apache-2.0 */
/* compute.c: makes the frames of refined and pose on the compute thread: as a whole, in pieces while they are sent, or
 * in a batch. It also makes a frame from the result of any route. */
#include "gpu/sdd/sdd.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <string.h>

static struct job *job_of(struct refine_job *j)
{
    return &j->base.base.base.job;
}

static struct ask_job *ask_of(struct refine_job *j)
{
    return &j->base.base;
}

/* ---- from a result to a frame ---------------------------------------------------------------------------------- */
bool compute_is_there(const struct cached *c)
{
    return atomic_load(&c->there) == c->payload.bytes;
}

/* Brings the next piece of the frame. */
static int more(struct frame_job *j)
{
    struct cached *c = j->frame;
    int64_t left;
    int rc = sdd_result_bring(c->result, REFINE_PIECE_BYTES, &left, &j->base.base.job.err);
    if (!rc)
        atomic_store(&c->there, payload_there(&c->payload, sdd_result_info(c->result)->plan.host_bytes - left));
    return rc;
}

int compute_frame(struct frame_job *j, bool undigested, sdd_result *result)
{
    struct job *job = &j->base.base.job;
    const struct payload_about about = payload_about_of(&j->base, undigested);
    const struct sdd_result_info *info = sdd_result_info(result);
    metrics_add(job_service(job)->metrics, (enum metric)(M_REFINED_CATMULL_CLARK + slot_of(job)->info.options.scheme),
                info->plan.n_vertices);
    j->computed = true;
    if (!j->claim) { /* The size of patches is known only now; budget_left has told them what there was. */
        j->claim = info->plan.host_bytes;
        pool_add(&memory_of(job)->pool, POOL_FRAMES, j->claim);
    }
    int rc = cached_create(j->base.key, &about, result, info->plan.host_bytes, &j->frame, &job->err);
    if (!rc) {
        j->claim -= info->plan.host_bytes; /* The rest is that of a file. */
        rc = more(j);
    }
    if (rc)
        return rc;
    job->refined_by = info->by;
    job->phases[PHASE_REFINE] += info->refine_seconds;
    job->phases[PHASE_DIGEST] += info->digest_seconds;
    job->phases[PHASE_DOWNLOAD] += info->download_seconds;
    return SDD_OK;
}

/* ---- more of a frame while it is sent -------------------------------------------------------------------------- */
static void more_is_there(struct task *task, void *user)
{
    const struct service *s = user;
    struct refine_job *j = CONTAINER(task, struct refine_job, more);
    atomic_store(&j->told, false);
    refine_adopt(j);
    job_answer(job_of(j));
    answers_wake(s->sending);
}

static void tell(struct refine_job *j)
{
    if (atomic_exchange(&j->told, true))
        return;
    j->more.run = more_is_there;
    jobs_hand_over(job_of(j)->jobs, &j->more);
}

/* Brings the rest of the frame, while the loop sends what is there. */
static int bring_rest(struct refine_job *j)
{
    struct cached *frame = j->base.frame;
    const struct sdd_result_info *info = sdd_result_info(frame->result);
    const double before = info->download_seconds;
    int rc = SDD_OK;
    if (compute_is_there(frame))
        return SDD_OK;
    tell(j);
    while (!rc && !compute_is_there(frame)) {
        rc = more(&j->base);
        tell(j);
    }
    j->rest = info->download_seconds - before;
    return rc;
}

/* Makes the frame from the result, which it takes. */
static int make_frame(struct refine_job *j, sdd_result *result)
{
    const struct service *s = job_service(job_of(j));
    int rc = compute_frame(&j->base, j->plan.streamed, result);
    if (!rc)
        rc = bring_rest(j);
    if (!rc && !j->carried && !executor_was_paused(job_of(j)->jobs->compute)) {
        const struct sdd_result_info *info = sdd_result_info(j->base.frame->result);
        estimate_learn(s->estimate, info->plan.method, j->plan.frame_bytes,
                       info->refine_seconds + info->digest_seconds + info->download_seconds);
    }
    residency_publish(s->memory->residency);
    return rc;
}

void refine_lose(struct refine_job *j)
{
    struct cached *frame = j->base.frame;
    if (!frame || !j->base.computed || compute_is_there(frame))
        return;
    frame->lost = true;
    cache_drop(&memory_of(job_of(j))->cache, frame);
    answers_wake(job_service(job_of(j))->sending);
}

/* ---- one frame ------------------------------------------------------------------------------------------------- */
/* Checks the range of a frame that can have pieces before it is made. *pieces says whether it is made while it is sent.
 * The header with the digest needs the whole block, but a client that continues a frame does not ask for the header. */
static int choose_pieces(struct refine_job *j, bool *pieces)
{
    const struct frame_plan *p = &j->plan;
    *pieces = false;
    if (!frame_plan_has_pieces(ask_of(j), p) || (!p->streamed && p->frame_bytes <= p->piece_rows * STREAM_ROW_BYTES))
        return SDD_OK; /* The frame is made as a whole, and the answer checks the range. */
    int rc = range_asked(&j->base, p->frame_bytes);
    *pieces = p->streamed || (j->base.ranged > 0 && j->base.first >= p->block_at);
    return rc;
}

/* Brings the mesh to the device and plans. *pieces says whether the frame is made while it is sent. */
static int begin(struct refine_job *j, bool *pieces)
{
    int rc = ensure_resident(job_of(j));
    *pieces = false;
    if (!rc)
        rc = frame_plan_make(ask_of(j), j->posed, &j->plan);
    if (!rc)
        rc = file_admits(ask_of(j), &j->plan);
    return rc ? rc : choose_pieces(j, pieces);
}

/* Makes a mesh for this answer alone: the mesh as it is now, or posed. Returns JOB_AGAIN when a host copy is needed
 * first. */
static int make_own_mesh(struct refine_job *j, sdd_mesh **out)
{
    struct job *job = job_of(j);
    const struct slot *slot = slot_of(job);
    uint64_t start = uv_hrtime();
    j->own_mesh = true;
    if (!slot->host)
        return JOB_AGAIN;
    int rc = resident_copy(memory_of(job)->residency, slot->resident, slot->host,
                           j->posed ? j->pose->ranges[0].points : NULL, out, &job->err);
    job->phases[PHASE_UPLOAD] += (double)(uv_hrtime() - start) * 1e-9;
    return rc;
}

/* Refines, and evicts the least recently used meshes until there is room. */
static int run(struct refine_job *j, sdd_mesh *mesh, sdd_result **result)
{
    struct job *job = job_of(j);
    struct residency *residency = memory_of(job)->residency;
    struct resident *resident = slot_of(job)->resident;
    /* The frame of a pose is not kept. */
    const struct sdd_run how = {&job->cancel, j->posed, ask_of(j)->deltas};
    const bool begins = frame_plan_begins(ask_of(j), &j->plan);
    int rc;
    do
        rc = (begins ? sdd_refine_begin : sdd_refine)(mesh, j->plan.plan, &how, result, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(residency, resident, job->err.needed));
    resident_measure(residency, resident);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(job_service(job)->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    return rc;
}

static int make_whole(struct refine_job *j)
{
    sdd_mesh *own = NULL;
    sdd_result *result = NULL;
    int rc = budget_admit(&j->base, &j->plan);
    if (!rc && j->posed)
        rc = make_own_mesh(j, &own);
    if (!rc)
        rc = carry_frame(j, &result);
    if (!rc && !result)
        rc = run(j, own ? own : slot_of(job_of(j))->resident->mesh, &result);
    sdd_mesh_free(own);
    rc = rc ? rc : make_frame(j, result);
    if (!rc)
        carry_keep_mesh(j);
    return rc;
}

/* Makes the first piece of the requested bytes of a frame that is made while it is sent. */
static int make_stream(struct refine_job *j)
{
    struct job *job = job_of(j);
    const struct payload_about about = payload_about_of(ask_of(j), j->plan.streamed);
    struct stream_ask ask = {.cancel = &job->cancel,
                             .first = j->base.first,
                             .length = j->base.length,
                             .rows = j->plan.piece_rows,
                             .fair = job->task.claim,
                             .scheme = slot_of(job)->info.options.scheme};
    int rc = frame_plan_ring(ask_of(j), &j->plan, j->base.length / STREAM_ROW_BYTES + 1);
    if (!rc)
        rc = budget_admit(&j->base, &j->plan);
    if (!rc)
        rc = payload_make(&about, sdd_plan_info(j->plan.plan), &ask.payload, &job->err);
    if (rc)
        return rc;
    rc = make_own_mesh(j, &ask.mesh);
    if (rc)
        payload_fini(&ask.payload);
    else {
        ask.plan = j->plan.plan;
        ask.claim = j->base.claim;
        j->base.claim = 0;
        j->plan.plan = NULL;
        rc = rows_open(job_service(job), &ask, job->phases, &job->refined_by, &j->stream, &job->err);
    }
    if (!rc)
        stream_evaluates(j->stream, &j->base.base.base.evaluation);
    resident_measure(memory_of(job)->residency, slot_of(job)->resident);
    return rc;
}

static int make_alone(struct refine_job *j, bool pieces)
{
    return pieces ? make_stream(j) : make_whole(j);
}

/* ---- a batch --------------------------------------------------------------------------------------------------- */
enum { MOST_BATCH = 1 + JOB_MOST_JOINED };

/* Jobs whose frames are made by one call: the job that runs, then those that waited behind it. */
struct batch {
    int n;
    struct refine_job *jobs[MOST_BATCH];
    sdd_mesh *own[MOST_BATCH]; /* The mesh of the job's pose. */
    bool ended[MOST_BATCH];    /* Whether the job's step has ended, with rc as its result. */
    int rc[MOST_BATCH];
};

/* Do the requested primvars of two meshes have the same shapes? */
static bool has_same_primvars(const struct sdd_refine_request *x, const struct sdd_refine_request *y)
{
    for (int k = 0; k < x->n_primvars && k < y->n_primvars; k++) {
        const struct sdd_primvar *p = x->primvar_shapes + k, *q = y->primvar_shapes + k;
        if ((x->primvars >> k & 1) &&
            (p->interpolation != q->interpolation || p->width != q->width || p->channel != q->channel))
            return false;
    }
    return x->primvars == y->primvars;
}

/* A frame that may be carried over from the one before costs less by itself. */
static bool may_be_carried(const struct refine_job *j)
{
    return j->past && j->past->mesh;
}

/* Does another job request the same of a mesh with the same topology? */
static bool is_alike(const struct job *job, const struct job *other)
{
    const struct ask_job *a = (const struct ask_job *)job, *b = (const struct ask_job *)other;
    const struct sdd_refine_request *x = &a->request, *y = &b->request;
    const struct refine_job *waits = (const struct refine_job *)other;
    return job->bulk == other->bulk && !waits->alone && !may_be_carried(waits) && x->level == y->level &&
           x->surface == y->surface && x->include == y->include && x->compact == y->compact &&
           has_same_primvars(x, y) && strcmp(a->method, b->method) == 0 &&
           strcmp(slot_of(job)->info.topology_id, slot_of(other)->info.topology_id) == 0;
}

/* Takes the jobs that already wait, as many as one batch may have. It does not wait for more. */
static void gather(struct refine_job *j, struct batch *b)
{
    struct job *others[JOB_MOST_JOINED];
    const int n = job_join(job_of(j), is_alike, budget_batch(job_of(j), &j->plan) - 1, others);
    b->jobs[b->n++] = j;
    for (int k = 0; k < n; k++)
        b->jobs[b->n++] = (struct refine_job *)others[k];
}

static void end(struct batch *b, int k, int rc)
{
    b->ended[k] = true;
    b->rc[k] = rc;
}

/* Does the work that may fail for job k alone. A job that finds no memory here is made by itself later. */
static void prepare(struct batch *b, int k)
{
    struct refine_job *j = b->jobs[k];
    bool pieces = false;
    int rc = k ? begin(j, &pieces) : SDD_OK; /* The first job has begun already. */
    if (!rc && pieces)
        end(b, k, make_stream(j));
    else if (!rc)
        rc = budget_admit(&j->base, &j->plan);
    if (!rc && !pieces && j->posed)
        rc = make_own_mesh(j, b->own + k);
    if (rc && rc != SDD_ENO_MEMORY)
        end(b, k, rc);
}

/* Makes all frames of the batch, or none, by the plan of the first job. The meshes are looked up only now, because
 * loading one may have evicted another. */
static void make_batch(struct batch *b)
{
    struct service *s = job_service(job_of(b->jobs[0]));
    sdd_mesh *meshes[MOST_BATCH];
    sdd_result *results[MOST_BATCH];
    struct sdd_error err;
    int n = 0, of[MOST_BATCH], keep_pieces = 0;
    for (int k = 0; k < b->n; k++) {
        struct refine_job *j = b->jobs[k];
        sdd_mesh *mesh = j->posed ? b->own[k] : slot_of(job_of(j))->resident->mesh;
        if (b->ended[k] || !mesh)
            continue;
        keep_pieces |= ask_of(j)->deltas;
        meshes[n] = mesh;
        of[n++] = k;
    }
    if (n < 2)
        return;
    /* Nothing cancels this call, because a client that leaves must not stop the others. */
    const struct sdd_run how = {.soon_freed = b->jobs[0]->posed, .keep_pieces = keep_pieces};
    const int rc = sdd_refine_batch(meshes, n, b->jobs[of[0]]->plan.plan, &how, results, &err);
    for (int i = 0; i < n; i++) {
        struct refine_job *j = b->jobs[of[i]];
        resident_measure(s->memory->residency, slot_of(job_of(j))->resident);
        if (rc)
            continue;
        end(b, of[i], make_frame(j, results[i]));
        if (!b->rc[of[i]])
            carry_keep_mesh(j);
    }
    metrics_add(s->metrics, M_FRAMES_BATCHED, rc ? 0 : n);
}

/* Makes a batch. Jobs whose frames it did not make are made one by one, and each gets its own answer. */
static int compute_batch(struct batch *b)
{
    bool pieces;
    for (int k = 0; k < b->n; k++)
        prepare(b, k);
    make_batch(b);
    for (int k = 0; k < b->n; k++)
        sdd_mesh_free(b->own[k]);
    for (int k = 1; k < b->n; k++) {
        b->jobs[k]->alone = true;
        if (b->ended[k])
            job_leave(job_of(b->jobs[k]), b->rc[k]);
        else
            job_wait(job_of(b->jobs[k]));
    }
    if (b->ended[0])
        return b->rc[0];
    int rc = begin(b->jobs[0], &pieces);
    return rc ? rc : make_alone(b->jobs[0], pieces);
}

int refine_compute(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    struct batch b = {0};
    bool pieces;
    int rc = begin(j, &pieces);
    if (rc)
        return rc;
    if (!pieces && !j->alone && !may_be_carried(j))
        gather(j, &b);
    return b.n > 1 ? compute_batch(&b) : make_alone(j, pieces);
}
