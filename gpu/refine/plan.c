/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: makes plans. A plan says how a request is answered on one topology: which engine, which blocks, how much
 * memory. It leaves nothing to decide for refine.c, which runs it. */
#include "gpu/device/sizes.h"
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/quantise.h"
#include "gpu/levels/levels.h"
#include "gpu/refine/planner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives the first engine, in the table's order, that is asked for, can do it and has room for it. Where there is none
 * the error says why. */
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
                    SDD_TANGENTS | SDD_PRIMVARS | SDD_PRIMVAR_INDICES | SDD_NORMAL_INDICES;
    if (r->level < 1 || r->level > SDD_MAX_LEVEL)
        return sdd_fail(err, SDD_EINVALID, "level", "level %d; 1 to %d are allowed", r->level, SDD_MAX_LEVEL);
    if (r->surface < 0 || r->surface >= SDD_N_SURFACES)
        return sdd_fail(err, SDD_EINVALID, "surface", "surface %d is neither refined nor limit nor limitAtLevel",
                        r->surface);
    if ((r->include & all) == 0 || (r->include & ~all))
        return sdd_fail(err, SDD_EINVALID, "include", "nothing that is known is asked for");
    if (r->n_primvars < 0 || r->n_primvars > SDD_MAX_PRIMVARS)
        return sdd_fail(err, SDD_EINVALID, "primvars", "%d primvars; the limit is %d", r->n_primvars, SDD_MAX_PRIMVARS);
    if ((r->include & SDD_TANGENTS) && r->surface == SDD_SURFACE_REFINED)
        return sdd_fail(err, SDD_EINVALID, "include", "tangents are the limit surface's; ask for surface=limit");
    int rc = quantise_check(r, err);
    return rc ? rc : primvars_check(t, r, err);
}

/* Counts the elements of the refined mesh. Holes are left out of the faces only. */
static void count_refined(const sdd_topology *t, int level, struct sdd_plan_info *p)
{
    struct scheme_counts n;
    t->scheme->count(t, level, &n);
    p->n_vertices = n.vertices;
    p->n_faces = n.faces;
    p->n_edges = n.edges;
    p->n_uvs = n.uvs;
}

/* The rows of split normals; 0 where they are not asked for. */
static int64_t split_rows(const sdd_topology *t, const struct sdd_refine_request *r)
{
    return r->include & SDD_NORMAL_INDICES ? topology_channel_points(t, t->cut, r->level) : 0;
}

/* Do 32-bit ids suffice for every row of the longest blocks? */
static int check_ids(const sdd_topology *t, const struct sdd_refine_request *r, const struct sdd_plan_info *p,
                     struct sdd_error *err)
{
    const int64_t values = larger(primvars_most_rows(t, r), split_rows(t, r)), most = larger(p->n_vertices, values);
    if (most < UINT32_MAX)
        return SDD_OK;
    (void)sdd_fail(err, SDD_ETOO_LARGE, "level", "level %d has %lld %s; ids of 32 bits end at %lld", r->level,
                   (long long)most, most == p->n_vertices ? "vertices" : "face-varying values", (long long)UINT32_MAX);
    err->needed = most;
    err->available = UINT32_MAX;
    return SDD_ETOO_LARGE;
}

static void add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan_info *p)
{
    if (r->include & SDD_POSITIONS)
        quantise_add_block(r, p, SDD_POSITIONS, p->n_vertices);
    if (r->include & SDD_NORMALS)
        quantise_add_block(r, p, SDD_NORMALS, p->n_vertices);
    if (r->include & SDD_NORMAL_INDICES) {
        if (t->cut)
            quantise_add_block(r, p, SDD_NORMALS, split_rows(t, r));
        result_add_block(p, SDD_NORMAL_INDICES, SDD_U32, t->scheme->face_corners, p->n_faces);
    }
    if (r->include & SDD_TANGENTS)
        result_add_block(p, SDD_TANGENTS, SDD_F32, 6, p->n_vertices);
    if (r->include & SDD_INDICES)
        result_add_block(p, SDD_INDICES, SDD_U32, t->scheme->face_corners, p->n_faces);
    primvars_add_blocks(t, r, p);
}

