/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: applies a batch of edits to a mesh for the edits route (edits_apply). It makes a working copy with room for
 * all that the batch adds, applies the edits in order, marks what they remove, and has close.c make the new mesh. */
#include "server/mesh/edits/modelling.h"
#include "server/mesh/edits/work.h"
#include <stdlib.h>
#include <string.h>

static void work_fini(struct edit_work *w)
{
    free(w->vertex_ids);
    free(w->vertex_state);
    free(w->points);
    free(w->face_ids);
    free(w->face_counts);
    free(w->face_first);
    free(w->face_state);
    free(w->corners);
    edits_channel_fini(&w->st);
    edits_primvars_fini(w);
    free(w->creases);
    free(w->crease_edits);
    free(w->tags);
    edit_batch_free(w->notes.batch);
    id_map_fini(&w->vertex_map);
    id_map_fini(&w->face_map);
}

/* Counts the most rows that the primitives of the batch need, so that without modelling edits every array is allocated
 * once. */
static int count_room(struct edit_work *w, const struct mesh *m, const struct edit_batch *b, struct sdd_error *err)
{
    int rc = SDD_OK;
    w->need = (struct edit_room){m->n_vertices, m->n_faces, m->n_corners, m->n_uvs, m->n_creases, m->n_corner_tags};
    for (int64_t i = 0; i < b->n_edits && !rc; i++)
        rc = edits_need(&w->need, &b->edits[i], err);
    w->room = w->need;
    return rc ? rc : edits_check_ids(w, err);
}

static void fill_rows(struct edit_work *w, const struct mesh *m)
{
    for (int64_t i = 0; i < m->n_creases; i++)
        w->creases[i] = (struct mesh_row){mesh_row_edge(m->crease_edges[2 * i], m->crease_edges[2 * i + 1]),
                                          (uint32_t)i, m->crease_sharpness[i]};
    for (int64_t i = 0; i < m->n_corner_tags; i++)
        w->tags[i] = (struct mesh_row){(uint32_t)m->corner_vertices[i], (uint32_t)i, m->corner_sharpness[i]};
    for (int64_t i = 0; i < m->n_holes; i++)
        w->face_state[m->hole_faces[i]] |= FACE_HOLE;
    for (int64_t f = 0; f < m->n_faces; f++)
        w->face_first[f + 1] = w->face_first[f] + m->face_counts[f];
}

static int work_init(struct edit_work *w, const struct mesh *m, const struct edit_batch *b, struct sdd_error *err)
{
    const struct edit_room *room = &w->room;
    memset(w, 0, sizeof *w);
    int rc = mesh_check_indices(m, err);
    if (rc)
        return rc;
    if (m->options.scheme == SDD_SCHEME_LOOP || m->options.scheme == SDD_SCHEME_SQRT3)
        w->triangles = sdd_option_token(&m->options, 0);
    w->n_vertices = w->n_old_vertices = m->n_vertices;
    w->n_faces = w->n_old_faces = m->n_faces;
    w->n_corners = m->n_corners;
    w->st.width = 2;
    w->st.n_values = w->st.n_old = m->n_uvs;
    w->n_creases = w->n_old_creases = m->n_creases;
    w->n_tags = m->n_corner_tags;
    w->next_vertex_id = m->next_vertex_id;
    w->next_face_id = m->next_face_id;
    rc = count_room(w, m, b, err);
    if (rc)
        return rc;
    w->vertex_ids = edits_grown(m->vertex_ids, m->n_vertices, room->n_vertices, sizeof(int32_t), err);
    w->vertex_state = edits_grown(NULL, 0, room->n_vertices, 1, err);
    w->points = edits_grown(m->points, m->n_vertices, room->n_vertices, 3 * sizeof(float), err);
    w->face_ids = edits_grown(m->face_ids, m->n_faces, room->n_faces, sizeof(int32_t), err);
    w->face_counts = edits_grown(m->face_counts, m->n_faces, room->n_faces, sizeof(int32_t), err);
    w->face_first = edits_grown(NULL, 0, room->n_faces + 1, sizeof(int64_t), err);
    w->face_state = edits_grown(NULL, 0, room->n_faces, 1, err);
    w->corners = edits_grown(m->face_vertices, m->n_corners, room->n_corners, sizeof(int32_t), err);
    w->st.of = edits_grown(m->uv_indices, m->n_corners, room->n_corners, sizeof(int32_t), err);
    w->st.values = edits_grown(m->uvs, m->n_uvs, room->n_uvs, 2 * sizeof(float), err);
    w->creases = edits_grown(NULL, 0, room->n_creases, sizeof(struct mesh_row), err);
    w->crease_edits = edits_grown(NULL, 0, room->n_creases, sizeof(int32_t), err);
    w->tags = edits_grown(NULL, 0, room->n_tags, sizeof(struct mesh_row), err);
    if (!w->vertex_ids || !w->vertex_state || !w->points || !w->face_ids || !w->face_counts || !w->face_first ||
        !w->face_state || !w->corners || !w->st.of || !w->st.values || !w->creases || !w->crease_edits || !w->tags)
        return SDD_ENO_MEMORY;
    for (int64_t c = 0; c < m->n_corners && !m->n_uvs; c++)
        w->st.of[c] = -1;
    fill_rows(w, m);
    rc = edits_primvars_init(w, m, b, err);
    int64_t twice; /* It is not read: mesh_build has checked that each id is there once. */
    if (!rc)
        rc = id_map_init(&w->vertex_map, w->vertex_ids, m->n_vertices, &twice, err);
    return rc ? rc : id_map_init(&w->face_map, w->face_ids, m->n_faces, &twice, err);
}

