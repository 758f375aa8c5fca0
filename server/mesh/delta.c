/* SPDX-License-Identifier: Apache-2.0 */
/* delta.c: lists the rows of a mesh that an edit has left dirty, for the room edits/. It compares the meshes before and
 * after the edit along the maps from old rows to new ones, so a row that was set to its old value is clean. */
#include "server/mesh/delta.h"
#include "server/mesh/rows.h"
#include <stdlib.h>
#include <string.h>

/* SHARPNESS marks a vertex when its own sharpness or that of an edge at it has changed; TAG marks it when its own has.
 * */
enum { DIRTY = 1, TAG = 2, SHARPNESS = 4 };

/* What is known so far about the rows of the new mesh. */
struct marks {
    unsigned char *vertices, *faces;
    struct mesh_row *edges; /* [n_edges] The edges whose sharpness has changed, sorted by key. */
    int64_t n_edges;
};

static void rows_fini(struct mesh_rows_delta *r)
{
    free(r->removed);
    free(r->added);
}

void mesh_delta_fini(struct mesh_delta *d)
{
    free(d->vertex_to);
    free(d->face_to);
    free(d->dirty_vertices);
    free(d->dirty_faces);
    rows_fini(&d->vertices);
    rows_fini(&d->faces);
    for (int k = 0; k < d->n_channels; k++) {
        rows_fini(&d->values[k]);
        free(d->value_to[k]);
    }
    *d = (struct mesh_delta){0};
}

void mesh_delta_channel(struct mesh_delta *d, int64_t from, int64_t n_old_values, int32_t *value_to)
{
    d->channels[d->n_channels] = (struct sdd_channel_delta){from, {.n_old = n_old_values}};
    d->value_to[d->n_channels++] = value_to;
}

static struct sdd_rows_delta rows_desc(int64_t n_old, const struct mesh_rows_delta *r)
{
    return (struct sdd_rows_delta){n_old, r->n_removed, r->n_added, r->removed, r->added};
}

void mesh_delta_desc(const struct mesh_delta *d, struct sdd_topology_delta *out)
{
    *out = (struct sdd_topology_delta){
        .vertices = rows_desc(d->n_old_vertices, &d->vertices),
        .faces = rows_desc(d->n_old_faces, &d->faces),
        .n_dirty_vertices = d->n_dirty_vertices,
        .n_dirty_faces = d->n_dirty_faces,
        .dirty_vertices = d->dirty_vertices,
        .dirty_faces = d->dirty_faces,
        .n_channels = d->n_channels,
        .channels = d->channels,
    };
}

/* ---- tags ---- */
/* The tags of one kind in one mesh. */
struct tag_list {
    const int32_t *elements; /* [n][width] */
    const float *sharpness;  /* [n] It is NULL for holes, which have no sharpness. */
    int64_t n;
};
/* The tags of one kind in both meshes. */
struct tags {
    int width; /* 2 for tags of edges, else 1. */
    struct tag_list from, to;
    const int32_t *map; /* From the old rows of the tagged elements to the new ones. */
};

/* Writes the tags as rows. With a map their keys are the new rows of their elements, and tags whose elements are gone
 * are left out. The result ascends, because the maps do. */
static int64_t list_tags(struct mesh_row *rows, const struct tag_list *t, int width, const int32_t *map)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < t->n; i++) {
        int32_t a = t->elements[width * i], b = t->elements[width * i + width - 1];
        if (map)
            a = map[a], b = map[b];
        uint64_t key = width == 2 ? mesh_row_edge(a, b) : (uint32_t)a;
        if (a != SDD_NO_ROW && b != SDD_NO_ROW)
            rows[kept++] = (struct mesh_row){key, 0, t->sharpness ? t->sharpness[i] : 1};
    }
    return kept;
}

/* Lists the keys that are not in both lists with the same sharpness. Both lists ascend, and so does the result. */
static int64_t differing(const struct mesh_row *a, int64_t n_a, const struct mesh_row *b, int64_t n_b,
                         struct mesh_row *out)
{
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < n_a || k < n_b;) {
        bool has_a = i < n_a && (k == n_b || a[i].key <= b[k].key),
             has_b = k < n_b && (i == n_a || b[k].key <= a[i].key);
        if (!has_a || !has_b || a[i].sharpness != b[k].sharpness)
            out[n++] = has_a ? a[i] : b[k];
        i += has_a;
        k += has_b;
    }
    return n;
}

