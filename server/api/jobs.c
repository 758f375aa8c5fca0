/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c: answers requests about jobs that outlive the request that began them: GET and DELETE /v1/jobs/{job}, and
 * GET of its frame. */
#include "server/api/api.h"
#include "server/refine/refine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS "/v1/jobs/"
#define FRAME "/frame"

static void job_json(const struct lasting *l, struct text *out)
{
    const uint64_t until = l->ended ? l->ended : uv_hrtime();
    text_puts(out, "{");
    text_member(out, "job", l->id);
    text_member(out, "kind", l->kind->name);
    text_member(out, "mesh", l->about);
    text_member(out, "state", lasting_state_name(l->state));
    text_member_real(out, "seconds", (double)(until - l->began) * 1e-9, 3);
    text_member_int(out, "step", l->step);
    l->kind->write(l, out);
    if (l->frame) {
        text_key(out, "frame");
        text_printf(out, "\"" JOBS "%s" FRAME "\"", l->id);
        text_member_int(out, "frameBytes", l->frame->payload.bytes);
    }
    if (l->state == LASTING_FAILED) {
        text_key(out, "error");
        problem_json(out, &l->err, NULL, NULL, l->id);
    }
    text_puts(out, "}\n");
}

void answer_job(struct request *r, int status, const struct lasting *l)
{
    struct text body = {0};
    char location[sizeof JOBS + LASTING_ID_SIZE];
    job_json(l, &body);
    answer_text(r, status, MEDIA_JSON, &body);
    answer_header(r, "Cache-Control", "no-store");
    if (status != 202)
        return;
    snprintf(location, sizeof location, JOBS "%s", l->id);
    answer_header(r, "Location", location);
}

/* Finds the job in the request's path, which ends with `rest`, or answers with an error. */
static struct lasting *find(struct request *r, const char *rest)
{
    struct lasting *l;
    struct sdd_error err = {0};
    size_t n;
    const char *id = request_path(r, &n) + strlen(JOBS);
    if (!lasting_find(&service_of(r)->jobs->lasting, id, n - strlen(JOBS) - strlen(rest), r->owner, &l, &err))
        return l;
    answer_error(r, &err);
    return NULL;
}

/* A request that waits until the job moves. By then the record may be gone, so it is looked for once more. */
struct watch_job {
    struct job job;
    struct lasting *watched;
};

static int watch(struct job *job)
{
    list_append(&((struct watch_job *)job)->watched->watchers, &job->wait);
    return JOB_WAIT;
}

static void answer_watch(struct job *job)
{
    const struct lasting *l = find(job->request, "");
    if (l)
        answer_job(job->request, 200, l);
}

static void free_watch(struct job *job)
{
    free(job);
}

void api_job(struct request *r)
{
    static const struct step steps[] = {{ON_LOOP, -1, watch, NULL}, {0}};
    static const struct job_ops ops = {steps, answer_watch, free_watch};
    struct lasting *l = find(r, "");
    struct sdd_error err = {0};
    int64_t after = -1;
    if (!l)
        return;
    if (query_int(&r->query, "after", 0, INT32_MAX, &after, &err)) {
        answer_error(r, &err);
        return;
    }
    struct watch_job *w = l->job && l->step <= after ? calloc(1, sizeof *w) : NULL;
    if (!w) {
        answer_job(r, 200, l);
        return;
    }
    w->watched = l;
    w->job.after = after;
    w->job.lasts = true; /* Its deadline is answered with what is known then. */
    operation_start(r, &w->job, &ops, NULL);
}

void api_job_cancel(struct request *r)
{
    struct lastings *all = &service_of(r)->jobs->lasting;
    struct lasting *l = find(r, "");
    if (!l)
        return;
    if (!l->job) {
        lasting_forget(all, l);
        answer_empty(r, 204);
        return;
    }
    l->state = LASTING_CANCELLING;
    answer_job(r, 202, l);
    job_abandon(l->job, SDD_ECANCELLED);
}

void api_job_frame(struct request *r)
{
    const struct lasting *l = find(r, FRAME);
    if (!l)
        return;
    if (!l->frame)
        answer_fail(r, SDD_ENOT_FOUND, "job", "job %s is %s, and has no frame", l->id, lasting_state_name(l->state));
    else if (answer_whole(r, l->frame))
        answer_header(r, "Cache-Control", "no-store");
}
