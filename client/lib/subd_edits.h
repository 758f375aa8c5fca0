/* SPDX-License-Identifier: Apache-2.0 */
/* subd_edits.h: batches of edits, of which a mesh takes all or none. Part of libsubd; subd.h includes it and says what
 * holds for every call. */
#ifndef SUBD_EDITS_H
#define SUBD_EDITS_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* The operation of an edit says which arrays of struct subd_edit it reads. Ids are the mesh's stable ids; -1-k is the
 * k-th vertex (or face) that this batch adds.
 *   op                    ids                 values                    counts
 *   SUBD_ADD_VERTICES                         points[n][3]
 *   SUBD_REMOVE_VERTICES  vertices[n]
 *   SUBD_ADD_FACES        vertices[corners]   uvs[corners][2] or none   face sizes[n]
 *   SUBD_REMOVE_FACES     faces[n]
 *   SUBD_SET_POSITIONS    vertices[n]         points[n][3]
 *   SUBD_SET_CREASES      vertex pairs[n][2]  sharpness[n], 0 removes
 *   SUBD_SET_CORNERS      vertices[n]         sharpness[n], 0 removes
 *   SUBD_SET_HOLES        faces[n]            none; `hole` 1 makes holes and 0 removes them
 *   SUBD_SET_UVS          faces[n]            uvs[corners][2]
 *   SUBD_SET_PRIMVAR      elements[n]         none; `primvar` has the name and the values, a row for each element
 *   SUBD_PUT_PRIMVAR                          none; `primvar` has all of it, with the rows that the mesh has at the end
 *   SUBD_REMOVE_PRIMVAR                       none; `primvar` has the name
 * Modelling edits, which the daemon turns into those above; docs/meshes.md says what they make. An edge is a pair of
 * vertices. t is one number for all, n numbers, or none, which is the number in brackets.
 *   SUBD_FLIP_EDGES         edges[n][2]
 *   SUBD_SPLIT_EDGES        edges[n][2]       t [0.5]
 *   SUBD_COLLAPSE_EDGES     edges[n][2]       t [0.5]
 *   SUBD_SPLIT_FACES        faces[n]                                vertices[n][2]
 *   SUBD_POKE_FACES         faces[n]
 *   SUBD_TRIANGULATE_FACES  faces[n]
 *   SUBD_EXTRUDE_FACES      faces[n]          a distance, a vector of 3 numbers, or none
 *   SUBD_INSET_FACES        faces[n]          t [0.5]
 *   SUBD_REVERSE_FACES      faces[n]
 *   SUBD_LOOP_CUT           edges[n][2]       t [0.5]
 *   SUBD_DISSOLVE_VERTICES  vertices[n]
 *   SUBD_DISSOLVE_EDGES     edges[n][2]
 *   SUBD_DISSOLVE_FACES     faces[n]
 *   SUBD_MERGE_VERTICES     vertices[n]       one t [1]
 * Elements are vertices for a vertex or varying primvar, and faces for a uniform one. They are faces for a faceVarying
 * one, too, which then has a row for each of their corners. A constant primvar takes no ids. Vertices and faces that a
 * batch adds have zeros in all primvars until SUBD_SET_PRIMVAR changes them. Names of face sets are put by a body
 * (subd_edits_body). */
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
    SUBD_REMOVE_PRIMVAR,
    SUBD_FLIP_EDGES,
    SUBD_SPLIT_EDGES,
    SUBD_COLLAPSE_EDGES,
    SUBD_SPLIT_FACES,
    SUBD_POKE_FACES,
    SUBD_TRIANGULATE_FACES,
    SUBD_EXTRUDE_FACES,
    SUBD_INSET_FACES,
    SUBD_REVERSE_FACES,
    SUBD_LOOP_CUT,
    SUBD_DISSOLVE_VERTICES,
    SUBD_DISSOLVE_EDGES,
    SUBD_DISSOLVE_FACES,
    SUBD_MERGE_VERTICES
};
struct subd_edit {
    enum subd_edit_op op;
    const int32_t *ids, *counts;
    const float *values;
    int64_t n_ids, n_counts, n_values; /* Lengths of the arrays, in numbers. */
    int hole;                          /* Only SUBD_SET_HOLES reads it. */
    const struct subd_primvar *primvar;
};
struct subd_edit_result {
    struct subd_mesh_info mesh;
    int32_t *new_vertex_ids, *new_face_ids; /* In the order in which the batch added them. */
    int64_t n_new_vertices, n_new_faces;
    int64_t passed_over; /* How many versions came since that for which the batch was made (subd_rebase). */
    int64_t reserved[3];
};
/* subd_edits: POST edits: applies a batch of edits in order, all of them or none. `version` (> 0) is the version of the
 * mesh that the batch was made for. A repeated batch with the same idempotency_key is applied once; NULL is no key.
 * Owner   *out (out may be NULL) is the caller's to release with subd_edit_result_free; it is empty after an error
 * Errors  SUBD_EUSAGE (version, an operation or a length); SUBD_EHTTP 412 with current_version when the mesh has
 *         another version */
SUBD_API int subd_edits(subd_client *c, const char *id, int64_t version, const struct subd_edit *edits, int n_edits,
                        const char *idempotency_key, struct subd_edit_result *out,
                        struct subd_error *err) SUBD_MUST_CHECK;
/* subd_edits_body: subd_edits with a body that the caller has packed: an EditBatch of subdd.proto, as protobuf or
 * JSON. */
SUBD_API int subd_edits_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                             const char *idempotency_key, struct subd_edit_result *out,
                             struct subd_error *err) SUBD_MUST_CHECK;
/* subd_edit_result_free: frees the arrays and clears *r. NULL is fine. */
SUBD_API void subd_edit_result_free(struct subd_edit_result *r);

#ifdef __cplusplus
}
#endif
#endif