/* Lists the tags that have changed, by their new rows. The caller frees *out. */
static int compare_tags(const struct tags *t, struct mesh_row **out, int64_t *n, struct sdd_error *err)
{
    struct mesh_row *rows = mesh_alloc(t->from.n + t->to.n, sizeof *rows, err);
    *out = rows ? mesh_alloc(t->from.n + t->to.n, sizeof **out, err) : NULL;
    if (*out) {
        int64_t n_from = list_tags(rows, &t->from, t->width, t->map);
        int64_t n_to = list_tags(rows + n_from, &t->to, t->width, NULL);
        *n = differing(rows, n_from, rows + n_from, n_to, *out);
    }
    free(rows);
    return *out ? SDD_OK : SDD_ENO_MEMORY;
}

static int mark_tags(struct marks *m, const struct mesh_delta *d, const struct mesh *from, const struct mesh *to,
                     struct sdd_error *err)
{
    const struct tags creases = {2,
                                 {from->crease_edges, from->crease_sharpness, from->n_creases},
                                 {to->crease_edges, to->crease_sharpness, to->n_creases},
                                 d->vertex_to};
    const struct tags corners = {1,
                                 {from->corner_vertices, from->corner_sharpness, from->n_corner_tags},
                                 {to->corner_vertices, to->corner_sharpness, to->n_corner_tags},
                                 d->vertex_to};
    const struct tags holes = {
        1, {from->hole_faces, NULL, from->n_holes}, {to->hole_faces, NULL, to->n_holes}, d->face_to};
    struct mesh_row *sharp = NULL, *shown = NULL;
    int64_t n_sharp = 0, n_shown = 0;
    int rc = compare_tags(&creases, &m->edges, &m->n_edges, err);
    if (!rc)
        rc = compare_tags(&corners, &sharp, &n_sharp, err);
    if (!rc)
        rc = compare_tags(&holes, &shown, &n_shown, err);
    for (int64_t i = 0; i < m->n_edges; i++) {
        m->vertices[m->edges[i].key >> 32] |= DIRTY | SHARPNESS;
        m->vertices[m->edges[i].key & UINT32_MAX] |= DIRTY | SHARPNESS;
    }
    for (int64_t i = 0; i < n_sharp; i++)
        m->vertices[sharp[i].key] |= DIRTY | SHARPNESS | TAG;
    for (int64_t i = 0; i < n_shown; i++)
        m->faces[shown[i].key] = DIRTY;
    free(sharp);
    free(shown);
    return rc;
}

/* ---- faces ---- */
static const int32_t *channel_indices(const struct mesh *m, int64_t channel)
{
    int64_t uvs = m->n_uvs > 0;
    return channel < uvs ? m->uv_indices : m->channels[channel - uvs].indices;
}

/* True when corner `c` of the new mesh names another value than corner `before` of the old mesh did. */
static bool channels_differ(const struct mesh_delta *d, const struct mesh *from, int64_t before, const struct mesh *to,
                            int64_t c)
{
    for (int k = 0; k < d->n_channels; k++) {
        int64_t channel = d->channels[k].from;
        if (channel != SDD_NO_ROW &&
            d->value_to[k][channel_indices(from, channel)[before]] != channel_indices(to, k)[c])
            return true;
    }
    return false;
}

/* True when the corners or tags of a face have changed. Its n corners begin at `before` in the old mesh and at `first`
 * in the new one. */
static bool face_differs(const struct marks *m, const struct mesh_delta *d, const struct mesh *from, int64_t before,
                         const struct mesh *to, int64_t first, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t v = to->face_vertices[first + i];
        if (d->vertex_to[from->face_vertices[before + i]] != v || channels_differ(d, from, before + i, to, first + i))
            return true;
        if (!(m->vertices[v] & SHARPNESS))
            continue;
        int32_t next = to->face_vertices[first + (i + 1 < n ? i + 1 : 0)];
        if ((m->vertices[v] & TAG) || mesh_row_find(m->edges, m->n_edges, mesh_row_edge(v, next)))
            return true;
    }
    return false;
}

/* Marks the faces that differ, and the vertices around faces that are gone. Faces keep their order, so one walk along
 * both meshes is enough. */
