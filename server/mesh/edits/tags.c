/* SPDX-License-Identifier: Apache-2.0 */
/* tags.c: creases, corners and holes while a batch is applied. The old ones stay where they are; the lists of the
 * working copy have what the batch sets, and at the end both are merged, or the old arrays shared. */
#include "server/base/shared.h"
#include "server/mesh/edits/close.h"
#include <stdlib.h>
#include <string.h>

/* ---- the old mesh ---- */
static uint64_t old_edge(const struct mesh *m, int64_t i)
{
    return mesh_row_edge(m->crease_edges[2 * i], m->crease_edges[2 * i + 1]);
}

/* The place of a row in an ascending list, or of the first above it. */
static int64_t place_of(const int32_t *rows, int64_t n, int32_t row)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

float edits_edge_sharpness(const struct mesh *m, uint64_t edge)
{
    int64_t low = 0, high = m->n_creases;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (old_edge(m, middle) < edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->n_creases && old_edge(m, low) == edge ? m->crease_sharpness[low] : 0;
}

float edits_vertex_sharpness(const struct mesh *m, int32_t vertex)
{
    const int64_t i = place_of(m->corner_vertices, m->n_corner_tags, vertex);
    return i < m->n_corner_tags && m->corner_vertices[i] == vertex ? m->corner_sharpness[i] : 0;
}

bool edits_is_hole(const struct mesh *m, int32_t face)
{
    const int64_t i = place_of(m->hole_faces, m->n_holes, face);
    return i < m->n_holes && m->hole_faces[i] == face;
}

void edits_tags_sort(struct edit_tags *t)
{
    t->n = mesh_rows_last(t->v, t->n);
}

/* ---- creases that lost their last face are dropped ---- */
static int add_tag(struct edit_tags *t, uint64_t key, struct sdd_error *err)
{
    int rc = edits_regrow(&t->v, t->n, 1, &t->room, sizeof *t->v, err);
    if (rc)
        return rc;
    t->v[t->n] = (struct mesh_row){key, (uint32_t)t->n, 0};
    t->n++;
    return SDD_OK;
}

static uint64_t face_edge(const struct edit_work *w, int64_t first, int64_t end, int64_t c)
{
    return mesh_row_edge(w->corners[c], w->corners[c + 1 < end ? c + 1 : first]);
}

/* Lists the creases along removed faces in *lost. */
static int list_lost(struct edit_work *w, struct edit_tags *lost, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t i = 0; i < w->dead_faces.n && (w->creases.n || w->old->n_creases); i++) {
        const int64_t first = edits_first(w, w->dead_faces.v[i]), end = edits_end(w, w->dead_faces.v[i]);
        for (int64_t c = first; c < end && !rc; c++) {
            const uint64_t edge = face_edge(w, first, end, c);
            const struct mesh_row *set = mesh_row_find(w->creases.v, w->creases.n, edge);
            if ((set ? set->sharpness : edits_edge_sharpness(w->old, edge)) > 0) {
                rc = add_tag(lost, edge, err);
                w->vertex_state[edge >> 32] |= VERTEX_CREASE;
            }
        }
    }
    edits_tags_sort(lost);
    for (int64_t i = 0; i < lost->n; i++)
        lost->v[i].order = 0;
    return rc;
}

/* Sets `order` of the listed edges that a live face has. */
static void keep_creases(const struct edit_work *w, const struct edit_tags *lost)
{
    for (int64_t i = 0, f = 0, first = 0; i < w->near.n && lost->n; i++) {
        const int64_t c = w->near.v[i];
        if (!(w->vertex_state[w->corners[c]] & VERTEX_CREASE))
            continue;
        edits_seek(w, c, &f, &first);
        const int64_t end = first + w->face_counts[f];
        const uint64_t edges[] = {face_edge(w, first, end, c), face_edge(w, first, end, c > first ? c - 1 : end - 1)};
        for (int k = 0; k < 2 && edits_face_live(w, f); k++) {
            const bool is_lower = edges[k] >> 32 == (uint64_t)w->corners[c];
            struct mesh_row *r = is_lower ? mesh_row_find(lost->v, lost->n, edges[k]) : NULL;
            if (r)
                r->order = 1;
        }
    }
}

/* The next crease of the new mesh, by key. *i and *k are where old ones and those of the batch have been read to.
 * Returns false behind the last. */
static bool next_crease(const struct edit_work *w, int64_t *i, int64_t *k, struct mesh_row *out)
{
    const struct mesh *m = w->old;
    while (*i < m->n_creases || *k < w->creases.n) {
        const uint64_t old = *i < m->n_creases ? old_edge(m, *i) : UINT64_MAX,
                       set = *k < w->creases.n ? w->creases.v[*k].key : UINT64_MAX;
        *out = set <= old ? w->creases.v[*k] : (struct mesh_row){old, 0, m->crease_sharpness[*i]};
        *i += old <= set;
        *k += set <= old;
        if (out->sharpness > 0)
            return true;
    }
    return false;
}

