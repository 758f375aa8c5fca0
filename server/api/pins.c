/* SPDX-License-Identifier: Apache-2.0 */
/* pins.c: PUT and DELETE /v1/meshes/{id}/pin: a pinned mesh is on the device and stays there, until it is unpinned or
 * deleted. That takes memory from all others, so an administrator says so. Pins outlive a restart: pins_restore loads
 * the meshes again behind the start, one after the other. */
#include "server/api/pins.h"
#include "server/api/api.h"
#include <stdlib.h>
#include <string.h>

struct pins {
    int n, next;
    bool starts, ended; /* A job is being started, and has ended meanwhile. */
    struct store_pinned *list;
};
struct pin_job {
    struct mesh_job base;
    struct pins *restored; /* Those that are loaded again, of which this is one; or NULL. */
    bool pinned;           /* The device holds it. */
    int failed;            /* What the store said. */
    struct sdd_error err;
};

/* From here on the job goes on to its end: what the device holds and what the store says must be the same. */
static int pin(struct job *job)
{
    struct pin_job *p = (struct pin_job *)job;
    const struct config *c = job_service(job)->config;
    if (p->restored && !slot_of(job)->pinned) /* It was unpinned meanwhile. */
        return JOB_DONE;
    int rc = ensure_resident(job);
    if (!rc)
        rc = resident_pin(memory_of(job)->residency, slot_of(job)->resident, (int)c->pinned_percent, &job->err);
    residency_publish(memory_of(job)->residency);
    p->pinned = job->committed = !rc;
    return rc;
}

static int commit(struct job *job)
{
    struct pin_job *p = (struct pin_job *)job;
    bool changed;
    p->failed = storage_result(job_service(job)->storage,
                               store_pin(job_service(job)->storage->store, slot_of(job)->id, true, &changed, &p->err));
    return SDD_OK;
}

static bool skip_commit(const struct job *job)
{
    return ((const struct pin_job *)job)->restored;
}

static int give_back(struct job *job)
{
    struct pin_job *p = (struct pin_job *)job;
    if (!slot_of(job)->pinned) {
        resident_unpin(memory_of(job)->residency, slot_of(job)->resident);
        residency_publish(memory_of(job)->residency);
    }
    job->err = p->err;
    return p->failed;
}

static bool skip_give_back(const struct job *job)
{
    return !((const struct pin_job *)job)->failed;
}

static int adopt(struct job *job)
{
    slot_of(job)->pinned = true;
    return SDD_OK;
}

static void pin_answer(struct job *job)
{
    const struct info_state state = info_state_of(job_service(job), &slot_of(job)->info, slot_of(job));
    answer_info(job->request, 200, &slot_of(job)->info, &state);
}

static const struct step pin_steps[] = {{ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, ensure_resident_record, NULL},
                                        {ON_DEVICE, -1, pin, NULL},
                                        {ON_STORE, PHASE_COMMIT, commit, skip_commit},
                                        {ON_DEVICE, -1, give_back, skip_give_back},
                                        {ON_LOOP, -1, adopt, NULL},
                                        {0}};

void api_pin(struct request *r)
{
    static const struct job_ops ops = {pin_steps, pin_answer, mesh_job_free};
    struct pin_job *p = mesh_job_create(r, sizeof *p, false);
    if (p)
        mesh_job_start(r, &p->base, &ops);
}

/* ---- DELETE ----------------------------------------------------------------------------------------------------- */
static int forget(struct job *job)
{
    struct service *s = job_service(job);
    const struct slot *slot = slot_of(job);
    const bool held = slot->pinned || (slot->resident && atomic_load(&slot->resident->pinned));
    bool changed;
    int rc = storage_result(s->storage, store_pin(s->storage->store, slot->id, false, &changed, &job->err));
    job->committed = !rc;
    return rc || changed || held ? rc : job_fail(job, SDD_ENOT_FOUND, "pin", "mesh %s is not pinned", slot->id);
}

static int unpin_slot(struct job *job)
{
    slot_of(job)->pinned = false;
    return SDD_OK;
}

static int unpin(struct job *job)
{
    resident_unpin(memory_of(job)->residency, slot_of(job)->resident);
    residency_publish(memory_of(job)->residency);
    return SDD_OK;
}

static bool skip_unpin(const struct job *job)
{
    return !slot_of(job)->resident;
}

static void unpin_answer(struct job *job)
{
    answer_empty(job->request, 204);
}

void api_unpin(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_STORE, PHASE_COMMIT, forget, NULL},
                                        {ON_LOOP, -1, unpin_slot, NULL},
                                        {ON_DEVICE, -1, unpin, skip_unpin},
                                        {0}};
    static const struct job_ops ops = {steps, unpin_answer, mesh_job_free};
    struct mesh_job *j = mesh_job_create(r, sizeof *j, false);
    if (!j)
        return;
    j->evaluates = EVALUATES_OTHERS;
    mesh_job_start(r, j, &ops);
}

/* ---- after a start ---------------------------------------------------------------------------------------------- */
static void restore_next(struct service *s, struct pins *pins);

/* What does not fit any more, or is in quarantine, stays stored as pinned: the next start tries again. */
static void restored(struct job *job)
{
    struct pin_job *p = (struct pin_job *)job;
    struct service *s = job_service(job);
    struct pins *pins = p->restored;
    const bool goes_on = s->net->state == NET_READY && !atomic_load(&job->cancel);
    if (!p->pinned && slot_of(job)->pinned) {
        slot_of(job)->pinned = false;
        log_event(s->net->log, LOG_WARNING, "pins", "mesh %s is pinned and could not be loaded: %s", slot_of(job)->id,
                  *job->err.text ? job->err.text : "the daemon stops");
    }
    mesh_job_free(job);
    if (!goes_on)
        pins->next = pins->n;
    pins->ended = true;
    if (!pins->starts) /* Else it has ended before mesh_job_start_own has returned. */
        restore_next(s, pins);
}

static void restore_next(struct service *s, struct pins *pins)
{
    static const struct job_ops ops = {pin_steps, NULL, restored};
    while (pins->next < pins->n) {
        const struct store_pinned *one = &pins->list[pins->next++];
        struct slot *slot = slot_find(&s->memory->slots, one->id);
        struct pin_job *p = slot && slot->pinned ? mesh_job_own(s, sizeof *p, "pin", one->workspace) : NULL;
        if (!p)
            continue;
        p->restored = pins;
        pins->ended = false;
        pins->starts = true;
        mesh_job_start_own(&p->base, slot, &ops);
        pins->starts = false;
        if (!pins->ended)
            return;
    }
    free(pins->list);
    free(pins);
}

int pins_restore(struct service *s, struct sdd_error *err)
{
    struct pins *pins = calloc(1, sizeof *pins);
    if (!pins)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    int rc = store_pins(s->storage->store, &pins->list, &pins->n, err);
    if (rc) {
        free(pins);
        return rc;
    }
    for (int i = 0; i < pins->n; i++) {
        struct slot *slot = slot_get(&s->memory->slots, pins->list[i].id, STORE_ANY_VERSION);
        if (slot)
            slot->pinned = true;
    }
    restore_next(s, pins);
    return SDD_OK;
}
