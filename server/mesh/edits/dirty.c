/* SPDX-License-Identifier: Apache-2.0 */
/* dirty.c: lists the rows that a batch leaves dirty, and makes the delta of them. It compares what the batch has set
 * with what the old mesh has, so a row that was set to its old value is clean. */
#include "server/mesh/edits/close.h"
#include <stdlib.h>
#include <string.h>

static int dirty_vertex(struct edit_work *w, uint64_t v, struct sdd_error *err)
{
    if (w->vertex_state[v] & (VERTEX_DEAD | VERTEX_DIRTY))
        return SDD_OK;
    w->vertex_state[v] |= VERTEX_DIRTY;
    return edits_add(&w->dirty_vertices, (int32_t)v, err);
}

static int dirty_face(struct edit_work *w, int64_t f, struct sdd_error *err)
{
    if (w->face_state[f] & (FACE_DEAD | FACE_DIRTY))
        return SDD_OK;
    w->face_state[f] |= FACE_DIRTY;
    return edits_add(&w->dirty_faces, (int32_t)f, err);
}

static bool edge_changed(const struct edit_work *w, uint64_t edge)
{
    const struct mesh_row *r = mesh_row_find(w->creases.v, w->creases.n, edge);
    return r && r->sharpness != edits_edge_sharpness(w->old, edge);
}

/* Whether the edge of which v is the lower end has changed; the others are looked at where their lower end is. */
static bool edge_at_changed(const struct edit_work *w, int32_t v, int32_t beside)
{
    return (w->vertex_state[v] & VERTEX_SHARP) && v <= beside && edge_changed(w, mesh_row_edge(v, beside));
}

/* Marks the vertices whose sharpness, or that of an edge at them, has changed. */
static int mark_tags(struct edit_work *w, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t i = 0; i < w->creases.n && !rc; i++) {
        const uint64_t a = w->creases.v[i].key >> 32, b = w->creases.v[i].key & UINT32_MAX;
        if (!edge_changed(w, w->creases.v[i].key))
            continue;
        w->vertex_state[a] |= VERTEX_SHARP;
        rc = dirty_vertex(w, a, err);
        if (!rc)
            rc = dirty_vertex(w, b, err);
    }
    for (int64_t i = 0; i < w->tags.n && !rc; i++) {
        const uint64_t v = w->tags.v[i].key;
        if (w->tags.v[i].sharpness == edits_vertex_sharpness(w->old, (int32_t)v))
            continue;
        w->vertex_state[v] |= VERTEX_TAG;
        rc = dirty_vertex(w, v, err);
    }
    return rc;
}

/* Lists the faces at these vertices and edges. */
static int list_tagged(struct edit_work *w, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t i = 0, f = 0, first = 0; i < w->near.n && !rc; i++) {
        const int64_t c = w->near.v[i];
        const int32_t v = w->corners[c];
        if (!(w->vertex_state[v] & (VERTEX_TAG | VERTEX_SHARP)))
            continue;
        edits_seek(w, c, &f, &first);
        const int64_t end = first + w->face_counts[f];
        if ((w->vertex_state[v] & VERTEX_TAG) || edge_at_changed(w, v, w->corners[c + 1 < end ? c + 1 : first]) ||
            edge_at_changed(w, v, w->corners[c > first ? c - 1 : end - 1]))
            rc = dirty_face(w, f, err);
    }
    return rc;
}

/* Lists the faces whose corners name other values than before in a channel that the old mesh had. */
static int list_mapped(struct edit_work *w, const struct edit_channel *ch, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t i = 0; i < ch->set.n && ch->set.v[i] < w->n_old_faces && !rc; i++) {
        const int64_t f = ch->set.v[i], first = edits_first(w, f);
        if (memcmp(ch->of + first, ch->old_of + first, (size_t)w->face_counts[f] * sizeof *ch->of) != 0)
            rc = dirty_face(w, f, err);
    }
    return rc;
}

/* Lists the vertices around a face. */
static int list_around(struct edit_work *w, int64_t f, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t c = edits_first(w, f), end = edits_end(w, f); c < end && !rc; c++)
        rc = dirty_vertex(w, (uint64_t)w->corners[c], err);
    return rc;
}

int edits_list_dirty(struct edit_work *w, struct sdd_error *err)
{
    struct edit_channel *ch;
    int rc = mark_tags(w, err);
    if (!rc)
        rc = list_tagged(w, err);
    for (int at = 0; !rc && (ch = edits_next_channel(w, &at)) != NULL;)
        if (ch->n_old)
            rc = list_mapped(w, ch, err);
    for (int64_t i = 0; i < w->hole_faces.n && !rc; i++) {
        const int32_t f = w->hole_faces.v[i];
        if (!(w->face_state[f] & FACE_HOLE) == edits_is_hole(w->old, f))
            rc = dirty_face(w, f, err);
    }
    for (int64_t f = w->n_old_faces; f < w->n_faces && !rc; f++)
        rc = dirty_face(w, f, err);
    for (int64_t v = w->n_old_vertices; v < w->n_vertices && !rc; v++)
        rc = dirty_vertex(w, (uint64_t)v, err);
    for (int64_t i = 0; i < w->dirty_faces.n && !rc; i++)
        rc = list_around(w, w->dirty_faces.v[i], err);
    for (int64_t i = 0; i < w->dead_faces.n && !rc; i++)
        if (w->dead_faces.v[i] < w->n_old_faces)
            rc = list_around(w, w->dead_faces.v[i], err);
    if (rc)
        return rc;
    edits_list_marked(&w->dirty_vertices, w->vertex_state, VERTEX_DIRTY, w->n_vertices);
    edits_list_marked(&w->dirty_faces, w->face_state, FACE_DIRTY, w->n_faces);
    edits_list_marked(&w->dead_vertices, w->vertex_state, VERTEX_DEAD, w->n_vertices);
    edits_list_marked(&w->dead_faces, w->face_state, FACE_DEAD, w->n_faces);
    return SDD_OK;
}

/* Moves the dirty rows of a kind into the delta, as rows of the new mesh. */
static int give_dirty(struct ints *dirty, const struct ints *dead, int32_t **rows, int64_t *n, struct sdd_error *err)
{
    edits_shift_rows(dirty->v, dirty->n, dead);
    *n = dirty->n;
    *rows = dirty->v ? dirty->v : mesh_alloc(0, sizeof **rows, err);
    dirty->v = NULL;
    return *rows ? SDD_OK : SDD_ENO_MEMORY;
}

int edits_delta(struct edit_work *w, struct mesh_delta *d, struct sdd_error *err)
{
    d->n_old_vertices = w->n_old_vertices;
    d->n_old_faces = w->n_old_faces;
    int rc = give_dirty(&w->dirty_vertices, &w->dead_vertices, &d->dirty_vertices, &d->n_dirty_vertices, err);
    if (!rc)
        rc = give_dirty(&w->dirty_faces, &w->dead_faces, &d->dirty_faces, &d->n_dirty_faces, err);
    if (!rc)
        rc = mesh_rows_delta(&d->vertices, w->n_old_vertices, w->n_vertices, w->dead_vertices.v, w->dead_vertices.n,
                             err);
    if (!rc)
        rc = mesh_rows_delta(&d->faces, w->n_old_faces, w->n_faces, w->dead_faces.v, w->dead_faces.n, err);
    return rc;
}
