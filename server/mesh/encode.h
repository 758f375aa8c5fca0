/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_encode.h: a topology as bytes: what its id is the hash of and what the store keeps. Never change; add a
 * version. A mesh without faceVarying primvars (st is none) has version 1, any other version 2.
 *
 *   "SDDT", u32 1, i32 options[6], i64 counts[7] (V, F, C, creases, corners, holes, U), then i32 face_counts[F],
 *   i32 face_vertices[C], i32 crease_edges[n][2], f32 crease_sharpness[n], i32 corner_vertices[n],
 *   f32 corner_sharpness[n], i32 hole_faces[n], and when U is not 0 i32 uv_indices[C]; little-endian, without padding.
 *   Version 2 goes on: i64 n, i64 n_values[n], i32 indices[n][C], of faceVarying primvars that have values, by name.
 *   options: scheme, boundary, fvar, triangles, creases, orientation, with the numbers of sdd.h's enums. */
#ifndef SUBDD_MESH_ENCODE_H
#define SUBDD_MESH_ENCODE_H
#include "server/mesh/mesh.h"

#define MESH_ENCODE_HEADER 88
#define MESH_ENCODE_PARTS (10 + SDD_MAX_PRIMVARS)

struct mesh_encoding { /* parts to be read one after the other; arrays are borrowed from the mesh */
    unsigned char header[MESH_ENCODE_HEADER];
    struct mesh_encoding_part {
        const void *data;
        size_t bytes;
    } parts[MESH_ENCODE_PARTS];
    int64_t channels[1 + SDD_MAX_PRIMVARS]; /* n, n_values[n] of version 2 */
    int n;
    int64_t bytes; /* of all parts */
};
void mesh_encode(const struct mesh *m, struct mesh_encoding *out);
/* mesh_decode: fills what the encoding has into *out (points, values and ids are left alone) as arrays borrowed from
 * data, which is aligned to 4; *n_vertices and *n_uvs are what those must have. Its channels go to the faceVarying
 * primvars that *out has, in their order, which must have as many values.
 * Errors  SDD_EMESH when the bytes are not such an encoding */
int mesh_decode(const void *data, int64_t bytes, struct mesh_arrays *out, int64_t *n_vertices, int64_t *n_uvs,
                struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_as_arrays: a mesh in the form mesh_build takes; borrowed. */
void mesh_as_arrays(const struct mesh *m, struct mesh_arrays *out);

#endif
