/* SPDX-License-Identifier: Apache-2.0 */
/* health.c: answers GET /v1/health/live and /v1/health/ready, by which probes learn whether the daemon is alive and
 * takes work. */
#include "server/api/api.h"
#include <stdlib.h>

static void answer_status(struct request *r, const char *status)
{
    struct text body = {0};
    text_puts(&body, "{");
    text_member(&body, "status", status);
    text_member(&body, "backend", service_of(r)->memory->device_info.backend);
    text_puts(&body, "}\n");
    answer_text(r, 200, MEDIA_JSON, &body);
}

void api_live(struct request *r)
{
    answer_status(r, "live");
}

/* Asks the device whether it works, by a kernel that is launched and waited for. */
static int probe(struct job *job)
{
    int rc = sdd_device_probe(memory_of(job)->device, &job->err);
    residency_publish(memory_of(job)->residency);
    return rc == SDD_ENO_MEMORY ? SDD_OK : rc; /* The device is full, but it answers. */
}

static void answer_ready(struct job *job)
{
    answer_status(job->request, "ready");
}
static void free_job(struct job *job)
{
    free(job);
}
static const struct step steps[] = {{ON_DEVICE, -1, probe, NULL}, {0}};
static const struct job_ops ops = {steps, answer_ready, free_job};

void api_ready(struct request *r)
{
    struct service *s = service_of(r);
    if (s->net->state != NET_READY) {
        answer_fail(r, SDD_EBUSY, "", "%s", s->net->not_ready);
        return;
    }
    if (s->net->held) {
        answer_fail(r, SDD_ESTORE, "store", "%s", s->net->held);
        return;
    }
    struct job *job = executor_depth(s->jobs->compute) ? NULL : calloc(1, sizeof *job);
    if (job)
        operation_start(r, job, &ops, NULL);
    else /* The device is busy, and the loop notices when its work takes too long. */
        answer_status(r, "ready");
}
