/* SPDX-License-Identifier: Apache-2.0 */
/* request.c: the query of refined, patches and plan, and the budgets that admit a frame. */
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define LEARN 0.2            /* weight of the newest measurement       */
#define FIRST_GUESS 1e-9     /* seconds a byte, before anything is known */
#define FIXED_SECONDS 100e-6 /* queueing and launches                  */
/* Of a frame that is made while it is sent. */
#define MOST_PIECE_BYTES (64 << 20) /* of one; REFINE_PIECE_BYTES at least */
#define PIECE_SCRATCHES 16          /* times what all pieces stand on, between these */
/* Of frames that are made together: more would keep others waiting, and has less to gain. */
#define MOST_TOGETHER_BYTES (64 << 20)
#define COMPACT_BLOCKS (SDD_POSITIONS | SDD_NORMALS | SDD_UVS)
#define PATCH_BLOCKS (SDD_POSITIONS | SDD_PATCHES | SDD_PATCH_PARAMS | SDD_INDICES | SDD_FACE_PARAMS)

static const int semantics[] = {SDD_POSITIONS, SDD_NORMALS,    SDD_TANGENTS,   SDD_INDICES,
                                SDD_UVS,       SDD_UV_INDICES, SDD_FACE_PARAMS};
enum { N_SEMANTICS = sizeof semantics / sizeof *semantics };

/* "positions,normals": which of these there are. */
static void put_names(int blocks, char *out, size_t size)
{
    *out = '\0';
    for (int i = 0; i < N_SEMANTICS; i++)
        if (blocks & semantics[i])
            (void)snprintf(out + strlen(out), size - strlen(out), "%s%s", *out ? "," : "", semantic_name(semantics[i]));
}

/* The blocks of a list, each one of `allowed`; `name` is the parameter's. */
static int read_list(const char *name, const char *list, int allowed, int *out, struct sdd_error *err)
{
    char names[96];
    *out = 0;
    for (const char *s = list; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        int bit = 0;
        for (int i = 0; i < N_SEMANTICS; i++)
            if (strlen(semantic_name(semantics[i])) == n && memcmp(semantic_name(semantics[i]), s, n) == 0)
                bit = semantics[i] & allowed;
        put_names(allowed, names, sizeof names);
        if (!bit)
            return sdd_fail(err, SDD_EINVALID, name, "%s takes %s, not \"%.*s\"", name, names, (int)(n < 40 ? n : 40),
                            s);
        *out |= bit;
        s += n;
    }
    return *out ? SDD_OK : sdd_fail(err, SDD_EINVALID, name, "%s names nothing", name);
}

static int read_request(struct refine_job *j, int64_t max_level, struct sdd_error *err)
{
    const struct query *q = &j->base.query;
    const char *surface = query_get(q, "surface"), *include = query_get(q, "include"), *method = query_get(q, "method"),
               *compact = query_get(q, "compact");
    int64_t level = 1;
    int rc = query_int(q, "level", 1, max_level, &level, err);
    if (rc)
        return rc;
    if (surface && strcmp(surface, "refined") && strcmp(surface, "limit"))
        return sdd_fail(err, SDD_EINVALID, "surface", "surface is refined or limit, not \"%.40s\"", surface);
    if (method && strlen(method) >= sizeof j->method)
        return sdd_fail(err, SDD_EINVALID, "method", "there is no method \"%.40s\"", method);
    snprintf(j->method, sizeof j->method, "%s", method ? method : "auto");
    j->request = (struct sdd_refine_request){.level = (int)level,
                                             .surface = surface && strcmp(surface, "limit") == 0 ? SDD_SURFACE_LIMIT
                                                                                                 : SDD_SURFACE_REFINED,
                                             .include = j->patches ? PATCH_BLOCKS : SDD_POSITIONS | SDD_INDICES,
                                             .method = j->method};
    j->primvars = query_get(q, "primvars");
    if (j->primvars && !*j->primvars)
        return sdd_fail(err, SDD_EINVALID, "primvars", "primvars names nothing");
    if (include)
        rc = read_list("include", include, ~0, &j->request.include, err);
    return !rc && compact ? read_list("compact", compact, COMPACT_BLOCKS, &j->request.compact, err) : rc;
}

