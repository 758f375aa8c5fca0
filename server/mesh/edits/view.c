/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: the faces and tags around a vertex of the working copy, for the modelling edits. */
#include "server/mesh/edits/close.h"
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
    to.keys = edits_grown(to.room, sizeof *to.keys, m->err);
    to.values = to.keys ? edits_grown(to.room, sizeof *to.values, m->err) : NULL;
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
/* Makes room for what there is and some more, in one block: rows of it that nobody writes cost nothing. */
static int make_room(struct modelling *m)
{
    enum { VERTICES, FACES, CORNERS };
    struct view *v = &m->view;
    const int64_t n[] = {m->w->n_vertices, m->w->n_faces, m->w->n_corners};
    const struct {
        void *array;
        int of, bytes;
    } arrays[] = {{&v->first, VERTICES, 4},       {&v->old_first, VERTICES, 4},   {&v->tag, VERTICES, 4},
                  {&v->vertex_mark, VERTICES, 4}, {&v->vertex_slot, VERTICES, 4}, {&v->face_mark, FACES, 4},
                  {&v->face_slot, FACES, 4},      {&v->next, CORNERS, 4},         {&v->face, CORNERS, 4},
                  {&v->asked, VERTICES, 1}};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    int64_t to[3], total = 0;
    if (v->block && n[0] <= v->room[0] && n[1] <= v->room[1] && n[2] <= v->room[2])
        return SDD_OK;
    for (int k = 0; k < 3; k++)
        to[k] = n[k] > v->room[k] ? n[k] + n[k] / 8 + 64 : v->room[k];
    for (int i = 0; i < ARRAYS; i++)
        total += to[arrays[i].of] * arrays[i].bytes;
    char *block = edits_grown(total, 1, m->err), *at = block;
    if (!block)
        return m->rc = SDD_ENO_MEMORY;
    for (int i = 0; i < ARRAYS; at += to[arrays[i].of] * arrays[i].bytes, i++) {
        void *old;
        memcpy(&old, arrays[i].array, sizeof old);
        if (v->block)
            memcpy(at, old, (size_t)(v->room[arrays[i].of] * arrays[i].bytes));
        memcpy(arrays[i].array, &at, sizeof at);
    }
    free(v->block);
    v->block = block;
    memcpy(v->room, to, sizeof to);
    return SDD_OK;
}

static void begin(struct modelling *m)
{
    struct view *v = &m->view;
    const struct mesh *old = m->w->old;
    for (int64_t i = 0; i < old->n_corner_tags; i++)
        v->tag[old->corner_vertices[i]] = old->corner_sharpness[i];
    v->n_faces = m->w->n_old_faces;
    v->n_corners = m->w->n_old_corners;
    v->is_begun = true;
}

int view_follow(struct modelling *m)
{
    struct view *v = &m->view;
    const struct edit_work *w = m->w;
    if (make_room(m))
        return m->rc;
    if (!v->is_begun)
        begin(m);
    for (; v->n_faces < w->n_faces; v->n_faces++)
        for (int32_t k = 0; k < w->face_counts[v->n_faces]; k++, v->n_corners++) {
            int32_t c = (int32_t)v->n_corners;
            v->face[c] = (int32_t)v->n_faces + 1;
            v->next[c] = v->first[w->corners[c]];
            v->first[w->corners[c]] = c + 1;
        }
    for (; v->n_tags < w->tags.n; v->n_tags++)
        v->tag[w->tags.v[v->n_tags].key] = w->tags.v[v->n_tags].sharpness;
    for (; v->n_creases < w->creases.n; v->n_creases++) {
        uint32_t *bits = edge_map_put(m, &v->crease, w->creases.v[v->n_creases].key);
        if (!bits)
            return m->rc;
        memcpy(bits, &w->creases.v[v->n_creases].sharpness, sizeof *bits);
    }
    return SDD_OK;
}

void view_fini(struct view *v)
{
    free(v->block);
    free(v->last_asked.v);
    edge_map_fini(&v->crease);
}

/* ---- the corners of the old mesh ---- */
enum { VIEW_WANTED = 1, VIEW_KNOWN = 2, MOST_SCANS = 4 };

/* Has the next scan look for the corners at a vertex. */
static void want(struct modelling *m, int64_t vertex, struct edit_wanted *x)
{
    struct view *v = &m->view;
    if (vertex >= m->w->n_old_vertices || v->asked[vertex])
        return;
    v->asked[vertex] = VIEW_WANTED;
    x->low = vertex < x->low ? (int32_t)vertex : x->low;
    x->high = vertex > x->high ? (int32_t)vertex : x->high;
    ints_add(m, &v->last_asked, (int32_t)vertex);
}

static void want_face(struct modelling *m, int64_t f, struct edit_wanted *x)
{
    for (int64_t c = edits_first(m->w, f), end = edits_end(m->w, f); c < end; c++)
        want(m, m->w->corners[c], x);
}

/* Vertices of what the edit names. */
static void want_named(struct modelling *m, struct edit_wanted *x)
{
    const bool faces = edits_names_faces(m->e, m->w->old);
    const int each = edits_ids_each(m->e->op);
    for (int64_t i = m->at * each; i < m->e->n * each; i++) {
        int64_t row;
        if (faces && !edits_find_face(m->w, m->e->ids[i], &row, NULL))
            want_face(m, row, x);
        if (!faces && !edits_find_vertex(m->w, m->e->ids[i], &row, NULL))
            want(m, row, x);
    }
}

