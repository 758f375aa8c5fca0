/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: the device work behind sdd_topology_create, shared by topology_build.c (the order of stages),
 * topology_faces.c and topology_tags.c (one stage each), topology_channels.c (face-varying ones, in all stages).
 * For this room alone. */
#ifndef SDD_MESH_INTERNAL_H
#define SDD_MESH_INTERNAL_H
#include "gpu/device/sizes.h"
#include "gpu/mesh/topology.h"

/* Words that the device writes and the host reads back in one piece. Errors hold the first bad element, ~0 when all
 * is well. */
enum word {
    W_CHANNEL, /* one each */
    W_LAST_CHANNEL = W_CHANNEL + SDD_MAX_PRIMVARS,
    W_CORNER,
    W_REPEAT,
    W_EDGE,
    W_FAN,        /* the last three: not errors, but the mesh is not manifold */
    W_MOST_EDGES, /* stage "faces" */
    W_CREASE_VERTEX,
    W_CREASE_EDGE,
    W_CORNER_TAG,
    W_HOLE, /* stage "tags" */
    W_N_EDGES,
    W_N_BORDER,
    W_N_CHANNEL_EDGES, /* one each */
    W_LAST_N_CHANNEL_EDGES = W_N_CHANNEL_EDGES + SDD_MAX_PRIMVARS,
    W_N_CHANNEL_ROWS, /* beyond its values, one each */
    W_LAST_N_CHANNEL_ROWS = W_N_CHANNEL_ROWS + SDD_MAX_PRIMVARS,
    W_N_CHANNEL_RULED, /* one each */
    W_LAST_N_CHANNEL_RULED = W_N_CHANNEL_RULED + SDD_MAX_PRIMVARS,
    W_N_RULED,
    W_N_ISOLATED,
    W_N_HOLES,
    W_N_SHOWN,
    W_N_APART,
    W_N_OPEN,
    W_N_LOOPS,
    W_N_SEMI, /* counts: low 32 bits */
    N_WORDS
};

struct build {
    sdd_topology *t;
    const struct sdd_mesh_desc *desc;
    sdd_device *d;
    uint64_t word[N_WORDS];
    int64_t V, F, C, E, B, G, H, tags; /* G ghosts: B, or none when the mesh is not manifold */
    int bits;                          /* vertex ids are below 2^bits */

    int64_t used_before, most; /* device bytes: before all, and at the worst moment since */

    uint32_t *next, *prev, *face; /* t->faces, to be written; NULL: no rows */
    const uint32_t *twin;         /* [C] SDD_NONE where there is no face across, as long as ghosts are not made */

    /* stage "faces". One word of memory has several names, one after the other: `input` is upload, then sorted keys,
     * then the ranks of what has no face across; `rank` and `flag` are keys until those are sorted. */
    struct device_block faces, sort;
    uint64_t *words, *keys, *sorted;
    int32_t *counts, *input, *corners, *rank, *flag, *border_rank;
    uint32_t *channel_edge_corner; /* [channels][C] */
    void *scratch;

    /* stage "tags" */
    struct device_block tags_part;
    uint64_t *tag_keys, *tag_sorted;
    int32_t *isolated_flag, *isolated_rank;
    int32_t *tag_pairs, *tag_values, *tag_rows, *visible_flag, *visible_rank, *loop_flag, *loop_rank;
    int32_t *feature_flag, *feature_rank; /* [V], or as many rows as a channel has */
    int32_t *semi_flag, *semi_rank;       /* [E] NULL: nothing decays by chaikin */
    float *tag_sharp;
    uint32_t *kind, *border, *label, *jump, *label2, *jump2, *hole, *soft;
    void *scratch2;

    /* a mesh that is not manifold */
    struct device_block odd;
    int32_t *run_first;

    struct device_block without_ghosts; /* t's SDD_PART_CORNERS before ghosts were added */
};

/* topology_build: fills t from desc, whose array shapes have been checked. On error t holds what sdd_topology_unref
 * frees. */
int topology_build(sdd_topology *t, const struct sdd_mesh_desc *desc, struct sdd_error *err) SDD_MUST_CHECK;

int64_t build_scan_scratch(const struct build *b, int64_t n);
int64_t build_sort_scratch(const struct build *b, int64_t n, int bits);
/* build_place: counts with base NULL, allocates exactly that, and lays out for real. */
int build_place(struct build *b, void (*lay_out)(struct build *, struct arena *), struct device_block *part,
                struct sdd_error *err) SDD_MUST_CHECK;
void build_start_words(struct build *b); /* errors start at ~0, counts at 0 */
void build_count_word(struct build *b, int word, const int32_t *rank, int64_t n);
int build_read_words(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;

/* Stage "faces". build_tell_fault: says why the mesh is not manifold, the first such element of the first such kind.
 * build_count_split: how many edges more a mesh has that is not manifold. build_run_edges: numbers the edges; of a mesh
 * that is not manifold it tells their kinds and numbers what has no face across. */
void build_lay_out_sort(struct build *b, struct arena *a);
void build_lay_out_faces(struct build *b, struct arena *a);
void build_lay_out_nonmanifold(struct build *b, struct arena *a);
void build_run_faces(struct build *b);
int build_count_split(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
void build_run_edges(struct build *b);
int build_fail_faces(const struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
void build_tell_fault(const struct build *b);

/* Brings the uses of each edge of the mesh whose corners are `vert` (rows below 2^bits) together, in the order of
 * (min, max): their corners in `corners`, in `rank` the number of their edge, from 1. */
void build_rank_edges(struct build *b, const uint32_t *vert, int bits);
/* Twins, boundaries and fans of the control mesh: the last of stage "faces", for `corners` and `rank` stay. */
void build_run_positions(struct build *b);

/* Face-varying channels. build_run_channel: stage "faces" of channel k. build_split_channels: gives rows of their own
 * to values that several vertices share; mostly there are none. build_run_channels: once creases and corners are known,
 * what smooth channels are refined by. build_run_channel_lists: under chaikin, their semi-sharp edges. */
const int32_t *build_channel_indices(const struct build *b, int k); /* as authored */
void build_run_channel(struct build *b, int k);
int build_split_channels(struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
void build_lay_out_channel(struct build *b, struct arena *a, struct topology_channel *channel);
void build_run_channels(struct build *b);
void build_lay_out_channel_lists(struct build *b, struct arena *a);
void build_run_channel_lists(struct build *b);

/* Stage "tags". build_run_ghosts needs a manifold mesh: the walks around vertices end. */
void build_lay_out_tags(struct build *b, struct arena *a);
void build_lay_out_lists(struct build *b, struct arena *a);
void build_run_tags(struct build *b);
void build_count_feature_vertices(struct build *b); /* once all sharpness is known, also that of channels */
void build_run_ghosts(struct build *b);
int build_fail_tags(const struct build *b, struct sdd_error *err) SDD_MUST_CHECK;
void build_run_lists(struct build *b);

#endif
