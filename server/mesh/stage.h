/* SPDX-License-Identifier: Apache-2.0 */
/* stage.h: what the coordinates of a mesh mean: the axis that points up, the length of a unit, and where the mesh
 * stands, in USD's terms. Subdivision uses none of it; it is kept with the mesh and given back in files. */
#ifndef SUBDD_MESH_STAGE_H
#define SUBDD_MESH_STAGE_H
#include "gpu/sdd/sdd.h"
#include "server/mesh/losses.h"

enum mesh_up_axis { MESH_UP_UNKNOWN, MESH_UP_Y, MESH_UP_Z };

/* The store writes these bytes to disk, so the layout must never change. */
struct mesh_stage {
    int up_axis;            /* An enum mesh_up_axis; unknown when the file does not say. */
    int has_transform;      /* 0 for the identity. */
    double meters_per_unit; /* 0 when the file does not say. */
    /* From the mesh to the world, as USD writes a matrix4d: rows one after the other, points are row vectors on its
     * left. Only when has_transform is set; else all are 0. */
    double transform[16];
};

/* mesh_up_axis_name: "Y", "Z", or "" for MESH_UP_UNKNOWN. */
const char *mesh_up_axis_name(int up_axis);
/* mesh_up_axis_set: reads such a name; *out stays when it is none, or NULL. Errors  SDD_EMESH naming upAxis */
int mesh_up_axis_set(const char *name, int *out, struct losses *l, struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_stage_copy: copies what can be: a unit that is a finite length, and a transform that is affine and finite. The
 * identity becomes no transform.
 * Errors  SDD_EMESH naming metersPerUnit or transform */
int mesh_stage_copy(const struct mesh_stage *from, struct mesh_stage *to, struct losses *l,
                    struct sdd_error *err) SDD_MUST_CHECK;

#endif
