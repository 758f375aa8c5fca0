/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the door of control meshes on a device. topology.h has what is the same for all positions: connectivity, tags,
 * face-varying channels, validated once (topology_create.c, by the stages of topology_build.c) and immutable; here are
 * the positions, UVs and primvars over it. Beside them options.c knows the options' tokens and rcm.c orders rows. This
 * is the only room that sees what nobody has checked. All that refines stands on it, and it on device/, grid/ and rules/;
 * what engines keep with a topology hangs on a list (topology_kept_get). */
#ifndef SDD_MESH_H
#define SDD_MESH_H
#include "gpu/mesh/topology.h"

struct sdd_mesh {
    sdd_topology *topology;
    float *points;          /* [V][3] */
    uint64_t points_serial; /* another one whenever they change; never that of another mesh of the device */
    float *uvs;             /* [rows of channel 0][2], NULL without UVs */
    uint64_t *error;        /* [1] scratch word of the check of new points */
    void *memory;
    int64_t bytes;
    int n_primvars;
    struct sdd_primvar primvar[SDD_MAX_PRIMVARS]; /* shapes, their values are NULL */
    float *primvar_values[SDD_MAX_PRIMVARS];      /* device, [n][width]            */
    struct device_block primvars;
    struct kept_list kept; /* What rooms above keep with the mesh. */
};

/* mesh_fill_rows: values [n_rows][width] of a channel, of which the first n_values are there: the others. */
void mesh_fill_rows(const sdd_topology *t, const struct topology_channel *c, float *values, int width);

#endif
