/* SPDX-License-Identifier: Apache-2.0 */
/* api_plan.c: GET /v1/meshes/{id}/plan: what the same query on refined would cost, exactly, before asking. */
#include "server/refine_request.h"
#include "server/residency.h"
#include <stdlib.h>

static int plan(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    int rc = ensure_resident(job);
    if (!rc)
        rc = refine_plan(j);
    if (rc)
        return rc;
    j->available_device_bytes = residency_available(job->server->residency, job->slot->resident);
    j->estimated_ms = refine_estimate(j->frame_bytes) * 1e3;
    return SDD_OK;
}

static void write_blocks(struct text *t, const struct sdd_plan *p)
{
    text_key(t, "blocks");
    text_puts(t, "[");
    for (int i = 0; i < p->n_blocks; i++) {
        text_puts(t, i ? ",{" : "{");
        text_member(t, "semantic", semantic_name(p->blocks[i].semantic));
        text_member(t, "type", semantic_type(p->blocks[i].semantic));
        text_member_int(t, "components", p->blocks[i].components);
        text_member_int(t, "count", p->blocks[i].count);
        text_member_int(t, "bytes", p->blocks[i].bytes);
        text_puts(t, "}");
    }
    text_puts(t, "]");
}

static void answer(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    const struct sdd_plan *p = &j->plan;
    struct text t = {0};
    text_puts(&t, "{");
    text_member(&t, "method", p->method);
    text_member_int(&t, "level", j->request.level);
    text_member(&t, "surface", surface_name(j->request.surface));
    text_member_int(&t, "version", job->slot->info.version);
    text_member_int(&t, "vertices", p->n_vertices);
    text_member_int(&t, "faces", p->n_faces);
    text_member_int(&t, "edges", p->n_edges);
    text_member_int(&t, "frameBytes", j->frame_bytes);
    text_member_int(&t, "deviceBytes", p->device_bytes);
    text_member_int(&t, "hostBytes", p->host_bytes);
    text_member_int(&t, "availableDeviceBytes", j->available_device_bytes);
    write_blocks(&t, p);
    text_member_real(&t, "estimatedMs", j->estimated_ms, 3);
    text_puts(&t, "}\n");
    job->request->mesh_version = job->slot->info.version;
    answer_text(job->request, 200, MEDIA_JSON, &t);
    answer_etag(job->request, job->slot->info.version);
}

static void free_job(struct job *job)
{
    mesh_job_fini((struct mesh_job *)job);
    free(job);
}

void api_plan(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_load, skip_load_resident},
                                        {ON_LOOP, -1, ensure_resident_record, NULL},
                                        {ON_DEVICE, -1, plan, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    struct refine_job *j = refine_job_create(r, sizeof *j);
    if (j)
        mesh_job_start(r, &j->base, &ops);
}
