/* SPDX-License-Identifier: Apache-2.0 */
/* faces.c: splits, pokes and reverses faces, one at a time. triangulate.c has the other one. */
#include "server/mesh/edits/modelling.h"

int32_t faces_find(struct modelling *m, int64_t at)
{
    int64_t row = 0;
    m->rc = edits_find_face(m->w, m->e->ids[at], &row, m->err);
    return m->rc ? -1 : (int32_t)row;
}

void faces_arc(struct modelling *m, int32_t from, int32_t to)
{
    draft_face(m, view_face(m, from), -1);
    for (int32_t c = from;; c = view_next(m, c)) {
        draft_corner(m, view_vertex(m, c), c);
        if (c == to)
            return;
    }
}

/* The corner of face f at the vertex that the edit names by id, or -1 after an error. */
static int32_t corner_at(struct modelling *m, int32_t f, int32_t id)
{
    int64_t row = 0;
    m->rc = edits_find_vertex(m->w, id, &row, m->err);
    for (int64_t c = edits_first(m->w, f), end = edits_end(m->w, f); c < end && !m->rc; c++)
        if (m->w->corners[c] == row)
            return (int32_t)c;
    (void)modelling_fail(m, "face %d has no corner at vertex %d", face_id(m, f), id);
    return -1;
}

int64_t faces_split(struct modelling *m, int64_t at)
{
    const int32_t *ids = m->e->counts + 2 * at;
    int32_t f = faces_find(m, at);
    if (m->rc)
        return 1;
    int32_t a = corner_at(m, f, ids[0]), b = m->rc ? -1 : corner_at(m, f, ids[1]);
    if (m->rc)
        return 1;
    if (a == b || view_next(m, a) == b || view_next(m, b) == a)
        (void)modelling_fail(m,
                             "vertices %d and %d are next to each other in face %d, which leaves a face of two corners",
                             ids[0], ids[1], face_id(m, f));
    else if (view_edge(m, view_vertex(m, a), view_vertex(m, b)))
        (void)modelling_fail(m, "(%d, %d) is an edge already", ids[0], ids[1]);
    if (m->rc)
        return 1;
    faces_arc(m, a, b);
    faces_arc(m, b, a);
    ints_add(m, &m->draft.removed_faces, f);
    return 1;
}

int64_t faces_poke(struct modelling *m, int64_t at)
{
    int32_t f = faces_find(m, at);
    if (m->rc)
        return 1;
    const struct edit_work *w = m->w;
    float weight = 1 / (float)w->face_counts[f];
    int32_t point = mix_begin(m, &m->draft.vertex_mixes), values = mix_begin(m, &m->draft.corner_mixes);
    for (int64_t c = edits_first(w, f), end = edits_end(w, f); c < end; c++) {
        mix_add(m, &m->draft.vertex_mixes, w->corners[c], weight);
        mix_add(m, &m->draft.corner_mixes, (int32_t)c, weight);
    }
    int32_t v = draft_vertex(m, point);
    for (int64_t c = edits_first(w, f), end = edits_end(w, f); c < end; c++) {
        int32_t next = view_next(m, (int32_t)c);
        draft_face(m, f, -1);
        draft_corner(m, w->corners[c], (int32_t)c);
        draft_corner(m, w->corners[next], next);
        draft_corner_mix(m, v, values);
    }
    ints_add(m, &m->draft.removed_faces, f);
    return 1;
}

int64_t faces_reverse(struct modelling *m, int64_t at)
{
    int32_t f = faces_find(m, at);
    if (m->rc)
        return 1;
    int32_t first = (int32_t)edits_first(m->w, f);
    draft_face(m, f, -1);
    for (int32_t c = first, i = 0; i < m->w->face_counts[f]; c = view_prev(m, c), i++)
        draft_corner(m, view_vertex(m, c), c);
    ints_add(m, &m->draft.removed_faces, f);
    return 1;
}
