/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/mesh/mesh_witness.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct side { /* one of the two meshes */
    const struct mesh *m;
    int32_t *vertex_row, *face_row; /* by id; -1: it is not there */
    int64_t *first;                 /* [F] first corners          */
};
struct witness {
    struct side from, to;
    struct sdd_topology_delta d;
    int32_t *vertex_to, *face_to, *value_to[1 + SDD_MAX_PRIMVARS]; /* the delta's lists as maps from old rows to new */
    bool *set; /* by face id: has the batch set values of its corners? */
};

static int32_t *rows_by_id(const int32_t *ids, int64_t n, int64_t n_ids)
{
    int32_t *rows = malloc((size_t)(n_ids + 1) * sizeof *rows);
    for (int64_t i = 0; i < n_ids; i++)
        rows[i] = -1;
    for (int64_t i = 0; i < n; i++)
        rows[ids[i]] = (int32_t)i;
    return rows;
}

static struct side side_of(const struct mesh *m, const struct mesh *to)
{
    struct side s = {m, rows_by_id(m->vertex_ids, m->n_vertices, to->next_vertex_id),
                     rows_by_id(m->face_ids, m->n_faces, to->next_face_id), calloc((size_t)m->n_faces + 1, 8)};
    for (int64_t f = 0; f < m->n_faces; f++)
        s.first[f + 1] = s.first[f] + m->face_counts[f];
    return s;
}

static void side_free(struct side *s)
{
    free(s->vertex_row);
    free(s->face_row);
    free(s->first);
}

/* ---- tags ---- */
static float corner_sharpness(const struct mesh *m, int32_t row)
{
    for (int64_t i = 0; i < m->n_corner_tags; i++)
        if (m->corner_vertices[i] == row)
            return m->corner_sharpness[i];
    return 0;
}

static float edge_sharpness(const struct mesh *m, int32_t a, int32_t b)
{
    for (int64_t i = 0; i < m->n_creases; i++) {
        const int32_t *e = m->crease_edges + 2 * i;
        if ((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a))
            return m->crease_sharpness[i];
    }
    return 0;
}

static bool is_hole(const struct mesh *m, int64_t row)
{
    for (int64_t i = 0; i < m->n_holes; i++)
        if (m->hole_faces[i] == row)
            return true;
    return false;
}

/* ---- channels ---- */
static const char *channel_name(const struct mesh *m, int k)
{
    if (m->n_uvs && k-- == 0)
        return "st";
    for (int i = 0; i < m->n_primvars; i++)
        if (m->primvars[i].info.interpolation == SDD_FACE_VARYING && m->primvars[i].info.n_values && k-- == 0)
            return m->primvars[i].info.name;
    return NULL;
}

static const struct primvar *primvar_of(const struct mesh *m, int k)
{
    const char *name = channel_name(m, k);
    for (int i = 0; i < m->n_primvars; i++)
        if (strcmp(m->primvars[i].info.name, name) == 0)
            return &m->primvars[i];
    return NULL; /* st */
}

static const int32_t *indices_of(const struct mesh *m, int k)
{
    const struct primvar *p = primvar_of(m, k);
    return p ? p->indices : m->uv_indices;
}

static const char *value_of(const struct mesh *m, int k, int64_t row, size_t *bytes)
{
    const struct primvar *p = primvar_of(m, k);
    *bytes = p ? 4 * (size_t)p->info.width : 8;
    return (const char *)(p ? p->values : m->uvs) + (size_t)row * *bytes;
}

static bool put(const struct edit_batch *b, const char *name)
{
    for (int64_t i = 0; i < b->n_edits; i++)
        if (b->edits[i].op == EDIT_PUT_PRIMVAR && strcmp(b->edits[i].primvar->info.name, name) == 0)
            return true;
    return false;
}

static int64_t expected_from(const struct mesh *m, const char *name)
{
    for (int k = 0; channel_name(m, k); k++)
        if (strcmp(channel_name(m, k), name) == 0)
            return k;
    return SDD_NO_ROW;
}

