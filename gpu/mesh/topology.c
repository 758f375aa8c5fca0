/* SPDX-License-Identifier: Apache-2.0 */
/* topology.c: from an untrusted polygon mesh to its connectivity on the device. Arrays are built where they stay, in
 * parts that are allocated once their size is known; temporary ones lie over each other where their times do not meet:
 *   faces   corners, vertex and edge order by stable sort, twins, fans     -> E, B, E', the first errors
 *   edges   numbers of edges; of a mesh that is not manifold after a count of how many it has more
 *   tags    creases, corners, holes, isolated vertices                     -> the last errors
 *   ghosts  behind the corners of a mesh with boundaries                   -> lists' sizes
 *   lists   of ghost faces, shown corners, isolated vertices
 * Each arrow is a read-back. With face sizes that check_desc has passed kernels stay inside their arrays, so errors
 * need not be read before it. */
#include "gpu/mesh/topology.h"
#include "gpu/engines/subdivision_matrix/matrix.h"
#include "gpu/engines/tabulated/tables.h"
#include "gpu/mesh/topology_build.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_THREADS 8 /* the team that also fills the CUDA module's stage */

static int check_tags(const char *field, int64_t n, const float *sharpness, struct sdd_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (!(sharpness[i] >= 0.0f) || !isfinite(sharpness[i]))
            return sdd_fail(err, SDD_EMESH, field, "sharpness %lld is %g; it must be finite and not negative",
                            (long long)i, (double)sharpness[i]);
    return SDD_OK;
}

static int check_count(const char *field, int64_t n, struct sdd_error *err)
{
    if (n >= 0 && n < INT32_MAX / 2)
        return SDD_OK;
    sdd_fail(err, SDD_ETOO_LARGE, field, "%lld elements; the limit is %d", (long long)n, INT32_MAX / 2);
    if (err) {
        err->needed = n;
        err->available = INT32_MAX / 2;
    }
    return SDD_ETOO_LARGE;
}

/* What no engine can do. */
static int check_options(const struct sdd_options *o, struct sdd_error *err)
{
    for (int row = 0; row < sdd_n_options; row++)
        if (!*sdd_option_token(o, row))
            return sdd_fail(err, SDD_EINVALID, sdd_option_table[row].name,
                            "a value that is none of the option's tokens");
    if (o->crease_method == SDD_CREASE_CHAIKIN && o->scheme == SDD_SCHEME_SQRT3)
        return sdd_fail(
            err, SDD_EUNSUPPORTED, "creaseMethod",
            "scheme sqrt3 has no chaikin; catmullClark and loop have, in mesh-matrix and subdivision-matrix");
    return SDD_OK;
}

/* The only pass over the mesh that the host makes; one core would read it at a tenth of what the device takes. */
static int64_t sum_sizes(const int32_t *size, int64_t n, int32_t *least, int32_t *most)
{
    int64_t sum = 0;
    int32_t low = INT32_MAX, high = INT32_MIN;
#pragma omp parallel for num_threads(SIZE_THREADS) reduction(+ : sum) reduction(min : low) reduction(max : high) \
    if (n > 100000)
    for (int64_t f = 0; f < n; f++) {
        sum += size[f];
        low = size[f] < low ? size[f] : low;
        high = size[f] > high ? size[f] : high;
    }
    *least = low;
    *most = high;
    return sum;
}

static int fail_size(const struct sdd_mesh_desc *m, int32_t most, struct sdd_error *err)
{
    int64_t f = 0;
    while (m->face_counts[f] >= 3 && m->face_counts[f] <= most)
        f++;
    if (most == 3)
        return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "face %lld has %d corners; scheme %s takes triangles alone",
                        (long long)f, m->face_counts[f], sdd_option_token(&m->options, 0));
    return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "face %lld has %d corners; 3 to %d are allowed", (long long)f,
                    m->face_counts[f], SDD_MAX_FACE_SIZE);
}

