/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/triangles.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>

int triangles_only(const struct sdd_mesh_desc *d)
{
    int64_t f = 0;
    while (f < d->n_faces && d->face_counts[f] == 3)
        f++;
    return f == d->n_faces;
}

struct triangles triangles_cut(struct sdd_mesh_desc *d)
{
    int64_t n = d->n_corners - 2 * d->n_faces, c = 0, to = 0, n_holes = 0;
    struct triangles t = {xalloc(n, sizeof *t.counts), xalloc(3 * n, sizeof *t.vertices),
                          d->n_uvs ? xalloc(3 * n, sizeof *t.uvs) : NULL, xalloc(n, sizeof *t.holes)};
    for (int64_t f = 0; f < d->n_faces; c += d->face_counts[f++]) {
        int hole = 0;
        for (int64_t h = 0; h < d->n_holes; h++)
            hole |= d->hole_faces[h] == f;
        for (int32_t k = 1; k + 1 < d->face_counts[f]; k++, to++) {
            const int64_t from[3] = {c, c + k, c + k + 1};
            t.counts[to] = 3;
            for (int i = 0; i < 3; i++) {
                t.vertices[3 * to + i] = d->face_vertices[from[i]];
                if (t.uvs)
                    t.uvs[3 * to + i] = d->uv_indices[from[i]];
            }
            if (hole)
                t.holes[n_holes++] = (int32_t)to;
        }
    }
    d->n_faces = n;
    d->n_corners = 3 * n;
    d->n_holes = n_holes;
    d->face_counts = t.counts;
    d->face_vertices = t.vertices;
    d->uv_indices = t.uvs;
    d->hole_faces = t.holes;
    return t;
}

void triangles_free(struct triangles *t)
{
    free(t->counts);
    free(t->vertices);
    free(t->uvs);
    free(t->holes);
}
