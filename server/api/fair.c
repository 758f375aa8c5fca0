/* SPDX-License-Identifier: Apache-2.0 */
/* fair.c: answers POST /v1/meshes/{id}/fair: conformal flow, which makes a new version of a mesh. The job takes its
 * turn at the mesh to begin the flow, which has its own copy of the points; gives the turn back, and takes one step
 * after the other on the device, where others pass between them; and takes its turn again to store the points, if the
 * mesh is at the version that it was. */
#include "server/api/api.h"
#include "gpu/sdd/sdd_fair.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/operation/people.h"
#include "server/operation/idempotency.h"
#include "server/refine/refine.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A guess for the first step; later ones take what the last one took. */
#define STEP_NS_A_VERTEX 40000

/* The flow, which only the compute thread touches. */
struct flow {
    struct task task; /* Frees it. */
    sdd_fair *fair;
};
/* What clients may ask about. */
struct fair_record {
    struct lasting base;
    int steps, level;
    double energy; /* At the beginning. */
    struct sdd_fair_info info;
    struct sdd_fair_report last; /* Of no step yet: step is 0. */
    int64_t version;             /* The new one; 0 until it is stored. */
    struct cache *cache;         /* Frees the frame of a level. */
};
struct fair_job {
    struct frame_job base;
    struct sdd_fair_request request;
    int steps;
    bool async;   /* The client prefers not to wait. */
    bool is_read; /* The body, that is. */
    bool departed, is_over;
    struct flow *flow; /* NULL until it begins. */
    struct sdd_fair_info info;
    double energy;
    struct sdd_fair_report report;
    struct store_info mesh;      /* As it was when the flow began. */
    struct sdd_plan_info counts; /* With a level: what it has, and its frame of the points. */
    sdd_plan *level_plan;
    struct payload payload;
    float *points;
    struct positions *positions; /* They borrow from points. */
    struct fair_record *record;  /* The registry's; NULL until it is there. */
    struct lasting *same;        /* The job that an earlier request with the same key began. */
    bool told;                   /* A client has the id. */
};

static struct mesh_job *mesh_of(struct job *job)
{
    return &((struct fair_job *)job)->base.base.base;
}

/* ---- what clients may ask about ---------------------------------------------------------------------------------- */
static void member(struct text *out, const char *key, double value)
{
    text_key(out, key);
    if (isfinite(value))
        text_printf(out, "%.9g", value);
    else
        text_puts(out, "null");
}

static void distortion(struct text *out, const char *key, const struct sdd_fair_distortion *d)
{
    text_key(out, key);
    text_puts(out, "{");
    member(out, "mean", d->mean);
    member(out, "p99", d->p99);
    member(out, "largest", d->largest);
    text_puts(out, "}");
}

static void write_record(const struct lasting *l, struct text *out)
{
    const struct fair_record *r = (const struct fair_record *)l;
    const struct sdd_fair_report *last = &r->last;
    text_member_int(out, "steps", r->steps);
    text_member_int(out, "level", r->level);
    text_member_int(out, "deviceBytes", r->info.device_bytes);
    member(out, "energyBefore", r->energy);
    member(out, "energy", last->step ? last->energy : r->energy);
    if (last->step) {
        text_key(out, "stopped");
        text_puts(out, last->stopped ? "true" : "false");
        member(out, "tau", last->tau);
        text_key(out, "distortion");
        text_puts(out, "{");
        distortion(out, "step", &last->distortion);
        distortion(out, "all", &last->kept);
        text_puts(out, "}");
        member(out, "exactness", last->exactness);
        text_key(out, "iterations");
        text_puts(out, "{");
        text_member_int(out, "spin", last->spin_iterations);
        text_member_int(out, "points", last->point_iterations);
        text_member_int(out, "exactness", last->exact_iterations);
        text_puts(out, "}");
    }
    if (r->version)
        text_member_int(out, "version", r->version);
}

static void free_record(struct lasting *l)
{
    struct fair_record *r = (struct fair_record *)l;
    if (l->frame)
        cached_unref(r->cache, l->frame);
    free(r);
}
static const struct lasting_kind kind = {"fair", write_record, free_record};

