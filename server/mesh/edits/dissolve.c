/* SPDX-License-Identifier: Apache-2.0 */
/* dissolve.c: takes vertices and edges out, and makes one face of the faces around them. */
#include "server/mesh/edits/modelling.h"

/* ---- joining ---- */
/* The faces to join are in m->list and have the mark. A vertex on their common boundary has the mark too, and as slot
 * the corner from which the boundary goes on. */
static bool in_join(const struct modelling *m, int32_t corner, int32_t mark)
{
    return m->view.face_mark[view_face(m, corner)] == mark;
}

/* Whether the edge from corner c on is on the boundary of the faces. */
static bool is_outer(struct modelling *m, int32_t c, int32_t mark)
{
    int32_t a = view_vertex(m, c), b = view_vertex(m, view_next(m, c)), n = 0, other = -1;
    (void)view_edge(m, a, b);
    for (int64_t i = 0; i < m->at_edge.n; i++)
        if (m->at_edge.v[i] != c && in_join(m, m->at_edge.v[i], mark)) {
            other = m->at_edge.v[i];
            n++;
        }
    if (n > 1 || (n == 1 && view_vertex(m, other) == a))
        (void)modelling_fail(m,
                             "edge (%d, %d) has faces that cannot be joined: more than two, or in the same direction",
                             vertex_id(m, a), vertex_id(m, b));
    return n == 0;
}

/* Finds the boundary. Returns how many corners it has; *first gets one of them. */
static int64_t find_boundary(struct modelling *m, int32_t mark, int32_t *first)
{
    int64_t n = 0;
    *first = -1;
    for (int64_t i = 0; i < m->list.n; i++)
        for (int64_t k = edits_first(m->w, m->list.v[i]), end = edits_end(m->w, m->list.v[i]); k < end && !m->rc; k++) {
            int32_t c = (int32_t)k, v = view_vertex(m, c);
            if (!is_outer(m, c, mark))
                continue;
            if (m->view.vertex_mark[v] == mark)
                (void)modelling_fail(m, "the face that is left would have vertex %d twice", vertex_id(m, v));
            m->view.vertex_mark[v] = mark;
            m->view.vertex_slot[v] = c;
            *first = *first < 0 ? c : *first;
            n++;
        }
    return n;
}

/* Vertices that only the joined faces have, and that are not on the boundary, go. */
static void remove_inner(struct modelling *m, int32_t mark)
{
    int32_t seen = view_marks(m, 1);
    for (int64_t i = 0; i < m->list.n && !m->rc; i++)
        for (int64_t k = edits_first(m->w, m->list.v[i]), end = edits_end(m->w, m->list.v[i]); k < end; k++) {
            int32_t v = m->w->corners[k];
            if (m->view.vertex_mark[v] == mark || m->view.vertex_mark[v] == seen)
                continue;
            m->view.vertex_mark[v] = seen;
            int32_t c = view_at(m, v);
            while (c >= 0 && in_join(m, c, mark))
                c = view_after(m, c);
            if (c < 0)
                ints_add(m, &m->draft.removed_vertices, v);
        }
}

/* Drafts one face of those in m->list, without vertex `skip`. */
static void join(struct modelling *m, int32_t mark, int32_t skip)
{
    int32_t first, left = 0;
    int64_t n = find_boundary(m, mark, &first), k = 0;
    if (!m->rc && first < 0)
        (void)modelling_fail(m, "the faces around face %d are closed and would leave no face",
                             face_id(m, m->list.v[0]));
    if (m->rc)
        return;
    draft_face(m, m->list.v[0], -1);
    for (int32_t c = first; k == 0 || c != first;) {
        int32_t v = view_vertex(m, c);
        if (v != skip) {
            draft_corner(m, v, c);
            left++;
        }
        c = m->view.vertex_slot[view_vertex(m, view_next(m, c))];
        k++;
    }
    if (k != n)
        (void)modelling_fail(m, "the face that is left of face %d would have a hole in it", face_id(m, m->list.v[0]));
    if (left < 3)
        (void)modelling_fail(m, "what is left of face %d would have %d corners; a face has three or more",
                             face_id(m, m->list.v[0]), left);
    for (int64_t i = 0; i < m->list.n; i++) {
        ints_add(m, &m->draft.removed_faces, m->list.v[i]);
        if (i == 0)
            continue;
        ints_add(m, &m->draft.joined, (int32_t)m->draft.like.n - 1);
        ints_add(m, &m->draft.joined, m->list.v[i]);
    }
    remove_inner(m, mark);
}

static void add_face(struct modelling *m, int32_t f, int32_t mark)
{
    if (m->view.face_mark[f] == mark)
        return;
    m->view.face_mark[f] = mark;
    ints_add(m, &m->list, f);
    if (!m->rc && f < m->list.v[0]) { /* The oldest comes first, as what is left is like it. */
        m->list.v[m->list.n - 1] = m->list.v[0];
        m->list.v[0] = f;
    }
}

/* ---- edges and faces ---- */
int64_t dissolve_edges(struct modelling *m, int64_t at)
{
    int32_t c[2] = {0}, mark = view_marks(m, 1);
    if (!edges_pair(m, at, c))
        return 1;
    m->list.n = 0;
    add_face(m, view_face(m, c[0]), mark);
    add_face(m, view_face(m, c[1]), mark);
    if (!m->rc)
        join(m, mark, -1);
    return 1;
}

