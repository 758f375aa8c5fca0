/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the handler of GET /v1/meshes/{id}/plan. It tells clients in advance exactly what the same query on refined
 * would cost. */
#include "server/api/api.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdlib.h>

struct plan_job {
    struct ask_job base;
    struct frame_plan plan;
    int64_t available_device_bytes;
    double estimated_ms;
};

/* A streamed frame is made and measured piece by piece. */
static double estimate(const struct plan_job *j)
{
    const struct estimate *e = job_service(&j->base.base.job)->estimate;
    const char *method = sdd_plan_info(j->plan.plan)->method;
    const int64_t whole = j->plan.frame_bytes, piece = j->plan.piece_rows * STREAM_ROW_BYTES;
    if (!j->plan.streamed || piece <= 0)
        return estimate_seconds(e, method, whole);
    return estimate_seconds(e, method, piece) * (double)whole / (double)piece;
}

/* Plans on the loop when the mesh is resident. That needs no device, so it does not wait for the device's work. */
static int plan(struct job *job)
{
    struct plan_job *j = (struct plan_job *)job;
    int rc = name_by_history(&j->base);
    if (!rc)
        rc = frame_plan_measure(&j->base, false, &j->plan);
    if (rc == JOB_AGAIN)
        return ensure_resident_record(job);
    j->available_device_bytes = residency_published(memory_of(job)->residency, slot_of(job)->resident);
    if (!rc)
        j->estimated_ms = estimate(j) * 1e3;
    return rc ? rc : JOB_DONE;
}

static int load(struct job *job)
{
    int rc = ensure_resident(job);
    residency_publish(memory_of(job)->residency);
    return rc ? rc : JOB_AGAIN;
}

/* Do the limits and the memory admit the frame? If not, *needed and *limit say what it needs and what there is. */
static bool fits(const struct plan_job *j, int64_t *needed, int64_t *limit)
{
    struct service *s = job_service(&j->base.base.job);
    const int64_t mesh = slot_of(&j->base.base.job)->host_bytes; /* The job that makes the frame uses it too. */
    const int64_t host = pool_could(&s->memory->pool) + mesh;
    const int64_t pairs[3][2] = {{j->plan.streamed ? 0 : j->plan.frame_bytes, s->config->max_output_bytes},
                                 {j->plan.host_bytes + mesh, host > 0 ? host : 0},
                                 {j->plan.device_bytes, j->available_device_bytes}};
    for (int i = 0; i < 3; i++)
        if (pairs[i][0] > pairs[i][1]) {
            *needed = pairs[i][0];
            *limit = pairs[i][1];
            return false;
        }
    return true;
}

static void write_blocks(struct text *t, const struct sdd_plan_info *p, const struct primvar_info *primvars)
{
    text_key(t, "blocks");
    text_puts(t, "[");
    for (int i = 0; i < p->n_blocks; i++) {
        text_puts(t, i ? ",{" : "{");
        text_member(t, "semantic", semantic_name(p->blocks[i].semantic));
        text_member(t, "type", block_type(&p->blocks[i], primvars));
        if (p->blocks[i].semantic & (SDD_PRIMVARS | SDD_PRIMVAR_INDICES))
            text_member(t, "name", primvars[p->blocks[i].primvar].name);
        if (p->blocks[i].semantic == SDD_PRIMVARS)
            text_member(t, "interpolation", primvar_interpolation(primvars[p->blocks[i].primvar].interpolation));
        text_member_int(t, "components", p->blocks[i].components);
        text_member_int(t, "count", p->blocks[i].count);
        text_member_int(t, "bytes", p->blocks[i].bytes);
        text_puts(t, "}");
    }
    text_puts(t, "]");
}

static void answer(struct job *job)
{
    struct plan_job *j = (struct plan_job *)job;
    const struct sdd_plan_info *p = sdd_plan_info(j->plan.plan);
    struct text t = {0};
    int64_t needed = 0, limit = 0;
    bool fit = fits(j, &needed, &limit);
    text_puts(&t, "{");
    text_member(&t, "method", p->method);
    text_member_int(&t, "level", j->base.request.level);
    text_member(&t, "surface", surface_name(j->base.request.surface));
    text_member_int(&t, "version", slot_of(job)->info.version);
    text_member_int(&t, "vertices", p->n_vertices);
    text_member_int(&t, "faces", p->n_faces);
    text_member_int(&t, "edges", p->n_edges);
    text_member_int(&t, "frameBytes", j->plan.frame_bytes);
    text_member_int(&t, "deviceBytes", j->plan.device_bytes);
    text_member_int(&t, "hostBytes", j->plan.host_bytes);
    text_member_int(&t, "availableDeviceBytes", j->available_device_bytes);
    if (j->estimated_ms > 0)
        text_member_real(&t, "estimatedMs", j->estimated_ms, 3);
    text_key(&t, "streamed");
    text_puts(&t, j->plan.streamed ? "true" : "false");
    text_key(&t, "fits");
    text_puts(&t, fit ? "true" : "false");
    if (!fit) {
        text_member_int(&t, "needed", needed);
        text_member_int(&t, "limit", limit);
    }
    write_blocks(&t, p, slot_of(job)->info.primvars);
    text_puts(&t, "}\n");
    job->request->mesh_version = slot_of(job)->info.version;
    answer_text(job->request, 200, MEDIA_JSON, &t);
}

static void free_job(struct job *job)
{
    sdd_plan_free(((struct plan_job *)job)->plan.plan);
    mesh_job_free(job);
}

void api_plan(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find},
                                        {ON_LOOP, -1, plan, NULL},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_DEVICE, -1, load, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    struct plan_job *j = ask_job_create(r, sizeof *j, ask_max_level(service_of(r)->config), ASK_FRAME_BLOCKS);
    if (j)
        mesh_job_start(r, &j->base.base, &ops);
}
