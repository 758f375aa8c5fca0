/* SPDX-License-Identifier: Apache-2.0 */
/* stage.h: what the coordinates of a mesh mean: the axis that points up, the length of a unit, and where the mesh
 * stands, in USD's terms. Subdivision uses none of it; it is kept with the mesh and given back in files. */
#ifndef SUBDD_MESH_STAGE_H
#define SUBDD_MESH_STAGE_H

enum mesh_up_axis { MESH_UP_UNKNOWN, MESH_UP_Y, MESH_UP_Z };

struct mesh_stage {
    int up_axis;            /* An enum mesh_up_axis; unknown when the file does not say. */
    int has_transform;      /* 0 for the identity. */
    double meters_per_unit; /* 0 when the file does not say. */
    /* From the mesh to the world, as USD writes a matrix4d: rows one after the other, points are row vectors on its
     * left. Only when has_transform is set. */
    double transform[16];
};

#endif
