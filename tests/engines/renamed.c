/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/renamed.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>

static int64_t common(int64_t a, int64_t b)
{
    return b == 0 ? a : common(b, a % b);
}

static int32_t *permutation(int64_t n, int64_t stride)
{
    int32_t *p = xalloc(n, sizeof *p);
    while (n > 0 && common(stride, n) != 1)
        stride++;
    for (int64_t i = 0; i < n; i++)
        p[i] = (int32_t)((i * stride + 3) % n);
    return p;
}

void renamed_init(const struct shape *s, struct renamed *r)
{
    const struct sdd_mesh_desc *d = &s->desc;
    r->shape = *s;
    r->vertex = permutation(d->n_vertices, 7);
    r->face = permutation(d->n_faces, 5);
    r->corner = xalloc(d->n_corners, sizeof *r->corner);
    int32_t *counts = xalloc(d->n_faces, sizeof *counts), *first = xalloc(d->n_faces + 1, sizeof *first);
    int32_t *vertices = xalloc(d->n_corners, sizeof *vertices), *uv = xalloc(d->n_corners, sizeof *uv);
    float *points = xalloc(3 * d->n_vertices, sizeof *points);
    for (int64_t f = 0; f < d->n_faces; f++)
        counts[r->face[f]] = d->face_counts[f];
    for (int64_t f = 0; f < d->n_faces; f++)
        first[f + 1] = first[f] + counts[f];
    for (int64_t f = 0, c = 0; f < d->n_faces; f++)
        for (int64_t k = 0; k < d->face_counts[f]; k++, c++) {
            int64_t to = first[r->face[f]] + (k + f) % d->face_counts[f];
            r->corner[c] = (int32_t)to;
            vertices[to] = r->vertex[d->face_vertices[c]];
            uv[to] = d->n_uvs ? d->uv_indices[c] : 0;
        }
    for (int64_t v = 0; v < d->n_vertices; v++)
        memcpy(&points[3 * r->vertex[v]], &s->points[3 * v], 3 * sizeof *points);
    int32_t *edges = xalloc(2 * d->n_creases, sizeof *edges), *corners = xalloc(d->n_corner_tags, sizeof *corners);
    int32_t *holes = xalloc(d->n_holes, sizeof *holes);
    float *sharp = xalloc(d->n_creases, sizeof *sharp), *corner_sharp = xalloc(d->n_corner_tags, sizeof *corner_sharp);
    for (int64_t i = 0, n = d->n_creases; i < n; i++) {
        edges[2 * i] = r->vertex[d->crease_edges[2 * (n - 1 - i) + 1]];
        edges[2 * i + 1] = r->vertex[d->crease_edges[2 * (n - 1 - i)]];
        sharp[i] = d->crease_sharpness[n - 1 - i];
    }
    for (int64_t i = 0, n = d->n_corner_tags; i < n; i++) {
        corners[i] = r->vertex[d->corner_vertices[n - 1 - i]];
        corner_sharp[i] = d->corner_sharpness[n - 1 - i];
    }
    for (int64_t i = 0, n = d->n_holes; i < n; i++)
        holes[i] = r->face[d->hole_faces[n - 1 - i]];
    struct sdd_mesh_desc *to = &r->shape.desc;
    to->face_counts = counts;
    to->face_vertices = vertices;
    to->uv_indices = uv;
    to->crease_edges = edges;
    to->crease_sharpness = sharp;
    to->corner_vertices = corners;
    to->corner_sharpness = corner_sharp;
    to->hole_faces = holes;
    r->shape.points = points;
    free(first);
}

void renamed_free(struct renamed *r)
{
    const struct sdd_mesh_desc *d = &r->shape.desc;
    const void *all[] = {d->face_counts,
                         d->face_vertices,
                         d->uv_indices,
                         d->crease_edges,
                         d->crease_sharpness,
                         d->corner_vertices,
                         d->corner_sharpness,
                         d->hole_faces,
                         r->shape.points,
                         r->vertex,
                         r->face,
                         r->corner};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free((void *)(uintptr_t)all[i]);
}
