/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/topology_build.h"
#include "kernels_all.h"
#include <stdio.h>
#include <string.h>

/* Words that the device writes and the host reads back in one piece. Errors hold the first bad element, ~0 when all
 * is well. */
enum word {
    W_CORNER,
    W_UV,
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
    W_N_UV_EDGES,
    W_N_ISOLATED,
    W_N_HOLES,
    W_N_SHOWN,
    W_N_APART,
    W_N_LOOPS, /* counts: low 32 bits */
    N_WORDS
};

struct build {
    sdd_topology *t;
    const struct sdd_mesh_desc *desc;
    sdd_device *d;
    uint64_t word[N_WORDS];
    int64_t V, F, C, E, B, G, E_uv, H, tags; /* G ghosts: B, or none when the mesh is not manifold */
    int bits;                                /* vertex ids are below 2^bits */

    /* stage "faces": freed at the end */
    void *memory;
    int64_t bytes;
    uint64_t *words, *keys, *sorted;
    int32_t *counts, *end, *input, *uv_input, *values, *corners, *flag, *rank, *border_rank, *isolated_flag,
        *isolated_rank;
    uint32_t *vert, *face, *next, *prev, *uv, *edge, *twin, *edge_corner, *uv_edge, *uv_edge_corner;
    uint32_t *begin, *end_of_vertex;
    int32_t *vert_corner;
    void *scratch;

    /* stage "tags": freed at the end */
    void *memory2;
    int64_t bytes2;
    uint64_t *tag_keys, *tag_sorted;
    int32_t *tag_pairs, *tag_values, *tag_rows, *shown_flag, *shown_rank, *loop_flag, *loop_rank;
    float *tag_sharp;
    uint32_t *kind, *border, *label, *jump, *label2, *jump2, *hole, *soft, *final_label;
    void *scratch2;

    /* a mesh that is not manifold: freed at the end */
    void *memory3;
    int64_t bytes3;
};

static int bits_below(int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << bits < n)
        bits++;
    return bits;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t scratch_bytes(struct build *b, int64_t n, int bits)
{
    const struct sdd_backend *k = b->d->b;
    return larger(k->scan_scratch(b->d->dev, n), k->sort_scratch(b->d->dev, n, bits));
}

static int sort_bits(const struct build *b)
{
    return (int)(2 * larger(b->bits, bits_below(b->desc->n_uvs))); /* counts are below 2^30: at most 60 */
}

static void lay_out_faces(struct build *b, struct arena *a)
{
    int64_t C = b->C, V = b->V, F = b->F;
    int uvs = b->desc->n_uvs > 0;
    b->words = ARENA(a, uint64_t, N_WORDS);
    b->keys = ARENA(a, uint64_t, C);
    b->sorted = ARENA(a, uint64_t, C);
    b->counts = b->t->info.min_face_size < b->t->info.max_face_size ? ARENA(a, int32_t, F) : NULL;
    b->end = ARENA(a, int32_t, F);
    b->input = ARENA(a, int32_t, C);
    b->uv_input = uvs ? ARENA(a, int32_t, C) : NULL;
    b->values = ARENA(a, int32_t, C);
    b->corners = ARENA(a, int32_t, C);
    b->flag = ARENA(a, int32_t, C);
    b->rank = ARENA(a, int32_t, C);
    b->border_rank = ARENA(a, int32_t, C);
    b->vert = ARENA(a, uint32_t, C);
    b->face = ARENA(a, uint32_t, C);
    b->next = ARENA(a, uint32_t, C);
    b->prev = ARENA(a, uint32_t, C);
    b->edge = ARENA(a, uint32_t, C);
    b->twin = ARENA(a, uint32_t, C);
    b->edge_corner = ARENA(a, uint32_t, C);
    b->uv = uvs ? ARENA(a, uint32_t, C) : NULL;
    b->uv_edge = uvs ? ARENA(a, uint32_t, C) : NULL;
    b->uv_edge_corner = uvs ? ARENA(a, uint32_t, C) : NULL;
    b->begin = ARENA(a, uint32_t, V);
    b->end_of_vertex = ARENA(a, uint32_t, V);
    b->vert_corner = ARENA(a, int32_t, C);
    b->isolated_flag = ARENA(a, int32_t, V);
    b->isolated_rank = ARENA(a, int32_t, V);
    b->scratch = ARENA(a, char, larger(scratch_bytes(b, larger(C, V), sort_bits(b)), scratch_bytes(b, F, 8)));
}

