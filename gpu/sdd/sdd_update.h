/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_update.h: makes a topology from the one before an edit and from the delta, which is what the edit changed. */
#ifndef SDD_SDD_UPDATE_H
#define SDD_SDD_UPDATE_H
#include "sdd.h"

#define SDD_NO_ROW (-1)

/* What an edit did to the rows of one kind, which is vertices, faces or the values of a channel. Rows that stay keep
 * their order and close up, so these two lists say where each old row is now. Both ascend. */
struct sdd_rows_delta {
    int64_t n_old, n_removed, n_added;
    const int32_t *removed; /* Shape [n_removed]: rows of the old mesh that are gone. */
    const int32_t *added;   /* Shape [n_added]: rows of the new mesh that are none of the old ones. */
};
/* What an edit did to one set of face-varying indices of the new mesh. */
struct sdd_channel_delta {
    int64_t from;                 /* The channel of the old mesh that became this one, or SDD_NO_ROW when it is new. */
    struct sdd_rows_delta values; /* All zeros when the channel is new. */
};

/* What an edit did to the rows of a mesh. The arrays are the caller's and are borrowed for the call. Dirty rows are
 * rows of the new mesh, ascending.
 * A face is dirty when it is new, when it became or stopped being a hole, or when one of these is no longer the same:
 * its corners, the sharpness of its edges and vertices, and the rows of values that its corners have in channels that
 * are not new. Being renumbered is no change. A vertex is dirty when it is new, when its sharpness or that of an edge
 * at it has changed, or when a face around it is dirty or gone.
 * Positions and the values of UVs and primvars do not belong to a topology, so a delta says nothing about them. */
struct sdd_topology_delta {
    struct sdd_rows_delta vertices, faces;
    int64_t n_dirty_vertices, n_dirty_faces;
    const int32_t *dirty_vertices; /* Shape [n_dirty_vertices]. */
    const int32_t *dirty_faces;    /* Shape [n_dirty_faces]. */
    int64_t n_channels;            /* Unlike sdd_mesh_desc.n_channels it counts the UVs. */
    /* Shape [n_channels]: the new mesh's UVs, if it has any, then a row for each of sdd_mesh_desc.channels. `from`
     * counts the channels of the old mesh in the same way. */
    const struct sdd_channel_delta *channels;
};

/* sdd_topology_update: makes the topology of `desc`, on the device of `old`. `old` is the topology before an edit,
 * `desc` the mesh after it, and `delta` what the edit changed. `old` stays as it is, and is held for the call. The
 * delta is checked as far as the host can; that clean rows are what they were is not, because the old mesh is on the
 * device alone.
 * Owner   the caller gives *out back with sdd_topology_unref
 * Cost    On the host it is in proportion to the delta and the tags. The device reads and writes each array once, or,
 *         where no face, vertex or value goes or comes, those of edges alone, as the rest is shared with `old`. It is
 *         that of sdd_topology_create where the topology is built anew: where the old or the new mesh is not manifold;
 *         where a channel is new, or a value of a smooth one is shared by vertices; and where the delta touches more
 *         than one in 200 faces (on a GPU one in 1,000), unless these are few.
 * Result  the same bits as sdd_topology_create makes of desc; info.device_bytes counts what is shared with `old` too
 * Errors  SDD_EINVALID naming what of the delta does not fit old and desc: options, sizes, a row out of range or out
 *         of order, a new row that is not dirty; then the errors of sdd_topology_create. On error *out is NULL */
int sdd_topology_update(const sdd_topology *old, const struct sdd_mesh_desc *desc,
                        const struct sdd_topology_delta *delta, sdd_topology **out,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_device_spare: gives back device memory that is held only so that what is kept with a topology after an edit is
 * made sooner. Returns 1 if there was any. sdd_device_sparable: how many bytes that is; they count as used, but as
 * those of no topology. */
int sdd_device_spare(sdd_device *device);
int64_t sdd_device_sparable(const sdd_device *device);
/* sdd_topology_shared: what topologies share, so that a program that adds up their device_bytes counts it once. Returns
 * the same pointer for all that share, and another one for others while it is resident; *bytes is how much it is. */
const void *sdd_topology_shared(const sdd_topology *t, int64_t *bytes);

#endif
