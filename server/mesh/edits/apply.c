/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: applies a batch of edits to a mesh for the edits route (edits_apply). It makes a working copy, which shares
 * all arrays with the mesh, applies the edits in order, marks what they remove, and has close.c make the new mesh. */
#include "server/base/shared.h"
#include "server/mesh/edits/modelling.h"
#include "server/mesh/edits/close.h"
#include <stdlib.h>
#include <string.h>

static void work_fini(struct edit_work *w)
{
    shared_free(w->vertex_ids);
    shared_free(w->points);
    shared_free(w->face_ids);
    shared_free(w->face_counts);
    shared_free(w->corners);
    edits_channel_fini(&w->st);
    edits_primvars_fini(w);
    edit_batch_free(w->notes.batch);
    free(w->first);
    free(w->vertex_state);
    free(w->face_state);
    free(w->creases.v);
    free(w->tags.v);
    struct ints *const lists[] = {&w->dead_vertices,  &w->dead_faces,  &w->hole_faces, &w->crease_edits, &w->near,
                                  &w->dirty_vertices, &w->dirty_faces, &w->origins,    &w->joined};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->v);
    id_map_fini(&w->vertex_map);
    id_map_fini(&w->face_map);
}

/* Counts the most rows that the primitives of the batch need. */
static int count_room(struct edit_work *w, const struct mesh *m, const struct edit_batch *b, struct sdd_error *err)
{
    int rc = SDD_OK;
    w->need = (struct edit_room){m->n_vertices, m->n_faces, m->n_corners, m->n_uvs, m->n_creases, m->n_corner_tags};
    for (int64_t i = 0; i < b->n_edits && !rc; i++)
        rc = edits_need(&w->need, &b->edits[i], err);
    return rc ? rc : edits_check_ids(w, err);
}

/* Finds the first corner of every EDIT_BLOCK-th face. */
static int find_corners(struct edit_work *w, const struct mesh *m, struct sdd_error *err)
{
    int64_t f = 0, c = 0;
    int rc = edits_regrow(&w->first, 0, w->need.n_faces / EDIT_BLOCK + 1, &w->room_first, sizeof *w->first, err);
    while (f < m->n_faces && !rc) {
        size_t bytes = (size_t)(m->n_faces - f) * sizeof *m->face_counts;
        const int32_t *counts = shared_read(m->face_counts, (size_t)f * sizeof *counts, &bytes);
        const int64_t end = f + (int64_t)(bytes / sizeof *counts);
        while (f < end) { /* Parts end with a page, and so with a block. */
            w->first[f / EDIT_BLOCK] = c;
            for (int64_t i = 0; i < EDIT_BLOCK && f < end; i++, f++)
                c += *counts++;
        }
    }
    return rc;
}

/* Other batches never ask for the corners of a face. */
static bool is_about_faces(const struct edit_batch *b)
{
    int64_t i = 0;
    while (i < b->n_edits && (b->edits[i].op == EDIT_ADD_VERTICES || b->edits[i].op == EDIT_SET_POSITIONS))
        i++;
    return i < b->n_edits;
}

static void share(struct edit_work *w, const struct mesh *m)
{
    w->vertex_ids = shared_ref(m->vertex_ids);
    w->points = shared_ref(m->points);
    w->face_ids = shared_ref(m->face_ids);
    w->face_counts = shared_ref(m->face_counts);
    w->corners = shared_ref(m->face_vertices);
    w->st = (struct edit_channel){.width = 2,
                                  .n_values = m->n_uvs,
                                  .n_old = m->n_uvs,
                                  .old_of = m->uv_indices,
                                  .of = shared_ref(m->uv_indices),
                                  .values = shared_ref(m->uvs)};
}

