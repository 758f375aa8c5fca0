/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tri_mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench/timing.h"
#include "tests/oracle/refined.h"

static void tri_mesh_take(struct tri_mesh *m, int64_t V, int64_t F)
{
    m->counts = xalloc(F, sizeof *m->counts);
    m->vertices = xalloc(3 * F, sizeof *m->vertices);
    m->points = xalloc(3 * V, sizeof *m->points);
    for (int64_t f = 0; f < F; f++)
        m->counts[f] = 3;
    m->desc = (struct sdd_mesh_desc){
        .n_vertices = V, .n_faces = F, .n_corners = 3 * F, .face_counts = m->counts, .face_vertices = m->vertices};
}

void tri_mesh_free(struct tri_mesh *m)
{
    free(m->counts), free(m->vertices), free(m->points);
}

static void make_grid(struct tri_mesh *m, int32_t side)
{
    const int64_t F = 2 * (int64_t)side * side, V = (int64_t)(side + 1) * (side + 1);
    tri_mesh_take(m, V, F);
    snprintf(m->name, sizeof m->name, "grid");
    for (int64_t f = 0; f < F; f++) {
        const int32_t x = (int32_t)(f / 2) % side, y = (int32_t)(f / 2) / side, v = y * (side + 1) + x;
        const int32_t low[] = {v, v + 1, v + side + 2}, high[] = {v, v + side + 2, v + side + 1};
        memcpy(m->vertices + 3 * f, f % 2 ? high : low, sizeof low);
    }
    for (int64_t v = 0; v < V; v++) {
        const float x = (float)(v % (side + 1)) / (float)side, y = (float)(v / (side + 1)) / (float)side;
        const float p[] = {x, y, 0.1f * sinf(9 * x) * sinf(7 * y)};
        memcpy(m->points + 3 * v, p, sizeof p);
    }
}

static void must(int rc, const struct sdd_error *err)
{
    if (rc)
        oracle_die("%s", err->text);
}

void tri_mesh_cut(struct tri_mesh *m, sdd_device *d, int cuts)
{
    const struct sdd_refine_request request = {.level = cuts, .include = SDD_POSITIONS | SDD_INDICES};
    struct bench_mesh control;
    struct sdd_error err = {0};
    sdd_topology *t;
    sdd_mesh *mesh;
    sdd_plan *plan;
    sdd_result *result;
    bench_mesh_open(&control, "stanford-bunny", 8, 8);
    if (!control.shape.mesh) {
        bench_mesh_close(&control);
        make_grid(m, 181 << cuts);
        return;
    }
    control.desc.options.scheme = SDD_SCHEME_LOOP;
    must(sdd_topology_create(d, &control.desc, &t, &err), &err);
    must(sdd_mesh_create(t, control.points, NULL, &mesh, &err), &err);
    must(sdd_plan_create(mesh, &request, &plan, &err), &err);
    must(sdd_refine(mesh, plan, NULL, &result, &err), &err);
    const struct sdd_block *positions = NULL, *indices = NULL;
    const struct sdd_plan_info *info = &sdd_result_info(result)->plan;
    for (int k = 0; k < info->n_blocks; k++) {
        positions = info->blocks[k].semantic == SDD_POSITIONS ? info->blocks + k : positions;
        indices = info->blocks[k].semantic == SDD_INDICES ? info->blocks + k : indices;
    }
    tri_mesh_take(m, info->n_vertices, info->n_faces);
    snprintf(m->name, sizeof m->name, "bunny");
    memcpy(m->points, positions->data, (size_t)m->desc.n_vertices * 3 * sizeof *m->points);
    memcpy(m->vertices, indices->data, (size_t)m->desc.n_corners * sizeof *m->vertices);
    sdd_result_free(result), sdd_plan_free(plan), sdd_mesh_free(mesh), sdd_topology_unref(t);
    bench_mesh_close(&control);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */
/* Renumbers: vertex v becomes vertex[v], face f face[f]. */
static void renumber(struct tri_mesh *m, const int32_t *vertex, const int32_t *face)
{
    const int64_t V = m->desc.n_vertices, F = m->desc.n_faces;
    struct tri_mesh old = *m;
    tri_mesh_take(m, V, F);
    for (int64_t v = 0; v < V; v++)
        memcpy(m->points + 3 * (int64_t)vertex[v], old.points + 3 * v, 3 * sizeof *m->points);
    for (int64_t f = 0; f < F; f++)
        for (int k = 0; k < 3; k++)
            m->vertices[3 * (int64_t)face[f] + k] = vertex[old.vertices[3 * f + k]];
    tri_mesh_free(&old);
}

static int32_t *permutation(int64_t n)
{
    int32_t *to = xalloc(n, sizeof *to);
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t k = (int64_t)((state >> 32) * (uint64_t)(i + 1) >> 32);
        to[i] = to[k];
        to[k] = (int32_t)i;
    }
    return to;
}

void tri_mesh_shuffle(struct tri_mesh *m)
{
    int32_t *vertex = permutation(m->desc.n_vertices), *face = permutation(m->desc.n_faces);
    renumber(m, vertex, face);
    free(vertex), free(face);
}

static uint64_t spread(float x, float low, float size)
{
    uint64_t bits = (uint64_t)(1023 * (x - low) / size), out = 0;
    for (int k = 0; k < 10; k++)
        out |= (bits >> k & 1) << 3 * k;
    return out;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The places of n points in the order of their codes. */
static int32_t *places(const float *points, int64_t n)
{
    uint64_t *keys = xalloc(n, sizeof *keys);
    int32_t *to = xalloc(n, sizeof *to);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * n; i++) {
        low[i % 3] = fminf(low[i % 3], points[i]);
        high[i % 3] = fmaxf(high[i % 3], points[i]);
    }
    const float size = fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), fmaxf(high[2] - low[2], 1e-30f));
    for (int64_t i = 0; i < n; i++) {
        uint64_t code = 0;
        for (int k = 0; k < 3; k++)
            code |= spread(points[3 * i + k], low[k], size) << k;
        keys[i] = code << 32 | (uint64_t)i;
    }
    qsort(keys, (size_t)n, sizeof *keys, by_key);
    for (int64_t i = 0; i < n; i++)
        to[keys[i] & 0xffffffffu] = (int32_t)i;
    free(keys);
    return to;
}

void tri_mesh_sort(struct tri_mesh *m)
{
    const int64_t F = m->desc.n_faces;
    float *middle = xalloc(3 * F, sizeof *middle);
    for (int64_t i = 0; i < 3 * F; i++)
        for (int k = 0; k < 3; k++)
            middle[i] += m->points[3 * (int64_t)m->vertices[i / 3 * 3 + k] + i % 3] / 3;
    int32_t *vertex = places(m->points, m->desc.n_vertices), *face = places(middle, F);
    renumber(m, vertex, face);
    free(vertex), free(face), free(middle);
}
