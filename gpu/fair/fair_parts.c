/* SPDX-License-Identifier: Apache-2.0 */
/* fair_parts.c: cuts the faces of a topology into triangles, and sorts vertices and triangles by connected part. It is
 * done on the host, once for a flow: parts are few, and each of them is a problem of its own. */
#include "gpu/fair/internal.h"
#include <stdlib.h>

/* Temporary arrays. `root` leads from each vertex to the lowest one of its part. */
struct work {
    int64_t V, F, C;
    uint32_t *vert, *root, *number; /* Shape [C], [V], [V]: the part of each lowest vertex, then the row of each. */
    uint32_t *twin;                 /* Shape [C]; C and more where there is no face across. */
    int32_t *face_end;              /* Shape [F]. */
    uint8_t *used;                  /* Shape [V]. */
};

static uint32_t find(uint32_t *root, uint32_t v)
{
    while (root[v] != v)
        v = root[v] = root[root[v]];
    return v;
}

static int read_faces(const sdd_topology *t, struct work *w, struct sdd_error *err)
{
    w->vert = calloc((size_t)w->C, sizeof *w->vert);
    w->twin = calloc((size_t)w->C, sizeof *w->twin);
    w->face_end = calloc((size_t)w->F, sizeof *w->face_end);
    w->root = calloc((size_t)w->V, sizeof *w->root);
    w->number = calloc((size_t)w->V, sizeof *w->number);
    w->used = calloc((size_t)w->V, 1);
    if (!w->vert || !w->twin || !w->face_end || !w->root || !w->number || !w->used)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the connected parts of %lld vertices", (long long)w->V);
    dev_download(t->device, w->vert, t->vert, w->C * (int64_t)sizeof *w->vert);
    dev_download(t->device, w->twin, t->twin, w->C * (int64_t)sizeof *w->twin);
    dev_download(t->device, w->face_end, t->face_end, w->F * (int64_t)sizeof *w->face_end);
    return dev_finish(t->device, err);
}

/* Joins the corners of each face, and counts the parts, which are numbered by their lowest vertices. */
static void join(struct work *w, struct fair_parts *out)
{
    for (int64_t v = 0; v < w->V; v++)
        w->root[v] = (uint32_t)v;
    for (int64_t f = 0, c = 0; f < w->F; f++)
        for (const int64_t first = c; c < w->face_end[f]; c++) {
            const uint32_t a = find(w->root, w->vert[first]), b = find(w->root, w->vert[c]);
            w->root[a > b ? a : b] = a > b ? b : a;
            w->used[w->vert[c]] = 1;
        }
    for (int64_t v = 0; v < w->V; v++)
        if (w->used[v]) {
            out->n_rows++;
            if (find(w->root, (uint32_t)v) == v)
                w->number[v] = (uint32_t)out->n_parts++;
        }
}

static struct fair_part *part_of(struct work *w, const struct fair_parts *out, uint32_t vertex)
{
    return out->part + w->number[find(w->root, vertex)];
}

/* Gives each part its rows and triangles, in the order of vertices and faces. */
static void sort_by_part(struct work *w, struct fair_parts *out, uint32_t *row)
{
    for (int64_t v = 0; v < w->V; v++)
        if (w->used[v])
            part_of(w, out, (uint32_t)v)->n++;
    for (int64_t f = 0, c = 0; f < w->F; c = w->face_end[f++])
        part_of(w, out, w->vert[c])->n_triangles += (uint32_t)(w->face_end[f] - c - 2);
    for (int64_t k = 1; k < out->n_parts; k++) {
        const struct fair_part *before = out->part + k - 1;
        out->part[k].first = before->first + before->n;
        out->part[k].first_triangle = before->first_triangle + before->n_triangles;
    }
    for (int64_t k = 0; k < out->n_parts; k++)
        out->part[k].n = out->part[k].n_triangles = 0;
    for (int64_t v = 0; v < w->V; v++)
        if (w->used[v]) {
            struct fair_part *p = part_of(w, out, (uint32_t)v);
            row[v] = p->first + p->n++;
            out->vertex[row[v]] = (uint32_t)v;
        }
    for (int64_t f = 0, c = 0; f < w->F; c = w->face_end[f++]) {
        struct fair_part *p = part_of(w, out, w->vert[c]);
        for (int64_t k = c + 1; k + 1 < w->face_end[f]; k++) {
            const uint32_t i = p->first_triangle + p->n_triangles++;
            out->triangle[3 * (size_t)i] = row[w->vert[c]];
            out->triangle[3 * (size_t)i + 1] = row[w->vert[k]];
            out->triangle[3 * (size_t)i + 2] = row[w->vert[k + 1]];
            out->face[i] = (uint32_t)f;
        }
    }
}

