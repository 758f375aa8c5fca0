/* SPDX-License-Identifier: Apache-2.0 */
/* close.h: what is done once all edits of a batch have been applied to the working copy, for the files of edits/ alone:
 * a scan of the corners for the vertices that the batch is about (near.c), checks, the lists of what is dirty, and
 * closing up over what was removed (gaps.c). */
#ifndef SUBDD_EDITS_CLOSE_H
#define SUBDD_EDITS_CLOSE_H
#include "server/mesh/edits/work.h"

/* Rows to close up over: pairs of the first row and the one behind the last, ascending and apart. */
struct edit_gaps {
    int64_t *v;
    int64_t n, rows;
};

/* ---- gaps.c ---- */
/* edits_list_marked: sorts a list of rows of n, which are those whose state has the flag, each once.
 * Cost  by the length of the list, or linear in n where that is less */
void edits_list_marked(struct ints *list, const unsigned char *state, unsigned char flag, int64_t n);
/* edits_gaps: the gaps that are these rows, which ascend; with faces, that are their corners. The caller frees
 * gaps->v. Errors  SDD_ENO_MEMORY */
int edits_gaps(const struct edit_work *w, const struct ints *rows, bool corners, struct edit_gaps *out,
               struct sdd_error *err) SDD_MUST_CHECK;
/* edits_shift_rows: renumbers n rows, none of which is removed. They ascend, and stay so. */
void edits_shift_rows(int32_t *rows, int64_t n, const struct ints *removed);
/* edits_close_rows: closes an array (shared.h) of n rows up over the gaps. edits_close_indices also moves the indices
 * that it holds down by the removed rows below them. Cost  one pass over the array, or less when few rows at its end
 * move. Errors  SDD_ENO_MEMORY */
int edits_close_rows(void *array, int64_t n, int64_t bytes, const struct edit_gaps *g,
                     struct sdd_error *err) SDD_MUST_CHECK;
int edits_close_indices(int32_t **array, int64_t n, const struct edit_gaps *g, const struct ints *removed,
                        struct sdd_error *err) SDD_MUST_CHECK;

/* ---- scan.c ---- */
/* What to look for among indices: those in [low, high] whose row of `state` has the flag. */
struct edit_wanted {
    int32_t low, high;
    const unsigned char *state;
    unsigned char flag;
};
/* edits_scan: adds those of [from, to) of an array (shared.h) that name what is wanted. Cost  linear, as fast as memory
 * Errors  SDD_ENO_MEMORY */
int edits_scan(const int32_t *indices, int64_t from, int64_t to, const struct edit_wanted *x, struct ints *out,
               struct sdd_error *err) SDD_MUST_CHECK;

/* ---- near.c ---- */
/* edits_list_near: fills w->near with the corners, of removed faces too, at the vertices that checks and delta will
 * look at: removed ones, ends of creases, those with new tags or new values.
 * Errors  SDD_ENO_MEMORY */
int edits_list_near(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- check.c ---- */
/* All three checks fail with SDD_EMESH naming the edit and ids. edits_check_points: the points of one edit are finite
 * and in range; `row` is the first vertex that the edit adds. */
int edits_check_points(const struct edit_work *w, const struct edit *e, int64_t row,
                       struct sdd_error *err) SDD_MUST_CHECK;
/* edits_check_face: a face that was just added has a number of corners that the scheme allows. */
int edits_check_face(const struct edit_work *w, int64_t f, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_check_creases: after all edits, a face has the edge of each new crease. It may also run out of memory. */
int edits_check_creases(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- tags.c ---- */
/* edits_sharpness: the sharpness of an edge, or of a vertex, in the mesh m; 0 when it has none. */
float edits_edge_sharpness(const struct mesh *m, uint64_t edge);
float edits_vertex_sharpness(const struct mesh *m, int32_t vertex);
bool edits_is_hole(const struct mesh *m, int32_t face);
/* edits_tags_sort: sorts what the batch sets, and keeps the last of each key. */
void edits_tags_sort(struct edit_tags *t);
/* edits_tags_settle: sets creases that have lost their last face to 0 in w->creases, and refuses those that stay at a
 * removed vertex. Errors  SDD_EMESH, SDD_ENO_MEMORY */
int edits_tags_settle(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_tags_close: makes creases, corners and holes of the new mesh `to`. The lists of dead rows must be sorted.
 * Errors  SDD_ENO_MEMORY */
int edits_tags_close(struct edit_work *w, struct mesh *to, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- dirty.c ---- */
/* edits_list_dirty: lists the rows of the working copy that the batch leaves dirty, as sdd_update.h defines it, and
 * sorts the lists of dead rows. Errors  SDD_ENO_MEMORY */
int edits_list_dirty(struct edit_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* edits_delta: makes the delta, whose channels are there already, of these lists. Errors  SDD_ENO_MEMORY */
int edits_delta(struct edit_work *w, struct mesh_delta *out, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- close.c ---- */
/* edits_close_up: checks the working copy as the batch leaves it, and makes the new mesh and the delta. w is of no use
 * afterwards, but its arrays still have to be freed.
 * Owner   *delta is the caller's, even on error
 * Errors  SDD_EMESH, SDD_ETOO_LARGE, SDD_ENO_MEMORY */
int edits_close_up(struct edit_work *w, struct mesh **out, struct mesh_delta *delta,
                   struct sdd_error *err) SDD_MUST_CHECK;

#endif
