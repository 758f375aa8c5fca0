/* SPDX-License-Identifier: Apache-2.0 */
/* refine.c: plan and run a refine, of one mesh or a batch: choose the engine, lay out one allocation of exactly the
 * planned size, run, bring the blocks to host memory (result.h). */
#include "gpu/engine_api/capabilities.h"
#include "gpu/refine/internal.h"
#include "gpu/engine_api/quantise.h"
#include "gpu/sdd/sdd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SDD_VERSION
#define SDD_VERSION "0.1.0"
#endif

const char *sdd_version(void)
{
    return SDD_VERSION;
}

/* The first engine, in the table's order, that is asked for, can do it and has room for it; else why none can. */
static const struct engine *choose(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    int any = !r->method || strcmp(r->method, "auto") == 0, known = 0;
    uint32_t needed = features_needed(t, r);
    char names[200] = "auto";
    size_t used = strlen(names);
    err->code = SDD_OK;
    for (const struct engine *const *e = sdd_engines; *e; e++) {
        const struct sdd_engine_info *info = &(*e)->info;
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", info->name);
        if (any ? (*e)->by_name_alone : strcmp(r->method, info->name) != 0)
            continue;
        known = 1;
        if (features_missing(t, info, needed) == 0) {
            if (!engine_check(*e, t, r, err))
                return *e;
            if (err->code == SDD_EUNSUPPORTED)
                (void)features_add_engines(sdd_engines, t, r, *e, err);
        } else if (!any) {
            (void)features_fail(sdd_engines, t, r, info, err);
        }
    }
    if (!known)
        sdd_fail(err, SDD_EINVALID, "method", "\"%.40s\" is not one of %s", r->method, names);
    else if (err->code == SDD_OK)
        (void)features_fail(sdd_engines, t, r, NULL, err);
    return NULL;
}

static int check_request(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const int all = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES | SDD_UVS | SDD_UV_INDICES | SDD_FACE_PARAMS |
                    SDD_TANGENTS | SDD_PRIMVARS | SDD_PRIMVAR_INDICES;
    if (r->level < 1 || r->level > SDD_MAX_LEVEL)
        return sdd_fail(err, SDD_EINVALID, "level", "level %d; 1 to %d are allowed", r->level, SDD_MAX_LEVEL);
    if (r->surface != SDD_SURFACE_REFINED && r->surface != SDD_SURFACE_LIMIT)
        return sdd_fail(err, SDD_EINVALID, "surface", "surface %d is neither refined nor limit", r->surface);
    if ((r->include & all) == 0 || (r->include & ~all))
        return sdd_fail(err, SDD_EINVALID, "include", "nothing that is known is asked for");
    if ((r->include & SDD_TANGENTS) && r->surface != SDD_SURFACE_LIMIT)
        return sdd_fail(err, SDD_EINVALID, "include", "tangents are the limit surface's; ask for surface=limit");
    int rc = quantise_check(r, err);
    return rc ? rc : primvars_check(t, r, err);
}

/* Once the plan's rows are counted: is the range in them? */
static int check_range(const struct sdd_refine_request *r, int64_t n, struct sdd_error *err)
{
    const int64_t rows = r->n_rows ? r->n_rows : n;
    if (r->first_row == 0 && r->n_rows == 0)
        return SDD_OK;
    if (r->include != SDD_POSITIONS || r->compact)
        return sdd_fail(err, SDD_EINVALID, "include", "a range of rows is of positions alone, not compact");
    if (r->first_row >= 0 && rows >= 0 && rows <= n && r->first_row <= n - rows)
        return SDD_OK;
    (void)sdd_fail(err, SDD_EINVALID, "n_rows", "rows %lld, %lld of them; the block has %lld", (long long)r->first_row,
                   (long long)r->n_rows, (long long)n);
    err->available = n;
    return SDD_EINVALID;
}

/* Device memory that one run works in: what compact blocks are made with, then the engine, then the primvars. */
static int64_t scratch_bytes(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r)
{
    const int64_t parts[] = {e->of[t->scheme->kind].scratch(t, r), primvars_scratch(t, e, r),
                             r->compact ? quantise_scratch(t) : 0};
    int64_t most = 0;
    for (int i = 0; i < 3; i++)
        most = parts[i] > most ? parts[i] : most;
    return (most + 255) / 256 * 256; /* as arenas count */
}

