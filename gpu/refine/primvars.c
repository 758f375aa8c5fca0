/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.c: refines UVs and primvars and names the parents of faces, for plan.c and refine.c: it lays out their
 * blocks, counts their memory and launches the kernels that fill them. */
#include "gpu/refine/internal.h"
#include "gpu/refine/kernels/face_params.k.h"
#include "gpu/refine/kernels/grid_quads.k.h"
#include "gpu/refine/kernels/grid_uvs.k.h"
#include "gpu/levels/sqrt3_uv_rows.k.h"
#include "gpu/refine/kernels/tri_faces.k.h"
#include "gpu/refine/kernels/tri_uvs.tile.h"
#include "gpu/refine/kernels/uniform_rows.k.h"
#include "gpu/refine/kernels/uv_faces.k.h"
#include "gpu/device/sizes.h"
#include "gpu/engine_api/quantise.h"
#include "gpu/levels/levels.h"

_Static_assert(SDD_PARAM_OF_POLYGON == SDD_PATCH_OF_POLYGON && SDD_PARAM_TURNED == SDD_FACE_TURNED, "one set of flags");
_Static_assert((int)SDD_PARENT_QUADS == SCHEME_QUADS && (int)SDD_PARENT_TRIANGLES == SCHEME_TRIANGLES &&
                   (int)SDD_PARENT_SQRT3 == SCHEME_SQRT3,
               "kernels count schemes alike");

/* Returns the k-th primvar of the request, or NULL when the request does not include it. */
static const struct sdd_primvar *wanted(const struct sdd_refine_request *r, int k)
{
    int any = r->include & (SDD_PRIMVARS | SDD_PRIMVAR_INDICES);
    return any && k < r->n_primvars && (r->primvars >> k & 1) ? r->primvar_shapes + k : NULL;
}

/* Is it refined as positions are? */
static int is_smooth(const sdd_topology *t, const struct sdd_primvar *v)
{
    if (v->interpolation == SDD_FACE_VARYING)
        return topology_has_smooth_channels(t);
    return v->interpolation == SDD_VERTEX && t->scheme->refines_values;
}

int primvars_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const int uv = SDD_UVS | SDD_UV_INDICES, any = SDD_PRIMVARS | SDD_PRIMVAR_INDICES;
    if ((r->include & uv) && t->info.n_uvs == 0)
        return sdd_fail(err, SDD_EINVALID, "include", "the mesh has no UVs");
    if ((r->include & any) && (r->primvars == 0 || (uint64_t)r->primvars >> r->n_primvars))
        return sdd_fail(err, SDD_EINVALID, "primvars",
                        r->primvars ? "the mesh has %d primvars, the request names others"
                                    : "the request names none of the mesh's %d primvars",
                        r->n_primvars);
    for (int k = 0; k < r->n_primvars && (r->include & any) && !t->scheme->has_grids; k++)
        if ((r->primvars >> k & 1) && r->primvar_shapes[k].interpolation == SDD_FACE_VARYING)
            return sdd_fail(
                err, SDD_EUNSUPPORTED, "primvars",
                "primvar %d is faceVarying; of primvars scheme sqrt3 refines only constant and uniform ones", k);
    return SDD_OK;
}

/* Returns the number of refined values of a primvar. */
static int64_t n_refined(const sdd_topology *t, const struct sdd_plan_info *p, const struct sdd_primvar *v, int level)
{
    switch (v->interpolation) {
    case SDD_CONSTANT: return 1;
    case SDD_UNIFORM: return p->n_faces;
    case SDD_FACE_VARYING: return topology_channel_points(t, topology_primvar_channel(t, v->channel), level);
    default: return p->n_vertices;
    }
}

int64_t primvars_most_rows(const sdd_topology *t, const struct sdd_refine_request *r)
{
    int64_t most = 0, rows;
    if ((r->include & (SDD_UVS | SDD_UV_INDICES)) && t->scheme->has_grids)
        most = topology_channel_points(t, t->channel, r->level);
    for (int k = 0; k < r->n_primvars; k++) {
        const struct sdd_primvar *v = wanted(r, k);
        if (!v || v->interpolation != SDD_FACE_VARYING)
            continue;
        rows = topology_channel_points(t, topology_primvar_channel(t, v->channel), r->level);
        most = rows > most ? rows : most;
    }
    return most;
}