/* Edges of the mesh whose corners are `vert`: numbered by (min, max), ids left in `rank`, their sorted corners in
 * `corners`. */
static void number_edges(struct build *b, const uint32_t *vert, int bits, uint32_t *edge, uint32_t *edge_corner)
{
    struct edge_keys_args keys = {vert, b->next, b->keys, b->values, bits};
    struct run_heads_args heads = {b->sorted, b->flag};
    struct edge_ids_args ids = {b->rank, b->corners, edge, edge_corner};
    DEV_LAUNCH(b->d, edge_keys, &keys, b->C);
    dev_sort(b->d, b->keys, b->sorted, b->values, b->corners, b->C, 2 * bits, b->scratch);
    DEV_LAUNCH(b->d, run_heads, &heads, b->C);
    dev_scan(b->d, b->flag, b->rank, b->C, b->scratch);
    DEV_LAUNCH(b->d, edge_ids, &ids, b->C);
}

static void count_word(struct build *b, int word, const int32_t *rank, int64_t n)
{
    if (n > 0)
        dev_copy(b->d, b->words + word, rank + n - 1, sizeof *rank);
}

/* Errors start at ~0, counts at 0. */
static void start_words(struct build *b)
{
    dev_fill(b->d, b->words, 0xff, W_N_EDGES * (int64_t)sizeof *b->words);
    dev_fill(b->d, b->words + W_N_EDGES, 0, (N_WORDS - W_N_EDGES) * (int64_t)sizeof *b->words);
}

static int read_words(struct build *b, struct sdd_error *err)
{
    dev_download(b->d, b->word, b->words, sizeof b->word);
    return dev_finish(b->d, err);
}

static void run_faces(struct build *b)
{
    sdd_device *d = b->d;
    const struct sdd_mesh_desc *m = b->desc;
    struct face_corners_args corners = {
        .end = b->end,
        .input = b->input,
        .uv_input = b->uv_input,
        .vert = b->vert,
        .face = b->face,
        .next = b->next,
        .prev = b->prev,
        .uv = b->uv,
        .error = b->words + W_CORNER,
        .uv_error = b->words + W_UV,
        .n_vertices = (uint32_t)b->V,
        .n_uvs = (uint32_t)m->n_uvs,
        .left_handed = m->options.orientation == SDD_LEFT_HANDED,
    };
    struct face_ends_args ends = {b->end, b->t->info.max_face_size};
    struct vertex_keys_args vkeys = {b->vert, b->keys, b->values};
    struct vertex_heads_args vheads = {b->sorted,        b->vert_corner,      b->face, b->begin,
                                       b->end_of_vertex, b->words + W_REPEAT, b->C,    (uint32_t)b->V};
    struct edge_twins_args twins = {b->sorted, b->corners, b->vert,           b->face, b->next,
                                    b->twin,   b->flag,    b->words + W_EDGE, b->C};
    struct vertex_fan_args fan = {b->begin,        b->end_of_vertex, b->twin,          b->next,
                                  b->prev,         b->vert_corner,   b->words + W_FAN, b->words + W_MOST_EDGES,
                                  b->isolated_flag};

    start_words(b);
    dev_upload(d, b->input, m->face_vertices, b->C * (int64_t)sizeof(int32_t));
    if (b->uv_input)
        dev_upload(d, b->uv_input, m->uv_indices, b->C * (int64_t)sizeof(int32_t));
    if (b->counts) {
        dev_upload(d, b->counts, m->face_counts, b->F * (int64_t)sizeof(int32_t));
        dev_scan(d, b->counts, b->end, b->F, b->scratch);
    } else {
        DEV_LAUNCH(d, face_ends, &ends, b->F);
    }
    DEV_LAUNCH(d, face_corners, &corners, b->F);

    dev_fill(d, b->begin, 0, b->V * (int64_t)sizeof(uint32_t));
    dev_fill(d, b->end_of_vertex, 0, b->V * (int64_t)sizeof(uint32_t));
    DEV_LAUNCH(d, vertex_keys, &vkeys, b->C);
    dev_sort(d, b->keys, b->sorted, b->values, b->vert_corner, b->C, b->bits, b->scratch);
    DEV_LAUNCH(d, vertex_heads, &vheads, b->C);

    if (b->uv) {
        number_edges(b, b->uv, bits_below(m->n_uvs), b->uv_edge, b->uv_edge_corner);
        count_word(b, W_N_UV_EDGES, b->rank, b->C);
    }
    number_edges(b, b->vert, b->bits, b->edge, b->edge_corner);
    count_word(b, W_N_EDGES, b->rank, b->C);
    DEV_LAUNCH(d, edge_twins, &twins, b->C);
    dev_scan(d, b->flag, b->border_rank, b->C, b->scratch);
    count_word(b, W_N_BORDER, b->border_rank, b->C);
    DEV_LAUNCH(d, vertex_fan, &fan, b->V);
    dev_scan(d, b->isolated_flag, b->isolated_rank, b->V, b->scratch);
    count_word(b, W_N_ISOLATED, b->isolated_rank, b->V);
}

