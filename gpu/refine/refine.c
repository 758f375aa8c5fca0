/* SPDX-License-Identifier: Apache-2.0 */
/* refine.c: refines one mesh or a batch by a plan, for all callers of sdd_refine. It makes one allocation of exactly
 * the planned size, runs the engine, refines primvars with the positions, and has the blocks copied to host memory
 * (result.h). */
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/quantise.h"
#include "gpu/levels/levels.h"
#include "gpu/refine/planner.h"
#include "version.h"
#include <stdlib.h>
#include <string.h>

const char *sdd_version(void)
{
    return SUBDD_VERSION;
}

/* Makes what engine e needs beside the memory of a run and keeps with the topology. Engine e is the plan's own, or its
 * `tables`. */
static int make_kept(const struct sdd_plan *p, const struct engine *e, const sdd_topology *t, const atomic_int *cancel,
                     struct sdd_error *err)
{
    int rc = e->prepare ? e->prepare(t, &p->request, cancel, err) : SDD_OK;
    if (!rc)
        rc = primvars_prepare(t, e, &p->request, cancel, err);
    return rc == SDD_EUNSUPPORTED ? features_add_engines(sdd_engines, t, &p->request, e, err) : rc;
}

/* Does the plan use tables only because `auto` has learned that they pay? */
static int is_learned(const struct sdd_plan *p)
{
    return p->history && p->engine == p->tables;
}

static int prepare(const struct sdd_plan *p, const sdd_topology *t, const atomic_int *cancel, struct sdd_error *err)
{
    int rc = make_kept(p, p->engine, t, cancel, err);
    if (is_learned(p))
        planner_settle(p->history, p, rc);
    return rc;
}

int sdd_prepare(sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run, struct sdd_error *err)
{
    struct sdd_error own;
    err = err ? err : &own;
    int rc = plan_check(plan, m, 0, err);
    return rc ? rc : prepare(plan, m->topology, run ? run->cancel : NULL, err);
}

int sdd_history_build(sdd_history *h, sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run,
                      struct sdd_error *err)
{
    struct sdd_error own;
    err = err ? err : &own;
    int rc = plan_check(plan, m, 0, err);
    if (!rc && plan->tables)
        rc = make_kept(plan, plan->tables, m->topology, run ? run->cancel : NULL, err);
    if (plan->tables)
        planner_settle(h, plan, rc);
    return rc;
}

/* ---- run ------------------------------------------------------------------------------------------------------- */
/* Meshes that are refined by one plan. */
struct batch {
    const struct sdd_plan *plan;
    sdd_mesh *const *meshes;
    int n;
    int n_scratch; /* The meshes with scratch of their own, because the engine makes their points in one launch. */
    int begin;     /* 1 when the blocks stay in device memory for now. */
    struct sdd_run how;
    struct engine_run *run;    /* [n] */
    struct result_layout *lay; /* [n] */
    sdd_result **result;       /* [n], owned by the caller */
};

/* Returns how many meshes are made in one launch. That needs an engine with run_batch and a plan of positions alone. */
static int n_at_once(const struct sdd_plan *p, int n)
{
    if (!p->engine->run_batch || (p->request.include & ENGINE_POINTS) != SDD_POSITIONS || p->is_range)
        return 1;
    return n < ENGINE_BATCH ? n : ENGINE_BATCH;
}

static int batch_create(struct batch *b, struct sdd_error *err)
{
    b->run = calloc((size_t)b->n, sizeof *b->run);
    b->lay = calloc((size_t)b->n, sizeof *b->lay);
    if (!b->run || !b->lay)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a result record");
    for (int k = 0; k < b->n; k++) {
        int rc = result_create(b->plan->device, b->result + k, err);
        if (rc)
            return rc;
        b->result[k]->info.plan = b->plan->info;
        b->result[k]->keeps_pieces = b->how.keep_pieces;
    }
    return SDD_OK;
}

static void batch_free(struct batch *b, int rc)
{
    for (int k = 0; k < b->n && rc; k++) {
        sdd_result_free(b->result[k]);
        b->result[k] = NULL;
    }
    free(b->run);
    free(b->lay);
}

static void batch_lay_out(struct batch *b, void *memory)
{
    const struct sdd_plan *p = b->plan;
    struct arena a = {memory, 0};
    char *scratch = arena_take(&a, b->n_scratch, p->scratch_bytes);
    uint64_t *words = ARENA(&a, uint64_t, b->n * result_words(&p->info));
    for (int k = 0; k < b->n; k++, words += result_words(&p->info)) {
        b->run[k] = (struct engine_run){.mesh = b->meshes[k], .request = &p->request, .cancel = b->how.cancel};
        b->run[k].scratch = scratch + k % b->n_scratch * p->scratch_bytes;
        b->run[k].positions = plan_lay_out(p, words, &a, b->lay + k);
    }
}

