/* SPDX-License-Identifier: Apache-2.0 */
/* usda_stage.h: the stage of a USDA file: its prims as USD composes them from what the one file says. A prim of the
 * stage has one or several prims of the file, the strongest first, in USD's order: what is said of the prim itself,
 * then what it inherits, its selected variants, what it refers to in this file, and what it specializes.
 *
 * Not on the stage are prims that are inactive, a class, or an over without a def, and what is below them. Other
 * files are not read; the stage remembers the first arc that leads to one. */
#ifndef SUBDD_USDA_STAGE_H
#define SUBDD_USDA_STAGE_H
#include "server/mesh/formats/codec.h"
#include "server/mesh/formats/usda_layer.h"

struct usda_stage_prim {
    int32_t parent;     /* Prim 0 is the root, and has no parent. */
    int32_t first, n;   /* Its prims of the file in stage->specs, the strongest first. */
    unsigned char type; /* An enum usda_prim_type. */
    unsigned char depth;
};
struct usda_stage {
    const struct usda_layer *layer;
    int64_t *left; /* How many bytes may still be read: references can bring the same ones to many places. */
    struct usda_stage_prim *prims;
    int32_t *specs;
    int32_t *meshes; /* The Mesh prims, in the order of the file. */
    int64_t n, room, n_specs, specs_room, n_meshes, meshes_room;
    int32_t away;       /* The field of the first reference or the like that was not followed; -1 without one. */
    int32_t unselected; /* The first variant set, a prim of the file, of which no variant is taken; -1 without one. */
    int32_t unfound; /* The field of the first one that leads to no prim of the file that may hold a Mesh; else -1. */
    int64_t n_away, n_unselected, n_unfound;
};
#define USDA_PATH_SIZE 1024 /* Room for a path; a Mesh with a longer one cannot be asked for. */
/* What the stage says of a property: fields of the layer, or -1. */
struct usda_opinion {
    int32_t value, samples;
};

/* usda_stage_compose: composes the stage of a layer, which must outlive it, and so must *left.
 * Owner   the caller frees *stage with usda_stage_free, also on error
 * Errors  SDD_EINVALID (nested too deep), SDD_ETOO_LARGE (references that multiply the prims), SDD_ENO_MEMORY */
int usda_stage_compose(struct usda_stage *stage, const struct usda_layer *layer, int64_t *left, struct sdd_error *err)
    __attribute__((warn_unused_result));
/* usda_stage_read: takes so many bytes from those that may be read. Errors  SDD_ETOO_LARGE, again and again once they
 * are used up, so that who ignores it is told later */
int usda_stage_read(const struct usda_stage *stage, int64_t bytes, struct sdd_error *err);
void usda_stage_free(struct usda_stage *stage);
/* usda_stage_name: the name of a prim of the stage. */
struct usda_span usda_stage_name(const struct usda_stage *stage, int32_t prim);
/* usda_stage_path: writes the path of a prim. Returns false when it has no room, or is no UTF-8. */
bool usda_stage_path(const struct usda_stage *stage, int32_t prim, char *out, size_t room);
/* usda_stage_no_points: refuses a Mesh without points. */
int usda_stage_no_points(const struct usda_stage *stage, struct sdd_error *err);
/* usda_stage_choose: the Mesh that is asked for, in *prim.
 * Errors  SDD_EMESH, SDD_EINVALID (no such prim, several): the sentence says why and what to do */
int usda_stage_choose(const struct usda_stage *stage, const struct usda_ask *ask, int32_t *prim, struct sdd_error *err)
    __attribute__((warn_unused_result));
/* usda_stage_tell: adds to `losses` what of the stage was not followed. */
int usda_stage_tell(const struct usda_stage *stage, struct losses *losses, struct sdd_error *err)
    __attribute__((warn_unused_result));
/* usda_stage_items: how many items the array of an attribute has; 0 when it has none. */
int64_t usda_stage_items(const struct usda_stage *stage, int32_t prim, const char *name);

/* usda_find: what the stage says of a property of this name, or with `metadata` of the prim's metadata. */
struct usda_opinion usda_find(const struct usda_stage *stage, int32_t prim, const char *name, bool metadata);
/* usda_each: calls `see` with every field of a prim, the weakest first, until it returns an error or no more bytes
 * may be read, which usda_stage_read then tells. */
int usda_each(const struct usda_stage *stage, int32_t prim, int (*see)(void *arg, const struct usda_field *f),
              void *arg) __attribute__((warn_unused_result));
/* usda_value: the lexer at the first token of the value that is asked for; *there is false when there is none. *d and
 * losses may be NULL; losses get that one of several samples was taken.
 * Errors  those of the lexer */
int usda_value(const struct usda_stage *stage, struct usda_opinion o, const struct usda_ask *ask, struct usda_lexer *lx,
               struct usda_declaration *d, bool *there, struct losses *losses, struct sdd_error *err)
    __attribute__((warn_unused_result));
/* usda_text_of: the string or token that a property or metadata has; empty when it has none or is none. */
struct usda_span usda_text_of(const struct usda_stage *stage, int32_t prim, const char *name, bool metadata);
/* usda_display_name: the displayName of a prim, without its escapes. Returns false, with "" in out, when there is none
 * that has room. */
bool usda_display_name(const struct usda_stage *stage, int32_t prim, char *out, size_t room);

#endif
