/* SPDX-License-Identifier: Apache-2.0 */
/* close.c: makes the new mesh and its delta of the working copy to which apply.c has applied all edits. It drops what
 * was removed, closes up the rows, and checks what only the whole batch can decide. */
#include "server/mesh/edits/work.h"
#include <stdlib.h>
#include <string.h>

static int check_vertices(const struct edit_work *w, struct sdd_error *err)
{
    for (int64_t f = 0; f < w->n_faces && w->removed_vertices; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++)
            if (w->vertex_state[w->corners[c]] & VERTEX_DEAD)
                return sdd_fail(err, SDD_EMESH, "edits", "vertex %d is removed but face %d uses it",
                                w->vertex_ids[w->corners[c]], w->face_ids[f]);
    return SDD_OK;
}

/* ---- creases that lost their last face are dropped ---- */
/* These are kept in the `order` of a crease, which nobody needs once the rows are clean. */
enum { CREASE_KEEP, CREASE_LOST };

static uint64_t face_edge(const struct edit_work *w, int64_t f, int64_t c)
{
    int64_t next = c + 1 < w->face_first[f + 1] ? c + 1 : w->face_first[f];
    return mesh_row_edge(w->corners[c], w->corners[next]);
}

static void mark_ends(struct edit_work *w, uint64_t edge)
{
    w->vertex_state[edge >> 32] |= VERTEX_CREASE;
    w->vertex_state[edge & UINT32_MAX] |= VERTEX_CREASE;
}

/* Marks the creases that lost their last face. It first marks all creases along removed faces as lost, and then keeps
 * those that a live face has too. */
static void mark_creases(struct edit_work *w)
{
    bool any = false;
    for (int64_t i = 0; i < w->n_creases; i++)
        w->creases[i].order = CREASE_KEEP;
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; !edits_face_live(w, f) && c < w->face_first[f + 1]; c++) {
            struct mesh_row *crease = mesh_row_find(w->creases, w->n_creases, face_edge(w, f, c));
            if (!crease)
                continue;
            crease->order = CREASE_LOST;
            mark_ends(w, crease->key);
            any = true;
        }
    for (int64_t f = 0; f < w->n_faces && any; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++) {
            if (!(w->vertex_state[w->corners[c]] & VERTEX_CREASE))
                continue;
            struct mesh_row *crease = mesh_row_find(w->creases, w->n_creases, face_edge(w, f, c));
            if (crease)
                crease->order = CREASE_KEEP;
        }
}

static int close_creases(struct edit_work *w, struct sdd_error *err)
{
    int64_t kept = 0;
    w->n_creases = mesh_rows_clean(w->creases, w->n_creases);
    if (w->removed_faces)
        mark_creases(w);
    for (int64_t i = 0; i < w->n_creases; i++) {
        struct mesh_row r = w->creases[i];
        uint64_t a = r.key >> 32, b = r.key & UINT32_MAX;
        if (w->removed_faces && r.order == CREASE_LOST)
            continue;
        if ((w->vertex_state[a] | w->vertex_state[b]) & VERTEX_DEAD)
            return sdd_fail(err, SDD_EMESH, "edges",
                            "a crease names the edge of vertices %d and %d, one of which is removed", w->vertex_ids[a],
                            w->vertex_ids[b]);
        w->creases[kept++] = r;
    }
    w->n_creases = kept;
    return SDD_OK;
}

static void close_tags(struct edit_work *w)
{
    int64_t n = mesh_rows_clean(w->tags, w->n_tags);
    w->n_tags = 0;
    for (int64_t i = 0; i < n; i++)
        if (!(w->vertex_state[w->tags[i].key] & VERTEX_DEAD))
            w->tags[w->n_tags++] = w->tags[i];
}

/* Checks that either all faces have UVs or none has, and drops the UVs that no corner names. */
static int close_uvs(struct edit_work *w, struct sdd_error *err)
{
    int64_t with = -1, without = -1;
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++)
            *(w->st.of[c] < 0 ? &without : &with) = f;
    if (with < 0)
        w->st.n_values = 0;
    if (with >= 0 && without >= 0)
        return sdd_fail(err, SDD_EMESH, "st", "face %d has no UVs but face %d has", w->face_ids[without],
                        w->face_ids[with]);
    return w->st.n_values ? edits_channel_close(w, &w->st, err) : SDD_OK;
}

/* ---- closing up ---- */
static int64_t move_vertices(struct edit_work *w, int32_t *row_of)
{
    int32_t kept = 0;
    for (int64_t i = 0; i < w->n_vertices; i++) {
        row_of[i] = SDD_NO_ROW;
        if (w->vertex_state[i] & VERTEX_DEAD)
            continue;
        row_of[i] = kept;
        w->vertex_ids[kept] = w->vertex_ids[i];
        memcpy(w->points + 3 * kept, w->points + 3 * i, 3 * sizeof(float));
        kept++;
    }
    return kept;
}

/* Moves live faces and their corners up over removed ones. face_to gets the new row of each face, and holes the new
 * rows of faces that are holes. Returns the number of faces. */
