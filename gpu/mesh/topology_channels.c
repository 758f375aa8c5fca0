/* SPDX-License-Identifier: Apache-2.0 */
/* topology_channels.c: the face-varying channels of a topology, for topology_build.c: their rows and edges and, for
 * smooth ones, all that the kernels which refine points need. */
#include "gpu/mesh/internal.h"
#include "gpu/mesh/kernels/channel_chaikin.k.h"
#include "gpu/mesh/kernels/channel_edges.k.h"
#include "gpu/mesh/kernels/channel_extras.k.h"
#include "gpu/mesh/kernels/channel_keys.k.h"
#include "gpu/mesh/kernels/channel_runs.k.h"
#include "gpu/mesh/kernels/channel_split.k.h"
#include "gpu/mesh/kernels/channel_twins.k.h"
#include "gpu/mesh/kernels/channel_vertices.k.h"
#include "gpu/mesh/kernels/edge_ids.k.h"
#include "gpu/mesh/kernels/face_corners.k.h"

const int32_t *build_channel_indices(const struct build *b, int k)
{
    int uvs = b->desc->n_uvs > 0;
    return uvs && k == 0 ? b->desc->uv_indices : b->desc->channels[k - uvs].indices;
}

static void number_edges(struct build *b, int k)
{
    struct topology_channel *channel = b->t->channel + k;
    struct edge_ids_args ids = {b->rank, b->corners, channel->edge, b->channel_edge_corner + k * b->C};
    build_rank_edges(b, channel->vert, id_bits(channel->n_rows));
    DEV_LAUNCH(b->d, edge_ids, &ids, b->C);
    build_count_word(b, W_N_CHANNEL_EDGES + k, b->rank, b->C);
}

/* Sorts the corners by value and vertex into `sorted` and channel->corner, and numbers in `rank` those that need a
 * row of their own. */
static void sort_values(struct build *b, int k)
{
    struct topology_channel *channel = b->t->channel + k;
    int32_t *values = (int32_t *)b->t->edge, *corner = (int32_t *)channel->corner; /* Edges are not in use yet. */
    struct channel_keys_args keys = {channel->vert, b->t->vert, b->keys, values, b->bits};
    struct channel_extras_args extras = {b->sorted, b->rank, b->bits};
    DEV_LAUNCH(b->d, channel_keys, &keys, b->C);
    dev_sort(b->d, b->keys, b->sorted, values, corner, b->C, b->bits + id_bits(channel->n_values), b->scratch);
    DEV_LAUNCH(b->d, channel_extras, &extras, b->C);
    dev_scan(b->d, b->rank, b->rank, b->C, b->scratch);
    build_count_word(b, W_N_CHANNEL_ROWS + k, b->rank, b->C);
}

/* A channel is built like a mesh, with values in place of vertices. */
void build_run_channel(struct build *b, int k)
{
    struct topology_channel *channel = b->t->channel + k;
    struct face_corners_args corners = {
        .end = b->t->face_end,
        .input = b->input,
        .vert = channel->vert,
        .error = b->words + W_CHANNEL + k,
        .n_vertices = (uint32_t)channel->n_values,
        .left_handed = b->desc->options.orientation == SDD_LEFT_HANDED,
    };
    channel->n_rows = channel->n_values;
    dev_upload(b->d, b->input, build_channel_indices(b, k), b->C * (int64_t)sizeof(int32_t));
    DEV_LAUNCH(b->d, face_corners, &corners, b->F);
    if (topology_has_smooth_channels(b->t))
        sort_values(b, k);
    number_edges(b, k);
}

static void lay_out_rows(struct build *b, struct arena *a)
{
    for (int k = 0; k < b->t->n_channels; k++) {
        struct topology_channel *channel = b->t->channel + k;
        channel->value = ARENA(a, uint32_t, channel->n_rows - channel->n_values);
    }
}