static void check_channels(const struct witness *w, const struct edit_batch *b)
{
    const struct mesh *from = w->from.m, *to = w->to.m;
    int k = 0;
    for (const char *name; (name = channel_name(to, k)); k++) {
        const struct sdd_channel_delta *c = &w->d.channels[k];
        assert_int_equal(c->from, put(b, name) ? SDD_NO_ROW : expected_from(from, name));
        if (c->from == SDD_NO_ROW) {
            assert_int_equal(c->values.n_old, 0);
            continue;
        }
        const struct primvar *p = primvar_of(from, (int)c->from);
        assert_int_equal(c->values.n_old, p ? p->info.n_values : from->n_uvs);
        for (int64_t i = 0, last = -1; i < c->values.n_old; i++) {
            size_t bytes;
            if (w->value_to[k][i] == SDD_NO_ROW)
                continue;
            assert_true(w->value_to[k][i] > last);
            last = w->value_to[k][i];
            assert_memory_equal(value_of(from, (int)c->from, i, &bytes), value_of(to, k, last, &bytes), bytes);
        }
    }
    assert_int_equal(w->d.n_channels, k);
    assert_int_equal(to->n_channels + (to->n_uvs > 0), k);
}

/* ---- faces and vertices ---- */
static int32_t id_at(const struct side *s, int64_t corner)
{
    return s->m->vertex_ids[s->m->face_vertices[corner]];
}

/* Does a face that both meshes have name other values? Faces whose values no edit set must not. */
static bool values_differ(const struct witness *w, int64_t old, int64_t f)
{
    bool differ = false;
    for (int k = 0; k < w->d.n_channels; k++) {
        const struct sdd_channel_delta *c = &w->d.channels[k];
        for (int32_t i = 0; c->from != SDD_NO_ROW && i < w->to.m->face_counts[f]; i++)
            differ |= w->value_to[k][indices_of(w->from.m, (int)c->from)[w->from.first[old] + i]] !=
                      indices_of(w->to.m, k)[w->to.first[f] + i];
    }
    if (differ && !w->set[w->to.m->face_ids[f]])
        fail_msg("face %d names other values, though no edit set them", w->to.m->face_ids[f]);
    return differ;
}

static bool face_is_dirty(const struct witness *w, int64_t f)
{
    const struct mesh *from = w->from.m, *to = w->to.m;
    int64_t old = w->from.face_row[to->face_ids[f]];
    if (old < 0)
        return true;
    int32_t n = to->face_counts[f];
    assert_int_equal(from->face_counts[old], n);
    bool dirty = values_differ(w, old, f) || is_hole(from, old) != is_hole(to, f);
    for (int32_t i = 0; i < n; i++) {
        int64_t a = w->from.first[old] + i, b = w->to.first[f] + i;
        int64_t a_next = w->from.first[old] + (i + 1) % n, b_next = w->to.first[f] + (i + 1) % n;
        assert_int_equal(id_at(&w->from, a), id_at(&w->to, b)); /* edits never change the corners of a face */
        assert_int_equal(w->vertex_to[from->face_vertices[a]], to->face_vertices[b]);
        dirty |= corner_sharpness(from, from->face_vertices[a]) != corner_sharpness(to, to->face_vertices[b]);
        dirty |= edge_sharpness(from, from->face_vertices[a], from->face_vertices[a_next]) !=
                 edge_sharpness(to, to->face_vertices[b], to->face_vertices[b_next]);
    }
    return dirty;
}

/* Marks, by id, the vertices around faces that are dirty or gone. */
static void mark_around(const struct side *s, int64_t f, bool *dirty)
{
    for (int64_t c = s->first[f]; c < s->first[f + 1]; c++)
        dirty[id_at(s, c)] = true;
}

/* Marks, by id, the vertices whose sharpness, or that of an edge at them, is in one mesh and not in the other. */
static void mark_sharp(const struct side *s, const struct side *other, bool *dirty)
{
    const struct mesh *m = s->m;
    for (int64_t i = 0; i < m->n_corner_tags; i++) {
        int32_t id = m->vertex_ids[m->corner_vertices[i]], row = other->vertex_row[id];
        if (row < 0 || corner_sharpness(other->m, row) != m->corner_sharpness[i])
            dirty[id] = true;
    }
    for (int64_t i = 0; i < m->n_creases; i++) {
        int32_t a = m->vertex_ids[m->crease_edges[2 * i]], b = m->vertex_ids[m->crease_edges[2 * i + 1]];
        int32_t p = other->vertex_row[a], q = other->vertex_row[b];
        if (p >= 0 && q >= 0 && edge_sharpness(other->m, p, q) != m->crease_sharpness[i])
            dirty[a] = dirty[b] = true;
    }
}