/* Numbers the edges of a mesh that is not manifold, and tells their kinds. Arrays that only ghosts need are free for it:
 * there are none. */
static int edges_apart(struct build *b, struct sdd_error *err)
{
    int32_t *flag = b->flag, *apart = b->border_rank, *run_first = b->input;
    struct apart_flags_args flags = {b->corners, b->rank, b->vert, b->next, b->face, flag, run_first};
    struct edges_apart_args edges = {b->corners, b->rank,        apart,   run_first, b->vert,      b->next,
                                     b->edge,    b->edge_corner, b->kind, b->C,      (int32_t)b->E};
    DEV_LAUNCH(b->d, apart_flags, &flags, b->C);
    dev_scan(b->d, flag, apart, b->C, b->scratch);
    count_word(b, W_N_APART, apart, b->C);
    int rc = read_words(b, err);
    if (rc)
        return rc;
    DEV_LAUNCH(b->d, edges_apart, &edges, b->C);
    b->E += (int64_t)(uint32_t)b->word[W_N_APART];
    return SDD_OK;
}

static int64_t face_of_corner(const struct sdd_mesh_desc *m, int64_t corner, int64_t *first)
{
    int64_t f = 0;
    *first = 0;
    while (f + 1 < m->n_faces && *first + m->face_counts[f] <= corner)
        *first += m->face_counts[f++];
    return f;
}

/* The two vertices of the edge after an (internal) corner: face_corners may have turned the face round. */
static void ends_of_corner(const struct sdd_mesh_desc *m, int64_t corner, int32_t *u, int32_t *v)
{
    int64_t first, f = face_of_corner(m, corner, &first), n = m->face_counts[f], i = corner - first, j = (i + 1) % n;
    int left = m->options.orientation == SDD_LEFT_HANDED;
    *u = m->face_vertices[first + (left ? (n - i) % n : i)];
    *v = m->face_vertices[first + (left ? (n - j) % n : j)];
}

static int fail_faces(const struct build *b, struct sdd_error *err)
{
    const struct sdd_mesh_desc *m = b->desc;
    const uint64_t *w = b->word;
    int64_t first;
    if (w[W_CORNER] != ~0ull)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "face %lld uses vertex %d of %lld",
                        (long long)face_of_corner(m, (int64_t)w[W_CORNER], &first), m->face_vertices[w[W_CORNER]],
                        (long long)b->V);
    if (w[W_UV] != ~0ull)
        return sdd_fail(err, SDD_EMESH, "stIndices", "face %lld uses UV value %d of %lld",
                        (long long)face_of_corner(m, (int64_t)w[W_UV], &first), m->uv_indices[w[W_UV]],
                        (long long)m->n_uvs);
    return SDD_OK;
}

/* Says why the mesh is not manifold: the first such element of the first such kind. */
static void tell_fault(const struct build *b)
{
    const struct sdd_mesh_desc *m = b->desc;
    const uint64_t *w = b->word;
    char *text = b->t->fault;
    const size_t size = sizeof b->t->fault;
    int64_t first;
    int32_t u, v;
    if (w[W_REPEAT] != ~0ull) {
        ends_of_corner(m, (int64_t)w[W_REPEAT], &u, &v);
        snprintf(text, size, "face %lld uses vertex %d more than once",
                 (long long)face_of_corner(m, (int64_t)w[W_REPEAT], &first), u);
    } else if (w[W_EDGE] != ~0ull) {
        ends_of_corner(m, (int64_t)w[W_EDGE], &u, &v);
        snprintf(text, size, "edge (%d, %d) is not manifold: more than two faces use it, or two in the same direction",
                 u, v);
    } else if (w[W_FAN] != ~0ull) {
        snprintf(text, size, "vertex %llu is not manifold: its faces do not form one fan",
                 (unsigned long long)w[W_FAN]);
    }
}

