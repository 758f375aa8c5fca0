/* SPDX-License-Identifier: Apache-2.0 */
/* update.h: how a topology is made from the one before an edit, for this room alone. Work on the host is in proportion
 * to the edit; the device copies each array once and looks only at what the edit touches.
 *   update.c        the delta is checked; whether the fast way can be taken
 *   update_find.c      which faces and corners go and come
 *   update_vertices.c  where they belong in the order of vertices
 *   update_edges.c     which edges and ghosts go and come, and so the number of each
 *   update_run.c       the arrays: old rows are copied under their new numbers, rows that the host knows are patched
 *   update_rows.c      numberings, and questions to the device
 * A channel is a mesh over the same faces, and is updated like one.
 * Numbers are those of the new mesh unless they are called old. In a doubled old number there is room for what comes:
 * the row of old number i has 2 i + 1, and a new row that stands before it has 2 i. */
#ifndef SDD_MESH_UPDATE_H
#define SDD_MESH_UPDATE_H
#include "gpu/mesh/internal.h"
#include "gpu/mesh/topology_edit.h"
#include "gpu/mesh/update.dev.h"
#include "gpu/sdd/sdd_update.h"

#define UPDATE_ANEW 1 /* No error: the topology has to be built anew. */

struct range {
    int64_t first, n;
};
/* Ranges of rows that go or come, which ascend. */
struct ranges {
    struct range *at;
    int64_t n;
};
/* Where the rows of one kind are. They come in parts, which keep apart: corners, and then ghosts. */
struct numbering {
    struct topology_run *run;
    int64_t n;
    struct sdd_runs rows, values; /* On the device: from new rows to old ones, and from old to new. */
};
/* Single rows of an array on the device, and what they are to hold. */
struct patch {
    uint32_t *row, *value;
    int64_t n;
};
enum { PATCH_VERT, PATCH_TWIN, PATCH_EDGE, PATCH_EDGE_CORNER, PATCH_BEGIN, PATCH_END, PATCH_SLOTS, N_PATCHES };

/* A face that goes or comes; its row and its corners, old ones if it goes. A face whose corners have changed does
 * both, and `mate` is its place in the other list, or -1. */
struct update_face {
    int64_t row, begin, end, mate;
};

/* A corner that goes, of the control mesh or a channel, whose vertices are its rows. All numbers are old. */
struct gone_corner {
    uint32_t corner, vert, after, edge, twin; /* Its edge leads from vertex `vert` to vertex `after`. */
    uint32_t slot;                            /* Where it is among the corners in the order of vertices. */
    uint32_t border;                          /* How many ghosts are of corners before its twin, if that stays. */
};

/* A corner that comes. */
struct new_corner {
    uint64_t key; /* Of its edge: the lower vertex, and in the low half the higher one. */
    uint32_t corner, vert, after;
    uint32_t owner;          /* Its vertex in the control mesh. */
    int64_t face;            /* The row of its face. */
    uint32_t edge, found[3]; /* What update_find says of its edge. */
    uint32_t slot, border;   /* How many old slots, and ghosts of corners, are before it. */
};

/* A vertex some of whose corners go or come. */
struct touched_vertex {
    uint32_t vertex;
    uint32_t begin, end; /* Where its old slots are. */
    uint32_t owner;      /* In a channel, the old control vertex to which the corner of the first one belongs. */
};

/* The control mesh or a channel. In a channel that is not smooth any number of corners may have an edge, and corners
 * are not listed by rows. */
enum view_kind { VIEW_CONTROL, VIEW_SMOOTH, VIEW_LINEAR };
struct view {
    enum view_kind kind;
    /* The old arrays. A linear view has the first two and edge_corner alone. */
    const uint32_t *vert, *edge, *twin, *edge_corner, *begin, *end, *slot_corner;
    const int32_t *indices;              /* The authored ones of the new mesh. */
    const struct sdd_rows_delta *delta;  /* Of its vertices. */
    int64_t n_new, n_old_edges, n_edges; /* The new vertices; the edges. */
    struct numbering vertices, slots, edges;
    struct gone_corner *gone;       /* Shape [n_gone] of struct update. */
    struct new_corner *come;        /* Shape [n_come]. */
    struct touched_vertex *touched; /* They ascend. */
    int64_t n_touched;
    const uint32_t *touched_rows; /* Shape [n_touched]: the same on the device. */
    struct patch patch[N_PATCHES];
};

