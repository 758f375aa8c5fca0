/* SPDX-License-Identifier: Apache-2.0 */
/* modelling.h: the modelling edits, for the files of edits/ alone. apply.c has each of them turned into primitives in
 * steps:
 *
 *   modelling_expand -> one of the families below fills the draft -> primitives.c makes primitives of it -> apply.c
 *   applies them -> modelling_settle checks what they made, and drops the creases of edges that are gone
 *
 * Everything is named by rows of the working copy, which stay for the whole batch. A file may call those behind it in
 * modelling -> family -> draft -> view, and in modelling -> primitives -> draft. The families are edges, faces,
 * triangulate, merge, extrude, loop_cut and dissolve; all may call edges and faces. */
#ifndef SUBDD_EDITS_MODELLING_H
#define SUBDD_EDITS_MODELLING_H
#include "server/mesh/edits/work.h"

/* A list that cannot grow sets the error in struct modelling and keeps its rows; so does struct ints here. */
struct floats {
    float *v;
    int64_t n, room;
};
/* A hash table from edges (mesh_row_edge) to 32 bits, with open addressing. */
struct edge_map {
    uint64_t *keys; /* The edge plus 1; 0 is a free slot. */
    uint32_t *values;
    int64_t n, room; /* room is a power of two, or 0. */
};

/* Which faces and tags there are at a vertex. It follows what the primitives add. The corners of the old mesh at a
 * vertex are looked for when it is first asked for them, with those of vertices that are likely to be next (scan.c);
 * after some such scans, for all vertices at once. A corner is kept as its row + 1, so that rows of zeros say
 * nothing. */
struct view {
    bool is_begun;
    int64_t n_faces, n_creases, n_tags; /* How far it has followed; the corners of faces, too. */
    int64_t n_corners;
    char *block;            /* It holds the arrays. */
    int64_t room[3];        /* Of vertices, faces, corners. */
    int32_t *first;         /* [V] The newest corner that the batch has added at each vertex; 0 when there is none. */
    int32_t *old_first;     /* [V] The last of the old mesh; -1 when there is none, 0 when it is not known yet. */
    int32_t *next;          /* [C] The next one at the vertex: 0 and -1 as there. Those of removed faces go late. */
    int32_t *face;          /* [C] Of corners that were asked for; 0 for others. */
    float *tag;             /* [V] Corner sharpness. */
    unsigned char *asked;   /* [V] VIEW_* */
    struct ints last_asked; /* The vertices whose corners the last scan looked for. */
    int scans;
    struct edge_map crease; /* The bits of the sharpness of each edge that the batch has set. */
    int32_t mark;           /* Below it are the marks of earlier uses of the next two. */
    int32_t *vertex_mark;   /* [V] */
    int32_t *face_mark;     /* [F] */
    int32_t *vertex_slot;   /* [V] A number that goes with the mark. */
    int32_t *face_slot;     /* [F] */
    int64_t steps;          /* Corners looked at and made so far, which MODELLING_MAX_STEPS limits. */
};

/* Weighted sums of rows (vertices or corners). A row -1-k is sum k, which must be an earlier one. */
struct mixes {
    struct ints first, rows;
    struct floats weights;
};

static inline int64_t mix_end(const struct mixes *x, int64_t k)
{
    return k + 1 < x->first.n ? x->first.v[k + 1] : x->rows.n;
}
/* What the rows of mixes are taken from: row r of the mesh is base[of ? of[r] : r]. */
struct source {
    const char *base;
    const int32_t *of;
    int64_t width; /* In numbers of 4 bytes. */
    bool integers;
};

/* What a step makes of the mesh. */
struct draft {
    struct mixes vertex_mixes, corner_mixes;
    struct ints vertices;       /* The mix of each new vertex. Its row will be w->n_vertices + k. */
    struct ints moved, moves;   /* Vertices that get new values, and the mixes of these. */
    struct floats points;       /* [vertices][3] */
    struct floats moved_points; /* [moved][3] */
    /* Faces in the order in which they are added. `like` is the face that hole and uniform values are taken from. A
     * face that is kept stands here when corners of it get new values; for the others `kept` is -1. */
    struct ints counts, like, kept;
    struct ints joined;  /* Pairs: the number of a face here, and another face that it stands for, too. */
    struct ints corners; /* The vertex of each corner. */
    struct ints values;  /* The corner mix of each corner. */
    struct ints removed_faces, removed_vertices;
    struct mesh_row *creases; /* Of equal edges the sharpest is taken. */
    int64_t n_creases, room_creases;
    struct ints tagged;
    struct floats sharpness; /* [tagged] */
};