/* The genus of each part without a rim, by Euler's formula. */
static int find_genus(struct work *w, struct fair_parts *out, int exactness, struct sdd_error *err)
{
    for (int64_t k = 0; k < out->n_parts; k++)
        out->part[k].closed = 1;
    for (int64_t c = 0; c < w->C; c++)
        if (w->twin[c] >= w->C)
            part_of(w, out, w->vert[c])->closed = 0;
    for (int64_t k = 0; k < out->n_parts; k++) {
        struct fair_part *p = out->part + k; /* Triangles have 3 / 2 edges each, so V - E + T is V - T / 2. */
        const int64_t genus = 1 - ((int64_t)p->n - p->n_triangles / 2) / 2;
        if (exactness && p->closed && genus > SDD_FAIR_MAX_GENUS)
            return sdd_fail(
                err, SDD_EUNSUPPORTED, "exactness",
                "the surface at vertex %u has genus %lld; at most %d can be kept exact, so turn exactness off",
                out->vertex[p->first], (long long)genus, SDD_FAIR_MAX_GENUS);
        p->genus = exactness && p->closed ? (int)genus : 0;
        out->most_genus = p->genus > out->most_genus ? p->genus : out->most_genus;
    }
    return SDD_OK;
}

static int make_parts(const sdd_topology *t, struct work *w, int exactness, struct fair_parts *out,
                      struct sdd_error *err)
{
    const int rc = read_faces(t, w, err);
    if (rc)
        return rc;
    join(w, out);
    out->n_triangles = w->C - 2 * w->F;
    out->part = calloc((size_t)out->n_parts, sizeof *out->part);
    out->vertex = calloc((size_t)out->n_rows, sizeof *out->vertex);
    out->triangle = calloc(3 * (size_t)out->n_triangles, sizeof *out->triangle);
    out->face = calloc((size_t)out->n_triangles, sizeof *out->face);
    uint32_t *row = calloc((size_t)w->V, sizeof *row);
    if (!out->part || !out->vertex || !out->triangle || !out->face || !row) {
        free(row);
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %lld triangles", (long long)out->n_triangles);
    }
    sort_by_part(w, out, row);
    free(row);
    return find_genus(w, out, exactness, err);
}

int fair_check_manifold(const sdd_topology *t, struct sdd_error *err)
{
    return t->info.manifold
               ? SDD_OK
               : sdd_fail(err, SDD_EMESH, "faceVertexIndices", "%s; only a manifold surface flows", t->fault);
}

int fair_parts_create(const sdd_topology *t, int exactness, struct fair_parts *out, struct sdd_error *err)
{
    struct work w = {.V = t->info.n_vertices, .F = t->info.n_faces, .C = t->info.n_corners};
    *out = (struct fair_parts){0};
    int rc = fair_check_manifold(t, err);
    if (!rc && 9 * (w.C - 2 * w.F) > INT32_MAX)
        rc = sdd_fail(err, SDD_ETOO_LARGE, "faceVertexCounts", "%lld triangles; at most %d can flow",
                      (long long)(w.C - 2 * w.F), INT32_MAX / 9);
    if (!rc)
        rc = make_parts(t, &w, exactness, out, err);
    if (rc)
        fair_parts_free(out);
    free(w.vert);
    free(w.twin);
    free(w.face_end);
    free(w.root);
    free(w.number);
    free(w.used);
    return rc;
}

void fair_parts_free(struct fair_parts *p)
{
    for (int64_t k = 0; k < p->n_parts && p->part; k++)
        free(p->part[k].level);
    free(p->part);
    free(p->vertex);
    free(p->triangle);
    free(p->face);
    *p = (struct fair_parts){0};
}
