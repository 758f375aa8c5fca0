/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.h: values that a mesh carries besides its positions, in USD's interpolation classes, such as colours,
 * weights and material ids.
 *
 *   class         one row of values for             after refinement
 *   constant      the mesh                          unchanged (f32 or i32)
 *   uniform       each face                         copied from the parent face (f32 or i32)
 *   varying       each vertex                       interpolated linearly (f32)
 *   vertex        each vertex                       subdivided as positions are (f32)
 *   faceVarying   each index that a corner has      subdivided by rules of their own, with seams (f32)
 *
 * A mesh keeps its primvars sorted by name. Only faceVarying ones have indices. The UVs, st, are not among them: they
 * have their own place in struct mesh. */
#ifndef SUBDD_PRIMVARS_H
#define SUBDD_PRIMVARS_H
#include "gpu/sdd/sdd.h"
#include "server/base/size.h"
#include <string.h>

#define PRIMVAR_NAME_SIZE 64  /* Room for 63 characters of [A-Za-z_][A-Za-z0-9_:]*. */
#define PRIMVAR_WHERE_SIZE 40 /* Room for the place of a primvar in a request, as errors name it. */
/* How many bytes of values a request may create without sending them, by indices or by adding elements. */
#define PRIMVARS_MAX_MADE (INT64_C(1) << 30)

enum primvar_type { PRIMVAR_F32, PRIMVAR_I32 };

/* What a primvar is, without its values. The store writes these bytes to disk, so the layout must never change. */
struct primvar_info {
    char name[PRIMVAR_NAME_SIZE];
    int32_t interpolation; /* An enum sdd_interpolation. */
    int32_t type;          /* An enum primvar_type. */
    int32_t width;         /* Numbers in a row of values. */
    int32_t n_values;      /* Rows of values. */
};
/* The names of face sets, such as materials or groups: a uniform primvar of one i32 may have them. Its value 0 is no
 * set, and its value k is the k-th name. Materials are primvar materialBind (USD's family of subsets), OBJ's groups are
 * primvar group. */
struct set_names {
    const char *text; /* n names of UTF-8, each with a NUL at its end; NULL without names. */
    int64_t n, bytes; /* `bytes` counts the NULs too. */
};
#define SET_NAME_SIZE 256             /* Room for a name of 255 bytes. */
#define SET_NAMES_MAX 65536           /* The names of all primvars of a mesh. */
#define SET_NAMES_MAX_BYTES (1 << 20) /* Of these names, with their NULs, as the header of a frame has them. */
/* set_names_next: the name behind this one. */
static inline const char *set_names_next(const char *name)
{
    return name + strlen(name) + 1;
}
struct primvar {
    struct primvar_info info;
    void *values;          /* [n_values][width] They are f32 or i32, as info.type says. */
    int32_t *indices;      /* [C] Rows of values for a faceVarying primvar; NULL for the other classes. */
    struct set_names sets; /* The text is the primvar's own. */
};

/* An authored primvar, whose arrays are borrowed. */
struct primvar_array {
    char where[PRIMVAR_WHERE_SIZE]; /* How errors name it, for example "primvars[3]". */
    struct primvar_info info;       /* Only mesh_decode reads n_values. */
    const void *values;
    int64_t n_words; /* How many numbers `values` has. */
    /* A row of values for each row of the class. When empty, `values` has one row for each row of the class itself. */
    struct i32s indices;
    struct set_names sets;
};

/* primvar_author: fills *out with name, tokens and width. A type of "" or NULL is f32; interpolation has no default.
 * Errors  SDD_EINVALID naming where.name, .interpolation, .type or .width */
int primvar_author(struct primvar_array *out, const char *where, const char *name, const char *interpolation,
                   const char *type, int64_t width, struct sdd_error *err) SDD_MUST_CHECK;