/* ---- device memory -------------------------------------------------------------------------------------------- */
/* Returns the device memory that one run works in. Compact blocks, the engine and the primvars use the same memory one
 * after the other, so the largest need counts. */
static int64_t scratch_bytes(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r)
{
    const int64_t parts[] = {e->of[t->scheme->kind].scratch(t, r), primvars_scratch(t, e, r), quantise_scratch(t, r),
                             t->cut && (r->include & SDD_NORMAL_INDICES) ? split_normals_scratch(t, r) : 0};
    int64_t most = 0;
    for (int i = 0; i < 4; i++)
        most = parts[i] > most ? parts[i] : most;
    return (most + 255) / 256 * 256; /* Arenas round up to the same size. */
}

float *plan_lay_out(const struct sdd_plan *p, uint64_t *words, struct arena *a, struct result_layout *out)
{
    float *whole = p->is_range && !p->engine->ranges ? ARENA(a, float, 3 * p->info.n_vertices) : NULL;
    result_lay_out(p->device, &p->info, words, a, out);
    return whole;
}

/* Sets the sizes of a plan whose blocks and scratch are known. */
static void count_bytes(struct sdd_plan *p)
{
    struct arena result = {NULL, 0};
    struct result_layout lay;
    (void)plan_lay_out(p, NULL, &result, &lay);
    p->result_bytes = result.used;
    p->info.device_bytes = plan_device_bytes(p, 1, 1);
}

int64_t plan_device_bytes(const struct sdd_plan *p, int n, int n_scratch)
{
    struct arena a = {NULL, 0};
    (void)arena_take(&a, n_scratch, p->scratch_bytes);
    (void)ARENA(&a, uint64_t, n * result_words(&p->info));
    (void)arena_take(&a, n, p->result_bytes);
    return a.used;
}

/* ---- plans ----------------------------------------------------------------------------------------------------- */
static void copy_request(struct sdd_plan *p, const struct sdd_refine_request *r)
{
    p->request = *r;
    p->request.method = p->engine->info.name;
    p->request.primvar_shapes = p->shapes;
    for (int k = 0; k < r->n_primvars; k++)
        p->shapes[k] = r->primvar_shapes[k];
}

/* Makes the plan for the request. `history` may be NULL. Split normals take the place of those that engines
 * make; where nothing is cut they are those. */
static int make(const sdd_topology *t, const struct sdd_refine_request *asked, sdd_history *history, struct sdd_plan *p,
                struct sdd_error *err)
{
    struct sdd_refine_request request = *asked;
    const struct sdd_refine_request *r = &request;
    if (request.include & SDD_NORMAL_INDICES)
        request.include = t->cut ? request.include & ~SDD_NORMALS : request.include | SDD_NORMALS;
    int rc = check_request(t, r, err);
    if (rc)
        return rc;
    count_refined(t, r->level, &p->info);
    rc = check_ids(t, r, &p->info, err);
    if (rc)
        return rc;
    p->engine = choose(t, r, err);
    if (!p->engine)
        return err->code;
    p->device = t->device;
    p->topology_serial = t->serial;
    p->tables = planner_tables(t, r);
    p->history = p->tables && history ? planner_ref(history) : NULL;
    copy_request(p, r);
    if (p->history && planner_wants_tables(p->history, p)) {
        p->engine = p->tables;
        p->request.method = p->engine->info.name;
    }
    p->info.method = p->engine->info.name;
    p->info.ranges = p->engine->ranges;
    p->n_rows = p->info.n_vertices;
    add_blocks(t, r, &p->info);
    p->scratch_bytes = scratch_bytes(t, p->engine, r);
    count_bytes(p);
    return SDD_OK;
}

static int create(const sdd_topology *t, const struct sdd_refine_request *r, sdd_history *history, sdd_plan **out,
                  struct sdd_error *err)
{
    sdd_plan *p = calloc(1, sizeof *p);
    if (!p)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a plan");
    int rc = make(t, r, history, p, err);
    if (rc)
        sdd_plan_free(p);
    else
        *out = p;
    return rc;
}