int build_split_channels(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int64_t more = 0;
    for (int k = 0; k < t->n_channels; k++) {
        int64_t n = (int64_t)(uint32_t)b->word[W_N_CHANNEL_ROWS + k];
        t->channel[k].n_rows += n;
        more += n;
    }
    int rc = more ? build_allocate(b, lay_out_rows, &t->part[SDD_PART_ROWS], err) : SDD_OK;
    if (rc || more == 0)
        return rc;
    for (int k = 0; k < t->n_channels; k++) {
        struct topology_channel *channel = t->channel + k;
        struct channel_split_args split = {
            b->sorted, channel->corner, b->rank, channel->vert, channel->value, (uint32_t)channel->n_values, b->bits};
        if (channel->n_rows == channel->n_values)
            continue;
        sort_values(b, k);
        DEV_LAUNCH(b->d, channel_split, &split, b->C);
        number_edges(b, k);
    }
    /* This runs again because numbering the edges of channels overwrote its `corners` and `rank`. */
    build_run_positions(b);
    return build_read_words(b, err);
}

void build_lay_out_channel(struct build *b, struct arena *a, struct topology_channel *channel)
{
    channel->edge_corner = ARENA(a, uint32_t, channel->n_edges);
    if (!topology_has_smooth_channels(b->t))
        return;
    channel->begin = ARENA(a, uint32_t, channel->n_rows);
    channel->end = ARENA(a, uint32_t, channel->n_rows);
    channel->edge_sharp = ARENA(a, float, channel->n_edges);
    channel->vert_sharp = ARENA(a, float, channel->n_rows);
    channel->feature_vertices.flag = ARENA(a, uint8_t, channel->n_rows);
}

void build_channel_vertices(struct build *b, const struct topology_channel *channel, const uint32_t *vertex, int64_t n)
{
    const sdd_topology *t = b->t;
    struct channel_vertices_args a = {topology_control(t),
                                      topology_channel_control(t, channel),
                                      channel->vert_sharp,
                                      t->info.options.fvar,
                                      t->info.options.crease_method == SDD_CREASE_CHAIKIN,
                                      vertex};
    a.mesh.twin = b->twin;
    DEV_LAUNCH(b->d, channel_vertices, &a, n);
}

/* Which corners each row has. */
static void run_rows(struct build *b, const struct topology_channel *channel)
{
    struct channel_runs_args runs = {channel->corner, channel->vert, channel->begin, channel->end, b->C};
    const int64_t bytes = channel->n_rows * (int64_t)sizeof(uint32_t);
    dev_fill(b->d, channel->begin, 0, bytes);
    dev_fill(b->d, channel->end, 0, bytes);
    DEV_LAUNCH(b->d, channel_runs, &runs, b->C);
}

static void run_smooth(struct build *b, int k)
{
    const sdd_topology *t = b->t;
    const struct topology_channel *channel = t->channel + k;
    struct channel_twins_args twins = {b->twin, channel->edge, channel->twin, (uint32_t)b->C};
    struct channel_edges_args edges = {channel->edge_corner, channel->twin, t->edge, t->edge_sharp,
                                       channel->edge_sharp};
    if (!b->update) /* It has them already. */
        run_rows(b, channel);
    if (!b->kept)
        DEV_LAUNCH(b->d, channel_twins, &twins, b->C);
    DEV_LAUNCH(b->d, channel_edges, &edges, channel->n_edges);
    if (b->update) {
        b->shortcuts->channel_vertices(b->update, k);
        return;
    }
    dev_fill(b->d, channel->vert_sharp, 0, channel->n_rows * (int64_t)sizeof(float));
    build_channel_vertices(b, channel, NULL, b->V);
}

void build_run_channels(struct build *b)
{
    for (int k = 0; k < b->t->n_channels && topology_has_smooth_channels(b->t); k++)
        run_smooth(b, k);
}

void build_lay_out_channel_lists(struct build *b, struct arena *a)
{
    const int any = b->t->n_semisharp > 0 && topology_has_smooth_channels(b->t);
    for (int k = 0; k < b->t->n_channels; k++)
        b->t->channel[k].chaikin_row = any ? ARENA(a, uint32_t, b->t->channel[k].n_edges) : NULL;
}

void build_run_channel_lists(struct build *b)
{
    const sdd_topology *t = b->t;
    for (int k = 0; k < t->n_channels && topology_has_smooth_channels(t); k++) {
        const struct topology_channel *channel = t->channel + k;
        struct channel_chaikin_args rows = {topology_control(t), topology_channel_control(t, channel),
                                            channel->chaikin_row};
        DEV_LAUNCH(b->d, channel_chaikin, &rows, channel->n_edges);
    }
}
