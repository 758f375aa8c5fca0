/* SPDX-License-Identifier: Apache-2.0 */
/* edits.h: the door of edits/: an atomic batch of topology edits, and the mesh that it makes of another. The codecs
 * make batches, and the edits route applies them. edits/ uses mesh/ and base/.
 *
 * Edits apply in order. Elements are named by id; -1-k names the k-th vertex (or face) that the batch adds. These rules
 * hold for the mesh at the end of the batch, so that a batch can replace a face by others:
 *   - No face may use a removed vertex.
 *   - Either every face has UVs, or none has.
 *   - A crease is dropped when the batch removed a face along its edge and no face has that edge any more.
 *   - UV values that no corner names are dropped. New values at a vertex that equal others there in every bit become
 *     one value with them, so that there is no seam.
 *   - A primvar that the batch puts as a whole must have the rows of that mesh.
 * Values of faceVarying primvars are treated as UVs are, except that a new face always has some. New elements have
 * zeros in all primvars until EDIT_SET_PRIMVAR changes them.
 *
 * The operations up to EDIT_REMOVE_PRIMVAR are the primitives. The others, from EDIT_FLIP_EDGES on, are modelling
 * edits: each is turned into primitives, which are then applied, so that nothing behind edits_apply knows of them. A
 * face whose corners change is removed and added again, so it gets a new id. docs/meshes.md says what they make. */
#ifndef SUBDD_EDITS_H
#define SUBDD_EDITS_H
#include "server/base/arena.h"
#include "server/mesh/changes.h"
#include "server/mesh/delta.h"

/* The numbers are stored with each version (edit_kinds), so new ones come last. */
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
    EDIT_REMOVE_PRIMVAR,
    EDIT_FLIP_EDGES,
    EDIT_SPLIT_EDGES,
    EDIT_COLLAPSE_EDGES,
    EDIT_SPLIT_FACES,
    EDIT_POKE_FACES,
    EDIT_TRIANGULATE_FACES,
    EDIT_EXTRUDE_FACES,
    EDIT_INSET_FACES,
    EDIT_REVERSE_FACES,
    EDIT_LOOP_CUT,
    EDIT_DISSOLVE_VERTICES,
    EDIT_DISSOLVE_EDGES,
    EDIT_DISSOLVE_FACES,
    EDIT_MERGE_VERTICES
};

const char *edit_name(enum edit_op op); /* As a JSON body names it: "addVertices" and so on. */

/* One edit. The arrays belong to the batch's arena; those that the operation does not have are NULL. */
struct edit {
    enum edit_op op;
    int64_t n;              /* How many vertices, faces or edges the edit names or adds. */
    const int32_t *ids;     /* [n] Vertices or faces. For SET_CREASES and the edits of edges, [n][2] vertices. */
    const int32_t *counts;  /* [n] For ADD_FACES, the corners of each face; for SPLIT_FACES, [n][2] vertices. */
    int64_t n_corners;      /* For ADD_FACES, the sum of counts. */
    const int32_t *corners; /* [n_corners] For ADD_FACES, the vertex ids of the corners. */
    int64_t n_values;       /* Rows of `values`; for SET_PRIMVAR, single numbers. */
    /* Points [n][3], sharpnesses [n], UVs [corners][2] or values; ADD_FACES may lack its UVs. For modelling edits, one
     * parameter for all elements or one for each; without any, the operation's own. */
    const float *values;
    /* For the edits of primvars. All of them use its name, PUT_PRIMVAR uses all of it, and for SET_PRIMVAR
     * primvar->values has `values` as integers, or is NULL when they are not integers. */
    const struct primvar_array *primvar;
    int hole; /* For SET_HOLES, 1 to make holes and 0 to fill them. */
};
struct edit_batch {
    int64_t n_edits;
    struct edit *edits;
    struct arena *arena; /* It holds all of this, the struct itself included. */
};
void edit_batch_free(struct edit_batch *b); /* NULL is fine. */
/* edit_kinds: the operations that are in a batch, bit by bit: 1 << op. */
uint32_t edit_kinds(const struct edit_batch *b);
/* edits_names_faces: whether the ids of an edit of m are those of faces; those of the others are vertices.
 * edits_ids_each: how many ids stand for one element: an edge is two vertices. */
bool edits_names_faces(const struct edit *e, const struct mesh *m);
int edits_ids_each(enum edit_op op);
/* edit_id_words, edit_value_words: how many numbers `ids` and `values` of a primitive have. */
int64_t edit_id_words(const struct edit *e);
int64_t edit_value_words(const struct edit *e);
/* edit_set: fills *e from authored arrays (for ADD_FACES, ids are the face corners) and checks that they agree.
 * Errors  SDD_EINVALID (an array that the operation needs is missing or empty), SDD_EMESH; both name edits[index] and
 *         the array */
int edit_set(struct edit *e, enum edit_op op, int64_t index, struct i32s ids, struct i32s counts, struct f32s values,
             struct sdd_error *err) SDD_MUST_CHECK;

struct edit_result {
    struct mesh *mesh;       /* The new version; the caller may take it and set NULL here. */
    struct mesh_delta delta; /* From the rows of the old version to those of the new one. */
    int64_t n_new_vertices, n_new_faces;
    int32_t *new_vertex_ids; /* In the order of adding; those that the same batch removed again are among them. */
    int32_t *new_face_ids;   /* In the same way. */
    /* [n_new_faces] The id of the face in whose place a modelling edit has put each, which the batch itself may have
     * added; SDD_NO_ROW for faces of EDIT_ADD_FACES. */
    int32_t *origins;
    int64_t n_joined; /* A new face in the place of several has the others here. */
    int32_t *joined;  /* [n_joined][2] The ids of the new face, which ascend, and of another that it stands for. */
    /* The batch as primitives alone, which make the same mesh of the old one again. NULL when nothing was done, or when
     * they would take more than a quarter of the mesh's memory. */
    struct edit_batch *primitives;
};
/* edits_apply: makes the mesh that the batch makes of m, and says what has changed. m stays as it is. On error *out is
 * empty. The new mesh still has to pass sdd_topology_create, whose errors name rows. What it would refuse of the
 * points, faces and creases of the batch is refused here already, because here errors can name ids.
 * Cost    that of the batch and what is around it, where it adds rows and sets some. At the speed of memory: a look at
 *         the corners of all faces, a few times, when the batch is about tags, values or what is around a vertex; a
 *         pass over the arrays from which it removes rows, and over those that name vertices or values that are gone.
 *         A table of ids when they do not ascend
 * Errors  SDD_EINVALID (no edits), SDD_EMESH naming edit and element ("edits[3]: there is no vertex 7"),
 *         SDD_ETOO_LARGE (ids run out, or too many rows or zeros), SDD_ENO_MEMORY */
int edits_apply(const struct mesh *m, const struct edit_batch *b, struct edit_result *out,
                struct sdd_error *err) SDD_MUST_CHECK;
/* edit_result_free: frees what the result points to and empties it. */
void edit_result_free(struct edit_result *r);
/* edits_named: lists what the edits of a batch name that the mesh has, and adds to *changes the primvars that they set.
 * Owner   the caller frees the lists of *out, after an error too
 * Errors  SDD_ENO_MEMORY */
int edits_named(const struct edit_batch *b, const struct mesh *m, struct mesh_named *out, struct mesh_changes *changes,
                struct sdd_error *err) SDD_MUST_CHECK;

#endif
