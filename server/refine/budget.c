/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c: decides for all jobs that make output whether the configured limits, host memory and device memory admit
 * it. */
#include "server/refine/refine.h"

/* The most bytes of a batch of frames. A larger batch would keep other jobs waiting and gain less. */
#define MOST_BATCH_BYTES (64 << 20)
#define BUSY "others hold the memory that this frame needs; try again soon"

int budget_limit(struct job *job, const char *least, int64_t bytes)
{
    int64_t limit = job_service(job)->config->max_output_bytes;
    if (bytes <= limit)
        return SDD_OK;
    job_fail(job, SDD_ETOO_LARGE, "level", "the answer would have %s%lld bytes, the limit is %lld", least,
             (long long)bytes, (long long)limit);
    job->err.needed = bytes;
    job->err.available = limit;
    return job->err.code;
}

static int no_memory(struct job *job, const char *what, int64_t needed, int64_t available)
{
    job_fail(job, SDD_ENO_MEMORY, "level", "%s: %lld bytes are needed, %lld can be had", what, (long long)needed,
             (long long)available);
    job->err.needed = needed;
    job->err.available = available > 0 ? available : 0;
    return job->err.code;
}

/* Fails when the pool can never give these bytes beside the host copy that the job itself uses. */
static int within_pool(struct job *job, int64_t bytes)
{
    const int64_t needed = bytes + slot_of(job)->host_bytes, limit = memory_of(job)->pool.limit;
    return needed <= limit ? SDD_OK : no_memory(job, "host memory", needed, limit);
}

static int within_host(struct job *job, int64_t bytes)
{
    if (bytes <= pool_could(&memory_of(job)->pool))
        return SDD_OK;
    int rc = within_pool(job, bytes);
    return rc ? rc : job_fail(job, SDD_EBUSY, "", BUSY);
}

/* May a job take its memory before those that wait for theirs? It may when it has waited itself, and when it is so
 * small that the others wait no longer for it. */
static bool may_pass(const struct job *job, int64_t bytes)
{
    return job->parked || bytes <= memory_of(job)->pool.limit / POOL_SMALL || !atomic_load(&job->jobs->n_parked);
}

int budget_claim(struct frame_job *j, int64_t bytes)
{
    struct job *job = &j->base.base.job;
    struct pool *pool = &memory_of(job)->pool;
    budget_give(j); /* A step that runs again may need another frame. */
    int rc = within_pool(job, bytes);
    if (rc)
        return rc;
    if (may_pass(job, bytes) && pool_take(pool, POOL_FRAMES, bytes)) {
        j->claim = bytes;
        return SDD_OK;
    }
    (void)job_fail(job, SDD_EBUSY, "", BUSY);
    job->err.needed = bytes;
    return JOB_PARK;
}

void budget_give(struct frame_job *j)
{
    pool_give(&memory_of(&j->base.base.job)->pool, POOL_FRAMES, j->claim);
    j->claim = 0;
}

int budget_admit(struct frame_job *j, const struct frame_plan *p)
{
    struct job *job = &j->base.base.job;
    struct memory *memory = memory_of(job);
    struct resident *m = slot_of(job)->resident;
    struct sdd_device_info info;
    const int64_t device = residency_available(memory->residency, m);
    if (p->device_bytes > device)
        return no_memory(job, "device memory", p->device_bytes, device);
    for (sdd_device_info(memory->device, &info); info.memory_limit - info.memory_used < p->device_bytes;
         sdd_device_info(memory->device, &info))
        if (!residency_make_room(memory->residency, m, 0))
            break;
    return budget_claim(j, p->host_bytes);
}

int budget_batch(const struct job *job, const struct frame_plan *p)
{
    const int64_t host = pool_left(&memory_of(job)->pool), room = host < MOST_BATCH_BYTES ? host : MOST_BATCH_BYTES;
    const int64_t n = room > 0 ? room / (p->host_bytes + 1) : 0;
    return n < INT32_MAX ? (int)n : INT32_MAX;
}

int budget_left(struct job *job, int64_t *max_bytes)
{
    const int64_t limit = job_service(job)->config->max_output_bytes, host = pool_could(&memory_of(job)->pool);
    *max_bytes = host < limit ? host : limit;
    return within_host(job, 1);
}

int budget_over(struct job *job)
{
    const int64_t needed = job->err.needed;
    int rc = budget_limit(job, "at least ", needed);
    if (!rc)
        rc = within_host(job, needed);
    /* Neither limit holds any more, because frames that were sent meanwhile have freed memory for the next try. */
    return rc ? rc : job_fail(job, SDD_EBUSY, "", "the memory for this frame came free just now");
}
