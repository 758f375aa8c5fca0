/* SPDX-License-Identifier: Apache-2.0 */
/* delta.h: what an edit did to the rows of a mesh: where each old row is now, and which rows are dirty, as sdd_update.h
 * defines it. It concerns what mesh_topology_id hashes, so it says nothing about positions and values.
 *
 *   edits_apply makes it, with the new mesh -> mesh_topology_id_update; mesh_delta_desc -> sdd_topology_update */
#ifndef SUBDD_MESH_DELTA_H
#define SUBDD_MESH_DELTA_H
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/mesh.h"

/* A zeroed delta is empty. */
struct mesh_delta {
    int64_t n_old_vertices, n_old_faces, n_dirty_vertices, n_dirty_faces;
    int32_t *vertex_to, *face_to; /* [n_old_*] The new row, or SDD_NO_ROW; the new rows ascend. */
    struct mesh_rows_delta {      /* The same as lists, as sdd_update.h has them. */
        int64_t n_removed, n_added;
        int32_t *removed, *added;
    } vertices, faces, values[1 + SDD_MAX_PRIMVARS]; /* `values` has one for each row of `channels`. */
    int32_t *dirty_vertices, *dirty_faces;           /* [n_dirty_*] New rows, which ascend. */
    int n_channels;
    /* The channels of the new mesh: first its UVs, if it has any, then mesh.channels in their order. */
    struct sdd_channel_delta channels[1 + SDD_MAX_PRIMVARS];
    int32_t *value_to[1 + SDD_MAX_PRIMVARS]; /* The arrays that channels[] borrows. */
};

/* mesh_delta_fini: frees what the delta points to and empties it. */
void mesh_delta_fini(struct mesh_delta *d);
/* mesh_delta_channel: adds the next channel of the new mesh. `from` is its row among the old mesh's channels, or
 * SDD_NO_ROW when it is new; then value_to may be NULL.
 * Owner   the delta takes value_to over */
void mesh_delta_channel(struct mesh_delta *d, int64_t from, int64_t n_old_values, int32_t *value_to);
/* mesh_delta_mark: fills all lists of rows by comparing the meshes along the maps, which must be complete.
 * Cost    linear in both meshes, with 16 bytes per tag and one byte per row of temporary memory
 * Errors  SDD_ENO_MEMORY */
int mesh_delta_mark(struct mesh_delta *d, const struct mesh *from, const struct mesh *to,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_delta_desc: fills *out with the delta as the compute library takes it; the arrays are borrowed from d. */
void mesh_delta_desc(const struct mesh_delta *d, struct sdd_topology_delta *out);

#endif
