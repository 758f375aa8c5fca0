/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: refuses what the compute library would refuse of a batch's points, faces and creases, for apply.c. The
 * library knows only rows, while these errors name elements by the ids that the client knows. Everything else is left
 * to the library. */
#include "server/mesh/edits/close.h"
#include <math.h>
#include <stdlib.h>

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

int edits_check_face(const struct edit_work *w, int64_t f, struct sdd_error *err)
{
    int32_t n = w->face_counts[f];
    if (n == 3 || (n > 3 && n <= SDD_MAX_FACE_SIZE && !w->triangles))
        return SDD_OK;
    if (w->triangles)
        return sdd_fail(err, SDD_EMESH, "faceVertexCounts",
                        "edits[%lld]: face %d has %d corners; scheme %s takes triangles alone", (long long)w->edit,
                        edits_face_name(w, f), n, w->triangles);
    return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "edits[%lld]: face %d has %d corners; 3 to %d are allowed",
                    (long long)w->edit, edits_face_name(w, f), n, SDD_MAX_FACE_SIZE);
}

/* Lists the edges of the creases that the batch has added, and marks their lower ends. The `order` of each row is 0,
 * for look_near to set when a face has the edge. */
static int64_t list_edges(struct edit_work *w, struct mesh_row *rows)
{
    int64_t n = 0;
    for (int64_t i = 0; i < w->creases.n; i++) {
        uint64_t key = w->creases.v[i].key;
        if (w->creases.v[i].sharpness <= 0)
            continue;
        rows[n++] = (struct mesh_row){key, (uint32_t)i, 1};
        w->vertex_state[key >> 32] |= VERTEX_EDGE;
    }
    n = mesh_rows_clean(rows, n);
    for (int64_t i = 0; i < n; i++)
        rows[i].order = 0;
    return n;
}

/* Marks the listed edges that a face has. Removed faces count too: a crease along such a face is not an error, as
 * close.c drops it. */
static void look_near(const struct edit_work *w, struct mesh_row *rows, int64_t n)
{
    for (int64_t i = 0, f = 0, first = 0; i < w->near.n; i++) {
        const int64_t c = w->near.v[i];
        const int32_t v = w->corners[c];
        if (!(w->vertex_state[v] & VERTEX_EDGE))
            continue;
        edits_seek(w, c, &f, &first);
        const int64_t end = first + w->face_counts[f];
        const int32_t beside[] = {w->corners[c + 1 < end ? c + 1 : first], w->corners[c > first ? c - 1 : end - 1]};
        for (int k = 0; k < 2; k++) {
            struct mesh_row *r = v <= beside[k] ? mesh_row_find(rows, n, mesh_row_edge(v, beside[k])) : NULL;
            if (r)
                r->order = 1;
        }
    }
}

int edits_check_creases(struct edit_work *w, struct sdd_error *err)
{
    if (!w->creases.n)
        return SDD_OK;
    struct mesh_row *rows = mesh_alloc(w->creases.n, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    int64_t n = list_edges(w, rows);
    int rc = SDD_OK;
    look_near(w, rows, n);
    for (int64_t i = 0; i < w->creases.n && !rc; i++) {
        uint64_t key = w->creases.v[i].key;
        const struct mesh_row *r = w->creases.v[i].sharpness > 0 ? mesh_row_find(rows, n, key) : NULL;
        if (r && !r->order)
            rc = sdd_fail(err, SDD_EMESH, "edges", "edits[%lld]: crease (%d, %d) names an edge that no face has",
                          (long long)w->crease_edits.v[i], edits_vertex_name(w, (int64_t)(key >> 32)),
                          edits_vertex_name(w, (int64_t)(key & UINT32_MAX)));
    }
    free(rows);
    return rc;
}