static void lay_out_kind(struct build *b, struct arena *a)
{
    b->kind = ARENA(a, uint32_t, b->C);
}

static void lay_out_tags(struct build *b, struct arena *a)
{
    const struct sdd_options *o = &b->desc->options;
    int soft = o->boundary == SDD_BOUNDARY_NONE && o->scheme != SDD_SCHEME_BILINEAR,
        holes = b->desc->n_holes > 0 || soft;
    b->tag_keys = ARENA(a, uint64_t, b->tags);
    b->tag_sorted = ARENA(a, uint64_t, b->tags);
    b->tag_pairs = ARENA(a, int32_t, 2 * b->tags);
    b->tag_values = ARENA(a, int32_t, b->tags);
    b->tag_rows = ARENA(a, int32_t, b->tags);
    b->tag_sharp = ARENA(a, float, b->tags);
    b->hole = holes ? ARENA(a, uint32_t, b->F) : NULL;
    b->soft = soft ? ARENA(a, uint32_t, b->V) : NULL;
    b->shown_flag = holes ? ARENA(a, int32_t, b->C) : NULL;
    b->shown_rank = holes ? ARENA(a, int32_t, b->C) : NULL;
    b->border = ARENA(a, uint32_t, b->G);
    b->label = ARENA(a, uint32_t, b->G);
    b->jump = ARENA(a, uint32_t, b->G);
    b->label2 = ARENA(a, uint32_t, b->G);
    b->jump2 = ARENA(a, uint32_t, b->G);
    b->loop_flag = ARENA(a, int32_t, b->G);
    b->loop_rank = ARENA(a, int32_t, b->G);
    b->scratch2 = ARENA(a, char,
                        larger(scratch_bytes(b, larger(b->tags, 1), 2 * b->bits),
                               scratch_bytes(b, larger(larger(b->V, b->C), b->B), 8)));
}

static void lay_out_kept(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    int64_t corners = b->C + b->G;
    const struct sdd_mesh_desc *m = b->desc;
    int odd = !t->info.manifold;
    int sharp_vertices =
        odd || m->n_corner_tags > 0 || (b->B > 0 && m->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER);
    t->face_end = ARENA(a, int32_t, b->F);
    t->vert = ARENA(a, uint32_t, corners);
    t->face = ARENA(a, uint32_t, corners);
    t->next = ARENA(a, uint32_t, corners);
    t->prev = ARENA(a, uint32_t, corners);
    t->twin = ARENA(a, uint32_t, corners);
    t->edge = ARENA(a, uint32_t, corners);
    t->vert_begin = ARENA(a, uint32_t, b->V);
    t->vert_end = ARENA(a, uint32_t, b->V);
    t->vert_corner = ARENA(a, uint32_t, b->C);
    t->edge_corner = ARENA(a, uint32_t, b->E);
    t->edge_sharp = odd || b->B > 0 || m->n_creases > 0 ? ARENA(a, float, b->E) : NULL;
    t->vert_sharp = sharp_vertices ? ARENA(a, float, b->V) : NULL;
    t->uv = m->n_uvs > 0 ? ARENA(a, uint32_t, b->C) : NULL;
    t->uv_edge = m->n_uvs > 0 ? ARENA(a, uint32_t, b->C) : NULL;
    t->uv_edge_corner = m->n_uvs > 0 ? ARENA(a, uint32_t, b->E_uv) : NULL;
}

static void keep_arrays(struct build *b)
{
    sdd_topology *t = b->t;
    int64_t C = b->C * 4, V = b->V * 4;
    dev_copy(b->d, t->face_end, b->end, b->F * 4);
    dev_copy(b->d, t->vert, b->vert, C);
    dev_copy(b->d, t->face, b->face, C);
    dev_copy(b->d, t->next, b->next, C);
    dev_copy(b->d, t->prev, b->prev, C);
    dev_copy(b->d, t->twin, b->twin, C);
    dev_copy(b->d, t->edge, b->edge, C);
    dev_copy(b->d, t->vert_begin, b->begin, V);
    dev_copy(b->d, t->vert_end, b->end_of_vertex, V);
    dev_copy(b->d, t->vert_corner, b->vert_corner, C);
    dev_copy(b->d, t->edge_corner, b->edge_corner, b->E * 4);
    if (t->uv) {
        dev_copy(b->d, t->uv, b->uv, C);
        dev_copy(b->d, t->uv_edge, b->uv_edge, C);
        dev_copy(b->d, t->uv_edge_corner, b->uv_edge_corner, b->E_uv * 4);
    }
}

