/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c: answers PUT /v1/meshes/{id}/positions, which moves vertices and keeps the topology; and reads positions
 * for other routes that take them. */
#include "server/api/api.h"
#include "server/api/events.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct positions_job {
    struct mesh_job base;
    struct positions *positions;
};

int usda_ask_of(const struct query *q, int media, struct usda_ask *ask, struct sdd_error *err)
{
    const char *time = query_get(q, "time");
    char *end = NULL;
    *ask = (struct usda_ask){.prim = query_get(q, "prim"), .has_time = time, .options = query_options_given(q)};
    if ((ask->prim || time) && !(media & MEDIA_USDA))
        return sdd_fail(err, SDD_EINVALID, time ? "time" : "prim", "%s goes with model/vnd.usda",
                        time ? "time" : "prim");
    if (time)
        ask->time = strtod(time, &end);
    if (time && (end == time || *end || !isfinite(ask->time)))
        return sdd_fail(err, SDD_EINVALID, "time", "time is a number, the time code of a sample, not \"%.40s\"", time);
    return SDD_OK;
}

int positions_read(struct mesh_job *j, bool whole, struct positions **out)
{
    struct job *job = &j->job;
    int64_t first = 0;
    whole = whole || (j->media_in & (MEDIA_OBJ | MEDIA_USDA)) ||
            ((j->media_in & MEDIA_OCTETS) && !query_get(&j->query, "first"));
    if (*out)
        return SDD_OK; /* The steps run again after JOB_AGAIN. */
    struct usda_ask ask;
    int rc = query_int(&j->query, "first", 0, INT32_MAX, &first, &job->err);
    if (!rc)
        rc = usda_ask_of(&j->query, j->media_in, &ask, &job->err);
    if (rc)
        return rc;
    if (query_get(&j->query, "first") && !(j->media_in & MEDIA_OCTETS))
        return job_fail(job, SDD_EINVALID, "first",
                        "first goes with application/octet-stream; other bodies name their ranges");
    rc = decode_begin(j, decode_usual(j));
    if (rc)
        return rc;
    rc = j->media_in & MEDIA_OCTETS     ? positions_from_octets(j->body, j->body_bytes, first, out, &job->err)
         : j->media_in & MEDIA_PROTOBUF ? positions_from_proto(j->body, j->body_bytes, out, &job->err)
         : j->media_in & MEDIA_JSON     ? positions_from_json(j->body, j->body_bytes, out, &job->err)
         : j->media_in & MEDIA_USDA     ? positions_from_usda(j->body, j->body_bytes, &ask, out, &job->err)
                                        : positions_from_obj(j->body, j->body_bytes, out, &job->err);
    rc = decode_end(j, rc);
    return rc ? rc : positions_check(*out, slot_of(job)->info.n_vertices, whole, &job->err);
}

static int parse(struct job *job)
{
    struct positions_job *p = (struct positions_job *)job;
    return positions_read(&p->base, false, &p->positions);
}

/* What the arrays of a mesh take in the store, about: behind edits all of them may be written. */
static int64_t stored_bytes(const struct store_info *i)
{
    int64_t bytes = 16 * i->n_vertices + 8 * i->n_faces + 8 * i->n_corners + 8 * i->n_uvs;
    for (int p = 0; p < i->n_primvars; p++)
        bytes += 4 * ((int64_t)i->primvars[p].n_values * i->primvars[p].width + i->n_corners);
    return bytes;
}

/* Until the commit the device's version is 0: should the job end here, the next one loads the stored points again. */
int positions_move(struct job *job, const struct positions *p)
{
    struct resident *m = slot_of(job)->resident;
    int rc = ensure_resident(job);
    uint64_t start = uv_hrtime();
    if (rc)
        return rc;
    m->version = 0;
    job->commit_bytes = stored_bytes(&slot_of(job)->info);
    for (int64_t i = 0; i < p->n_ranges && !rc; i++) {
        const struct position_range *range = &p->ranges[i];
        rc = sdd_mesh_set_points(m->mesh, range->first, range->n, range->points, &job->err);
    }
    job->phases[PHASE_UPLOAD] += (double)(uv_hrtime() - start) * 1e-9;
    return rc;
}

/* The version in memory becomes the one that is stored. */
static void after_commit(struct job *job, int rc)
{
    struct mesh_job *j = (struct mesh_job *)job;
    struct slot *slot = j->slot;
    if (!rc) {
        slot->info.version++;
        slot->info.updated_ms = j->moved_ms;
    }
    if (!rc && slot->host)
        positions_apply(j->moved, slot->host);
    if (slot->host)
        mesh_seal(slot->host);
}

