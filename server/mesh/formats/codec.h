/* SPDX-License-Identifier: Apache-2.0 */
/* codec.h: the door of formats/: readers that turn request bodies and files into meshes, positions and edits, and
 * writers that turn meshes back into bodies. It uses mesh/, edits/ and base/; the handlers of api/ call it.
 *
 * Every reader takes untrusted bytes that need not end with a NUL, runs in linear time, and leaves *out NULL on error.
 * Errors of all readers  SDD_EMALFORMED (cannot be parsed; a line, byte or field is named), SDD_EINVALID (an unknown
 *                        field or token), SDD_EMESH (arrays that do not agree), SDD_ETOO_LARGE (the decoder's limit of
 *                        memory), SDD_ENO_MEMORY
 * The options that a body names are set in mesh->options; a caller overrides them with mesh_option_set afterwards. */
#ifndef SUBDD_MESH_CODEC_H
#define SUBDD_MESH_CODEC_H
#include "server/mesh/edits/edits.h"
#include "server/mesh/mesh.h"
#include "server/mesh/positions.h"
#include "server/base/text.h"

/* mesh_from_*: read a mesh. `losses`, which may be NULL, gets what the body has and the mesh does not keep. */
int mesh_from_proto(const void *body, size_t bytes, struct mesh **out, struct losses *losses,
                    struct sdd_error *err) SDD_MUST_CHECK;
int mesh_from_json(const void *body, size_t bytes, struct mesh **out, struct losses *losses,
                   struct sdd_error *err) SDD_MUST_CHECK;
