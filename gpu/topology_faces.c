/* SPDX-License-Identifier: Apache-2.0 */
/* topology_faces.c: corners, vertex and edge numbering by stable sort and scan, twins, fans. */
#include "gpu/topology_build.h"
#include "kernels_all.h"
#include <stdio.h>

static int sort_bits(const struct build *b)
{
    return (int)(2 * build_larger(b->bits, build_bits(b->desc->n_uvs))); /* counts are below 2^30: at most 60 */
}

void build_lay_out_faces(struct build *b, struct arena *a)
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
    b->scratch =
        ARENA(a, char, build_larger(build_scratch(b, build_larger(C, V), sort_bits(b)), build_scratch(b, F, 8)));
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

void build_run_faces(struct build *b)
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

    build_start_words(b);
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
        number_edges(b, b->uv, build_bits(m->n_uvs), b->uv_edge, b->uv_edge_corner);
        build_count_word(b, W_N_UV_EDGES, b->rank, b->C);
    }
    number_edges(b, b->vert, b->bits, b->edge, b->edge_corner);
    build_count_word(b, W_N_EDGES, b->rank, b->C);
    DEV_LAUNCH(d, edge_twins, &twins, b->C);
    dev_scan(d, b->flag, b->border_rank, b->C, b->scratch);
    build_count_word(b, W_N_BORDER, b->border_rank, b->C);
    DEV_LAUNCH(d, vertex_fan, &fan, b->V);
    dev_scan(d, b->isolated_flag, b->isolated_rank, b->V, b->scratch);
    build_count_word(b, W_N_ISOLATED, b->isolated_rank, b->V);
}

/* Arrays that only ghosts need are free for it: there are none. */
int build_edges_apart(struct build *b, struct sdd_error *err)
{
    int32_t *flag = b->flag, *apart = b->border_rank, *run_first = b->input;
    struct apart_flags_args flags = {b->corners, b->rank, b->vert, b->next, b->face, flag, run_first};
    struct edges_apart_args edges = {b->corners, b->rank,        apart,   run_first, b->vert,      b->next,
                                     b->edge,    b->edge_corner, b->kind, b->C,      (int32_t)b->E};
    DEV_LAUNCH(b->d, apart_flags, &flags, b->C);
    dev_scan(b->d, flag, apart, b->C, b->scratch);
    build_count_word(b, W_N_APART, apart, b->C);
    int rc = build_read_words(b, err);
    if (rc)
        return rc;
    DEV_LAUNCH(b->d, edges_apart, &edges, b->C);
    b->E += (int64_t)(uint32_t)b->word[W_N_APART];
    struct open_flags_args open = {b->twin, flag};
    DEV_LAUNCH(b->d, open_flags, &open, b->C);
    dev_scan(b->d, flag, b->border_rank, b->C, b->scratch);
    build_count_word(b, W_N_OPEN, b->border_rank, b->C);
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

int build_fail_faces(const struct build *b, struct sdd_error *err)
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

void build_lay_out_kind(struct build *b, struct arena *a)
{
    b->kind = ARENA(a, uint32_t, b->C);
}
