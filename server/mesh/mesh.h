/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the door of mesh/: the control mesh of one version in host memory, which is stored, edited and handed to the
 * compute library. mesh/ knows no HTTP, store or device; it uses base/ and gpu/sdd/, and rooms that handle meshes use
 * it. Its rooms formats/ (bodies into meshes and back) and edits/ (changes of topology) build on it.
 *
 *   mesh_build (called by the codecs of formats/codec.h) -> mesh_desc -> sdd_topology_create
 *
 * A mesh is normalised, so that equal topologies have equal bytes and one topology id:
 *   creases   one row per edge as (lower, higher) vertex, ascending; the last authored row of an edge wins; the
 *             sharpness is in (0, 10]
 *   corners   ascending by vertex; the last authored row of a vertex wins; the sharpness is in (0, 10]
 *   holes     ascending, each face once
 *   ids       each once; they ascend unless mesh_reorder has moved rows. An element keeps its id for ever, while rows
 *             are dense and close up when something is removed
 *   primvars  ascending by name; only faceVarying ones have indices
 * Every array is allocated even when it has no rows; only uv_indices and primvars are NULL when there are none. The
 * arrays are shared ones (shared.h): versions of a mesh, and its copies, have those that are equal together. Whoever
 * wants to write one makes it his own first (shared_own, shared_touch); all others crash when they write.
 *
 * The host checks that lengths agree with counts. Whether an index, a coordinate or an edge is valid is checked by
 * sdd_topology_create, so code here that indexes with these arrays calls mesh_check_indices first. Of a client's mesh
 * mesh_build checks tags, UVs and primvars before that, so that it can leave out what is wrong (losses.h). */
#ifndef SUBDD_MESH_H
#define SUBDD_MESH_H
#include "gpu/sdd/sdd.h"
#include "server/mesh/losses.h"
#include "server/mesh/primvars.h"
#include "server/mesh/stage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESH_NAME_SIZE 256       /* Room for a name of 255 bytes. */
#define MESH_TOPOLOGY_ID_SIZE 33 /* Room for 32 hex digits. */

/* A control mesh of V vertices, F faces, C face corners and U UV values. */
struct mesh {
    char name[MESH_NAME_SIZE]; /* "" until the mesh gets a name. */
    struct sdd_options options;
    struct mesh_stage stage; /* Not part of the topology id. */
    int64_t n_vertices, n_faces, n_corners, n_creases, n_corner_tags, n_holes, n_uvs;
    /* The owner copies n_edges and manifold from sdd_topology_info; until then both are 0. They are stored, but not
     * hashed. */
    int64_t n_edges;
    int manifold;
    bool vertex_ids_ascend, face_ids_ascend;
    bool is_checked; /* The indices are known to be in range, as edits_apply found them to be. */
    int64_t next_vertex_id, next_face_id;
    float *points;            /* [V][3] */
    int32_t *face_counts;     /* [F] */
    int32_t *face_vertices;   /* [C] Rows of points. */
    int32_t *crease_edges;    /* [n_creases][2] */
    float *crease_sharpness;  /* [n_creases] */
    int32_t *corner_vertices; /* [n_corner_tags] */
    float *corner_sharpness;  /* [n_corner_tags] */
    int32_t *hole_faces;      /* [n_holes] */
    float *uvs;               /* [U][2] */
    int32_t *uv_indices;      /* [C] Rows of uvs; NULL when U is 0. */
    int32_t *vertex_ids;      /* [V] */
    int32_t *face_ids;        /* [F] */
    int n_primvars;
    struct primvar *primvars; /* The UVs (st) are not among them. */
    int n_channels;
    /* One channel for each faceVarying primvar that has values; the indices are borrowed from the primvar. */
    struct sdd_channel channels[SDD_MAX_PRIMVARS];
    struct mesh_topology *topology; /* What mesh_topology_id_keep has found (topology_id.h), or NULL. */
};

