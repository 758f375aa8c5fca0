/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c: decides for all jobs that make output whether the configured limits, host memory and device memory admit
 * it. */
#include "server/refine/refine.h"

/* The most bytes of a batch of frames. A larger batch would keep other jobs waiting and gain less. */
#define MOST_BATCH_BYTES (64 << 20)

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

static int64_t host_left(const struct service *s)
{
    return s->memory->host_memory - atomic_load(&s->memory->frames_sending);
}

static int within_host(struct job *job, int64_t bytes)
{
    int64_t host = host_left(job_service(job));
    if (bytes <= host)
        return SDD_OK;
    if (bytes <= memory_of(job)->host_memory)
        return job_fail(job, SDD_EBUSY, "", "frames that are being sent hold the memory this one needs");
    return no_memory(job, "host memory", bytes, host);
}

int budget_admit(struct job *job, const struct frame_plan *p)
{
    struct memory *memory = memory_of(job);
    struct resident *m = slot_of(job)->resident;
    struct sdd_device_info info;
    const int64_t device = residency_available(memory->residency, m);
    int rc = within_host(job, p->host_bytes);
    if (rc)
        return rc;
    if (p->device_bytes > device)
        return no_memory(job, "device memory", p->device_bytes, device);
    for (sdd_device_info(memory->device, &info); info.memory_limit - info.memory_used < p->device_bytes;
         sdd_device_info(memory->device, &info))
        if (!residency_make_room(memory->residency, m, 0))
            break;
    return SDD_OK;
}

int budget_batch(const struct job *job, const struct frame_plan *p)
{
    const int64_t host = host_left(job_service(job)), room = host < MOST_BATCH_BYTES ? host : MOST_BATCH_BYTES;
    const int64_t n = room / (p->host_bytes + 1);
    return n < INT32_MAX ? (int)n : INT32_MAX;
}

int budget_left(struct job *job, int64_t *max_bytes)
{
    const int64_t limit = job_service(job)->config->max_output_bytes, host = host_left(job_service(job));
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
