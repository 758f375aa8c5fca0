/* SPDX-License-Identifier: Apache-2.0 */
/* room.c: memory for the rows of the working copy, for apply.c. What the primitives of a batch need is counted before
 * the first is applied. What modelling edits need is known only when it is their turn, so arrays grow then. */
#include "server/mesh/edits/work.h"
#include <stdlib.h>
#include <string.h>

int edits_need(struct edit_room *need, const struct edit *e, struct sdd_error *err)
{
    bool fits = true;
    if (e->op == EDIT_ADD_VERTICES)
        fits &= size_add(need->n_vertices, e->n, &need->n_vertices);
    if (e->op == EDIT_ADD_FACES)
        fits &=
            size_add(need->n_faces, e->n, &need->n_faces) && size_add(need->n_corners, e->n_corners, &need->n_corners);
    if (e->op == EDIT_ADD_FACES || e->op == EDIT_SET_UVS)
        fits &= size_add(need->n_uvs, e->n_values, &need->n_uvs);
    if (e->op == EDIT_SET_CREASES)
        fits &= size_add(need->n_creases, e->n, &need->n_creases);
    if (e->op == EDIT_SET_CORNERS)
        fits &= size_add(need->n_tags, e->n, &need->n_tags);
    const int64_t all[] = {need->n_vertices, need->n_faces,   need->n_corners,
                           need->n_uvs,      need->n_creases, need->n_tags};
    for (int i = 0; i < 6; i++)
        fits &= all[i] <= INT32_MAX;
    return fits ? SDD_OK : sdd_fail(err, SDD_ETOO_LARGE, "edits", "the mesh would pass 2^31 rows or run out of ids");
}

int edits_check_ids(const struct edit_work *w, struct sdd_error *err)
{
    if (w->next_vertex_id + (w->need.n_vertices - w->n_vertices) <= (int64_t)INT32_MAX + 1 &&
        w->next_face_id + (w->need.n_faces - w->n_faces) <= (int64_t)INT32_MAX + 1)
        return SDD_OK;
    return sdd_fail(err, SDD_ETOO_LARGE, "edits", "the mesh would pass 2^31 rows or run out of ids");
}

int edits_regrow(void *array, int64_t n, int64_t from, int64_t to, int64_t bytes, struct sdd_error *err)
{
    void *old;
    if (to <= from)
        return SDD_OK;
    memcpy(&old, array, sizeof old);
    void *grown = edits_grown(old, n, to, bytes, err);
    if (!grown)
        return SDD_ENO_MEMORY;
    free(old);
    memcpy(array, &grown, sizeof grown);
    return SDD_OK;
}

/* Room that is too small grows by half at least, so that many small edits do not copy the mesh each time. */
static int64_t enough(int64_t room, int64_t need)
{
    int64_t half_more = room + room / 2;
    return need <= room ? room : need > half_more ? need : half_more;
}

static int grow(struct edit_work *w, const struct edit_room *to, struct sdd_error *err)
{
    const struct edit_room *r = &w->room;
    const struct {
        void *array;
        int64_t n, from, to, bytes;
    } arrays[] = {{&w->vertex_ids, w->n_vertices, r->n_vertices, to->n_vertices, sizeof(int32_t)},
                  {&w->vertex_state, w->n_vertices, r->n_vertices, to->n_vertices, 1},
                  {&w->points, w->n_vertices, r->n_vertices, to->n_vertices, 3 * sizeof(float)},
                  {&w->face_ids, w->n_faces, r->n_faces, to->n_faces, sizeof(int32_t)},
                  {&w->face_counts, w->n_faces, r->n_faces, to->n_faces, sizeof(int32_t)},
                  {&w->face_first, w->n_faces + 1, r->n_faces + 1, to->n_faces + 1, sizeof(int64_t)},
                  {&w->face_state, w->n_faces, r->n_faces, to->n_faces, 1},
                  {&w->corners, w->n_corners, r->n_corners, to->n_corners, sizeof(int32_t)},
                  {&w->st.of, w->n_corners, r->n_corners, to->n_corners, sizeof(int32_t)},
                  {&w->st.values, w->st.n_values, r->n_uvs, to->n_uvs, 2 * sizeof(float)},
                  {&w->creases, w->n_creases, r->n_creases, to->n_creases, sizeof(struct mesh_row)},
                  {&w->crease_edits, w->n_creases, r->n_creases, to->n_creases, sizeof(int32_t)},
                  {&w->tags, w->n_tags, r->n_tags, to->n_tags, sizeof(struct mesh_row)}};
    int rc = SDD_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && !rc; i++)
        rc = edits_regrow(arrays[i].array, arrays[i].n, arrays[i].from, arrays[i].to, arrays[i].bytes, err);
    return rc;
}

int edits_reserve(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    int rc = edits_need(&w->need, e, err);
    if (!rc)
        rc = edits_check_ids(w, err);
    if (rc)
        return rc;
    const struct edit_room *need = &w->need, *r = &w->room;
    const struct edit_room to = {enough(r->n_vertices, need->n_vertices), enough(r->n_faces, need->n_faces),
                                 enough(r->n_corners, need->n_corners),   enough(r->n_uvs, need->n_uvs),
                                 enough(r->n_creases, need->n_creases),   enough(r->n_tags, need->n_tags)};
    rc = edits_primvars_reserve(w, e, &to, err);
    if (!rc)
        rc = grow(w, &to, err);
    if (!rc)
        w->room = to;
    return rc;
}