/* Returns the k-th primvar when the request includes it and it is refined as positions are, else NULL. *channel becomes
 * the channel over whose mesh it is refined. */
static const struct sdd_primvar *smooth_primvar(const sdd_topology *t, const struct sdd_refine_request *r, int k,
                                                const struct topology_channel **channel)
{
    const struct sdd_primvar *v = r->include & SDD_PRIMVARS ? wanted(r, k) : NULL;
    if (!v || !is_smooth(t, v))
        return NULL;
    *channel = v->interpolation == SDD_VERTEX ? NULL : topology_primvar_channel(t, v->channel);
    return v;
}

static int64_t rows_scratch(const struct engine *e, const struct engine_rows *rows)
{
    return e->rows_scratch ? e->rows_scratch(rows) : refine_values_scratch(rows);
}

int64_t primvars_scratch(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r)
{
    struct engine_rows rows = {.topology = t, .channel = t->channel, .request = r, .width = 2};
    int64_t most = 0;
    if ((r->include & SDD_UVS) && topology_has_smooth_channels(t))
        most = rows_scratch(e, &rows);
    else if ((r->compact & SDD_UVS) && t->scheme->kind == SCHEME_QUADS) /* The face points (linear_quads). */
        most = 2 * t->info.n_faces * (int64_t)sizeof(float);
    for (int k = 0; k < r->n_primvars; k++) {
        const struct sdd_primvar *v = smooth_primvar(t, r, k, &rows.channel);
        rows.width = v ? v->width : 0;
        most = v ? larger(most, rows_scratch(e, &rows)) : most;
    }
    return most;
}

int primvars_prepare(const sdd_topology *t, const struct engine *e, const struct sdd_refine_request *r,
                     const atomic_int *cancel, struct sdd_error *err)
{
    struct engine_rows rows = {.topology = t, .channel = t->channel, .request = r, .cancel = cancel, .width = 2};
    int rc = SDD_OK;
    if (!e->prepare_rows)
        return SDD_OK;
    if ((r->include & SDD_UVS) && topology_has_smooth_channels(t))
        rc = e->prepare_rows(&rows, err);
    for (int k = 0; k < r->n_primvars && !rc; k++) {
        const struct sdd_primvar *v = smooth_primvar(t, r, k, &rows.channel);
        rows.width = v ? v->width : 0;
        rc = v ? e->prepare_rows(&rows, err) : SDD_OK;
    }
    return rc;
}

int primvars_direct(const sdd_topology *t)
{
    return topology_has_smooth_channels(t) || !t->scheme->has_grids ? 0 : SDD_UVS;
}

void primvars_add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan_info *p)
{
    const int size = t->scheme->face_corners;
    if (r->include & SDD_UVS)
        quantise_add_block(r, p, SDD_UVS, p->n_uvs);
    if (r->include & SDD_UV_INDICES)
        result_add_block(p, SDD_UV_INDICES, SDD_U32, size, p->n_faces);
    if (r->include & SDD_FACE_PARAMS)
        result_add_block(p, SDD_FACE_PARAMS, SDD_U32, 4, p->n_faces);
    for (int k = 0; k < r->n_primvars; k++) {
        const struct sdd_primvar *v = wanted(r, k);
        if (v && (r->include & SDD_PRIMVARS))
            result_add_block(p, SDD_PRIMVARS, SDD_F32, v->width, n_refined(t, p, v, r->level))->primvar = k;
        if (v && v->interpolation == SDD_FACE_VARYING && (r->include & SDD_PRIMVAR_INDICES))
            result_add_block(p, SDD_PRIMVAR_INDICES, SDD_U32, size, p->n_faces)->primvar = k;
    }
}