/* The memory of a result; returns that of all positions, where a range is wanted of an engine that makes no ranges. */
static float *lay_out(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r,
                      const struct sdd_plan *p, uint64_t *words, struct arena *a, struct result_layout *out)
{
    float *whole = r->n_rows && !e->ranges ? ARENA(a, float, 3 * p->n_vertices) : NULL;
    result_lay_out(t->device, p, words, a, out);
    return whole;
}

static int make_plan(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *p,
                     const struct engine **engine, struct sdd_error *err)
{
    int rc = check_request(t, r, err), level = r->level;
    memset(p, 0, sizeof *p);
    if (rc)
        return rc;
    struct scheme_counts n;
    t->scheme->count(t, level, &n);
    p->n_vertices = n.vertices;
    p->n_faces = n.faces;
    p->n_edges = n.edges;
    p->n_uvs = n.uvs;
    int64_t rows = primvars_most_rows(t, r), most = p->n_vertices > rows ? p->n_vertices : rows;
    if (most >= UINT32_MAX) {
        sdd_fail(err, SDD_ETOO_LARGE, "level", "level %d has %lld %s; ids of 32 bits end at %lld", level,
                 (long long)most, most == p->n_vertices ? "vertices" : "face-varying values", (long long)UINT32_MAX);
        if (err) {
            err->needed = most;
            err->available = UINT32_MAX;
        }
        return SDD_ETOO_LARGE;
    }
    rc = check_range(r, p->n_vertices, err);
    if (rc)
        return rc;
    *engine = choose(t, r, err);
    if (!*engine)
        return err->code;
    p->method = (*engine)->info.name;
    p->ranges = (*engine)->ranges;
    if (r->include & SDD_POSITIONS)
        quantise_add_block(r, p, SDD_POSITIONS, r->n_rows ? r->n_rows : p->n_vertices);
    if (r->include & SDD_NORMALS)
        quantise_add_block(r, p, SDD_NORMALS, p->n_vertices);
    if (r->include & SDD_TANGENTS)
        result_add_block(p, SDD_TANGENTS, SDD_F32, 6, p->n_vertices);
    if (r->include & SDD_INDICES)
        result_add_block(p, SDD_INDICES, SDD_U32, t->scheme->face_corners, p->n_faces);
    primvars_add_blocks(t, r, p);
    struct arena count = {NULL, 0};
    struct result_layout lay;
    (void)ARENA(&count, char, scratch_bytes(t, *engine, r));
    (void)lay_out(t, *engine, r, p, ARENA(&count, uint64_t, result_words(p)), &count, &lay);
    p->device_bytes = count.used;
    return SDD_OK;
}

int sdd_plan(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *out, struct sdd_error *err)
{
    const struct engine *engine;
    struct sdd_error own;
    return make_plan(t, r, out, &engine, err ? err : &own);
}

/* What the engine needs beside the run's memory, and keeps. */
static int prepare(const struct engine *e, const sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err)
{
    int rc = e->prepare ? e->prepare(m, r, err) : SDD_OK;
    if (!rc)
        rc = primvars_prepare(m->topology, e, r, err);
    return rc == SDD_EUNSUPPORTED ? features_add_engines(sdd_engines, m->topology, r, e, err) : rc;
}

int sdd_prepare(sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const struct engine *engine;
    struct sdd_error own;
    struct sdd_plan p;
    err = err ? err : &own;
    int rc = make_plan(m->topology, r, &p, &engine, err);
    return rc ? rc : prepare(engine, m, r, err);
}

/* ---- run ------------------------------------------------------------------------------------------------------- */
/* Meshes on their way: of each what is asked, who makes it, where. */
struct batch {
    sdd_device *device;
    int n, abreast; /* abreast: so many have scratch of their own, for an engine that makes their points at once */
    int begin;      /* only: their blocks stay in device memory, where that is not the host's */
    const struct engine **engine;
    struct sdd_refine_request *request; /* with the shapes of the mesh's primvars */
    struct engine_run *run;
    struct result_layout *lay;
    sdd_result **result;
    int64_t scratch_bytes;
};

static void batch_free(struct batch *c, int rc)
{
    for (int k = 0; k < c->n && rc && c->result; k++) {
        sdd_result_free(c->result[k]);
        c->result[k] = NULL;
    }
    free(c->engine);
    free(c->request);
    free(c->run);
    free(c->lay);
}

