/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_update.h: a topology made from the one before it and from what an edit changed. */
#ifndef SDD_SDD_UPDATE_H
#define SDD_SDD_UPDATE_H
#include "sdd.h"

#define SDD_NO_ROW (-1)

/* Values that face corners name: of the UVs, if the new mesh has any, then of each row of sdd_mesh_desc.channels. */
struct sdd_channel_delta {
    int64_t from;            /* the old mesh's channel, counted in the same way; SDD_NO_ROW: all of it is new */
    int64_t n_old_values;    /* 0 where all of it is new                                                      */
    const int32_t *value_to; /* [n_old_values] as vertex_to                                                   */
};

/* What an edit did to the rows of a mesh: all plain arrays, borrowed for the call. A map gives the new row of each old
 * row, or SDD_NO_ROW where the row is gone; rows that stay keep their order. Dirty rows are new rows, ascending.
 * A face is dirty when it is new, or when its corners, its being a hole, the sharpness of one of its edges or corners,
 * or a value that one of its corners names is another than before (of channels that are not new). A vertex is dirty
 * when it is new, when its sharpness or that of an edge at it has changed, or when a face around it is dirty or gone.
 * Positions and the values themselves are no part of a topology, and so of no delta. */
struct sdd_topology_delta {
    int64_t n_old_vertices, n_old_faces, n_dirty_vertices, n_dirty_faces;
    const int32_t *vertex_to;      /* [n_old_vertices]   */
    const int32_t *face_to;        /* [n_old_faces]      */
    const int32_t *dirty_vertices; /* [n_dirty_vertices] */
    const int32_t *dirty_faces;    /* [n_dirty_faces]    */
    int64_t n_channels;
    const struct sdd_channel_delta *channels; /* [n_channels] */
};

/* sdd_topology_update: the topology of `desc`, the mesh that an edit with this delta has made of the mesh of `old`, on
 * old's device. old stays as it is. Today this is a rebuild: the delta is checked as far as the host can, and is what
 * will let an update touch nothing but dirty rows.
 * Cost    that of sdd_topology_create, and on the host a look at each row of the delta
 * Result  the same bits as sdd_topology_create makes of desc
 * Errors  SDD_EINVALID naming what of the delta does not fit old and desc: options, sizes, a row out of range or out
 *         of order, a new row that is not dirty; then the errors of sdd_topology_create. On error *out is NULL */
int sdd_topology_update(const sdd_topology *old, const struct sdd_mesh_desc *desc,
                        const struct sdd_topology_delta *delta, sdd_topology **out,
                        struct sdd_error *err) SDD_MUST_CHECK;

#endif
