/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the door of mesh/, control meshes on a device. A mesh is a topology and the values over it. The topology is
 * what stays when vertices move (topology.h): connectivity, tags and face-varying channels. It is validated once, by
 * topology_create.c and the stages of topology_build.c, and never changes afterwards. The values, in this header, are
 * positions, UVs and primvars. Besides, options.c has the table of mesh options with USD's names for them, and rcm.c
 * finds an order of vertices and faces that keeps neighbours close in memory.
 * In gpu/ only this room sees data which nobody has checked. All rooms that refine may include it; it includes device/,
 * grid/, rules/ and what these stand on. What engines make for a topology is kept in a list of the topology
 * (topology_kept_get). */
#ifndef SDD_MESH_H
#define SDD_MESH_H
#include "gpu/mesh/topology.h"

/* A topology with values. It owns the device memory, and holds a reference to the topology. */
struct sdd_mesh {
    sdd_topology *topology;
    float *points; /* Shape [V][3]. */
    /* It changes whenever the positions do, and no other mesh of the device ever has the same. */
    uint64_t points_serial;
    float *uvs;      /* Shape [rows of channel 0][2]; NULL without UVs. */
    uint64_t *error; /* One word of scratch for checking new points. */
    void *memory;    /* The device memory of points, uvs and error. */
    int64_t bytes;   /* The size of `memory`. */
    int n_primvars;
    struct sdd_primvar primvar[SDD_MAX_PRIMVARS]; /* The shapes of the primvars; `values` is NULL in each. */
    float *primvar_values[SDD_MAX_PRIMVARS];      /* Shape [n][width], in `primvars`. */
    struct device_block primvars;                 /* The device memory of all primvar values. */
    struct kept_list kept;                        /* What rooms above keep with the mesh. */
};

/* mesh_fill_rows: queues the filling of the further rows of a channel (struct topology_channel) with copies of the
 * values that they share. values[n_rows][width] is on the device, and its first n_values rows are filled or queued
 * already. */
void mesh_fill_rows(const sdd_topology *t, const struct topology_channel *c, float *values, int width);

#endif
