/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c: the handler of GET /v1/meshes/{id}/matrix. It answers with a subdivision matrix as Matrix Market text,
 * which is made from a copy in host memory while it is sent. */
#include "gpu/sdd/sdd_matrix.h"
#include "server/api/api.h"
#include "server/refine/refine.h"
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHOD "subdivision-matrix"
#define TERM_BYTES (16 * 12) /* What a row of the matrix has about. */

struct matrix_job {
    struct ask_job base;
    int what;
    struct sdd_matrix_text *text; /* NULL when the client already has the matrix. */
};

static const char *const whats[] = {
    [SDD_MATRIX_OF_POINTS] = "points", [SDD_MATRIX_OF_TANGENT_1] = "tangent1", [SDD_MATRIX_OF_TANGENT_2] = "tangent2"};
enum { N_WHATS = sizeof whats / sizeof *whats };

/* ---- steps ------------------------------------------------------------------------------------------------------ */
static int look_up(struct job *job)
{
    struct ask_job *a = (struct ask_job *)job;
    int rc = name_answer(a);
    if (job->request)
        job->request->mesh_version = slot_of(job)->info.version;
    if (rc)
        return rc;
    job->cost_ns[ON_DEVICE] = ask_cost_ns(a, TERM_BYTES);
    return name_is_known(a) ? JOB_DONE : ensure_resident_record(job);
}

/* Makes the matrix, and evicts the least recently used meshes until there is room. */
static int open_text(struct matrix_job *m)
{
    struct job *job = &m->base.base.job;
    struct service *s = job_service(job);
    struct resident *resident = slot_of(job)->resident;
    struct sdd_matrix_request request = {
        .level = m->base.request.level, .surface = m->base.request.surface, .what = m->what, .cancel = &job->cancel};
    int rc = budget_left(job, &request.max_bytes);
    if (rc)
        return rc;
    do
        rc = sdd_matrix_open(resident_topology(resident), &request, &m->text, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(s->memory->residency, resident, job->err.needed));
    resident_measure(s->memory->residency, resident);
    residency_publish(s->memory->residency);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(s->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    if (rc == SDD_ETOO_LARGE && strcmp(job->err.field, "max_bytes") == 0)
        return budget_over(job);
    if (!rc)
        pool_add(&s->memory->pool, POOL_FRAMES, sdd_matrix_info(m->text)->host_bytes);
    return rc;
}

static int compute(struct job *job)
{
    int rc = ensure_resident(job);
    uint64_t start = uv_hrtime();
    if (!rc)
        rc = open_text((struct matrix_job *)job);
    job->phases[PHASE_REFINE] += (double)(uv_hrtime() - start) * 1e-9;
    return rc;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */
struct sender {
    struct request *request; /* It lives while the answer is read, and may end before the sender. */
    struct service *service;
    struct sdd_matrix_text *text;
};

static void release(void *text)
{
    sdd_matrix_close(text);
}

static void give_back(struct service *s, struct sdd_matrix_text *text)
{
    const int64_t bytes = text ? sdd_matrix_info(text)->host_bytes : 0;
    pool_release(s->jobs->reaper, &s->memory->pool, POOL_FRAMES, bytes, text, release);
}

static ssize_t read_text(void *cls, uint64_t at, char *out, size_t max)
{
    struct sender *s = cls;
    (void)at; /* The text is read in order. */
    const size_t n = sdd_matrix_read(s->text, out, max);
    s->request->answer_bytes += (int64_t)n;
    return (ssize_t)n;
}

static void close_text(void *cls)
{
    struct sender *s = cls;
    give_back(s->service, s->text);
    free(s);
}

static struct MHD_Response *response_of(struct matrix_job *m, struct request *r)
{
    struct sender *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct sender){r, service_of(r), m->text};
    struct MHD_Response *response = MHD_create_response_from_callback((uint64_t)sdd_matrix_info(m->text)->text_bytes,
                                                                      ANSWER_BLOCK, read_text, s, close_text);
    if (response)
        m->text = NULL;
    else
        free(s);
    return response;
}

static void answer(struct job *job)
{
    struct matrix_job *m = (struct matrix_job *)job;
    struct request *r = job->request;
    struct MHD_Response *response = m->text ? response_of(m, r) : NULL;
    if (response) {
        answer_response(r, 200, response, -1);
        answer_header(r, "Content-Type", media_name(MEDIA_TEXT));
    } else if (m->text) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return;
    } else {
        answer_empty(r, 304);
    }
    answer_header(r, "ETag", m->base.etag);
}

static void free_job(struct job *job)
{
    struct matrix_job *m = (struct matrix_job *)job;
    give_back(job_service(job), m->text);
    mesh_job_free(job);
}

static int read_what(struct matrix_job *m, struct sdd_error *err)
{
    const char *what = query_get(&m->base.base.query, "what");
    for (m->what = 0; what && m->what < N_WHATS && strcmp(whats[m->what], what); m->what++)
        ;
    if (m->what == N_WHATS)
        return sdd_fail(err, SDD_EINVALID, "what", "what is points, tangent1 or tangent2, not \"%.40s\"", what);
    (void)snprintf(m->base.method, sizeof m->base.method, METHOD " %s", whats[m->what]); /* No frame has this name. */
    return SDD_OK;
}

void api_matrix(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, look_up, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, step_settle, NULL},
                                        {ON_DEVICE, -1, compute, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    struct sdd_error err = {0};
    struct matrix_job *m = ask_job_create(r, sizeof *m, ask_max_level(service_of(r)->config), ASK_FRAME_BLOCKS);
    if (!m)
        return;
    if (!read_what(m, &err)) {
        mesh_job_start(r, &m->base.base, &ops);
        return;
    }
    answer_error(r, &err);
    free_job(&m->base.base.job);
}