static int batch_plan(struct batch *c, sdd_mesh *const *meshes, const struct sdd_refine_request *asked,
                      struct sdd_error *err)
{
    const size_t n = (size_t)c->n;
    c->engine = calloc(n, sizeof *c->engine);
    c->request = calloc(n, sizeof *c->request);
    c->run = calloc(n, sizeof *c->run);
    c->lay = calloc(n, sizeof *c->lay);
    if (!c->engine || !c->request || !c->run || !c->lay)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a result record");
    for (int k = 0; k < c->n; k++) {
        struct sdd_refine_request *r = c->request + k;
        const sdd_topology *t = meshes[k]->topology;
        *r = *asked;
        r->primvar_shapes = sdd_mesh_primvars(meshes[k], &r->n_primvars);
        int rc = result_create(c->device, c->result + k, err);
        if (!rc)
            rc = make_plan(t, r, &c->result[k]->info.plan, c->engine + k, err);
        if (!rc)
            rc = prepare(c->engine[k], meshes[k], r, err);
        if (rc)
            return rc;
        const int64_t bytes = scratch_bytes(t, c->engine[k], r);
        c->scratch_bytes = bytes > c->scratch_bytes ? bytes : c->scratch_bytes;
        c->abreast = c->engine[k] == c->engine[0] ? c->abreast : 1;
    }
    if (!c->engine[0]->run_batch || (asked->include & ENGINE_POINTS) != SDD_POSITIONS || asked->n_rows)
        c->abreast = 1;
    return SDD_OK;
}

static void batch_lay_out(struct batch *c, sdd_mesh *const *meshes, struct arena *a)
{
    char *scratch = arena_take(a, c->abreast, c->scratch_bytes);
    int64_t n_words = 0;
    for (int k = 0; k < c->n; k++)
        n_words += result_words(&c->result[k]->info.plan);
    uint64_t *words = ARENA(a, uint64_t, n_words);
    for (int k = 0; k < c->n; k++) {
        const struct sdd_plan *p = &c->result[k]->info.plan;
        c->run[k] = (struct engine_run){.mesh = meshes[k], .request = c->request + k};
        c->run[k].scratch = scratch ? scratch + k % c->abreast * c->scratch_bytes : NULL;
        c->run[k].positions = lay_out(meshes[k]->topology, c->engine[k], c->request + k, p, words, a, c->lay + k);
        words = words ? words + result_words(p) : NULL;
    }
}

/* Host memory for a result, and where the engine writes. */
static int batch_place(struct batch *c, int k, struct sdd_error *err)
{
    const struct sdd_plan *p = &c->result[k]->info.plan;
    const struct sdd_refine_request *r = c->request + k;
    struct result_layout *lay = c->lay + k;
    struct engine_run *run = c->run + k;
    int rc = result_place(c->result[k], r->soon_freed, lay, err);
    const int made = !run->mesh->topology->scheme->has_grids; /* by the engine */
    int ranged = r->n_rows && !run->positions;
    if (r->compact && c->engine[k]->direct)
        lay->direct = r->compact & c->engine[k]->direct(run->mesh->topology, r);
    lay->direct |= r->compact & primvars_direct(run->mesh->topology);
    if (c->abreast > 1) /* run_batch makes floats */
        lay->direct &= ~SDD_POSITIONS;
    run->positions_as = quantise_as(lay, SDD_POSITIONS);
    run->normals_as = quantise_as(lay, SDD_NORMALS);
    run->positions = run->positions ? run->positions : result_block(p, lay, SDD_POSITIONS);
    run->normals = result_block(p, lay, SDD_NORMALS);
    run->tangents = result_block(p, lay, SDD_TANGENTS);
    run->indices = made ? result_block(p, lay, SDD_INDICES) : NULL;
    run->uvs = made ? result_block(p, lay, SDD_UVS) : NULL;
    run->first_row = ranged ? r->first_row : 0;
    run->n_rows = ranged ? r->n_rows : p->n_vertices;
    return rc;
}

