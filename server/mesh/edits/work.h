/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: the working copy of a mesh while a batch is applied, for the files of edits/ alone. apply.c makes it and
 * changes it edit by edit, and close.c makes the new mesh of it. A file may call those behind it in
 * apply -> close -> primvars -> channels -> work, in apply -> room -> primvars, and in apply -> check -> work, but none
 * before it. The modelling edits (modelling.h) only read the working copy, and give apply.c primitives. */
#ifndef SUBDD_EDITS_WORK_H
#define SUBDD_EDITS_WORK_H
#include "server/mesh/edits/edits.h"
#include "server/mesh/id_map.h"
#include "server/mesh/rows.h"

enum { FACE_DEAD = 1, FACE_HOLE = 2 };
/* VERTEX_DEAD says that the batch removed the vertex. The others are temporary marks: VERTEX_EDGE in check.c,
 * VERTEX_CREASE in close.c and VERTEX_NEW in channels.c. */
enum { VERTEX_DEAD = 1, VERTEX_CREASE = 2, VERTEX_NEW = 4, VERTEX_EDGE = 8 };

/* The values that corners name by index: the UVs, or a faceVarying primvar. */
struct edit_channel {
    int64_t width, n_values;
    int64_t need, room; /* Of a primvar: the most values so far and to come, and what there is memory for. */
    int64_t n_old;      /* The first n_old values are those of the old mesh. */
    int32_t *of;        /* [C] Rows of values, or -1 for a corner without UVs; a primvar has no -1. */
    float *values;
    int32_t *value_to; /* Set by edits_channel_close: the new row of each value, or SDD_NO_ROW. */
};
/* A primvar that the mesh had before the batch. */
struct edit_primvar {
    struct primvar_info info;
    struct set_names sets; /* Borrowed from the old mesh. */
    bool removed;
    char *rows;                  /* [rows of its class][width] It is NULL for a faceVarying primvar. */
    struct edit_channel channel; /* The values of a faceVarying primvar. */
};

/* The most rows that there can be during the batch. */
struct edit_room {
    int64_t n_vertices, n_faces, n_corners, n_uvs, n_creases, n_tags;
};

/* The primitives that have been applied. */
struct edit_notes {
    struct edit_batch *batch; /* NULL before the first. */
    int64_t room;
    bool too_many; /* They take more memory than they are worth, and are not noted. */
};

/* All arrays have the rows of the old mesh first, and behind them those that the batch has added. Removed rows stay,
 * marked, until edits_close_up. */
struct edit_work {
    const struct mesh *old; /* The mesh that the batch edits. */
    int64_t edit;           /* The index of the edit that is being applied. */
    const char *triangles;  /* The name of the scheme when it takes triangles alone, else NULL. */
    int64_t n_vertices, n_faces, n_corners, n_creases, n_tags;
    int64_t n_old_vertices, n_old_faces, n_old_creases;
    struct edit_room need; /* For all primitives so far, and for those of the batch that are still to come. */
    struct edit_room room; /* What there is memory for. */
    int64_t next_vertex_id, next_face_id;
    bool removed_vertices, removed_faces;
    struct id_map vertex_map, face_map; /* The old rows by id; empty when their ids ascend. */
    int32_t *vertex_ids;
    unsigned char *vertex_state; /* Flags VERTEX_*. */
    float *points;
    int32_t *face_ids, *face_counts;
    int64_t *face_first;       /* [F + 1] The first corner of each face. */
    unsigned char *face_state; /* Flags FACE_*. */
    int32_t *corners;          /* [C] Vertex rows. */
    struct edit_channel st;
    struct mesh_row *creases; /* The old ones come first, so that a later one of the same edge wins. */
    int32_t *crease_edits;    /* [n_creases] The edit that each new crease is of. */
    struct mesh_row *tags;    /* Vertices with a corner sharpness, in the same order. */
    int n_primvars, n_puts;
    struct edit_primvar primvars[SDD_MAX_PRIMVARS];
    const struct primvar_array *puts[SDD_MAX_PRIMVARS]; /* Primvars that the batch puts as a whole. */
    struct edit_notes notes;
};

/* ---- work.c ---- */
/* edits_grown: allocates `room` rows, copies from[n] into the first and zeroes the rest. Returns NULL with the error in
 * *err when memory is out. */
void *edits_grown(const void *from, int64_t n, int64_t room, int64_t bytes, struct sdd_error *err);
/* The name by which the client knows a row: its id, or -1-k for the k-th row that the batch adds. */
static inline int32_t edits_vertex_name(const struct edit_work *w, int64_t row)
{
    return row < w->n_old_vertices ? w->vertex_ids[row] : (int32_t)(w->n_old_vertices - 1 - row);
}
static inline int32_t edits_face_name(const struct edit_work *w, int64_t row)
{
    return row < w->n_old_faces ? w->face_ids[row] : (int32_t)(w->n_old_faces - 1 - row);
}
static inline bool edits_face_live(const struct edit_work *w, int64_t f)
{
    return !(w->face_state[f] & FACE_DEAD);
}
/* edits_find_*: find the row of an id that the current edit names. Errors  SDD_EMESH (no such id, or removed by this
 * batch) */