int64_t refine_max_level(const struct config *c, bool patches)
{
    return patches && c->max_level > SDD_MAX_PATCH_LEVEL ? SDD_MAX_PATCH_LEVEL : c->max_level;
}

struct refine_job *refine_job_create(struct request *r, size_t bytes, bool patches)
{
    struct sdd_error err = {0};
    struct refine_job *j = mesh_job_create(r, bytes, false);
    if (!j)
        return NULL;
    j->patches = patches;
    if (!read_request(j, refine_max_level(service_of(r)->config, patches), &err))
        return j;
    answer_error(r, &err);
    mesh_job_free(&j->base.job);
    return NULL;
}

/* Positions alone, of an engine that makes rows without the rest? */
static bool can_be_pieces(const struct refine_job *j)
{
    return sdd_plan_info(j->plan)->ranges && j->request.include == SDD_POSITIONS && !j->request.compact;
}

/* Is what the device makes copied to host memory? */
static bool is_copied(const struct service *s)
{
    return strcmp(s->memory->device_info.backend, "cpu") != 0;
}

/* Too large to be made as a whole? The daemon's limits say so, not what is free now: a frame keeps its header. What is
 * never kept leaves a GPU in pieces, so that it works while the loop sends; a CPU makes the whole faster. */
static bool is_streamed(const struct refine_job *j)
{
    const struct service *s = job_service(&j->base.job);
    const int64_t device = s->memory->device_info.memory_limit - resident_bytes(j->base.slot->resident);
    return can_be_pieces(j) &&
           (j->frame_bytes > s->config->stream_bytes || j->host_bytes > s->memory->host_memory ||
            j->device_bytes > device ||
            (j->posed && is_copied(s) && sdd_plan_info(j->plan)->blocks[0].count > 2 * j->piece_rows));
}

bool refine_begins(const struct refine_job *j)
{
    return is_copied(job_service(&j->base.job)) && j->host_bytes > 2 * REFINE_PIECE_BYTES;
}

struct frame_about refine_about(const struct refine_job *j)
{
    const struct store_info *info = &j->base.slot->info;
    return (struct frame_about){info->id,       info->topology_id, memory_of(&j->base.job)->device_info.backend,
                                info->version,  j->request.level,  j->request.surface,
                                info->primvars, j->streamed};
}

static int no_primvar(struct refine_job *j, const char *name, size_t n)
{
    const struct store_info *info = &j->base.slot->info;
    char all[160] = "";
    for (int i = 0; i < info->n_primvars; i++)
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", info->primvars[i].name);
    return job_fail(&j->base.job, SDD_EINVALID, "primvars", "the mesh has no primvar \"%.*s\"; it has %s",
                    (int)(n < 40 ? n : 40), name, *all ? all : "none");
}

/* The names of the query as bits of the mesh's rows. */
static int read_primvars(struct refine_job *j)
{
    const struct store_info *info = &j->base.slot->info;
    const int both = SDD_PRIMVARS | SDD_PRIMVAR_INDICES;
    primvars_shapes(info->primvars, info->n_primvars, j->shapes);
    j->request.primvar_shapes = j->shapes;
    j->request.n_primvars = info->n_primvars;
    j->request.primvars = 0;
    for (const char *s = j->primvars; s && *s; s += *s == ',') {
        char name[PRIMVAR_NAME_SIZE] = "";
        size_t n = strcspn(s, ",");
        if (n < sizeof name)
            memcpy(name, s, n);
        int row = primvar_find(info->primvars, info->n_primvars, name);
        if (row < 0 && strcmp(j->primvars, "*") != 0)
            return no_primvar(j, s, n);
        j->request.primvars |= row < 0 ? (uint32_t)((UINT64_C(1) << info->n_primvars) - 1) : UINT32_C(1) << row;
        s += n;
    }
    j->request.include = j->request.primvars ? j->request.include | both : j->request.include & ~both;
    return SDD_OK;
}

