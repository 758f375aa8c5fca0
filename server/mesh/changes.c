/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c: compares two versions of a mesh element by element (changes.h). */
#include "server/mesh/changes.h"
#include "server/mesh/rows.h"
#include <stdlib.h>
#include <string.h>

/* The comparison of two meshes while it is made. */
struct comparison {
    const struct mesh *from, *to;
    struct mesh_pair pair;
    int64_t *from_starts, *to_starts;
    unsigned char *vertices, *faces; /* [n of `to`] 1 where a row differs. */
    struct sdd_error *err;
};

void mesh_changes_fini(struct mesh_changes *c)
{
    free(c->vertices);
    free(c->faces);
    *c = (struct mesh_changes){0};
}

void mesh_changes_layer(struct mesh_changes *c, const char *name, bool whole)
{
    int i = 0;
    while (i < c->n_layers && strcmp(c->layers[i].name, name) != 0)
        i++;
    if (i == c->n_layers && c->n_layers < 2 * MESH_LAYERS)
        c->layers[c->n_layers++] = (struct mesh_layer_change){0};
    if (i == c->n_layers)
        return;
    memcpy(c->layers[i].name, name, strlen(name) + 1);
    c->layers[i].whole |= whole;
}

/* ---- tags ---- */
static float sharpness_of(const int32_t *rows, const float *sharpness, int64_t n, int32_t row)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && rows[low] == row ? (sharpness ? sharpness[low] : 1) : 0;
}

