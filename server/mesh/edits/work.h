/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: the working copy of a mesh while a batch is applied, for the files of edits/ alone. Its arrays are those of
 * the old mesh until the batch writes them (shared.h), so that an edit costs what it touches. What is linear in the
 * mesh beside that runs at the speed of memory (close.h).
 *
 *   apply.c changes the copy edit by edit -> near.c, check.c -> close.c makes the new mesh and the delta of it
 *
 * A file may call those behind it in apply -> close -> dirty -> primvars -> channels -> scan -> gaps -> work, in
 * apply -> near -> primvars, in apply -> check -> work and in apply -> room -> primvars, but none before it; tags.c,
 * which calls work.c, is for all of close, dirty and near. The modelling edits (modelling.h) only read the working
 * copy, and give apply.c primitives. */
#ifndef SUBDD_EDITS_WORK_H
#define SUBDD_EDITS_WORK_H
#include "server/mesh/edits/edits.h"
#include "server/mesh/id_map.h"
#include "server/mesh/rows.h"

enum { FACE_DEAD = 1, FACE_HOLE = 2, FACE_DIRTY = 4 };
/* VERTEX_DEAD says that the batch removed the vertex; the others are marks that are set once it is applied: VERTEX_NEAR
 * in near.c, VERTEX_EDGE in check.c, VERTEX_CREASE in tags.c, VERTEX_NEW in channels.c, and in dirty.c VERTEX_TAG where
 * the vertex' own sharpness has changed and VERTEX_SHARP at the lower end of an edge whose sharpness has. */
enum {
    VERTEX_DEAD = 1,
    VERTEX_CREASE = 2,
    VERTEX_NEW = 4,
    VERTEX_EDGE = 8,
    VERTEX_NEAR = 16,
    VERTEX_DIRTY = 32,
    VERTEX_TAG = 64,
    VERTEX_SHARP = 128
};

/* A list that grows. */
struct ints {
    int32_t *v;
    int64_t n, room;
};
/* Tags that the batch sets, in its order, so that of equal keys the last wins; once it is applied, sorted, each key
 * once. A sharpness of 0 removes the tag. */