/* The inputs of one run, and the memory that it works in. */
struct run {
    const sdd_mesh *mesh;
    const struct engine *engine;
    const struct sdd_refine_request *request;
    const atomic_int *cancel;
    const struct sdd_plan_info *plan;
    void *scratch;
};

/* ---- formulas over the topology ---------------------------------------------------------------------------------- */
/* Values that are interpolated linearly over the control faces. They may belong to any mesh on these faces, such as a
 * face-varying channel; `grid` and `edge_corner` are those of that mesh. */
struct linear {
    struct sdd_grid grid;
    const uint32_t *edge_corner;
    const float *values;
    int width;
    float *out;
    struct sdd_rows_as as;
    int64_t n;
};

/* Interpolates over quads. The face points are rows of the result, or go to scratch when the result has no floats. */
static void linear_quads(const struct run *run, const struct linear *l, int64_t items)
{
    const sdd_topology *t = run->mesh->topology;
    float *face = l->as.format == SDD_ROWS_F32 ? l->out + (int64_t)l->grid.n_vertices * l->width : run->scratch;
    struct uv_faces_args means = {t->face_end, l->grid.vert, l->values, face, l->width};
    struct grid_uvs_args quads = {l->grid, l->edge_corner, l->values, face, l->out, l->width, l->as, l->n};
    DEV_LAUNCH(t->device, uv_faces, &means, t->info.n_faces);
    DEV_LAUNCH(t->device, grid_uvs, &quads, items);
}

static void linear_triangles(const struct run *run, const struct linear *l, int64_t items)
{
    struct tri_uvs_args triangles = {l->grid, l->edge_corner, l->values, l->out, l->width, l->as, l->n};
    DEV_LAUNCH(run->mesh->topology->device, tri_uvs, &triangles, items);
}

static void index_quads(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n)
{
    struct grid_quads_args quads = {grid, t->visible, rows};
    DEV_LAUNCH(t->device, grid_quads, &quads, n);
}

static void index_triangles(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n)
{
    struct tri_faces_args triangles = {grid, t->visible, rows};
    DEV_LAUNCH(t->device, tri_faces, &triangles, n);
}

/* The functions of each scheme. An `index` of NULL says that the engine makes the indices. */
static const struct formulas {
    void (*index)(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n);
    void (*linear)(const struct run *run, const struct linear *l, int64_t items);
} formulas[SCHEME_KINDS] = {
    [SCHEME_QUADS] = {index_quads, linear_quads},
    [SCHEME_TRIANGLES] = {index_triangles, linear_triangles},
    [SCHEME_SQRT3] = {NULL, linear_triangles},
};

void primvars_index(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n)
{
    const struct formulas *f = formulas + t->scheme->kind;
    if (rows && f->index)
        f->index(t, grid, rows, n);
}

static void run_linear(const struct run *run, const struct linear *l)
{
    formulas[run->mesh->topology->scheme->kind].linear(run, l, (l->n + SDD_LINEAR_EACH - 1) / SDD_LINEAR_EACH);
}

/* Refines values as positions are, over the mesh of channel c or, when that is NULL, over the control mesh. `as` is f32
 * or a format that the engine writes itself. */
static int run_smooth(const struct run *run, const struct topology_channel *c, const float *values, int width,
                      float *out, struct sdd_rows_as as, struct sdd_error *err)
{
    const struct engine *e = run->engine;
    const struct engine_rows rows = {.topology = run->mesh->topology,
                                     .channel = c,
                                     .request = run->request,
                                     .cancel = run->cancel,
                                     .width = width,
                                     .values = values,
                                     .out = out,
                                     .as = as,
                                     .scratch = run->scratch};
    return e->run_rows ? e->run_rows(&rows, err) : refine_values_run(&rows, err);
}

static int run_channel(const struct run *run, const struct topology_channel *c, const float *values, int width,
                       float *out, struct sdd_rows_as as, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const int level = run->request->level;
    if (topology_has_smooth_channels(t))
        return run_smooth(run, c, values, width, out, as, err);
    run_linear(run, &(struct linear){topology_channel_grid(t, c, level), c->edge_corner, values, width, out, as,
                                     topology_channel_points(t, c, level)});
    return SDD_OK;
}