enum { MODELLING_MAX_PRIMITIVES = 10 + 2 * SDD_MAX_PRIMVARS };
/* The corners that the modelling edits of one batch may look at and make: some seconds of work. */
#define MODELLING_MAX_STEPS (INT64_C(1) << 28)

struct modelling {
    const struct edit_work *w;
    const struct edit *e; /* The edit that is being expanded. */
    int rc;               /* The first error; nothing more is drafted after it. */
    struct sdd_error *err;
    struct view view;
    struct draft draft;
    struct ints list, other; /* For the families to use within a step. */
    struct ints at_edge;     /* What view_edge lists. */
    struct ints faces;       /* What view_faces lists. */
    int64_t at;              /* The element of the edit at which the step begins. */
    int64_t n_faces_before;  /* Before the primitives of this step. */
    /* What draft.c makes: primitives, and the arrays that they borrow. */
    struct edit primitives[MODELLING_MAX_PRIMITIVES];
    struct primvar_array names[2 * SDD_MAX_PRIMVARS];
    int n_primitives, n_names;
    struct ints words; /* Ids. */
    char *floats;      /* Values of 4 bytes each. */
    int64_t n_floats, room_floats;
};

/* ---- modelling.c ---- */
/* modelling_create: returns NULL with the error in *err when memory is out. */
struct modelling *modelling_create(const struct edit_work *w, struct sdd_error *err);
void modelling_free(struct modelling *m); /* NULL is fine. */
/* modelling_expand: makes the primitives of one step of e, which begins at element *at, and moves *at to the element of
 * the next step.
 * Owner   the primitives are m's until the next call
 * Errors  SDD_EMESH naming edit and element; SDD_ETOO_LARGE (MODELLING_MAX_STEPS); SDD_ENO_MEMORY */
int modelling_expand(struct modelling *m, const struct edit *e, int64_t *at, const struct edit **primitives, int *n,
                     struct sdd_error *err) SDD_MUST_CHECK;
/* modelling_origins: adds which faces those stand for that the primitives of the step have added (struct edit_result),
 * as rows. Errors  SDD_ENO_MEMORY */
