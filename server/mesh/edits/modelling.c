/* SPDX-License-Identifier: Apache-2.0 */
/* modelling.c: expands modelling edits step by step, and checks what each step has made. */
#include "server/mesh/edits/modelling.h"
#include <stdlib.h>
#include <string.h>

struct modelling *modelling_create(const struct edit_work *w, struct sdd_error *err)
{
    struct modelling *m = mesh_alloc(1, sizeof *m, err);
    if (m) {
        memset(m, 0, sizeof *m);
        m->w = w;
    }
    return m;
}

void modelling_free(struct modelling *m)
{
    if (!m)
        return;
    view_fini(&m->view);
    draft_fini(&m->draft);
    free(m->list.v);
    free(m->other.v);
    free(m->at_edge.v);
    free(m->faces.v);
    free(m->words.v);
    free(m->floats);
    free(m);
}

static modelling_step *const steps[] = {edges_flip,        edges_split,    merge_collapse, faces_split,   faces_poke,
                                        faces_triangulate, extrude_faces,  inset_faces,    faces_reverse, loop_cut,
                                        dissolve_vertices, dissolve_edges, dissolve_faces, merge_vertices};

int modelling_expand(struct modelling *m, const struct edit *e, int64_t *at, const struct edit **primitives, int *n,
                     struct sdd_error *err)
{
    m->e = e;
    m->err = err;
    m->rc = SDD_OK;
    draft_clear(&m->draft);
    m->at = *at;
    m->n_faces_before = m->w->n_faces;
    if (!view_follow(m))
        *at += steps[e->op - EDIT_FLIP_EDGES](m, *at);
    int rc = draft_primitives(m);
    *primitives = m->primitives;
    *n = m->n_primitives;
    return rc;
}

int modelling_origins(const struct modelling *m, struct ints *origins, struct ints *joined, struct sdd_error *err)
{
    const struct draft *d = &m->draft;
    const int64_t before = m->n_faces_before - m->w->n_old_faces;
    int64_t f = m->n_faces_before, k = 0;
    int rc = SDD_OK;
    while (origins->n < before && !rc)
        rc = edits_add(origins, SDD_NO_ROW, err);
    for (int64_t i = 0; i < d->like.n && !rc; i++) {
        for (; k < d->joined.n && d->joined.v[k] == i && !rc; k += 2) {
            rc = edits_add(joined, (int32_t)f, err);
            if (!rc)
                rc = edits_add(joined, d->joined.v[k + 1], err);
        }
        if (rc || d->kept.v[i] >= 0)
            continue;
        rc = edits_add(origins, d->like.v[i], err);
        f++;
    }
    return rc;
}

/* ---- settling ---- */
static void check_corners(struct modelling *m, int64_t f, int32_t like)
{
    int32_t mark = view_marks(m, 1);
    for (int64_t c = edits_first(m->w, f), end = edits_end(m->w, f); c < end; c++) {
        int32_t v = m->w->corners[c];
        if (m->view.vertex_mark[v] == mark)
            (void)modelling_fail(m, "face %d would use vertex %d twice", face_id(m, like), vertex_id(m, v));
        m->view.vertex_mark[v] = mark;
    }
}

/* Whether two faces have the same corners in the same order, or in the opposite one. Corners c and d are at one edge.
 * */
static bool same_corners(const struct modelling *m, int32_t c, int32_t d)
{
    int32_t n = m->w->face_counts[view_face(m, c)];
    bool forward = view_vertex(m, c) == view_vertex(m, d);
    if (n != m->w->face_counts[view_face(m, d)])
        return false;
    d = forward ? d : view_next(m, d);
    for (int32_t i = 0; i < n; i++) {
        if (view_vertex(m, c) != view_vertex(m, d))
            return false;
        c = view_next(m, c);
        d = forward ? view_next(m, d) : view_prev(m, d);
    }
    return true;
}

static void check_twin(struct modelling *m, int64_t f, int32_t like)
{
    int32_t c = (int32_t)edits_first(m->w, f);
    int64_t n = view_edge(m, view_vertex(m, c), view_vertex(m, view_next(m, c)));
    for (int64_t i = 0; i < n && !m->rc; i++) {
        int32_t d = m->at_edge.v[i];
        if (view_face(m, d) != f && same_corners(m, c, d))
            (void)modelling_fail(m, "what is left of face %d would have the corners of face %d", face_id(m, like),
                                 face_id(m, view_face(m, d)));
    }
}

/* Whether the operation can make a face with the corners of another. The others give each face a vertex of its own, or
 * leave its corners as they are. */
static bool makes_twins(enum edit_op op)
{
    return op != EDIT_SPLIT_EDGES && op != EDIT_POKE_FACES && op != EDIT_EXTRUDE_FACES && op != EDIT_INSET_FACES &&
           op != EDIT_REVERSE_FACES && op != EDIT_LOOP_CUT;
}

static void check_new(struct modelling *m)
{
    int64_t f = m->n_faces_before;
    for (int64_t i = 0; i < m->draft.kept.n && !m->rc; i++) {
        if (m->draft.kept.v[i] >= 0)
            continue;
        check_corners(m, f, m->draft.like.v[i]);
        if (!m->rc && makes_twins(m->e->op))
            check_twin(m, f, m->draft.like.v[i]);
        f++;
    }
}

/* Looks around the faces that are gone: no vertex may have lost its last face, and creases of edges that are gone are
 * listed, to be dropped. */
static void check_removed(struct modelling *m)
{
    const struct edit_work *w = m->w;
    m->list.n = 0;
    for (int64_t i = 0; i < m->draft.removed_faces.n && !m->rc; i++) {
        int32_t f = m->draft.removed_faces.v[i];
        for (int64_t c = edits_first(w, f), end = edits_end(w, f); c < end && !m->rc; c++) {
            int32_t a = w->corners[c], b = w->corners[view_next(m, (int32_t)c)];
            if (w->vertex_state[a] & VERTEX_DEAD)
                continue;
            if (view_at(m, a) < 0)
                (void)modelling_fail(m, "vertex %d would be left without a face", vertex_id(m, a));
            if (w->vertex_state[b] & VERTEX_DEAD || view_crease(m, a, b) <= 0 || view_edge(m, a, b))
                continue;
            ints_add(m, &m->list, vertex_id(m, a));
            ints_add(m, &m->list, vertex_id(m, b));
        }
    }
}

int modelling_settle(struct modelling *m, const struct edit **primitives, int *n, struct sdd_error *err)
{
    struct edit *e = m->primitives;
    m->err = err;
    *primitives = e;
    *n = 0;
    if (view_follow(m))
        return m->rc;
    check_new(m);
    check_removed(m);
    if (m->rc || !m->list.n)
        return m->rc;
    m->other.n = 0;
    for (int64_t i = 0; i < m->list.n / 2; i++)
        ints_add(m, &m->other, 0); /* The bits of 0.0f. */
    *e = (struct edit){.op = EDIT_SET_CREASES, .n = m->list.n / 2, .n_values = m->list.n / 2, .ids = m->list.v};
    e->values = (const float *)(const void *)m->other.v;
    *n = 1;
    return m->rc;
}