/* Fills the block of UVs. Under sqrt3 the engine makes the values, one for each corner of each face. */
static int run_uvs(const struct run *run, const struct result_layout *lay, struct sdd_error *err)
{
    const sdd_mesh *m = run->mesh;
    const sdd_topology *t = m->topology;
    const struct sdd_plan_info *p = run->plan;
    struct sqrt3_uv_rows_args rows = {result_block(p, lay, SDD_UV_INDICES)};
    float *out = result_block(p, lay, SDD_UVS);
    if (!t->scheme->has_grids) {
        if (rows.row)
            DEV_LAUNCH(t->device, sqrt3_uv_rows, &rows, p->n_uvs);
        return SDD_OK;
    }
    if (rows.row)
        primvars_index(t, topology_channel_grid(t, t->channel, run->request->level), rows.row, p->n_faces);
    return out ? run_channel(run, t->channel, m->uvs, 2, out, quantise_as(lay, SDD_UVS), err) : SDD_OK;
}

static struct sdd_parents parents_of(const sdd_topology *t, const struct sdd_plan_info *p, int level)
{
    /* The number of corners of a control face that share a parent. */
    const int corners = t->scheme->kind == SCHEME_QUADS ? 1 : 3;
    return (struct sdd_parents){.faces = t->faces,
                                .visible = t->visible,
                                .each = p->n_faces / larger(t->n_visible / corners, 1),
                                .corners = corners,
                                .bits = level - t->scheme->first_level};
}

static int run_primvar(const struct run *run, int k, int64_t rows, void *out, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    const struct sdd_primvar *v = run->mesh->primvar + k;
    const int level = run->request->level;
    const float *values = run->mesh->primvar_values[k];
    struct uniform_rows_args uniform = {parents_of(t, run->plan, level), (const uint32_t *)values, out, v->width};
    if (v->interpolation == SDD_FACE_VARYING)
        return run_channel(run, topology_primvar_channel(t, v->channel), values, v->width, out, rows_f32, err);
    if (is_smooth(t, v))
        return run_smooth(run, NULL, values, v->width, out, rows_f32, err);
    if (v->interpolation == SDD_CONSTANT)
        dev_copy(t->device, out, values, v->width * (int64_t)sizeof *values);
    else if (v->interpolation == SDD_UNIFORM)
        DEV_LAUNCH(t->device, uniform_rows, &uniform, rows);
    else
        run_linear(run,
                   &(struct linear){topology_grid(t, level), t->edge_corner, values, v->width, out, rows_f32, rows});
    return SDD_OK;
}

int primvars_run(const struct engine_run *of, const struct engine *e, const struct sdd_plan_info *p,
                 const struct result_layout *lay, struct sdd_error *err)
{
    const sdd_mesh *m = of->mesh;
    const sdd_topology *t = m->topology;
    const struct sdd_refine_request *r = of->request;
    const struct run run = {m, e, r, of->cancel, p, of->scratch};
    struct face_params_args params = {parents_of(t, p, r->level), t->face_end, result_block(p, lay, SDD_FACE_PARAMS),
                                      r->level, (int32_t)t->scheme->kind};
    int rc = run_uvs(&run, lay, err);
    if (!rc && params.param)
        DEV_LAUNCH(t->device, face_params, &params, p->n_faces);
    for (int i = 0; i < p->n_blocks && !rc; i++) {
        const struct sdd_block *b = p->blocks + i;
        if (b->semantic == SDD_PRIMVARS)
            rc = run_primvar(&run, b->primvar, b->count, lay->block[i], err);
        if (b->semantic == SDD_PRIMVAR_INDICES)
            primvars_index(
                t, topology_channel_grid(t, topology_primvar_channel(t, m->primvar[b->primvar].channel), r->level),
                lay->block[i], p->n_faces);
    }
    return rc;
}