/* Rows are listed, ascending and once, exactly where they are expected. */
static void check_listed(const char *what, const bool *expected, int64_t n, const int32_t *rows, int64_t n_rows)
{
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        bool listed = at < n_rows && rows[at] == i;
        if (listed != expected[i])
            fail_msg("%s %lld: dirty %d, expected %d", what, (long long)i, listed, expected[i]);
        at += listed;
    }
    assert_int_equal(at, n_rows);
}

static void check_dirty(const struct witness *w)
{
    const struct mesh *from = w->from.m, *to = w->to.m;
    bool *faces = calloc((size_t)to->n_faces + 1, sizeof *faces), *ids = calloc((size_t)to->next_vertex_id + 1, 1),
         *vertices = calloc((size_t)to->n_vertices + 1, sizeof *vertices);
    for (int64_t f = 0; f < to->n_faces; f++)
        if ((faces[f] = face_is_dirty(w, f)))
            mark_around(&w->to, f, ids);
    for (int64_t f = 0; f < from->n_faces; f++)
        if (w->to.face_row[from->face_ids[f]] < 0)
            mark_around(&w->from, f, ids);
    mark_sharp(&w->from, &w->to, ids);
    mark_sharp(&w->to, &w->from, ids);
    for (int64_t i = 0; i < to->n_vertices; i++)
        vertices[i] = ids[to->vertex_ids[i]] || w->from.vertex_row[to->vertex_ids[i]] < 0;
    check_listed("face", faces, to->n_faces, w->d.dirty_faces, w->d.n_dirty_faces);
    check_listed("vertex", vertices, to->n_vertices, w->d.dirty_vertices, w->d.n_dirty_vertices);
    free(faces);
    free(ids);
    free(vertices);
}

/* Each old row goes to the row that has its id now, or to none. */
static void check_map(const int32_t *to, const int32_t *ids, int64_t n, const int32_t *row_of_id)
{
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(to[i], row_of_id[ids[i]] < 0 ? SDD_NO_ROW : row_of_id[ids[i]]);
}

/* The faces, by id, whose values the batch sets; of new ones, -1 and less, it does not matter. */
static bool *list_set(const struct edit_batch *b, int64_t n_ids)
{
    bool *set = calloc((size_t)n_ids + 1, sizeof *set);
    for (int64_t i = 0; i < b->n_edits; i++) {
        const struct edit *e = &b->edits[i];
        for (int64_t k = 0; (e->op == EDIT_SET_UVS || e->op == EDIT_SET_PRIMVAR) && k < e->n; k++)
            if (e->ids[k] >= 0 && e->ids[k] < n_ids)
                set[e->ids[k]] = true;
    }
    return set;
}

/* The new row of each old one: what is not removed goes, in order, to the rows that are not added. */
static int32_t *map_of(const struct sdd_rows_delta *r)
{
    int32_t *to = malloc((size_t)(r->n_old + 1) * sizeof *to), row = 0;
    for (int64_t i = 0, gone = 0, added = 0; i < r->n_old; i++) {
        if (gone < r->n_removed && r->removed[gone] == i) {
            to[i] = SDD_NO_ROW;
            gone++;
            continue;
        }
        for (; added < r->n_added && r->added[added] == row; added++)
            row++;
        to[i] = row++;
    }
    return to;
}

void witness_delta(const struct mesh *m, const struct edit_batch *b, const struct edit_result *r)
{
    struct witness w = {
        .from = side_of(m, r->mesh), .to = side_of(r->mesh, r->mesh), .set = list_set(b, r->mesh->next_face_id)};
    mesh_delta_desc(&r->delta, &w.d);
    assert_int_equal(w.d.vertices.n_old, m->n_vertices);
    assert_int_equal(w.d.faces.n_old, m->n_faces);
    w.vertex_to = map_of(&w.d.vertices);
    w.face_to = map_of(&w.d.faces);
    for (int k = 0; k < w.d.n_channels; k++)
        w.value_to[k] = map_of(&w.d.channels[k].values);
    check_map(w.vertex_to, m->vertex_ids, m->n_vertices, w.to.vertex_row);
    check_map(w.face_to, m->face_ids, m->n_faces, w.to.face_row);
    check_channels(&w, b);
    check_dirty(&w);
    for (int k = 0; k < w.d.n_channels; k++)
        free(w.value_to[k]);
    free(w.vertex_to);
    free(w.face_to);
    side_free(&w.from);
    side_free(&w.to);
    free(w.set);
}
