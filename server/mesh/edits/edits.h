/* SPDX-License-Identifier: Apache-2.0 */
/* edits.h: an atomic batch of topology edits, and what it makes of a mesh.
 *
 * Edits apply in order. Elements are named by id; -1-k is the k-th vertex (or face) that the batch adds, in order. Five
 * things are judged on the mesh as the batch leaves it, so that a face can be replaced by others in one batch:
 *   a removed vertex may not be used by a face;       either every face has UVs or none;
 *   a crease goes when the batch removed a face along its edge and no face has that edge any more;
 *   UV values that no corner uses go. Values set at one vertex that are equal in every bit are one value (no seam);
 *   a primvar that is put whole has the rows of that mesh.
 * Values of faceVarying primvars are treated as UVs are, but that a new face always has some. New elements have zeros
 * in all primvars until EDIT_SET_PRIMVAR says otherwise. */
#ifndef SUBDD_EDITS_H
#define SUBDD_EDITS_H
#include "server/base/arena.h"
#include "server/mesh/delta.h"

enum edit_op {
    EDIT_ADD_VERTICES,
    EDIT_REMOVE_VERTICES,
    EDIT_ADD_FACES,
    EDIT_REMOVE_FACES,
    EDIT_SET_POSITIONS,
    EDIT_SET_CREASES,
    EDIT_SET_CORNERS,
    EDIT_SET_HOLES,
    EDIT_SET_UVS,
    EDIT_SET_PRIMVAR,
    EDIT_PUT_PRIMVAR,
    EDIT_REMOVE_PRIMVAR
};

struct edit { /* arrays belong to the batch's arena; those that an operation does not have are NULL */
    enum edit_op op;
    int64_t n;             /* vertices, faces or edges that it names or adds                                   */
    const int32_t *ids;    /* [n] vertices or faces; SET_CREASES: [n][2] vertices                              */
    const int32_t *counts; /* ADD_FACES: [n] face sizes                                                        */
    int64_t n_corners;
    const int32_t *corners; /* ADD_FACES: [n_corners] vertex ids                                                */
    int64_t n_values;       /* rows of values; SET_PRIMVAR: numbers                                             */
    const float *values;    /* points [n][3], sharpness [n], or UVs [corners][2] (ADD_FACES: may be absent)     */
    /* *_PRIMVAR: its name; PUT: all of it; SET: `values` as integers, NULL when they are none */
    const struct primvar_array *primvar;
    int hole; /* SET_HOLES                                                                        */
};
struct edit_batch {
    int64_t n_edits;
    struct edit *edits;
    struct arena *arena; /* owns all of this */
};
void edit_batch_free(struct edit_batch *b); /* NULL is fine */
/* edit_set: fills *e from arrays as authored (ADD_FACES: ids are the face corners) and checks that they fit together.
 * Errors  SDD_EINVALID (an array that the operation needs is missing or empty), SDD_EMESH, naming edits[index] and the
 *         array */
int edit_set(struct edit *e, enum edit_op op, int64_t index, struct i32s ids, struct i32s counts, struct f32s values,
             struct sdd_error *err) SDD_MUST_CHECK;

struct edit_result {
    struct mesh *mesh;       /* the new version; the caller frees it (or takes it and sets NULL)           */
    struct mesh_delta delta; /* from the rows of the old version to those of the new one */
    int64_t n_new_vertices, n_new_faces;
    int32_t *new_vertex_ids; /* in the order of adding, also those that the same batch removed again       */
    int32_t *new_face_ids;
};
/* edits_apply: m with the batch applied, and what that has changed. m does not change; on error *out is empty.
 * Cost    linear in mesh + batch, plus a search an id (binary where ids ascend, else a look into a table)
 * Errors  SDD_EINVALID (no edits), SDD_EMESH naming edit and element ("edits[3]: there is no vertex 7"),
 *         SDD_ETOO_LARGE when ids run out, SDD_ENO_MEMORY. The result still has to pass sdd_topology_create, which
 *         names rows: what it would refuse of the points, faces and creases that the batch gives is refused here, by
 *         id. */
int edits_apply(const struct mesh *m, const struct edit_batch *b, struct edit_result *out,
                struct sdd_error *err) SDD_MUST_CHECK;
void edit_result_free(struct edit_result *r); /* frees what it points to */

#endif
