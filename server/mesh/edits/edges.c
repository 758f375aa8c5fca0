/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c: flips and splits edges, one at a time. */
#include "server/mesh/edits/modelling.h"

/* Finds edge `at` of the edit, and lists its corners in m->at_edge. Returns false after an error. */
bool edges_find(struct modelling *m, int64_t at, int32_t *a, int32_t *b)
{
    const int32_t *ids = m->e->ids + 2 * at;
    int64_t row[2] = {0};
    for (int i = 0; i < 2 && !m->rc; i++)
        m->rc = edits_find_vertex(m->w, ids[i], &row[i], m->err);
    *a = (int32_t)row[0];
    *b = (int32_t)row[1];
    if (!m->rc && !view_edge(m, *a, *b))
        (void)modelling_fail(m, "no face has an edge (%d, %d)", ids[0], ids[1]);
    return !m->rc;
}

bool edges_pair(struct modelling *m, int64_t at, int32_t corner[2])
{
    const int32_t *ids = m->e->ids + 2 * at;
    int32_t a, b;
    if (!edges_find(m, at, &a, &b))
        return false;
    if (m->at_edge.n != 2)
        return !modelling_fail(m, "edge (%d, %d) has %lld face%s; it takes an edge of two", ids[0], ids[1],
                               (long long)m->at_edge.n, m->at_edge.n == 1 ? "" : "s");
    int32_t c = m->at_edge.v[0], d = m->at_edge.v[1], f = view_face(m, c), g = view_face(m, d);
    if (f == g)
        return !modelling_fail(m, "face %d is on both sides of edge (%d, %d)", face_id(m, f), ids[0], ids[1]);
    if (view_vertex(m, c) == view_vertex(m, d))
        return !modelling_fail(m, "faces %d and %d have edge (%d, %d) in the same direction; reverse one of them",
                               face_id(m, f), face_id(m, g), ids[0], ids[1]);
    corner[0] = view_vertex(m, c) == a ? c : d;
    corner[1] = view_vertex(m, c) == a ? d : c;
    return true;
}

/* Drafts the face of corner c after the flip: from two corners behind c round to c, and then the corner that the edge
 * gains, which is of the other face. */
static void draft_flipped(struct modelling *m, int32_t c, int32_t gained)
{
    int32_t f = view_face(m, c);
    draft_face(m, f, -1);
    for (int32_t i = view_next(m, view_next(m, c));; i = view_next(m, i)) {
        draft_corner(m, view_vertex(m, i), i);
        if (i == c)
            break;
    }
    draft_corner(m, view_vertex(m, gained), gained);
    ints_add(m, &m->draft.removed_faces, f);
}

int64_t edges_flip(struct modelling *m, int64_t at)
{
    int32_t c[2] = {0};
    if (!edges_pair(m, at, c))
        return 1;
    int32_t x = view_next(m, view_next(m, c[0])), y = view_next(m, view_next(m, c[1]));
    int32_t vx = view_vertex(m, x), vy = view_vertex(m, y);
    if (vx == vy || view_edge(m, vx, vy)) {
        (void)modelling_fail(m, "edge (%d, %d) would become (%d, %d), %s", m->e->ids[2 * at], m->e->ids[2 * at + 1],
                             vertex_id(m, vx), vertex_id(m, vy),
                             vx == vy ? "which is no edge" : "which is an edge already");
        return 1;
    }
    draft_flipped(m, c[0], y);
    draft_flipped(m, c[1], x);
    return 1;
}

/* Whether the edge from corner c on is that of a and b. */
static bool is_edge(const struct modelling *m, int32_t c, int32_t a, int32_t b)
{
    return mesh_row_edge(view_vertex(m, c), view_vertex(m, view_next(m, c))) == mesh_row_edge(a, b);
}

static int32_t mix_at(struct modelling *m, int32_t c, int32_t a, float t)
{
    int32_t next = view_next(m, c);
    bool forward = view_vertex(m, c) == a; /* Both faces add up in the order of the edge, so that there is no seam. */
    return mix_two(m, &m->draft.corner_mixes, forward ? c : next, forward ? next : c, t);
}

/* Drafts a face with the new vertex v wherever it has the edge. */
static void draft_with(struct modelling *m, int32_t f, int32_t a, int32_t b, int32_t v, float t)
{
    draft_face(m, f, -1);
    for (int64_t i = edits_first(m->w, f), end = edits_end(m->w, f); i < end; i++) {
        int32_t c = (int32_t)i;
        draft_corner(m, view_vertex(m, c), c);
        if (is_edge(m, c, a, b))
            draft_corner_mix(m, v, mix_at(m, c, a, t));
    }
}

/* Schemes that take triangles alone get two of each. */
static void draft_triangles(struct modelling *m, int32_t c, int32_t a, int32_t v, float t)
{
    int32_t next = view_next(m, c), opposite = view_next(m, next), mix = mix_at(m, c, a, t), f = view_face(m, c);
    draft_face(m, f, -1);
    draft_corner(m, view_vertex(m, c), c);
    draft_corner_mix(m, v, mix);
    draft_corner(m, view_vertex(m, opposite), opposite);
    draft_face(m, f, -1);
    draft_corner_mix(m, v, mix);
    draft_corner(m, view_vertex(m, next), next);
    draft_corner(m, view_vertex(m, opposite), opposite);
}

int64_t edges_split(struct modelling *m, int64_t at)
{
    int32_t a, b, mark = view_marks(m, 1);
    float t = modelling_t(m, at, 0.5F);
    if (!edges_find(m, at, &a, &b))
        return 1;
    int32_t v = draft_vertex(m, mix_two(m, &m->draft.vertex_mixes, a, b, t));
    for (int64_t i = 0; i < m->at_edge.n; i++) {
        int32_t c = m->at_edge.v[i], f = view_face(m, c);
        if (m->view.face_mark[f] == mark)
            continue;
        m->view.face_mark[f] = mark;
        if (m->w->triangles)
            draft_triangles(m, c, a, v, t);
        else
            draft_with(m, f, a, b, v, t);
        ints_add(m, &m->draft.removed_faces, f);
    }
    draft_crease(m, a, v, view_crease(m, a, b));
    draft_crease(m, v, b, view_crease(m, a, b));
    return 1;
}
