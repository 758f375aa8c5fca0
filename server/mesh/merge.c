/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c: makes a mesh of two (merge.h): chooses for each element from which of them it comes, and then gathers
 * positions, faces, tags and the layers of merge_layers.c. */
#include "server/mesh/merge_work.h"
#include "server/mesh/rows.h"
#include <stdlib.h>
#include <string.h>

static int compare_elements(const void *a, const void *b)
{
    const struct merge_element *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool ascends(const int32_t *ids, int64_t n)
{
    int64_t i = 1;
    while (i < n && ids[i] > ids[i - 1])
        i++;
    return i >= n;
}

/* Lists the elements of one kind. The ids of both meshes are there, and where each element of theirs is in mine and
 * the other way round. */
static int choose(struct merge_elements *e, const int32_t *changed, int64_t n_changed, const int32_t *ids[2],
                  const int64_t n[2], const int32_t *mine_to, const int32_t *theirs_to, struct sdd_error *err)
{
    e->list = mesh_alloc(n[MERGE_THEIRS] + n_changed, sizeof *e->list, err);
    if (!e->list)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n[MERGE_THEIRS]; i++) {
        const int32_t id = ids[MERGE_THEIRS][i];
        if (!mesh_has_id(changed, n_changed, id))
            e->list[e->n++] = (struct merge_element){id, {theirs_to[i], (int32_t)i}, MERGE_THEIRS};
        else if (theirs_to[i] != SDD_NO_ROW)
            e->list[e->n++] = (struct merge_element){id, {theirs_to[i], (int32_t)i}, MERGE_MINE};
    }
    for (int64_t i = 0; i < n[MERGE_MINE]; i++)
        if (mine_to[i] == SDD_NO_ROW && mesh_has_id(changed, n_changed, ids[MERGE_MINE][i]))
            e->list[e->n++] = (struct merge_element){ids[MERGE_MINE][i], {(int32_t)i, SDD_NO_ROW}, MERGE_MINE};
    if (ascends(ids[MERGE_THEIRS], n[MERGE_THEIRS]))
        qsort(e->list, (size_t)e->n, sizeof *e->list, compare_elements);
    for (int k = 0; k < 2; k++) {
        e->to[k] = mesh_alloc(n[k], sizeof *e->to[k], err);
        if (!e->to[k])
            return SDD_ENO_MEMORY;
        memset(e->to[k], 0xff, (size_t)n[k] * sizeof *e->to[k]); /* SDD_NO_ROW is -1. */
        for (int64_t i = 0; i < e->n; i++)
            if (e->list[i].row[k] != SDD_NO_ROW)
                e->to[k][e->list[i].row[k]] = (int32_t)i;
    }
    return SDD_OK;
}

static int choose_elements(struct merge *m)
{
    const struct mesh *mine = m->mesh[MERGE_MINE], *theirs = m->mesh[MERGE_THEIRS];
    int rc = mesh_pair_init(&m->pair, mine, theirs, m->err);
    if (rc)
        return rc;
    rc = choose(&m->vertices, m->changes->vertices, m->changes->n_vertices,
                (const int32_t *[2]){mine->vertex_ids, theirs->vertex_ids},
                (const int64_t[2]){mine->n_vertices, theirs->n_vertices}, m->pair.vertex_to, m->pair.vertex_from,
                m->err);
    return rc ? rc
              : choose(&m->faces, m->changes->faces, m->changes->n_faces,
                       (const int32_t *[2]){mine->face_ids, theirs->face_ids},
                       (const int64_t[2]){mine->n_faces, theirs->n_faces}, m->pair.face_to, m->pair.face_from, m->err);
}

static int gather_points(struct merge *m)
{
    float *points = m->points = mesh_alloc(3 * m->vertices.n, sizeof *points, m->err);
    int32_t *ids = m->vertex_ids = points ? mesh_alloc(m->vertices.n, sizeof *ids, m->err) : NULL;
    if (!ids)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < m->vertices.n; i++) {
        const struct merge_element *e = &m->vertices.list[i];
        memcpy(points + 3 * i, m->mesh[e->from]->points + 3 * (int64_t)e->row[e->from], 3 * sizeof(float));
        ids[i] = e->id;
    }
    return SDD_OK;
}