/* Joins the faces that are connected with face `at` of the edit over edges and that it names, too; `named` marks those
 * that have not been joined yet. A face without such neighbours stays. */
static void join_connected(struct modelling *m, int64_t at, int32_t named)
{
    int32_t mark = view_marks(m, 1);
    m->list.n = 0;
    add_face(m, m->other.v[at], mark);
    for (int64_t i = 0; i < m->list.n && !m->rc; i++)
        for (int64_t c = edits_first(m->w, m->list.v[i]), end = edits_end(m->w, m->list.v[i]); c < end; c++) {
            (void)view_edge(m, m->w->corners[c], view_vertex(m, view_next(m, (int32_t)c)));
            for (int64_t j = 0; j < m->at_edge.n; j++) {
                int32_t f = view_face(m, m->at_edge.v[j]);
                if (m->view.face_mark[f] != named)
                    continue;
                m->view.face_mark[f] = mark;
                ints_add(m, &m->list, f);
            }
        }
    if (m->list.n > 1 && !m->rc)
        join(m, mark, -1);
}

int64_t dissolve_faces(struct modelling *m, int64_t at)
{
    int32_t named = view_marks(m, 1);
    m->other.n = 0;
    for (int64_t i = at; i < m->e->n && !m->rc; i++) {
        int32_t f = faces_find(m, i);
        if (m->rc)
            break;
        if (m->view.face_mark[f] == named)
            (void)modelling_fail(m, "face %d is named twice", m->e->ids[i]);
        m->view.face_mark[f] = named;
        ints_add(m, &m->other, f);
    }
    for (int64_t i = 0; i < m->other.n && !m->rc; i++)
        if (m->view.face_mark[m->other.v[i]] == named)
            join_connected(m, i, named);
    return m->e->n - at;
}

/* ---- vertices ---- */
/* Drafts the faces of a vertex with two edges (m->faces) without it: its edges become one. */
static void drop_corner(struct modelling *m, int32_t v)
{
    for (int64_t k = 0; k < m->faces.n && !m->rc; k++) {
        int32_t f = m->faces.v[k];
        if (m->w->face_counts[f] < 4)
            (void)modelling_fail(m, "what is left of face %d would have %d corners; a face has three or more",
                                 face_id(m, f), m->w->face_counts[f] - 1);
        draft_face(m, f, -1);
        for (int64_t i = edits_first(m->w, f), end = edits_end(m->w, f); i < end; i++)
            if (m->w->corners[i] != v)
                draft_corner(m, m->w->corners[i], (int32_t)i);
        ints_add(m, &m->draft.removed_faces, f);
    }
    ints_add(m, &m->draft.removed_vertices, v);
}

/* The two edges of v at x and y become edge (x, y), which is as sharp as the less sharp of them. */
static void draft_bridge(struct modelling *m, int32_t v, int32_t x, int32_t y)
{
    float a = view_crease(m, v, x), b = view_crease(m, v, y);
    if (x == y || view_edge(m, x, y))
        (void)modelling_fail(m, "without vertex %d there would be a second edge (%d, %d)", vertex_id(m, v),
                             vertex_id(m, x), vertex_id(m, y));
    draft_crease(m, x, y, a < b ? a : b);
}

/* Lists the vertices at the edges of v in m->other. */
static void list_around(struct modelling *m, int32_t v)
{
    int32_t mark = view_marks(m, 1);
    m->other.n = 0;
    for (int32_t c = view_at(m, v); c >= 0; c = view_after(m, c)) {
        const int32_t beside[] = {view_vertex(m, view_next(m, c)), view_vertex(m, view_prev(m, c))};
        for (int k = 0; k < 2; k++)
            if (m->view.vertex_mark[beside[k]] != mark) {
                m->view.vertex_mark[beside[k]] = mark;
                ints_add(m, &m->other, beside[k]);
            }
    }
}

int64_t dissolve_vertices(struct modelling *m, int64_t at)
{
    int64_t row = 0;
    m->rc = edits_find_vertex(m->w, m->e->ids[at], &row, m->err);
    if (m->rc)
        return 1;
    int32_t v = (int32_t)row, mark;
    list_around(m, v);
    m->list.n = 0;
    ints_add(m, &m->list, v);
    view_faces(m, &m->list);
    if (m->other.n <= 2 && !m->rc) {
        if (m->other.n == 2)
            draft_bridge(m, v, m->other.v[0], m->other.v[1]);
        drop_corner(m, v);
        return 1;
    }
    mark = view_marks(m, 1);
    m->list.n = 0;
    for (int64_t i = 0; i < m->faces.n; i++)
        add_face(m, m->faces.v[i], mark);
    if (m->rc)
        return 1;
    join(m, mark, v);
    if (m->rc || m->view.vertex_mark[v] != mark)
        return 1;
    /* It was on the boundary: its corner there goes to y, and the corner that comes to it is from x. */
    int32_t y = view_vertex(m, view_next(m, m->view.vertex_slot[v])), x = -1;
    for (int64_t i = 0; i < m->other.n; i++) {
        int32_t u = m->other.v[i];
        if (m->view.vertex_mark[u] == mark && view_vertex(m, view_next(m, m->view.vertex_slot[u])) == v)
            x = u;
    }
    if (x >= 0)
        draft_bridge(m, v, x, y);
    ints_add(m, &m->draft.removed_vertices, v);
    return 1;
}