/* Takes host memory for result k, and tells the engine where to write. */
static int batch_allocate(struct batch *b, int k, struct sdd_error *err)
{
    const struct sdd_plan *plan = b->plan;
    const struct sdd_plan_info *p = &b->result[k]->info.plan;
    const struct sdd_refine_request *r = &plan->request;
    struct result_layout *lay = b->lay + k;
    struct engine_run *run = b->run + k;
    const sdd_topology *t = run->mesh->topology;
    const int made_by_engine = !t->scheme->has_grids, ranged = plan->is_range && !run->positions;
    int rc = result_allocate(b->result[k], b->how.soon_freed, lay, err);
    if (r->compact && plan->engine->direct)
        lay->direct = r->compact & plan->engine->direct(t, r);
    lay->direct |= r->compact & primvars_direct(t);
    lay->direct &= r->include; /* Not split normals, which are made of floats. */
    if (b->n_scratch > 1)      /* run_batch makes floats. */
        lay->direct &= ~SDD_POSITIONS;
    run->positions_as = quantise_as(lay, SDD_POSITIONS);
    run->normals_as = quantise_as(lay, SDD_NORMALS);
    run->positions = run->positions ? run->positions : result_block(p, lay, SDD_POSITIONS);
    run->normals = r->include & SDD_NORMALS ? result_block(p, lay, SDD_NORMALS) : NULL;
    run->tangents = result_block(p, lay, SDD_TANGENTS);
    run->indices = made_by_engine ? result_block(p, lay, SDD_INDICES) : NULL;
    run->uvs = made_by_engine ? result_block(p, lay, SDD_UVS) : NULL;
    run->first_row = ranged ? plan->first_row : 0;
    run->n_rows = ranged ? plan->n_rows : p->n_vertices;
    return rc;
}

/* Queues the work that is no engine's, and the conversion of the rows that the engine has made. */
static int run_rest(const struct batch *b, int k, struct sdd_error *err)
{
    const struct sdd_plan *plan = b->plan;
    const struct engine_run *run = b->run + k;
    const struct result_layout *lay = b->lay + k;
    const struct sdd_plan_info *p = &b->result[k]->info.plan;
    const sdd_topology *t = run->mesh->topology;
    float *positions = result_block(p, lay, SDD_POSITIONS);
    int rc = result_cancelled(run->cancel, "the indices", err);
    if (rc)
        return rc;
    if (run->positions != positions)
        dev_copy(t->device, positions, run->positions + 3 * plan->first_row,
                 3 * plan->n_rows * (int64_t)sizeof *positions);
    primvars_index(t, topology_grid(t, plan->request.level), result_block(p, lay, SDD_INDICES), p->n_faces);
    primvars_index(t, topology_channel_grid(t, t->cut, plan->request.level), result_block(p, lay, SDD_NORMAL_INDICES),
                   p->n_faces);
    rc = primvars_run(run, plan->engine, p, lay, err);
    if (!rc && t->cut && (plan->request.include & SDD_NORMAL_INDICES))
        rc = split_normals_run(run, result_block(p, lay, SDD_NORMALS), err);
    if (!rc)
        quantise_queue(t, p, lay, run->scratch);
    return rc;
}

/* Queues the work of all meshes. The points of a batch come first, because the rest of a mesh may reuse the scratch. */
static int batch_run(const struct batch *b, struct sdd_error *err)
{
    const struct engine *e = b->plan->engine;
    const struct engine_steps *steps = e->of + b->run->mesh->topology->scheme->kind;
    int rc = SDD_OK;
    dev_mark(b->plan->device, MARK_START);
    for (int first = 0; first < b->n && !rc; first += b->n_scratch) {
        const int n = b->n - first < b->n_scratch ? b->n - first : b->n_scratch;
        for (int k = first; k < first + n; k++)
            quantise_begin(b->run[k].mesh, &b->plan->info, b->lay + k, b->run[k].scratch);
        rc = b->n_scratch > 1 ? e->run_batch(b->run + first, n, err) : steps->run(b->run + first, err);
        for (int k = first; k < first + n && !rc; k++)
            rc = run_rest(b, k, err);
    }
    return rc ? rc : result_bring(b->result, b->lay, b->n, !b->begin, b->how.cancel, err);
}

