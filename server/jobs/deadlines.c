/* SPDX-License-Identifier: Apache-2.0 */
/* deadlines.c: keeps one timer on the loop for jobs.c, armed for the nearest deadline of the jobs whose client still
 * waits. */
#include "server/jobs/jobs.h"

static void on_deadline(uv_timer_t *timer)
{
    struct jobs *jobs = timer->data;
    uint64_t now = uv_hrtime(), nearest = 0;
    jobs->deadline_at = 0;
    for (struct list *at = jobs->all.next, *next; at != &jobs->all; at = next) {
        struct job *job = CONTAINER(at, struct job, all);
        next = at->next;
        if (!job->request)
            continue;
        if (now >= job->deadline && job->lasts)
            job_late(job);
        else if (now >= job->deadline)
            job_abandon(job, SDD_EDEADLINE);
        else if (!nearest || job->deadline < nearest)
            nearest = job->deadline;
    }
    if (nearest)
        jobs_deadline(jobs, nearest);
    jobs->hooks.moved(jobs->user);
}

void jobs_deadline(struct jobs *jobs, uint64_t at)
{
    uint64_t now = uv_hrtime();
    if (jobs->deadline_at && jobs->deadline_at <= at)
        return;
    jobs->deadline_at = at;
    uv_update_time(jobs->deadline.loop);
    uv_timer_start(&jobs->deadline, on_deadline, at > now ? (at - now) / 1000000 + 1 : 0, 0);
}