/* ---- the request ------------------------------------------------------------------------------------------------- */
static int parse(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct mesh_job *m = mesh_of(job);
    int rc = idempotency_digest(m);
    if (!rc)
        rc = decode_begin(m, decode_usual(m));
    if (rc)
        return rc;
    rc = decode_end(m, fair_from_json(m->body, m->body_bytes, &f->request, &f->steps, &job->err));
    if (!rc)
        rc = level_check(f->request.level, job_service(job)->config->max_level, &job->err);
    f->is_read = !rc;
    return rc;
}

static bool skip_parse(const struct job *job)
{
    return ((const struct fair_job *)job)->is_read;
}

static int load(struct job *job)
{
    int rc = storage_result(job_service(job)->storage, idempotency_find(mesh_of(job)));
    return rc || skip_load_resident(job) ? rc : step_load(job);
}

static bool skip_load_keyed(const struct job *job)
{
    return skip_load_resident(job) && !((const struct mesh_job *)job)->key;
}

/* Was this request sent once before, and has it begun a job? Then that is its answer. Else no other may run. */
static int meet(struct fair_job *f)
{
    struct job *job = &f->base.base.base.job;
    const struct idempotency *key = mesh_of(job)->key;
    const struct lastings *all = &job->jobs->lasting;
    const char *owner = job->request->owner;
    const struct lasting *other;
    f->same = key ? lasting_of_key(all, owner, key->key) : NULL;
    if (f->same)
        return memcmp(key->digest, f->same->digest, sizeof f->same->digest) == 0
                   ? JOB_DONE
                   : job_fail(job, SDD_EKEY_REUSED, "idempotency-key", "the key began job %s with another request",
                              f->same->id);
    if (!(other = lasting_at_work(all, slot_of(job)->id)))
        return SDD_OK;
    const bool own = strcmp(other->owner, owner) == 0;
    return job_fail(job, SDD_ECONFLICT, "id", "a flow of this mesh is running%s%s; wait for its end%s",
                    own ? ": job " : "", own ? other->id : "", own ? ", or DELETE the job" : "");
}

static struct fair_record *create_record(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct mesh_job *m = mesh_of(job);
    struct fair_record *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->base.kind = &kind;
    snprintf(r->base.owner, sizeof r->base.owner, "%s", job->request->owner);
    snprintf(r->base.about, sizeof r->base.about, "%s", m->slot->id);
    r->steps = f->steps;
    r->level = f->request.level;
    r->cache = &memory_of(job)->cache;
    if (m->key) {
        memcpy(r->base.key, m->key->key, sizeof r->base.key);
        memcpy(r->base.digest, m->key->digest, sizeof r->base.digest);
    }
    lasting_begin(&job->jobs->lasting, &r->base, job);
    return r;
}

/* On the loop, at the mesh's turn: from here on there is a job that clients can ask about, and that outlives its
 * request. */
static int enrol(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct mesh_job *m = mesh_of(job);
    int rc = f->record ? SDD_OK : meet(f);
    if (!rc)
        rc = step_change_all(job);
    if (!rc)
        rc = ensure_resident_record(job);
    if (rc || f->record)
        return rc;
    if (!(f->record = create_record(job)))
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    m->any_version = false; /* The points are stored for this version alone. */
    m->expected = m->slot->info.version;
    f->mesh = m->slot->info;
    job->lasts = true;
    job->cost_ns[ON_DEVICE] = STEP_NS_A_VERTEX * (m->slot->info.n_vertices << (2 * f->request.level));
    return SDD_OK;
}

/* ---- the flow ---------------------------------------------------------------------------------------------------- */
/* Makes the frame of a level's points. The mesh may have changed since the flow began, so what its header says of it
 * was kept. */
static int make_frame(struct fair_job *f)
{
    struct ask_job *a = &f->base.base;
    struct sdd_plan_info *counts = &f->counts;
    const int64_t bytes = f->info.n_points * 3 * (int64_t)sizeof *f->points;
    counts->n_blocks = 1;
    counts->blocks[0] = (struct sdd_block){.semantic = SDD_POSITIONS,
                                           .format = SDD_F32,
                                           .components = 3,
                                           .count = f->info.n_points,
                                           .bytes = bytes,
                                           .data = f->points,
                                           .digest = sdd_digest(f->points, bytes)};
    const struct payload_about about = {.mesh_id = f->mesh.id,
                                        .topology_id = f->mesh.topology_id,
                                        .backend = memory_of(&a->base.job)->device_info.backend,
                                        .version = f->mesh.version,
                                        .level = f->request.level,
                                        .stage = &f->mesh.stage};
    return payload_make(&about, counts, &f->payload, &a->base.job.err);
}

