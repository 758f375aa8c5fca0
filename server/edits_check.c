/* SPDX-License-Identifier: Apache-2.0 */
/* edits_check.c: what the compute library would refuse of what a batch touched, said in the client's ids: the library
 * knows rows alone. Whatever else it finds it still refuses itself. */
#include "server/edits_work.h"
#include <math.h>
#include <stdlib.h>

enum { ALONG = 1, AGAINST = 2, REMOVED = 4 }; /* which faces an edge was seen in, kept in its row's order */

int32_t edits_vertex_name(const struct edit_work *w, int64_t row)
{
    return row < w->n_old_vertices ? w->vertex_ids[row] : (int32_t)(w->n_old_vertices - 1 - row);
}

int32_t edits_face_name(const struct edit_work *w, int64_t row)
{
    return row < w->n_old_faces ? w->face_ids[row] : (int32_t)(w->n_old_faces - 1 - row);
}

int edits_check_points(const struct edit_work *w, const struct edit *e, int64_t row, struct sdd_error *err)
{
    for (int64_t i = 0; i < e->n; i++) {
        const float *p = e->values + 3 * i;
        if (fabsf(p[0]) <= SDD_MAX_COORDINATE && fabsf(p[1]) <= SDD_MAX_COORDINATE && fabsf(p[2]) <= SDD_MAX_COORDINATE)
            continue;
        return sdd_fail(err, SDD_EMESH, "points",
                        "edits[%lld]: vertex %d is at (%g, %g, %g); coordinates must be finite and within +-%g",
                        (long long)w->edit, e->ids ? e->ids[i] : edits_vertex_name(w, row + i), (double)p[0],
                        (double)p[1], (double)p[2], (double)SDD_MAX_COORDINATE);
    }
    return SDD_OK;
}

int edits_check_face(struct edit_work *w, int64_t f, struct sdd_error *err)
{
    int32_t n = w->face_counts[f], *corners = w->corners + w->face_first[f];
    int64_t twice = -1;
    if (n < 3 || n > SDD_MAX_FACE_SIZE)
        return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "edits[%lld]: face %d has %d corners; 3 to %d are allowed",
                        (long long)w->edit, edits_face_name(w, f), n, SDD_MAX_FACE_SIZE);
    for (int32_t k = 0; k < n; k++) {
        if (w->vertex_state[corners[k]] & VERTEX_SEEN)
            twice = corners[k];
        w->vertex_state[corners[k]] |= VERTEX_SEEN;
    }
    for (int32_t k = 0; k < n; k++)
        w->vertex_state[corners[k]] &= (unsigned char)~VERTEX_SEEN;
    if (twice < 0)
        return SDD_OK;
    return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "edits[%lld]: face %d uses vertex %d more than once",
                    (long long)w->edit, edits_face_name(w, f), edits_vertex_name(w, twice));
}

static uint64_t edge_after(const struct edit_work *w, int64_t f, int64_t c, bool *along)
{
    int32_t u = w->corners[c], v = w->corners[c + 1 < w->face_first[f + 1] ? c + 1 : w->face_first[f]];
    *along = u < v;
    return mesh_row_edge(u, v);
}

/* The edges of the creases and faces that the batch has added, and marks on their ends. */
static int64_t list_edges(struct edit_work *w, struct mesh_row *rows)
{
    int64_t n = 0;
    bool along;
    for (int64_t i = w->n_old_creases; i < w->n_creases; i++)
        if (w->creases[i].sharpness > 0)
            rows[n++].key = w->creases[i].key;
    for (int64_t f = w->n_old_faces; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; c < w->face_first[f + 1]; c++)
            rows[n++].key = edge_after(w, f, c, &along);
    for (int64_t i = 0; i < n; i++) {
        rows[i].order = (uint32_t)i;
        rows[i].sharpness = 1;
        w->vertex_state[rows[i].key >> 32] |= VERTEX_EDGE;
        w->vertex_state[rows[i].key & UINT32_MAX] |= VERTEX_EDGE;
    }
    n = mesh_rows_clean(rows, n);
    for (int64_t i = 0; i < n; i++)
        rows[i].order = 0;
    return n;
}

/* Notes how the faces use the edges; no edge may be used twice in one direction. */
static int walk_faces(const struct edit_work *w, struct mesh_row *rows, int64_t n, struct sdd_error *err)
{
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; c < w->face_first[f + 1]; c++) {
            bool along, dead = w->face_state[f] & FACE_DEAD;
            if (!(w->vertex_state[w->corners[c]] & VERTEX_EDGE))
                continue;
            struct mesh_row *r = mesh_row_find(rows, n, edge_after(w, f, c, &along));
            uint32_t use = dead ? REMOVED : along ? ALONG : AGAINST;
            if (r && !dead && r->order & use)
                return sdd_fail(err, SDD_EMESH, "faceVertexIndices",
                                "face %d: edge (%d, %d) is not manifold: more than two faces use it, or two in the "
                                "same direction; engine edge-friend needs manifold meshes",
                                edits_face_name(w, f), edits_vertex_name(w, (int64_t)(r->key >> 32)),
                                edits_vertex_name(w, (int64_t)(r->key & UINT32_MAX)));
            if (r)
                r->order |= use;
        }
    return SDD_OK;
}

/* Index of the edit that made the k-th new crease. */
static int64_t edit_of_crease(const struct edit_batch *b, int64_t k)
{
    int64_t i = 0;
    for (; b->edits[i].op != EDIT_SET_CREASES || k >= b->edits[i].n; i++)
        k -= b->edits[i].op == EDIT_SET_CREASES ? b->edits[i].n : 0;
    return i;
}

static int check_creases(const struct edit_work *w, const struct edit_batch *b, struct mesh_row *rows, int64_t n,
                         struct sdd_error *err)
{
    for (int64_t i = w->n_old_creases; i < w->n_creases; i++) {
        uint64_t key = w->creases[i].key;
        const struct mesh_row *r = w->creases[i].sharpness > 0 ? mesh_row_find(rows, n, key) : NULL;
        if (r && !r->order) /* where a removed face had it, the crease goes with the face */
            return sdd_fail(err, SDD_EMESH, "edges", "edits[%lld]: crease (%d, %d) names an edge that no face has",
                            (long long)edit_of_crease(b, i - w->n_old_creases),
                            edits_vertex_name(w, (int64_t)(key >> 32)),
                            edits_vertex_name(w, (int64_t)(key & UINT32_MAX)));
    }
    return SDD_OK;
}

int edits_check_edges(struct edit_work *w, const struct edit_batch *b, struct sdd_error *err)
{
    int64_t n = w->n_creases - w->n_old_creases + w->n_corners - w->n_old_corners;
    if (!n)
        return SDD_OK;
    struct mesh_row *rows = mesh_alloc(n, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    n = list_edges(w, rows);
    int rc = walk_faces(w, rows, n, err);
    if (!rc)
        rc = check_creases(w, b, rows, n, err);
    free(rows);
    return rc;
}