/* ---- operations ---- */
static int add_faces(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    const float *uv = e->n_values ? e->values : NULL;
    const int32_t *id = e->corners;
    for (int64_t i = 0; i < e->n; i++) {
        int64_t f = w->n_faces, c = w->n_corners;
        for (int32_t k = 0; k < e->counts[i]; k++, c++, id++) {
            int64_t row;
            int rc = edits_find_vertex(w, *id, &row, err);
            if (rc)
                return rc;
            w->corners[c] = (int32_t)row;
            w->st.of[c] = uv ? (int32_t)w->st.n_values++ : -1;
            edits_primvars_corner(w, c);
        }
        w->n_corners = c;
        w->face_first[f + 1] = c;
        w->face_counts[f] = e->counts[i];
        w->face_ids[f] = (int32_t)w->next_face_id++;
        w->n_faces++;
        int rc = edits_check_face(w, f, err);
        if (rc)
            return rc;
    }
    if (uv)
        memcpy(w->st.values + 2 * (w->st.n_values - e->n_values), uv, (size_t)e->n_values * 2 * sizeof(float));
    return SDD_OK;
}

static int add_vertices(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    int rc = edits_check_points(w, e, w->n_vertices, err);
    if (rc)
        return rc;
    if (e->n)
        memcpy(w->points + 3 * w->n_vertices, e->values, (size_t)e->n * 3 * sizeof(float));
    for (int64_t i = 0; i < e->n; i++)
        w->vertex_ids[w->n_vertices++] = (int32_t)w->next_vertex_id++;
    return SDD_OK;
}

/* Removes, moves or tags existing vertices. */
static int on_vertices(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    int rc = e->op == EDIT_SET_POSITIONS ? edits_check_points(w, e, 0, err) : SDD_OK;
    for (int64_t i = 0; i < e->n && !rc; i++) {
        int64_t row;
        rc = edits_find_vertex(w, e->ids[i], &row, err);
        if (rc)
            return rc;
        if (e->op == EDIT_REMOVE_VERTICES)
            w->vertex_state[row] = VERTEX_DEAD;
        if (e->op == EDIT_SET_POSITIONS)
            memcpy(w->points + 3 * row, e->values + 3 * i, 3 * sizeof(float));
        if (e->op != EDIT_SET_CORNERS)
            continue;
        w->tags[w->n_tags] = (struct mesh_row){(uint64_t)row, (uint32_t)w->n_tags, e->values[i]};
        w->n_tags++;
    }
    w->removed_vertices |= e->op == EDIT_REMOVE_VERTICES;
    return rc;
}

static int on_faces(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    for (int64_t i = 0; i < e->n; i++) {
        int64_t row;
        int rc = edits_find_face(w, e->ids[i], &row, err);
        if (rc)
            return rc;
        unsigned char hole = w->face_state[row] & (unsigned char)~FACE_HOLE;
        if (e->op == EDIT_SET_HOLES)
            w->face_state[row] = e->hole ? hole | FACE_HOLE : hole;
        if (e->op == EDIT_REMOVE_FACES)
            w->face_state[row] |= FACE_DEAD;
    }
    w->removed_faces |= e->op == EDIT_REMOVE_FACES;
    return SDD_OK;
}

static int set_creases(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    for (int64_t i = 0; i < e->n; i++) {
        int64_t a, b;
        int rc = edits_find_vertex(w, e->ids[2 * i], &a, err);
        if (!rc)
            rc = edits_find_vertex(w, e->ids[2 * i + 1], &b, err);
        if (rc)
            return rc;
        uint64_t key = mesh_row_edge((int32_t)a, (int32_t)b);
        w->creases[w->n_creases] = (struct mesh_row){key, (uint32_t)w->n_creases, e->values[i]};
        w->crease_edits[w->n_creases++] = (int32_t)w->edit;
    }
    return SDD_OK;
}