static int begin(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct resident *resident = slot_of(job)->resident;
    struct residency *residency = memory_of(job)->residency;
    struct frame_plan needs = {0};
    int rc = ensure_resident(job);
    if (!rc && !f->flow && !(f->flow = calloc(1, sizeof *f->flow)))
        rc = job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    if (!rc)
        rc = sdd_fair_plan(resident_topology(resident), &f->request, &f->info, &job->err);
    needs.device_bytes = f->info.device_bytes + f->info.build_bytes;
    needs.host_bytes = f->info.n_points * 3 * (int64_t)sizeof(float);
    if (!rc && f->request.level)
        rc = level_counts(&f->base.base, f->request.level, &f->level_plan, &f->counts);
    if (!rc)
        rc = budget_limit(job, "", needs.host_bytes);
    if (!rc)
        rc = budget_admit(&f->base, &needs);
    if (rc)
        return rc;
    do
        rc = sdd_fair_begin(resident->mesh, &f->request, &f->flow->fair, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(residency, resident, job->err.needed));
    resident_measure(residency, resident); /* The connectivity of a level stays with the topology. */
    residency_publish(residency);
    if (!rc)
        f->energy = sdd_fair_energy(f->flow->fair);
    return rc;
}

static bool has_departed(const struct job *job)
{
    return ((const struct fair_job *)job)->departed;
}

static int depart(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    f->departed = true;
    f->record->info = f->info;
    f->record->energy = f->energy;
    job->thing = 0; /* The flow has all that it works with: others may work on the topology inside a step. */
    job_leave_turn(job);
    if (f->async)
        job_answer(job);
    return SDD_OK;
}

static int step(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    const uint64_t start = uv_hrtime();
    int rc = sdd_fair_step(f->flow->fair, &f->report, &job->err);
    job->cost_ns[ON_DEVICE] = (int64_t)(uv_hrtime() - start);
    return rc;
}

static bool is_over(const struct job *job)
{
    return ((const struct fair_job *)job)->is_over;
}

/* Between two steps, on the loop: the next one goes to the end of the line. */
static int note(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    f->record->last = f->report;
    lasting_move(&f->record->base, f->report.step);
    f->is_over = f->report.step >= f->steps || f->report.stopped;
    return f->is_over ? SDD_OK : JOB_BACK;
}

static int take_points(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    if (!f->points && !(f->points = malloc((size_t)f->info.n_points * 3 * sizeof *f->points)))
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    int rc = sdd_fair_points(f->flow->fair, f->points, &job->err);
    if (rc)
        return rc;
    sdd_fair_free(f->flow->fair); /* Its memory is for others, while the job waits for its turn. */
    f->flow->fair = NULL;
    residency_publish(memory_of(job)->residency);
    if (f->request.level)
        return make_frame(f);
    return positions_from_octets(f->points, (size_t)f->info.n_points * 3 * sizeof *f->points, 0, &f->positions,
                                 &job->err);
}

static bool has_points(const struct job *job)
{
    return ((const struct fair_job *)job)->positions;
}

/* The points of a level are the job's own: they are kept with its record. */
static int publish(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct lasting *l = &f->record->base;
    if (!(l->frame = cached_of_block(&f->payload, f->points, f->base.claim)))
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    f->base.claim = 0;
    f->payload = (struct payload){0};
    f->points = NULL;
    l->state = LASTING_DONE;
    return JOB_DONE;
}

static bool has_no_level(const struct job *job)
{
    return !((const struct fair_job *)job)->request.level;
}

/* ---- the new version --------------------------------------------------------------------------------------------- */
static int rejoin(struct job *job)
{
    (void)job;
    return JOB_TURN;
}

static bool holds(const struct job *job)
{
    return job->holds;
}

static int match(struct job *job)
{
    int rc = step_change_all(job);
    if (!rc)
        rc = ensure_resident_record(job);
    return rc ? rc : step_settle_record(job);
}

