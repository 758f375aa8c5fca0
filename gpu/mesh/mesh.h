/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the door of control meshes on a device. topology.h has what is the same for all positions: connectivity, tags
 * and face-varying channels. They are validated once (by topology_create.c and the stages of topology_build.c) and then
 * immutable. This header has the positions, UVs and primvars over them. Beside it options.c knows the tokens of the
 * options, and rcm.c orders rows.
 * This is the only room that sees data which nobody has checked. All that refines stands on it, and it stands on
 * device/, grid/ and rules/. What engines keep with a topology hangs on a list (topology_kept_get). */
#ifndef SDD_MESH_H
#define SDD_MESH_H
#include "gpu/mesh/topology.h"

/* A topology with values. It owns the device memory, and holds a reference on the topology. */
struct sdd_mesh {
    sdd_topology *topology;
    float *points; /* Shape [V][3]. */
    /* It changes whenever the positions do, and no other mesh of the device ever has the same. */
    uint64_t points_serial;
    float *uvs;      /* Shape [rows of channel 0][2]; NULL without UVs. */
    uint64_t *error; /* One word of scratch for checking new points. */
    void *memory;
    int64_t bytes;
    int n_primvars;
    struct sdd_primvar primvar[SDD_MAX_PRIMVARS]; /* The shapes of the primvars; `values` is NULL in each. */
    float *primvar_values[SDD_MAX_PRIMVARS];      /* On the device, shape [n][width]. */
    struct device_block primvars;
    struct kept_list kept; /* What rooms above keep with the mesh. */
};

/* mesh_fill_rows: queues the values of a channel's further rows. values[n_rows][width] is on the device and has its
 * first n_values rows already. */
void mesh_fill_rows(const sdd_topology *t, const struct topology_channel *c, float *values, int width);

#endif