static float crease_of(const struct mesh *m, int32_t a, int32_t b)
{
    const uint64_t key = mesh_row_edge(a, b);
    int64_t low = 0, high = m->n_creases;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (mesh_row_edge(m->crease_edges[2 * middle], m->crease_edges[2 * middle + 1]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->n_creases && mesh_row_edge(m->crease_edges[2 * low], m->crease_edges[2 * low + 1]) == key
               ? m->crease_sharpness[low]
               : 0;
}

/* Marks the vertices of each edge that has a crease in mesh `a`, and another or none in mesh `b`. `to` maps the rows of
 * a to those of b, and `mark` those of a to those of the second mesh of the comparison, with NULL for the same. */
static void mark_creases(struct comparison *c, const struct mesh *a, const struct mesh *b, const int32_t *to,
                         const int32_t *mark)
{
    for (int64_t i = 0; i < a->n_creases; i++) {
        const int32_t *edge = &a->crease_edges[2 * i];
        const int32_t p = to[edge[0]], q = to[edge[1]];
        if (p != SDD_NO_ROW && q != SDD_NO_ROW && crease_of(b, p, q) == a->crease_sharpness[i])
            continue;
        for (int k = 0; k < 2; k++) {
            const int32_t row = mark ? mark[edge[k]] : edge[k];
            if (row != SDD_NO_ROW)
                c->vertices[row] = 1;
        }
    }
}

static void compare_vertices(struct comparison *c)
{
    const struct mesh *from = c->from, *to = c->to;
    for (int64_t v = 0; v < to->n_vertices; v++) {
        const int32_t before = c->pair.vertex_from[v];
        c->vertices[v] = before == SDD_NO_ROW ||
                         memcmp(from->points + 3 * (int64_t)before, to->points + 3 * v, 3 * sizeof(float)) != 0 ||
                         sharpness_of(from->corner_vertices, from->corner_sharpness, from->n_corner_tags, before) !=
                             sharpness_of(to->corner_vertices, to->corner_sharpness, to->n_corner_tags, (int32_t)v);
    }
    mark_creases(c, from, to, c->pair.vertex_to, c->pair.vertex_to);
    mark_creases(c, to, from, c->pair.vertex_from, NULL);
}

static bool face_differs(const struct comparison *c, int64_t before, int64_t f)
{
    const struct mesh *from = c->from, *to = c->to;
    const int32_t *a = from->face_vertices + c->from_starts[before], *b = to->face_vertices + c->to_starts[f];
    if (from->face_counts[before] != to->face_counts[f] ||
        sharpness_of(from->hole_faces, NULL, from->n_holes, (int32_t)before) !=
            sharpness_of(to->hole_faces, NULL, to->n_holes, (int32_t)f))
        return true;
    for (int32_t k = 0; k < to->face_counts[f]; k++)
        if (from->vertex_ids[a[k]] != to->vertex_ids[b[k]])
            return true;
    return false;
}

static void compare_faces(struct comparison *c)
{
    for (int64_t f = 0; f < c->to->n_faces; f++) {
        const int32_t before = c->pair.face_from[f];
        c->faces[f] = before == SDD_NO_ROW || face_differs(c, before, f);
    }
}

/* ---- layers ---- */
/* Marks the elements whose rows of values differ. Returns whether any does. */
static bool compare_rows(const struct mesh_layer *a, const struct mesh_layer *b, const int32_t *from, int64_t n,
                         unsigned char *marks)
{
    const size_t row = 4 * (size_t)b->info.width;
    bool any = false;
    for (int64_t i = 0; i < n; i++)
        if (from[i] != SDD_NO_ROW && memcmp(a->values + (size_t)from[i] * row, b->values + (size_t)i * row, row) != 0)
            any = true, marks[i] = 1;
    return any;
}

/* Marks the faces that have other values at their corners, or share them with others than before. first[] and back[]
 * say which rows of values were found to be the same. */
static bool compare_corners(struct comparison *c, const struct mesh_layer *a, const struct mesh_layer *b,
                            int32_t *first, int32_t *back)
{
    const size_t row = 4 * (size_t)b->info.width;
    bool any = false;
    for (int64_t f = 0; f < c->to->n_faces; f++) {
        const int32_t before = c->pair.face_from[f];
        if (before == SDD_NO_ROW || c->from->face_counts[before] != c->to->face_counts[f])
            continue;
        for (int32_t k = 0; k < c->to->face_counts[f]; k++) {
            const int32_t i = a->indices[c->from_starts[before] + k], j = b->indices[c->to_starts[f] + k];
            const bool same = memcmp(a->values + (size_t)i * row, b->values + (size_t)j * row, row) == 0;
            if (same && first[i] == SDD_NO_ROW && back[j] == SDD_NO_ROW) {
                first[i] = j;
                back[j] = i;
            }
            if (!same || first[i] != j || back[j] != i)
                any = true, c->faces[f] = 1;
        }
    }
    return any;
}

static int compare_face_varying(struct comparison *c, const struct mesh_layer *a, const struct mesh_layer *b, bool *any)
{
    int32_t *first = mesh_alloc(a->info.n_values, sizeof *first, c->err),
            *back = first ? mesh_alloc(b->info.n_values, sizeof *back, c->err) : NULL;
    if (back) {
        memset(first, 0xff, (size_t)a->info.n_values * sizeof *first); /* SDD_NO_ROW is -1. */
        memset(back, 0xff, (size_t)b->info.n_values * sizeof *back);
        *any = compare_corners(c, a, b, first, back);
    }
    free(first);
    free(back);
    return back ? SDD_OK : SDD_ENO_MEMORY;
}

static int compare_layer(struct comparison *c, const struct mesh_layer *a, const struct mesh_layer *b,
                         struct mesh_changes *out)
{
    bool any = false, constant = b->info.interpolation == SDD_CONSTANT;
    int rc = SDD_OK;
    if (constant)
        any = memcmp(a->values, b->values, 4 * (size_t)b->info.width) != 0;
    else if (b->info.interpolation == SDD_FACE_VARYING)
        rc = compare_face_varying(c, a, b, &any);
    else if (b->info.interpolation == SDD_UNIFORM)
        any = compare_rows(a, b, c->pair.face_from, c->to->n_faces, c->faces);
    else
        any = compare_rows(a, b, c->pair.vertex_from, c->to->n_vertices, c->vertices);
    if (any)
        mesh_changes_layer(out, b->info.name, constant);
    return rc;
}

static int compare_layers(struct comparison *c, struct mesh_changes *out)
{
    struct mesh_layer from[MESH_LAYERS], to[MESH_LAYERS];
    const int n_from = mesh_layers(c->from, from), n_to = mesh_layers(c->to, to);
    int rc = SDD_OK;
    for (int i = 0; i < n_from; i++)
        if (!mesh_layer_find(to, n_to, from[i].info.name))
            mesh_changes_layer(out, from[i].info.name, true);
    for (int i = 0; i < n_to && !rc; i++) {
        const struct mesh_layer *before = mesh_layer_find(from, n_from, to[i].info.name);
        if (!before || !mesh_layer_alike(before, &to[i]))
            mesh_changes_layer(out, to[i].info.name, true);
        else
            rc = compare_layer(c, before, &to[i], out);
    }
    return rc;
}

/* ---- the lists ---- */
/* Lists the ids of what is marked in `to`, and of what only `from` has. */
static int list(const int32_t *to_ids, const unsigned char *marks, int64_t n_to, const int32_t *from_ids,
                const int32_t *pair, int64_t n_from, int32_t **out, int64_t *n, struct sdd_error *err)
{
    int64_t count = 0, at = 0;
    for (int64_t i = 0; i < n_to; i++)
        count += marks[i];
    for (int64_t i = 0; i < n_from; i++)
        count += pair[i] == SDD_NO_ROW;
    int32_t *ids = *out = mesh_alloc(count, sizeof *ids, err);
    if (!ids)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n_to; i++)
        if (marks[i])
            ids[at++] = to_ids[i];
    for (int64_t i = 0; i < n_from; i++)
        if (pair[i] == SDD_NO_ROW)
            ids[at++] = from_ids[i];
    qsort(ids, (size_t)count, sizeof *ids, mesh_compare_ids);
    *n = count;
    return SDD_OK;
}

static int compare_all(struct comparison *c, struct mesh_changes *out)
{
    const struct mesh *from = c->from, *to = c->to;
    int rc = mesh_pair_init(&c->pair, from, to, c->err);
    if (!rc)
        rc = mesh_face_starts(from, &c->from_starts, c->err);
    if (!rc)
        rc = mesh_face_starts(to, &c->to_starts, c->err);
    if (!rc &&
        (!(c->vertices = mesh_alloc(to->n_vertices, 1, c->err)) || !(c->faces = mesh_alloc(to->n_faces, 1, c->err))))
        rc = SDD_ENO_MEMORY;
    if (rc)
        return rc;
    compare_vertices(c);
    compare_faces(c);
    rc = compare_layers(c, out);
    if (!rc)
        rc = list(to->vertex_ids, c->vertices, to->n_vertices, from->vertex_ids, c->pair.vertex_to, from->n_vertices,
                  &out->vertices, &out->n_vertices, c->err);
    return rc ? rc
              : list(to->face_ids, c->faces, to->n_faces, from->face_ids, c->pair.face_to, from->n_faces, &out->faces,
                     &out->n_faces, c->err);
}

int mesh_changes_find(const struct mesh *from, const struct mesh *to, struct mesh_changes *out, struct sdd_error *err)
{
    struct comparison c = {.from = from, .to = to, .err = err};
    *out = (struct mesh_changes){.name = strcmp(from->name, to->name) != 0,
                                 .options = memcmp(&from->options, &to->options, sizeof to->options) != 0,
                                 .stage = memcmp(&from->stage, &to->stage, sizeof to->stage) != 0};
    int rc = compare_all(&c, out);
    mesh_pair_fini(&c.pair);
    free(c.from_starts);
    free(c.to_starts);
    free(c.vertices);
    free(c.faces);
    return rc;
}
