/* SPDX-License-Identifier: Apache-2.0 */
/* compute.c: frames on the compute thread: as a whole, in pieces while they are sent, or many together. */
#include "gpu/sdd/sdd.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <string.h>

/* The mesh as it is now, or posed, for this answer alone. JOB_AGAIN: a host copy is needed first. */
static int make_own_mesh(struct refine_job *j, sdd_mesh **out)
{
    struct job *job = &j->base.job;
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

/* Meshes unused for long leave the device until there is room. patches NULL: sdd_refine. */
static int run(struct refine_job *j, sdd_mesh *mesh, const struct sdd_patches_request *patches, sdd_result **result)
{
    struct job *job = &j->base.job;
    struct resident *resident = slot_of(job)->resident;
    const struct sdd_run how = {&job->cancel, j->posed}; /* The frame of a pose is not kept. */
    int rc;
    do
        rc = patches            ? sdd_patches(mesh, patches, result, &job->err)
             : refine_begins(j) ? sdd_refine_begin(mesh, j->plan, &how, result, &job->err)
                                : sdd_refine(mesh, j->plan, &how, result, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(memory_of(job)->residency, resident, job->err.needed));
    resident_measure(memory_of(job)->residency, resident);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(job_service(job)->metrics, M_GPU_ERRORS_MEMORY, 1);
    return rc;
}

static int make_refined(struct refine_job *j, sdd_result **result)
{
    sdd_mesh *own = NULL;
    int rc = refine_admit(j);
    if (!rc && j->posed)
        rc = make_own_mesh(j, &own);
    if (!rc)
        rc = run(j, own ? own : j->base.slot->resident->mesh, NULL, result);
    sdd_mesh_free(own);
    return rc;
}

/* What is asked for of a frame that is made while it is sent: its first piece. */
static int make_stream(struct refine_job *j)
{
    struct job *job = &j->base.job;
    const struct frame_about about = refine_about(j);
    struct stream_ask ask = {
        .cancel = &job->cancel, .first = j->first, .length = j->length, .scheme = slot_of(job)->info.options.scheme};
    int rc = refine_ring(j, j->length / STREAM_ROW_BYTES + 1);
    ask.rows = j->piece_rows;
    if (!rc)
        rc = refine_admit(j);
    if (!rc)
        rc = frame_make(&about, sdd_plan_info(j->plan), &ask.frame, &job->err);
    if (rc)
        return rc;
    rc = make_own_mesh(j, &ask.mesh);
    ask.plan = j->plan;
    if (rc)
        frame_fini(&ask.frame);
    else {
        j->plan = NULL;
        rc = stream_create(job_service(job), &ask, job->phases, &job->refined_by, &j->stream, &job->err);
    }
    resident_measure(memory_of(job)->residency, slot_of(job)->resident);
    return rc;
}

static int make_patches(struct refine_job *j, sdd_result **result)
{
    struct sdd_patches_request request = {j->request.level, j->request.surface, 0, &j->base.job.cancel};
    int rc = refine_budget(j, &request.max_bytes);
    if (!rc)
        rc = run(j, j->base.slot->resident->mesh, &request, result);
    if (rc == SDD_ETOO_LARGE && strcmp(j->base.job.err.field, "max_bytes") == 0)
        return refine_over(j);
    if (rc)
        return rc;
    rc = refine_check(j, &sdd_result_info(*result)->plan);
    if (rc)
        sdd_result_free(*result);
    return rc;
}

/* Resident, planned; *pieces: is it made while it is sent? */
static int begin(struct refine_job *j, bool *pieces)
{
    int rc = ensure_resident(&j->base.job);
    *pieces = false;
    if (!rc && !j->patches)
        rc = refine_plan(j);
    if (!rc && !j->patches)
        rc = refine_range(j, pieces);
    return rc;
}

static bool is_there(const struct cached *c)
{
    return atomic_load(&c->there) == c->frame.bytes;
}

/* More of the frame. */
static int bring_more(struct refine_job *j)
{
    struct cached *c = j->frame;
    int64_t left;
    int rc = sdd_result_bring(c->result, REFINE_PIECE_BYTES, &left, &j->base.job.err);
    if (!rc)
        atomic_store(&c->there, frame_there(&c->frame, sdd_result_info(c->result)->plan.host_bytes - left));
    return rc;
}

static void more_is_there(struct task *task, void *user)
{
    const struct service *s = user;
    struct refine_job *j = CONTAINER(task, struct refine_job, more);
    atomic_store(&j->told, false);
    refine_adopt(j);
    job_answer(&j->base.job);
    answers_wake(s->sending);
}

static void tell(struct refine_job *j)
{
    if (atomic_exchange(&j->told, true))
        return;
    j->more.run = more_is_there;
    jobs_hand_over(j->base.job.jobs, &j->more);
}

/* The rest of it, while the loop sends what is there. */
static int bring_rest(struct refine_job *j)
{
    const struct sdd_result_info *info = sdd_result_info(j->frame->result);
    const double before = info->download_seconds;
    int rc = SDD_OK;
    if (is_there(j->frame))
        return SDD_OK;
    tell(j);
    while (!rc && !is_there(j->frame)) {
        rc = bring_more(j);
        tell(j);
    }
    j->rest = info->download_seconds - before;
    return rc;
}

/* Takes the result. */
static int make_frame(struct refine_job *j, sdd_result *result)
{
    struct job *job = &j->base.job;
    const struct frame_about about = refine_about(j);
    const struct sdd_result_info *info = sdd_result_info(result);
    metrics_add(job_service(job)->metrics, (enum metric)(M_REFINED_CATMULL_CLARK + slot_of(job)->info.options.scheme),
                info->plan.n_vertices);
    j->computed = true;
    int rc = cached_create(j->key, &about, result, &j->frame, &job->err);
    if (!rc)
        rc = bring_more(j);
    if (!rc) {
        job->refined_by = info->by;
        job->phases[PHASE_REFINE] += info->refine_seconds;
        job->phases[PHASE_DIGEST] += info->digest_seconds;
        job->phases[PHASE_DOWNLOAD] += info->download_seconds;
        rc = bring_rest(j);
    }
    if (!rc && !j->patches)
        refine_learn(j->frame_bytes, info->refine_seconds + info->digest_seconds + info->download_seconds);
    residency_publish(memory_of(job)->residency);
    return rc;
}

static int make_alone(struct refine_job *j, bool pieces)
{
    sdd_result *result = NULL;
    if (pieces)
        return make_stream(j);
    int rc = j->patches ? make_patches(j, &result) : make_refined(j, &result);
    return rc ? rc : make_frame(j, result);
}

void refine_lose(struct refine_job *j)
{
    if (!j->frame || !j->computed || is_there(j->frame))
        return;
    j->frame->lost = true;
    cache_drop(&memory_of(&j->base.job)->cache, j->frame);
    answers_wake(job_service(&j->base.job)->sending);
}

/* ---- many ------------------------------------------------------------------------------------------------------- */
enum { MOST_TOGETHER = 1 + JOB_MOST_JOINED };

/* Jobs whose frames are made by one call: the one whose step this is, then those that waited behind it. */
struct together {
    int n;
    struct refine_job *jobs[MOST_TOGETHER];
    sdd_mesh *own[MOST_TOGETHER]; /* of its pose                                   */
    bool ended[MOST_TOGETHER];    /* its step has, as rc says                      */
    int rc[MOST_TOGETHER];
};

/* The same, of a mesh of the same topology? */
static bool is_alike(const struct job *job, const struct job *other)
{
    const struct refine_job *a = (const struct refine_job *)job, *b = (const struct refine_job *)other;
    const struct sdd_refine_request *x = &a->request, *y = &b->request;
    return !b->patches && !b->alone && x->level == y->level && x->surface == y->surface && x->include == y->include &&
           x->compact == y->compact && x->primvars == y->primvars && strcmp(a->method, b->method) == 0 &&
           strcmp(slot_of(job)->info.topology_id, slot_of(other)->info.topology_id) == 0;
}

/* With those that wait by now, as many as may be made at once; nobody is waited for. */
static void gather(struct refine_job *j, struct together *t)
{
    struct job *others[JOB_MOST_JOINED];
    const int n = job_join(&j->base.job, is_alike, refine_together(j) - 1, others);
    t->jobs[t->n++] = j;
    for (int k = 0; k < n; k++)
        t->jobs[t->n++] = (struct refine_job *)others[k];
}

static void end(struct together *t, int k, int rc)
{
    t->ended[k] = true;
    t->rc[k] = rc;
}

/* What may fail for the job's own sake. Who lacks memory for it here has it alone. */
static void prepare(struct together *t, int k)
{
    struct refine_job *j = t->jobs[k];
    bool pieces = false;
    int rc = k ? begin(j, &pieces) : SDD_OK; /* the first has begun */
    if (!rc && pieces)
        end(t, k, make_stream(j));
    else if (!rc)
        rc = refine_admit(j);
    if (!rc && !pieces && j->posed)
        rc = make_own_mesh(j, t->own + k);
    if (rc && rc != SDD_ENO_MEMORY)
        end(t, k, rc);
}

/* All of them, or none. The meshes are looked up at last: loading one may have evicted another. */
static void make_many(struct together *t)
{
    struct service *s = job_service(&t->jobs[0]->base.job);
    sdd_mesh *meshes[MOST_TOGETHER];
    sdd_result *results[MOST_TOGETHER];
    struct sdd_error err;
    int n = 0, of[MOST_TOGETHER];
    for (int k = 0; k < t->n; k++) {
        const struct refine_job *j = t->jobs[k];
        sdd_mesh *mesh = j->posed ? t->own[k] : j->base.slot->resident->mesh;
        if (t->ended[k] || !mesh)
            continue;
        meshes[n] = mesh;
        of[n++] = k;
    }
    if (n < 2)
        return;
    /* Whoever leaves does not stop the others, so that nothing cancels this. */
    const struct sdd_run how = {.soon_freed = t->jobs[0]->posed};
    const int rc = sdd_refine_batch(meshes, n, t->jobs[of[0]]->plan, &how, results, &err);
    for (int i = 0; i < n; i++) {
        resident_measure(s->memory->residency, t->jobs[of[i]]->base.slot->resident);
        if (!rc)
            end(t, of[i], make_frame(t->jobs[of[i]], results[i]));
    }
    metrics_add(s->metrics, M_FRAMES_TOGETHER, rc ? 0 : n);
}

/* Whatever keeps them from being made together, each gets its own turn, and its own answer. */
static int make_together(struct together *t)
{
    bool pieces;
    for (int k = 0; k < t->n; k++)
        prepare(t, k);
    make_many(t);
    for (int k = 0; k < t->n; k++)
        sdd_mesh_free(t->own[k]);
    for (int k = 1; k < t->n; k++) {
        t->jobs[k]->alone = true;
        if (t->ended[k])
            job_leave(&t->jobs[k]->base.job, t->rc[k]);
        else
            job_wait(&t->jobs[k]->base.job);
    }
    if (t->ended[0])
        return t->rc[0];
    int rc = begin(t->jobs[0], &pieces);
    return rc ? rc : make_alone(t->jobs[0], pieces);
}

int refine_compute(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    struct together t = {0};
    bool pieces;
    int rc = begin(j, &pieces);
    if (rc)
        return rc;
    if (!pieces && !j->patches && !j->alone)
        gather(j, &t);
    return t.n > 1 ? make_together(&t) : make_alone(j, pieces);
}