static int apply_edit(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    edits_note(w, e);
    switch (e->op) {
    case EDIT_ADD_VERTICES: return add_vertices(w, e, err);
    case EDIT_REMOVE_VERTICES:
    case EDIT_SET_POSITIONS:
    case EDIT_SET_CORNERS: return on_vertices(w, e, err);
    case EDIT_ADD_FACES: return add_faces(w, e, err);
    case EDIT_REMOVE_FACES:
    case EDIT_SET_HOLES: return on_faces(w, e, err);
    case EDIT_SET_CREASES: return set_creases(w, e, err);
    case EDIT_SET_UVS: return edits_channel_set(w, &w->st, e, e->values, e->n_values, "setUvs", "st", err);
    case EDIT_SET_PRIMVAR:
    case EDIT_PUT_PRIMVAR:
    case EDIT_REMOVE_PRIMVAR: return edits_primvars_apply(w, e, err);
    default: break;
    }
    return sdd_fail(err, SDD_EINTERNAL, "", "edit %d is unknown", (int)e->op);
}

static int apply_primitives(struct edit_work *w, const struct edit *e, int n, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < n && !rc; i++) {
        rc = edits_reserve(w, &e[i], err);
        if (!rc)
            rc = apply_edit(w, &e[i], err);
    }
    return rc;
}

/* Turns a modelling edit into primitives and applies them, a step at a time. */
static int apply_modelling(struct edit_work *w, struct modelling *m, const struct edit *e, struct sdd_error *err)
{
    const struct edit *primitives;
    int n, rc = SDD_OK;
    for (int64_t at = 0; at < e->n && !rc;) {
        rc = modelling_expand(m, e, &at, &primitives, &n, err);
        if (!rc)
            rc = apply_primitives(w, primitives, n, err);
        if (!rc)
            rc = modelling_settle(m, &primitives, &n, err);
        if (!rc)
            rc = apply_primitives(w, primitives, n, err);
    }
    return rc;
}

static int list_new(struct edit_work *w, const struct mesh *m, struct edit_result *out, struct sdd_error *err)
{
    out->n_new_vertices = w->n_vertices - m->n_vertices;
    out->n_new_faces = w->n_faces - m->n_faces;
    out->new_vertex_ids = mesh_alloc(out->n_new_vertices, sizeof(int32_t), err);
    out->new_face_ids = mesh_alloc(out->n_new_faces, sizeof(int32_t), err);
    if (!out->new_vertex_ids || !out->new_face_ids)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < out->n_new_vertices; i++)
        out->new_vertex_ids[i] = (int32_t)(m->next_vertex_id + i);
    for (int64_t i = 0; i < out->n_new_faces; i++)
        out->new_face_ids[i] = (int32_t)(m->next_face_id + i);
    return SDD_OK;
}

int edits_apply(const struct mesh *m, const struct edit_batch *b, struct edit_result *out, struct sdd_error *err)
{
    struct edit_work w;
    struct modelling *modelling = NULL;
    memset(out, 0, sizeof *out);
    if (!b->n_edits)
        return sdd_fail(err, SDD_EINVALID, "edits", "edits is missing or empty");
    int rc = work_init(&w, m, b, err);
    for (; w.edit < b->n_edits && !rc; w.edit++) {
        const struct edit *e = &b->edits[w.edit];
        if (e->op < EDIT_FLIP_EDGES)
            rc = apply_edit(&w, e, err);
        else if (modelling || (modelling = modelling_create(&w, err)) != NULL)
            rc = apply_modelling(&w, modelling, e, err);
        else
            rc = SDD_ENO_MEMORY;
    }
    modelling_free(modelling);
    if (!rc)
        rc = edits_check_creases(&w, err);
    if (!rc)
        rc = list_new(&w, m, out, err);
    if (!rc)
        rc = edits_close_up(&w, m, &out->mesh, &out->delta, err);
    out->primitives = w.notes.batch;
    w.notes.batch = NULL;
    work_fini(&w);
    if (rc)
        edit_result_free(out);
    return rc;
}

void edit_result_free(struct edit_result *r)
{
    mesh_free(r->mesh);
    mesh_delta_fini(&r->delta);
    edit_batch_free(r->primitives);
    free(r->new_vertex_ids);
    free(r->new_face_ids);
    memset(r, 0, sizeof *r);
}