/* The authored arrays of a mesh in USD's form, all borrowed. An empty array has n = 0. */
struct mesh_arrays {
    struct sdd_options options;
    struct f32s points;             /* [V][3] */
    struct i32s face_counts;        /* [F] */
    struct i32s face_vertices;      /* [C] */
    struct i32s crease_indices;     /* The vertices along each crease, one crease after the other. */
    struct i32s crease_lengths;     /* [creases] Each is at least 2. */
    struct f32s crease_sharpnesses; /* One per crease, or one per edge, which is the sum of (length - 1). */
    int crease_pairs; /* 1 when crease_indices is [n][2], one edge per crease, and there are no lengths. */
    struct i32s corner_indices;
    struct f32s corner_sharpnesses;
    struct i32s hole_indices;
    struct f32s uvs;                      /* [U][2] */
    struct i32s uv_indices;               /* [C] */
    struct i32s vertex_ids, face_ids;     /* Each id once; empty arrays make mesh_build number the rows from 0. */
    int64_t next_vertex_id, next_face_id; /* Above all ids; 0 when mesh_build numbers the rows. */
    int n_primvars;
    struct primvar_array primvars[SDD_MAX_PRIMVARS];
    struct mesh_stage stage;
    /* Gets what is wrong and only goes along with the surface, which is then left out; NULL refuses it. */
    struct losses *losses;
};

/* mesh_build: makes a mesh: checks that lengths agree, copies the arrays, normalises the tags and numbers the elements.
 * Without uv_indices, row i of the UVs is that of corner i, or of vertex i when they have as many rows. With a->losses,
 * UVs, primvars, a stage, creases, corners and holes that are wrong become losses.
 * Errors  SDD_EMESH naming array and row (a face count below 1, counts that do not sum to C, a crease of fewer than 2
 *         vertices, a sharpness that is NaN, infinite or negative; for primvars see primvars_build), SDD_ETOO_LARGE
 *         (2^31 rows or more), SDD_ENO_MEMORY */
int mesh_build(const struct mesh_arrays *a, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
void mesh_free(struct mesh *m); /* NULL is fine. */
/* mesh_copy: makes a copy that shares the arrays. Errors  SDD_ENO_MEMORY */
int mesh_copy(const struct mesh *m, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_reorder: makes a copy of m whose rows are in the order of sdd_order_rcm. The ids, the name, the values that
 * corners name and the order of corners within a face stay. bandwidth gets that of the mesh matrix before and after.
 * Errors  SDD_EMESH (indices), SDD_ENO_MEMORY */
int mesh_reorder(const struct mesh *m, struct mesh **out, int64_t bandwidth[2], struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_check_indices: checks that all index arrays are in range. Errors  SDD_EMESH */
int mesh_check_indices(const struct mesh *m, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_desc: fills *out with the arrays as the compute library takes them; they are borrowed from m. */
void mesh_desc(const struct mesh *m, struct sdd_mesh_desc *out);
/* mesh_topology_id: the name of the topology, which depends on options, faces, tags and the indices of UVs and
 * faceVarying primvars, but not on positions, values, ids or names. topology_id.h has the rule.
 * Cost    none when m keeps it, else that of SHA-256 over what mesh_encode gives
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY, SDD_EINTERNAL */
int mesh_topology_id(const struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_bytes: the host memory that m holds. */
int64_t mesh_bytes(const struct mesh *m);
/* mesh_name_check: checks that `name` can be the name of a mesh: 1 to 255 bytes of UTF-8 without control characters
 * (C0, DEL and C1), without a space at either end. Errors  SDD_EINVALID with the limit of its length */
int mesh_name_check(const char *name, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_option_set: sdd_option_set for a token from a client. The error message repeats only printable ASCII of it. */
int mesh_option_set(struct sdd_options *o, const char *name, const char *token, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_alloc: allocates n rows of `bytes` each; no rows still give memory that is not NULL.
 * Result  NULL on error
 * Errors  SDD_ENO_MEMORY or SDD_ETOO_LARGE in *err */
void *mesh_alloc(int64_t n, int64_t bytes, struct sdd_error *err);
/* mesh_array: mesh_alloc for an array of a mesh, which is given back with shared_free. mesh_seal: seals all arrays once
 * they are filled. */
void *mesh_array(int64_t n, int64_t bytes, struct sdd_error *err);
void mesh_seal(struct mesh *m);

#endif
