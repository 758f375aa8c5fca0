/* SPDX-License-Identifier: Apache-2.0 */
/* refine.c: plan and run a refine: choose the engine, lay out one allocation of exactly the planned size, run, bring
 * the blocks to host memory (result.h). */
#include "gpu/capabilities.h"
#include "gpu/engine.h"
#include "gpu/primvars.h"
#include "gpu/quantise.h"
#include <stdio.h>
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
        const struct sdd_engine_info *info = (*e)->info;
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", info->name);
        if (any ? (*e)->by_name_alone : strcmp(r->method, info->name) != 0)
            continue;
        known = 1;
        if (features_missing(t, info, needed) == 0) {
            if (!(*e)->check(t, r, err))
                return *e;
        } else if (!any) {
            (void)features_fail(t, needed, info, err);
        }
    }
    if (!known)
        sdd_fail(err, SDD_EINVALID, "method", "\"%.40s\" is not one of %s", r->method, names);
    else if (err->code == SDD_OK)
        (void)features_fail(t, needed, NULL, err);
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

/* Device bytes of a run: scratch of the engine, then of the primvars, then of compact blocks; the result's. */
struct run_layout {
    char *scratch;
    float *whole; /* all positions, where a range is wanted of an engine that makes no ranges */
    struct result_layout result;
};

static void lay_out(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r,
                    const struct sdd_plan *p, struct arena *a, struct run_layout *out)
{
    const int64_t parts[] = {e->scratch(t, r), primvars_scratch(t, r, p->method), r->compact ? quantise_scratch(t) : 0};
    int64_t most = 0;
    for (int i = 0; i < 3; i++)
        most = parts[i] > most ? parts[i] : most;
    out->scratch = ARENA(a, char, most);
    out->whole = r->n_rows && !e->ranges ? ARENA(a, float, 3 * p->n_vertices) : NULL;
    result_lay_out(t->device, p, a, &out->result);
}

/* The first step adds three edges a face; after the second all faces have their own boundary edges, so that
 * 2 E = 3 F + B. */
static void count_sqrt3(const sdd_topology *t, int level, struct sdd_plan *p)
{
    int64_t faces = 1, B = t->n_open;
    for (int k = 0; k < level; k++, faces *= 3)
        B *= k % 2 ? 3 : 1;
    p->n_vertices = topology_points(t, level);
    p->n_faces = t->n_shown / 3 * faces;
    p->n_uvs = t->info.n_uvs ? 3 * p->n_faces : 0;
    p->n_edges = level == 1 ? t->info.n_edges + 3 * t->info.n_faces : (3 * faces * t->info.n_faces + B) / 2;
}

/* Faces without holes; edges of the whole surface. */
static void count_refined(const sdd_topology *t, int level, struct sdd_plan *p)
{
    const struct sdd_topology_info *i = &t->info;
    int64_t m = (int64_t)1 << (topology_is_triangles(t) ? level : level - 1), E = i->n_edges, C = i->n_corners;
    if (topology_is_sqrt3(t))
        return count_sqrt3(t, level, p);
    p->n_vertices = topology_points(t, level);
    p->n_uvs = t->info.n_uvs ? topology_channel_points(t, t->channel, level) : 0;
    p->n_faces = t->n_shown * m * m;
    p->n_edges = (2 * E + C) * m + 2 * C * m * (m - 1);
    if (topology_is_triangles(t)) {
        p->n_faces /= 3;
        p->n_edges = E * m + C * (m * (m - 1) / 2);
    }
}

static int make_plan(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *p,
                     const struct engine **engine, struct sdd_error *err)
{
    int rc = check_request(t, r, err), level = r->level, size = topology_is_triangles(t) ? 3 : 4;
    memset(p, 0, sizeof *p);
    if (rc)
        return rc;
    count_refined(t, level, p);
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
    p->method = (*engine)->info->name;
    p->ranges = (*engine)->ranges;
    if (r->include & SDD_POSITIONS)
        quantise_add_block(r, p, SDD_POSITIONS, r->n_rows ? r->n_rows : p->n_vertices);
    if (r->include & SDD_NORMALS)
        quantise_add_block(r, p, SDD_NORMALS, p->n_vertices);
    if (r->include & SDD_TANGENTS)
        result_add_block(p, SDD_TANGENTS, SDD_F32, 6, p->n_vertices);
    if (r->include & SDD_INDICES)
        result_add_block(p, SDD_INDICES, SDD_U32, size, p->n_faces);
    primvars_add_blocks(t, r, p);
    struct arena count = {NULL, 0};
    struct run_layout lay;
    lay_out(t, *engine, r, p, &count, &lay);
    p->device_bytes = count.used;
    return SDD_OK;
}

