/* SPDX-License-Identifier: Apache-2.0 */
/* topology_faces.c: stage "faces" of a topology build, for topology_build.c: corners, vertex and edge numbering by
 * stable sort and scan, twins, fans; and the numbers of edges after it. */
#include "gpu/mesh/internal.h"
#include "gpu/mesh/kernels/nonmanifold_split_flags.k.h"
#include "gpu/mesh/kernels/edge_ids.k.h"
#include "gpu/mesh/kernels/edge_keys.k.h"
#include "gpu/mesh/kernels/edge_twins.k.h"
#include "gpu/mesh/kernels/nonmanifold_split_edges.k.h"
#include "gpu/mesh/kernels/face_corners.k.h"
#include "gpu/mesh/kernels/face_ends.k.h"
#include "gpu/mesh/kernels/open_flags.k.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/mesh/kernels/vertex_fan.k.h"
#include "gpu/mesh/kernels/vertex_heads.k.h"
#include "gpu/mesh/kernels/vertex_keys.k.h"
#include <stdio.h>

static int sort_bits(const struct build *b)
{
    int64_t most = b->V;
    for (int k = 0; k < b->t->n_channels; k++)
        most = larger(most, b->t->channel[k].n_values + b->C); /* Each further vertex of a value has one more row. */
    return 2 * id_bits(most);                                  /* Counts are below 2^30, so this is at most 62. */
}

void build_lay_out_sort(struct build *b, struct arena *a)
{
    b->sorted = ARENA(a, uint64_t, b->C);
    b->input = (int32_t *)b->sorted;
    b->boundary_rank = (int32_t *)b->sorted;
    b->scratch = ARENA(a, char, larger(build_sort_scratch(b, b->C, sort_bits(b)), build_scan_scratch(b, b->C)));
}

void build_lay_out_faces(struct build *b, struct arena *a)
{
    int64_t C = b->C;
    b->words = ARENA(a, uint64_t, N_WORDS);
    b->keys = ARENA(a, uint64_t, C);
    b->rank = (int32_t *)b->keys;
    b->flag = a->base ? b->rank + C : NULL;
    b->corners = ARENA(a, int32_t, C);
    b->counts = b->t->info.min_face_size < b->t->info.max_face_size ? ARENA(a, int32_t, b->F) : NULL;
    b->channel_edge_corner = ARENA(a, uint32_t, b->t->n_channels * C);
}

void build_rank_edges(struct build *b, const uint32_t *vert, int bits)
{
    int32_t *values = (int32_t *)b->t->edge; /* Edges are not in use yet. */
    struct edge_keys_args keys = {vert, b->t->faces, b->keys, values, bits};
    struct run_heads_args heads = {b->sorted, b->rank};
    DEV_LAUNCH(b->d, edge_keys, &keys, b->C);
    dev_sort(b->d, b->keys, b->sorted, values, b->corners, b->C, 2 * bits, b->scratch);
    DEV_LAUNCH(b->d, run_heads, &heads, b->C);
    dev_scan(b->d, b->rank, b->rank, b->C, b->scratch);
}

static void upload_faces(struct build *b)
{
    sdd_device *d = b->d;
    sdd_topology *t = b->t;
    const struct sdd_mesh_desc *m = b->desc;
    struct face_ends_args ends = {t->face_end, t->info.max_face_size};
    struct face_corners_args corners = {
        .end = t->face_end,
        .input = b->input,
        .vert = t->vert,
        .face = b->face,
        .next = b->next,
        .prev = b->prev,
        .error = b->words + W_CORNER,
        .n_vertices = (uint32_t)b->V,
        .left_handed = m->options.orientation == SDD_LEFT_HANDED,
    };
    dev_upload(d, b->input, m->face_vertices, b->C * (int64_t)sizeof(int32_t));
    if (b->counts) {
        dev_upload(d, b->counts, m->face_counts, b->F * (int64_t)sizeof(int32_t));
        dev_scan(d, b->counts, t->face_end, b->F, b->scratch);
    } else {
        DEV_LAUNCH(d, face_ends, &ends, b->F);
    }
    DEV_LAUNCH(d, face_corners, &corners, b->F);
}

static void sort_vertices(struct build *b)
{
    sdd_topology *t = b->t;
    int32_t *values = (int32_t *)t->edge, *corner = (int32_t *)t->vert_corner;
    struct vertex_keys_args keys = {t->vert, b->keys, values};
    struct vertex_heads_args heads = {b->sorted,           corner, t->faces,      t->vert_begin, t->vert_end,
                                      b->words + W_REPEAT, b->C,   (uint32_t)b->V};
    dev_fill(b->d, t->vert_begin, 0, b->V * (int64_t)sizeof(uint32_t));
    dev_fill(b->d, t->vert_end, 0, b->V * (int64_t)sizeof(uint32_t));
    DEV_LAUNCH(b->d, vertex_keys, &keys, b->C);
    dev_sort(b->d, b->keys, b->sorted, values, corner, b->C, b->bits, b->scratch);
    DEV_LAUNCH(b->d, vertex_heads, &heads, b->C);
}