static int work_init(struct edit_work *w, const struct mesh *m, const struct edit_batch *b, struct sdd_error *err)
{
    int64_t twice; /* It is not read: mesh_build has checked that each id is there once. */
    memset(w, 0, sizeof *w);
    w->old = m;
    int rc = m->is_checked ? SDD_OK : mesh_check_indices(m, err);
    if (rc)
        return rc;
    if (m->options.scheme == SDD_SCHEME_LOOP || m->options.scheme == SDD_SCHEME_SQRT3)
        w->triangles = sdd_option_token(&m->options, 0);
    w->n_vertices = w->n_old_vertices = m->n_vertices;
    w->n_faces = w->n_old_faces = m->n_faces;
    w->n_corners = w->n_old_corners = m->n_corners;
    w->next_vertex_id = m->next_vertex_id;
    w->next_face_id = m->next_face_id;
    share(w, m);
    rc = count_room(w, m, b, err);
    if (!rc && is_about_faces(b))
        rc = find_corners(w, m, err);
    if (!rc)
        rc = edits_regrow(&w->vertex_state, 0, w->need.n_vertices, &w->room_vertices, 1, err);
    if (!rc)
        rc = edits_regrow(&w->face_state, 0, w->need.n_faces, &w->room_faces, 1, err);
    for (int64_t i = 0; i < m->n_holes && !rc; i++)
        w->face_state[m->hole_faces[i]] |= FACE_HOLE;
    if (!rc)
        rc = edits_primvars_init(w, b, err);
    if (!rc && !m->vertex_ids_ascend)
        rc = id_map_init(&w->vertex_map, w->vertex_ids, m->n_vertices, &twice, err);
    return rc || m->face_ids_ascend ? rc : id_map_init(&w->face_map, w->face_ids, m->n_faces, &twice, err);
}

/* ---- operations ---- */
/* Makes room for the faces that e adds, with their corners. */
static int room_for_faces(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    const int64_t f = w->n_faces, n = f + e->n, c = w->n_corners, corners = c + e->n_corners;
    int rc = edits_regrow(&w->face_state, f, e->n, &w->room_faces, 1, err);
    if (!rc)
        rc = edits_regrow(&w->first, f / EDIT_BLOCK + 1, e->n / EDIT_BLOCK + 1, &w->room_first, sizeof *w->first, err);
    if (!rc)
        rc = edits_write(&w->face_counts, n, f, e->n, sizeof *w->face_counts, err);
    if (!rc)
        rc = edits_write(&w->face_ids, n, f, e->n, sizeof *w->face_ids, err);
    if (!rc)
        rc = edits_write(&w->corners, corners, c, e->n_corners, sizeof *w->corners, err);
    return rc;
}

static int add_face(struct edit_work *w, const int32_t *ids, int32_t n, struct sdd_error *err)
{
    const int64_t f = w->n_faces;
    if (f % EDIT_BLOCK == 0)
        w->first[f / EDIT_BLOCK] = w->n_corners;
    w->face_counts[f] = n;
    w->face_ids[f] = (int32_t)w->next_face_id++;
    w->n_faces++;
    for (int32_t k = 0; k < n; k++) {
        int64_t row;
        int rc = edits_find_vertex(w, ids[k], &row, err);
        if (rc)
            return rc;
        w->corners[w->n_corners++] = (int32_t)row;
    }
    return edits_check_face(w, f, err);
}

static int add_faces(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    const int64_t first = w->n_faces, corner = w->n_corners;
    const int32_t *id = e->corners;
    int rc = room_for_faces(w, e, err);
    for (int64_t i = 0; i < e->n && !rc; id += e->counts[i++])
        rc = add_face(w, id, e->counts[i], err);
    if (!rc)
        rc = edits_primvars_grow(w, true, first, corner, err);
    if (rc || (!e->n_values && !w->st.of))
        return rc;
    if (!w->st.of) {
        rc = edits_channel_open(w, &w->st, err);
    } else if (!e->n_values) {
        rc = edits_write(&w->st.of, w->n_corners, corner, w->n_corners - corner, sizeof *w->st.of, err);
        if (!rc)
            memset(w->st.of + corner, 0xff, (size_t)(w->n_corners - corner) * sizeof *w->st.of); /* -1 */
    }
    return rc || !e->n_values ? rc : edits_channel_extend(&w->st, corner, w->n_corners - corner, e->values, err);
}

