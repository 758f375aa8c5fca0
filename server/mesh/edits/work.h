/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: the working copy that apply.c makes of a mesh, changes edit by edit, and hands to close.c, which makes the
 * new mesh of it. Calls go one way, apply -> close -> primvars -> channels -> work, also past each other, and
 * apply -> check -> work. */
#ifndef SUBDD_EDITS_WORK_H
#define SUBDD_EDITS_WORK_H
#include "server/mesh/edits/edits.h"
#include "server/mesh/id_map.h"
#include "server/mesh/rows.h"

enum { FACE_DEAD = 1, FACE_HOLE = 2 };
/* VERTEX_EDGE is a mark of check.c, VERTEX_CREASE of close.c, VERTEX_NEW of channels.c. */
enum { VERTEX_DEAD = 1, VERTEX_CREASE = 2, VERTEX_NEW = 4, VERTEX_EDGE = 8 };

struct edit_channel { /* values that corners name: UVs, and each faceVarying primvar */
    int64_t width, n_values, n_old;
    int32_t *of; /* [C] rows of values; -1: none, of UVs alone */
    float *values;
    int32_t *value_to; /* from edits_channel_close on: the new row of each value, or SDD_NO_ROW */
};
struct edit_primvar { /* one that the mesh had before */
    struct primvar_info info;
    bool removed;
    char *rows;                  /* [rows of its class][width]; NULL: it is faceVarying */
    struct edit_channel channel; /* when it is                                          */
};

/* Rows as in the mesh, then those that the batch has added; removed ones stay, marked, until the end. */
struct edit_work {
    int64_t edit;          /* index of the one being applied */
    const char *triangles; /* a scheme that takes no other faces, or NULL */
    int64_t n_vertices, n_faces, n_corners, n_creases, n_tags;
    int64_t n_old_vertices, n_old_faces, n_old_creases;
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
    struct edit_channel st;
    struct mesh_row *creases; /* old ones first, so that the later wins */
    struct mesh_row *tags;    /* sharp vertices                         */
    int n_primvars, n_puts;
    struct edit_primvar primvars[SDD_MAX_PRIMVARS];
    const struct primvar_array *puts[SDD_MAX_PRIMVARS]; /* primvars that the batch puts whole */
};

/* ---- work.c ---- */
/* edits_grown: from[n] with room for more, which is zeroed. NULL: the error is in *err. */
void *edits_grown(const void *from, int64_t n, int64_t room, int64_t bytes, struct sdd_error *err);
static inline bool edits_face_live(const struct edit_work *w, int64_t f)
{
    return !(w->face_state[f] & FACE_DEAD);
}
/* edits_find_*: the row of an id that the edit being applied names. Errors  SDD_EMESH */
int edits_find_vertex(const struct edit_work *w, int32_t id, int64_t *row, struct sdd_error *err) SDD_MUST_CHECK;
int edits_find_face(const struct edit_work *w, int32_t id, int64_t *row, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- channels.c ---- */
/* edits_channel_set: new rows for all corners of the faces that e names. op and field are for the error.
 * Errors  SDD_EMESH (an id; rows that do not match the corners) */
int edits_channel_set(struct edit_work *w, struct edit_channel *c, const struct edit *e, const float *values,
                      int64_t rows, const char *op, const char *field, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_close: one value where new ones at a vertex are equal, none that no live corner names; `of` then has
 * the live corners alone. Every live corner has a value. */
int edits_channel_close(struct edit_work *w, struct edit_channel *c, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_delta: the next channel of the delta, which was `from` in the old mesh, or SDD_NO_ROW. */
void edits_channel_delta(struct edit_channel *c, int64_t from, struct mesh_delta *out);
void edits_channel_fini(struct edit_channel *c);

/* ---- primvars.c ---- */
/* edits_primvars_init: working copies with room for what the batch can add (room: the counts then).
 * Errors  SDD_ETOO_LARGE (more zeros than PRIMVARS_MAX_MADE), SDD_ENO_MEMORY */
int edits_primvars_init(struct edit_work *w, const struct mesh *m, const struct edit_batch *b,
                        const struct edit_work *room, struct sdd_error *err) SDD_MUST_CHECK;
void edits_primvars_fini(struct edit_work *w);
void edits_primvars_corner(struct edit_work *w, int64_t corner); /* a corner was added */
/* edits_primvars_apply: EDIT_*_PRIMVAR. Errors  SDD_EMESH (no such primvar; values that do not fit its rows) */
int edits_primvars_apply(struct edit_work *w, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_close: closes up the rows of what was removed, before corners and ids are. edits_primvars_arrays: the
 * primvars of the new mesh, once w->n_corners is that of the mesh. edits_primvars_delta: the channels of the primvars
 * of the new mesh `to`, from those of m. */
int edits_primvars_close(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;
void edits_primvars_arrays(const struct edit_work *w, struct mesh_arrays *out);
void edits_primvars_delta(struct edit_work *w, const struct mesh *m, const struct mesh *to, struct mesh_delta *out);

/* ---- check.c ---- */
/* edits_check_*: the points of one edit (`row` is the first that it adds), a face just added, and, after all edits,
 * whether a face has each new crease's edge. Errors  SDD_EMESH naming edit and ids */
int edits_check_points(const struct edit_work *w, const struct edit *e, int64_t row,
                       struct sdd_error *err) SDD_MUST_CHECK;
int edits_check_face(const struct edit_work *w, int64_t f, struct sdd_error *err) SDD_MUST_CHECK;
int edits_check_creases(struct edit_work *w, const struct edit_batch *b, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- close.c ---- */
/* edits_close_up: judges the working copy as the batch leaves it and makes the mesh and the delta, which is the
 * caller's also on error. Ruins w, but not its ownership. */
int edits_close_up(struct edit_work *w, const struct mesh *m, struct mesh **out, struct mesh_delta *delta,
                   struct sdd_error *err) SDD_MUST_CHECK;

#endif