int edits_find_vertex(const struct edit_work *w, int32_t id, int64_t *row, struct sdd_error *err) SDD_MUST_CHECK;
int edits_find_face(const struct edit_work *w, int32_t id, int64_t *row, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- room.c ---- */
/* edits_need: adds what a primitive adds to *need. Errors  SDD_ETOO_LARGE (2^31 rows) */
int edits_need(struct edit_room *need, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_check_ids: refuses a w->need that would run out of ids. Errors  SDD_ETOO_LARGE */
int edits_check_ids(const struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_reserve: makes room for one more primitive, which a modelling edit has made.
 * Errors  SDD_ETOO_LARGE (too many rows or zeros, or ids run out), SDD_ENO_MEMORY */
int edits_reserve(struct edit_work *w, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_regrow: when to > from, gives an array of n rows room for `to` rows; those behind n are zeros. `array` points
 * to the pointer. Errors  SDD_ENO_MEMORY */
int edits_regrow(void *array, int64_t n, int64_t from, int64_t to, int64_t bytes, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- record.c ---- */
/* edits_note: notes a primitive before it is applied. When there is no memory for it, nothing is noted any more. */
void edits_note(struct edit_work *w, const struct edit *e);

/* ---- channels.c ---- */
/* edits_channel_set: gives all corners of the faces that e names new values. op and field are words for the error.
 * Errors  SDD_EMESH (an id; a number of rows that does not match the corners) */
int edits_channel_set(struct edit_work *w, struct edit_channel *c, const struct edit *e, const float *values,
                      int64_t rows, const char *op, const char *field, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_close: makes one value of new values at a vertex that are equal, drops the values that no live corner
 * names, and closes `of` up to the live corners. Every live corner must have a value.
 * Errors  SDD_ENO_MEMORY */
int edits_channel_close(struct edit_work *w, struct edit_channel *c, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_delta: adds the channel to the delta. `from` is its row among the channels of the old mesh, or
 * SDD_NO_ROW. */
void edits_channel_delta(struct edit_channel *c, int64_t from, struct mesh_delta *out);
void edits_channel_fini(struct edit_channel *c);

/* ---- primvars.c ---- */
/* edits_primvars_init: makes the working copies, with room for all that the primitives of the batch can add (w->room).
 * Errors  SDD_ETOO_LARGE (more zeros than PRIMVARS_MAX_MADE, or too many rows), SDD_ENO_MEMORY */
int edits_primvars_init(struct edit_work *w, const struct mesh *m, const struct edit_batch *b,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_reserve: makes room for one more primitive; elements and corners grow from w->room to *to.
 * Errors  as of init */
int edits_primvars_reserve(struct edit_work *w, const struct edit *e, const struct edit_room *to,
                           struct sdd_error *err) SDD_MUST_CHECK;
void edits_primvars_fini(struct edit_work *w);
/* edits_primvars_corner: gives a new corner a value of zeros in each faceVarying primvar. */
void edits_primvars_corner(struct edit_work *w, int64_t corner);
/* edits_primvars_apply: applies an edit of a primvar.
 * Errors  SDD_EMESH (no such primvar; values that do not fit its rows), SDD_ETOO_LARGE (too many primvars) */
int edits_primvars_apply(struct edit_work *w, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_close: closes the primvars up over removed elements. It must run before corners and ids are closed up.
 * Errors  SDD_ETOO_LARGE (too many primvars), SDD_ENO_MEMORY */
int edits_primvars_close(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_arrays: adds the primvars of the new mesh to *out, borrowed from w. w->n_corners must be closed up. */
void edits_primvars_arrays(const struct edit_work *w, struct mesh_arrays *out);
/* edits_primvars_delta: adds the channels of the new mesh `to` to the delta, with the channels of m that they were. */
void edits_primvars_delta(struct edit_work *w, const struct mesh *m, const struct mesh *to, struct mesh_delta *out);

/* ---- check.c ---- */
/* All three checks fail with SDD_EMESH naming the edit and ids. edits_check_points: the points of one edit are finite
 * and in range; `row` is the first vertex that the edit adds. */
int edits_check_points(const struct edit_work *w, const struct edit *e, int64_t row,
                       struct sdd_error *err) SDD_MUST_CHECK;
/* edits_check_face: a face that was just added has a number of corners that the scheme allows. */
int edits_check_face(const struct edit_work *w, int64_t f, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_check_creases: after all edits, a face has the edge of each new crease. It may also run out of memory. */
int edits_check_creases(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- close.c ---- */
/* edits_close_up: checks the working copy as the batch leaves it, and makes the new mesh and the delta. w is of no use
 * afterwards, but its arrays still have to be freed.
 * Owner   *delta is the caller's, even on error
 * Errors  SDD_EMESH, SDD_ETOO_LARGE, SDD_ENO_MEMORY */
int edits_close_up(struct edit_work *w, const struct mesh *m, struct mesh **out, struct mesh_delta *delta,
                   struct sdd_error *err) SDD_MUST_CHECK;

#endif
