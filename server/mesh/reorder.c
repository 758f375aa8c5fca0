/* SPDX-License-Identifier: Apache-2.0 */
/* reorder.c: copies a mesh with its rows in a cache-friendly order, when the client asks for that at upload. The ids
 * move along with their rows, so they still name the same elements. */
#include "server/mesh/encode.h"
#include <stdlib.h>
#include <string.h>

/* The arrays of the new mesh that differ from those of the old one, and the maps from old rows to new ones. */
struct rows {
    int32_t *row_of_vertex, *row_of_face, *vertex_ids, *face_ids, *counts, *corners, *uv_indices, *creases, *tags,
        *holes;
    int64_t *first; /* [F] The first corner of each old face. */
    float *points;
    /* The values of each primvar, or the indices of a faceVarying one; NULL when those of the old mesh stay as they
     * are. */
    void *primvars[SDD_MAX_PRIMVARS];
};

static void rows_fini(struct rows *r)
{
    int32_t *all[] = {r->row_of_vertex, r->row_of_face, r->vertex_ids, r->face_ids, r->counts,
                      r->corners,       r->uv_indices,  r->creases,    r->tags,     r->holes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(r->first);
    free(r->points);
    for (int i = 0; i < SDD_MAX_PRIMVARS; i++)
        free(r->primvars[i]);
}

static int rows_init(struct rows *r, const struct mesh *m, struct sdd_error *err)
{
    struct {
        int32_t **to;
        int64_t n;
    } all[] = {
        {&r->row_of_vertex, m->n_vertices},
        {&r->row_of_face, m->n_faces},
        {&r->vertex_ids, m->n_vertices},
        {&r->face_ids, m->n_faces},
        {&r->counts, m->n_faces},
        {&r->corners, m->n_corners},
        {&r->uv_indices, m->n_uvs ? m->n_corners : 0},
        {&r->creases, 2 * m->n_creases},
        {&r->tags, m->n_corner_tags},
        {&r->holes, m->n_holes},
    };
    *r = (struct rows){0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].to = mesh_alloc(all[i].n, sizeof(int32_t), err)))
            return SDD_ENO_MEMORY;
    r->first = mesh_alloc(m->n_faces, sizeof *r->first, err);
    r->points = mesh_alloc(m->n_vertices, 3 * sizeof *r->points, err);
    return r->first && r->points ? SDD_OK : SDD_ENO_MEMORY;
}

/* Puts the rows of a primvar in the new order. The indices of a faceVarying primvar move with the corners of their
 * faces. */
static int move_primvar(struct rows *r, const struct mesh *m, const struct sdd_order *order, int index,
                        struct sdd_error *err)
{
    const struct primvar *p = &m->primvars[index];
    int64_t row = (int64_t)p->info.width * 4, corner = 0;
    const int32_t *from = p->info.interpolation == SDD_UNIFORM ? order->face_of_row : order->vertex_of_row;
    if (p->info.interpolation == SDD_CONSTANT)
        return SDD_OK;
    char *to = p->indices ? mesh_alloc(m->n_corners, sizeof *p->indices, err) : mesh_alloc(p->info.n_values, row, err);
    if (!to)
        return SDD_ENO_MEMORY;
    r->primvars[index] = to;
    for (int64_t i = 0; i < p->info.n_values && !p->indices; i++)
        memcpy(to + i * row, (const char *)p->values + from[i] * row, (size_t)row);
    for (int64_t i = 0; i < m->n_faces && p->indices; i++) {
        int32_t f = order->face_of_row[i];
        memcpy((int32_t *)(void *)to + corner, p->indices + r->first[f],
               (size_t)m->face_counts[f] * sizeof *p->indices);
        corner += m->face_counts[f];
    }
    return SDD_OK;
}

static void move(struct rows *r, const struct mesh *m, const struct sdd_order *order)
{
    int64_t corner = 0;
    for (int64_t f = 0; f < m->n_faces; corner += m->face_counts[f++])
        r->first[f] = corner;
    for (int64_t i = 0; i < m->n_vertices; i++) {
        int32_t v = order->vertex_of_row[i];
        r->row_of_vertex[v] = (int32_t)i;
        r->vertex_ids[i] = m->vertex_ids[v];
        memcpy(r->points + 3 * i, m->points + 3 * (int64_t)v, 3 * sizeof(float));
    }
    corner = 0;
    for (int64_t i = 0; i < m->n_faces; i++) {
        int32_t f = order->face_of_row[i];
        r->row_of_face[f] = (int32_t)i;
        r->face_ids[i] = m->face_ids[f];
        r->counts[i] = m->face_counts[f];
        for (int64_t c = r->first[f]; c < r->first[f] + m->face_counts[f]; c++, corner++) {
            r->corners[corner] = r->row_of_vertex[m->face_vertices[c]];
            if (m->n_uvs)
                r->uv_indices[corner] = m->uv_indices[c];
        }
    }
    for (int64_t i = 0; i < 2 * m->n_creases; i++)
        r->creases[i] = r->row_of_vertex[m->crease_edges[i]];
    for (int64_t i = 0; i < m->n_corner_tags; i++)
        r->tags[i] = r->row_of_vertex[m->corner_vertices[i]];
    for (int64_t i = 0; i < m->n_holes; i++)
        r->holes[i] = r->row_of_face[m->hole_faces[i]];
}

static int build(const struct rows *r, const struct mesh *m, struct mesh **out, struct sdd_error *err)
{
    struct mesh_arrays a;
    mesh_as_arrays(m, &a);
    a.points.v = r->points;
    a.face_counts.v = r->counts;
    a.face_vertices.v = r->corners;
    a.crease_indices.v = r->creases;
    a.corner_indices.v = r->tags;
    a.hole_indices.v = r->holes;
    a.uv_indices.v = r->uv_indices;
    a.vertex_ids.v = r->vertex_ids;
    a.face_ids.v = r->face_ids;
    for (int i = 0; i < m->n_primvars; i++) {
        if (m->primvars[i].indices)
            a.primvars[i].indices.v = r->primvars[i];
        else if (r->primvars[i])
            a.primvars[i].values = r->primvars[i];
    }
    int rc = mesh_build(&a, out, err);
    if (!rc)
        memcpy((*out)->name, m->name, sizeof m->name);
    return rc;
}

int mesh_reorder(const struct mesh *m, struct mesh **out, int64_t bandwidth[2], struct sdd_error *err)
{
    struct sdd_mesh_desc desc;
    struct sdd_order order = {0};
    struct rows r = {0};
    *out = NULL;
    mesh_desc(m, &desc);
    int rc = mesh_check_indices(m, err);
    if (!rc)
        rc = sdd_order_rcm(&desc, &order, err);
    if (!rc)
        rc = rows_init(&r, m, err);
    if (!rc) {
        move(&r, m, &order);
        for (int i = 0; i < m->n_primvars && !rc; i++)
            rc = move_primvar(&r, m, &order, i, err);
    }
    if (!rc)
        rc = build(&r, m, out, err);
    bandwidth[0] = order.bandwidth_before;
    bandwidth[1] = order.bandwidth_after;
    rows_fini(&r);
    sdd_order_free(&order);
    return rc;
}
