/* SPDX-License-Identifier: Apache-2.0 */
/* topology.c: questions to a finished topology, for all rooms above: its sizes, what kernels see of it, and what is
 * kept with it. */
#include "gpu/mesh/topology.h"
#include "gpu/sdd/sdd_update.h"
#include <math.h>
#include <stdlib.h>

sdd_topology *sdd_topology_ref(sdd_topology *t)
{
    t->refs++;
    return t;
}

void sdd_topology_unref(sdd_topology *t)
{
    if (!t || --t->refs > 0)
        return;
    const int shares = t->sharers && --*t->sharers > 0;
    for (int k = 0; k < SDD_N_PARTS; k++)
        if (!shares || (k != SDD_PART_MESH && k != SDD_PART_CORNERS))
            dev_free(t->device, t->part[k].memory, t->part[k].bytes);
    if (!shares)
        free(t->sharers);
    for (int k = 0; t->kept && k <= t->n_channels; k++)
        kept_free(t->device, t->kept + k);
    free(t->kept);
    free(t->channel);
    free(t);
}

void sdd_topology_info(const sdd_topology *t, struct sdd_topology_info *out)
{
    *out = t->info;
    for (int k = 0; k <= t->n_channels; k++)
        out->device_bytes += kept_bytes(t->kept + k);
}

const void *sdd_topology_shared(const sdd_topology *t, int64_t *bytes)
{
    *bytes = t->part[SDD_PART_MESH].bytes + t->part[SDD_PART_CORNERS].bytes;
    return t->sharers;
}

static struct kept_list *list_of(const sdd_topology *t, const struct topology_channel *c)
{
    return t->kept + (c ? 1 + (c - t->channel) : 0);
}

void *topology_kept_find(const sdd_topology *t, const struct topology_channel *c, const struct kept_ops *ops)
{
    return kept_find(list_of(t, c), ops);
}

void *topology_kept_get(const sdd_topology *t, const struct topology_channel *c, const struct kept_ops *ops,
                        struct sdd_error *err)
{
    return kept_get(list_of(t, c), ops, err);
}

static struct sdd_feature_vertices feature_vertices_of(const struct topology_feature_vertices *r)
{
    return (struct sdd_feature_vertices){r->flag, r->list, (uint32_t)r->n, (uint32_t)(r->n + 255) / 256 * 256};
}

struct sdd_control topology_control(const sdd_topology *t)
{
    struct sdd_control m = {
        .vert = t->vert,
        .faces = t->faces,
        .edge = t->edge,
        .twin = t->twin,
        .edge_corner = t->edge_corner,
        .begin = t->vert_begin,
        .end = t->vert_end,
        .corner = t->vert_corner,
        .face_end = t->face_end,
        .edge_sharp = t->edge_sharp,
        .vert_sharp = t->vert_sharp,
        .feature_vertices = feature_vertices_of(&t->feature_vertices),
        .chaikin = {t->chaikin_row, t->chaikin_part, NULL},
        .n_vertices = (uint32_t)t->info.n_vertices,
        .n_faces = (uint32_t)t->info.n_faces,
        .n_edges = (uint32_t)t->info.n_edges,
        .n_corners = (uint32_t)t->info.n_corners,
        .edges = !t->info.manifold              ? SDD_EDGES_ANY
                 : t->info.n_boundary_edges > 0 ? SDD_EDGES_MANIFOLD
                                                : SDD_EDGES_CLOSED,
    };
    return m;
}

struct sdd_control topology_channel_control(const sdd_topology *t, const struct topology_channel *c)
{
    struct sdd_control m = topology_control(t);
    if (!c)
        return m;
    m.vert = c->vert;
    m.edge = c->edge;
    m.twin = c->twin;
    m.edge_corner = c->edge_corner;
    m.begin = c->begin;
    m.end = c->end;
    m.corner = c->corner;
    m.edge_sharp = c->edge_sharp;
    m.vert_sharp = c->vert_sharp;
    m.feature_vertices = feature_vertices_of(&c->feature_vertices);
    m.chaikin.row = c->chaikin_row;
    m.n_vertices = (uint32_t)c->n_rows;
    m.n_edges = (uint32_t)c->n_edges;
    if (m.edges == SDD_EDGES_CLOSED) /* A closed mesh still has seams, where this mesh ends. */
        m.edges = SDD_EDGES_MANIFOLD;
    return m;
}

int topology_has_smooth_channels(const sdd_topology *t)
{
    return t->info.options.fvar != SDD_FVAR_ALL && t->scheme->refines_values;
}

struct sdd_grid topology_grid(const sdd_topology *t, int level)
{
    const struct sdd_control m = topology_control(t);
    return sdd_grid_of(&m, level);
}

struct sdd_grid topology_channel_grid(const sdd_topology *t, const struct topology_channel *c, int level)
{
    const struct sdd_control m = topology_channel_control(t, c);
    return sdd_grid_of(&m, level);
}

const struct topology_channel *topology_primvar_channel(const sdd_topology *t, int channel)
{
    return t->channel + (t->info.n_uvs > 0) + channel;
}

int64_t topology_sharp_points(const sdd_topology *t, const struct topology_channel *c, int level)
{
    const int64_t n_vertices = c ? c->n_rows : t->info.n_vertices, n_edges = c ? c->n_edges : t->info.n_edges;
    if (t->scheme->kind == SCHEME_SQRT3)
        return t->semisharp > (float)level || t->has_infinite ? topology_points(t, level) : 0;
    if (t->semisharp > (float)level)
        return n_vertices + (n_edges << level) - n_edges;
    return t->has_infinite ? n_vertices : 0;
}

int64_t topology_points(const sdd_topology *t, int level)
{
    return t->scheme->points(t, level);
}

int64_t topology_channel_points(const sdd_topology *t, const struct topology_channel *c, int level)
{
    const int64_t V = c ? c->n_rows : t->info.n_vertices, E = c ? c->n_edges : t->info.n_edges;
    return t->scheme->grid_points(&t->info, V, E, level);
}

int64_t topology_angles(const sdd_topology *t)
{
    int32_t valence = t->info.max_valence > t->info.max_face_size ? t->info.max_valence : t->info.max_face_size;
    return 2 * (int64_t)(valence > 4 ? valence : 4) + 1;
}

int topology_upload_angles(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err)
{
    int64_t rows = topology_angles(t), bytes = rows * (int64_t)sizeof *to;
    struct sdd_float2 *table = calloc((size_t)rows, sizeof *table);
    if (!table)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a table of angles");
    for (int64_t n = 1; n < rows; n++) {
        double turn = 6.283185307179586476925286766559 / (double)n;
        table[n].s[0] = (float)cos(turn);
        table[n].s[1] = (float)sin(turn);
    }
    dev_upload(t->device, to, table, bytes);
    free(table);
    return SDD_OK;
}