/* Shapes of the arrays and the face sizes, which say where every kernel may write; the rest is the device's to
 * check. */
static int check_desc(const struct sdd_mesh_desc *m, struct sdd_topology_info *info, struct sdd_error *err)
{
    int64_t sum;
    int32_t most;
    int rc = check_options(&m->options, err);
    if (!rc)
        rc = check_count("points", m->n_vertices, err);
    if (!rc)
        rc = check_count("faceVertexCounts", m->n_faces, err);
    if (!rc)
        rc = check_count("faceVertexIndices", m->n_corners, err);
    if (!rc)
        rc = check_count("creaseIndices", m->n_creases, err);
    if (!rc)
        rc = check_count("cornerIndices", m->n_corner_tags, err);
    if (!rc)
        rc = check_count("holeIndices", m->n_holes, err);
    if (!rc)
        rc = check_count("st", m->n_uvs, err);
    if (!rc && (m->n_channels < 0 || m->n_channels > SDD_MAX_PRIMVARS))
        rc = sdd_fail(err, SDD_EINVALID, "primvars", "%lld face-varying channels; the limit is %d",
                      (long long)m->n_channels, SDD_MAX_PRIMVARS);
    for (int64_t k = 0; !rc && k < m->n_channels; k++)
        rc = check_count("primvars", m->channels[k].n_values, err);
    if (!rc)
        rc = check_tags("creaseSharpnesses", m->n_creases, m->crease_sharpness, err);
    if (!rc)
        rc = check_tags("cornerSharpnesses", m->n_corner_tags, m->corner_sharpness, err);
    if (rc)
        return rc;
    if (m->n_vertices == 0 || m->n_faces == 0)
        return sdd_fail(err, SDD_EMESH, m->n_vertices ? "faceVertexCounts" : "points", "the mesh has no %s",
                        m->n_vertices ? "faces" : "points");
    sum = sum_sizes(m->face_counts, m->n_faces, &info->min_face_size, &info->max_face_size);
    most = m->options.scheme == SDD_SCHEME_LOOP || m->options.scheme == SDD_SCHEME_SQRT3 ? 3 : SDD_MAX_FACE_SIZE;
    if (info->min_face_size < 3 || info->max_face_size > most)
        return fail_size(m, most, err);
    if (sum != m->n_corners)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "the face sizes add up to %lld, there are %lld indices",
                        (long long)sum, (long long)m->n_corners);
    return SDD_OK;
}

int sdd_topology_create(sdd_device *device, const struct sdd_mesh_desc *desc, sdd_topology **out, struct sdd_error *err)
{
    struct sdd_topology_info info = {0};
    *out = NULL;
    int rc = check_desc(desc, &info, err);
    if (rc)
        return rc;
    sdd_topology *t = calloc(1, sizeof *t);
    if (!t)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a topology record");
    info.n_vertices = desc->n_vertices;
    info.n_faces = desc->n_faces;
    info.n_corners = desc->n_corners;
    info.n_uvs = desc->n_uvs;
    info.n_channels = (int)desc->n_channels;
    info.has_creases = desc->n_creases > 0 || desc->n_corner_tags > 0;
    info.options = desc->options;
    t->refs = 1;
    t->device = device;
    t->info = info;
    t->n_channels = (desc->n_uvs > 0) + info.n_channels;
    t->channel = calloc((size_t)t->n_channels + 1, sizeof *t->channel);
    t->tabulated = calloc((size_t)t->n_channels + 1, sizeof *t->tabulated);
    t->matrices = calloc((size_t)t->n_channels + 1, sizeof *t->matrices);
    for (int k = 0; t->channel && k < t->n_channels; k++)
        t->channel[k].n_values = k == 0 && desc->n_uvs ? desc->n_uvs : desc->channels[k - (desc->n_uvs > 0)].n_values;
    rc = t->channel && t->tabulated && t->matrices ? topology_build(t, desc, err)
                                                   : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for channels");
    if (rc) {
        sdd_topology_unref(t);
        return rc;
    }
    for (int k = 0; k < SDD_N_PARTS; k++)
        t->info.device_bytes += t->part[k].bytes;
    *out = t;
    return SDD_OK;
}