int modelling_origins(const struct modelling *m, struct ints *origins, struct ints *joined,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* modelling_settle: checks the mesh around what the step has made, and makes the primitives that drop the creases of
 * edges that are gone. Owner and errors as above. */
int modelling_settle(struct modelling *m, const struct edit **primitives, int *n, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- view.c ---- */
/* view_follow: makes the view that of the working copy as it is now. Cost  linear in what was added since. */
int view_follow(struct modelling *m) SDD_MUST_CHECK;
void view_fini(struct view *v);
int32_t view_face(const struct modelling *m, int32_t corner);
int32_t view_next(const struct modelling *m, int32_t corner); /* Along the face. */
int32_t view_prev(const struct modelling *m, int32_t corner);
/* view_at: the first corner of a live face at a vertex, and with `after` the next one; -1 when there are no more. */
int32_t view_at(struct modelling *m, int32_t vertex);
int32_t view_after(struct modelling *m, int32_t corner);
/* view_edge: lists in m->at_edge the corners of live faces from which the edge goes on, in either direction, the oldest
 * first, and returns how many there are. Cost  the smaller number of corners at the two vertices */
int64_t view_edge(struct modelling *m, int32_t a, int32_t b);
/* view_faces: lists in m->faces the live faces at some vertices, the oldest first. */
void view_faces(struct modelling *m, const struct ints *vertices);
float view_crease(const struct modelling *m, int32_t a, int32_t b); /* 0 when there is none. */
/* view_step: counts a corner that is looked at or made. Past the limit it fails and returns false. */
bool view_step(struct modelling *m);
/* view_marks: a mark that no vertex or face has yet; the n - 1 behind it are free as well (n is 4 at most). */
int32_t view_marks(struct modelling *m, int32_t n);
uint32_t *edge_map_put(struct modelling *m, struct edge_map *map, uint64_t edge); /* NULL when memory is out. */
uint32_t *edge_map_get(const struct edge_map *map, uint64_t edge);                /* NULL when it is not there. */
void edge_map_fini(struct edge_map *map);
static inline int32_t view_vertex(const struct modelling *m, int32_t corner)
{
    return m->w->corners[corner];
}

/* ---- draft.c ---- */
/* modelling_fail: sets the first error, "edits[3].flipEdges: ...". */
int modelling_fail(struct modelling *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ints_add(struct modelling *m, struct ints *list, int32_t value);
void floats_add(struct modelling *m, struct floats *list, float value);
void draft_clear(struct draft *d);
void draft_fini(struct draft *d);
/* mix_begin: begins a new sum, and returns its number. mix_add: adds a row to it. mix_two: (1 - t) a + t b. */
int32_t mix_begin(struct modelling *m, struct mixes *x);
void mix_add(struct modelling *m, struct mixes *x, int32_t row, float weight);
int32_t mix_two(struct modelling *m, struct mixes *x, int32_t a, int32_t b, float t);
/* mixes_evaluate: writes the sums into table[mixes][width]. A sum of one row has its bits. Integers are not added up:
 * they are those of the row with the greatest weight, of equals the first. */
void mixes_evaluate(const struct mixes *x, const struct source *s, char *table);
/* draft_vertex: a new vertex with the values of a vertex mix. Returns its row. */
int32_t draft_vertex(struct modelling *m, int32_t mix);
/* draft_move: gives an old vertex the values of a vertex mix. */
void draft_move(struct modelling *m, int32_t vertex, int32_t mix);
/* draft_face: begins a new face; with kept >= 0, the new values of that face. draft_corner adds a corner that has the
 * values of an old one, and draft_corner_mix one that has those of a corner mix. */
void draft_face(struct modelling *m, int32_t like, int32_t kept);
void draft_corner(struct modelling *m, int32_t vertex, int32_t from);
void draft_corner_mix(struct modelling *m, int32_t vertex, int32_t mix);
void draft_crease(struct modelling *m, int32_t a, int32_t b, float sharpness); /* None when it is 0. */
void draft_tag(struct modelling *m, int32_t vertex, float sharpness);

/* ---- primitives.c ---- */
/* draft_primitives: makes m->primitives of the draft. */
int draft_primitives(struct modelling *m) SDD_MUST_CHECK;

/* ---- edges.c, for the other families too ---- */
/* edges_find: the vertices of edge `at` of the edit; m->at_edge lists its corners. edges_pair: the corners at an edge
 * of two faces that have it in opposite directions; corner[0] goes from the edge's first vertex to its second. Both
 * return false after an error. */
bool edges_find(struct modelling *m, int64_t at, int32_t *a, int32_t *b);
bool edges_pair(struct modelling *m, int64_t at, int32_t corner[2]);

/* ---- faces.c, for the other families too ---- */
int32_t faces_find(struct modelling *m, int64_t at); /* The row of face `at` of the edit, or -1 after an error. */
void faces_arc(struct modelling *m, int32_t from, int32_t to); /* Drafts the corners of a face between two of them. */

/* ---- the families ---- */
/* Each drafts one step, which begins at element `at`, and returns how many elements it takes up. */
typedef int64_t modelling_step(struct modelling *m, int64_t at);
modelling_step edges_flip, edges_split;
modelling_step faces_split, faces_poke, faces_triangulate, faces_reverse;
modelling_step merge_collapse, merge_vertices;
modelling_step extrude_faces, inset_faces;
modelling_step loop_cut;
modelling_step dissolve_vertices, dissolve_edges, dissolve_faces;

/* ---- modelling.c, for the families ---- */
/* The parameter of element `at`, or what there is when the edit has none. */
static inline float modelling_t(const struct modelling *m, int64_t at, float none)
{
    return m->e->n_values ? m->e->values[m->e->n_values > 1 ? at : 0] : none;
}
static inline int32_t vertex_id(const struct modelling *m, int32_t vertex)
{
    return edits_vertex_name(m->w, vertex);
}
static inline int32_t face_id(const struct modelling *m, int32_t face)
{
    return edits_face_name(m->w, face);
}

#endif