static int move(struct job *job)
{
    return positions_move(job, ((const struct fair_job *)job)->positions);
}

static int commit(struct job *job)
{
    return positions_commit(job, ((const struct fair_job *)job)->positions, "fair");
}

static int adopt(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    f->record->version = slot_of(job)->info.version;
    f->record->base.state = LASTING_DONE;
    return positions_adopt(job);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */
static void answer(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct request *r = job->request;
    struct lasting *l = f->same ? f->same : f->record ? &f->record->base : NULL;
    if (!l) {
        (void)idempotency_replay(mesh_of(job));
        return;
    }
    if (l->state == LASTING_DONE && !f->same && !l->frame) {
        struct info_state state = info_state_of(job_service(job), &slot_of(job)->info, slot_of(job));
        answer_info(r, 200, &slot_of(job)->info, &state);
        return;
    }
    f->told = true;
    answer_job(r, l->state == LASTING_DONE ? 200 : 202, l);
    if (f->same)
        answer_header(r, "Idempotency-Replayed", "true");
    if (f->async && l->state != LASTING_DONE)
        answer_header(r, "Preference-Applied", "respond-async");
}

static void free_flow(struct task *task, void *user)
{
    struct flow *flow = (struct flow *)task;
    const struct service *s = user;
    sdd_fair_free(flow->fair);
    residency_publish(s->memory->residency);
    free(flow);
}

static void end_record(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    struct lastings *all = &job->jobs->lasting;
    struct lasting *l = &f->record->base;
    lasting_end(all, l,
                job->rc >= 0                ? LASTING_DONE
                : atomic_load(&job->cancel) ? LASTING_CANCELLED
                                            : LASTING_FAILED,
                &job->err);
    if (!f->told) /* Whoever asked has the whole answer. */
        lasting_forget(all, l);
}

static void free_job(struct job *job)
{
    struct fair_job *f = (struct fair_job *)job;
    if (f->record)
        end_record(job);
    if (f->flow) {
        f->flow->task = (struct task){.run = free_flow};
        executor_post(job->jobs->compute, &f->flow->task);
    }
    positions_free(f->positions);
    payload_fini(&f->payload);
    sdd_plan_free(f->level_plan);
    free(f->points);
    budget_give(&f->base);
    mesh_job_free(job);
}

/* Whether the header Prefer (RFC 7240) has this token among its preferences. */
static bool prefers(const struct request *r, const char *token)
{
    const char *s = request_header(r, "Prefer");
    for (size_t n; s && *(s += strspn(s, " \t,")); s += strcspn(s, ",")) {
        n = strcspn(s, " \t,;=");
        if (n == strlen(token) && strncasecmp(s, token, n) == 0)
            return true;
    }
    return false;
}

void api_fair(struct request *r)
{
    static const struct step steps[] = {{ON_HOST, PHASE_PARSE, parse, skip_parse},
                                        {ON_STORE, PHASE_LOAD, load, skip_load_keyed},
                                        {ON_LOOP, -1, enrol, NULL},
                                        {ON_DEVICE, -1, begin, has_departed},
                                        {ON_LOOP, -1, depart, has_departed},
                                        {ON_DEVICE, PHASE_REFINE, step, is_over},
                                        {ON_LOOP, -1, note, is_over},
                                        {ON_DEVICE, -1, take_points, has_points},
                                        {ON_LOOP, -1, publish, has_no_level},
                                        {ON_LOOP, -1, rejoin, holds},
                                        {ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, match, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_DEVICE, -1, move, NULL},
                                        {ON_LOOP, -1, step_unsettle, NULL},
                                        {ON_STORE, PHASE_COMMIT, commit, NULL},
                                        {ON_LOOP, -1, adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    if (!request_header(r, "If-Match")) {
        answer_fail(r, SDD_EPRECONDITION, "if-match", "send If-Match with the version that is to flow, as in its ETag");
        return;
    }
    struct fair_job *f = mesh_job_create(r, sizeof *f, true);
    if (!f)
        return;
    f->steps = 1;
    f->request =
        (struct sdd_fair_request){.tau = 0.25, .solves = 3, .exactness = 1, .cancel = &f->base.base.base.job.cancel};
    f->async = prefers(r, "respond-async");
    mesh_job_start(r, &f->base.base.base, &ops);
}
