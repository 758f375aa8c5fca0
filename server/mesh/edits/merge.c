/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c: makes one vertex of several: collapses edges, one at a time, and merges vertices. The first vertex stays and
 * gets what the others had. Faces of the others are made anew without the corners that fell together, and faces that
 * are left with two corners go. */
#include "server/mesh/edits/modelling.h"
#include <stdlib.h>
#include <string.h>

/* The vertices that become one are marked, and their slots are their places in m->list. */
struct merge {
    int32_t mark, into;   /* mark + 1 is of the vertices to which an edge is left. */
    const float *weights; /* [m->list.n] */
    /* Collapse: the pairs of corners at the edge, in m->other, tell what becomes of a value at either end. */
    float t;
    bool pairs;
};

static bool is_merged(const struct modelling *m, const struct merge *g, int32_t v)
{
    return m->view.vertex_mark[v] == g->mark;
}

/* ---- values ---- */
static bool same_value(const struct edit_channel *c, int32_t i, int32_t j)
{
    if (!c->of || c->of[i] < 0 || c->of[j] < 0)
        return !c->of || c->of[i] == c->of[j];
    return memcmp(c->values + c->width * c->of[i], c->values + c->width * c->of[j], 4 * (size_t)c->width) == 0;
}

/* Whether two corners at a vertex have the same UVs and faceVarying values, so that there is no seam between them. */
static bool same_values(const struct modelling *m, int32_t i, int32_t j)
{
    bool same = same_value(&m->w->st, i, j);
    for (int k = 0; k < m->w->n_primvars && same; k++)
        if (m->w->primvars[k].channel.of)
            same = same_value(&m->w->primvars[k].channel, i, j);
    return same;
}

/* The values of a corner at an end of the collapsed edge. They go along with those on the edge that they are equal to;
 * beyond a seam they stay. Returns a corner mix, or -1 when they stay. */
static int32_t mix_along(struct modelling *m, const struct merge *g, int32_t c)
{
    for (int64_t i = 0; i < m->other.n && g->pairs; i += 2) {
        int32_t a = m->other.v[i], b = m->other.v[i + 1];
        if (same_values(m, c, view_vertex(m, c) == g->into ? a : b))
            return mix_two(m, &m->draft.corner_mixes, a, b, g->t);
    }
    return -1;
}

/* The values of a run of corners that fall together: by the weights of their vertices. */
static int32_t mix_run(struct modelling *m, const struct merge *g, int32_t first, int32_t n)
{
    struct mixes *x = &m->draft.corner_mixes;
    float sum = 0;
    int32_t c = first, pair[2] = {-1, -1};
    if (n == 2 && g->pairs) {
        int32_t next = view_next(m, first);
        bool forward = view_vertex(m, first) == g->into;
        pair[0] = forward ? first : next;
        pair[1] = forward ? next : first;
        return mix_two(m, x, pair[0], pair[1], g->t);
    }
    int32_t mix = n == 1 ? mix_along(m, g, first) : -1;
    if (mix >= 0)
        return mix;
    for (int32_t i = 0; i < n; i++, c = view_next(m, c))
        sum += g->weights[m->view.vertex_slot[view_vertex(m, c)]];
    mix = mix_begin(m, x);
    c = first;
    for (int32_t i = 0; i < n; i++, c = view_next(m, c))
        mix_add(m, x, c, sum > 0 ? g->weights[m->view.vertex_slot[view_vertex(m, c)]] / sum : i == 0 ? 1 : 0);
    return mix;
}

/* ---- faces ---- */
/* Drafts face f after the merge, from a corner on where no run is cut apart. */
static void draft_merged(struct modelling *m, const struct merge *g, int32_t f, int32_t kept)
{
    int32_t n = m->w->face_counts[f], start = (int32_t)edits_first(m->w, f);
    for (int32_t i = 0; i < n && is_merged(m, g, view_vertex(m, view_prev(m, start))); i++)
        start = view_next(m, start);
    if (kept >= 0)
        start = (int32_t)edits_first(m->w, f);
    draft_face(m, f, kept);
    for (int32_t c = start, i = 0; i < n;) {
        int32_t run = 1, v = view_vertex(m, c), next = view_next(m, c);
        if (!is_merged(m, g, v)) {
            draft_corner(m, v, c);
        } else {
            for (; i + run < n && kept < 0 && is_merged(m, g, view_vertex(m, next)); run++)
                next = view_next(m, next);
            draft_corner_mix(m, g->into, mix_run(m, g, c, run));
        }
        c = next;
        i += run;
    }
}

