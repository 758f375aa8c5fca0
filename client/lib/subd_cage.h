/* SPDX-License-Identifier: Apache-2.0 */
/* subd_cage.h: the control mesh as arrays, with the ids that edits use. Part of libsubd; subd.h includes it and says
 * what holds for every call. */
#ifndef SUBD_CAGE_H
#define SUBD_CAGE_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* All pointers lead into `memory`. */
struct subd_cage {
    const struct subd_mesh *mesh; /* Its arrays; subd_push_mesh takes it as it is. */
    const int32_t *vertex_ids;    /* Shape [mesh->n_vertices]: what subd_edits calls the vertex of each row. */
    const int32_t *face_ids;      /* Shape [mesh->n_faces]. */
    const char *name;
    const char *options[SUBD_MAX_OPTIONS]; /* The token of each option; NULL where the server tells none. */
    int64_t version;                       /* What subd_edits and subd_positions take as `version`. */
    void *memory;                          /* The library's. */
    int64_t reserved[8];
};
/* subd_cage_arrays: GET cage into arrays. Positions are in the units of the mesh. Rows of vertices are those that
 * subd_positions and subd_refine_pose take; ids stay when edits move rows.
 * Result  the arrays fit together: indices are below what they index, and lengths are those of struct subd_mesh
 * Owner   *out is the caller's to release with subd_cage_free; it is empty after an error
 * Errors  SUBD_EPROTOCOL also when an array does not fit the others, or the mesh passes subd_config.max_answer_bytes */
SUBD_API int subd_cage_arrays(subd_client *c, const char *id, struct subd_cage *out,
                              struct subd_error *err) SUBD_MUST_CHECK;
/* subd_cage_free: frees the arrays and clears *cage. NULL is fine. */
SUBD_API void subd_cage_free(struct subd_cage *cage);

#ifdef __cplusplus
}
#endif
#endif
