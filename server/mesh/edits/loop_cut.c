/* SPDX-License-Identifier: Apache-2.0 */
/* loop_cut.c: cuts a strip of quads lengthwise. From the edge that the edit names, the cut goes through the quads on
 * both sides to their opposite edges, and on. It ends where it comes back, at a boundary, at an edge of more than two
 * faces, at a face of another number of corners, and at a face that it has cut already; the face at which it ends gets
 * one more corner. */
#include "server/mesh/edits/modelling.h"

/* The edges that are cut: the pairs of vertices in m->list, the new vertex of each, and the table from edge to pair.
 * Faces that are cut have the mark, and as slot the place of their two edges in m->other. */
struct cut {
    int32_t mark;
    float t;
    struct edge_map of;
};

static int32_t add_edge(struct modelling *m, struct cut *k, int32_t a, int32_t b)
{
    uint32_t *place = edge_map_put(m, &k->of, mesh_row_edge(a, b));
    int32_t i = (int32_t)(m->list.n / 2);
    if (!place)
        return i;
    *place = (uint32_t)i;
    ints_add(m, &m->list, a);
    ints_add(m, &m->list, b);
    int32_t v = draft_vertex(m, mix_two(m, &m->draft.vertex_mixes, a, b, k->t));
    draft_crease(m, a, v, view_crease(m, a, b));
    draft_crease(m, v, b, view_crease(m, a, b));
    return i;
}

/* Goes on from edge i, over the face of corner c, which is at that edge. */
static void walk(struct modelling *m, struct cut *k, int32_t c, int32_t i)
{
    while (!m->rc) {
        int32_t f = view_face(m, c);
        if (m->w->face_counts[f] != 4 || m->view.face_mark[f] == k->mark)
            return;
        int32_t far = view_next(m, view_next(m, c)), behind = view_next(m, far);
        bool forward = view_vertex(m, c) == m->list.v[2 * i];
        int32_t a = view_vertex(m, forward ? behind : far), b = view_vertex(m, forward ? far : behind);
        const uint32_t *known = edge_map_get(&k->of, mesh_row_edge(a, b));
        if (a == b || (known && *known == (uint32_t)i))
            return; /* The quad is folded, and has this edge twice. */
        int32_t j = known ? (int32_t)*known : add_edge(m, k, a, b);
        m->view.face_mark[f] = k->mark;
        m->view.face_slot[f] = (int32_t)m->other.n;
        ints_add(m, &m->other, i);
        ints_add(m, &m->other, j);
        if (known || view_edge(m, a, b) != 2)
            return;
        c = m->at_edge.v[view_face(m, m->at_edge.v[0]) == f ? 1 : 0];
        i = j;
    }
}

/* ---- faces ---- */
/* Drafts the corners of the face of c from a cut edge, or from c itself when `from` is -1, to edge `to`. With the cut
 * vertices in between, it goes round once. */
static void draft_side(struct modelling *m, const struct cut *k, int32_t start, int32_t from, int32_t to)
{
    int32_t f = view_face(m, start), c = start;
    bool on = from < 0;
    draft_face(m, f, -1);
    for (int32_t i = 0; i < 2 * m->w->face_counts[f] && !m->rc; i++, c = view_next(m, c)) {
        int32_t next = view_next(m, c), a = view_vertex(m, c);
        const uint32_t *place = edge_map_get(&k->of, mesh_row_edge(a, view_vertex(m, next)));
        int32_t e = place ? (int32_t)*place : -1;
        if (from < 0 && i == m->w->face_counts[f])
            return;
        if (on)
            draft_corner(m, a, c);
        if (e < 0 || (!on && e != from))
            continue;
        bool forward = a == m->list.v[2 * e], ends = on && e == to;
        on = true;
        draft_corner_mix(m, (int32_t)m->w->n_vertices + e,
                         mix_two(m, &m->draft.corner_mixes, forward ? c : next, forward ? next : c, k->t));
        if (ends)
            return;
    }
}

static void draft_cut(struct modelling *m, const struct cut *k)
{
    int32_t seen = view_marks(m, 1);
    m->faces.n = 0;
    for (int64_t i = 0; i < m->list.n / 2 && !m->rc; i++) {
        int64_t n = view_edge(m, m->list.v[2 * i], m->list.v[2 * i + 1]);
        for (int64_t j = 0; j < n; j++) {
            int32_t f = view_face(m, m->at_edge.v[j]);
            if (m->view.face_mark[f] == seen)
                continue;
            m->view.face_slot[f] = m->view.face_mark[f] == k->mark ? m->view.face_slot[f] : -1;
            m->view.face_mark[f] = seen;
            ints_add(m, &m->faces, f);
        }
    }
    edits_sort(&m->faces);
    for (int64_t i = 0; i < m->faces.n && !m->rc; i++) {
        int32_t f = m->faces.v[i], c = (int32_t)edits_first(m->w, f), slot = m->view.face_slot[f];
        ints_add(m, &m->draft.removed_faces, f);
        draft_side(m, k, c, slot < 0 ? -1 : m->other.v[slot], slot < 0 ? -1 : m->other.v[slot + 1]);
        if (slot >= 0)
            draft_side(m, k, c, m->other.v[slot + 1], m->other.v[slot]);
    }
}

int64_t loop_cut(struct modelling *m, int64_t at)
{
    struct cut k = {.mark = view_marks(m, 1), .t = modelling_t(m, at, 0.5F)};
    int32_t a, b;
    m->list.n = m->other.n = 0;
    if (!edges_find(m, at, &a, &b))
        return 1;
    int64_t n = m->at_edge.n;
    const int32_t start[] = {m->at_edge.v[0], m->at_edge.v[n > 1]};
    if (n > 2)
        (void)modelling_fail(m, "edge (%d, %d) has %lld faces; a cut begins at an edge of one or two",
                             m->e->ids[2 * at], m->e->ids[2 * at + 1], (long long)n);
    if (!m->rc)
        (void)add_edge(m, &k, a, b);
    for (int64_t i = 0; i < n && !m->rc; i++)
        walk(m, &k, start[i], 0);
    if (!m->other.n)
        (void)modelling_fail(m, "edge (%d, %d) has no quad that could be cut", m->e->ids[2 * at],
                             m->e->ids[2 * at + 1]);
    draft_cut(m, &k);
    edge_map_fini(&k.of);
    return 1;
}
