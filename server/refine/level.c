/* SPDX-License-Identifier: Apache-2.0 */
/* level.c: how many elements a mesh or a level of it has, for neighbours and fields. */
#include "server/refine/refine.h"

int level_counts(struct ask_job *a, int level, sdd_plan **plan, struct sdd_plan_info *out)
{
    struct job *job = &a->base.job;
    const struct resident *m = slot_of(job)->resident;
    const struct sdd_refine_request request = {.level = level, .include = SDD_POSITIONS, .method = "auto"};
    struct sdd_topology_info info;
    int rc = SDD_OK;
    sdd_topology_info(resident_topology(m), &info);
    *out = (struct sdd_plan_info){
        .method = "", .n_vertices = info.n_vertices, .n_faces = info.n_faces, .n_edges = info.n_edges};
    if (level < 1)
        return SDD_OK;
    if (!resident_plan(memory_of(job)->residency, m, &request, plan, &rc, &job->err))
        return JOB_AGAIN;
    if (rc)
        return rc;
    const struct sdd_plan_info *p = sdd_plan_info(*plan);
    out->n_vertices = p->n_vertices;
    out->n_faces = p->n_faces;
    out->n_edges = p->n_edges;
    return SDD_OK;
}

int level_check(int64_t level, int64_t max_level, struct sdd_error *err)
{
    if (level >= 0 && level <= max_level)
        return SDD_OK;
    int rc =
        sdd_fail(err, SDD_EQUERY, "level", "level %lld; 0 to %lld are allowed", (long long)level, (long long)max_level);
    err->available = max_level;
    return rc;
}
