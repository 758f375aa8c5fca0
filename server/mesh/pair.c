/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c: finds the same elements and layers in two versions of a mesh (pair.h). */
#include "server/mesh/pair.h"
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b, void *ids)
{
    const int32_t *of = ids, x = of[*(const int32_t *)a], y = of[*(const int32_t *)b];
    return (x > y) - (x < y);
}

/* The rows in the order of their ids. */
static int32_t *order_by_id(const int32_t *ids, int64_t n, struct sdd_error *err)
{
    int32_t *rows = mesh_alloc(n, sizeof *rows, err);
    bool ascend = true;
    for (int64_t i = 0; rows && i < n; i++) {
        rows[i] = (int32_t)i;
        ascend = ascend && (i == 0 || ids[i] > ids[i - 1]);
    }
    if (rows && !ascend)
        qsort_r(rows, (size_t)n, sizeof *rows, compare, (void *)ids);
    return rows;
}

static int pair_ids(const int32_t *from, int64_t n_from, const int32_t *to, int64_t n_to, int32_t **forth,
                    int32_t **back, struct sdd_error *err)
{
    int32_t *a = order_by_id(from, n_from, err), *b = a ? order_by_id(to, n_to, err) : NULL;
    *forth = b ? mesh_alloc(n_from, sizeof **forth, err) : NULL;
    *back = *forth ? mesh_alloc(n_to, sizeof **back, err) : NULL;
    if (*back) {
        memset(*forth, 0xff, (size_t)n_from * sizeof **forth); /* SDD_NO_ROW is -1. */
        memset(*back, 0xff, (size_t)n_to * sizeof **back);
        for (int64_t i = 0, k = 0; i < n_from && k < n_to;) {
            const int32_t x = from[a[i]], y = to[b[k]];
            if (x == y) {
                (*forth)[a[i]] = b[k];
                (*back)[b[k]] = a[i];
            }
            i += x <= y;
            k += y <= x;
        }
    }
    free(a);
    free(b);
    return *back ? SDD_OK : SDD_ENO_MEMORY;
}

int mesh_pair_init(struct mesh_pair *p, const struct mesh *from, const struct mesh *to, struct sdd_error *err)
{
    *p = (struct mesh_pair){0};
    int rc = pair_ids(from->vertex_ids, from->n_vertices, to->vertex_ids, to->n_vertices, &p->vertex_to,
                      &p->vertex_from, err);
    return rc ? rc
              : pair_ids(from->face_ids, from->n_faces, to->face_ids, to->n_faces, &p->face_to, &p->face_from, err);
}

void mesh_pair_fini(struct mesh_pair *p)
{
    free(p->vertex_to);
    free(p->vertex_from);
    free(p->face_to);
    free(p->face_from);
    *p = (struct mesh_pair){0};
}

int mesh_compare_ids(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

bool mesh_has_id(const int32_t *ids, int64_t n, int32_t id)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ids[low] == id;
}

int mesh_face_starts(const struct mesh *m, int64_t **out, struct sdd_error *err)
{
    int64_t *starts = *out = mesh_alloc(m->n_faces + 1, sizeof *starts, err);
    if (!starts)
        return SDD_ENO_MEMORY;
    starts[0] = 0;
    for (int64_t f = 0; f < m->n_faces; f++)
        starts[f + 1] = starts[f] + m->face_counts[f];
    return SDD_OK;
}

int mesh_layers(const struct mesh *m, struct mesh_layer out[MESH_LAYERS])
{
    int n = 0;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        out[n++] = (struct mesh_layer){p->info, p->values, p->indices, p->sets};
    }
    if (m->n_uvs)
        out[n++] = (struct mesh_layer){
            {"st", SDD_FACE_VARYING, PRIMVAR_F32, 2, (int32_t)m->n_uvs}, (const char *)m->uvs, m->uv_indices, {0}};
    return n;
}

const struct mesh_layer *mesh_layer_find(const struct mesh_layer *layers, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(layers[i].info.name, name) == 0)
            return &layers[i];
    return NULL;
}

bool mesh_layer_alike(const struct mesh_layer *a, const struct mesh_layer *b)
{
    return a->info.interpolation == b->info.interpolation && a->info.type == b->info.type &&
           a->info.width == b->info.width && a->sets.bytes == b->sets.bytes &&
           (a->sets.bytes == 0 || memcmp(a->sets.text, b->sets.text, (size_t)a->sets.bytes) == 0);
}