sdd_topology *sdd_topology_ref(sdd_topology *t)
{
    t->refs++;
    return t;
}

void sdd_topology_unref(sdd_topology *t)
{
    if (!t || --t->refs > 0)
        return;
    for (int k = 0; k < SDD_N_PARTS; k++)
        dev_free(t->device, t->part[k].memory, t->part[k].bytes);
    for (int k = 0; t->tabulated && k <= t->n_channels; k++)
        tabulated_free(t->device, t->tabulated + k);
    for (int k = 0; t->matrices && k <= t->n_channels; k++)
        matrices_free(t->device, t->matrices + k);
    free(t->tabulated);
    free(t->matrices);
    free(t->channel);
    free(t);
}

void sdd_topology_info(const sdd_topology *t, struct sdd_topology_info *out)
{
    *out = t->info;
    for (int k = 0; k <= t->n_channels; k++)
        out->device_bytes += tabulated_bytes(t->tabulated + k) + matrices_bytes(t->matrices + k);
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
    if (m.edges == SDD_EDGES_CLOSED) /* but at seams */
        m.edges = SDD_EDGES_MANIFOLD;
    return m;
}

int topology_has_smooth_channels(const sdd_topology *t)
{
    const struct sdd_options *o = &t->info.options;
    return o->fvar != SDD_FVAR_ALL && (o->scheme == SDD_SCHEME_CATMULL_CLARK || o->scheme == SDD_SCHEME_LOOP);
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

int topology_is_triangles(const sdd_topology *t)
{
    return t->info.options.scheme == SDD_SCHEME_LOOP || topology_is_sqrt3(t);
}

int topology_is_sqrt3(const sdd_topology *t)
{
    return t->info.options.scheme == SDD_SCHEME_SQRT3;
}

/* A vertex a face and step, and in each second step one a boundary edge, which it cuts in three. */
static int64_t sqrt3_points(const sdd_topology *t, int level)
{
    int64_t V = t->info.n_vertices, F = t->info.n_faces, B = t->n_open;
    for (int k = 0; k < level; k++, F *= 3) {
        V += F + (k % 2 ? B : 0);
        B *= k % 2 ? 3 : 1;
    }
    return V;
}

int64_t topology_grid_points(const sdd_topology *t, int64_t n_vertices, int64_t n_edges, int level)
{
    const int64_t F = t->info.n_faces, C = t->info.n_corners;
    if (topology_is_triangles(t)) {
        int64_t m = (int64_t)1 << level;
        return n_vertices + n_edges * (m - 1) + F * ((m - 1) * (m - 2) / 2);
    }
    int64_t m = (int64_t)1 << (level - 1);
    return n_vertices + F + n_edges + (2 * n_edges + C) * (m - 1) + C * (m - 1) * (m - 1);
}

int64_t topology_points(const sdd_topology *t, int level)
{
    if (topology_is_sqrt3(t))
        return sqrt3_points(t, level);
    return topology_grid_points(t, t->info.n_vertices, t->info.n_edges, level);
}

int64_t topology_channel_points(const sdd_topology *t, const struct topology_channel *c, int level)
{
    return topology_grid_points(t, c->n_rows, c->n_edges, level);
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

int block_take(sdd_device *d, int64_t bytes, struct device_block *part, struct sdd_error *err)
{
    int rc = dev_alloc(d, bytes, &part->memory, err);
    part->bytes = rc ? 0 : bytes;
    return rc;
}

int block_settle(sdd_device *d, const void *host, struct device_block made, struct device_block old,
                 struct sdd_error *err)
{
    dev_upload(d, made.memory, host, made.bytes);
    int rc = dev_finish(d, err);
    struct device_block gone = rc ? made : old;
    dev_free(d, gone.memory, gone.bytes);
    return rc;
}
