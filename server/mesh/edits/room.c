/* SPDX-License-Identifier: Apache-2.0 */
/* room.c: how many rows and ids there can be, for apply.c. What the primitives of a batch need is counted before the
 * first is applied; what modelling edits need is known only when it is their turn. */
#include "server/mesh/edits/work.h"

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

int edits_reserve(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    int rc = edits_need(&w->need, e, err);
    if (!rc)
        rc = edits_check_ids(w, err);
    return rc ? rc : edits_primvars_reserve(w, e, err);
}
