/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: the library's blocks as a witness's answer, and two answers side by side. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sdd_device *open_device(int threads)
{
    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .threads = threads};
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    if (sdd_device_open(&config, &device, &err) != SDD_OK)
        oracle_die("device %s: %s", config.backend, err.text);
    return device;
}

int level_that_fits(const struct sdd_mesh_desc *desc, int highest, int64_t max_vertices)
{
    struct grid g;
    int level = 0;
    grid_init(&g, desc);
    while (level < highest && grid_n_vertices(&g, level + 1) < max_vertices)
        level++;
    grid_fini(&g);
    return level;
}

static const struct sdd_block *block(const sdd_result *r, int semantic)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    for (int i = 0; i < p->n_blocks; i++)
        if (p->blocks[i].semantic == semantic)
            return &p->blocks[i];
    oracle_die("the result has no block %d", semantic);
}

static double *doubles(const sdd_result *r, int semantic, int components, int64_t count)
{
    const struct sdd_block *b = block(r, semantic);
    if (b->components != components || b->count != count || b->bytes != 4 * components * count)
        oracle_die("block %d has %lld rows of %d, expected %lld of %d", semantic, (long long)b->count, b->components,
                   (long long)count, components);
    double *out = xalloc(count * components, sizeof *out);
    for (int64_t i = 0; i < count * components; i++)
        out[i] = (double)((const float *)b->data)[i];
    return out;
}

static double *take_uvs(const sdd_result *r, const struct refined *out)
{
    const struct sdd_block *uv = block(r, SDD_UVS), *index = block(r, SDD_UV_INDICES);
    if (index->count != out->n_faces || index->components != out->size)
        oracle_die("uv_indices has %lld rows", (long long)index->count);
    double *uvs = xalloc(2 * out->size * out->n_faces, sizeof *uvs);
    for (int64_t c = 0; c < out->size * out->n_faces; c++) {
        uint32_t i = ((const uint32_t *)index->data)[c];
        if (i >= uv->count)
            oracle_die("face %lld uses UV %u of %lld", (long long)c / out->size, i, (long long)uv->count);
        for (int k = 0; k < 2; k++)
            uvs[2 * c + k] = (double)((const float *)uv->data)[2 * (int64_t)i + k];
    }
    return uvs;
}

/* Blocks are of the size the plan said, and the plan is what was run. */
static void take_refined(const sdd_result *r, int with_uvs, struct refined *out)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    out->n_vertices = p->n_vertices;
    out->n_faces = p->n_faces;
    out->points = doubles(r, SDD_POSITIONS, 3, p->n_vertices);
    const struct sdd_block *b = block(r, SDD_INDICES);
    out->size = b->components;
    if (b->count != p->n_faces || b->bytes != 4 * out->size * p->n_faces)
        oracle_die("indices has %lld rows", (long long)b->count);
    out->faces = xalloc(out->size * p->n_faces, sizeof *out->faces);
    memcpy(out->faces, b->data, (size_t)b->bytes);
    out->uvs = with_uvs ? take_uvs(r, out) : NULL;
}

static void take_limit(const sdd_result *r, int with_uvs, struct refined *out)
{
    out->limits = doubles(r, SDD_POSITIONS, 3, out->n_vertices);
    out->normals = doubles(r, SDD_NORMALS, 3, out->n_vertices);
    out->tangents = doubles(r, SDD_TANGENTS, 6, out->n_vertices);
    out->normal_ok = xalloc(out->n_vertices, 1);
    memset(out->normal_ok, 1, (size_t)out->n_vertices);
    out->limit_uvs = with_uvs ? take_uvs(r, out) : NULL;
}

int library_mesh(sdd_device *device, const struct sdd_mesh_desc *desc, const float *points, const float *uvs,
                 sdd_mesh **out, struct sdd_error *err)
{
    sdd_topology *topology = NULL;
    *out = NULL;
    int rc = sdd_topology_create(device, desc, &topology, err);
    if (rc == SDD_OK)
        rc = sdd_mesh_create(topology, points, uvs, out, err);
    sdd_topology_unref(topology);
    return rc;
}