/* primvar_name: clears *out and fills in the name alone. Errors  SDD_EINVALID naming where.name */
int primvar_name(struct primvar_array *out, const char *where, const char *name, struct sdd_error *err) SDD_MUST_CHECK;
const char *primvar_interpolation(int32_t interpolation); /* USD's token. */
const char *primvar_type(int32_t type);                   /* "f32" or "i32". */
/* primvar_rows: how many rows a class needs in a mesh, or -1 for faceVarying, where the indices decide. */
int64_t primvar_rows(int32_t interpolation, int64_t n_vertices, int64_t n_faces);
/* primvar_follows_surface: 1 for classes whose values are interpolated over the surface (varying, vertex, faceVarying),
 * 0 for those whose values are only copied. */
int primvar_follows_surface(int32_t interpolation);
/* primvar_has_channel: 1 when its indices are part of the topology: it is faceVarying and has values, which it loses
 * with the last face. */
int primvar_has_channel(const struct primvar_info *p);
/* primvars_shapes: fills out[n] with the primvars as the compute library takes them, without values. */
void primvars_shapes(const struct primvar_info *infos, int n, struct sdd_primvar out[SDD_MAX_PRIMVARS]);
/* primvar_check: checks that values which follow the surface are finite and within SDD_MAX_COORDINATE, and with `all`
 * that the floats which are only copied are finite, too.
 * Errors  SDD_EMESH naming the array and the number */
int primvar_check(const struct primvar_info *p, const void *values, int64_t n_words, bool all, const char *where,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* primvars_count: checks that a mesh may have n primvars. Errors  SDD_ETOO_LARGE naming the limit */
int primvars_count(int64_t n, struct sdd_error *err) SDD_MUST_CHECK;
struct mesh;
struct mesh_arrays;
struct losses;
/* primvars_build: copies the primvars of a into m, whose counts of elements are set. They are sorted by name, and the
 * indices of all but faceVarying ones are expanded. With a->losses a primvar that does not fit is left out.
 * Errors  SDD_EINVALID (a name twice), SDD_EMESH (lengths, indices, values), SDD_ETOO_LARGE, SDD_ENO_MEMORY */
int primvars_build(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_add: the same for n primvars beside those that m has; m->primvars must have room for them. */
int primvars_add(struct mesh *m, const struct primvar_array *const *arrays, int n, struct losses *l,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* primvars_arrays: fills the primvars of *out with those of m in authored form; the arrays are borrowed from m. */
void primvars_arrays(const struct mesh *m, struct mesh_arrays *out);
/* primvars_bytes: the host memory that the primvars of m hold. */
int64_t primvars_bytes(const struct mesh *m);
/* primvars_list: copies what the primvars of m are into infos, and returns how many there are. */
int primvars_list(const struct mesh *m, struct primvar_info infos[SDD_MAX_PRIMVARS]);
/* set_names_build: makes the names of *a those of p, whose values are there. Names that p cannot have are left out, and
 * values that name no set become 0. *names and *bytes count those of all primvars of the mesh.
 * Errors  SDD_EMESH naming where.setNames or where.values, SDD_ENO_MEMORY */
struct losses;
int set_names_build(struct primvar *p, const struct primvar_array *a, int64_t *names, int64_t *bytes, struct losses *l,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* set_names_copy: copies the text, which the caller of both frees with set_names_free. Errors  SDD_ENO_MEMORY */
int set_names_copy(const struct set_names *from, struct set_names *to, struct sdd_error *err) SDD_MUST_CHECK;
void set_names_free(struct set_names *s); /* It becomes empty. */
/* set_names_check_value: checks the value of face `row`. Errors  SDD_EMESH naming where.values */
int set_names_check_value(const struct set_names *s, int32_t value, int64_t row, const char *where,
                          struct sdd_error *err) SDD_MUST_CHECK;
/* primvar_find: the row of a name in infos[n], or -1 when it is not there. */
int primvar_find(const struct primvar_info *infos, int n, const char *name);

#endif
