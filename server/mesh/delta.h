/* SPDX-License-Identifier: Apache-2.0 */
/* delta.h: what a change did to the rows of a mesh: where each old row is now, and which rows are dirty, as
 * sdd_update.h defines it. It is about what mesh_topology_id names, not about positions and values.
 *
 *   edits_apply makes it, with the new mesh -> mesh_delta_desc -> sdd_topology_update */
#ifndef SUBDD_MESH_DELTA_H
#define SUBDD_MESH_DELTA_H
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/mesh.h"

struct mesh_delta { /* zeroed is empty */
    int64_t n_old_vertices, n_old_faces, n_dirty_vertices, n_dirty_faces;
    int32_t *vertex_to, *face_to;          /* [n_old_*] the new row, or SDD_NO_ROW; ascending but for that */
    int32_t *dirty_vertices, *dirty_faces; /* [n_dirty_*] new rows, ascending                              */
    int n_channels;                        /* of the new mesh: its UVs, if it has any, then its channels   */
    struct sdd_channel_delta channels[1 + SDD_MAX_PRIMVARS];
    int32_t *value_to[1 + SDD_MAX_PRIMVARS]; /* what channels[] borrow */
};

void mesh_delta_fini(struct mesh_delta *d); /* frees what it points to and empties it */
/* mesh_delta_channel: one more channel, the next of the new mesh. Takes value_to over, which may be NULL where `from`
 * is SDD_NO_ROW. */
void mesh_delta_channel(struct mesh_delta *d, int64_t from, int64_t n_old_values, int32_t *value_to);
/* mesh_delta_mark: compares the meshes along the maps, which are all filled, and lists the rows that are dirty.
 * Cost    linear in both meshes; 16 bytes a tag and a byte a row while it runs
 * Errors  SDD_ENO_MEMORY */
int mesh_delta_mark(struct mesh_delta *d, const struct mesh *from, const struct mesh *to,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_delta_desc: the delta as the compute library takes it; borrowed from d. */
void mesh_delta_desc(const struct mesh_delta *d, struct sdd_topology_delta *out);

#endif