int positions_commit(struct job *job, const struct positions *p, const char *kind)
{
    struct mesh_job *j = (struct mesh_job *)job;
    struct slot *slot = j->slot;
    struct store_info info = slot->info;
    const struct info_state state = {.residency = "device",
                                     .pinned = slot->pinned,
                                     .device_bytes = resident_bytes(slot->resident),
                                     .host_bytes = slot->host ? mesh_bytes(slot->host) : 0};
    struct store_answer record;
    char tag[VERSION_TAG_SIZE];
    int rc = decode_begin(j, 0); /* Behind edits the store may take memory for the mesh. */
    job->after_commit = after_commit;
    if (rc)
        return rc;
    info.version++;
    info.updated_ms = j->moved_ms = now_ms();
    j->moved = p;
    (j->media_out == MEDIA_PROTOBUF ? info_proto : info_json)(&j->answer, &info, &state);
    if (j->answer.failed)
        return decode_end(j, job_fail(job, SDD_ENO_MEMORY, "", "out of memory"));
    text_puts(&j->answer, j->media_out == MEDIA_PROTOBUF ? "" : "\n");
    version_tag(tag, info.version, j->media_out);
    operation_author(j, kind, 0, 0);
    touched_by_positions(&j->touched, p);
    rc = slot->host ? positions_open(p, slot->host, &job->err) : SDD_OK;
    if (!rc)
        rc = store_put_points(job_service(job)->storage->store, slot->id, slot->info.version, p, slot->host,
                              info.updated_ms, idempotency_record(j, &record, 200, "", tag), NULL, &job->err);
    rc = decode_end(j, rc);
    job->committed = !rc;
    return storage_result(job_service(job)->storage, rc);
}

static int move(struct job *job)
{
    return positions_move(job, ((const struct positions_job *)job)->positions);
}

static int commit(struct job *job)
{
    return positions_commit(job, ((const struct positions_job *)job)->positions, "positions");
}

int positions_adopt(struct job *job)
{
    slot_of(job)->resident->version = slot_of(job)->info.version;
    cache_supersede(&memory_of(job)->cache, slot_of(job));
    operation_adopted(job);
    events_version(job);
    return SDD_OK;
}

static bool skip_load_unless_leased(const struct job *job)
{
    return leases_none_of_others(job) ? skip_load_resident(job) : skip_load(job);
}

/* Others have leased faces: their vertices must stay where they are. Where ranges overlap, the last one counts. */
static int spare_leased(struct job *job)
{
    const struct positions *p = ((const struct positions_job *)job)->positions;
    const struct mesh *m = slot_of(job)->host;
    struct mesh_changes moved = {.vertices = mesh_alloc(m->n_vertices, sizeof(int32_t), &job->err)};
    unsigned char *moves = moved.vertices ? mesh_alloc(m->n_vertices, 1, &job->err) : NULL;
    if (!moves) {
        mesh_changes_fini(&moved);
        return SDD_ENO_MEMORY;
    }
    memset(moves, 0, (size_t)m->n_vertices);
    for (int64_t i = 0; i < p->n_ranges; i++)
        for (int64_t v = 0; v < p->ranges[i].n; v++) {
            const int64_t row = p->ranges[i].first + v;
            moves[row] = memcmp(m->points + 3 * row, p->ranges[i].points + 3 * v, 3 * sizeof(float)) != 0;
        }
    for (int64_t row = 0; row < m->n_vertices; row++)
        if (moves[row])
            moved.vertices[moved.n_vertices++] = m->vertex_ids[row];
    free(moves);
    qsort(moved.vertices, (size_t)moved.n_vertices, sizeof(int32_t), mesh_compare_ids);
    int rc = leases_allow((struct mesh_job *)job, m, &moved);
    mesh_changes_fini(&moved);
    return rc;
}

void positions_answer(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    if (idempotency_replay(j))
        return;
    job->request->mesh_version = j->slot->info.version;
    answer_text(job->request, 200, (enum media)j->media_out, &j->answer); /* The one that was stored. */
    answer_etag(job->request, j->slot->info.version);
}

static void free_job(struct job *job)
{
    positions_free(((struct positions_job *)job)->positions);
    mesh_job_free(job);
}

void api_positions(struct request *r)
{
    static const struct step steps[] = {{ON_HOST, PHASE_PARSE, step_digest, skip_digest},
                                        {ON_STORE, PHASE_LOAD, step_find_once, skip_find_once},
                                        {ON_LOOP, -1, step_change, NULL},
                                        {ON_HOST, PHASE_PARSE, parse, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_unless_leased},
                                        {ON_HOST, PHASE_PARSE, spare_leased, leases_none_of_others},
                                        {ON_LOOP, -1, ensure_resident_record, NULL},
                                        {ON_LOOP, -1, step_settle_record, NULL},
                                        {ON_DEVICE, -1, move, NULL},
                                        {ON_LOOP, -1, step_unsettle, NULL},
                                        {ON_STORE, PHASE_COMMIT, commit, NULL},
                                        {ON_LOOP, -1, positions_adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, positions_answer, free_job};
    struct positions_job *p = mesh_job_create(r, sizeof *p, true);
    if (p)
        mesh_job_start(r, &p->base, &ops);
}