int sdd_plan_create_for_topology(const sdd_topology *t, const struct sdd_refine_request *r, sdd_plan **out,
                                 struct sdd_error *err)
{
    struct sdd_error own;
    *out = NULL;
    return create(t, r, NULL, out, err ? err : &own);
}

int sdd_plan_create(sdd_mesh *m, const struct sdd_refine_request *r, sdd_plan **out, struct sdd_error *err)
{
    struct sdd_refine_request of_mesh = *r;
    struct sdd_error own;
    err = err ? err : &own;
    *out = NULL;
    of_mesh.primvar_shapes = sdd_mesh_primvars(m, &of_mesh.n_primvars);
    sdd_history *history = planner_history(m, err);
    return history ? create(m->topology, &of_mesh, history, out, err) : err->code;
}

static int check_range(const struct sdd_plan *whole, int64_t first_row, int64_t n_rows, struct sdd_error *err)
{
    const int64_t n = whole->info.n_vertices;
    if (whole->request.include != SDD_POSITIONS || whole->request.compact)
        return sdd_fail(err, SDD_EINVALID, "include", "a range of rows is of positions alone, not compact");
    if (first_row >= 0 && n_rows > 0 && n_rows <= n && first_row <= n - n_rows)
        return SDD_OK;
    (void)sdd_fail(err, SDD_EINVALID, "n_rows", "rows %lld, %lld of them; the block has %lld", (long long)first_row,
                   (long long)n_rows, (long long)n);
    err->available = n;
    return SDD_EINVALID;
}

int sdd_plan_create_for_rows(const sdd_plan *whole, int64_t first_row, int64_t n_rows, sdd_plan **out,
                             struct sdd_error *err)
{
    struct sdd_error own;
    err = err ? err : &own;
    *out = NULL;
    int rc = check_range(whole, first_row, n_rows, err);
    if (rc)
        return rc;
    sdd_plan *p = malloc(sizeof *p);
    if (!p)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a plan");
    *p = *whole;
    p->history = p->history ? planner_ref(p->history) : NULL;
    p->request.primvar_shapes = p->shapes;
    p->is_range = 1;
    p->first_row = first_row;
    p->n_rows = n_rows;
    p->info.n_blocks = 0;
    p->info.host_bytes = 0;
    quantise_add_block(&p->request, &p->info, SDD_POSITIONS, n_rows);
    count_bytes(p);
    *out = p;
    return SDD_OK;
}

/* Does the mesh have the primvars that the plan asks for? */
static int has_primvars(const struct sdd_plan *p, const sdd_mesh *m)
{
    const struct sdd_refine_request *r = &p->request;
    for (int k = 0; k < r->n_primvars && (r->include & (SDD_PRIMVARS | SDD_PRIMVAR_INDICES)); k++) {
        const struct sdd_primvar *want = p->shapes + k, *have = m->primvar + k;
        if ((r->primvars >> k & 1) && (k >= m->n_primvars || have->interpolation != want->interpolation ||
                                       have->width != want->width || have->channel != want->channel))
            return 0;
    }
    return 1;
}

int sdd_plan_is_of(const sdd_plan *plan, const sdd_topology *t)
{
    return t->device == plan->device && t->serial == plan->topology_serial;
}

int plan_check(const struct sdd_plan *p, const sdd_mesh *m, int k, struct sdd_error *err)
{
    if (!sdd_plan_is_of(p, m->topology))
        return sdd_fail(err, SDD_EINVALID, "meshes", "mesh %d has another topology than the plan", k);
    if (!has_primvars(p, m))
        return sdd_fail(err, SDD_EINVALID, "primvars", "mesh %d has other primvars than the plan", k);
    return SDD_OK;
}

const struct sdd_plan_info *sdd_plan_info(const sdd_plan *plan)
{
    return &plan->info;
}

void sdd_plan_free(sdd_plan *plan)
{
    if (!plan)
        return;
    sdd_history_free(plan->history);
    free(plan);
}