static int add_vertices(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    const int64_t first = w->n_vertices, n = first + e->n;
    int rc = edits_check_points(w, e, first, err);
    if (!rc)
        rc = edits_regrow(&w->vertex_state, first, e->n, &w->room_vertices, 1, err);
    if (!rc)
        rc = edits_write(&w->points, n, first, e->n, 3 * sizeof *w->points, err);
    if (!rc)
        rc = edits_write(&w->vertex_ids, n, first, e->n, sizeof *w->vertex_ids, err);
    if (rc)
        return rc;
    if (e->n)
        memcpy(w->points + 3 * first, e->values, (size_t)e->n * 3 * sizeof(float));
    while (w->n_vertices < n)
        w->vertex_ids[w->n_vertices++] = (int32_t)w->next_vertex_id++;
    return edits_primvars_grow(w, false, first, 0, err);
}

/* Adds a tag that the batch sets. */
static int add_tag(struct edit_tags *t, uint64_t key, float sharpness, struct sdd_error *err)
{
    int rc = edits_regrow(&t->v, t->n, 1, &t->room, sizeof *t->v, err);
    if (rc)
        return rc;
    t->v[t->n] = (struct mesh_row){key, (uint32_t)t->n, sharpness};
    t->n++;
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
        if (e->op == EDIT_REMOVE_VERTICES) {
            w->vertex_state[row] |= VERTEX_DEAD;
            rc = edits_add(&w->dead_vertices, (int32_t)row, err);
        } else if (e->op == EDIT_SET_CORNERS) {
            rc = add_tag(&w->tags, (uint64_t)row, e->values[i], err);
        } else {
            rc = edits_write(&w->points, w->n_vertices, row, 1, 3 * sizeof *w->points, err);
            if (!rc)
                memcpy(w->points + 3 * row, e->values + 3 * i, 3 * sizeof(float));
        }
    }
    return rc;
}

static int on_faces(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t i = 0; i < e->n && !rc; i++) {
        int64_t row;
        rc = edits_find_face(w, e->ids[i], &row, err);
        if (rc)
            return rc;
        unsigned char hole = w->face_state[row] & (unsigned char)~FACE_HOLE;
        if (e->op == EDIT_SET_HOLES) {
            w->face_state[row] = e->hole ? hole | FACE_HOLE : hole;
            rc = edits_add(&w->hole_faces, (int32_t)row, err);
        } else {
            w->face_state[row] |= FACE_DEAD;
            rc = edits_add(&w->dead_faces, (int32_t)row, err);
        }
    }
    return rc;
}

static int set_creases(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    for (int64_t i = 0; i < e->n; i++) {
        int64_t a, b;
        int rc = edits_find_vertex(w, e->ids[2 * i], &a, err);
        if (!rc)
            rc = edits_find_vertex(w, e->ids[2 * i + 1], &b, err);
        if (!rc)
            rc = add_tag(&w->creases, mesh_row_edge((int32_t)a, (int32_t)b), e->values[i], err);
        if (!rc)
            rc = edits_add(&w->crease_edits, (int32_t)w->edit, err);
        if (rc)
            return rc;
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
            rc = modelling_origins(m, &w->origins, &w->joined, err);
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

static int list_origins(struct edit_work *w, struct edit_result *out, struct sdd_error *err)
{
    int rc = SDD_OK;
    while (w->origins.n < out->n_new_faces && !rc)
        rc = edits_add(&w->origins, SDD_NO_ROW, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < w->origins.n; i++)
        if (w->origins.v[i] != SDD_NO_ROW)
            w->origins.v[i] = w->face_ids[w->origins.v[i]];
    for (int64_t i = 0; i < w->joined.n; i++)
        w->joined.v[i] = w->face_ids[w->joined.v[i]];
    out->origins = w->origins.v;
    out->joined = w->joined.v;
    out->n_joined = w->joined.n / 2;
    w->origins = w->joined = (struct ints){0};
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
        rc = edits_list_near(&w, err);
    if (!rc)
        rc = edits_check_creases(&w, err);
    if (!rc)
        rc = list_new(&w, m, out, err);
    if (!rc)
        rc = list_origins(&w, out, err);
    if (!rc)
        rc = edits_close_up(&w, &out->mesh, &out->delta, err);
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
    free(r->origins);
    free(r->joined);
    memset(r, 0, sizeof *r);
}
