/* SPDX-License-Identifier: Apache-2.0 */
/* usda_layer.h: a USDA file as a tree of prims, each with the places of its fields: what one file says, before any of
 * it is composed (usda_stage.h). No values are read here; a field is read again at its place when it is wanted.
 *
 * A prim or field takes less memory than the text of the shortest that is kept, times four. */
#ifndef SUBDD_USDA_LAYER_H
#define SUBDD_USDA_LAYER_H
#include "server/mesh/formats/usda_lexer.h"
#include "server/mesh/losses.h"

#define USDA_MAX_DEPTH 128 /* How deep prims may be nested. */

/* A variant set is a child of its prim, and its variants are children of it. */
enum usda_specifier { USDA_DEF, USDA_OVER, USDA_CLASS, USDA_VARIANT_SET, USDA_VARIANT };
/* Types of prims that are told apart. */
enum usda_prim_type { USDA_NO_TYPE, USDA_MESH, USDA_GEOM_SUBSET, USDA_SKEL_ROOT, USDA_XFORM, USDA_OTHER };
enum usda_field_kind {
    USDA_VALUE,     /* An attribute with its default value. */
    USDA_DECLARED,  /* An attribute without a value. */
    USDA_SAMPLES,   /* Its timeSamples. */
    USDA_CONNECTED, /* Its connections. */
    USDA_REL,       /* A relationship. */
    USDA_META       /* Metadata of a prim. */
};

struct usda_field {
    int64_t at; /* Where its statement begins in the body. */
    int32_t line;
    int32_t next;       /* The next field of the prim, or -1. */
    int32_t items;      /* How many items its array has; 0 when it is none. */
    unsigned kind : 4;  /* An enum usda_field_kind. */
    unsigned hash : 28; /* Of its name. */
};
struct usda_prim {
    int64_t name; /* Where the text of its name begins in the body. */
    int32_t name_bytes, line;
    int32_t parent;                /* Prim 0 is the file itself, and has no parent. */
    int32_t fields, last;          /* The first and the last field, or -1. */
    unsigned char specifier, type; /* An enum usda_specifier, an enum usda_prim_type. */
};
struct usda_layer {
    const char *body;
    size_t bytes;
    struct usda_prim *prims; /* In the order of the file. */
    struct usda_field *fields;
    int32_t *order; /* The prims, so that those of one parent, kind (usda_rank) and name stand together. */
    int64_t n, room, n_fields, fields_room;
    int64_t n_meshes; /* Mesh prims anywhere in the file. */
};
/* A declaration as it is read from its place: [list op] [custom] [uniform] type[[]] name. */
struct usda_declaration {
    struct usda_span type, name; /* The name is without its part behind the point, such as timeSamples. */
    bool list;                   /* The type has [] behind it. */
    int kind;                    /* An enum usda_field_kind, of the part behind the point and the type. */
};

/* usda_layer_read: reads the structure of a file. Prims of types that neither are nor hold meshes are left out, which
 * goes to `losses`.
 * Owner   the caller frees *layer with usda_layer_free, also on error; the body must stay
 * Errors  SDD_EMALFORMED, SDD_EINVALID (nested too deep), SDD_ETOO_LARGE, SDD_ENO_MEMORY; they name the line */
int usda_layer_read(struct usda_layer *layer, const char *body, size_t bytes, struct losses *losses,
                    struct sdd_error *err) __attribute__((warn_unused_result));
void usda_layer_free(struct usda_layer *layer);
/* usda_field_open: reads the beginning of a field. Of an attribute or relationship *d is its declaration, of metadata
 * its name. The lexer then stands at the first token of the value; *there is false when it has none. */
int usda_field_open(const struct usda_layer *layer, const struct usda_field *f, struct usda_lexer *lx,
                    struct usda_declaration *d, bool *there, struct sdd_error *err) __attribute__((warn_unused_result));
/* usda_field_bytes: how far it is from the beginning of a field to that of the next one in the file, or to its end. */
int64_t usda_field_bytes(const struct usda_layer *layer, int32_t field);
/* usda_hash: the hash of a field's name. */
unsigned usda_hash(struct usda_span name);
/* usda_prim_name: the name of a prim. */
struct usda_span usda_prim_name(const struct usda_layer *layer, int32_t prim);
/* usda_children: the range [*first, *end) of layer->order with the children of a prim that have this specifier:
 * USDA_DEF for all prims, USDA_VARIANT_SET or USDA_VARIANT. With a name, only those that are called so. */
void usda_children(const struct usda_layer *layer, int32_t parent, int specifier, const struct usda_span *name,
                   int64_t *first, int64_t *end);

#endif
