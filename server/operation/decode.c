/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c: counts the memory of steps that read a body, or make or write a mesh, for the handlers of api/. */
#include "server/operation/operation.h"

/* How many times the bytes of a body reading it usually takes, beside the body itself: text becomes arrays, which grow
 * by doubling, and then the mesh. Bodies that take more draw it from the pool as they are read. */
#define TEXT_FACTOR 5
#define BINARY_FACTOR 3
#define BUSY "others hold the memory that this request needs; try again soon"

static const char *where(const struct mesh_job *j)
{
    return j->body_bytes ? "body" : "";
}

int64_t decode_usual(const struct mesh_job *j)
{
    const int64_t bytes = (int64_t)j->body_bytes;
    return bytes * (j->media_in & MEDIA_OCTETS ? 1 : j->media_in & MEDIA_PROTOBUF ? BINARY_FACTOR : TEXT_FACTOR);
}

int decode_begin(struct mesh_job *j, int64_t usual)
{
    struct job *job = &j->job;
    struct pool *pool = &memory_of(job)->pool;
    const int64_t most = (pool->limit - j->body_claim) / 2;
    int64_t bytes = j->claim.drawn + usual;
    j->claim.pool = pool;
    bytes = bytes < most ? bytes : most;
    if (bytes > 0 && !claim_reserve(&j->claim, bytes)) {
        (void)job_fail(job, SDD_EBUSY, where(j), BUSY);
        job->err.needed = bytes - j->claim.held;
        return JOB_PARK;
    }
    claim_enter(&j->claim);
    return SDD_OK;
}

int decode_end(struct mesh_job *j, int rc)
{
    struct job *job = &j->job;
    const int64_t limit = memory_of(job)->pool.limit, needed = j->claim.refused + j->body_claim;
    claim_leave();
    claim_trim(&j->claim);
    if (!rc || !j->claim.refused)
        return rc;
    j->claim.refused = 0;
    if (needed <= limit)
        return job_fail(job, SDD_EBUSY, where(j), BUSY);
    (void)job_fail(job, SDD_ENO_MEMORY, where(j),
                   "this request takes at least %lld bytes of memory, --host-memory is %lld", (long long)needed,
                   (long long)limit);
    job->err.needed = needed;
    job->err.available = limit;
    return job->err.code;
}
