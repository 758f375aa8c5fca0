/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c: the handlers of GET /v1/meshes/{id}/fields, which answers with values at vertices, and POST .../smooth,
 * which answers with smoothed points, or makes a new version of them. */
#include "server/api/api.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include "server/base/chars.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define VALUE_BYTES 100 /* What the work of one vertex is like, in bytes of a refine. */

struct fields_job {
    struct frame_job base;
    int n; /* How many fields are asked for, or 1 of smoothing. */
    struct sdd_field_request asked[SDD_N_FIELDS];
    int64_t *sources;
    int level;
    bool smooths;
    struct sdd_smooth_request smoothing;
    bool stores;
    struct positions *positions; /* The smoothed ones, of a new version. */
    sdd_plan *level_plan;
    sdd_values *values[SDD_N_FIELDS]; /* Until the stream takes them over. */
    struct stream *stream;
    int64_t frame_bytes;
};

/* ---- the query -------------------------------------------------------------------------------------------------- */
/* Reads a list of whole numbers with commas between them. */
static int read_sources(struct fields_job *f, const char *list, int64_t *n, struct sdd_error *err)
{
    *n = 0;
    if (!list)
        return SDD_OK;
    f->sources = malloc((strlen(list) / 2 + 1) * sizeof *f->sources);
    if (!f->sources)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    for (const char *s = list; *s; s += *s == ',') {
        const size_t digits = strcspn(s, ",");
        if (!parse_integer(s, digits, &f->sources[(*n)++]))
            return sdd_fail(err, SDD_EINVALID, "sources", "sources takes vertices with commas between, not \"%.*s\"",
                            (int)(digits < 40 ? digits : 40), s);
        s += digits;
    }
    return SDD_OK;
}

static int read_fields(struct fields_job *f, const char *list, int64_t n_sources, struct sdd_error *err)
{
    for (const char *s = list ? list : ""; *s; s += *s == ',') {
        char name[24] = "";
        const size_t length = strcspn(s, ",");
        int what, rc;
        memcpy(name, s, length < sizeof name ? length : sizeof name - 1);
        if ((rc = sdd_field_find(name, &what, err)))
            return rc;
        for (int i = 0; i < f->n; i++)
            if (f->asked[i].what == what)
                return sdd_fail(err, SDD_EQUERY, "what", "%s is there twice", name);
        f->asked[f->n] = (struct sdd_field_request){.what = what, .level = f->level};
        if (what == SDD_FIELD_GEODESIC) {
            f->asked[f->n].sources = f->sources;
            f->asked[f->n].n_sources = n_sources;
        }
        f->n++;
        s += length;
    }
    return f->n
               ? SDD_OK
               : sdd_fail(err, SDD_EQUERY, "what", "what takes normals, gaussian, mean, geodesic, with commas between");
}

static int read_level(struct fields_job *f, struct sdd_error *err)
{
    int64_t level = 0;
    int rc = query_int(&f->base.base.base.query, "level", 0, INT32_MAX, &level, err);
    if (!rc)
        rc = level_check(level, job_service(&f->base.base.base.job)->config->max_level, err);
    f->level = (int)level;
    return rc;
}