int mesh_from_obj(const void *body, size_t bytes, struct mesh **out, struct losses *losses,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* What of a USDA file is wanted; a zeroed one wants its only Mesh. */
struct usda_ask {
    const char *prim; /* The path of the Mesh; NULL when the file has one alone. */
    bool has_time;    /* Of what has timeSamples those at `time` are wanted, held until the next; else the first. */
    double time;
    unsigned options; /* Bit k: row k of sdd_option_table is set by somebody else, whatever the file says. */
};
/* mesh_from_usda: `ask` may be NULL, which is a zeroed one. When the file is refused because it has several Meshes,
 * or not the one that is asked for, `prims`, which may be NULL, gets a line "VERTICES FACES PATH" for each. */
int mesh_from_usda(const void *body, size_t bytes, const struct usda_ask *ask, struct mesh **out, struct text *prims,
                   struct losses *losses, struct sdd_error *err) SDD_MUST_CHECK;

/* The readers of positions below leave it to the caller to call positions_check.
 * positions_from_octets: the body is little-endian f32 triples for the rows from `first` on. The points are borrowed
 * from the body unless it is not aligned, so the body must stay. */
int positions_from_octets(const void *body, size_t bytes, int64_t first, struct positions **out,
                          struct sdd_error *err) SDD_MUST_CHECK;
/* positions_from_points: copies the points into one range from row 0 on. */
int positions_from_points(struct f32s points, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_proto(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_json(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
/* positions_from_obj, positions_from_usda: read a whole file, and take only its points. */
int positions_from_obj(const void *body, size_t bytes, struct positions **out, struct sdd_error *err) SDD_MUST_CHECK;
int positions_from_usda(const void *body, size_t bytes, const struct usda_ask *ask, struct positions **out,
                        struct sdd_error *err) SDD_MUST_CHECK;

/* A list of rows of a mesh. Owner  who has it frees v, also of an empty list */
struct i64s {
    int64_t *v;
    int64_t n;
};
/* ids_from_*: read such a list, whose rows nothing checks here. Octets are u32, and so is the field of message Ids. */
int ids_from_octets(const void *body, size_t bytes, struct i64s *list, struct sdd_error *err) SDD_MUST_CHECK;
int ids_from_proto(const void *body, size_t bytes, struct i64s *list, struct sdd_error *err) SDD_MUST_CHECK;
int ids_from_json(const void *body, size_t bytes, struct i64s *list, struct sdd_error *err) SDD_MUST_CHECK;

/* smooth_from_json: reads {"method", "iterations", "strength", "boundary"}; without one of the last three it stays as
 * it is. Ranges are left to sdd_smooth.
 * Errors  those of all readers, and SDD_EQUERY (method, strength, boundary) */
struct sdd_smooth_request;
int smooth_from_json(const void *body, size_t bytes, struct sdd_smooth_request *out,
                     struct sdd_error *err) SDD_MUST_CHECK;

/* revert_from_json: reads {"version"}.
 * Errors  SDD_EMALFORMED, SDD_EINVALID */
int revert_from_json(const void *body, size_t bytes, int64_t *version, struct sdd_error *err) SDD_MUST_CHECK;
/* lease_from_json: reads {"seconds", "faces", "client"}, of which each that is not there stays as it is.
 * Owner   the caller frees out->faces, which is NULL after an error
 * Errors  SDD_EMALFORMED, SDD_EINVALID, SDD_ENO_MEMORY */
struct lease_ask {
    int64_t seconds, n_faces;
    int32_t *faces; /* [n_faces] Ids as they came. */
    char client[65];
};
int lease_from_json(const void *body, size_t bytes, int64_t max_seconds, struct lease_ask *out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* json_line: copies any JSON without the blanks between its parts, so that it stands on one line.
 * Shape   out has room for bytes + 1
 * Errors  SDD_EMALFORMED, SDD_ENO_MEMORY */
int json_line(const void *body, size_t bytes, char *out, struct sdd_error *err) SDD_MUST_CHECK;

/* fair_from_json: reads {"steps", "tau", "boundary", "solves", "exactness", "level"}, of which each that is not there
 * stays as it is.
 * Errors  those of all readers, and SDD_EQUERY for a value out of range */
#define FAIR_MAX_STEPS 1000
struct sdd_fair_request;
int fair_from_json(const void *body, size_t bytes, struct sdd_fair_request *out, int *steps,
                   struct sdd_error *err) SDD_MUST_CHECK;

/* name_from_json: reads a JSON merge patch (RFC 7396) of a mesh, whose one member is "name"; null asks for the name
 * that a mesh has by default, and gives "". *given is false when the patch is empty.
 * Errors  those of all readers, of mesh_name_check too */
int name_from_json(const void *body, size_t bytes, char name[MESH_NAME_SIZE], bool *given,
                   struct sdd_error *err) SDD_MUST_CHECK;

int edits_from_proto(const void *body, size_t bytes, struct edit_batch **out, struct sdd_error *err) SDD_MUST_CHECK;
int edits_from_json(const void *body, size_t bytes, struct edit_batch **out, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_to_proto, positions_to_proto: write what the readers above read; of edits primitives alone.
 * Owner   *out is malloc'ed, and the caller frees it
 * Errors  SDD_ETOO_LARGE and others when edits_from_proto would not take them; SDD_ENO_MEMORY */
int edits_to_proto(const struct edit_batch *b, void **out, size_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;
int positions_to_proto(const struct positions *p, void **out, size_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_to_*: write the whole mesh: as message Mesh or as JSON, both with ids, as OBJ with tags, or as USDA. `lost`,
 * which may be NULL, gets a line for each thing that the mesh has and the file cannot carry.
 * Owner   *out is malloc'ed, and the caller frees it
 * Errors  SDD_ETOO_LARGE (a protobuf field of 2 GiB), SDD_ENO_MEMORY */
int mesh_to_proto(const struct mesh *m, void **out, size_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;
int mesh_to_json(const struct mesh *m, void **out, size_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;
int mesh_to_obj(const struct mesh *m, void **out, size_t *bytes, struct text *lost,
                struct sdd_error *err) SDD_MUST_CHECK;
int mesh_to_usda(const struct mesh *m, void **out, size_t *bytes, struct text *lost,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_to_surface: writes the polygons alone, as one of the media types of proto/files.
 * Errors  SDD_ETOO_LARGE, SDD_EUNSUPPORTED (the format cannot hold the mesh), SDD_ENO_MEMORY */
int mesh_to_surface(const struct mesh *m, const char *media_type, void **out, size_t *bytes, struct text *lost,
                    struct sdd_error *err) SDD_MUST_CHECK;

#endif