/* What is no engine's. */
static int run_rest(const struct batch *c, int k, struct sdd_error *err)
{
    const struct engine_run *run = c->run + k;
    const struct sdd_refine_request *r = run->request;
    const struct result_layout *lay = c->lay + k;
    const struct sdd_plan *p = &c->result[k]->info.plan;
    const sdd_mesh *m = run->mesh;
    float *positions = result_block(p, lay, SDD_POSITIONS);
    int rc = result_cancelled(r->cancel, "the indices", err);
    if (rc)
        return rc;
    if (run->positions != positions)
        dev_copy(c->device, positions, run->positions + 3 * r->first_row, 3 * r->n_rows * (int64_t)sizeof *positions);
    primvars_index(m->topology, topology_grid(m->topology, r->level), result_block(p, lay, SDD_INDICES), p->n_faces);
    rc = primvars_run(m, c->engine[k], r, p, lay, run->scratch, err);
    if (!rc)
        quantise_queue(c->device, p, lay);
    return rc;
}

/* Runs in allocated memory. What is made abreast is made before the rest of any of them, which may use its scratch. */
static int batch_run(const struct batch *c, const atomic_int *cancel, struct sdd_error *err)
{
    const int kind = c->run->mesh->topology->scheme->kind;
    int rc = SDD_OK;
    dev_mark(c->device, MARK_START);
    for (int first = 0; first < c->n && !rc; first += c->abreast) {
        const int n = c->n - first < c->abreast ? c->n - first : c->abreast;
        for (int k = first; k < first + n; k++)
            quantise_begin(c->run[k].mesh, &c->result[k]->info.plan, c->lay + k, c->run[k].scratch);
        rc = c->abreast > 1 ? c->engine[0]->run_batch(c->run + first, n, err)
                            : c->engine[first]->of[kind].run(c->run + first, err); /* NOLINT: a plan has an engine */
        for (int k = first; k < first + n && !rc; k++)
            rc = run_rest(c, k, err);
    }
    return rc ? rc : result_bring(c->result, c->lay, c->n, !c->begin, cancel, err);
}

static int batch_refine(struct batch *c, sdd_mesh *const *meshes, const struct sdd_refine_request *asked,
                        struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    void *memory;
    int64_t launches = c->device->n_launches;
    int rc = batch_plan(c, meshes, asked, err);
    if (rc)
        return rc;
    batch_lay_out(c, meshes, &count);
    rc = dev_alloc(c->device, count.used, &memory, err);
    if (rc)
        return rc;
    real.base = memory;
    batch_lay_out(c, meshes, &real);
    for (int k = 0; k < c->n && !rc; k++)
        rc = batch_place(c, k, err);
    if (!rc) {
        rc = batch_run(c, asked->cancel, err);
        if (rc) /* queued work may still use the memory */
            dev_drain(c->device);
    }
    if (c->begin && !rc)
        result_hold(c->result[0], c->lay, memory, count.used);
    else
        dev_free(c->device, memory, count.used);
    for (int k = 0; k < c->n; k++) {
        struct sdd_result_info *info = &c->result[k]->info;
        info->n_launches = c->device->n_launches - launches;
        if (c->engine[k]->by && (asked->include & ENGINE_POINTS)) /* NOLINT: as above */
            info->by = c->engine[k]->by(meshes[k]->topology, asked);
    }
    return rc;
}

static int refine(sdd_mesh *const *meshes, int n, int begin, const struct sdd_refine_request *r, sdd_result **out,
                  struct sdd_error *err)
{
    struct sdd_error own = {0};
    err = err ? err : &own;
    err->code = SDD_OK;
    if (n < 1 || n > SDD_MAX_MANY)
        return sdd_fail(err, SDD_EINVALID, "meshes", "%d meshes; 1 to %d are allowed", n, SDD_MAX_MANY);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 1; k < n; k++)
        if (meshes[k]->topology != meshes[0]->topology)
            return sdd_fail(err, SDD_EINVALID, "meshes", "mesh %d has another topology than mesh 0", k);
    sdd_device *d = meshes[0]->topology->device;
    struct batch c = {d, n, n < ENGINE_BATCH ? n : ENGINE_BATCH, begin && !d->b->unified, .result = out};
    int rc = batch_refine(&c, meshes, r, err);
    batch_free(&c, rc);
    return rc;
}

int sdd_refine_many(sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r, sdd_result **out,
                    struct sdd_error *err)
{
    return refine(meshes, n, 0, r, out, err);
}

int sdd_refine(sdd_mesh *m, const struct sdd_refine_request *r, sdd_result **out, struct sdd_error *err)
{
    return refine(&m, 1, 0, r, out, err);
}

int sdd_refine_begin(sdd_mesh *m, const struct sdd_refine_request *r, sdd_result **out, struct sdd_error *err)
{
    return refine(&m, 1, 1, r, out, err);
}