struct edit_tags {
    struct mesh_row *v;
    int64_t n, room;
};
/* The values that corners name by index: the UVs, or a faceVarying primvar. */
struct edit_channel {
    int64_t width, n_values;
    int64_t need;  /* Of a primvar: the most values so far and to come. */
    int64_t n_old; /* The first n_old values are those of the old mesh. */
    const int32_t *old_of;
    int32_t *of; /* [C] Rows of values, or -1 for a corner without UVs. NULL where none has any; a primvar has no -1. */
    float *values;
    struct ints set;     /* Faces that got new values; once the batch is applied, new ones too, ascending and once. */
    struct ints removed; /* Set by edits_channel_settle: the values that no corner names any more, which ascend. */
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
#define EDIT_BLOCK 16 /* Faces between two whose first corner is kept. */

/* All arrays have the rows of the old mesh first, and behind them those that the batch has added. Removed rows stay,
 * marked, until edits_close_up. */
struct edit_work {
    const struct mesh *old; /* The mesh that the batch edits. */
    int64_t edit;           /* The index of the edit that is being applied. */
    const char *triangles;  /* The name of the scheme when it takes triangles alone, else NULL. */
    int64_t n_vertices, n_faces, n_corners;
    int64_t n_old_vertices, n_old_faces, n_old_corners;
    struct edit_room need; /* For all primitives so far, and for those of the batch that are still to come. */
    int64_t next_vertex_id, next_face_id;
    struct ints dead_vertices, dead_faces;
    struct ints hole_faces;             /* Faces that the batch made holes or filled. */
    struct id_map vertex_map, face_map; /* The old rows by id; empty when their ids ascend. */
    int32_t *vertex_ids;
    float *points;
    int32_t *face_ids, *face_counts;
    int32_t *corners;                              /* [C] Vertex rows. */
    int64_t *first;                                /* The first corner of every EDIT_BLOCK-th face. */
    unsigned char *vertex_state;                   /* Flags VERTEX_*. */
    unsigned char *face_state;                     /* Flags FACE_*. */
    int64_t room_vertices, room_faces, room_first; /* Of the three above. */
    struct edit_channel st;
    struct edit_tags creases, tags; /* Edges; vertices with a corner sharpness. */
    struct ints crease_edits;       /* The edit that each crease is of. */
    struct ints near;               /* The corners at vertices with VERTEX_NEAR, which ascend. */
    struct ints dirty_vertices, dirty_faces;
    struct ints origins, joined; /* As in struct edit_result, but rows, and without faces added last by themselves. */
    int n_primvars, n_puts;
    struct edit_primvar primvars[SDD_MAX_PRIMVARS];
    const struct primvar_array *puts[SDD_MAX_PRIMVARS]; /* Primvars that the batch puts as a whole. */
    struct edit_notes notes;
};

/* ---- work.c ---- */
/* edits_grown: allocates `room` rows of zeros. Rows that nobody writes cost nothing. Returns NULL with the error in
 * *err when memory is out. */
void *edits_grown(int64_t room, int64_t bytes, struct sdd_error *err);
/* edits_regrow: gives an array of rows from edits_grown (or NULL) room for n + `more` rows, where *room is too small;
 * then for half as many more at least. Those behind n are zeros. `array` points to the pointer.
 * Errors  SDD_ENO_MEMORY */
int edits_regrow(void *array, int64_t n, int64_t more, int64_t *room, int64_t bytes,
                 struct sdd_error *err) SDD_MUST_CHECK;
int edits_add(struct ints *list, int32_t value, struct sdd_error *err) SDD_MUST_CHECK;
void edits_sort(struct ints *list);
/* edits_write: gives *array (shared.h), which may still be the old mesh's too, `rows` rows, of which those of
 * [first, first + n) may be written. Errors  SDD_ENO_MEMORY */
int edits_write(void *array, int64_t rows, int64_t first, int64_t n, int64_t bytes,
                struct sdd_error *err) SDD_MUST_CHECK;
/* edits_first: the first corner of a face. edits_face_at: the face of a corner. */
static inline int64_t edits_first(const struct edit_work *w, int64_t f)
{
    int64_t c = w->first[f / EDIT_BLOCK];
    for (int64_t i = f - f % EDIT_BLOCK; i < f; i++)
        c += w->face_counts[i];
    return c;
}
static inline int64_t edits_end(const struct edit_work *w, int64_t f)
{
    return edits_first(w, f) + w->face_counts[f];
}
int64_t edits_face_at(const struct edit_work *w, int64_t corner);
/* edits_seek: moves *f, the face whose first corner is *first, on to the face of a corner that is not before it.
 * Cost  a look at each face that is passed over, or that of edits_face_at where these are many */
static inline void edits_seek(const struct edit_work *w, int64_t corner, int64_t *f, int64_t *first)
{
    for (int i = 0; i < EDIT_BLOCK / 4; i++) {
        if (corner < *first + w->face_counts[*f])
            return;
        *first += w->face_counts[(*f)++];
    }
    *f = edits_face_at(w, corner);
    *first = edits_first(w, *f);
}
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
/* edits_reserve: admits one more primitive, which a modelling edit has made.
 * Errors  SDD_ETOO_LARGE (too many rows or zeros, or ids run out) */
int edits_reserve(struct edit_work *w, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;

struct edit_gaps; /* close.h */

/* ---- record.c ---- */
/* edits_note: notes a primitive before it is applied. When there is no memory for it, nothing is noted any more. */
void edits_note(struct edit_work *w, const struct edit *e);

/* ---- channels.c ---- */
/* edits_channel_open: gives the corners of a mesh without UVs rows of values, -1 each. Errors  SDD_ENO_MEMORY */
int edits_channel_open(struct edit_work *w, struct edit_channel *c, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_extend: gives n new corners, from `first` on, new values, which are zeros without `values`.
 * Errors  SDD_ENO_MEMORY */
int edits_channel_extend(struct edit_channel *c, int64_t first, int64_t n, const float *values,
                         struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_set: gives all corners of the faces that e names new values. op and field are words for the error.
 * Errors  SDD_EMESH (an id; a number of rows that does not match the corners), SDD_ENO_MEMORY */
int edits_channel_set(struct edit_work *w, struct edit_channel *c, const struct edit *e, const float *values,
                      int64_t rows, const char *op, const char *field, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_faces: completes c->set. Errors  SDD_ENO_MEMORY */
int edits_channel_faces(struct edit_work *w, struct edit_channel *c, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_settle: makes one value of new values at a vertex that are equal, and lists the values that no live
 * corner names. Every live corner must have a value. Errors  SDD_ENO_MEMORY */
int edits_channel_settle(struct edit_work *w, struct edit_channel *c, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_close: drops these values, and closes `of` up over the gaps. Errors  SDD_ENO_MEMORY */
int edits_channel_close(struct edit_work *w, struct edit_channel *c, const struct edit_gaps *corners,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* edits_channel_delta: adds the channel to the delta. `from` is its row among the channels of the old mesh, or
 * SDD_NO_ROW. Errors  SDD_ENO_MEMORY */
int edits_channel_delta(struct edit_channel *c, int64_t from, struct mesh_delta *out,
                        struct sdd_error *err) SDD_MUST_CHECK;
void edits_channel_fini(struct edit_channel *c);

/* ---- primvars.c ---- */
/* edits_primvars_init: takes the primvars of the old mesh.
 * Errors  SDD_ETOO_LARGE (more zeros than PRIMVARS_MAX_MADE, or too many rows) */
int edits_primvars_init(struct edit_work *w, const struct edit_batch *b, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_reserve: admits one more primitive, which w->need has already. Errors  as of init */
int edits_primvars_reserve(struct edit_work *w, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;
void edits_primvars_fini(struct edit_work *w);
/* edits_primvars_grow: gives new vertices, or new faces, rows of zeros, and new corners values of zeros; they are those
 * from `first` on, of elements, and of corners. Errors  SDD_ENO_MEMORY */
int edits_primvars_grow(struct edit_work *w, bool faces, int64_t first, int64_t first_corner,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_apply: applies an edit of a primvar.
 * Errors  SDD_EMESH (no such primvar; values that do not fit its rows), SDD_ETOO_LARGE (too many primvars),
 *         SDD_ENO_MEMORY */
int edits_primvars_apply(struct edit_work *w, const struct edit *e, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_next_channel: the channels that stay, one after the other, beginning with *at = 0; NULL behind the last. UVs
 * come first. */
struct edit_channel *edits_next_channel(struct edit_work *w, int *at);
/* edits_primvars_count: Errors  SDD_ETOO_LARGE (too many primvars) */
int edits_primvars_count(const struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_close: closes the rows of the primvars up, and moves them into `to`, whose counts are set, with those
 * that the batch puts. Errors  SDD_EMESH, SDD_ETOO_LARGE, SDD_ENO_MEMORY */
int edits_primvars_close(struct edit_work *w, const struct edit_gaps *vertices, const struct edit_gaps *faces,
                         const struct edit_gaps *corners, struct mesh *to, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_primvars_delta: adds the channels of the new mesh `to` to the delta, with the channels of the old one that they
 * were. Errors  SDD_ENO_MEMORY */
int edits_primvars_delta(struct edit_work *w, const struct mesh *to, struct mesh_delta *out,
                         struct sdd_error *err) SDD_MUST_CHECK;

#endif