int edits_tags_settle(struct edit_work *w, struct sdd_error *err)
{
    struct edit_tags lost = {0};
    struct mesh_row r;
    edits_tags_sort(&w->creases);
    int rc = list_lost(w, &lost, err);
    keep_creases(w, &lost);
    for (int64_t i = 0; i < lost.n && !rc; i++)
        if (!lost.v[i].order)
            rc = add_tag(&w->creases, lost.v[i].key, err);
    for (int64_t i = 0; i < w->creases.n; i++)
        w->creases.v[i].order = (uint32_t)i; /* What was lost comes last, so it wins. */
    edits_tags_sort(&w->creases);
    free(lost.v);
    for (int64_t i = 0, k = 0; w->dead_vertices.n && !rc && next_crease(w, &i, &k, &r);) {
        const uint64_t a = r.key >> 32, b = r.key & UINT32_MAX;
        if ((w->vertex_state[a] | w->vertex_state[b]) & VERTEX_DEAD)
            rc = sdd_fail(err, SDD_EMESH, "edges",
                          "a crease names the edge of vertices %d and %d, one of which is removed", w->vertex_ids[a],
                          w->vertex_ids[b]);
    }
    return rc;
}

/* ---- the new mesh ---- */
/* The new row of a row that stays. */
static int32_t moved(const struct ints *dead, uint64_t row)
{
    return (int32_t)row - (int32_t)place_of(dead->v, dead->n, (int32_t)row);
}

static int close_creases(struct edit_work *w, struct mesh *to, struct sdd_error *err)
{
    const struct mesh *m = w->old;
    struct mesh_row r;
    to->n_creases = m->n_creases;
    if (!w->creases.n && !w->dead_vertices.n) {
        to->crease_edges = shared_ref(m->crease_edges);
        to->crease_sharpness = shared_ref(m->crease_sharpness);
        return SDD_OK;
    }
    to->n_creases = 0;
    to->crease_edges = mesh_array(m->n_creases + w->creases.n, 2 * sizeof(int32_t), err);
    to->crease_sharpness = mesh_array(m->n_creases + w->creases.n, sizeof(float), err);
    if (!to->crease_edges || !to->crease_sharpness)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0, k = 0; next_crease(w, &i, &k, &r); to->n_creases++) {
        to->crease_edges[2 * to->n_creases] = moved(&w->dead_vertices, r.key >> 32);
        to->crease_edges[2 * to->n_creases + 1] = moved(&w->dead_vertices, r.key & UINT32_MAX);
        to->crease_sharpness[to->n_creases] = r.sharpness;
    }
    return SDD_OK;
}

static int close_corners(struct edit_work *w, struct mesh *to, struct sdd_error *err)
{
    const struct mesh *m = w->old;
    to->n_corner_tags = m->n_corner_tags;
    if (!w->tags.n && !w->dead_vertices.n) {
        to->corner_vertices = shared_ref(m->corner_vertices);
        to->corner_sharpness = shared_ref(m->corner_sharpness);
        return SDD_OK;
    }
    to->n_corner_tags = 0;
    to->corner_vertices = mesh_array(m->n_corner_tags + w->tags.n, sizeof(int32_t), err);
    to->corner_sharpness = mesh_array(m->n_corner_tags + w->tags.n, sizeof(float), err);
    if (!to->corner_vertices || !to->corner_sharpness)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0, k = 0; i < m->n_corner_tags || k < w->tags.n;) {
        const uint64_t old = i < m->n_corner_tags ? (uint32_t)m->corner_vertices[i] : UINT64_MAX,
                       set = k < w->tags.n ? w->tags.v[k].key : UINT64_MAX, row = set <= old ? set : old;
        const float sharpness = set <= old ? w->tags.v[k].sharpness : m->corner_sharpness[i];
        i += old <= set;
        k += set <= old;
        if (!(sharpness > 0) || (w->vertex_state[row] & VERTEX_DEAD))
            continue;
        to->corner_vertices[to->n_corner_tags] = moved(&w->dead_vertices, row);
        to->corner_sharpness[to->n_corner_tags++] = sharpness;
    }
    return SDD_OK;
}

static int close_holes(struct edit_work *w, struct mesh *to, struct sdd_error *err)
{
    const struct mesh *m = w->old;
    to->n_holes = m->n_holes;
    if (!w->hole_faces.n && !w->dead_faces.n) {
        to->hole_faces = shared_ref(m->hole_faces);
        return SDD_OK;
    }
    to->n_holes = 0;
    to->hole_faces = mesh_array(m->n_holes + w->hole_faces.n, sizeof(int32_t), err);
    if (!to->hole_faces)
        return SDD_ENO_MEMORY;
    edits_sort(&w->hole_faces);
    int32_t last = -1;
    for (int64_t i = 0, k = 0; i < m->n_holes || k < w->hole_faces.n;) {
        const int32_t old = i < m->n_holes ? m->hole_faces[i] : INT32_MAX,
                      set = k < w->hole_faces.n ? w->hole_faces.v[k] : INT32_MAX, row = set <= old ? set : old;
        i += old <= set;
        k += set <= old;
        if (row != last && (w->face_state[row] & (FACE_HOLE | FACE_DEAD)) == FACE_HOLE)
            to->hole_faces[to->n_holes++] = moved(&w->dead_faces, (uint32_t)row);
        last = row;
    }
    return SDD_OK;
}

int edits_tags_close(struct edit_work *w, struct mesh *to, struct sdd_error *err)
{
    int rc = close_creases(w, to, err);
    if (!rc)
        rc = close_corners(w, to, err);
    return rc ? rc : close_holes(w, to, err);
}