/* Vertices around those that the last scan looked for. */
static void want_around(struct modelling *m, struct edit_wanted *x)
{
    struct view *v = &m->view;
    const int64_t n = v->last_asked.n;
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = v->old_first[v->last_asked.v[i]]; c > 0; c = v->next[c - 1])
            want_face(m, view_face(m, c - 1), x);
    if (v->last_asked.n > n)
        memmove(v->last_asked.v, v->last_asked.v + n, (size_t)(v->last_asked.n - n) * sizeof *v->last_asked.v);
    v->last_asked.n -= n;
}

/* Puts corners of the old mesh, which ascend, in the lists of their vertices. */
static void enlist(struct view *v, const int32_t *vertices, int32_t c)
{
    const int32_t vertex = vertices[c];
    v->next[c] = v->old_first[vertex] ? v->old_first[vertex] : -1;
    v->old_first[vertex] = c + 1;
}

static void ask_all(struct modelling *m)
{
    struct view *v = &m->view;
    for (int32_t c = 0; c < m->w->n_old_corners; c++)
        if (!v->asked[m->w->old->face_vertices[c]])
            enlist(v, m->w->old->face_vertices, c);
    for (int64_t i = 0; i < m->w->n_old_vertices; i++)
        v->old_first[i] = v->old_first[i] ? v->old_first[i] : -1;
    memset(v->asked, VIEW_KNOWN, (size_t)m->w->n_old_vertices);
}

/* Finds the corners of the old mesh at a vertex. */
static void ask(struct modelling *m, int32_t vertex)
{
    struct view *v = &m->view;
    struct edit_wanted x = {INT32_MAX, -1, v->asked, VIEW_WANTED};
    struct ints found = {0};
    if (v->scans++ >= MOST_SCANS) {
        ask_all(m);
        return;
    }
    want_around(m, &x);
    want(m, vertex, &x);
    if (v->scans == 1)
        want_named(m, &x);
    if (!m->rc)
        m->rc = edits_scan(m->w->old->face_vertices, 0, m->w->n_old_corners, &x, &found, m->err);
    for (int64_t i = 0; i < found.n; i++)
        enlist(v, m->w->old->face_vertices, found.v[i]);
    for (int64_t i = 0; i < v->last_asked.n; i++) {
        int32_t *first = &v->old_first[v->last_asked.v[i]];
        *first = *first ? *first : -1;
        v->asked[v->last_asked.v[i]] = VIEW_KNOWN;
    }
    free(found.v);
}

/* ---- looking ---- */
int32_t view_face(const struct modelling *m, int32_t corner)
{
    int32_t *face = &m->view.face[corner];
    if (!*face)
        *face = (int32_t)edits_face_at(m->w, corner) + 1;
    return *face - 1;
}

int32_t view_next(const struct modelling *m, int32_t corner)
{
    int32_t f = view_face(m, corner);
    int64_t first = edits_first(m->w, f);
    return (int32_t)(corner + 1 < first + m->w->face_counts[f] ? corner + 1 : first);
}

int32_t view_prev(const struct modelling *m, int32_t corner)
{
    int32_t f = view_face(m, corner);
    int64_t first = edits_first(m->w, f);
    return (int32_t)(corner > first ? corner - 1 : first + m->w->face_counts[f] - 1);
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

/* Takes corners of removed faces out of the list behind *link, up to the first of a live face. Behind what the batch
 * has added at the vertex are the corners of the old mesh. */
static int32_t live(struct modelling *m, int32_t *link, int32_t vertex)
{
    while (*link >= 0) {
        if (*link > 0 && edits_face_live(m->w, view_face(m, *link - 1)))
            break;
        if (*link > 0) {
            *link = m->view.next[*link - 1];
            continue;
        }
        if (vertex >= m->w->n_old_vertices) {
            (void)view_step(m);
            return -1;
        }
        if (m->view.asked[vertex] != VIEW_KNOWN)
            ask(m, vertex);
        if (m->rc)
            return -1;
        link = &m->view.old_first[vertex];
    }
    return view_step(m) && *link > 0 ? *link - 1 : -1;
}

int32_t view_at(struct modelling *m, int32_t vertex)
{
    return live(m, &m->view.first[vertex], vertex);
}

int32_t view_after(struct modelling *m, int32_t corner)
{
    return live(m, &m->view.next[corner], view_vertex(m, corner));
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
    edits_sort(&m->at_edge);
    return m->at_edge.n;
}

void view_faces(struct modelling *m, const struct ints *vertices)
{
    int32_t mark = view_marks(m, 1);
    m->faces.n = 0;
    for (int64_t i = 0; i < vertices->n && !m->rc; i++)
        for (int32_t c = view_at(m, vertices->v[i]); c >= 0; c = view_after(m, c)) {
            int32_t f = view_face(m, c);
            if (m->view.face_mark[f] != mark)
                ints_add(m, &m->faces, f);
            m->view.face_mark[f] = mark;
        }
    edits_sort(&m->faces);
}

float view_crease(const struct modelling *m, int32_t a, int32_t b)
{
    const uint32_t *bits = edge_map_get(&m->view.crease, mesh_row_edge(a, b));
    float sharpness;
    if (!bits)
        return edits_edge_sharpness(m->w->old, mesh_row_edge(a, b));
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
