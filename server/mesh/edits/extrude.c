/* SPDX-License-Identifier: Apache-2.0 */
/* extrude.c: extrudes faces as regions, and insets faces, one at a time. */
#include "server/mesh/edits/modelling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The faces have the mark, and their rows are in m->list. Their vertices have it too, and as slot their place among the
 * vertices of the region, which are in m->other. */
struct region {
    int32_t mark;
    struct mesh_row *edges; /* [n_edges] The edge of each of their corners, by key. */
    int64_t n_edges;
    int32_t *to;     /* [m->other.n] The copy of each vertex, or the vertex itself. */
    double *normals; /* [m->other.n][4] The sum of the area vectors at each vertex, and their scale. */
};

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const struct mesh_row *)a)->key, y = ((const struct mesh_row *)b)->key;
    return (x > y) - (x < y);
}

/* How many corners of the region have the edge from corner c on. */
static int64_t count_edge(const struct modelling *m, const struct region *r, int32_t c)
{
    uint64_t key = mesh_row_edge(view_vertex(m, c), view_vertex(m, view_next(m, c)));
    const struct mesh_row *row = mesh_row_find(r->edges, r->n_edges, key);
    int64_t n = 0;
    for (const struct mesh_row *i = row; i < r->edges + r->n_edges && i->key == key && n < 2; i++)
        n++;
    for (const struct mesh_row *i = row; i > r->edges && i[-1].key == key && n < 2; i--)
        n++;
    return n;
}

/* ---- the region ---- */
static void list_region(struct modelling *m, struct region *r)
{
    m->list.n = m->other.n = 0;
    r->mark = view_marks(m, 1);
    for (int64_t i = 0; i < m->e->n && !m->rc; i++) {
        int32_t f = faces_find(m, i);
        if (m->rc)
            return;
        if (m->view.face_mark[f] == r->mark)
            (void)modelling_fail(m, "face %d is named twice", m->e->ids[i]);
        m->view.face_mark[f] = r->mark;
        ints_add(m, &m->list, f);
        for (int64_t c = edits_first(m->w, f), end = edits_end(m->w, f); c < end; c++) {
            int32_t v = m->w->corners[c];
            r->n_edges++;
            if (m->view.vertex_mark[v] == r->mark)
                continue;
            m->view.vertex_mark[v] = r->mark;
            m->view.vertex_slot[v] = (int32_t)m->other.n;
            ints_add(m, &m->other, v);
        }
    }
}

static int region_init(struct modelling *m, struct region *r)
{
    list_region(m, r);
    if (m->rc)
        return m->rc;
    r->edges = mesh_alloc(r->n_edges, sizeof *r->edges, m->err);
    r->to = mesh_alloc(m->other.n, sizeof *r->to, m->err);
    r->normals = edits_grown(4 * m->other.n, sizeof *r->normals, m->err);
    if (!r->edges || !r->to || !r->normals)
        return m->rc = SDD_ENO_MEMORY;
    r->n_edges = 0;
    for (int64_t i = 0; i < m->list.n; i++)
        for (int64_t c = edits_first(m->w, m->list.v[i]), end = edits_end(m->w, m->list.v[i]); c < end; c++) {
            uint64_t key = mesh_row_edge(m->w->corners[c], view_vertex(m, view_next(m, (int32_t)c)));
            r->edges[r->n_edges++] = (struct mesh_row){key, 0, 1};
        }
    qsort(r->edges, (size_t)r->n_edges, sizeof *r->edges, compare_keys);
    return SDD_OK;
}

static void region_fini(struct region *r)
{
    free(r->edges);
    free(r->to);
    free(r->normals);
}

/* A vertex is copied when it has a face outside, or when a wall will stand at it. The others move. */
static bool is_copied(struct modelling *m, const struct region *r, int32_t v)
{
    for (int32_t c = view_at(m, v); c >= 0; c = view_after(m, c))
        if (m->view.face_mark[view_face(m, c)] != r->mark || count_edge(m, r, c) == 1 ||
            count_edge(m, r, view_prev(m, c)) == 1)
            return true;
    return false;
}

