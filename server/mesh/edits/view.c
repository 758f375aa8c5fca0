/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: the faces and tags around a vertex of the working copy, for the modelling edits. */
#include "server/mesh/edits/modelling.h"
#include <stdlib.h>
#include <string.h>

/* ---- edges ---- */
static int64_t slot_of(const struct edge_map *map, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
    int64_t i = (int64_t)((h ^ h >> 32) & (uint64_t)(map->room - 1));
    while (map->keys[i] && map->keys[i] != key)
        i = (i + 1) & (map->room - 1);
    return i;
}

static int double_map(struct modelling *m, struct edge_map *map)
{
    struct edge_map to = {.n = map->n, .room = map->room ? 2 * map->room : 64};
    to.keys = edits_grown(NULL, 0, to.room, sizeof *to.keys, m->err);
    to.values = to.keys ? edits_grown(NULL, 0, to.room, sizeof *to.values, m->err) : NULL;
    if (!to.values) {
        free(to.keys);
        return m->rc = SDD_ENO_MEMORY;
    }
    for (int64_t i = 0; i < map->room; i++)
        if (map->keys[i]) {
            int64_t s = slot_of(&to, map->keys[i]);
            to.keys[s] = map->keys[i];
            to.values[s] = map->values[i];
        }
    edge_map_fini(map);
    *map = to;
    return SDD_OK;
}

uint32_t *edge_map_put(struct modelling *m, struct edge_map *map, uint64_t edge)
{
    if (m->rc || (2 * (map->n + 1) > map->room && double_map(m, map)))
        return NULL;
    int64_t s = slot_of(map, edge + 1);
    map->n += map->keys[s] == 0;
    map->keys[s] = edge + 1;
    return &map->values[s];
}

uint32_t *edge_map_get(const struct edge_map *map, uint64_t edge)
{
    if (!map->n)
        return NULL;
    int64_t s = slot_of(map, edge + 1);
    return map->keys[s] ? &map->values[s] : NULL;
}

void edge_map_fini(struct edge_map *map)
{
    free(map->keys);
    free(map->values);
    memset(map, 0, sizeof *map);
}

/* ---- following ---- */
static int make_room(struct modelling *m)
{
    struct view *v = &m->view;
    const struct edit_room *to = &m->w->room;
    const struct {
        void *array;
        int64_t n, from, to;
    } arrays[] = {{&v->first, v->n_vertices, v->room_vertices, to->n_vertices},
                  {&v->tag, v->n_vertices, v->room_vertices, to->n_vertices},
                  {&v->vertex_mark, v->n_vertices, v->room_vertices, to->n_vertices},
                  {&v->vertex_slot, v->n_vertices, v->room_vertices, to->n_vertices},
                  {&v->face_mark, v->n_faces, v->room_faces, to->n_faces},
                  {&v->face_slot, v->n_faces, v->room_faces, to->n_faces},
                  {&v->next, v->n_corners, v->room_corners, to->n_corners},
                  {&v->face, v->n_corners, v->room_corners, to->n_corners}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && !m->rc; i++)
        m->rc = edits_regrow(arrays[i].array, arrays[i].n, arrays[i].from, arrays[i].to, 4, m->err);
    if (m->rc)
        return m->rc;
    v->room_vertices = to->n_vertices;
    v->room_faces = to->n_faces;
    v->room_corners = to->n_corners;
    return SDD_OK;
}

int view_follow(struct modelling *m)
{
    struct view *v = &m->view;
    const struct edit_work *w = m->w;
    if (make_room(m))
        return m->rc;
    for (; v->n_vertices < w->n_vertices; v->n_vertices++)
        v->first[v->n_vertices] = -1;
    for (; v->n_faces < w->n_faces; v->n_faces++)
        for (; v->n_corners < w->face_first[v->n_faces + 1]; v->n_corners++) {
            int32_t c = (int32_t)v->n_corners;
            v->face[c] = (int32_t)v->n_faces;
            v->next[c] = v->first[w->corners[c]];
            v->first[w->corners[c]] = c;
        }
    for (; v->n_tags < w->n_tags; v->n_tags++)
        v->tag[w->tags[v->n_tags].key] = w->tags[v->n_tags].sharpness;
    for (; v->n_creases < w->n_creases; v->n_creases++) {
        uint32_t *bits = edge_map_put(m, &v->crease, w->creases[v->n_creases].key);
        if (!bits)
            return m->rc;
        memcpy(bits, &w->creases[v->n_creases].sharpness, sizeof *bits);
    }
    return SDD_OK;
}

