/* SPDX-License-Identifier: Apache-2.0 */
/* query_row.dev.h: the rows of the eight relations of sdd_queries.h over a control mesh, one element at a time. A row
 * may be as long as a mesh has corners, so nothing here takes more than n log n steps. */
#ifndef SDD_QUERY_ROW_DEV_H
#define SDD_QUERY_ROW_DEV_H
#include "gpu/queries/kernels/grid_row.dev.h"
#include "gpu/queries/kernels/tri_row.dev.h"
#include "gpu/tiles/tile_arrays.h"

/* Which rows a launch makes: all, or where `tile` is given, those of elements that a flat tile owns. */
struct sdd_flat_only {
    const struct sdd_tile *tile;
    const uint32_t *label; /* Of each face (tile_arrays.h). */
};

/* The kind of the elements that have rows: 0 for vertices, 1 for edges, 2 for faces. */
SDD_FN int32_t sdd_kind_of_rows(int32_t relation)
{
    return relation <= SDD_RELATION_VF ? 0 : relation <= SDD_RELATION_EF ? 1 : 2;
}

SDD_FN int sdd_is_left_out(const struct sdd_neighbors *q, const struct sdd_flat_only *o, int32_t relation, uint32_t x)
{
    if (!o->tile)
        return 0;
    const uint32_t owner = sdd_owner(q, o->label, sdd_kind_of_rows(relation), x);
    return owner == SDD_NONE || !o->tile[owner].is_flat;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */
/* Puts a[i] of a heap of n numbers, the largest on top, in its place. */
#define SDD_SIFT(name, type)                                                                                           \
    SDD_FN void name(type *a, int32_t i, int32_t n)                                                                    \
    {                                                                                                                  \
        const type moved = a[i];                                                                                       \
        for (int32_t child = 2 * i + 1; child < n; child = 2 * i + 1) {                                                \
            if (child + 1 < n && a[child + 1] > a[child])                                                              \
                child++;                                                                                               \
            if (a[child] <= moved)                                                                                     \
                break;                                                                                                 \
            a[i] = a[child];                                                                                           \
            i = child;                                                                                                 \
        }                                                                                                              \
        a[i] = moved;                                                                                                  \
    }
SDD_SIFT(sdd_sift_ids, uint32_t)
SDD_SIFT(sdd_sift_keys, uint64_t)
#undef SDD_SIFT

/* Most rows are short, where insertion is faster than a heap; a hub of a mesh may have a row of millions. */
SDD_FN void sdd_sort_ids(uint32_t *a, int32_t n)
{
    if (n <= 32) {
        for (int32_t i = 1; i < n; i++) {
            const uint32_t moved = a[i];
            int32_t at = i;
            for (; at > 0 && a[at - 1] > moved; at--)
                a[at] = a[at - 1];
            a[at] = moved;
        }
        return;
    }
    for (int32_t i = n / 2 - 1; i >= 0; i--)
        sdd_sift_ids(a, i, n);
    for (int32_t end = n - 1; end > 0; end--) {
        const uint32_t top = a[0];
        a[0] = a[end];
        a[end] = top;
        sdd_sift_ids(a, 0, end);
    }
}

SDD_FN void sdd_sort_keys(uint64_t *a, int32_t n)
{
    for (int32_t i = n / 2 - 1; i >= 0; i--)
        sdd_sift_keys(a, i, n);
    for (int32_t end = n - 1; end > 0; end--) {
        const uint64_t top = a[0];
        a[0] = a[end];
        a[end] = top;
        sdd_sift_keys(a, 0, end);
    }
}

/* Leaves each number of an ascending row once, and returns how many there are. */
SDD_FN int32_t sdd_unique_ids(uint32_t *a, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (i == 0 || a[i] != a[i - 1])
            a[kept++] = a[i];
    return kept;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */
/* Whether an edge has the same ends as the one before it. Only edges that were split do. */
SDD_FN int sdd_repeats_ends(const struct sdd_neighbors *q, uint32_t e)
{
    const struct sdd_control *m = &q->mesh;
    if (!q->use_begin || e == 0)
        return 0;
    const uint32_t a = m->edge_corner[e], b = m->edge_corner[e - 1];
    const uint32_t a0 = m->vert[a], a1 = m->vert[sdd_next(&m->faces, a)];
    const uint32_t b0 = m->vert[b], b1 = m->vert[sdd_next(&m->faces, b)];
    return (a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* An edge of vertex v, with the vertex at its other end. */
SDD_FN void sdd_row_add_edge(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t v, uint32_t e,
                             uint32_t other)
{
    if (relation == SDD_RELATION_VE)
        sdd_row_add(r, e);
    else if (other != v && !sdd_repeats_ends(q, e))
        sdd_row_add(r, other);
}

/* The edges of a vertex, or the other ends of those, each once. */
SDD_FN void sdd_row_of_edges(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k], p = sdd_prev(&m->faces, c);
        if (sdd_meets_edge(m, c, 0))
            sdd_row_add_edge(r, q, relation, v, m->edge[c], m->vert[sdd_next(&m->faces, c)]);
        if (m->vert[p] != v && sdd_meets_edge(m, p, 1)) /* An edge with equal ends is met by its own corner. */
            sdd_row_add_edge(r, q, relation, v, m->edge[p], m->vert[p]);
    }
}

SDD_FN void sdd_row_of_vertex_faces(struct sdd_row *r, const struct sdd_control *m, uint32_t v)
{
    uint32_t before = SDD_NONE; /* Corners ascend, so those of one face follow each other. */
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t f = sdd_face(&m->faces, m->corner[k]);
        if (f != before)
            sdd_row_add(r, f);
        before = f;
    }
}

SDD_FN void sdd_row_of_face(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t f)
{
    const struct sdd_control *m = &q->mesh;
    const uint32_t first = f > 0 ? (uint32_t)m->face_end[f - 1] : 0, end = (uint32_t)m->face_end[f];
    for (uint32_t c = first; c < end; c++) {
        const uint32_t v = m->vert[c];
        if (relation == SDD_RELATION_FF) {
            const int32_t n = sdd_n_uses(q, m->edge[c]);
            for (int32_t k = 0; k < n; k++) {
                const uint32_t use = sdd_use(q, m->edge[c], k);
                if (use != c)
                    sdd_row_add(r, sdd_face(&m->faces, use));
            }
            continue;
        }
        if (r->signs)
            r->signs[r->n] = v > m->vert[sdd_next(&m->faces, c)];
        sdd_row_add(r, relation == SDD_RELATION_FV ? v : m->edge[c]);
    }
}

/* The row of element x, not sorted yet; in FF an element comes as often as there are shared edges. */
SDD_FN void sdd_row_collect(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t x)
{
    const struct sdd_control *m = &q->mesh;
    if (q->level > 0 && q->is_triangles) {
        sdd_row_of_triangles(r, q, relation, x);
        return;
    }
    if (q->level > 0) {
        sdd_row_of_quads(r, q, relation, x);
        return;
    }
    switch (relation) {
    case SDD_RELATION_VV:
    case SDD_RELATION_VE: sdd_row_of_edges(r, q, relation, x); break;
    case SDD_RELATION_VF: sdd_row_of_vertex_faces(r, m, x); break;
    case SDD_RELATION_EV: {
        const uint32_t c = m->edge_corner[x], a = m->vert[c], b = m->vert[sdd_next(&m->faces, c)];
        sdd_row_add(r, a < b ? a : b);
        sdd_row_add(r, a < b ? b : a);
        break;
    }
    case SDD_RELATION_EF: {
        const int32_t n = sdd_n_uses(q, x);
        for (int32_t k = 0; k < n; k++)
            sdd_row_add(r, sdd_face(&m->faces, sdd_use(q, x, k)));
        break;
    }
    default: sdd_row_of_face(r, q, relation, x); break;
    }
}

/* Puts a collected row in its order. */
SDD_FN void sdd_row_finish(struct sdd_row *r, int32_t relation)
{
    if (relation == SDD_RELATION_EV || relation == SDD_RELATION_FV || relation == SDD_RELATION_FE)
        return;
    sdd_sort_ids(r->ids, r->n);
    if (relation == SDD_RELATION_FF)
        r->n = sdd_unique_ids(r->ids, r->n);
}
#endif
