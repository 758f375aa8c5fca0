/* SPDX-License-Identifier: Apache-2.0 */
/* encode.h: a topology as bytes, which the store keeps, so the layout of a version never changes; a change needs a new
 * version. A topology id hashes the header, too (topology_id.h). A channel is the index array of a faceVarying primvar
 * that has values (st is not a primvar here). Meshes without channels are encoded as version 1, all others as
 * version 2.
 *
 *   "SDDT", u32 version, i32 options[6], i64 counts[7] (V, F, C, creases, corners, holes, U), then i32 face_counts[F],
 *   i32 face_vertices[C], i32 crease_edges[n][2], f32 crease_sharpness[n], i32 corner_vertices[n],
 *   f32 corner_sharpness[n], i32 hole_faces[n], and when U is not 0 i32 uv_indices[C]; little-endian, without padding.
 *   Version 2 goes on with i64 n, i64 n_values[n], i32 indices[n][C] for its n channels, sorted by name.
 *   The options are scheme, boundary, fvar, triangles, creases and orientation, with the numbers of sdd.h's enums. */
#ifndef SUBDD_MESH_ENCODE_H
#define SUBDD_MESH_ENCODE_H
#include "server/mesh/mesh.h"

#define MESH_ENCODE_HEADER 88
#define MESH_ENCODE_PARTS (10 + SDD_MAX_PRIMVARS)

/* The encoding as parts, to be read one after the other. Most parts are borrowed from the mesh. */
struct mesh_encoding {
    unsigned char header[MESH_ENCODE_HEADER];
    struct mesh_encoding_part {
        const void *data;
        size_t bytes;
    } parts[MESH_ENCODE_PARTS];
    int64_t channels[1 + SDD_MAX_PRIMVARS]; /* The n and n_values[n] of version 2. */
    int n;
    int64_t bytes; /* The sum over all parts. */
};
/* mesh_encode: fills *out, which points into itself and into m; so neither may move or change while it is used. */
void mesh_encode(const struct mesh *m, struct mesh_encoding *out);
/* mesh_decode_topology: makes *out a mesh that has its topology alone, borrowed from `data`, which is aligned to 4
 * bytes. It is to be read, not freed.
 * Errors  SDD_EMESH when the bytes are not such an encoding */
int mesh_decode_topology(void *data, int64_t bytes, struct mesh *out, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_decode: fills *out with arrays borrowed from `data`, which is aligned to 4 bytes. Points, UVs, values and ids
 * are not in the encoding and stay as they are; *n_vertices and *n_uvs say how many of them the mesh must have. The
 * channels go to the faceVarying primvars that *out already lists, in their order; these must have as many values.
 * Errors  SDD_EMESH when the bytes are not such an encoding */
int mesh_decode(void *data, int64_t bytes, struct mesh_arrays *out, int64_t *n_vertices, int64_t *n_uvs,
                struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_as_arrays: fills *out with the mesh in the form that mesh_build takes; the arrays are borrowed from m. */
void mesh_as_arrays(const struct mesh *m, struct mesh_arrays *out);

#endif