/* ---- how far ---- */
static double length(const double *n)
{
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* Adds up the area vectors of the faces at each vertex. */
static void add_normals(struct modelling *m, struct region *r)
{
    const float *p = m->w->points;
    for (int64_t i = 0; i < m->list.n; i++) {
        int64_t first = edits_first(m->w, m->list.v[i]), end = edits_end(m->w, m->list.v[i]);
        const float *o = p + 3 * (int64_t)m->w->corners[first];
        double normal[4] = {0};
        for (int64_t c = first; c + 1 < end; c++) {
            const float *a = p + 3 * (int64_t)m->w->corners[c], *b = p + 3 * (int64_t)m->w->corners[c + 1];
            for (int k = 0; k < 3; k++) {
                int u = (k + 1) % 3, v = (k + 2) % 3;
                normal[3] += ((double)b[k] - o[k]) * ((double)b[k] - o[k]);
                normal[k] +=
                    ((double)a[u] - o[u]) * ((double)b[v] - o[v]) - ((double)a[v] - o[v]) * ((double)b[u] - o[u]);
            }
        }
        for (int64_t c = first; c < end; c++)
            for (int k = 0; k < 4; k++)
                r->normals[4 * (int64_t)m->view.vertex_slot[m->w->corners[c]] + k] += normal[k];
    }
}

/* Where vertex i of the region goes. */
static void target(struct modelling *m, const struct region *r, int64_t i, float out[3])
{
    const struct edit *e = m->e;
    const double *n = r->normals + 4 * i;
    bool along = e->n_values == 1 && e->values[0] != 0;
    if (along && !(length(n) > 1e-6 * n[3])) /* What is left is what rounding made of it. */
        (void)modelling_fail(m, "the faces at vertex %d have no normal to go along; give `by` as a vector",
                             vertex_id(m, m->other.v[i]));
    for (int k = 0; k < 3; k++) {
        double by = e->n_values == 3 ? (double)e->values[k] : along ? (double)e->values[0] * n[k] / length(n) : 0;
        out[k] = (float)((double)m->w->points[3 * (int64_t)m->other.v[i] + k] + by);
    }
}

/* ---- drafting ---- */
static void draft_vertices(struct modelling *m, struct region *r)
{
    struct draft *d = &m->draft;
    for (int64_t i = 0; i < m->other.n && !m->rc; i++) {
        int32_t v = m->other.v[i], mix = mix_begin(m, &d->vertex_mixes);
        float point[3];
        bool copied = is_copied(m, r, v);
        mix_add(m, &d->vertex_mixes, v, 1);
        target(m, r, i, point);
        if (m->rc)
            return;
        r->to[i] = v;
        if (copied)
            r->to[i] = draft_vertex(m, mix);
        else
            draft_move(m, v, mix);
        if (m->rc)
            return;
        struct floats *points = copied ? &d->points : &d->moved_points;
        memcpy(points->v + points->n - 3, point, sizeof point);
        if (copied)
            draft_tag(m, r->to[i], m->view.tag[v]);
    }
}

static int32_t moved(const struct modelling *m, const struct region *r, int32_t v)
{
    return r->to[m->view.vertex_slot[v]];
}

static void draft_top(struct modelling *m, const struct region *r, int32_t f)
{
    int64_t first = edits_first(m->w, f), end = edits_end(m->w, f);
    bool changes = false;
    for (int64_t c = first; c < end; c++)
        changes |= moved(m, r, m->w->corners[c]) != m->w->corners[c];
    if (!changes)
        return;
    ints_add(m, &m->draft.removed_faces, f);
    draft_face(m, f, -1);
    for (int64_t c = first; c < end; c++) {
        int32_t a = m->w->corners[c], b = view_vertex(m, view_next(m, (int32_t)c));
        draft_corner(m, moved(m, r, a), (int32_t)c);
        if (moved(m, r, a) != a || moved(m, r, b) != b)
            draft_crease(m, moved(m, r, a), moved(m, r, b), view_crease(m, a, b));
    }
}

static void draft_walls(struct modelling *m, const struct region *r, int32_t f)
{
    for (int64_t i = edits_first(m->w, f), end = edits_end(m->w, f); i < end; i++) {
        int32_t c = (int32_t)i, next = view_next(m, c), a = view_vertex(m, c), b = view_vertex(m, next);
        if (count_edge(m, r, c) != 1)
            continue;
        draft_face(m, f, -1);
        draft_corner(m, a, c);
        draft_corner(m, b, next);
        draft_corner(m, moved(m, r, b), next);
        draft_corner(m, moved(m, r, a), c);
    }
}

int64_t extrude_faces(struct modelling *m, int64_t at)
{
    struct region r = {0};
    if (!region_init(m, &r)) {
        add_normals(m, &r);
        draft_vertices(m, &r);
        for (int64_t i = 0; i < m->list.n && !m->rc; i++)
            draft_top(m, &r, m->list.v[i]);
        for (int64_t i = 0; i < m->list.n && !m->rc; i++)
            draft_walls(m, &r, m->list.v[i]);
    }
    region_fini(&r);
    return m->e->n - at;
}

/* ---- inset ---- */
int64_t inset_faces(struct modelling *m, int64_t at)
{
    struct mixes *vertices = &m->draft.vertex_mixes, *corners = &m->draft.corner_mixes;
    const float t = modelling_t(m, at, 0.5F);
    int32_t f = faces_find(m, at);
    if (m->rc)
        return 1;
    int64_t first = edits_first(m->w, f), n = m->w->face_counts[f];
    int32_t point = mix_begin(m, vertices), values = mix_begin(m, corners), inner = (int32_t)m->w->n_vertices;
    for (int64_t i = 0; i < n; i++) {
        mix_add(m, vertices, m->w->corners[first + i], 1 / (float)n);
        mix_add(m, corners, (int32_t)(first + i), 1 / (float)n);
    }
    int32_t inside = values + 1; /* The mix of the first inner corner. */
    for (int64_t i = 0; i < n; i++) {
        (void)draft_vertex(m, mix_two(m, vertices, m->w->corners[first + i], -1 - point, t));
        (void)mix_two(m, corners, (int32_t)(first + i), -1 - values, t);
    }
    draft_face(m, f, -1);
    for (int32_t i = 0; i < n; i++)
        draft_corner_mix(m, inner + i, inside + i);
    for (int32_t i = 0; i < n; i++) {
        int32_t c = (int32_t)first + i, next = view_next(m, c), j = (i + 1) % (int32_t)n;
        draft_face(m, f, -1);
        draft_corner(m, view_vertex(m, c), c);
        draft_corner(m, view_vertex(m, next), next);
        draft_corner_mix(m, inner + j, inside + j);
        draft_corner_mix(m, inner + i, inside + i);
    }
    ints_add(m, &m->draft.removed_faces, f);
    return 1;
}