static void apply_creases(struct build *b)
{
    const struct sdd_mesh_desc *m = b->desc;
    sdd_topology *t = b->t;
    int64_t n = m->n_creases;
    struct crease_keys_args keys = {b->tag_pairs,   b->tag_keys, b->tag_values, b->words + W_CREASE_VERTEX,
                                    (uint32_t)b->V, b->bits};
    struct crease_apply_args apply = {b->tag_sorted,
                                      b->tag_rows,
                                      b->tag_sharp,
                                      t->edge_corner,
                                      t->vert,
                                      t->next,
                                      t->edge_sharp,
                                      b->words + W_CREASE_EDGE,
                                      n,
                                      b->E,
                                      b->bits};
    dev_upload(b->d, b->tag_pairs, m->crease_edges, 2 * n * (int64_t)sizeof(int32_t));
    dev_upload(b->d, b->tag_sharp, m->crease_sharpness, n * (int64_t)sizeof(float));
    DEV_LAUNCH(b->d, crease_keys, &keys, n);
    dev_sort(b->d, b->tag_keys, b->tag_sorted, b->tag_values, b->tag_rows, n, 2 * b->bits, b->scratch2);
    DEV_LAUNCH(b->d, crease_apply, &apply, n);
}

static void apply_corners(struct build *b)
{
    const struct sdd_mesh_desc *m = b->desc;
    int64_t n = m->n_corner_tags;
    struct vertex_keys_args keys = {(const uint32_t *)b->tag_pairs, b->tag_keys, b->tag_values};
    struct corner_apply_args apply = {b->tag_sorted,           b->tag_rows, b->tag_sharp,  b->t->vert_sharp,
                                      b->words + W_CORNER_TAG, n,           (uint32_t)b->V};
    dev_upload(b->d, b->tag_pairs, m->corner_vertices, n * (int64_t)sizeof(int32_t));
    dev_upload(b->d, b->tag_sharp, m->corner_sharpness, n * (int64_t)sizeof(float));
    DEV_LAUNCH(b->d, vertex_keys, &keys, n);
    dev_sort(b->d, b->tag_keys, b->tag_sorted, b->tag_values, b->tag_rows, n, b->bits, b->scratch2);
    DEV_LAUNCH(b->d, corner_apply, &apply, n);
}

/* Authored sharpness first, then what boundaries imply, then holes: the order of OpenSubdiv's factory. */
static void run_tags(struct build *b)
{
    sdd_topology *t = b->t;
    sdd_device *d = b->d;
    const struct sdd_mesh_desc *m = b->desc;
    struct edge_implicit_args edges = {t->edge_corner, t->vert, t->next, b->twin, b->kind, t->edge_sharp, b->soft};
    struct vertex_implicit_args vertices = {t->vert_begin, t->vert_end, t->vert_sharp};
    struct vertex_odd_args odd = {t->vert_begin,
                                  t->vert_end,
                                  t->edge,
                                  b->twin,
                                  t->next,
                                  t->prev,
                                  t->edge_corner,
                                  b->kind,
                                  (const int32_t *)t->vert_corner,
                                  t->vert_sharp,
                                  b->words + W_MOST_EDGES};

    if (t->edge_sharp)
        dev_fill(d, t->edge_sharp, 0, b->E * (int64_t)sizeof(float));
    if (t->vert_sharp)
        dev_fill(d, t->vert_sharp, 0, b->V * (int64_t)sizeof(float));
    apply_creases(b);
    apply_corners(b);
    if (b->soft)
        dev_fill(d, b->soft, 0, b->V * (int64_t)sizeof(uint32_t));
    if (b->B > 0 || b->kind)
        DEV_LAUNCH(d, edge_implicit, &edges, b->E);
    if (m->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER && (b->B > 0 || b->kind))
        DEV_LAUNCH(d, vertex_implicit, &vertices, b->V);
    if (b->kind)
        DEV_LAUNCH(d, vertex_odd, &odd, b->V);
    if (!b->hole)
        return;
    struct hole_apply_args holes = {b->tag_pairs, b->hole, b->words + W_HOLE, (uint32_t)b->F};
    struct soft_holes_args soft = {t->face_end, t->vert, b->soft, b->hole};
    struct shown_flags_args shown = {t->face, b->hole, b->shown_flag};
    dev_fill(d, b->hole, 0, b->F * (int64_t)sizeof(uint32_t));
    dev_upload(d, b->tag_pairs, m->hole_faces, m->n_holes * (int64_t)sizeof(int32_t));
    DEV_LAUNCH(d, hole_apply, &holes, m->n_holes);
    if (b->soft && (b->B > 0 || b->kind))
        DEV_LAUNCH(d, soft_holes, &soft, b->F);
    dev_scan(d, (const int32_t *)b->hole, b->shown_rank, b->F, b->scratch2); /* for the count; the rank is used again */
    count_word(b, W_N_HOLES, b->shown_rank, b->F);
    DEV_LAUNCH(d, shown_flags, &shown, b->C);
    dev_scan(d, b->shown_flag, b->shown_rank, b->C, b->scratch2);
    count_word(b, W_N_SHOWN, b->shown_rank, b->C);
}