/* Refines the batch. The engine of the plan is prepared. */
static int batch_refine(struct batch *b, struct sdd_error *err)
{
    const struct sdd_plan *p = b->plan;
    sdd_device *d = p->device;
    const int64_t launches = d->n_launches, bytes = plan_device_bytes(p, b->n, b->n_scratch);
    void *memory = NULL;
    int rc = batch_create(b, err);
    if (!rc)
        rc = dev_alloc(d, bytes, &memory, err);
    if (rc)
        return rc;
    batch_lay_out(b, memory);
    for (int k = 0; k < b->n && !rc; k++)
        rc = batch_allocate(b, k, err);
    if (!rc) {
        rc = batch_run(b, err);
        if (rc) /* Work that is queued may still use the memory. */
            dev_drain(d);
    }
    if (b->begin && !rc)
        result_hold(b->result[0], b->lay, memory, bytes);
    else
        dev_free(d, memory, bytes);
    for (int k = 0; k < b->n; k++) {
        b->result[k]->info.n_launches = d->n_launches - launches;
        if (p->engine->by && (p->request.include & ENGINE_POINTS))
            b->result[k]->info.by = p->engine->by(b->meshes[k]->topology, &p->request);
    }
    return rc;
}

static int run_plan(sdd_mesh *const *meshes, int n, int begin, const sdd_plan *plan, const struct sdd_run *how,
                    sdd_result **out, struct sdd_error *err)
{
    struct batch b = {plan, meshes, n, n_at_once(plan, n), begin && !plan->device->b->unified, *how, .result = out};
    int rc = batch_refine(&b, err);
    batch_free(&b, rc);
    return rc;
}

/* Refines without tables, because `auto` had chosen them and they could not be built. */
static int run_plain(sdd_mesh *const *meshes, int n, int begin, const sdd_plan *learned, const struct sdd_run *how,
                     sdd_result **out, struct sdd_error *err)
{
    const sdd_topology *t = meshes[0]->topology;
    struct sdd_refine_request r = learned->request;
    sdd_plan *whole, *rows = NULL;
    r.method = NULL;
    int rc = sdd_plan_create_for_topology(t, &r, &whole, err);
    if (!rc && learned->is_range)
        rc = sdd_plan_create_for_rows(whole, learned->first_row, learned->n_rows, &rows, err);
    const sdd_plan *plain = rows ? rows : whole;
    if (!rc)
        rc = prepare(plain, t, how->cancel, err);
    if (!rc)
        rc = run_plan(meshes, n, begin, plain, how, out, err);
    sdd_plan_free(rows);
    sdd_plan_free(whole);
    return rc;
}

static int refine(sdd_mesh *const *meshes, int n, int begin, const sdd_plan *plan, const struct sdd_run *run,
                  sdd_result **out, struct sdd_error *err)
{
    struct sdd_error own = {0};
    int rc = SDD_OK;
    err = err ? err : &own;
    err->code = SDD_OK;
    if (n < 1 || n > SDD_MAX_BATCH)
        return sdd_fail(err, SDD_EINVALID, "meshes", "%d meshes; 1 to %d are allowed", n, SDD_MAX_BATCH);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < n && !rc; k++)
        rc = plan_check(plan, meshes[k], k, err);
    if (rc)
        return rc;
    const struct sdd_run how = run ? *run : (struct sdd_run){0};
    rc = prepare(plan, meshes[0]->topology, how.cancel, err);
    if (!rc)
        rc = run_plan(meshes, n, begin, plan, &how, out, err);
    else if (is_learned(plan) && (rc == SDD_EUNSUPPORTED || rc == SDD_ETOO_LARGE || rc == SDD_ENO_MEMORY))
        rc = run_plain(meshes, n, begin, plan, &how, out, err);
    for (int k = 0; k < n && !rc && plan->history && !plan->is_range; k++)
        (void)sdd_history_note(plan->history, plan, (int64_t)meshes[k]->points_serial, 0);
    return rc;
}

int sdd_refine_batch(sdd_mesh *const *meshes, int n, const sdd_plan *plan, const struct sdd_run *run,
                     sdd_result **results, struct sdd_error *err)
{
    return refine(meshes, n, 0, plan, run, results, err);
}

int sdd_refine(sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run, sdd_result **out, struct sdd_error *err)
{
    return refine(&m, 1, 0, plan, run, out, err);
}

int sdd_refine_begin(sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run, sdd_result **out,
                     struct sdd_error *err)
{
    return refine(&m, 1, 1, plan, run, out, err);
}
