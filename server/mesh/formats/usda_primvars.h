/* SPDX-License-Identifier: Apache-2.0 */
/* usda_primvars.h: the primvars of a Mesh as they are met in a USDA file, before it is known what becomes of them.
 *
 * A type of numbers (float, int, double, half, and with 2, 3 or 4 of them; color3f, normal3f, texCoord2f, ...) is read
 * as f32 or i32; rows are as wide as the type times elementSize. Kept is what primvars.h has a class for. */
#ifndef SUBDD_USDA_PRIMVARS_H
#define SUBDD_USDA_PRIMVARS_H
#include "server/mesh/mesh.h"
#include "server/mesh/formats/usda_lexer.h"

struct usda_primvar {
    char name[PRIMVAR_NAME_SIZE];
    char interpolation[16]; /* "constant" where the file says nothing */
    int64_t element_size, line;
    struct usda_type type;
    bool has_values, has_indices;
    struct words values, indices;
};
struct usda_primvars {
    int n;
    struct usda_primvar v[SDD_MAX_PRIMVARS + 1]; /* st as well */
};

/* usda_type_of: *out from USD's name of a type; false: it is none of numbers, or has more than four. */
bool usda_type_of(struct usda_span name, struct usda_type *out);
/* usda_primvar_of: the primvar that an attribute (primvars:NAME, or primvars:NAME:indices: *indices) belongs to, made
 * where it is new; NULL: the attribute is none, or one too many. */
struct usda_primvar *usda_primvar_of(struct usda_primvars *p, struct usda_span attribute, bool *indices);
/* usda_primvar_name: can USD have a primvar of this name, and not take it for another's indices? */
bool usda_primvar_name(const char *name);
/* usda_primvar_author: *out as mesh_build takes it, borrowed from p; false: a mesh has no place for it. */
bool usda_primvar_author(const struct usda_primvar *p, struct primvar_array *out);
void usda_primvars_free(struct usda_primvars *p);

#endif
