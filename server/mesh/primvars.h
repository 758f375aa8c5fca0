/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.h: values that ride along with a mesh, in USD's interpolation classes: colours, weights, material ids.
 *
 *   class         a row for                          refined
 *   constant      the mesh                           as it is (f32 or i32)
 *   uniform       each face                          its parent's (f32 or i32)
 *   varying       each vertex                        linearly (f32)
 *   vertex        each vertex                        as positions are (f32)
 *   faceVarying   whatever a corner's index names    by rules of their own, with seams (f32)
 *
 * A mesh keeps its primvars by name, ascending, without indices but for faceVarying ones. `st` is none of these: it has
 * its own place in struct mesh. */
#ifndef SUBDD_PRIMVARS_H
#define SUBDD_PRIMVARS_H
#include "gpu/sdd/sdd.h"
#include "server/base/size.h"

#define PRIMVAR_NAME_SIZE 64 /* 63 characters of [A-Za-z_][A-Za-z0-9_:]*      */
#define PRIMVAR_WHERE_SIZE 40
#define PRIMVARS_MAX_MADE (INT64_C(1) << 30) /* bytes of values that one request may ask for without sending them */

enum primvar_type { PRIMVAR_F32, PRIMVAR_I32 };

struct primvar_info { /* what a primvar is; stored as it stands (store_record.c), so never change it */
    char name[PRIMVAR_NAME_SIZE];
    int32_t interpolation, type, width; /* enum sdd_interpolation, enum primvar_type */
    int32_t n_values;                   /* rows                                      */
};
struct primvar {
    struct primvar_info info;
    void *values;     /* [n_values][width] f32 or i32                  */
    int32_t *indices; /* faceVarying: [C] rows of values; else NULL    */
};

struct primvar_array {              /* as authored; arrays are borrowed */
    char where[PRIMVAR_WHERE_SIZE]; /* its name in errors: "primvars[3]"                  */
    struct primvar_info info;       /* n_values matters to mesh_decode alone                */
    const void *values;
    int64_t n_words;     /* numbers in values                                  */
    struct i32s indices; /* rows of values, one for each row of the class; n = 0: values has these rows itself */
};

/* primvar_author: name, tokens and width into *out. type "" or NULL is f32, interpolation has no default.
 * Errors  SDD_EINVALID, SDD_ETOO_LARGE naming where.name, .interpolation, .type or .width */
int primvar_author(struct primvar_array *out, const char *where, const char *name, const char *interpolation,
                   const char *type, int64_t width, struct sdd_error *err) SDD_MUST_CHECK;
/* primvar_name: the name alone, checked as above. */
int primvar_name(struct primvar_array *out, const char *where, const char *name, struct sdd_error *err) SDD_MUST_CHECK;
const char *primvar_interpolation(int32_t interpolation); /* USD's token */
const char *primvar_type(int32_t type);                   /* "f32", "i32" */
/* primvar_rows: how many rows a class wants of a mesh; -1: faceVarying, where the indices count. */
int64_t primvar_rows(int32_t interpolation, int64_t n_vertices, int64_t n_faces);
/* primvar_follows_surface: is it evaluated (varying, vertex, faceVarying), and not just copied? */
int primvar_follows_surface(int32_t interpolation);
/* primvar_has_channel: do its indices belong to the topology? Not where its last faces, and so its values, are gone. */
int primvar_has_channel(const struct primvar_info *p);
/* primvars_shapes: as the compute library wants them, without values. */
void primvars_shapes(const struct primvar_info *infos, int n, struct sdd_primvar out[SDD_MAX_PRIMVARS]);
/* primvar_check: values that follow the surface must be finite numbers within SDD_MAX_COORDINATE.
 * Errors  SDD_EMESH naming the array and the number */
int primvar_check(const struct primvar_info *p, const void *values, int64_t n_words, const char *where,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* primvars_count: may a mesh have n? Errors  SDD_ETOO_LARGE naming the limit */
int primvars_count(int64_t n, struct sdd_error *err) SDD_MUST_CHECK;
struct mesh;
struct mesh_arrays;
/* primvars_build: gives m, whose counts are set, copies of the primvars in a: by name, indices expanded.
 * Errors  SDD_EINVALID (a name twice), SDD_EMESH (lengths, indices, values), SDD_ETOO_LARGE, SDD_ENO_MEMORY */
int primvars_build(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err) SDD_MUST_CHECK;
void primvars_free(struct mesh *m);
/* primvars_arrays: those of a mesh as authored; borrowed. */
void primvars_arrays(const struct mesh *m, struct mesh_arrays *out);
int64_t primvars_bytes(const struct mesh *m);
/* primvars_list: what they are, into infos; how many. */
int primvars_list(const struct mesh *m, struct primvar_info infos[SDD_MAX_PRIMVARS]);
/* primvar_find: row of a name in infos[n], -1 when there is none. */
int primvar_find(const struct primvar_info *infos, int n, const char *name);

#endif
