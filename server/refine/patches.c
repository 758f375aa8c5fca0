/* SPDX-License-Identifier: Apache-2.0 */
/* patches.c: makes the frames of patches on the compute thread. Their size is known only once they are made. */
#include "server/refine/refine.h"
#include <string.h>

/* Makes the patches, and evicts the least recently used meshes until there is room. */
static int run(struct frame_job *j, const struct sdd_patches_request *request, sdd_result **result)
{
    struct job *job = &j->base.base.job;
    struct residency *residency = memory_of(job)->residency;
    struct resident *resident = slot_of(job)->resident;
    int rc;
    do
        rc = sdd_patches(resident->mesh, request, result, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(residency, resident, job->err.needed));
    resident_measure(residency, resident);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(job_service(job)->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    return rc;
}

static int check(struct frame_job *j, const sdd_result *result)
{
    int64_t bytes = 0, block_at;
    int rc = frame_measure(&j->base, false, &sdd_result_info(result)->plan, &bytes, &block_at);
    return rc ? rc : budget_limit(&j->base.base.job, "", bytes);
}

int patches_compute(struct job *job)
{
    struct frame_job *j = (struct frame_job *)job;
    struct sdd_patches_request request = {
        .level = j->base.request.level, .surface = j->base.request.surface, .cancel = &job->cancel};
    sdd_result *result = NULL;
    int rc = ensure_resident(job);
    if (!rc)
        rc = budget_left(job, &request.max_bytes);
    if (!rc)
        rc = run(j, &request, &result);
    if (rc == SDD_ETOO_LARGE && strcmp(job->err.field, "max_bytes") == 0)
        return budget_over(job);
    if (rc)
        return rc;
    rc = check(j, result);
    if (rc) {
        sdd_result_free(result);
        return rc;
    }
    rc = compute_frame(j, false, result);
    residency_publish(memory_of(job)->residency);
    return rc;
}
