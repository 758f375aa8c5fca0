/* SPDX-License-Identifier: Apache-2.0 */
/* query_fan.dev.h: the faces around a vertex in the order of its fans, against the clock as seen from outside. */
#ifndef SDD_QUERY_FAN_DEV_H
#define SDD_QUERY_FAN_DEV_H
#include "gpu/queries/kernels/query_row.dev.h"

/* Whether no face comes before corner c in its fan. */
SDD_FN int sdd_fan_opens(const struct sdd_neighbors *q, uint32_t c)
{
    return q->use_begin ? sdd_n_uses(q, q->mesh.edge[c]) == 1 : q->mesh.twin[c] >= q->mesh.n_corners;
}

/* The corner of the vertex of corner c whose face comes after that of c, or SDD_NONE where the fan ends. */
SDD_FN uint32_t sdd_fan_next(const struct sdd_neighbors *q, uint32_t c)
{
    const uint32_t p = sdd_prev(&q->mesh.faces, c), e = q->mesh.edge[p];
    if (!q->use_begin)
        return q->mesh.twin[p] < q->mesh.n_corners ? q->mesh.twin[p] : SDD_NONE;
    if (sdd_n_uses(q, e) < 2)
        return SDD_NONE;
    return sdd_use(q, e, sdd_use(q, e, 0) == p);
}

/* Whether the faces of a vertex have an order: none of its edges has equal ends, more than two faces, or two that run
 * along it in the same direction. */
SDD_FN int sdd_fan_is_ordered(const struct sdd_neighbors *q, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t k = m->begin[v]; q->use_begin && k < m->end[v]; k++) {
        const uint32_t c = m->corner[k], p = sdd_prev(&m->faces, c);
        const int32_t n_out = sdd_n_uses(q, m->edge[c]), n_in = sdd_n_uses(q, m->edge[p]);
        if (m->vert[sdd_next(&m->faces, c)] == v || n_out > 2 || n_in > 2)
            return 0;
        if (n_out == 2 && m->vert[sdd_use(q, m->edge[c], 0)] == m->vert[sdd_use(q, m->edge[c], 1)])
            return 0;
        if (n_in == 2 && m->vert[sdd_use(q, m->edge[p], 0)] == m->vert[sdd_use(q, m->edge[p], 1)])
            return 0;
    }
    return 1;
}

/* Adds the fan that begins at corner `head` to a row. */
SDD_FN void sdd_fan_add(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t head)
{
    const struct sdd_control *m = &q->mesh;
    uint32_t c = head, last = head;
    do {
        if (relation == SDD_RELATION_VF)
            sdd_row_add(r, sdd_face(&m->faces, c));
        else
            sdd_row_add(r, relation == SDD_RELATION_VE ? m->edge[c] : m->vert[sdd_next(&m->faces, c)]);
        last = c;
        c = sdd_fan_next(q, c);
    } while (c != SDD_NONE && c != head);
    if (c == SDD_NONE && relation != SDD_RELATION_VF) {
        const uint32_t p = sdd_prev(&m->faces, last);
        sdd_row_add(r, relation == SDD_RELATION_VE ? m->edge[p] : m->vert[p]);
    }
}

/* The place of corner c among the corners of vertex v. */
SDD_FN uint32_t sdd_fan_place(const struct sdd_control *m, uint32_t v, uint32_t c)
{
    uint32_t low = m->begin[v], high = m->end[v] - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->corner[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low - m->begin[v];
}

/* The other end of an edge of vertex v. */
SDD_FN uint32_t sdd_other_end(const struct sdd_control *m, uint32_t e, uint32_t v)
{
    const uint32_t c = m->edge_corner[e];
    return m->vert[c] == v ? m->vert[sdd_next(&m->faces, c)] : m->vert[c];
}

#define SDD_FAN_CLOSED 0x80000000u /* Edges are below it. */

/* Marks the corners of the fan that holds corner `from`, where an open fan begins or which is in a closed one. Returns
 * the fan's key, by which fans are sorted: its lowest neighbour, whether it is closed, and the edge at which it
 * begins. */
SDD_FN uint64_t sdd_fan_mark(const struct sdd_neighbors *q, uint32_t v, uint32_t from, uint32_t *marks)
{
    const struct sdd_control *m = &q->mesh;
    uint32_t c = from, lowest = m->edge[from], last = from;
    do {
        marks[sdd_fan_place(m, v, c)] = 1;
        lowest = m->edge[c] < lowest ? m->edge[c] : lowest;
        last = c;
        c = sdd_fan_next(q, c);
    } while (c != SDD_NONE && c != from);
    if (c != SDD_NONE)
        return (uint64_t)sdd_other_end(m, lowest, v) << 32 | SDD_FAN_CLOSED | lowest;
    const uint32_t end = m->edge[sdd_prev(&m->faces, last)];
    return (uint64_t)sdd_other_end(m, end < lowest ? end : lowest, v) << 32 | m->edge[from];
}

/* The same for a vertex of any number of fans. `keys` has room for a key for each of its corners, and so has r->ids,
 * which holds the marks before it holds the row. */
SDD_FN void sdd_fan_add_all(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t v,
                            uint64_t *keys)
{
    const struct sdd_control *m = &q->mesh;
    const uint32_t begin = m->begin[v], n = m->end[v] - begin;
    int32_t n_fans = 0;
    for (uint32_t k = 0; k < n; k++)
        r->ids[k] = 0;
    for (uint32_t k = 0; k < n; k++)
        if (sdd_fan_opens(q, m->corner[begin + k]))
            keys[n_fans++] = sdd_fan_mark(q, v, m->corner[begin + k], r->ids);
    for (uint32_t k = 0; k < n; k++)
        if (!r->ids[k])
            keys[n_fans++] = sdd_fan_mark(q, v, m->corner[begin + k], r->ids);
    sdd_sort_keys(keys, n_fans);
    for (int32_t k = 0; k < n_fans; k++) {
        const uint32_t e = (uint32_t)keys[k] & ~SDD_FAN_CLOSED, c = sdd_use(q, e, 0);
        sdd_fan_add(r, q, relation, m->vert[c] == v ? c : sdd_use(q, e, 1));
    }
}

/* Adds the faces of vertex v in order. sdd_fan_is_ordered has said that they have one. */
SDD_FN void sdd_fan_add_vertex(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t v,
                               uint64_t *keys)
{
    const struct sdd_control *m = &q->mesh;
    if (m->begin[v] == m->end[v])
        return;
    if (q->use_begin) {
        sdd_fan_add_all(r, q, relation, v, keys);
        return;
    }
    uint32_t head = m->corner[m->begin[v]];
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k];
        if (sdd_fan_opens(q, c)) {
            head = c;
            break;
        }
        head = m->edge[c] < m->edge[head] ? c : head;
    }
    sdd_fan_add(r, q, relation, head);
}
#endif
