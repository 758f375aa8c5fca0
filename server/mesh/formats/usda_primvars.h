/* SPDX-License-Identifier: Apache-2.0 */
/* usda_primvars.h: the primvars of a Mesh on the stage of a USDA file, and which of them are its UVs.
 *
 * Types of numbers are read as f32 or i32: float, double, half, the integers and quaternions, alone or with 2, 3 or 4
 * components, and roles such as color3f, normal3f and texCoord2f. A row is as wide as the type times elementSize. A
 * primvar that a mesh cannot keep, and one whose values are wrong, is a loss. */
#ifndef SUBDD_USDA_PRIMVARS_H
#define SUBDD_USDA_PRIMVARS_H
#include "server/mesh/formats/usda_stage.h"
#include "server/mesh/mesh.h"

#define USDA_MAX_PRIMVARS (2 * SDD_MAX_PRIMVARS) /* Those of a Mesh that are looked at. */

struct usda_primvar {
    char name[PRIMVAR_NAME_SIZE];
    char interpolation[16]; /* "constant" unless the file names another. */
    int64_t element_size, line;
    struct usda_type type;
    bool is_uv;   /* Its type is 2 floats of the role texCoord, or has the name of UVs. */
    int32_t prim; /* The prim of the stage whose it is: the Mesh, or one above it when it is constant. */
    bool has_values, has_indices;
    struct words values, indices;
};
struct usda_primvars {
    int n;
    struct usda_primvar v[USDA_MAX_PRIMVARS];
};

/* usda_primvars_read: reads the primvars of a prim, and the constant ones of those above it.
 * Owner   the caller frees what *p has with usda_primvars_free, also on error
 * Errors  SDD_ENO_MEMORY; those of losses_add, by name of the primvar */
int usda_primvars_read(struct usda_primvars *p, const struct usda_stage *stage, int32_t prim,
                       const struct usda_ask *ask, struct losses *losses, struct sdd_error *err) SDD_MUST_CHECK;
/* usda_primvars_take: puts the UVs and the primvars into *a, whose arrays of topology are set; they are borrowed from
 * p. Errors  as usda_primvars_read */
int usda_primvars_take(struct usda_primvars *p, struct mesh_arrays *a, struct sdd_error *err) SDD_MUST_CHECK;
/* usda_primvar_name: true when USD can have a primvar of this name and would not take it for the indices of another. */
bool usda_primvar_name(const char *name);
void usda_primvars_free(struct usda_primvars *p);

#endif
