/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the control mesh of one version in host memory: what is stored, edited and handed to the compute library.
 *
 *   mesh_build (the codecs of mesh_codec.h call it) -> mesh_desc -> sdd_topology_create, which checks all else
 *
 * A mesh is normalised, so equal topologies have equal bytes and one topology id:
 *   creases  one row an edge as (lower, higher) vertex, ascending, the last authored wins, sharpness in (0, 10]
 *   corners  ascending by vertex, same rules             holes  ascending, each once
 *   ids      each once, in any order: ascending but where mesh_reorder has moved rows; an element keeps its id for
 *            ever, rows are dense and close up when something is removed
 *   primvars ascending by name, without indices but for faceVarying ones
 * Every array is there (not NULL), also when it has no rows; only uv_indices is NULL without UVs, and primvars without
 * any.
 * The host checks shapes: counts against lengths. Whether an index, a coordinate or an edge is good is for the compute
 * library to say; code here that indexes with them calls mesh_check_indices first. */
#ifndef SUBDD_MESH_H
#define SUBDD_MESH_H
#include "gpu/sdd/sdd.h"
#include "server/mesh/primvars.h"
#include <stddef.h>
#include <stdint.h>

#define MESH_NAME_SIZE 129       /* 128 characters of [A-Za-z0-9._-], no leading dot */
#define MESH_TOPOLOGY_ID_SIZE 33 /* 32 hex digits                                    */

struct mesh {                  /* V vertices, F faces, C face corners, U UV values */
    char name[MESH_NAME_SIZE]; /* "" until someone names it                                           */
    struct sdd_options options;
    int64_t n_vertices, n_faces, n_corners, n_creases, n_corner_tags, n_holes, n_uvs;
    int64_t n_edges; /* this and manifold: 0 until the owner copies them from sdd_topology_info; stored, not hashed */
    int manifold;
    int64_t next_vertex_id, next_face_id;
    float *points;           /* [V][3]                                                                  */
    int32_t *face_counts;    /* [F]                                                                     */
    int32_t *face_vertices;  /* [C] rows of points                                                      */
    int32_t *crease_edges;   /* [n_creases][2]                                                          */
    float *crease_sharpness; /* [n_creases]                                                             */
    int32_t *corner_vertices;
    float *corner_sharpness;
    int32_t *hole_faces;
    float *uvs;          /* [U][2]                                                                  */
    int32_t *uv_indices; /* [C] rows of uvs; NULL when U is 0                                       */
    int32_t *vertex_ids; /* [V] each once                                                           */
    int32_t *face_ids;   /* [F] each once                                                           */
    int n_primvars;
    struct primvar *primvars; /* st is not among them                                               */
    int n_channels;
    struct sdd_channel
        channels[SDD_MAX_PRIMVARS]; /* of those that are faceVarying and have values; borrowed from them */
};

/* What a mesh is made of, as authored, in USD's form; all borrowed. An empty array has n = 0. */
struct mesh_arrays {
    struct sdd_options options;
    struct f32s points;             /* [V][3]                                                          */
    struct i32s face_counts;        /* [F]                                                             */
    struct i32s face_vertices;      /* [C]                                                             */
    struct i32s crease_indices;     /* chains of vertices                                              */
    struct i32s crease_lengths;     /* [chains] each >= 2                                              */
    struct f32s crease_sharpnesses; /* [chains] or [sum of (length - 1)]                               */
    int crease_pairs;               /* 1: crease_indices is [n][2], no lengths, sharpnesses [n]        */
    struct i32s corner_indices;
    struct f32s corner_sharpnesses;
    struct i32s hole_indices;
    struct f32s uvs;                      /* [U][2]                                                          */
    struct i32s uv_indices;               /* [C]                                                             */
    struct i32s vertex_ids, face_ids;     /* each once; n = 0: numbered from 0                         */
    int64_t next_vertex_id, next_face_id; /* above all ids; 0 when they are numbered here              */
    int n_primvars;
    struct primvar_array primvars[SDD_MAX_PRIMVARS];
};

/* mesh_build: checks that lengths agree, copies, normalises tags, numbers elements.
 * Errors  SDD_EMESH naming array and row (a face count below 1, a sum that is not C, a chain below 2, sharpness that is
 *         NaN, infinite or negative; primvars, see primvars_build), SDD_ETOO_LARGE (2^31 rows or more),
 *         SDD_ENO_MEMORY */
int mesh_build(const struct mesh_arrays *a, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
void mesh_free(struct mesh *m); /* NULL is fine */
/* mesh_copy: a deep copy. */
int mesh_copy(const struct mesh *m, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_reorder: m with its rows in the order of sdd_order_rcm; ids, name, values that corners name and the corners of
 * each face stay as they are. bandwidth gets that of the mesh matrix before and after.
 * Errors  SDD_EMESH (indices), SDD_ENO_MEMORY */
int mesh_reorder(const struct mesh *m, struct mesh **out, int64_t bandwidth[2], struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_check_indices: are all index arrays in range? Errors  SDD_EMESH */
int mesh_check_indices(const struct mesh *m, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_desc: the arrays as the compute library takes them; borrowed from m. */
void mesh_desc(const struct mesh *m, struct sdd_mesh_desc *out);
/* mesh_topology_id: names options, faces, tags and the indices of UVs and faceVarying primvars; not positions, values,
 * ids or names.
 * Result  the first 128 bits, in hex, of SHA-256 over the encoding that mesh_encode.h describes */
int mesh_topology_id(const struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;
int64_t mesh_bytes(const struct mesh *m); /* host memory that m holds */
/* mesh_name_check: Errors  SDD_EINVALID with the limit of its length */
int mesh_name_check(const char *name, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_option_set: sdd_option_set for a token from outside: what an error message repeats of it is printable ASCII. */
int mesh_option_set(struct sdd_options *o, const char *name, const char *token, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_alloc: malloc for n rows of `bytes` each, never for none; NULL with SDD_ENO_MEMORY or SDD_ETOO_LARGE in *err. */
void *mesh_alloc(int64_t n, int64_t bytes, struct sdd_error *err);

#endif
