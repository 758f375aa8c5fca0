/* SPDX-License-Identifier: Apache-2.0 */
/* neighbors.c: the handlers of GET and POST /v1/meshes/{id}/neighbors: rows of neighbours as a frame, of which the
 * compute thread makes some at a time while they are sent. */
#include "server/api/api.h"
#include "server/base/chars.h"
#include "server/mesh/formats/codec.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES 24 /* What a row of one step has about. */

struct neighbors_job {
    struct frame_job base;
    struct sdd_query_request query;
    bool listed; /* Whether the body lists the elements. */
    struct i64s ids;
    sdd_plan *level_plan;        /* It has the counts of a refined level; NULL otherwise. */
    struct sdd_plan_info counts; /* Of the mesh, or of its level. */
    sdd_query_plan *plan;        /* Until the stream takes it over. */
    struct stream *stream;       /* NULL when the client has the answer already. */
    int64_t frame_bytes;
};

/* ---- the query -------------------------------------------------------------------------------------------------- */
/* Reads a whole number, which the library checks. */
static int read_number(const struct query *q, const char *name, int64_t *out, struct sdd_error *err)
{
    const char *s = query_get(q, name);
    const int minus = s && *s == '-';
    if (!s)
        return SDD_OK;
    if (!parse_integer(s + minus, strlen(s + minus), out))
        return sdd_fail(err, SDD_EINVALID, name, "%s must be a whole number, not \"%.40s\"", name, s);
    *out = minus ? -*out : *out;
    return SDD_OK;
}

static int read_query(struct neighbors_job *n, struct sdd_error *err)
{
    const struct config *config = job_service(&n->base.base.base.job)->config;
    const struct query *q = &n->base.base.base.query;
    const char *relation = query_get(q, "relation");
    int64_t level = 0, ring = 1, count = 0;
    bool oriented = false;
    n->query.count = SDD_ALL_ROWS;
    int rc = relation ? sdd_relation_find(relation, &n->query.relation, err) : SDD_OK;
    if (!rc)
        rc = read_number(q, "level", &level, err);
    if (!rc)
        rc = level_check(level, config->max_level, err);
    if (!rc)
        rc = read_number(q, "ring", &ring, err);
    if (!rc)
        rc = query_bool(q, "oriented", &oriented, err);
    if (!rc)
        rc = read_number(q, "first", &n->query.first, err);
    if (!rc)
        rc = read_number(q, "count", &count, err);
    if (!rc && count < 0) /* The library takes -1 for all. */
        rc = sdd_fail(err, SDD_EQUERY, "count", "%lld rows; leave count out to get all", (long long)count);
    if (query_get(q, "count"))
        n->query.count = count;
    n->query.level = (int)level;
    n->query.ring = ring < 0 ? -1 : ring > INT32_MAX ? INT32_MAX : (int)ring;
    n->query.oriented = oriented;
    return rc;
}

static bool skip_read(const struct job *job)
{
    return !((const struct neighbors_job *)job)->listed;
}