struct update_block {
    struct update_block *next;
};

struct update {
    const sdd_topology *old;
    const struct sdd_mesh_desc *desc;
    const struct sdd_topology_delta *delta;
    sdd_device *d;
    struct build b;
    struct numbering faces, corners;
    struct update_face *gone_face, *new_face;
    int64_t n_gone_faces, n_new_faces, n_gone, n_come;
    struct view *view; /* The control mesh comes first. */
    int n_views;
    int64_t n_boundary_edges;
    int64_t most_corners, had_corners; /* The most corners that a touched vertex has, and that one had. */
    struct patch face_end;
    struct device_block tables;  /* The numberings, the patches and the lists of vertices. */
    const uint32_t *dirty;       /* Shape [delta->n_dirty_vertices], on the device. */
    struct update_block *memory; /* Host memory, which lasts as long as the update. */
};

/* ---- update_rows.c ------------------------------------------------------------------------------------------- */
/* update_memory: zeroed memory for n items and one more, which is freed with the update. NULL and SDD_ENO_MEMORY if
 * there is none. */
void *update_memory(struct update *u, int64_t n, size_t item, struct sdd_error *err) SDD_MUST_CHECK;
/* update_number: adds the runs of a part to a numbering. The part's rows begin at part.from and part.to; the lists
 * count from there.
 * Errors  SDD_ENO_MEMORY; UPDATE_ANEW where the lists do not fit the sizes */
int update_number(struct update *u, struct numbering *r, struct topology_run part, int64_t n_old, int64_t n_new,
                  struct ranges gone, struct ranges come, struct sdd_error *err) SDD_MUST_CHECK;
/* update_ranges: adds n rows to ranges, joining those that are next to each other. */
void update_ranges(struct ranges *r, int64_t first, int64_t n);
/* update_number_rows: does what update_number does for lists of single rows and a numbering of one part. */
int update_number_rows(struct update *u, struct numbering *r, int64_t n_old, int64_t n_new, const uint32_t *gone,
                       int64_t n_gone, const uint32_t *come, int64_t n_come, struct sdd_error *err) SDD_MUST_CHECK;
uint32_t update_to(const struct numbering *r, uint32_t old);    /* The new number, or SDD_NONE if the row has gone. */
uint32_t update_place(const struct numbering *r, uint32_t row); /* The doubled old number of a new row. */
int64_t update_before(const uint32_t *row, int64_t n, uint32_t limit); /* How many of n rows are below the limit. */
void update_sort(uint32_t *row, int64_t n);

int update_patch_memory(struct update *u, struct patch *p, int64_t n, struct sdd_error *err) SDD_MUST_CHECK;

/* A question to the device. */
struct question {
    int what;           /* A value of enum sdd_find, or -1 to gather rows of `in`. */
    const uint32_t *in; /* Rows to gather. */
    const void *ask;    /* Shape [n]: the rows, u32; or the keys, u64. */
    int64_t n;
    uint32_t *answer, *found; /* Shape [n], and [n][3] or NULL. */
};
/* update_ask: asks some questions about a view at once, and waits.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int update_ask(struct update *u, const struct view *v, const struct question *q, int n,
               struct sdd_error *err) SDD_MUST_CHECK;
/* update_ask_lowest: finds the lowest corner that stays of each of n old edges, which ascend; SDD_NONE if there is
 * none. It looks at all corners.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int update_ask_lowest(struct update *u, const struct view *v, const uint32_t *edge, int64_t n, uint32_t *out,
                      struct sdd_error *err) SDD_MUST_CHECK;

/* ---- the stages ---------------------------------------------------------------------------------------------- */
/* They return UPDATE_ANEW where the new mesh is not manifold, or something is odd.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int update_find(struct update *u, struct sdd_error *err) SDD_MUST_CHECK;
int update_vertices(struct update *u, struct view *v, struct sdd_error *err) SDD_MUST_CHECK;
int update_edges(struct update *u, struct view *v, struct sdd_error *err) SDD_MUST_CHECK;
int update_run(struct update *u, sdd_topology **out, struct sdd_error *err) SDD_MUST_CHECK;

#endif
