/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the control mesh of one version in host memory: what is stored, edited and handed to the compute library.
 *
 *   mesh_create -> fill arrays -> mesh_set_tags -> mesh_finish      (the codecs of mesh_codec.h do this)
 *   mesh_desc -> sdd_topology_create                                (checks indices, faces, edges on the device)
 *
 * A finished mesh is normalised, so equal topologies have equal bytes and one topology id:
 *   creases  one row an edge as (lower, higher) vertex, ascending, the last authored wins, sharpness in (0, 10]
 *   corners  ascending by vertex, same rules             holes  ascending, each once
 *   ids      ascending; an element keeps its id for ever, rows are dense and close up when something is removed
 * Every array of a finished mesh is there (not NULL), also when it has no rows; only uv_indices is NULL without UVs.
 * The host checks shapes only: counts against lengths. Whether an index, a coordinate or an edge is good is the compute
 * library's to say; code here that indexes with them calls mesh_check_indices first. */
#ifndef SUBDD_MESH_H
#define SUBDD_MESH_H
#include "gpu/sdd.h"
#include <stddef.h>
#include <stdint.h>

#define MESH_NAME_SIZE 129       /* 128 characters of [A-Za-z0-9._-], no leading dot */
#define MESH_TOPOLOGY_ID_SIZE 33 /* 32 hex digits                                    */

struct mesh { /* V vertices, F faces, C face corners, U UV values */
    char name[MESH_NAME_SIZE]; /* "" until someone names it                                           */
    struct sdd_options options;
    int64_t n_vertices, n_faces, n_corners, n_creases, n_corner_tags, n_holes, n_uvs;
    int64_t n_edges;         /* 0 until the owner copies it from sdd_topology_info; stored, not hashed  */
    int64_t next_vertex_id, next_face_id;
    float *points;           /* [V][3]                                                                  */
    int32_t *face_counts;    /* [F]                                                                     */
    int32_t *face_vertices;  /* [C] rows of points                                                      */
    int32_t *crease_edges;   /* [n_creases][2]                                                          */
    float *crease_sharpness; /* [n_creases]                                                             */
    int32_t *corner_vertices;
    float *corner_sharpness;
    int32_t *hole_faces;
    float *uvs;              /* [U][2]                                                                  */
    int32_t *uv_indices;     /* [C] rows of uvs; NULL when U is 0                                       */
    int32_t *vertex_ids;     /* [V] ascending                                                           */
    int32_t *face_ids;       /* [F] ascending                                                           */
};

/* Tags as authored, in USD's form; borrowed. */
struct mesh_tags {
    int64_t n_crease_indices, n_crease_lengths, n_crease_sharpnesses;
    const int32_t *crease_indices;   /* chains of vertices                                    */
    const int32_t *crease_lengths;   /* [chains] each >= 2                                    */
    const float *crease_sharpnesses; /* [chains] or [sum of (length - 1)]                     */
    int64_t n_corner_indices, n_corner_sharpnesses;
    const int32_t *corner_indices;
    const float *corner_sharpnesses;
    int64_t n_hole_indices;
    const int32_t *hole_indices;
};

/* mesh_create: an empty mesh with default options and no arrays. NULL when memory is out. */
struct mesh *mesh_create(void);
void mesh_free(struct mesh *m); /* NULL is fine */
/* mesh_copy: a deep copy, for edits. */
int mesh_copy(const struct mesh *m, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_set_tags: expands, sorts and cleans the authored tags into m.
 * Errors  SDD_EMESH (chain lengths, counts that do not fit, sharpness that is NaN, infinite or negative), SDD_ENO_MEMORY */
int mesh_set_tags(struct mesh *m, const struct mesh_tags *tags, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_finish: checks that counts and lengths agree, numbers the elements if nobody has, fills in empty arrays.
 * Errors  SDD_EMESH (no faces is fine; a face count below 1 or a sum other than C is not), SDD_ETOO_LARGE, SDD_ENO_MEMORY */
int mesh_finish(struct mesh *m, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_check_indices: every index array of a finished mesh in range? Errors  SDD_EMESH */
int mesh_check_indices(const struct mesh *m, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_desc: the arrays as the compute library takes them; borrowed from m. */
void mesh_desc(const struct mesh *m, struct sdd_mesh_desc *out);
/* mesh_topology_id: names options, faces, tags and UV indices; not positions, UV values, ids or the name.
 * Result  the first 128 bits, in hex, of SHA-256 over the encoding of mesh_encode.h */
int mesh_topology_id(const struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;
int64_t mesh_bytes(const struct mesh *m);  /* host memory that m holds */
int mesh_name_valid(const char *name);     /* 1 or 0 */

/* mesh_alloc: n rows of `bytes` each with malloc, one byte at least; NULL and SDD_ENO_MEMORY or SDD_ETOO_LARGE in *err. */
void *mesh_alloc(int64_t n, int64_t bytes, struct sdd_error *err);

#endif