static void name_frame(struct refine_job *j)
{
    const struct store_info *info = &j->base.slot->info;
    char full[CACHE_KEY_SIZE + 160];
    snprintf(j->key, sizeof j->key, "%s %lld %d %d %d %d %x %s", info->id, (long long)info->version, j->request.level,
             j->request.surface, j->request.include, j->request.compact, j->request.primvars, j->method);
    /* All that the bytes of a frame depend on. */
    snprintf(full, sizeof full, "%s %s %s %s", j->key, info->topology_id, memory_of(&j->base.job)->device_info.backend,
             sdd_version());
    XXH128_hash_t h = XXH3_128bits(full, strlen(full));
    snprintf(j->etag, sizeof j->etag, "\"%016llx%016llx\"", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

/* Has the client a frame of this name, or a part of one? */
static bool is_known(const struct refine_job *j)
{
    const struct request *r = j->base.job.request;
    const char *known = r ? request_header(r, "If-None-Match") : NULL, *part = r ? request_header(r, "If-Range") : NULL;
    return (known && etag_matches(known, j->etag, true)) || (part && etag_matches(part, j->etag, true));
}

int refine_name(struct refine_job *j)
{
    int rc = read_primvars(j);
    if (rc)
        return rc;
    name_frame(j);
    const struct resident *resident = j->base.slot->resident;
    const char *method = resident && !j->patches ? sdd_history_method(resident->history, &j->request) : j->method;
    if (strcmp(method, j->method) == 0 || is_known(j))
        return SDD_OK;
    snprintf(j->method, sizeof j->method, "%s", method);
    sdd_plan_free(j->plan); /* An earlier round may have planned without tables. */
    j->plan = NULL;
    name_frame(j);
    return SDD_OK;
}

void refine_tag_stream(struct refine_job *j)
{
    const size_t n = strlen(j->etag) - 1;
    snprintf(j->etag + n, sizeof j->etag - n, "-s\"");
}

/* Sets the size of the frame that has these blocks. */
static int measure(struct refine_job *j, const struct sdd_plan_info *blocks)
{
    struct frame_about about = refine_about(j);
    struct frame frame;
    int rc = frame_make(&about, blocks, &frame, &j->base.job.err);
    if (rc)
        return rc;
    j->frame_bytes = frame.bytes;
    j->block_at = frame.n_blocks ? frame.blocks[0].offset : frame.bytes;
    frame_fini(&frame);
    return SDD_OK;
}

/* Gives what a piece of so many rows takes. */
static int measure_piece(struct refine_job *j, int64_t rows, int64_t *device_bytes, int64_t *host_bytes)
{
    sdd_plan *piece;
    int rc = sdd_plan_create_for_rows(j->plan, 0, rows, &piece, &j->base.job.err);
    if (rc)
        return rc;
    *device_bytes = sdd_plan_info(piece)->device_bytes;
    *host_bytes = sdd_plan_info(piece)->host_bytes;
    sdd_plan_free(piece);
    return SDD_OK;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Every piece makes what all rows stand on again, and should be many times that. */
static int choose_piece(struct refine_job *j)
{
    const struct service *s = job_service(&j->base.job);
    const int64_t most = least(least(s->config->stream_bytes / 4, s->memory->host_memory / 8), MOST_PIECE_BYTES);
    int64_t device_bytes, host_bytes;
    int rc = measure_piece(j, 1, &device_bytes, &host_bytes);
    if (rc)
        return rc;
    int64_t bytes = device_bytes * PIECE_SCRATCHES;
    j->piece_rows = least(bytes > REFINE_PIECE_BYTES ? bytes : REFINE_PIECE_BYTES, most) / STREAM_ROW_BYTES + 1;
    return SDD_OK;
}

int refine_ring(struct refine_job *j, int64_t rows)
{
    int64_t host_bytes;
    int rc = measure_piece(j, least(rows, j->piece_rows), &j->device_bytes, &host_bytes);
    if (rc)
        return rc;
    j->host_bytes = host_bytes * (rows > 2 * j->piece_rows ? STREAM_PIECES : rows > j->piece_rows ? 2 : 1);
    return SDD_OK;
}

int refine_measure(struct refine_job *j)
{
    struct job *job = &j->base.job;
    int rc;
    j->streamed = false;
    if (!resident_plan(memory_of(job)->residency, slot_of(job)->resident, &j->request, &j->plan, &rc, &job->err))
        return JOB_AGAIN;
    if (rc)
        return rc;
    j->device_bytes = sdd_plan_info(j->plan)->device_bytes;
    j->host_bytes = sdd_plan_info(j->plan)->host_bytes;
    rc = measure(j, sdd_plan_info(j->plan));
    if (!rc && can_be_pieces(j))
        rc = choose_piece(j);
    if (rc || !is_streamed(j))
        return rc;
    j->streamed = true;
    refine_tag_stream(j);
    rc = measure(j, sdd_plan_info(j->plan));
    return rc ? rc : refine_ring(j, sdd_plan_info(j->plan)->blocks[0].count);
}

int refine_asked(struct refine_job *j, int64_t bytes)
{
    j->first = 0;
    j->length = bytes;
    j->ranged = 0;
    if (*j->range && (!*j->unless || strcmp(j->unless, j->etag) == 0))
        j->ranged = range_parse(j->range, bytes, &j->first, &j->length);
    if (j->ranged >= 0)
        return SDD_OK;
    job_fail(&j->base.job, SDD_ERANGE, "range", "the frame has %lld bytes", (long long)bytes);
    j->base.job.err.available = bytes;
    return SDD_ERANGE;
}

int refine_range(struct refine_job *j, bool *pieces)
{
    *pieces = false;
    if (!can_be_pieces(j) || (!j->streamed && j->frame_bytes <= j->piece_rows * STREAM_ROW_BYTES))
        return SDD_OK; /* is made as a whole; the answer looks at its range */
    int rc = refine_asked(j, j->frame_bytes);
    /* A header that has a digest needs the whole block; who goes on with a frame does not ask for it again. */
    *pieces = j->streamed || (j->ranged > 0 && j->first >= j->block_at);
    return rc;
}

static int within_limit(struct job *job, const char *least, int64_t bytes)
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

int refine_plan(struct refine_job *j)
{
    int rc = refine_measure(j);
    return rc || j->streamed ? rc : within_limit(&j->base.job, "", j->frame_bytes);
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

int refine_admit(struct refine_job *j)
{
    struct job *job = &j->base.job;
    struct service *s = job_service(job);
    struct resident *m = slot_of(job)->resident;
    struct sdd_device_info info;
    int64_t device = residency_available(s->memory->residency, m);
    int rc = within_host(job, j->host_bytes);
    if (rc)
        return rc;
    if (j->device_bytes > device)
        return no_memory(job, "device memory", j->device_bytes, device);
    for (sdd_device_info(s->memory->device, &info); info.memory_limit - info.memory_used < j->device_bytes;
         sdd_device_info(s->memory->device, &info))
        if (!residency_make_room(s->memory->residency, m, 0))
            break;
    return SDD_OK;
}

int refine_together(const struct refine_job *j)
{
    const struct service *s = job_service(&j->base.job);
    const int64_t host = host_left(s), bytes = j->host_bytes + 1, room = least(host, MOST_TOGETHER_BYTES);
    return room / bytes < INT32_MAX ? (int)(room / bytes) : INT32_MAX;
}

int refine_budget(struct refine_job *j, int64_t *max_bytes)
{
    struct job *job = &j->base.job;
    int64_t limit = job_service(job)->config->max_output_bytes, host = host_left(job_service(job));
    *max_bytes = host < limit ? host : limit;
    return within_host(job, 1);
}

int refine_over(struct refine_job *j)
{
    struct job *job = &j->base.job;
    int64_t needed = job->err.needed;
    int rc = within_limit(job, "at least ", needed);
    if (!rc)
        rc = within_host(job, needed);
    /* Neither: what was sent meanwhile has left room, and the next one may have it. */
    return rc ? rc : job_fail(job, SDD_EBUSY, "", "the memory for this frame came free just now");
}

int refine_check(struct refine_job *j, const struct sdd_plan_info *result)
{
    int rc = measure(j, result);
    return rc ? rc : within_limit(&j->base.job, "", j->frame_bytes);
}

static _Atomic double seconds_a_byte = FIRST_GUESS;

double refine_estimate(int64_t bytes)
{
    return FIXED_SECONDS + (double)bytes * seconds_a_byte;
}

void refine_learn(int64_t bytes, double seconds)
{
    if (bytes < 1 << 16)
        return; /* small frames cost their fixed part */
    seconds_a_byte = seconds_a_byte + LEARN * (seconds / (double)bytes - seconds_a_byte); /* one writer */
}
