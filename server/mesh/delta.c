/* SPDX-License-Identifier: Apache-2.0 */
/* delta.c: what an edit did to the rows of a mesh, for the room edits/ and for the compute library. */
#include "server/mesh/delta.h"
#include <stdlib.h>
#include <string.h>

static void rows_fini(struct mesh_rows_delta *r)
{
    free(r->removed);
    free(r->added);
}

void mesh_delta_fini(struct mesh_delta *d)
{
    free(d->dirty_vertices);
    free(d->dirty_faces);
    rows_fini(&d->vertices);
    rows_fini(&d->faces);
    for (int k = 0; k < d->n_channels; k++)
        rows_fini(&d->values[k]);
    *d = (struct mesh_delta){0};
}

int mesh_rows_delta(struct mesh_rows_delta *out, int64_t n_old, int64_t n, const int32_t *removed, int64_t n_removed,
                    struct sdd_error *err)
{
    int64_t old = 0;
    while (old < n_removed && removed[old] < n_old)
        old++;
    *out = (struct mesh_rows_delta){.n_removed = old, .n_added = n - n_old - (n_removed - old)};
    out->removed = mesh_alloc(out->n_removed, sizeof *removed, err);
    out->added = mesh_alloc(out->n_added, sizeof *removed, err);
    if (!out->removed || !out->added)
        return SDD_ENO_MEMORY;
    if (old)
        memcpy(out->removed, removed, (size_t)old * sizeof *removed);
    for (int64_t i = 0; i < out->n_added; i++)
        out->added[i] = (int32_t)(n_old - old + i);
    return SDD_OK;
}

static struct sdd_rows_delta rows_desc(int64_t n_old, const struct mesh_rows_delta *r)
{
    return (struct sdd_rows_delta){n_old, r->n_removed, r->n_added, r->removed, r->added};
}

int mesh_delta_channel(struct mesh_delta *d, int64_t from, int64_t n_old, int64_t n, const int32_t *removed,
                       int64_t n_removed, struct sdd_error *err)
{
    const int k = d->n_channels++;
    int rc = from == SDD_NO_ROW ? SDD_OK : mesh_rows_delta(&d->values[k], n_old, n, removed, n_removed, err);
    d->channels[k] = (struct sdd_channel_delta){from, rows_desc(from == SDD_NO_ROW ? 0 : n_old, &d->values[k])};
    return rc;
}

void mesh_delta_desc(const struct mesh_delta *d, struct sdd_topology_delta *out)
{
    *out = (struct sdd_topology_delta){
        .vertices = rows_desc(d->n_old_vertices, &d->vertices),
        .faces = rows_desc(d->n_old_faces, &d->faces),
        .n_dirty_vertices = d->n_dirty_vertices,
        .n_dirty_faces = d->n_dirty_faces,
        .dirty_vertices = d->dirty_vertices,
        .dirty_faces = d->dirty_faces,
        .n_channels = d->n_channels,
        .channels = d->channels,
    };
}
