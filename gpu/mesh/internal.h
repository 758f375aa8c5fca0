/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: the device work behind sdd_topology_create, for this room alone. topology_build.c has the order of the
 * stages, topology_faces.c and topology_tags.c one stage each, and topology_channels.c the face-varying channels in
 * all stages. */
#ifndef SDD_MESH_INTERNAL_H
#define SDD_MESH_INTERNAL_H
#include "gpu/device/sizes.h"
#include "gpu/mesh/topology.h"

/* Words that the device writes and the host reads back in one piece. A word of errors holds the first bad element,
 * or ~0 when all is well. A word of counts is used in its low 32 bits. */
enum word {
    W_CHANNEL, /* Stage "faces" writes the words up to W_MOST_EDGES. There is one for each channel. */
    W_LAST_CHANNEL = W_CHANNEL + SDD_MAX_PRIMVARS,
    W_CORNER,
    W_REPEAT,
    W_EDGE,
    W_FAN,           /* This word and the two before it are no errors; they say that the mesh is not manifold. */
    W_MOST_EDGES,    /* High half: the complement of the most edges that a vertex has; low half: that vertex. */
    W_CREASE_VERTEX, /* Stage "tags" writes this word and the next three. */
    W_CREASE_EDGE,
    W_CORNER_TAG,
    W_HOLE,
    W_N_EDGES, /* Counts begin here. */
    W_N_BOUNDARY,
    W_N_CHANNEL_EDGES, /* There is one for each channel. */
    W_LAST_N_CHANNEL_EDGES = W_N_CHANNEL_EDGES + SDD_MAX_PRIMVARS,
    W_N_CHANNEL_ROWS, /* The further rows of a channel. There is one for each channel. */
    W_LAST_N_CHANNEL_ROWS = W_N_CHANNEL_ROWS + SDD_MAX_PRIMVARS,
    W_N_CHANNEL_FEATURES, /* The feature vertices of a channel. There is one for each channel. */
    W_LAST_N_CHANNEL_FEATURES = W_N_CHANNEL_FEATURES + SDD_MAX_PRIMVARS,
    W_N_FEATURES,
    W_N_ISOLATED,
    W_N_HOLES,
    W_N_VISIBLE,
    W_N_SPLIT,     /* The edges that splitting the non-manifold ones adds. */
    W_N_OPEN,      /* The corners without a face across, of a non-manifold mesh. */
    W_N_LOOPS,     /* The loops of boundary edges. */
    W_N_SEMISHARP, /* The edges that are semi-sharp under chaikin. */
    N_WORDS
};

/* What an update (update.h) knows of the older mesh, so that stages of the build need not look at all vertices. k is
 * the number of a channel, or -1 for the control mesh. */
struct update;
struct shortcuts {
    /* Flags the feature vertices. Returns 0 where all have to be looked at. */
    int (*features)(struct update *u, int k);
    void (*channel_vertices)(struct update *u, int k); /* Makes the sharpness of the rows of a channel. */
};

/* A topology while it is built. Arrays of the topology itself are in `t`; those here are temporary. */
struct build {
    sdd_topology *t;
    const struct sdd_mesh_desc *desc;
    sdd_device *d;
    uint64_t word[N_WORDS];
    /* G is the number of ghosts: B, or 0 when the mesh is not manifold. `tags` is the longest of the lists of
     * creases, corners and holes. */
    int64_t V, F, C, E, B, G, H, tags;
    int bits;              /* Vertex ids are below 2^bits. */
    struct update *update; /* NULL in a build. */
    const struct shortcuts *shortcuts;
    const sdd_topology *kept; /* The topology whose mesh and corners this one shares, or NULL. */

    /* The device bytes used before the build, and the most that it has held at any moment. */
    int64_t used_before, most;

    uint32_t *next, *prev, *face; /* The arrays of t->faces, to be written; NULL where faces are uniform. */
    const uint32_t *twin; /* Shape [C]: C or more where there is no face across, which is SDD_NONE without ghosts. */

    /* Stage "faces". Some arrays share memory, one after the other. `input` is the uploaded indices, then the sorted
     * keys and then the ranks of the corners without a face across. `rank` and `flag` are keys until those are
     * sorted. */
    struct device_block faces, sort;
    uint64_t *words, *keys, *sorted;
    int32_t *counts, *input, *corners, *rank, *flag, *boundary_rank;
    uint32_t *channel_edge_corner; /* Shape [channels][C]. */
    void *scratch;

    /* Stage "tags". */
    struct device_block tags_block;
    uint64_t *tag_keys, *tag_sorted;
    int32_t *isolated_flag, *isolated_rank;
    int32_t *tag_pairs, *tag_values, *tag_rows, *visible_flag, *visible_rank, *loop_flag, *loop_rank;
    int32_t *feature_flag, *feature_rank;     /* Shape [V], or as many rows as a channel has. */
    int32_t *semisharp_flag, *semisharp_rank; /* Shape [E]; NULL if no edge decays by chaikin. */
    float *tag_sharp;
    uint32_t *kind, *boundary, *label, *jump, *label2, *jump2, *hole, *soft;
    void *scratch2;

    /* These are for a mesh that is not manifold. */
    struct device_block nonmanifold;
    int32_t *run_first;

    struct device_block without_ghosts; /* The SDD_PART_CORNERS of t before ghosts were added. */
};

/* topology_check: refuses what can be seen of a mesh without a look at its faces and indices.
 * Errors  those of sdd_topology_create, without SDD_ENO_MEMORY and SDD_EDEVICE */
int topology_check(const struct sdd_mesh_desc *m, struct sdd_error *err) SDD_MUST_CHECK;
int64_t topology_face_sizes(const struct sdd_mesh_desc *m, struct face_sizes *out); /* Returns their sum. */
/* topology_new: an empty record for what topology_check has passed. On error *out may hold one that is to be given to
 * topology_done.
 * Errors  SDD_ENO_MEMORY */