void build_run_positions(struct build *b)
{
    sdd_device *d = b->d;
    sdd_topology *t = b->t;
    struct edge_twins_args twins = {b->sorted, b->corners, t->vert,           t->faces,
                                    t->twin,   b->flag,    b->words + W_EDGE, b->C};
    struct vertex_fan_args fan = {
        t->vert_begin,          t->vert_end, t->twin, t->faces, (const int32_t *)t->vert_corner, b->words + W_FAN,
        b->words + W_MOST_EDGES};
    build_rank_edges(b, t->vert, b->bits);
    build_count_word(b, W_N_EDGES, b->rank, b->C);
    DEV_LAUNCH(d, edge_twins, &twins, b->C);
    dev_scan(d, b->flag, b->boundary_rank, b->C, b->scratch);
    build_count_word(b, W_N_BOUNDARY, b->boundary_rank, b->C);
    DEV_LAUNCH(d, vertex_fan, &fan, b->V);
}

void build_run_faces(struct build *b)
{
    build_start_words(b);
    upload_faces(b);
    sort_vertices(b);
    for (int k = 0; k < b->t->n_channels; k++)
        build_run_channel(b, k);
    build_run_positions(b);
}

void build_lay_out_nonmanifold(struct build *b, struct arena *a)
{
    b->kind = ARENA(a, uint32_t, b->C);
    b->run_first = ARENA(a, int32_t, b->C);
}

/* The flags and ranks of boundaries are free for this: only ghosts need them, and there are none. */
int build_count_split(struct build *b, struct sdd_error *err)
{
    const sdd_topology *t = b->t;
    struct nonmanifold_split_flags_args flags = {b->corners, b->rank, t->vert, t->faces, b->flag, b->run_first};
    DEV_LAUNCH(b->d, nonmanifold_split_flags, &flags, b->C);
    dev_scan(b->d, b->flag, b->boundary_rank, b->C, b->scratch);
    build_count_word(b, W_N_SPLIT, b->boundary_rank, b->C);
    int rc = build_read_words(b, err);
    b->E += rc ? 0 : (int64_t)(uint32_t)b->word[W_N_SPLIT];
    return rc;
}

void build_run_edges(struct build *b)
{
    sdd_topology *t = b->t;
    struct edge_ids_args ids = {b->rank, b->corners, t->edge, t->edge_corner};
    struct nonmanifold_split_edges_args split = {b->corners,
                                                 b->rank,
                                                 b->boundary_rank,
                                                 b->run_first,
                                                 t->vert,
                                                 t->faces,
                                                 t->edge,
                                                 t->edge_corner,
                                                 b->kind,
                                                 b->C,
                                                 (int32_t)(uint32_t)b->word[W_N_EDGES]};
    struct open_flags_args open = {b->twin, b->flag};
    DEV_LAUNCH(b->d, edge_ids, &ids, b->C);
    for (int k = 0; k < t->n_channels; k++)
        dev_copy(b->d, t->channel[k].edge_corner, b->channel_edge_corner + k * b->C,
                 t->channel[k].n_edges * (int64_t)sizeof(uint32_t));
    if (!b->kind)
        return;
    DEV_LAUNCH(b->d, nonmanifold_split_edges, &split, b->C);
    DEV_LAUNCH(b->d, open_flags, &open, b->C);
    dev_scan(b->d, b->flag, b->boundary_rank, b->C, b->scratch);
    build_count_word(b, W_N_OPEN, b->boundary_rank, b->C);
}

static int64_t face_of_corner(const struct sdd_mesh_desc *m, int64_t corner, int64_t *first)
{
    int64_t f = 0;
    *first = 0;
    while (f + 1 < m->n_faces && *first + m->face_counts[f] <= corner)
        *first += m->face_counts[f++];
    return f;
}

/* The two vertices of the edge after a corner of the topology. face_corners turns faces round where the mesh is
 * left-handed. */
static void ends_of_corner(const struct sdd_mesh_desc *m, int64_t corner, int32_t *u, int32_t *v)
{
    int64_t first, f = face_of_corner(m, corner, &first), n = m->face_counts[f], i = corner - first, j = (i + 1) % n;
    int left = m->options.orientation == SDD_LEFT_HANDED;
    *u = m->face_vertices[first + (left ? (n - i) % n : i)];
    *v = m->face_vertices[first + (left ? (n - j) % n : j)];
}

int build_fail_faces(const struct build *b, struct sdd_error *err)
{
    const struct sdd_mesh_desc *m = b->desc;
    const uint64_t *w = b->word;
    int64_t first;
    if (w[W_CORNER] != ~0ull)
        return sdd_fail(
            err, SDD_EMESH, "faceVertexIndices", "face %lld uses vertex %d, and the mesh has %lld, from 0 on",
            (long long)face_of_corner(m, (int64_t)w[W_CORNER], &first), m->face_vertices[w[W_CORNER]], (long long)b->V);
    for (int k = 0; k < b->t->n_channels; k++) {
        int64_t c = (int64_t)w[W_CHANNEL + k];
        if (w[W_CHANNEL + k] != ~0ull)
            return sdd_fail(err, SDD_EMESH, m->n_uvs && k == 0 ? "stIndices" : "primvars",
                            "face %lld uses value %d of the %lld of %s", (long long)face_of_corner(m, c, &first),
                            build_channel_indices(b, k)[c], (long long)b->t->channel[k].n_values,
                            m->n_uvs && k == 0 ? "st" : "a face-varying primvar");
    }
    return SDD_OK;
}

void build_tell_fault(const struct build *b)
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
