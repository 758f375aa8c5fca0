/* SPDX-License-Identifier: Apache-2.0 */
/* triangulate.c: cuts a face into triangles, by cutting off ears: the one with the shortest new edge first, so that a
 * quad is cut along its shorter diagonal. An ear does not turn inwards, has no other corner in it, and its new edge is
 * not an edge of the mesh already. Where a face has no such ear, as when it has no area, any short new edge will do. */
#include "server/mesh/edits/modelling.h"
#include <math.h>

/* The corners that are left, as a ring in the plane that the face is seen in best. */
struct ring {
    int32_t *corner, *next, *prev; /* [n] */
    int64_t n, left;
    int u, v; /* The two coordinates. */
    double sign;
};

static double at(const struct modelling *m, const struct ring *r, int32_t i, int axis)
{
    return (double)m->w->points[3 * (int64_t)view_vertex(m, r->corner[i]) + axis];
}

/* Twice the area of the triangle of three corners, positive when it turns as the face does. */
static double turn(const struct modelling *m, const struct ring *r, int32_t a, int32_t b, int32_t c)
{
    double au = at(m, r, a, r->u), av = at(m, r, a, r->v);
    return r->sign *
           ((at(m, r, b, r->u) - au) * (at(m, r, c, r->v) - av) - (at(m, r, b, r->v) - av) * (at(m, r, c, r->u) - au));
}

static double length2(const struct modelling *m, const struct ring *r, int32_t a, int32_t b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (at(m, r, a, k) - at(m, r, b, k)) * (at(m, r, a, k) - at(m, r, b, k));
    return sum;
}

/* Picks the plane by the largest coordinate of the area vector. */
static void project(const struct modelling *m, struct ring *r)
{
    double normal[3] = {0};
    for (int32_t i = 0; i < r->n; i++)
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            int32_t j = r->next[i];
            normal[k] += (at(m, r, i, u) - at(m, r, 0, u)) * (at(m, r, j, v) - at(m, r, 0, v)) -
                         (at(m, r, i, v) - at(m, r, 0, v)) * (at(m, r, j, u) - at(m, r, 0, u));
        }
    int k = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    k = fabs(normal[2]) > fabs(normal[k]) ? 2 : k;
    r->u = (k + 1) % 3;
    r->v = (k + 2) % 3;
    r->sign = normal[k] < 0 ? -1 : 1;
}

static bool is_ear(struct modelling *m, const struct ring *r, int32_t i)
{
    int32_t a = r->prev[i], b = r->next[i];
    if (turn(m, r, a, i, b) <= 0)
        return false;
    for (int32_t j = r->next[b]; j != a; j = r->next[j]) {
        m->view.steps += 4; /* It is as much work as four corners are elsewhere. */
        if (turn(m, r, a, i, j) >= 0 && turn(m, r, i, b, j) >= 0 && turn(m, r, b, a, j) >= 0)
            return false;
    }
    return true;
}

/* The ear to cut off, or -1. */
static int32_t find_ear(struct modelling *m, const struct ring *r, int32_t start)
{
    int32_t best = -1, i = start;
    double shortest = 0;
    bool best_is_ear = false;
    for (int64_t k = 0; k < r->left && !m->rc; k++, i = r->next[i]) {
        double length = length2(m, r, r->prev[i], r->next[i]);
        if (best_is_ear && length >= shortest)
            continue;
        bool ear = is_ear(m, r, i);
        if (best >= 0 && (ear == best_is_ear ? length >= shortest : !ear))
            continue;
        if (view_edge(m, view_vertex(m, r->corner[r->prev[i]]), view_vertex(m, r->corner[r->next[i]])))
            continue;
        best = i;
        shortest = length;
        best_is_ear = ear;
    }
    return best;
}

static void cut(struct modelling *m, struct ring *r, int32_t f)
{
    int32_t start = 0;
    while (r->left > 3 && !m->rc) {
        int32_t i = find_ear(m, r, start);
        if (i < 0) {
            (void)modelling_fail(m, "face %d cannot be cut into triangles, as the new edges are edges already",
                                 face_id(m, f));
            return;
        }
        draft_face(m, f, -1);
        const int32_t ear[] = {r->prev[i], i, r->next[i]};
        for (int k = 0; k < 3; k++)
            draft_corner(m, view_vertex(m, r->corner[ear[k]]), r->corner[ear[k]]);
        r->next[ear[0]] = ear[2];
        r->prev[ear[2]] = ear[0];
        r->left--;
        start = ear[2];
    }
    draft_face(m, f, -1);
    for (int32_t i = start, k = 0; k < 3 && !m->rc; i = r->next[i], k++)
        draft_corner(m, view_vertex(m, r->corner[i]), r->corner[i]);
}

int64_t faces_triangulate(struct modelling *m, int64_t at)
{
    int32_t f = faces_find(m, at);
    if (m->rc || m->w->face_counts[f] == 3)
        return 1;
    struct ring r = {.n = m->w->face_counts[f], .left = m->w->face_counts[f]};
    m->list.n = 0;
    for (int32_t i = 0; i < 3 * r.n; i++) {
        int32_t k = i % (int32_t)r.n;
        ints_add(m, &m->list,
                 i < r.n       ? (int32_t)edits_first(m->w, f) + k
                 : i < 2 * r.n ? (k + 1) % (int32_t)r.n
                               : (k + (int32_t)r.n - 1) % (int32_t)r.n);
    }
    if (m->rc)
        return 1;
    r.corner = m->list.v;
    r.next = r.corner + r.n;
    r.prev = r.next + r.n;
    project(m, &r);
    cut(m, &r, f);
    ints_add(m, &m->draft.removed_faces, f);
    return 1;
}
