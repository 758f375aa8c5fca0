/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primvars.h"
#include "gpu/kernels/face_params.h"
#include "gpu/kernels/grid_quads.h"
#include "gpu/kernels/grid_uvs.h"
#include "gpu/kernels/sqrt3_uv_rows.h"
#include "gpu/kernels/tri_faces.h"
#include "gpu/kernels/tri_uvs.h"
#include "gpu/kernels/uniform_rows.h"
#include "gpu/kernels/uv_faces.h"

_Static_assert(SDD_PARAM_OF_POLYGON == SDD_PATCH_OF_POLYGON && SDD_PARAM_TURNED == SDD_FACE_TURNED, "one set of flags");

/* The k-th primvar that is asked for, NULL when it is not. */
static const struct sdd_primvar *wanted(const struct sdd_refine_request *r, int k)
{
    int any = r->include & (SDD_PRIMVARS | SDD_PRIMVAR_INDICES);
    return any && k < r->n_primvars && (r->primvars >> k & 1) ? r->primvar_shapes + k : NULL;
}

static int check_primvar(const sdd_topology *t, int k, const struct sdd_primvar *p, struct sdd_error *err)
{
    if (p->interpolation <= SDD_UNIFORM)
        return SDD_OK;
    if (topology_is_sqrt3(t))
        return sdd_fail(err, SDD_EUNSUPPORTED, "primvars",
                        "scheme sqrt3 takes constant and uniform primvars alone; primvar %d is neither", k);
    if (p->interpolation == SDD_VERTEX)
        return sdd_fail(err, SDD_EUNSUPPORTED, "primvars", "vertex primvars are not built yet");
    if (p->interpolation == SDD_FACE_VARYING && t->info.options.fvar != SDD_FVAR_ALL)
        return sdd_fail(err, SDD_EUNSUPPORTED, "faceVaryingLinearInterpolation",
                        "face-varying primvars under %s are not built yet; all engines do `all`",
                        sdd_option_token(&t->info.options, 2));
    return SDD_OK;
}

int primvars_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    const int uv = SDD_UVS | SDD_UV_INDICES, any = SDD_PRIMVARS | SDD_PRIMVAR_INDICES;
    if ((r->include & uv) && t->info.n_uvs == 0)
        return sdd_fail(err, SDD_EINVALID, "include", "the mesh has no UVs");
    if ((r->include & uv) && t->info.options.fvar != SDD_FVAR_ALL)
        return sdd_fail(err, SDD_EUNSUPPORTED, "faceVaryingLinearInterpolation",
                        "UVs under %s are not built yet; all engines do `all`", sdd_option_token(&t->info.options, 2));
    if ((r->include & any) && (r->primvars == 0 || (uint64_t)r->primvars >> r->n_primvars))
        return sdd_fail(err, SDD_EINVALID, "primvars",
                        r->primvars ? "the mesh has %d primvars, the request names others"
                                    : "the request names none of the mesh's %d primvars",
                        r->n_primvars);
    for (int k = 0; k < r->n_primvars; k++) {
        int rc = wanted(r, k) ? check_primvar(t, k, wanted(r, k), err) : SDD_OK;
        if (rc)
            return rc;
    }
    return SDD_OK;
}

/* Refined values of a primvar. */
static int64_t n_refined(const sdd_topology *t, const struct sdd_plan *p, const struct sdd_primvar *v, int level)
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
    if ((r->include & (SDD_UVS | SDD_UV_INDICES)) && !topology_is_sqrt3(t))
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

void primvars_add_blocks(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *p)
{
    int size = topology_is_triangles(t) ? 3 : 4;
    if (r->include & SDD_UVS)
        result_add_block(p, SDD_UVS, 2, p->n_uvs);
    if (r->include & SDD_UV_INDICES)
        result_add_block(p, SDD_UV_INDICES, size, p->n_faces);
    if (r->include & SDD_FACE_PARAMS)
        result_add_block(p, SDD_FACE_PARAMS, 4, p->n_faces);
    for (int k = 0; k < r->n_primvars; k++) {
        const struct sdd_primvar *v = wanted(r, k);
        if (v && (r->include & SDD_PRIMVARS))
            result_add_block(p, SDD_PRIMVARS, v->width, n_refined(t, p, v, r->level))->primvar = k;
        if (v && v->interpolation == SDD_FACE_VARYING && (r->include & SDD_PRIMVAR_INDICES))
            result_add_block(p, SDD_PRIMVAR_INDICES, size, p->n_faces)->primvar = k;
    }
}

void primvars_index(const sdd_topology *t, struct sdd_grid grid, void *rows, int64_t n)
{
    struct grid_quads_args quads = {grid, t->shown, rows};
    struct tri_faces_args triangles = {grid, t->shown, rows};
    if (!rows || topology_is_sqrt3(t))
        return;
    if (topology_is_triangles(t))
        DEV_LAUNCH(t->device, tri_faces, &triangles, n);
    else
        DEV_LAUNCH(t->device, grid_quads, &quads, n);
}