/* How many corners face f will have, and whether it loses one or a vertex that goes. */
static int32_t count_left(const struct modelling *m, const struct merge *g, int32_t f, bool *changes)
{
    int32_t left = 0;
    *changes = false;
    for (int64_t c = edits_first(m->w, f), end = edits_end(m->w, f); c < end; c++) {
        int32_t v = m->w->corners[c], next = view_vertex(m, view_next(m, (int32_t)c));
        bool both = is_merged(m, g, v) && is_merged(m, g, next);
        left += !both;
        *changes |= both || (is_merged(m, g, v) && v != g->into);
    }
    return left;
}

/* Of edges that fall together the sharper wins, so a face that goes counts too where an edge is left of one that stays,
 * which must have come before. */
static void merge_creases(struct modelling *m, const struct merge *g, int32_t f, bool stays)
{
    for (int64_t i = edits_first(m->w, f), end = edits_end(m->w, f); i < end && !m->rc; i++) {
        int32_t a = m->w->corners[i], b = view_vertex(m, view_next(m, (int32_t)i));
        if (is_merged(m, g, a) == is_merged(m, g, b))
            continue;
        int32_t x = is_merged(m, g, a) ? b : a;
        if (stays)
            m->view.vertex_mark[x] = g->mark + 1;
        if (m->view.vertex_mark[x] == g->mark + 1)
            draft_crease(m, g->into, x, view_crease(m, a, b));
    }
}

static bool merge_face(struct modelling *m, const struct merge *g, int32_t f)
{
    bool changes;
    int32_t left = count_left(m, g, f, &changes);
    if (changes)
        ints_add(m, &m->draft.removed_faces, f);
    if (left < 3 && changes)
        return false;
    merge_creases(m, g, f, true);
    if (changes || (g->pairs && g->t > 0))
        draft_merged(m, g, f, changes ? -1 : f);
    return true;
}

static void merge_all(struct modelling *m, const struct merge *g, int32_t mix)
{
    float sharpness = 0;
    int64_t n_gone = 0;
    view_faces(m, &m->list);
    for (int64_t i = 0; i < m->faces.n && !m->rc; i++)
        if (!merge_face(m, g, m->faces.v[i]))
            m->faces.v[n_gone++] = m->faces.v[i];
    for (int64_t i = 0; i < n_gone; i++)
        merge_creases(m, g, m->faces.v[i], false);
    for (int64_t i = 0; i < m->list.n; i++) {
        int32_t v = m->list.v[i];
        sharpness = m->view.tag[v] > sharpness ? m->view.tag[v] : sharpness;
        if (i)
            ints_add(m, &m->draft.removed_vertices, v);
    }
    draft_move(m, g->into, mix);
    if (sharpness > m->view.tag[g->into])
        draft_tag(m, g->into, sharpness);
}

/* ---- may the edge be collapsed? ---- */
/* Marks the vertices around v, and counts in their slots how many corners have each beside v. */
static void mark_around(struct modelling *m, int32_t v, int32_t mark)
{
    for (int32_t c = view_at(m, v); c >= 0; c = view_after(m, c)) {
        const int32_t beside[] = {view_vertex(m, view_next(m, c)), view_vertex(m, view_prev(m, c))};
        for (int k = 0; k < 2; k++) {
            if (m->view.vertex_mark[beside[k]] != mark)
                m->view.vertex_slot[beside[k]] = 0;
            m->view.vertex_mark[beside[k]] = mark;
            m->view.vertex_slot[beside[k]]++;
        }
    }
}

static bool is_boundary(struct modelling *m, int32_t v)
{
    mark_around(m, v, view_marks(m, 1));
    for (int32_t c = view_at(m, v); c >= 0; c = view_after(m, c))
        if (m->view.vertex_slot[view_vertex(m, view_next(m, c))] == 1 ||
            m->view.vertex_slot[view_vertex(m, view_prev(m, c))] == 1)
            return true;
    return false;
}

/* The triangles at the edge go. Their other two edges become one, which must be left with a face. */
static void check_triangles(struct modelling *m, int32_t a, int32_t b, int32_t apex)
{
    m->list.n = 0;
    for (int64_t i = 0; i < m->at_edge.n; i++)
        ints_add(m, &m->list, m->at_edge.v[i]);
    for (int64_t i = 0; i < m->list.n && !m->rc; i++) {
        int32_t c = m->list.v[i], x = view_vertex(m, view_prev(m, c));
        if (m->w->face_counts[view_face(m, c)] != 3)
            continue;
        m->view.vertex_mark[x] = apex;
        if (view_edge(m, a, x) + view_edge(m, b, x) == 2)
            (void)modelling_fail(m, "edge (%d, %d) would be left without a face", vertex_id(m, a), vertex_id(m, x));
    }
}