/* Needs a manifold mesh: the walks around vertices end. */
static void run_ghosts(struct build *b)
{
    sdd_topology *t = b->t;
    struct compact_args list = {b->flag, b->border_rank, b->border};
    struct ghost_corners_args ghosts = {b->border, b->border_rank, b->twin,  t->vert, t->edge,       t->next,
                                        t->prev,   t->twin,        b->label, b->jump, (uint32_t)b->C};
    struct ghost_jump_args there = {b->label, b->jump, b->label2, b->jump2},
                           back = {b->label2, b->jump2, b->label, b->jump};
    DEV_LAUNCH(b->d, compact, &list, b->G > 0 ? b->C : 0);
    DEV_LAUNCH(b->d, ghost_corners, &ghosts, b->G);
    for (int64_t reach = 1; reach < b->G; reach *= 4) {
        DEV_LAUNCH(b->d, ghost_jump, &there, b->G);
        DEV_LAUNCH(b->d, ghost_jump, &back, b->G);
    }
    struct ghost_heads_args heads = {b->label, b->loop_flag};
    DEV_LAUNCH(b->d, ghost_heads, &heads, b->G);
    dev_scan(b->d, b->loop_flag, b->loop_rank, b->G, b->scratch2);
    count_word(b, W_N_LOOPS, b->loop_rank, b->G);
}

static int fail_tags(const struct build *b, struct sdd_error *err)
{
    const struct sdd_mesh_desc *m = b->desc;
    const uint64_t *w = b->word;
    uint64_t most = w[W_MOST_EDGES] == ~0ull ? 0 : ~w[W_MOST_EDGES];
    if (most >> 32 > SDD_MAX_FACE_SIZE)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "vertex %llu has %llu edges; %d are allowed",
                        (unsigned long long)(most & 0xffffffffu), (unsigned long long)(most >> 32), SDD_MAX_FACE_SIZE);
    uint64_t crease = w[W_CREASE_VERTEX] < w[W_CREASE_EDGE] ? w[W_CREASE_VERTEX] : w[W_CREASE_EDGE];
    if (crease != ~0ull)
        return sdd_fail(err, SDD_EMESH, "creaseIndices", "crease %llu (%d, %d) names %s", (unsigned long long)crease,
                        m->crease_edges[2 * crease], m->crease_edges[2 * crease + 1],
                        crease == w[W_CREASE_VERTEX] ? "a vertex that does not exist" : "an edge that no face has");
    if (w[W_CORNER_TAG] != ~0ull)
        return sdd_fail(err, SDD_EMESH, "cornerIndices", "corner %llu names vertex %d of %lld",
                        (unsigned long long)w[W_CORNER_TAG], m->corner_vertices[w[W_CORNER_TAG]], (long long)b->V);
    if (w[W_HOLE] != ~0ull)
        return sdd_fail(err, SDD_EMESH, "holeIndices", "hole %llu names face %d of %lld", (unsigned long long)w[W_HOLE],
                        m->hole_faces[w[W_HOLE]], (long long)b->F);
    return SDD_OK;
}

