/* SPDX-License-Identifier: Apache-2.0 */
/* near.c: finds the corners at the vertices that a batch is about, for all that comes after its edits. */
#include "server/mesh/edits/close.h"

static void want(struct edit_work *w, struct edit_wanted *x, uint64_t vertex)
{
    const int32_t v = (int32_t)vertex;
    w->vertex_state[v] |= VERTEX_NEAR;
    x->low = v < x->low ? v : x->low;
    x->high = v > x->high ? v : x->high;
}

/* Creases of removed faces may have lost their last one. */
static void want_creases(struct edit_work *w, struct edit_wanted *x)
{
    for (int64_t i = 0; i < w->creases.n; i++)
        want(w, x, w->creases.v[i].key >> 32);
    for (int64_t i = 0; i < w->dead_faces.n && (w->old->n_creases || w->creases.n); i++) {
        const int64_t f = w->dead_faces.v[i], first = edits_first(w, f), end = edits_end(w, f);
        for (int64_t c = first; c < end; c++) {
            const uint64_t edge = mesh_row_edge(w->corners[c], w->corners[c + 1 < end ? c + 1 : first]);
            if (edits_edge_sharpness(w->old, edge) > 0)
                want(w, x, edge >> 32);
        }
    }
}

static void want_values(struct edit_work *w, const struct edit_channel *ch, struct edit_wanted *x)
{
    for (int64_t i = 0; i < ch->set.n; i++)
        for (int64_t c = edits_first(w, ch->set.v[i]), end = edits_end(w, ch->set.v[i]); c < end; c++)
            if (edits_face_live(w, ch->set.v[i]) && ch->of[c] >= ch->n_old)
                want(w, x, (uint64_t)w->corners[c]);
}

int edits_list_near(struct edit_work *w, struct sdd_error *err)
{
    struct edit_wanted x = {INT32_MAX, -1, w->vertex_state, VERTEX_NEAR};
    struct edit_channel *ch;
    int rc = SDD_OK;
    edits_tags_sort(&w->tags);
    for (int at = 0; (ch = edits_next_channel(w, &at)) != NULL && !rc;) {
        rc = edits_channel_faces(w, ch, err);
        if (!rc)
            want_values(w, ch, &x);
    }
    want_creases(w, &x);
    for (int64_t i = 0; i < w->dead_vertices.n; i++)
        want(w, &x, (uint64_t)w->dead_vertices.v[i]);
    for (int64_t i = 0; i < w->tags.n; i++)
        if (w->tags.v[i].sharpness != edits_vertex_sharpness(w->old, (int32_t)w->tags.v[i].key))
            want(w, &x, w->tags.v[i].key);
    if (rc || x.high < 0)
        return rc;
    return edits_scan(w->corners, 0, w->n_corners, &x, &w->near, err);
}