/* The link condition: a vertex that edges join with both ends must be the tip of a triangle at the edge. And the edge
 * may not join two boundaries. */
static void check_collapse(struct modelling *m, int32_t a, int32_t b)
{
    int64_t n_faces = m->at_edge.n;
    bool pinches = n_faces > 1 && is_boundary(m, a) && is_boundary(m, b);
    int32_t around = view_marks(m, 2), apex = around + 1;
    mark_around(m, a, around);
    (void)view_edge(m, a, b);
    check_triangles(m, a, b, apex);
    for (int32_t c = view_at(m, b); c >= 0 && !m->rc; c = view_after(m, c)) {
        const int32_t beside[] = {view_vertex(m, view_next(m, c)), view_vertex(m, view_prev(m, c))};
        for (int k = 0; k < 2; k++)
            if (beside[k] != a && m->view.vertex_mark[beside[k]] == around)
                (void)modelling_fail(
                    m, "vertices %d and %d both have an edge with vertex %d, and no triangle between them",
                    vertex_id(m, a), vertex_id(m, b), vertex_id(m, beside[k]));
    }
    if (pinches)
        (void)modelling_fail(m, "vertices %d and %d are on the boundary, but their edge is not", vertex_id(m, a),
                             vertex_id(m, b));
}

static bool has_channels(const struct modelling *m)
{
    bool any = m->w->st.n_values > 0;
    for (int i = 0; i < m->w->n_primvars; i++)
        any |= m->w->primvars[i].channel.of != NULL;
    return any;
}

int64_t merge_collapse(struct modelling *m, int64_t at)
{
    int32_t a, b;
    const float t = modelling_t(m, at, 0.5F), weights[] = {1 - t, t};
    if (!edges_find(m, at, &a, &b))
        return 1;
    check_collapse(m, a, b);
    if (m->rc)
        return 1;
    m->list.n = m->other.n = 0;
    ints_add(m, &m->list, a);
    ints_add(m, &m->list, b);
    const struct merge g = {view_marks(m, 2), a, weights, t, has_channels(m)};
    for (int i = 0; i < 2; i++) {
        m->view.vertex_mark[i ? b : a] = g.mark;
        m->view.vertex_slot[i ? b : a] = i;
    }
    (void)view_edge(m, a, b);
    for (int64_t i = 0; i < m->at_edge.n; i++) {
        int32_t c = m->at_edge.v[i], next = view_next(m, c);
        bool forward = view_vertex(m, c) == a;
        ints_add(m, &m->other, forward ? c : next);
        ints_add(m, &m->other, forward ? next : c);
    }
    if (!m->rc)
        merge_all(m, &g, mix_two(m, &m->draft.vertex_mixes, a, b, t));
    return 1;
}

int64_t merge_vertices(struct modelling *m, int64_t at)
{
    int64_t n = m->e->n - at;
    const float t = modelling_t(m, 0, 1), share = t / (float)n;
    struct merge g = {.mark = view_marks(m, 2)};
    float *weights = mesh_alloc(n, sizeof *weights, m->err);
    if (!weights) {
        m->rc = SDD_ENO_MEMORY;
        return n;
    }
    int32_t mix = mix_begin(m, &m->draft.vertex_mixes);
    m->list.n = 0;
    for (int64_t i = 0, row; i < n && !m->rc; i++) {
        m->rc = edits_find_vertex(m->w, m->e->ids[i], &row, m->err);
        if (m->rc)
            break;
        if (is_merged(m, &g, (int32_t)row))
            (void)modelling_fail(m, "vertex %d is named twice", m->e->ids[i]);
        m->view.vertex_mark[row] = g.mark;
        m->view.vertex_slot[row] = (int32_t)i;
        weights[i] = i ? share : 1 - t + share;
        mix_add(m, &m->draft.vertex_mixes, (int32_t)row, weights[i]);
        ints_add(m, &m->list, (int32_t)row);
    }
    g.into = m->list.n ? m->list.v[0] : 0;
    g.weights = weights;
    if (!m->rc)
        merge_all(m, &g, mix);
    free(weights);
    return n;
}