static int gather_faces(struct merge *m)
{
    int64_t corners = 0, at = 0;
    for (int64_t i = 0; i < m->faces.n; i++) {
        const struct merge_element *e = &m->faces.list[i];
        corners += m->mesh[e->from]->face_counts[e->row[e->from]];
    }
    if (!(m->face_counts = mesh_alloc(m->faces.n, sizeof(int32_t), m->err)) ||
        !(m->face_ids = mesh_alloc(m->faces.n, sizeof(int32_t), m->err)) ||
        !(m->corners = mesh_alloc(corners, sizeof(int32_t), m->err)))
        return SDD_ENO_MEMORY;
    m->n_corners = corners;
    for (int64_t i = 0; i < m->faces.n; i++) {
        const struct merge_element *e = &m->faces.list[i];
        const struct mesh *from = m->mesh[e->from];
        const int32_t *corner = from->face_vertices + m->starts[e->from][e->row[e->from]];
        m->face_ids[i] = e->id;
        m->face_counts[i] = from->face_counts[e->row[e->from]];
        for (int32_t k = 0; k < m->face_counts[i]; k++)
            if ((m->corners[at++] = m->vertices.to[e->from][corner[k]]) == SDD_NO_ROW)
                return sdd_fail(m->err, SDD_ECHANGED, "version", "face %d needs vertex %d, which is not there any more",
                                e->id, from->vertex_ids[corner[k]]);
    }
    return SDD_OK;
}

/* Whether a vertex (by its row in one of the meshes) is as mine has it. */
static bool is_mine(const struct merge *m, int from, int32_t row)
{
    const int32_t to = m->vertices.to[from][row];
    return to != SDD_NO_ROW && m->vertices.list[to].from == MERGE_MINE;
}

/* An edge has the crease of mine when one of its vertices is as mine has it: a crease that differs marks both. */
static void gather_creases(struct merge *m, int from)
{
    const struct mesh *mesh = m->mesh[from];
    for (int64_t i = 0; i < mesh->n_creases; i++) {
        const int32_t a = mesh->crease_edges[2 * i], b = mesh->crease_edges[2 * i + 1];
        const int32_t p = m->vertices.to[from][a], q = m->vertices.to[from][b];
        if (p == SDD_NO_ROW || q == SDD_NO_ROW || (is_mine(m, from, a) || is_mine(m, from, b)) != (from == MERGE_MINE))
            continue;
        m->crease_edges[2 * m->n_creases] = p;
        m->crease_edges[2 * m->n_creases + 1] = q;
        m->crease_sharpness[m->n_creases++] = mesh->crease_sharpness[i];
    }
}

static void gather_corner_tags(struct merge *m, int from)
{
    const struct mesh *mesh = m->mesh[from];
    for (int64_t i = 0; i < mesh->n_corner_tags; i++) {
        const int32_t to = m->vertices.to[from][mesh->corner_vertices[i]];
        if (to == SDD_NO_ROW || m->vertices.list[to].from != from)
            continue;
        m->tag_vertices[m->n_tags] = to;
        m->tag_sharpness[m->n_tags++] = mesh->corner_sharpness[i];
    }
}

static void gather_holes(struct merge *m, int from)
{
    const struct mesh *mesh = m->mesh[from];
    for (int64_t i = 0; i < mesh->n_holes; i++) {
        const int32_t to = m->faces.to[from][mesh->hole_faces[i]];
        if (to != SDD_NO_ROW && m->faces.list[to].from == from)
            m->holes[m->n_holes++] = to;
    }
}

