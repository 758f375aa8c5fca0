/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c: answers requests about jobs that outlive the request that began them: GET and DELETE /v1/jobs/{job}. */
#include "server/api/api.h"
#include <stdio.h>
#include <string.h>

#define JOBS "/v1/jobs/"

static void job_json(const struct lasting *l, struct text *out)
{
    const uint64_t until = l->ended ? l->ended : uv_hrtime();
    text_puts(out, "{");
    text_member(out, "job", l->id);
    text_member(out, "kind", l->kind->name);
    text_member(out, "mesh", l->about);
    text_member(out, "state", lasting_state_name(l->state));
    text_member_real(out, "seconds", (double)(until - l->began) * 1e-9, 3);
    l->kind->write(l, out);
    if (l->state == LASTING_FAILED) {
        text_key(out, "error");
        problem_json(out, &l->err, NULL, l->id);
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

/* Finds the job in the request's path, or answers with an error. */
static struct lasting *find(struct request *r)
{
    struct lasting *l;
    struct sdd_error err = {0};
    size_t n;
    const char *id = request_path(r, &n) + strlen(JOBS);
    if (!lasting_find(&service_of(r)->jobs->lasting, id, n - strlen(JOBS), r->principal, &l, &err))
        return l;
    answer_error(r, &err);
    return NULL;
}

void api_job(struct request *r)
{
    const struct lasting *l = find(r);
    if (l)
        answer_job(r, 200, l);
}

void api_job_cancel(struct request *r)
{
    struct lastings *all = &service_of(r)->jobs->lasting;
    struct lasting *l = find(r);
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