static int64_t move_faces(struct edit_work *w, const int32_t *row_of, int32_t *face_to, int32_t *holes,
                          int64_t *n_holes)
{
    int64_t kept = 0, corner = 0;
    for (int64_t f = 0; f < w->n_faces; f++) {
        face_to[f] = edits_face_live(w, f) ? (int32_t)kept : SDD_NO_ROW;
        if (!edits_face_live(w, f))
            continue;
        for (int64_t c = w->face_first[f]; c < w->face_first[f + 1]; c++, corner++)
            w->corners[corner] = row_of[w->corners[c]];
        if (w->face_state[f] & FACE_HOLE)
            holes[(*n_holes)++] = (int32_t)kept;
        w->face_counts[kept] = w->face_counts[f];
        w->face_ids[kept++] = w->face_ids[f];
    }
    w->n_corners = corner;
    return kept;
}

static int build(struct edit_work *w, const struct mesh *m, int32_t *tag_words, int32_t *holes,
                 const struct mesh_delta *delta, struct mesh **out, struct sdd_error *err)
{
    int32_t *row_of = delta->vertex_to;
    int32_t *edges = tag_words, *vertices = edges + 2 * w->n_creases;
    float *sharp = (float *)(vertices + w->n_tags), *corner_sharp = sharp + w->n_creases;
    int64_t n_holes = 0, n_vertices = move_vertices(w, row_of),
            n_faces = move_faces(w, row_of, delta->face_to, holes, &n_holes);
    for (int64_t i = 0; i < w->n_creases; i++) {
        edges[2 * i] = row_of[w->creases[i].key >> 32];
        edges[2 * i + 1] = row_of[w->creases[i].key & UINT32_MAX];
        sharp[i] = w->creases[i].sharpness;
    }
    for (int64_t i = 0; i < w->n_tags; i++) {
        vertices[i] = row_of[w->tags[i].key];
        corner_sharp[i] = w->tags[i].sharpness;
    }
    struct mesh_arrays a = {
        .options = m->options,
        .stage = m->stage,
        .points = {w->points, 3 * n_vertices},
        .face_counts = {w->face_counts, n_faces},
        .face_vertices = {w->corners, w->n_corners},
        .crease_indices = {edges, 2 * w->n_creases},
        .crease_sharpnesses = {sharp, w->n_creases},
        .crease_pairs = 1,
        .corner_indices = {vertices, w->n_tags},
        .corner_sharpnesses = {corner_sharp, w->n_tags},
        .hole_indices = {holes, n_holes},
        .uvs = {w->st.values, 2 * w->st.n_values},
        .uv_indices = {w->st.of, w->st.n_values ? w->n_corners : 0},
        .vertex_ids = {w->vertex_ids, n_vertices},
        .face_ids = {w->face_ids, n_faces},
        .next_vertex_id = w->next_vertex_id,
        .next_face_id = w->next_face_id,
    };
    edits_primvars_arrays(w, &a);
    int rc = mesh_build(&a, out, err);
    if (!rc)
        memcpy((*out)->name, m->name, sizeof m->name);
    return rc;
}

/* Completes the delta, whose maps of vertices and faces are filled: adds the channels of the new mesh and lists the
 * dirty rows. */
static int close_delta(struct edit_work *w, const struct mesh *m, const struct mesh *to, struct mesh_delta *delta,
                       struct sdd_error *err)
{
    if (to->n_uvs)
        edits_channel_delta(&w->st, m->n_uvs ? 0 : SDD_NO_ROW, delta);
    edits_primvars_delta(w, m, to, delta);
    return mesh_delta_mark(delta, m, to, err);
}

int edits_close_up(struct edit_work *w, const struct mesh *m, struct mesh **out, struct mesh_delta *delta,
                   struct sdd_error *err)
{
    *out = NULL;
    int rc = check_vertices(w, err);
    if (!rc)
        rc = close_creases(w, err);
    if (!rc)
        rc = close_uvs(w, err);
    if (!rc)
        rc = edits_primvars_close(w, err);
    if (rc)
        return rc;
    close_tags(w);
    int32_t *tag_words = mesh_alloc(3 * w->n_creases + 2 * w->n_tags, sizeof *tag_words, err);
    int32_t *holes = mesh_alloc(w->n_faces, sizeof *holes, err);
    /* The maps are longer than the delta needs: behind the old rows they have those that the batch added. */
    delta->n_old_vertices = m->n_vertices;
    delta->n_old_faces = m->n_faces;
    delta->vertex_to = mesh_alloc(w->n_vertices, sizeof *delta->vertex_to, err);
    delta->face_to = mesh_alloc(w->n_faces, sizeof *delta->face_to, err);
    rc = tag_words && holes && delta->vertex_to && delta->face_to ? build(w, m, tag_words, holes, delta, out, err)
                                                                  : SDD_ENO_MEMORY;
    free(tag_words);
    free(holes);
    return rc ? rc : close_delta(w, m, *out, delta, err);
}
