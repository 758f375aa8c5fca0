/* SPDX-License-Identifier: Apache-2.0 */
/* topology_id.h: the id of a topology as a hash over chunks, so that after an edit only the chunks that it touched are
 * hashed again. The id is the same whichever way it was found, and the store keeps it, so the rule never changes
 * without a new schema.
 *
 *   mesh_topology_id_keep (a new mesh) -> mesh.topology -> mesh_topology_id_update (the mesh after an edit)
 *
 * The rule. All numbers are little-endian. A mesh has three parts: 0 its faces, 1 its creases, 2 its corners. A row of
 * a part is one of these, and its words are i32 rows of vertices: the corners of a face, the two of a crease, the one
 * of a corner. Each part is cut into chunks, from its first row on. A chunk ends
 *   - at the end of its part, or
 *   - when it has 8192 rows or more, or 65536 words or more, or
 *   - when it has 64 rows or more and the next row is a cut.
 * Whether a row is a cut depends on it alone: h is the number of its words; for each of its first two words w,
 * h = (h xor w) * 0x9e3779b97f4a7c15 modulo 2^64, then h = h xor (h >> 32). It is a cut when the low 10 bits of h are
 * 0. So rows that come and go move only the ends of chunks that are near them.
 *
 * The digest of a chunk is SHA-256 over
 *   faces              i32 corner counts, i32 words; for the UVs, if there are any, and then for each channel the i32
 *                      row of values of each corner, less the lowest in the chunk; for each hole i32 row, counted from
 *                      the first face of the chunk
 *   creases, corners   i32 words, f32 sharpnesses
 * The id is the first 128 bits, in hex, of SHA-256 over
 *   the header of encode.h; with channels i64 n and i64 n_values[n]; then for each part i64 number of chunks, and for
 *   each chunk i32 rows, i32 words, its digest, and if it has faces the i32 lowest row of values of the UVs and of each
 *   channel. */
#ifndef SUBDD_MESH_TOPOLOGY_ID_H
#define SUBDD_MESH_TOPOLOGY_ID_H
#include "server/mesh/delta.h"

/* mesh_topology_id_keep: as mesh_topology_id, and m keeps the id and its chunks from now on. So options, faces, tags
 * and indices of m must not change any more. */
int mesh_topology_id_keep(struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_topology_id_update: the same for a mesh that an edit has made of `from`. Where `from` has kept its chunks and
 * the channels are the same ones, it takes over those that the edit has not touched. Of d it reads the lists of rows
 * alone.
 * Cost    a look at each chunk, and hashing those that have a removed, added or dirty row, that name a row of vertices
 *         which has another number now, or that lie next to such a chunk */
int mesh_topology_id_update(const struct mesh *from, struct mesh *m, const struct mesh_delta *d,
                            char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;
/* For mesh.c: frees what m keeps, and the memory of that. */
void mesh_topology_free(struct mesh_topology *t); /* NULL is fine. */
int64_t mesh_topology_bytes(const struct mesh_topology *t);

#endif