/* mesh_build puts the tags in order. */
static int gather_tags(struct merge *m)
{
    const struct mesh *a = m->mesh[0], *b = m->mesh[1];
    if (!(m->crease_edges = mesh_alloc(2 * (a->n_creases + b->n_creases), sizeof(int32_t), m->err)) ||
        !(m->crease_sharpness = mesh_alloc(a->n_creases + b->n_creases, sizeof(float), m->err)) ||
        !(m->tag_vertices = mesh_alloc(a->n_corner_tags + b->n_corner_tags, sizeof(int32_t), m->err)) ||
        !(m->tag_sharpness = mesh_alloc(a->n_corner_tags + b->n_corner_tags, sizeof(float), m->err)) ||
        !(m->holes = mesh_alloc(a->n_holes + b->n_holes, sizeof(int32_t), m->err)))
        return SDD_ENO_MEMORY;
    for (int from = 0; from < 2; from++) {
        gather_creases(m, from);
        gather_corner_tags(m, from);
        gather_holes(m, from);
    }
    return SDD_OK;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int build(struct merge *m, struct mesh **out)
{
    const struct mesh *mine = m->mesh[MERGE_MINE], *theirs = m->mesh[MERGE_THEIRS];
    m->arrays.options = m->changes->options ? mine->options : theirs->options;
    m->arrays.stage = m->changes->stage ? mine->stage : theirs->stage;
    m->arrays.points = (struct f32s){m->points, 3 * m->vertices.n};
    m->arrays.face_counts = (struct i32s){m->face_counts, m->faces.n};
    m->arrays.face_vertices = (struct i32s){m->corners, m->n_corners};
    m->arrays.crease_indices = (struct i32s){m->crease_edges, 2 * m->n_creases};
    m->arrays.crease_sharpnesses = (struct f32s){m->crease_sharpness, m->n_creases};
    m->arrays.crease_pairs = 1;
    m->arrays.corner_indices = (struct i32s){m->tag_vertices, m->n_tags};
    m->arrays.corner_sharpnesses = (struct f32s){m->tag_sharpness, m->n_tags};
    m->arrays.hole_indices = (struct i32s){m->holes, m->n_holes};
    m->arrays.vertex_ids = (struct i32s){m->vertex_ids, m->vertices.n};
    m->arrays.face_ids = (struct i32s){m->face_ids, m->faces.n};
    m->arrays.next_vertex_id = later(mine->next_vertex_id, theirs->next_vertex_id);
    m->arrays.next_face_id = later(mine->next_face_id, theirs->next_face_id);
    int rc = mesh_build(&m->arrays, out, m->err);
    if (!rc)
        memcpy((*out)->name, m->changes->name ? mine->name : theirs->name, sizeof mine->name);
    return rc;
}

static void fini(struct merge *m)
{
    for (int k = 0; k < 2; k++) {
        free(m->vertices.to[k]);
        free(m->faces.to[k]);
        free(m->starts[k]);
    }
    mesh_pair_fini(&m->pair);
    free(m->vertices.list);
    free(m->faces.list);
    free(m->points);
    free(m->vertex_ids);
    free(m->face_counts);
    free(m->face_ids);
    free(m->corners);
    free(m->crease_edges);
    free(m->crease_sharpness);
    free(m->tag_vertices);
    free(m->tag_sharpness);
    free(m->holes);
    merge_layers_fini(m);
}

int mesh_merge(struct mesh_change mine, const struct mesh *theirs, struct mesh **out, struct sdd_error *err)
{
    struct merge *m = calloc(1, sizeof *m);
    if (!m)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    m->mesh[MERGE_MINE] = mine.mesh;
    m->mesh[MERGE_THEIRS] = theirs;
    m->changes = mine.changes;
    m->err = err;
    int rc = choose_elements(m);
    for (int k = 0; k < 2 && !rc; k++)
        rc = mesh_face_starts(m->mesh[k], &m->starts[k], err);
    rc = rc ? rc : gather_points(m);
    rc = rc ? rc : gather_faces(m);
    rc = rc ? rc : gather_tags(m);
    rc = rc ? rc : merge_layers(m);
    rc = rc ? rc : build(m, out);
    fini(m);
    free(m);
    return rc;
}
