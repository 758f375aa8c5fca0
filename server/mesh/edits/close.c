/* SPDX-License-Identifier: Apache-2.0 */
/* close.c: makes the new mesh and its delta of the working copy to which apply.c has applied all edits. It checks what
 * only the whole batch can decide, drops what was removed, and closes up the rows. */
#include "server/base/shared.h"
#include "server/mesh/edits/close.h"
#include <stdlib.h>
#include <string.h>

static int check_vertices(const struct edit_work *w, struct sdd_error *err)
{
    for (int64_t i = 0, f = 0, first = 0; i < w->near.n && w->dead_vertices.n; i++) {
        const int32_t v = w->corners[w->near.v[i]];
        if (!(w->vertex_state[v] & VERTEX_DEAD))
            continue;
        edits_seek(w, w->near.v[i], &f, &first);
        if (edits_face_live(w, f))
            return sdd_fail(err, SDD_EMESH, "edits", "vertex %d is removed but face %d uses it", w->vertex_ids[v],
                            w->face_ids[f]);
    }
    return SDD_OK;
}

/* Checks that either all faces have UVs or none has. Faces of a mesh with UVs have some unless the batch added them. */
static int check_uvs(struct edit_work *w, struct sdd_error *err)
{
    int64_t with = -1, without = -1, c = w->n_corners;
    if (!w->st.of)
        return SDD_OK;
    for (int64_t f = w->n_faces - 1; f >= 0 && (with < 0 || without < 0); f--) {
        c -= w->face_counts[f];
        if (edits_face_live(w, f) && w->face_counts[f])
            *(w->st.of[c] < 0 ? &without : &with) = f;
        if (w->old->n_uvs && with >= 0 && f <= w->n_old_faces)
            break;
    }
    if (with < 0)
        w->st.n_values = 0;
    return with >= 0 && without >= 0 ? sdd_fail(err, SDD_EMESH, "st", "face %d has no UVs but face %d has",
                                                w->face_ids[without], w->face_ids[with])
                                     : SDD_OK;
}

/* Checks the batch as a whole, and finds out what it leaves of tags and values. */
static int settle(struct edit_work *w, struct sdd_error *err)
{
    struct edit_channel *ch;
    int rc = check_vertices(w, err);
    if (!rc)
        rc = edits_tags_settle(w, err);
    if (!rc)
        rc = check_uvs(w, err);
    for (int at = 0; !rc && (ch = edits_next_channel(w, &at)) != NULL;)
        rc = edits_channel_settle(w, ch, err);
    return rc ? rc : edits_primvars_count(w, err);
}

/* ---- closing up ---- */
struct gaps {
    struct edit_gaps vertices, faces, corners;
};

static int gaps_init(struct gaps *g, const struct edit_work *w, struct sdd_error *err)
{
    *g = (struct gaps){0};
    int rc = edits_gaps(w, &w->dead_vertices, false, &g->vertices, err);
    if (!rc)
        rc = edits_gaps(w, &w->dead_faces, false, &g->faces, err);
    return rc ? rc : edits_gaps(w, &w->dead_faces, true, &g->corners, err);
}

static void gaps_fini(struct gaps *g)
{
    free(g->vertices.v);
    free(g->faces.v);
    free(g->corners.v);
}

/* Moves an array of the working copy, which `from` points to, into the new mesh. */
static void give(void *to, void *from)
{
    memcpy(to, from, sizeof(void *));
    memset(from, 0, sizeof(void *));
}

static int close_uvs(struct edit_work *w, const struct gaps *g, struct mesh *to, struct sdd_error *err)
{
    if (!w->st.n_values) {
        to->uvs = mesh_array(0, 2 * sizeof(float), err);
        return to->uvs ? SDD_OK : SDD_ENO_MEMORY;
    }
    int rc = edits_channel_close(w, &w->st, &g->corners, err);
    if (rc)
        return rc;
    to->n_uvs = w->st.n_values - w->st.removed.n;
    give(&to->uvs, &w->st.values);
    give(&to->uv_indices, &w->st.of);
    return SDD_OK;
}

static int close_arrays(struct edit_work *w, const struct gaps *g, struct mesh *to, struct sdd_error *err)
{
    to->n_vertices = w->n_vertices - w->dead_vertices.n;
    to->n_faces = w->n_faces - w->dead_faces.n;
    to->n_corners = w->n_corners - g->corners.rows;
    int rc = edits_tags_close(w, to, err);
    if (!rc)
        rc = edits_primvars_close(w, &g->vertices, &g->faces, &g->corners, to, err);
    if (!rc)
        rc = close_uvs(w, g, to, err);
    if (!rc)
        rc = edits_close_rows(&w->vertex_ids, w->n_vertices, sizeof *w->vertex_ids, &g->vertices, err);
    if (!rc)
        rc = edits_close_rows(&w->points, w->n_vertices, 3 * sizeof *w->points, &g->vertices, err);
    if (!rc)
        rc = edits_close_rows(&w->face_ids, w->n_faces, sizeof *w->face_ids, &g->faces, err);
    if (!rc)
        rc = edits_close_rows(&w->face_counts, w->n_faces, sizeof *w->face_counts, &g->faces, err);
    if (!rc)
        rc = edits_close_indices(&w->corners, w->n_corners, &g->corners, &w->dead_vertices, err);
    if (rc)
        return rc;
    give(&to->vertex_ids, &w->vertex_ids);
    give(&to->points, &w->points);
    give(&to->face_ids, &w->face_ids);
    give(&to->face_counts, &w->face_counts);
    give(&to->face_vertices, &w->corners);
    return SDD_OK;
}

static int build(struct edit_work *w, struct mesh **out, struct sdd_error *err)
{
    struct gaps g;
    struct mesh *to = calloc(1, sizeof *to);
    if (!to)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh");
    memcpy(to->name, w->old->name, sizeof to->name);
    to->options = w->old->options;
    to->stage = w->old->stage;
    to->next_vertex_id = w->next_vertex_id;
    to->next_face_id = w->next_face_id;
    to->vertex_ids_ascend = w->old->vertex_ids_ascend;
    to->face_ids_ascend = w->old->face_ids_ascend;
    to->is_checked = true;
    int rc = gaps_init(&g, w, err);
    if (!rc)
        rc = close_arrays(w, &g, to, err);
    gaps_fini(&g);
    mesh_seal(to);
    if (rc)
        mesh_free(to);
    else
        *out = to;
    return rc;
}

/* Completes the delta. */
static int close_delta(struct edit_work *w, const struct mesh *to, struct mesh_delta *delta, struct sdd_error *err)
{
    int rc = to->n_uvs ? edits_channel_delta(&w->st, w->old->n_uvs ? 0 : SDD_NO_ROW, delta, err) : SDD_OK;
    if (!rc)
        rc = edits_primvars_delta(w, to, delta, err);
    return rc ? rc : edits_delta(w, delta, err);
}

int edits_close_up(struct edit_work *w, struct mesh **out, struct mesh_delta *delta, struct sdd_error *err)
{
    *out = NULL;
    int rc = settle(w, err);
    if (!rc)
        rc = edits_list_dirty(w, err);
    if (!rc)
        rc = build(w, out, err);
    return rc ? rc : close_delta(w, *out, delta, err);
}