void view_fini(struct view *v)
{
    free(v->first);
    free(v->next);
    free(v->face);
    free(v->tag);
    free(v->vertex_mark);
    free(v->face_mark);
    free(v->vertex_slot);
    free(v->face_slot);
    edge_map_fini(&v->crease);
}

/* ---- looking ---- */
int32_t view_next(const struct modelling *m, int32_t corner)
{
    int32_t f = m->view.face[corner];
    return (int32_t)(corner + 1 < m->w->face_first[f + 1] ? corner + 1 : m->w->face_first[f]);
}

int32_t view_prev(const struct modelling *m, int32_t corner)
{
    int32_t f = m->view.face[corner];
    return (int32_t)(corner > m->w->face_first[f] ? corner - 1 : m->w->face_first[f + 1] - 1);
}

bool view_step(struct modelling *m)
{
    if (++m->view.steps <= MODELLING_MAX_STEPS)
        return true;
    if (!m->rc) {
        m->rc =
            sdd_fail(m->err, SDD_ETOO_LARGE, "edits",
                     "edits[%lld].%s: the batch looks at more than %lld corners of faces; send its edits in several "
                     "batches",
                     (long long)m->w->edit, edit_name(m->e->op), (long long)MODELLING_MAX_STEPS);
        if (m->err)
            m->err->needed = m->view.steps, m->err->available = MODELLING_MAX_STEPS;
    }
    return false;
}

/* Takes corners of removed faces out of the list behind *link, up to the first of a live face. */
static int32_t live(struct modelling *m, int32_t *link)
{
    while (*link >= 0 && !edits_face_live(m->w, m->view.face[*link]))
        *link = m->view.next[*link];
    return view_step(m) ? *link : -1;
}

int32_t view_at(struct modelling *m, int32_t vertex)
{
    return live(m, &m->view.first[vertex]);
}

int32_t view_after(struct modelling *m, int32_t corner)
{
    return live(m, &m->view.next[corner]);
}

int64_t view_edge(struct modelling *m, int32_t a, int32_t b)
{
    int32_t i = view_at(m, a), j = view_at(m, b);
    m->at_edge.n = 0;
    if (a == b)
        return 0;
    while (i >= 0 && j >= 0) {
        i = view_after(m, i);
        j = view_after(m, j);
    }
    int32_t from = i < 0 ? a : b, to = i < 0 ? b : a;
    for (int32_t c = view_at(m, from); c >= 0; c = view_after(m, c)) {
        if (view_vertex(m, view_next(m, c)) == to)
            ints_add(m, &m->at_edge, c);
        if (view_vertex(m, view_prev(m, c)) == to)
            ints_add(m, &m->at_edge, view_prev(m, c));
    }
    ints_sort(&m->at_edge);
    return m->at_edge.n;
}

void view_faces(struct modelling *m, const struct ints *vertices)
{
    int32_t mark = view_marks(m, 1);
    m->faces.n = 0;
    for (int64_t i = 0; i < vertices->n && !m->rc; i++)
        for (int32_t c = view_at(m, vertices->v[i]); c >= 0; c = view_after(m, c)) {
            int32_t f = m->view.face[c];
            if (m->view.face_mark[f] != mark)
                ints_add(m, &m->faces, f);
            m->view.face_mark[f] = mark;
        }
    ints_sort(&m->faces);
}

float view_crease(const struct modelling *m, int32_t a, int32_t b)
{
    const uint32_t *bits = edge_map_get(&m->view.crease, mesh_row_edge(a, b));
    float sharpness = 0;
    if (bits)
        memcpy(&sharpness, bits, sizeof sharpness);
    return sharpness;
}

int32_t view_marks(struct modelling *m, int32_t n)
{
    (void)view_step(m); /* So MODELLING_MAX_STEPS limits marks, too. */
    int32_t mark = m->view.mark + 1;
    m->view.mark += n;
    return mark;
}
