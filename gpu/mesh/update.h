/* SPDX-License-Identifier: Apache-2.0 */
/* update.h: how a topology is made from the one before an edit, for this room alone. Work on the host is in proportion
 * to the edit; the device copies each array once and looks only at what the edit touches.
 *   update.c        the delta is checked; whether the fast way can be taken
 *   update_find.c   which corners go and come, and where they and their vertices belong among the old ones
 *   update_edges.c  which edges and ghosts go and come, and so the number of each
 *   update_run.c    the arrays: old rows are copied under their new numbers, and rows that the host knows are patched
 *   update_rows.c   numberings, and questions to the device
 * Numbers are those of the new mesh unless they are called old. In a doubled old number there is room for what comes:
 * the row of old number i has 2 i + 1, and a new row that stands before it has 2 i. */
#ifndef SDD_MESH_UPDATE_H
#define SDD_MESH_UPDATE_H
#include "gpu/mesh/internal.h"
#include "gpu/mesh/kernels/update.dev.h"
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
/* Rows from `from` of the old mesh on that are at `to` in the new one. */
struct run {
    int64_t from, to, n;
};
/* Where the rows of one kind are. They come in parts, which keep apart: corners, and then ghosts. */
struct numbering {
    struct run *run;
    int64_t n;
    struct sdd_runs rows, values; /* On the device: from new rows to old ones, and from old to new. */
};
/* Single rows of an array on the device, and what they are to hold. */
struct patch {
    uint32_t *row, *value;
    int64_t n;
};
enum {
    PATCH_FACE_END,
    PATCH_VERT,
    PATCH_TWIN,
    PATCH_EDGE,
    PATCH_EDGE_CORNER,
    PATCH_BEGIN,
    PATCH_END,
    PATCH_SLOTS,
    N_PATCHES
};

/* A face that goes or comes; its row and its corners, old ones if it goes. A face whose corners have changed does
 * both, and `mate` is its place in the other list, or -1. */
struct update_face {
    int64_t row, begin, end, mate;
};

/* A corner that goes. All numbers are old. */
struct gone_corner {
    uint32_t corner, vert, after, edge, twin; /* Its edge leads from vertex `vert` to vertex `after`. */
    uint32_t slot;                            /* Where it is in vert_corner. */
    uint32_t border;                          /* How many ghosts are of corners before its twin, if that stays. */
};

/* A corner that comes. */
struct new_corner {
    uint64_t key; /* Of its edge: the lower vertex, and in the low half the higher one. */
    uint32_t corner, vert, after;
    int64_t face;            /* Its row. */
    uint32_t edge, found[3]; /* What update_find says of its edge. */
    uint32_t slot, border;   /* How many old slots, and ghosts of corners, are before it. */
};

/* A vertex some of whose corners go or come. */
struct touched_vertex {
    uint32_t vertex;
    uint32_t begin, end; /* Where its old slots are. */
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
    struct numbering vertices, faces, corners, slots, edges;
    struct update_face *gone_face, *new_face;
    struct gone_corner *gone;
    struct new_corner *come;
    struct touched_vertex *touched; /* Vertices of the new mesh, which ascend. */
    int64_t n_gone_faces, n_new_faces, n_gone, n_come, n_touched;
    int64_t n_edges, n_boundary_edges;
    int64_t most_corners; /* The most corners that a touched vertex has, and that one had. */
    int64_t had_corners;
    struct patch patch[N_PATCHES];
    struct device_block tables;  /* The numberings, the patches and the touched vertices. */
    struct update_block *memory; /* Host memory, which lasts as long as the update. */
};

/* ---- update_rows.c ------------------------------------------------------------------------------------------- */
/* update_memory: zeroed memory for n items and one more, which is freed with the update. NULL and SDD_ENO_MEMORY if
 * there is none. */
void *update_memory(struct update *u, int64_t n, size_t item, struct sdd_error *err) SDD_MUST_CHECK;
/* update_number: adds the runs of a part to a numbering. The part's rows begin at part.from and part.to; the lists
 * count from there.
 * Errors  SDD_ENO_MEMORY; UPDATE_ANEW where the lists do not fit the sizes */
int update_number(struct update *u, struct numbering *r, struct run part, int64_t n_old, int64_t n_new,
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

int update_patch_memory(struct update *u, int which, int64_t n, struct sdd_error *err) SDD_MUST_CHECK;

/* A question to the device. */
struct question {
    int what;           /* A value of enum sdd_find, or -1 to gather rows of `in`. */
    const uint32_t *in; /* Rows to gather. */
    const void *ask;    /* Shape [n]: the rows, u32; or the keys, u64. */
    int64_t n;
    uint32_t *answer, *found; /* Shape [n], and [n][3] for edges. */
};
/* update_ask: asks some questions at once, and waits.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int update_ask(struct update *u, const struct question *q, int n, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- the stages ---------------------------------------------------------------------------------------------- */
/* They return UPDATE_ANEW where the new mesh is not manifold, or something is odd.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int update_find(struct update *u, struct sdd_error *err) SDD_MUST_CHECK;
int update_edges(struct update *u, struct sdd_error *err) SDD_MUST_CHECK;
int update_run(struct update *u, sdd_topology **out, struct sdd_error *err) SDD_MUST_CHECK;

#endif