int library_surfaces(sdd_mesh *mesh, const char *method, int with_uvs, int level, int limit_surface,
                     struct refined *out, struct sdd_error *err)
{
    sdd_result *refined = NULL, *limit = NULL;
    int also = with_uvs ? SDD_UVS | SDD_UV_INDICES : 0;
    struct sdd_refine_request r = {.level = level,
                                   .surface = SDD_SURFACE_REFINED,
                                   .method = method,
                                   .include = SDD_POSITIONS | SDD_INDICES | also};
    memset(out, 0, sizeof *out);
    int rc = refine_once(mesh, &r, &refined, err);
    r.surface = limit_surface;
    r.include = SDD_POSITIONS | SDD_NORMALS | SDD_TANGENTS | also;
    if (rc == SDD_OK)
        rc = refine_once(mesh, &r, &limit, err);
    if (rc == SDD_OK) {
        take_refined(refined, with_uvs, out);
        take_limit(limit, with_uvs, out);
    }
    sdd_result_free(refined);
    sdd_result_free(limit);
    return rc;
}

int library_refine(sdd_device *device, const char *method, const struct sdd_mesh_desc *desc, const float *points,
                   const float *uvs, int level, struct refined *out, struct sdd_error *err)
{
    sdd_mesh *mesh = NULL;
    memset(out, 0, sizeof *out);
    const struct sdd_options *o = &desc->options;
    int refined_uvs = o->scheme != SDD_SCHEME_SQRT3 || o->fvar == SDD_FVAR_ALL; /* else refused */
    int with_uvs = uvs && desc->n_uvs > 0 && refined_uvs;
    int rc = library_mesh(device, desc, points, uvs, &mesh, err);
    if (rc == SDD_OK)
        rc = library_surfaces(mesh, method, with_uvs, level, SDD_SURFACE_LIMIT_AT_LEVEL, out, err);
    sdd_mesh_free(mesh);
    return rc;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */
struct worst {
    int64_t at, count;
    double error;
};

static void note(struct worst *w, int64_t at, double error, double tolerance)
{
    if (error <= tolerance)
        return; /* a NaN is never <= */
    if (w->count++ == 0 || error > w->error || isnan(error)) {
        w->at = at;
        w->error = error;
    }
}

static int report(const char *label, const char *what, const char *unit, struct worst w, int64_t n, const double *a,
                  const double *b, int width)
{
    if (w.count == 0 || !label)
        return w.count > 0;
    printf("%s: %s differ at %lld of %lld, worst at %s %lld by %.3g: got (", label, what, (long long)w.count,
           (long long)n, unit, (long long)w.at, w.error);
    for (int k = 0; k < width; k++)
        printf(k ? ", %.9g" : "%.9g", a[width * w.at + k]);
    printf("), expected (");
    for (int k = 0; k < width; k++)
        printf(k ? ", %.9g" : "%.9g", b[width * w.at + k]);
    printf(")\n");
    return 1;
}

/* The largest difference in a row; NaN as soon as one is in it. */
static double row_error(const double *a, const double *b, int width)
{
    double worst = 0;
    for (int k = 0; k < width; k++) {
        double d = fabs(a[k] - b[k]);
        if (isnan(d))
            return d;
        if (d > worst)
            worst = d;
    }
    return worst;
}

static int compare_rows(const char *label, const char *what, const char *unit, const double *got, const double *want,
                        int64_t n, int width, const unsigned char *use, double scale, double tolerance)
{
    struct worst w = {0};
    for (int64_t i = 0; i < n; i++)
        if (!use || use[i])
            note(&w, i, row_error(&got[width * i], &want[width * i], width) / scale, tolerance);
    return report(label, what, unit, w, n, got, want, width);
}

static int compare_faces(const char *label, const struct refined *got, const struct refined *want)
{
    for (int64_t f = 0; f < want->n_faces; f++) {
        const int n = want->size;
        const uint32_t *a = &got->faces[n * f], *b = &want->faces[n * f];
        if (memcmp(a, b, (size_t)n * sizeof *a) == 0)
            continue;
        if (label)
            printf("%s: face %lld: got %u %u %u %u, expected %u %u %u %u\n", label, (long long)f, a[0], a[1], a[2],
                   a[n - 1], b[0], b[1], b[2], b[n - 1]);
        return 1;
    }
    return 0;
}

static double uv_diagonal(const double *uvs, int64_t n)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < 2 * n; i++) {
        low[i & 1] = fmin(low[i & 1], uvs[i]);
        high[i & 1] = fmax(high[i & 1], uvs[i]);
    }
    double d = hypot(high[0] - low[0], high[1] - low[1]);
    return d > 1e-12 ? d : 1; /* less is rounding */
}