static void mark_faces(struct marks *m, const struct mesh_delta *d, const struct mesh *from, const struct mesh *to)
{
    int64_t before = 0, f = 0, first = 0;
    for (int64_t old = 0; old < from->n_faces; before += from->face_counts[old++]) {
        int32_t n = from->face_counts[old];
        if (d->face_to[old] == SDD_NO_ROW) {
            for (int32_t i = 0; i < n; i++) {
                int32_t v = d->vertex_to[from->face_vertices[before + i]];
                if (v != SDD_NO_ROW)
                    m->vertices[v] |= DIRTY;
            }
            continue;
        }
        while (f < d->face_to[old])
            first += to->face_counts[f++];
        if (to->face_counts[f] != n || face_differs(m, d, from, before, to, first, n))
            m->faces[f] = DIRTY;
    }
}

/* Marks the vertices of dirty faces. */
static void mark_corners(struct marks *m, const struct mesh *to)
{
    for (int64_t f = 0, first = 0; f < to->n_faces; first += to->face_counts[f++])
        for (int64_t c = first; m->faces[f] && c < first + to->face_counts[f]; c++)
            m->vertices[to->face_vertices[c]] |= DIRTY;
}

/* ---- rows ---- */
/* Makes the marks of n new rows. A row is DIRTY when no old row maps to it. */
static unsigned char *marks_of_new(const int32_t *to, int64_t n_old, int64_t n, struct sdd_error *err)
{
    unsigned char *marks = mesh_alloc(n, 1, err);
    if (!marks)
        return NULL;
    memset(marks, DIRTY, (size_t)n);
    for (int64_t i = 0; i < n_old; i++)
        if (to[i] != SDD_NO_ROW)
            marks[to[i]] = 0;
    return marks;
}

static int list_dirty(const unsigned char *marks, int64_t n, int32_t **out, int64_t *n_out, struct sdd_error *err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += marks[i] & DIRTY;
    int32_t *rows = *out = mesh_alloc(count, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    *n_out = count;
    for (int64_t i = 0; i < n; i++)
        if (marks[i] & DIRTY)
            *rows++ = (int32_t)i;
    return SDD_OK;
}

/* Makes the lists of what a map says. */
static int list_rows(const int32_t *to, int64_t n_old, int64_t n_new, struct mesh_rows_delta *out,
                     struct sdd_error *err)
{
    int64_t next = 0;
    for (int64_t i = 0; i < n_old; i++)
        out->n_removed += to[i] == SDD_NO_ROW;
    out->n_added = n_new - (n_old - out->n_removed);
    int32_t *removed = out->removed = mesh_alloc(out->n_removed, sizeof *removed, err);
    int32_t *added = out->added = mesh_alloc(out->n_added, sizeof *added, err);
    if (!removed || !added)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n_old; i++) {
        if (to[i] == SDD_NO_ROW) {
            *removed++ = (int32_t)i;
            continue;
        }
        while (next < to[i])
            *added++ = (int32_t)next++;
        next++;
    }
    while (next < n_new)
        *added++ = (int32_t)next++;
    return SDD_OK;
}

static int list_values(struct mesh_delta *d, const struct mesh *to, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int k = 0; k < d->n_channels && !rc; k++) {
        const int64_t uvs = to->n_uvs > 0, n = k < uvs ? to->n_uvs : to->channels[k - uvs].n_values;
        if (d->channels[k].from == SDD_NO_ROW)
            continue;
        rc = list_rows(d->value_to[k], d->channels[k].values.n_old, n, &d->values[k], err);
        d->channels[k].values = rows_desc(d->channels[k].values.n_old, &d->values[k]);
    }
    return rc;
}

int mesh_delta_mark(struct mesh_delta *d, const struct mesh *from, const struct mesh *to, struct sdd_error *err)
{
    struct marks m = {.vertices = marks_of_new(d->vertex_to, from->n_vertices, to->n_vertices, err),
                      .faces = marks_of_new(d->face_to, from->n_faces, to->n_faces, err)};
    int rc = m.vertices && m.faces ? mark_tags(&m, d, from, to, err) : SDD_ENO_MEMORY;
    if (!rc) {
        mark_faces(&m, d, from, to);
        mark_corners(&m, to);
        rc = list_dirty(m.vertices, to->n_vertices, &d->dirty_vertices, &d->n_dirty_vertices, err);
    }
    if (!rc)
        rc = list_dirty(m.faces, to->n_faces, &d->dirty_faces, &d->n_dirty_faces, err);
    if (!rc)
        rc = list_rows(d->vertex_to, from->n_vertices, to->n_vertices, &d->vertices, err);
    if (!rc)
        rc = list_rows(d->face_to, from->n_faces, to->n_faces, &d->faces, err);
    if (!rc)
        rc = list_values(d, to, err);
    free(m.vertices);
    free(m.faces);
    free(m.edges);
    return rc;
}