int sdd_plan(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *out, struct sdd_error *err)
{
    const struct engine *engine;
    struct sdd_error own;
    return make_plan(t, r, out, &engine, err ? err : &own);
}

/* Runs in allocated memory. */
static int run_all(sdd_mesh *m, const struct sdd_refine_request *r, const struct engine *e,
                   const struct run_layout *lay, struct sdd_result *out, struct sdd_error *err)
{
    const struct result_layout *to = &lay->result;
    struct sdd_plan *p = &out->info.plan;
    int sqrt3 = topology_is_sqrt3(m->topology), ranged = r->n_rows && !lay->whole;
    float *positions = result_block(p, to, SDD_POSITIONS);
    struct engine_run run = {m,
                             r,
                             lay->whole ? lay->whole : positions,
                             result_block(p, to, SDD_NORMALS),
                             result_block(p, to, SDD_TANGENTS),
                             lay->scratch,
                             sqrt3 ? result_block(p, to, SDD_INDICES) : NULL,
                             sqrt3 ? result_block(p, to, SDD_UVS) : NULL,
                             ranged ? r->first_row : 0,
                             ranged ? r->n_rows : p->n_vertices};
    dev_mark(out->device, MARK_START);
    int rc = e->run(&run, err);
    if (!rc)
        rc = result_cancelled(r->cancel, "the indices", err);
    if (rc)
        return rc;
    if (lay->whole)
        dev_copy(out->device, positions, lay->whole + 3 * r->first_row, 3 * r->n_rows * (int64_t)sizeof *positions);
    primvars_index(m->topology, topology_grid(m->topology, r->level), result_block(p, to, SDD_INDICES), p->n_faces);
    rc = primvars_run(m, r, p, to, lay->scratch, err);
    if (rc)
        return rc;
    quantise_queue(m, p, to, lay->scratch);
    return result_bring(out, to, r->cancel, err);
}

int sdd_prepare(sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const struct engine *engine;
    struct sdd_error own;
    struct sdd_plan p;
    err = err ? err : &own;
    int rc = make_plan(m->topology, r, &p, &engine, err);
    return rc || !engine->prepare ? rc : engine->prepare(m, r, err);
}

int sdd_refine(sdd_mesh *m, const struct sdd_refine_request *asked, sdd_result **out, struct sdd_error *err)
{
    const sdd_topology *t = m->topology;
    struct sdd_refine_request own_request = *asked;
    const struct sdd_refine_request *r = &own_request;
    const struct engine *engine = NULL;
    struct sdd_error own = {0};
    struct run_layout lay;
    struct arena real = {NULL, 0};
    void *memory = NULL;
    struct sdd_result *result;
    err = err ? err : &own;
    err->code = SDD_OK;
    *out = NULL;
    own_request.primvar_shapes = sdd_mesh_primvars(m, &own_request.n_primvars);
    int rc = result_create(t->device, &result, err);
    if (rc)
        return rc;
    struct sdd_plan *p = &result->info.plan;
    int64_t launches = t->device->n_launches;
    rc = make_plan(t, r, p, &engine, err);
    int64_t bytes = p->device_bytes;
    if (!rc && engine->prepare)
        rc = engine->prepare(m, r, err);
    if (!rc)
        rc = dev_alloc(t->device, bytes, &memory, err);
    if (!rc) {
        real.base = memory;
        lay_out(t, engine, r, p, &real, &lay);
        rc = result_place(result, &lay.result, err);
    }
    if (!rc) {
        rc = run_all(m, r, engine, &lay, result, err);
        if (rc) /* queued work may still use the memory */
            dev_drain(t->device);
    }
    dev_free(t->device, memory, bytes);
    result->info.n_launches = t->device->n_launches - launches;
    result->info.by = !rc && engine->by && (r->include & ENGINE_POINTS) ? engine->by(t, r) : NULL;
    if (rc) {
        sdd_result_free(result);
        return rc;
    }
    *out = result;
    return SDD_OK;
}
