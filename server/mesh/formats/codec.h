/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_codec.h: request bodies into meshes, positions and edits, and meshes back out.
 *
 * Every reader takes untrusted bytes that need not end in NUL, takes linear time, and on error leaves *out NULL.
 * Errors of all readers  SDD_EMALFORMED (cannot be parsed; a line, byte or field is named), SDD_EINVALID (unknown field
 *                        or token), SDD_EMESH (arrays do not fit together), SDD_ETOO_LARGE (decoder's memory cap),
 *                        SDD_ENO_MEMORY
 * Options of the file or body land in mesh->options; a caller sets overriding ones with mesh_option_set afterwards. */
#ifndef SUBDD_MESH_CODEC_H
#define SUBDD_MESH_CODEC_H
#include "server/mesh/edits/edits.h"
#include "server/mesh/mesh.h"
#include "server/mesh/positions.h"
#include "server/base/text.h"

int mesh_from_proto(const void *body, size_t bytes, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
int mesh_from_json(const void *body, size_t bytes, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
/* Of files; warnings (NULL: none are wanted) gets a line for what the file has and a mesh does not keep. */
int mesh_from_obj(const void *body, size_t bytes, struct mesh **out, struct text *warnings,
                  struct sdd_error *err) SDD_MUST_CHECK;
int mesh_from_usda(const void *body, size_t bytes, struct mesh **out, struct text *warnings,
                   struct sdd_error *err) SDD_MUST_CHECK;

/* positions_from_*: octets are raw little-endian f32 triples for rows from `first` on, borrowed from body (which must
 * stay); points are one range from row 0 on, copied; obj takes the file's v lines, usda its points. Call
 * positions_check next. */
int positions_from_octets(const void *body, size_t bytes, int64_t first, struct positions **out,
                          struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_points(struct f32s points, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_proto(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_json(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_obj(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_usda(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;

int edits_from_proto(const void *body, size_t bytes, struct edit_batch **out, struct sdd_error *err) SDD_MUST_CHECK;
int edits_from_json(const void *body, size_t bytes, struct edit_batch **out, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_to_*: the whole mesh as message Mesh (with ids), as OBJ with tags or as USDA; *out is malloc'ed, the caller
 * frees it. lost (NULL: not wanted) gets a line for each thing that the mesh has and the file cannot carry.
 * Errors  SDD_ETOO_LARGE (a protobuf field of 2 GiB), SDD_ENO_MEMORY */
int mesh_to_proto(const struct mesh *m, void **out, size_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;
int mesh_to_obj(const struct mesh *m, void **out, size_t *bytes, struct text *lost,
                struct sdd_error *err) SDD_MUST_CHECK;
int mesh_to_usda(const struct mesh *m, void **out, size_t *bytes, struct text *lost,
                 struct sdd_error *err) SDD_MUST_CHECK;

#endif