static void lay_out_lists(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    t->ghost_first = b->H > 0 ? ARENA(a, uint32_t, b->H) : NULL;
    t->shown = b->hole ? ARENA(a, uint32_t, t->n_shown) : NULL;
    t->isolated = t->info.n_isolated > 0 ? ARENA(a, uint32_t, t->info.n_isolated) : NULL;
}

static void run_lists(struct build *b)
{
    sdd_topology *t = b->t;
    struct ghost_faces_args ghosts = {b->label, b->loop_rank, t->face, t->ghost_first, (uint32_t)b->C, (uint32_t)b->F};
    struct compact_args shown = {b->shown_flag, b->shown_rank, t->shown};
    struct compact_args isolated = {b->isolated_flag, b->isolated_rank, t->isolated};
    DEV_LAUNCH(b->d, ghost_faces, &ghosts, b->G);
    if (t->shown)
        DEV_LAUNCH(b->d, compact, &shown, b->C);
    if (t->isolated)
        DEV_LAUNCH(b->d, compact, &isolated, b->V);
}

/* Counts with base NULL, allocates exactly that, and lays out for real. */
static int place(struct build *b, void (*lay_out)(struct build *, struct arena *), void **memory, int64_t *bytes,
                 struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    lay_out(b, &count);
    int rc = dev_alloc(b->d, count.used, memory, err);
    if (rc)
        return rc;
    *bytes = count.used;
    real.base = *memory;
    lay_out(b, &real);
    return SDD_OK;
}

static int build_stages(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int rc = place(b, lay_out_faces, &b->memory, &b->bytes, err);
    if (rc)
        return rc;
    run_faces(b);
    rc = read_words(b, err);
    if (!rc)
        rc = fail_faces(b, err);
    if (rc)
        return rc;
    b->E = t->info.n_edges = (int64_t)(uint32_t)b->word[W_N_EDGES];
    b->B = t->info.n_boundary_edges = (int64_t)(uint32_t)b->word[W_N_BORDER];
    b->E_uv = t->info.n_uv_edges = (int64_t)(uint32_t)b->word[W_N_UV_EDGES];
    tell_fault(b);
    t->info.manifold = t->fault[0] == 0;
    if (!t->info.manifold) {
        rc = place(b, lay_out_kind, &b->memory3, &b->bytes3, err);
        if (!rc)
            rc = edges_apart(b, err);
        if (rc)
            return rc;
        t->info.n_edges = b->E;
    }
    b->G = t->info.manifold ? b->B : 0;

    rc = place(b, lay_out_kept, &t->memory, &t->memory_bytes, err);
    if (!rc)
        rc = place(b, lay_out_tags, &b->memory2, &b->bytes2, err);
    if (rc)
        return rc;
    keep_arrays(b);
    run_tags(b);
    rc = read_words(b, err);
    if (!rc)
        rc = fail_tags(b, err);
    if (rc)
        return rc;
    run_ghosts(b);
    rc = read_words(b, err);
    if (rc)
        return rc;
    b->H = t->info.n_boundaries = (int64_t)(uint32_t)b->word[W_N_LOOPS];
    t->info.n_isolated = (int64_t)(uint32_t)b->word[W_N_ISOLATED];
    t->info.n_holes = (int64_t)(uint32_t)b->word[W_N_HOLES];
    t->n_shown = b->hole ? (int64_t)(uint32_t)b->word[W_N_SHOWN] : b->C;
    t->info.max_valence = (int32_t)(~b->word[W_MOST_EDGES] >> 32);

    rc = place(b, lay_out_lists, &t->lists, &t->lists_bytes, err);
    if (rc)
        return rc;
    run_lists(b);
    t->info.build_bytes = b->bytes + b->bytes2 + b->bytes3 + t->memory_bytes + t->lists_bytes;
    return dev_finish(b->d, err);
}

int topology_build(sdd_topology *t, const struct sdd_mesh_desc *desc, struct sdd_error *err)
{
    struct build b = {
        .t = t, .desc = desc, .d = t->device, .V = desc->n_vertices, .F = desc->n_faces, .C = desc->n_corners};
    b.bits = bits_below(b.V);
    b.tags = larger(larger(desc->n_creases, desc->n_corner_tags), desc->n_holes);
    int rc = build_stages(&b, err);
    if (rc) /* queued work may still use the memory */
        dev_drain(b.d);
    dev_free(b.d, b.memory, b.bytes);
    dev_free(b.d, b.memory2, b.bytes2);
    dev_free(b.d, b.memory3, b.bytes3);
    return rc;
}
