/* SPDX-License-Identifier: Apache-2.0 */
/* delta.h: what an edit did to the rows of a mesh: which went, which came, and which are dirty, as sdd_update.h defines
 * it. It concerns what mesh_topology_id hashes, so it says nothing about positions and values.
 *
 *   edits_apply makes it, with the new mesh -> mesh_topology_id_update; mesh_delta_desc -> sdd_topology_update */
#ifndef SUBDD_MESH_DELTA_H
#define SUBDD_MESH_DELTA_H
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/mesh.h"

/* A zeroed delta is empty. */
struct mesh_delta {
    int64_t n_old_vertices, n_old_faces, n_dirty_vertices, n_dirty_faces;
    struct mesh_rows_delta { /* As sdd_update.h has them. */
        int64_t n_removed, n_added;
        int32_t *removed, *added;
    } vertices, faces, values[1 + SDD_MAX_PRIMVARS]; /* `values` has one for each row of `channels`. */
    int32_t *dirty_vertices, *dirty_faces;           /* [n_dirty_*] New rows, which ascend. */
    int n_channels;
    /* The channels of the new mesh: first its UVs, if it has any, then mesh.channels in their order. */
    struct sdd_channel_delta channels[1 + SDD_MAX_PRIMVARS];
};

/* mesh_delta_fini: frees what the delta points to and empties it. */
void mesh_delta_fini(struct mesh_delta *d);
/* mesh_rows_delta: makes the lists of rows of which there were n_old and then n, new ones behind the old, before those
 * in `removed`, which ascends, were taken out. Errors  SDD_ENO_MEMORY */
int mesh_rows_delta(struct mesh_rows_delta *out, int64_t n_old, int64_t n, const int32_t *removed, int64_t n_removed,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_delta_channel: adds the next channel of the new mesh, with its values as of mesh_rows_delta. `from` is its row
 * among the old mesh's channels, or SDD_NO_ROW when it is new; then the rest counts for nothing.
 * Errors  SDD_ENO_MEMORY */
int mesh_delta_channel(struct mesh_delta *d, int64_t from, int64_t n_old, int64_t n, const int32_t *removed,
                       int64_t n_removed, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_delta_desc: fills *out with the delta as the compute library takes it; the arrays are borrowed from d. */
void mesh_delta_desc(const struct mesh_delta *d, struct sdd_topology_delta *out);

#endif
