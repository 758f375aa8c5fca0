/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/judge.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tolerances tolerance = {1e-5, 1e-5, 5e-3};

#define MOST_OF_MATRIX 2 /* levels: one is made for each frame here; test_subdivision_matrix goes higher */

/* What an engine says when it does not do a mesh; every other refusal is a failure. */
static const char *const refusals[] = {
    "engine edge-friend does not do ",
    "engine mesh-matrix-spla does not do ",
    "engine tabulated does not do ",
    "engine subdivision-matrix does not do ",
    "no tables: ",
};

int judge_may_refuse(const struct sdd_error *err)
{
    int may = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        may |= err->code == SDD_EUNSUPPORTED && strstr(err->text, refusals[i]) != NULL;
    return may;
}

static double diagonal(const float *points, int64_t n)
{
    double *p = xalloc(3 * n, sizeof *p);
    for (int64_t i = 0; i < 3 * n; i++)
        p[i] = (double)points[i];
    double d = refined_diagonal(p, n);
    free(p);
    return d;
}

int judge_differs(struct judge *j, const char *label, const struct sdd_mesh_desc *desc, const float *points,
                  const float *uvs, int level)
{
    struct refined want = {0};
    struct sdd_error refused = {0};
    sdd_mesh *mesh = NULL;
    int bad = 0, made = library_mesh(j->device, desc, points, uvs, &mesh, &refused);
    for (int e = 0; sdd_engine(e); e++) {
        struct sdd_error err = refused;
        struct refined got = {0};
        char name[256];
        int rc = made, with_uvs = uvs && desc->n_uvs > 0;
        if (level > MOST_OF_MATRIX && strcmp(sdd_engine(e)->name, "subdivision-matrix") == 0)
            continue;
        if (made == SDD_OK)
            rc = library_surfaces(mesh, sdd_engine(e)->name, with_uvs, level, SDD_SURFACE_LIMIT_AT_LEVEL, &got, &err);
        snprintf(name, sizeof name, "%s, %s", label ? label : "", sdd_engine(e)->name);
        if (rc == SDD_OK && !want.points)
            j->witness(desc, points, uvs, level, &want);
        if (rc == SDD_OK) {
            bad +=
                compare_refined(label ? name : NULL, &got, &want, diagonal(points, desc->n_vertices), 1, tolerance) > 0;
        } else if (!judge_may_refuse(&err)) {
            bad++;
            if (label)
                printf("%s: refused: %s: %s\n", name, sdd_err_code(rc), err.text);
        }
        if (label)
            (rc == SDD_OK ? j->ran : j->refused)[e]++;
        refined_free(&got);
    }
    refined_free(&want);
    sdd_mesh_free(mesh);
    return bad;
}

void judge_tell(const struct judge *j)
{
    for (int e = 0; sdd_engine(e); e++)
        printf("  %-16s took %lld, refused %lld\n", sdd_engine(e)->name, (long long)j->ran[e],
               (long long)j->refused[e]);
}

/* ---- bow-ties -------------------------------------------------------------------------------------------------- */
static int64_t find_root(int64_t *parent, int64_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The corner at vertex v of the edge that follows corner c. */
static int64_t corner_at(const struct grid *g, int64_t c, int32_t v)
{
    int64_t next = c + 1 < g->first[g->corner_face[c] + 1] ? c + 1 : g->first[g->corner_face[c]];
    return g->vertices[c] == v ? c : next;
}

/* Joins corners of one value across the edges at their vertex: a class is to be left for each value. */
int uv_bow_tie(const struct sdd_mesh_desc *desc)
{
    if (desc->n_uvs == 0)
        return 0;
    struct grid g;
    grid_init(&g, desc);
    int64_t *parent = xalloc(g.n_corners, sizeof *parent);
    int32_t *uv = xalloc(g.n_corners, sizeof *uv), *classes = xalloc(g.n_vertices, sizeof *classes);
    int32_t *values = xalloc(g.n_vertices, sizeof *values), bad = 0;
    for (int64_t c = 0; c < g.n_corners; c++) {
        parent[c] = c;
        uv[c] = desc->uv_indices[g.authored[c]];
    }
    for (int64_t c = 0; c < g.n_corners; c++)
        for (int64_t d = 0; d < 2 * c; d++) {
            const int32_t *ends = &g.ends[2 * g.edge[c]], *others = &g.ends[2 * g.edge[d / 2]], v = ends[d % 2];
            if (ends[0] != others[0] || ends[1] != others[1])
                continue;
            int64_t p = corner_at(&g, c, v), q = corner_at(&g, d / 2, v);
            if (uv[p] == uv[q])
                parent[find_root(parent, p)] = find_root(parent, q);
        }
    for (int64_t c = 0; c < g.n_corners; c++) {
        int64_t first = 0;
        while (g.vertices[first] != g.vertices[c] || uv[first] != uv[c])
            first++;
        classes[g.vertices[c]] += parent[c] == c;
        values[g.vertices[c]] += first == c;
    }
    for (int64_t v = 0; v < g.n_vertices; v++)
        bad |= values[v] > 1 && classes[v] > values[v];
    free(parent);
    free(uv);
    free(classes);
    free(values);
    grid_fini(&g);
    return bad;
}
