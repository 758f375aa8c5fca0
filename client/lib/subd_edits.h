/* SPDX-License-Identifier: Apache-2.0 */
/* subd_edits.h: atomic batches of edits of a mesh. Part of libsubd; subd.h includes it and says what
 * holds for all of it. */
#ifndef SUBD_EDITS_H
#define SUBD_EDITS_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* One edit of a batch. Ids are the mesh's stable ids; -1-k is the k-th vertex (face) that this batch adds.
 *   op                    ids                 values                    counts
 *   SUBD_ADD_VERTICES                         points[n][3]
 *   SUBD_REMOVE_VERTICES  vertices[n]
 *   SUBD_ADD_FACES        vertex a corner     uvs[corners][2] or none   face sizes
 *   SUBD_REMOVE_FACES     faces[n]
 *   SUBD_SET_POSITIONS    vertices[n]         points[n][3]
 *   SUBD_SET_CREASES      vertex pairs[n][2]  sharpness[n], 0 removes
 *   SUBD_SET_CORNERS      vertices[n]         sharpness[n], 0 removes
 *   SUBD_SET_HOLES        faces[n]            (hole says which way)
 *   SUBD_SET_UVS          faces[n]            uvs[corners][2]
 *   SUBD_SET_PRIMVAR      elements[n]         (primvar: name and values, a row an element; ids: vertices, faces, of
 *                                             a faceVarying one faces with a row a corner, of a constant one none)
 *   SUBD_PUT_PRIMVAR                          (primvar: all of it, with the rows of the mesh as the batch leaves it)
 *   SUBD_REMOVE_PRIMVAR                       (primvar: its name)
 * What a batch adds has zeros in all primvars until SUBD_SET_PRIMVAR says otherwise. */
enum subd_edit_op {
    SUBD_ADD_VERTICES = 1,
    SUBD_REMOVE_VERTICES,
    SUBD_ADD_FACES,
    SUBD_REMOVE_FACES,
    SUBD_SET_POSITIONS,
    SUBD_SET_CREASES,
    SUBD_SET_CORNERS,
    SUBD_SET_HOLES,
    SUBD_SET_UVS,
    SUBD_SET_PRIMVAR,
    SUBD_PUT_PRIMVAR,
    SUBD_REMOVE_PRIMVAR
};
struct subd_edit {
    enum subd_edit_op op;
    const int32_t *ids, *counts;
    const float *values;
    int64_t n_ids, n_counts, n_values; /* array lengths, in numbers */
    int hole;
    const struct subd_primvar *primvar;
};
struct subd_edit_result {
    struct subd_mesh_info mesh;
    int32_t *new_vertex_ids, *new_face_ids; /* in the order in which the batch added them */
    int64_t n_new_vertices, n_new_faces;
};
/* subd_edits: POST edits: all or nothing. version: the one the batch was made for (> 0).
 * Errors  SUBD_EHTTP 412 with current_version when the mesh has moved on */
SUBD_API int subd_edits(subd_client *c, const char *id, int64_t version, const struct subd_edit *edits, int n_edits,
                        const char *idempotency_key, struct subd_edit_result *out,
                        struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API int subd_edits_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                             const char *idempotency_key, struct subd_edit_result *out,
                             struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API void subd_edit_result_free(struct subd_edit_result *r);

#ifdef __cplusplus
}
#endif
#endif
