/* SPDX-License-Identifier: Apache-2.0 */
/* usda_parts.h: what usda_reader.c has read of parts of a Mesh on the stage of a USDA file: its transform, and its face
 * sets. */
#ifndef SUBDD_USDA_PARTS_H
#define SUBDD_USDA_PARTS_H
#include "server/mesh/formats/usda_stage.h"
#include "server/mesh/mesh.h"

#define USDA_MATERIALS "materialBind" /* The family of subsets that bind materials, and the primvar that keeps it. */

/* What reading takes. */
struct usda_part {
    const struct usda_stage *stage;
    const struct usda_ask *ask;
    struct losses *losses;
    struct sdd_error *err;
};
/* Face sets of one family, which become a primvar of its name. */
struct usda_family {
    char name[PRIMVAR_NAME_SIZE];
    int32_t *sets; /* [F] */
    struct text names;
    int64_t n; /* Names. */
};
struct usda_families {
    int n;
    struct usda_family v[SDD_MAX_PRIMVARS];
};

/* usda_xform: fills in the transform of *out: the Xform ops of a prim and of those above it. Losses  ops that are not
 * known or have no value. Errors  those of losses_add */
int usda_xform(const struct usda_part *p, int32_t prim, struct mesh_stage *out) SDD_MUST_CHECK;
/* usda_subsets: reads the GeomSubsets of faces of a Mesh with n_faces, and the material that is bound to the Mesh or to
 * a prim above it, which has the faces that no subset has.
 * Owner   the caller frees what *f has with usda_families_free, also on error
 * Losses  subsets of other elements or without a family, faces that are not there or are in two subsets
 * Errors  SDD_ENO_MEMORY; those of losses_add */
int usda_subsets(const struct usda_part *p, int32_t prim, int64_t n_faces, struct usda_families *f) SDD_MUST_CHECK;
/* usda_subsets_take: adds the families as primvars to *a, which borrows them; they win over primvars of their names. */
int usda_subsets_take(const struct usda_families *f, int64_t n_faces, struct mesh_arrays *a,
                      struct sdd_error *err) SDD_MUST_CHECK;
void usda_families_free(struct usda_families *f);

#endif