/* A witness may have nothing to say of some corners: NaN. */
static int compare_uvs(const char *label, const char *what, const double *got, const double *want, int64_t n,
                       double tolerance)
{
    unsigned char *use = xalloc(n, 1);
    for (int64_t c = 0; c < n; c++)
        if (!isnan(want[2 * c]))
            use[c] = 1;
    int bad = compare_rows(label, what, "face corner", got, want, n, 2, use, uv_diagonal(want, n), tolerance);
    free(use);
    return bad;
}

/* Tangents span the plane of the normal; on a boundary, where there is but one way to take them, they are the
 * witness's. */
static int compare_tangents(const char *label, const struct refined *got, const struct refined *want,
                            const unsigned char *use, double tolerance)
{
    int64_t n = want->n_vertices;
    double *made = xalloc(3 * n, sizeof *made);
    unsigned char *clear = xalloc(n, 1), *same = xalloc(n, 1);
    for (int64_t v = 0; v < n; v++) {
        const double *t = got->tangents + 6 * v;
        clear[v] = use[v] && !isnan(t[0]) && refined_normal(t, t + 3, 0, made + 3 * v);
        same[v] = use[v] && !isnan(t[0]) && want->tangents && !isnan(want->tangents[6 * v]);
    }
    int bad = compare_rows(label, "planes of tangents", "vertex", made, want->normals, n, 3, clear, 1, tolerance);
    if (want->tangents)
        bad += compare_rows(label, "tangents", "vertex", got->tangents, want->tangents, n, 6, same, 1, tolerance);
    free(made), free(clear), free(same);
    return bad;
}

int compare_refined(const char *label, const struct refined *got, const struct refined *want, double diagonal,
                    int with_limits, struct tolerances t)
{
    int64_t n = want->n_vertices, corners = want->size * want->n_faces;
    if (got->n_vertices != n || got->n_faces != want->n_faces || got->size != want->size) {
        if (label)
            printf("%s: got %lld vertices and %lld faces, expected %lld and %lld\n", label, (long long)got->n_vertices,
                   (long long)got->n_faces, (long long)n, (long long)want->n_faces);
        return 1;
    }
    if (!(diagonal > 0))
        diagonal = 1;
    int bad = compare_faces(label, got, want);
    bad += compare_rows(label, "positions", "vertex", got->points, want->points, n, 3, NULL, diagonal, t.position);
    if (want->uvs && got->uvs) /* of two witnesses one may have none */
        bad += compare_uvs(label, "UVs", got->uvs, want->uvs, corners, t.uv);
    if (!with_limits)
        return bad;
    if (want->limit_uvs && got->limit_uvs)
        bad += compare_uvs(label, "limit UVs", got->limit_uvs, want->limit_uvs, corners, t.uv);
    bad +=
        compare_rows(label, "limit positions", "vertex", got->limits, want->limits, n, 3, NULL, diagonal, t.position);
    unsigned char *use = xalloc(n, 1);
    int64_t defined = 0, used = 0;
    for (int64_t v = 0; v < n; v++) {
        use[v] = want->normal_ok[v] && got->normal_ok[v];
        defined += want->normal_ok[v];
        used += use[v];
    }
    bad += compare_rows(label, "limit normals", "vertex", got->normals, want->normals, n, 3, use, 1, t.normal);
    if (got->tangents)
        bad += compare_tangents(label, got, want, use, t.normal);
    free(use);
    if (used * 100 < defined * 98) { /* a few stand on the brink of collapse */
        if (label)
            printf("%s: %lld normals are defined, %lld were given\n", label, (long long)defined, (long long)used);
        bad++;
    }
    return bad;
}
