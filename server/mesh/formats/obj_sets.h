/* SPDX-License-Identifier: Apache-2.0 */
/* obj_sets.h: the sets of faces in an OBJ file: `usemtl` and `g`, for obj.c. */
#ifndef SUBDD_OBJ_SETS_H
#define SUBDD_OBJ_SETS_H
#include "server/mesh/formats/obj_reader.h"

/* obj_set_name: takes a statement, whose name is from `from` to `to`, as the set of the faces that follow. */
void obj_set_name(struct obj_sets *s, const char *from, const char *to, int64_t line);
/* obj_set_face: puts the face that is about to be added into its set. A name counts only when a face has it.
 * Errors  SDD_ENO_MEMORY */
int obj_set_face(struct obj_reader *r, struct obj_sets *s) SDD_MUST_CHECK;
/* obj_sets_used: false as long as obj_set_face would do nothing. */
static inline bool obj_sets_used(const struct obj_sets *s)
{
    return s->from || s->current || s->of_face.n;
}
/* obj_sets_author: adds the sets as primvars materialBind and group, where a face has one. */
int obj_sets_author(const struct obj_reader *r, struct mesh_arrays *a, struct sdd_error *err) SDD_MUST_CHECK;
void obj_sets_fini(struct obj_sets *s);

#endif