/* What is linear over the control faces. grid: of the values, whose edges have edge_corner. */
static void run_linear(const sdd_topology *t, struct sdd_grid grid, const uint32_t *edge_corner, const float *values,
                       int width, float *out, int64_t n)
{
    struct tri_uvs_args triangles = {grid, edge_corner, values, out, width};
    struct uv_faces_args means = {t->face_end, grid.vert, values, out, grid.n_vertices, width};
    struct grid_uvs_args quads = {grid, edge_corner, values, out, width};
    if (topology_is_triangles(t)) {
        DEV_LAUNCH(t->device, tri_uvs, &triangles, n);
        return;
    }
    DEV_LAUNCH(t->device, uv_faces, &means, t->info.n_faces);
    DEV_LAUNCH(t->device, grid_uvs, &quads, n);
}

static void run_channel(const sdd_topology *t, const struct topology_channel *c, int level, const float *values,
                        int width, float *out)
{
    run_linear(t, topology_channel_grid(t, c, level), c->edge_corner, values, width, out,
               topology_channel_points(t, c, level));
}

/* Under sqrt3 the engine makes the values, one for each corner of each face. */
static void run_uvs(const sdd_mesh *m, const struct sdd_refine_request *r, const struct sdd_plan *p,
                    const struct result_layout *lay)
{
    const sdd_topology *t = m->topology;
    struct sqrt3_uv_rows_args rows = {result_block(p, lay, SDD_UV_INDICES)};
    float *out = result_block(p, lay, SDD_UVS);
    if (topology_is_sqrt3(t)) {
        if (rows.row)
            DEV_LAUNCH(t->device, sqrt3_uv_rows, &rows, p->n_uvs);
        return;
    }
    if (rows.row)
        primvars_index(t, topology_channel_grid(t, t->channel, r->level), rows.row, p->n_faces);
    if (out)
        run_channel(t, t->channel, r->level, m->uvs, 2, out);
}

static struct sdd_parents parents_of(const sdd_topology *t, const struct sdd_plan *p, int level)
{
    int triangles = topology_is_triangles(t), bits = triangles ? level : level - 1, corners = triangles ? 3 : 1;
    struct sdd_parents parents = {
        .faces = t->faces,
        .shown = t->shown,
        .each =
            topology_is_sqrt3(t) ? p->n_faces / (t->n_shown / 3 > 0 ? t->n_shown / 3 : 1) : (int64_t)1 << (2 * bits),
        .corners = corners,
        .bits = bits,
    };
    return parents;
}

static void run_primvar(const sdd_mesh *m, int k, const struct sdd_refine_request *r, const struct sdd_plan *p,
                        int64_t rows, void *out)
{
    const sdd_topology *t = m->topology;
    const struct sdd_primvar *v = m->primvar + k;
    const float *values = m->primvar_values[k];
    struct uniform_rows_args uniform = {parents_of(t, p, r->level), (const uint32_t *)values, out, v->width};
    if (v->interpolation == SDD_CONSTANT)
        dev_copy(t->device, out, values, v->width * (int64_t)sizeof *values);
    else if (v->interpolation == SDD_UNIFORM)
        DEV_LAUNCH(t->device, uniform_rows, &uniform, rows);
    else if (v->interpolation == SDD_FACE_VARYING)
        run_channel(t, topology_primvar_channel(t, v->channel), r->level, values, v->width, out);
    else
        run_linear(t, topology_grid(t, r->level), t->edge_corner, values, v->width, out, rows);
}

void primvars_run(const sdd_mesh *m, const struct sdd_refine_request *r, const struct sdd_plan *p,
                  const struct result_layout *lay)
{
    const sdd_topology *t = m->topology;
    struct face_params_args params = {parents_of(t, p, r->level), t->face_end, result_block(p, lay, SDD_FACE_PARAMS),
                                      r->level,
                                      topology_is_sqrt3(t)       ? SDD_PARENT_SQRT3
                                      : topology_is_triangles(t) ? SDD_PARENT_TRIANGLES
                                                                 : SDD_PARENT_QUADS};
    run_uvs(m, r, p, lay);
    if (params.param)
        DEV_LAUNCH(t->device, face_params, &params, p->n_faces);
    for (int i = 0; i < p->n_blocks; i++) {
        const struct sdd_block *b = p->blocks + i;
        if (b->semantic == SDD_PRIMVARS)
            run_primvar(m, b->primvar, r, p, b->count, lay->block[i]);
        if (b->semantic == SDD_PRIMVAR_INDICES)
            primvars_index(
                t, topology_channel_grid(t, topology_primvar_channel(t, m->primvar[b->primvar].channel), r->level),
                lay->block[i], p->n_faces);
    }
}