static int read_query(struct fields_job *f, struct sdd_error *err)
{
    const struct query *q = &f->base.base.base.query;
    int64_t n_sources = 0;
    int rc = read_level(f, err);
    if (!rc)
        rc = read_sources(f, query_get(q, "sources"), &n_sources, err);
    if (!rc)
        rc = read_fields(f, query_get(q, "what"), n_sources, err);
    bool takes_sources = false;
    for (int i = 0; i < f->n; i++)
        takes_sources |= f->asked[i].what == SDD_FIELD_GEODESIC;
    if (!rc && n_sources && !takes_sources)
        rc = sdd_fail(err, SDD_EQUERY, "sources", "sources go with geodesic, which is not asked for");
    return rc;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */
static int name(struct fields_job *f)
{
    struct ask_job *a = &f->base.base;
    unsigned fields = 0;
    int64_t n_sources = 0;
    for (int i = 0; i < f->n; i++) {
        fields = fields << 3 | (unsigned)(f->asked[i].what + 1); /* Blocks come in this order. */
        n_sources += f->asked[i].n_sources;
    }
    (void)snprintf(a->method, sizeof a->method, "f%x %016llx", fields,
                   (unsigned long long)XXH3_64bits(f->sources, (size_t)n_sources * sizeof *f->sources));
    a->request.level = f->level;
    return name_answer(a);
}

static int look_up(struct job *job)
{
    struct fields_job *f = (struct fields_job *)job;
    int rc = name(f);
    if (job->request)
        job->request->mesh_version = slot_of(job)->info.version;
    if (rc)
        return rc;
    if (name_is_known(&f->base.base))
        return JOB_DONE;
    range_keep(&f->base);
    job->cost_ns[ON_DEVICE] = ask_cost_ns(&f->base.base, (int64_t)VALUE_BYTES * f->n);
    return ensure_resident_record(job);
}

/* Names what the query has in place of max_bytes, and says how many vertices there are. */
static int refuse(struct fields_job *f, int64_t n_vertices)
{
    struct sdd_error *err = &f->base.base.base.job.err;
    if (err->code == SDD_ETOO_LARGE && strcmp(err->field, "max_bytes") == 0)
        snprintf(err->field, sizeof err->field, "what");
    if (err->code == SDD_EQUERY && !err->available && strcmp(err->field, "sources") == 0)
        err->available = n_vertices;
    if (err->code == SDD_EQUERY && !err->available && strcmp(err->field, "iterations") == 0)
        err->available = SDD_MAX_SMOOTHINGS;
    if (err->code == SDD_EQUERY && !err->available && strcmp(err->field, "strength") == 0)
        err->available = 1;
    return err->code;
}

static int make_values(struct fields_job *f, int i)
{
    struct job *job = &f->base.base.base.job;
    struct service *s = job_service(job);
    struct resident *resident = slot_of(job)->resident;
    const struct sdd_run how = {.cancel = &job->cancel, .soon_freed = 1};
    int rc;
    do
        rc = f->smooths ? sdd_smooth(resident->mesh, &f->smoothing, &how, &f->values[i], &job->err)
                        : sdd_field(resident->mesh, &f->asked[i], &how, &f->values[i], &job->err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(s->memory->residency, resident, job->err.needed));
    resident_measure(s->memory->residency, resident);
    residency_publish(s->memory->residency);
    if (rc == SDD_ENO_MEMORY)
        metrics_add(s->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    if (!rc)
        job->phases[PHASE_REFINE] += sdd_values_info(f->values[i])->device_seconds;
    return rc;
}

static int semantic_of(const struct fields_job *f, int i)
{
    static const int fields[] = {SDD_NORMALS, PAYLOAD_GAUSSIAN, PAYLOAD_MEAN, PAYLOAD_GEODESIC};
    return f->smooths ? SDD_POSITIONS : fields[f->asked[i].what];
}

/* Keeps the smoothed points for a new version, and moves the vertices on the device. */
static int move(struct fields_job *f)
{
    struct job *job = &f->base.base.base.job;
    const struct sdd_values_info *v = sdd_values_info(f->values[0]);
    positions_free(f->positions); /* The steps may run again. */
    int rc = positions_from_points((struct f32s){v->values, 3 * v->n_rows}, &f->positions, &job->err);
    return rc ? rc : positions_move(job, f->positions);
}

/* Opens the answer with all values, which are made. */
static int open_stream(struct fields_job *f, struct sdd_plan_info *counts)
{
    struct job *job = &f->base.base.base.job;
    struct values_ask ask = {.cancel = &job->cancel, .fair = job->task.claim};
    struct payload_about about = payload_about_of(&f->base.base, false);
    struct payload_rows rows = {.relation = ""};
    counts->n_blocks = f->n;
    for (int i = 0; i < f->n; i++) {
        const struct sdd_values_info *v = sdd_values_info(f->values[i]);
        counts->blocks[i] = (struct sdd_block){.semantic = semantic_of(f, i),
                                               .format = SDD_F32,
                                               .components = v->components,
                                               .count = v->n_rows,
                                               .bytes = v->bytes,
                                               .data = v->values,
                                               .digest = sdd_digest(v->values, v->bytes)};
        rows.unreached += v->n_unreached;
    }
    about.rows = &rows;
    int rc = payload_make(&about, counts, &ask.payload, &job->err);
    if (rc)
        return rc;
    f->frame_bytes = ask.payload.bytes;
    rc = range_asked(&f->base, ask.payload.bytes);
    if (rc) {
        payload_fini(&ask.payload);
        return rc;
    }
    ask.first = f->base.first;
    ask.length = f->base.length;
    ask.claim = f->base.claim;
    f->base.claim = 0;
    memcpy(ask.values, f->values, sizeof ask.values);
    memset(f->values, 0, sizeof f->values);
    return values_open(job_service(job), &ask, job->phases, &f->stream, &job->err);
}

static void drop_values(struct fields_job *f)
{
    for (int i = 0; i < SDD_N_FIELDS; i++) {
        sdd_values_free(f->values[i]);
        f->values[i] = NULL;
    }
}

static int compute(struct job *job)
{
    struct fields_job *f = (struct fields_job *)job;
    struct sdd_plan_info counts = {.method = ""};
    int64_t bytes = 0;
    int rc = ensure_resident(job);
    if (!rc)
        rc = level_counts(&f->base.base, f->level, &f->level_plan, &counts);
    for (int i = 0; i < f->n && !rc; i++) {
        struct sdd_values_info v = {.bytes = 12 * counts.n_vertices};
        f->asked[i].max_bytes = job_service(job)->config->max_output_bytes;
        rc = f->smooths ? SDD_OK : sdd_field_plan(slot_of(job)->resident->mesh, &f->asked[i], &v, &job->err);
        bytes += v.bytes;
    }
    if (!rc)
        rc = budget_limit(job, "", bytes);
    if (!rc)
        rc = budget_claim(&f->base, f->stores ? 2 * bytes : bytes);
    for (int i = 0; i < f->n && !rc; i++)
        rc = make_values(f, i);
    if (!rc)
        rc = f->stores ? move(f) : open_stream(f, &counts);
    drop_values(f); /* On this thread, to which they belong. */
    return rc && rc == job->err.code ? refuse(f, counts.n_vertices) : rc;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */
static void answer(struct job *job)
{
    struct fields_job *f = (struct fields_job *)job;
    if (!f->stream)
        answer_known(job);
    else if (!answer_stream(job->request, &f->base, &f->stream))
        return;
    else if (f->smooths)
        answer_header(job->request, "Cache-Control", "no-store");
    else
        answer_frame_headers(job->request, &f->base, f->frame_bytes, NULL);
}

static void free_job(struct job *job)
{
    struct fields_job *f = (struct fields_job *)job;
    budget_give(&f->base);
    stream_close(f->stream);
    sdd_plan_free(f->level_plan);
    positions_free(f->positions);
    free(f->sources);
    mesh_job_free(job);
}

void api_fields(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, look_up, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, step_settle, NULL},
                                        {ON_DEVICE, -1, compute, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    struct sdd_error err = {0};
    struct fields_job *f = mesh_job_create(r, sizeof *f, false);
    if (!f)
        return;
    if (!read_query(f, &err)) {
        mesh_job_start(r, &f->base.base.base, &ops);
        return;
    }
    answer_error(r, &err);
    free_job(&f->base.base.base.job);
}

/* ---- smoothing -------------------------------------------------------------------------------------------------- */
static int parse(struct job *job)
{
    struct fields_job *f = (struct fields_job *)job;
    struct mesh_job *m = &f->base.base.base;
    int rc = decode_begin(m, decode_usual(m));
    if (rc)
        return rc;
    f->smoothing.max_bytes = job_service(job)->config->max_output_bytes;
    f->smoothing.level = f->level;
    rc = decode_end(m, smooth_from_json(m->body, m->body_bytes, &f->smoothing, &job->err));
    return rc && rc == job->err.code ? refuse(f, 0) : rc;
}

static int match(struct job *job)
{
    struct fields_job *f = (struct fields_job *)job;
    int rc = f->stores ? step_change_all(job) : step_match(job);
    f->base.base.request.level = f->level;
    job->cost_ns[ON_DEVICE] = ask_cost_ns(&f->base.base, (int64_t)VALUE_BYTES * f->smoothing.iterations);
    if (!rc)
        rc = ensure_resident_record(job);
    return rc ? rc : f->stores ? step_settle_record(job) : step_settle(job);
}

static int commit(struct job *job)
{
    return positions_commit(job, ((const struct fields_job *)job)->positions, "smooth");
}

/* Reads the query, and checks what the headers have to go with it. Whoever may read may see smoothed points; storing
 * them is an edit. */
static int check_smooth(struct request *r, bool *store, struct sdd_error *err)
{
    int rc = query_bool(&r->query, "store", store, err);
    if (!rc && *store)
        rc = auth_check(r->net->auth, request_header(r, "Authorization"), r->conn->address, SCOPE_EDIT, r->started,
                        r->principal, r->workspace, err);
    if (!rc && *store && !request_header(r, "If-Match"))
        rc = sdd_fail(err, SDD_EPRECONDITION, "if-match",
                      "send If-Match with the version that is to be smoothed, as in its ETag");
    if (!rc && !*store && r->media_out != MEDIA_FRAME)
        rc = sdd_fail(err, SDD_ENOT_ACCEPTABLE, "accept", "without store=true the answer is a frame: accept %s",
                      media_name(MEDIA_FRAME));
    return rc;
}

void api_smooth(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_HOST, PHASE_PARSE, parse, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, match, NULL},
                                        {ON_DEVICE, -1, compute, NULL},
                                        {0}};
    static const struct step storing[] = {{ON_HOST, PHASE_PARSE, step_digest, skip_digest},
                                          {ON_STORE, PHASE_LOAD, step_find_once, skip_find_once},
                                          {ON_HOST, PHASE_PARSE, parse, NULL},
                                          {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                          {ON_LOOP, -1, match, NULL},
                                          {ON_DEVICE, -1, compute, NULL},
                                          {ON_LOOP, -1, step_unsettle, NULL},
                                          {ON_STORE, PHASE_COMMIT, commit, NULL},
                                          {ON_LOOP, -1, positions_adopt, NULL},
                                          {0}};
    static const struct job_ops ops = {steps, answer, free_job}, stores = {storing, positions_answer, free_job};
    struct sdd_error err = {0};
    bool store = false;
    if (check_smooth(r, &store, &err)) {
        answer_error(r, &err);
        return;
    }
    if (store && r->media_out == MEDIA_FRAME) /* Nothing else was asked for. */
        r->media_out = MEDIA_JSON;
    struct fields_job *f = mesh_job_create(r, sizeof *f, store);
    if (!f)
        return;
    f->n = 1;
    f->smooths = true;
    f->stores = store;
    f->smoothing = (struct sdd_smooth_request){.iterations = 1, .strength = 0.5f};
    int rc = read_level(f, &err);
    if (!rc && store && f->level > 0)
        rc = sdd_fail(&err, SDD_EQUERY, "level",
                      "a version has the positions of the control mesh; store those of level 0, not of level %d",
                      f->level);
    if (!rc) {
        mesh_job_start(r, &f->base.base.base, store ? &stores : &ops);
        return;
    }
    answer_error(r, &err);
    free_job(&f->base.base.base.job);
}