static int read_ids(struct job *job)
{
    struct neighbors_job *n = (struct neighbors_job *)job;
    struct mesh_job *m = &n->base.base.base;
    if (n->ids.v)
        return SDD_OK; /* The steps run again after JOB_AGAIN. */
    int rc = decode_begin(m, 2 * decode_usual(m));
    if (rc)
        return rc;
    rc = m->media_in & MEDIA_OCTETS     ? ids_from_octets(m->body, m->body_bytes, &n->ids, &job->err)
         : m->media_in & MEDIA_PROTOBUF ? ids_from_proto(m->body, m->body_bytes, &n->ids, &job->err)
                                        : ids_from_json(m->body, m->body_bytes, &n->ids, &job->err);
    n->query.ids = n->ids.v;
    n->query.n_ids = n->ids.n;
    return decode_end(m, rc);
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */
/* About how many rows are asked for; -1 for all. */
static int64_t rows_asked(const struct neighbors_job *n)
{
    const int64_t rows = n->listed ? n->ids.n : n->query.count;
    return rows < UINT32_MAX ? rows : UINT32_MAX;
}

static int64_t cost_ns(struct neighbors_job *n)
{
    const int64_t ring = n->query.ring < SDD_MAX_RING ? n->query.ring : SDD_MAX_RING;
    const int64_t row_bytes = ROW_BYTES * ring * ring, rows = rows_asked(n);
    struct ask_job *a = &n->base.base;
    a->request.level = n->query.level;
    if (rows < 0)
        return ask_cost_ns(a, row_bytes);
    return (int64_t)(1e9 * estimate_any(job_service(&a->base.job)->estimate, rows * row_bytes));
}

static int name(struct neighbors_job *n)
{
    const struct sdd_query_request *q = &n->query;
    struct ask_job *a = &n->base.base;
    (void)snprintf(a->method, sizeof a->method, "n%s %d %d %lld %lld", sdd_relation_name(q->relation), q->ring,
                   q->oriented, (long long)q->first, (long long)q->count);
    a->request.level = q->level;
    return name_answer(a);
}

static bool is_there(struct job *job)
{
    struct neighbors_job *n = (struct neighbors_job *)job;
    const bool named = !name(n);
    job->err = (struct sdd_error){0};
    return named && name_is_known(&n->base.base);
}

static int look_up(struct job *job)
{
    struct neighbors_job *n = (struct neighbors_job *)job;
    int rc = n->listed ? SDD_OK : name(n);
    if (job->request)
        job->request->mesh_version = slot_of(job)->info.version;
    if (rc)
        return rc;
    if (!n->listed && name_is_known(&n->base.base))
        return JOB_DONE;
    if (!n->listed)
        range_keep(&n->base);
    job->cost_ns[ON_DEVICE] = cost_ns(n);
    return ensure_resident_record(job);
}

static int64_t n_elements(const struct neighbors_job *n)
{
    const int relation = n->query.relation;
    return relation <= SDD_VF ? n->counts.n_vertices : relation <= SDD_EF ? n->counts.n_edges : n->counts.n_faces;
}

static int64_t plan_bytes(const struct neighbors_job *n)
{
    const int64_t asked = rows_asked(n), all = n_elements(n);
    const int64_t rows = n->listed || (asked >= 0 && asked < all) ? asked : all;
    return (rows + 1) * (int64_t)(sizeof(int64_t) + (n->listed ? sizeof(uint32_t) : 0));
}

static bool is_row(const char *field)
{
    return strcmp(field, "ids") == 0 || strcmp(field, "first") == 0 || strcmp(field, "count") == 0;
}

/* Says of a refusal of the library what the limit is, and names what the query has in place of max_bytes. */
static int refuse(struct neighbors_job *n)
{
    struct sdd_error *err = &n->base.base.base.job.err;
    const struct config *config = job_service(&n->base.base.base.job)->config;
    const char *rows = n->listed ? "ids" : "count";
    if (err->code == SDD_ETOO_LARGE && strcmp(err->field, "max_bytes") == 0) {
        const int64_t needed = err->needed;
        (void)sdd_fail(err, SDD_ETOO_LARGE, rows,
                       "the answer would have %s%lld bytes, the limit is %lld; ask for fewer "
                       "rows at a time, or start the daemon with a larger --max-output-bytes",
                       n->query.ring > 1 ? "at least " : "", (long long)needed, (long long)config->max_output_bytes);
        err->needed = needed;
        err->available = config->max_output_bytes;
    } else if (err->code == SDD_EQUERY && !err->available)
        err->available = is_row(err->field) ? n_elements(n) : strcmp(err->field, "ring") == 0 ? SDD_MAX_RING : 0;
    return err->code;
}

/* Makes the plan, and evicts the least recently used meshes until there is room. */
static int make_plan(struct neighbors_job *n)
{
    struct job *job = &n->base.base.base.job;
    struct service *s = job_service(job);
    struct resident *resident = slot_of(job)->resident;
    const struct sdd_run how = {.cancel = &job->cancel};
    int rc;
    n->query.max_bytes = s->config->max_output_bytes;
    sdd_query_plan_free(n->plan); /* The step may run again. */
    do
        rc = sdd_query_plan_create(resident_topology(resident), &n->query, &how, &n->plan, &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(s->memory->residency, resident, job->err.needed));
    resident_measure(s->memory->residency, resident);
    residency_publish(s->memory->residency);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(s->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    return rc ? refuse(n) : SDD_OK;
}

/* Lays out the frame of the plan, without its data. */
static int make_payload(struct neighbors_job *n, struct payload *out)
{
    const struct sdd_query_info *i = sdd_query_plan_info(n->plan);
    const struct payload_rows rows = {sdd_relation_name(n->query.relation), n->query.ring, n->query.oriented, 0};
    struct payload_about about = payload_about_of(&n->base.base, true);
    struct sdd_plan_info *p = &n->counts;
    about.rows = &rows;
    about.stage = NULL;
    p->n_blocks = i->signs_bytes > 0 || n->query.relation == SDD_FE ? 3 : 2;
    p->blocks[0] = (struct sdd_block){.semantic = PAYLOAD_OFFSETS,
                                      .format = i->offset_bytes == 8 ? (int)PAYLOAD_U64 : (int)SDD_U32,
                                      .components = 1,
                                      .count = i->n_rows + 1,
                                      .bytes = i->offsets_bytes};
    p->blocks[1] = (struct sdd_block){
        .semantic = PAYLOAD_IDS, .format = SDD_U32, .components = 1, .count = i->n_ids, .bytes = i->ids_bytes};
    p->blocks[2] = (struct sdd_block){
        .semantic = PAYLOAD_SIGNS, .format = PAYLOAD_U8, .components = 1, .count = i->n_ids, .bytes = i->signs_bytes};
    int rc = payload_make(&about, p, out, &n->base.base.base.job.err);
    n->frame_bytes = rc ? 0 : out->bytes;
    return rc;
}

static int open_stream(struct neighbors_job *n)
{
    struct job *job = &n->base.base.base.job;
    struct neighbors_ask ask = {.topology = resident_topology(slot_of(job)->resident),
                                .plan = n->plan,
                                .cancel = &job->cancel,
                                .fair = job->task.claim};
    int rc = make_payload(n, &ask.payload);
    if (rc)
        return rc;
    rc = range_asked(&n->base, ask.payload.bytes);
    if (!rc)
        rc = budget_claim(&n->base, plan_bytes(n) + neighbors_claim(n->plan, &ask.payload));
    if (rc) {
        payload_fini(&ask.payload);
        return rc;
    }
    ask.first = n->base.first;
    ask.length = n->base.length;
    ask.claim = n->base.claim;
    n->base.claim = 0;
    n->plan = NULL;
    rc = neighbors_open(job_service(job), &ask, job->phases, &n->stream, &job->err);
    if (!rc)
        stream_evaluates(n->stream, &n->base.base.base.evaluation);
    resident_measure(memory_of(job)->residency, slot_of(job)->resident);
    return rc;
}

static int compute(struct job *job)
{
    struct neighbors_job *n = (struct neighbors_job *)job;
    int rc = ensure_resident(job);
    const uint64_t start = uv_hrtime();
    if (!rc)
        rc = level_counts(&n->base.base, n->query.level, &n->level_plan, &n->counts);
    if (!rc)
        rc = budget_claim(&n->base, plan_bytes(n));
    if (!rc)
        rc = make_plan(n);
    job->phases[PHASE_REFINE] += (double)(uv_hrtime() - start) * 1e-9;
    return rc ? rc : open_stream(n);
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */
static void answer(struct job *job)
{
    struct neighbors_job *n = (struct neighbors_job *)job;
    struct request *r = job->request;
    if (!n->stream)
        answer_known(job);
    else if (!answer_stream(r, &n->base, &n->stream))
        return;
    else if (n->listed)
        answer_header(r, "Cache-Control", "no-store");
    else
        answer_frame_headers(r, &n->base, n->frame_bytes, NULL);
}

static void free_job(struct job *job)
{
    struct neighbors_job *n = (struct neighbors_job *)job;
    budget_give(&n->base);
    stream_close(n->stream);
    sdd_query_plan_free(n->plan);
    sdd_plan_free(n->level_plan);
    free(n->ids.v);
    mesh_job_free(job);
}

static void start(struct request *r, bool listed)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_HOST, PHASE_PARSE, read_ids, skip_read},
                                        {ON_LOOP, -1, look_up, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, step_settle, NULL},
                                        {ON_DEVICE, -1, compute, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    struct sdd_error err = {0};
    struct neighbors_job *n = mesh_job_create(r, sizeof *n, false);
    if (!n)
        return;
    n->listed = listed;
    if (read_query(n, &err)) {
        answer_error(r, &err);
        free_job(&n->base.base.base.job);
        return;
    }
    n->base.base.base.job.peeks = listed ? SETTLED_NOTHING : SETTLED_RECORD;
    n->base.base.base.finds = is_there;
    mesh_job_start(r, &n->base.base.base, &ops);
}

void api_neighbors(struct request *r)
{
    start(r, false);
}

void api_neighbors_of(struct request *r)
{
    start(r, true);
}