int topology_new(sdd_device *device, const struct sdd_mesh_desc *desc, const struct face_sizes *sizes,
                 sdd_topology **out, struct sdd_error *err) SDD_MUST_CHECK;
/* topology_done: cuts t, which is built otherwise, and makes it *out. With an rc other than SDD_OK, or on error, it
 * frees t, which may be NULL, instead. */
int topology_done(sdd_topology *t, int rc, sdd_topology **out, struct sdd_error *err) SDD_MUST_CHECK;

/* topology_build: fills t from desc, whose array shapes have been checked, and waits for the device. On error t holds
 * what sdd_topology_unref frees.
 * Errors  SDD_EMESH, SDD_ENO_MEMORY, SDD_EDEVICE */
int topology_build(sdd_topology *t, const struct sdd_mesh_desc *desc, struct sdd_error *err) SDD_MUST_CHECK;

/* topology_cut_create: makes t->cut of a topology that is built otherwise. It waits for the device.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int topology_cut_create(sdd_topology *t, struct sdd_error *err) SDD_MUST_CHECK;

void build_init(struct build *b, sdd_topology *t, const struct sdd_mesh_desc *desc);
void build_end(struct build *b, int rc); /* Frees what is temporary; rc says whether the build failed. */
/* build_allocate_parts: allocates the mesh, its corners with their ghosts, and the edges, where their numbers are known
 * beforehand. From b->kept it takes the former as they are. */
int build_allocate_parts(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
/* build_finish: the stages from "tags" on, and waits. Where there is no boundary_rank the ghosts are made and linked
 * already, except for their faces. */
int build_finish(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
int64_t build_scan_scratch(const struct build *b, int64_t n);           /* The scratch bytes of a scan of n numbers. */
int64_t build_sort_scratch(const struct build *b, int64_t n, int bits); /* The scratch bytes of a sort of n keys. */
/* build_allocate: counts what lay_out takes, allocates exactly that as `block`, and lays it out. */
int build_allocate(struct build *b, void (*lay_out)(struct build *, struct arena *), struct device_block *block,
                   struct sdd_error *err) SDD_MUST_CHECK;
void build_start_words(struct build *b); /* Sets the errors to ~0 and the counts to 0. */
/* build_count_word: queues a copy of the last of n ranks to a word. */
void build_count_word(struct build *b, int word, const int32_t *rank, int64_t n);
int build_read_words(struct build *b, struct sdd_error *err) SDD_MUST_CHECK; /* Downloads all words and waits. */

/* ---- stage "faces" ----------------------------------------------------------------------------------------------- */
void build_lay_out_sort(struct build *b, struct arena *a);
void build_lay_out_faces(struct build *b, struct arena *a);
void build_lay_out_nonmanifold(struct build *b, struct arena *a);
void build_run_faces(struct build *b);
/* build_count_split: adds to E the edges that a non-manifold mesh gets by splitting, and waits. */
int build_count_split(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
/* build_run_edges: numbers the edges. For a non-manifold mesh it also says their kinds and numbers the corners without
 * a face across. */
void build_run_edges(struct build *b);
/* build_fail_faces: makes the error of the first word of this stage that holds one, if any does. */
int build_fail_faces(const struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
/* build_tell_fault: says why the mesh is not manifold, by the first such element of the first such kind. */
void build_tell_fault(const struct build *b);

/* build_rank_edges: sorts the corners of the mesh whose corners have the rows `vert`, all below 2^bits, by the ends
 * (min, max) of their edges. `corners` gets the sorted corners, and `rank` the number of the edge of each, from 1. */
void build_rank_edges(struct build *b, const uint32_t *vert, int bits);
/* build_run_positions: twins, boundaries and fans of the control mesh. It comes last in stage "faces", because later
 * stages need its `corners` and `rank`. */
void build_run_positions(struct build *b);

/* ---- face-varying channels --------------------------------------------------------------------------------------- */
const int32_t *build_channel_indices(const struct build *b, int k); /* The authored indices of channel k. */
void build_run_channel(struct build *b, int k);                     /* Stage "faces" of channel k. */
/* build_split_channels: gives rows of their own to values that several vertices share. Mostly there are none. It waits
 * if there are any. */
int build_split_channels(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
void build_lay_out_channel(struct build *b, struct arena *a, struct topology_channel *channel);
/* build_channel_vertices: makes the sharpness of rows of a channel, of n vertices, or of all where `vertex` is NULL. */
void build_channel_vertices(struct build *b, const struct topology_channel *channel, const uint32_t *vertex, int64_t n);
/* build_run_channels: once creases and corners are known, makes what smooth channels are refined by. */
void build_run_channels(struct build *b);
void build_lay_out_channel_lists(struct build *b, struct arena *a);
void build_run_channel_lists(struct build *b); /* The semi-sharp edges of smooth channels, under chaikin. */

/* ---- stages "tags", "ghosts" and "lists" ------------------------------------------------------------------------- */
void build_lay_out_tags(struct build *b, struct arena *a);
void build_lay_out_lists(struct build *b, struct arena *a);
void build_run_tags(struct build *b);
/* build_count_feature_vertices: counts them once all sharpness is known, also that of channels. */
void build_count_feature_vertices(struct build *b);
/* build_run_ghosts: adds the ghosts. Other meshes than manifold ones have none, because walks around their
 * vertices may not end. */
void build_run_ghosts(struct build *b);
/* build_fail_tags: makes the error of the first word of stage "tags" that holds one, if any does. */
int build_fail_tags(const struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
void build_run_lists(struct build *b);

#endif
