/* SPDX-License-Identifier: Apache-2.0 */
/* usda_primvars.h: the primvars of a Mesh, as usda_reader.c collects them before it knows which of them a mesh can
 * keep.
 *
 * Types of numbers are read as f32 or i32: float, double, half and int, alone or with 2, 3 or 4 components, and roles
 * such as color3f, normal3f and texCoord2f. A row is as wide as the type times elementSize. */
#ifndef SUBDD_USDA_PRIMVARS_H
#define SUBDD_USDA_PRIMVARS_H
#include "server/mesh/mesh.h"
#include "server/mesh/formats/usda_lexer.h"

struct usda_primvar {
    char name[PRIMVAR_NAME_SIZE];
    char interpolation[16]; /* "constant" unless the file names another. */
    int64_t element_size, line;
    struct usda_type type;
    bool has_values, has_indices;
    struct words values, indices;
};
struct usda_primvars {
    int n;
    struct usda_primvar v[SDD_MAX_PRIMVARS + 1]; /* One more than a mesh can have, because st is among them. */
};

/* usda_type_of: fills *out from USD's name of a type. Returns false when it is not numbers or has more than four
 * components. */
bool usda_type_of(struct usda_span name, struct usda_type *out);
/* usda_primvar_of: the primvar to which an attribute belongs, added when it is new. The attribute is primvars:NAME, or
 * primvars:NAME:indices, which sets *indices. Returns NULL when it is neither, or when there are too many primvars. */
struct usda_primvar *usda_primvar_of(struct usda_primvars *p, struct usda_span attribute, bool *indices);
/* usda_primvar_name: true when USD can have a primvar of this name and would not take it for the indices of another. */
bool usda_primvar_name(const char *name);
/* usda_primvar_author: fills *out with the primvar as mesh_build takes it, borrowed from p. Returns false when a mesh
 * cannot keep it. */
bool usda_primvar_author(const struct usda_primvar *p, struct primvar_array *out);
void usda_primvars_free(struct usda_primvars *p);

#endif
