/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/redo_face.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int redo_face(const sdd_topology *old, const struct sdd_mesh_desc *desc, int32_t face, sdd_topology **out,
              struct sdd_error *err)
{
    struct sdd_channel_delta channels[1 + SDD_MAX_PRIMVARS];
    const int32_t n = desc->face_counts[face];
    int32_t *vertices = xalloc(n, sizeof *vertices);
    int64_t first = 0;
    struct sdd_topology_delta d = {.vertices = {desc->n_vertices, 0, 0, NULL, NULL},
                                   .faces = {desc->n_faces, 1, 1, &face, &face},
                                   .n_dirty_faces = 1,
                                   .dirty_faces = &face,
                                   .dirty_vertices = vertices,
                                   .n_channels = desc->n_channels + (desc->n_uvs > 0),
                                   .channels = channels};
    for (int64_t k = 0; k < d.n_channels; k++) {
        const int uvs = desc->n_uvs > 0;
        channels[k] = (struct sdd_channel_delta){.from = k};
        channels[k].values.n_old = k < uvs ? desc->n_uvs : desc->channels[k - uvs].n_values;
    }
    for (int32_t f = 0; f < face; f++)
        first += desc->face_counts[f];
    for (int32_t i = 0; i < n; i++)
        vertices[i] = desc->face_vertices[first + i];
    qsort(vertices, (size_t)n, sizeof *vertices, compare);
    for (int32_t i = 0; i < n; i++)
        if (i == 0 || vertices[i] != vertices[i - 1])
            vertices[d.n_dirty_vertices++] = vertices[i];
    int rc = sdd_topology_update(old, desc, &d, out, err);
    free(vertices);
    return rc;
}
