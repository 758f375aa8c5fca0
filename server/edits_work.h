/* SPDX-License-Identifier: Apache-2.0 */
/* edits_work.h: the working copy of edits.c, which edits_close.c turns into the new mesh. */
#ifndef SUBDD_EDITS_WORK_H
#define SUBDD_EDITS_WORK_H
#include "server/edits.h"
#include "server/id_map.h"
#include "server/mesh_rows.h"

enum { FACE_DEAD = 1, FACE_HOLE = 2 };
/* VERTEX_EDGE is a mark of edits_check.c, VERTEX_CREASE and VERTEX_UV are of edits_close.c. */
enum { VERTEX_DEAD = 1, VERTEX_CREASE = 2, VERTEX_UV = 4, VERTEX_EDGE = 8 };

/* Rows as in the mesh, then those that the batch has added; removed ones stay, marked, until the end. */
struct edit_work {
    int64_t edit;          /* index of the one being applied */
    const char *triangles; /* a scheme that takes no other faces, or NULL */
    int64_t n_vertices, n_faces, n_corners, n_uvs, n_creases, n_tags;
    int64_t n_old_vertices, n_old_faces, n_old_uvs, n_old_creases;
    int64_t next_vertex_id, next_face_id;
    bool removed_vertices, removed_faces;
    struct id_map vertex_map, face_map; /* of the old rows; empty where their ids ascend */
    int32_t *vertex_ids;
    unsigned char *vertex_state; /* VERTEX_* */
    float *points;
    int32_t *face_ids, *face_counts;
    int64_t *face_first;       /* [F + 1] first corner */
    unsigned char *face_state; /* FACE_*               */
    int32_t *corners;          /* [C] vertex rows      */
    int32_t *uv_of;            /* [C] rows of uvs; -1: none */
    float *uvs;
    struct mesh_row *creases; /* old ones first, so that the later wins */
    struct mesh_row *tags;    /* sharp vertices                         */
};

/* edits_check_*: the points of one edit (`row` is the first that it adds), a face just added, and, after all edits,
 * whether a face has each new crease's edge. Errors  SDD_EMESH naming edit and ids */
int edits_check_points(const struct edit_work *w, const struct edit *e, int64_t row,
                       struct sdd_error *err) SDD_MUST_CHECK;
int edits_check_face(const struct edit_work *w, int64_t f, struct sdd_error *err) SDD_MUST_CHECK;
int edits_check_creases(struct edit_work *w, const struct edit_batch *b, struct sdd_error *err) SDD_MUST_CHECK;

/* edits_close_up: judges the working copy as the batch leaves it and makes the mesh. Ruins w, but not its ownership. */
int edits_close_up(struct edit_work *w, const struct mesh *m, struct mesh **out, struct sdd_error *err) SDD_MUST_CHECK;

#endif
