/* SPDX-License-Identifier: Apache-2.0 */
/* topology_create.c: from an untrusted polygon mesh to its connectivity on the device, for sdd_topology_create. Arrays
 * are built where they stay, in parts that are allocated once their size is known. Temporary arrays share memory where
 * they are not needed at the same time. These are the stages; each arrow is a read-back:
 *   faces   corners, vertex and edge order by stable sort, twins, fans     -> E, B, E', the first errors
 *   edges   edge numbers; before them, for a non-manifold mesh             -> how many edges splitting adds
 *   tags    creases, corners, holes, isolated vertices                     -> the last errors
 *   ghosts  behind the corners of a mesh with boundaries                   -> the sizes of the lists
 *   lists   of ghost faces, visible corners, isolated vertices
 *   cut     the sectors of vertices between infinitely sharp edges; few meshes -> how many there are (topology_cut.c)
 * Once check_desc has passed the face sizes, kernels stay inside their arrays whatever the other data are, so errors
 * need not be read before the arrows. */
#include "gpu/mesh/internal.h"
#include <math.h>
#include <stdlib.h>

#define SIZE_THREADS 8 /* The CUDA module fills its staging buffer with a team of the same size. */

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

/* Refuses what no engine can do. */
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

/* The host makes no other pass over the mesh than over the sizes. It is parallel because one core would read them at a
 * tenth of the rate at which the device takes them. */
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

static int64_t count_size(const int32_t *size, int64_t n, int32_t which)
{
    int64_t count = 0;
#pragma omp parallel for num_threads(SIZE_THREADS) reduction(+ : count) if (n > 100000)
    for (int64_t f = 0; f < n; f++)
        count += size[f] == which;
    return count;
}

int64_t topology_face_sizes(const struct sdd_mesh_desc *m, struct face_sizes *out)
{
    const int64_t sum = sum_sizes(m->face_counts, m->n_faces, &out->least, &out->most);
    out->n_least = out->n_most = m->n_faces;
    if (out->least < out->most) {
        out->n_least = count_size(m->face_counts, m->n_faces, out->least);
        out->n_most = count_size(m->face_counts, m->n_faces, out->most);
    }
    return sum;
}

static int fail_size(const struct sdd_mesh_desc *m, int32_t most, struct sdd_error *err)
{
    int64_t f = 0;
    while (m->face_counts[f] >= 3 && m->face_counts[f] <= most)
        f++;
    if (most == 3)
        return sdd_fail(err, SDD_EMESH, "faceVertexCounts",
                        "face %lld has %d corners; scheme %s takes triangles alone, catmullClark any faces",
                        (long long)f, m->face_counts[f], sdd_option_token(&m->options, 0));
    return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "face %lld has %d corners; 3 to %d are allowed", (long long)f,
                    m->face_counts[f], SDD_MAX_FACE_SIZE);
}

int topology_check(const struct sdd_mesh_desc *m, struct sdd_error *err)
{
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
        return sdd_fail(err, SDD_EMESH, m->n_vertices ? "faceVertexCounts" : "points",
                        m->n_vertices ? "the mesh has no faces; points, lines and curves make no surface"
                                      : "the mesh has no points");
    return SDD_OK;
}

static int check_sizes(const struct sdd_mesh_desc *m, struct face_sizes *sizes, struct sdd_error *err)
{
    const int64_t sum = topology_face_sizes(m, sizes);
    const int32_t most = scheme_table[m->options.scheme].most_corners;
    if (sizes->least < 3 || sizes->most > most)
        return fail_size(m, most, err);
    if (sum != m->n_corners)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "the face sizes add up to %lld, there are %lld indices",
                        (long long)sum, (long long)m->n_corners);
    return SDD_OK;
}

static void note_sharpness(sdd_topology *t, int64_t n, const float *sharpness, int are_creases)
{
    for (int64_t i = 0; i < n && !t->scheme->is_linear; i++)
        if (sharpness[i] >= 10.0f)
            t->has_infinite |= are_creases;
        else if (sharpness[i] > t->semisharp)
            t->semisharp = sharpness[i];
}

int topology_new(sdd_device *device, const struct sdd_mesh_desc *desc, const struct face_sizes *sizes,
                 sdd_topology **out, struct sdd_error *err)
{
    sdd_topology *t = *out = calloc(1, sizeof *t);
    if (!t)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a topology record");
    t->refs = 1;
    t->device = device;
    t->serial = ++device->topology_serial;
    t->sizes = *sizes;
    t->info.n_vertices = desc->n_vertices;
    t->info.n_faces = desc->n_faces;
    t->info.n_corners = desc->n_corners;
    t->info.n_uvs = desc->n_uvs;
    t->info.n_channels = (int)desc->n_channels;
    t->info.has_creases = desc->n_creases > 0 || desc->n_corner_tags > 0;
    t->info.options = desc->options;
    t->info.min_face_size = sizes->least;
    t->info.max_face_size = sizes->most;
    t->scheme = scheme_table + desc->options.scheme;
    note_sharpness(t, desc->n_creases, desc->crease_sharpness, 1);
    note_sharpness(t, desc->n_corner_tags, desc->corner_sharpness, 0);
    t->n_channels = (desc->n_uvs > 0) + t->info.n_channels;
    t->sharers = calloc(1, sizeof *t->sharers);
    t->channel = calloc((size_t)t->n_channels + 1, sizeof *t->channel);
    t->kept = calloc((size_t)t->n_channels + 1, sizeof *t->kept);
    for (int k = 0; t->channel && k < t->n_channels; k++)
        t->channel[k].n_values = k == 0 && desc->n_uvs ? desc->n_uvs : desc->channels[k - (desc->n_uvs > 0)].n_values;
    if (t->sharers)
        *t->sharers = 1;
    return t->channel && t->kept && t->sharers ? SDD_OK : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for channels");
}

int topology_done(sdd_topology *t, int rc, sdd_topology **out, struct sdd_error *err)
{
    if (!rc)
        rc = topology_cut_create(t, err);
    if (rc) {
        sdd_topology_unref(t);
        return rc;
    }
    for (int k = 0; k < SDD_N_PARTS; k++)
        t->info.device_bytes += t->part[k].bytes;
    *out = t;
    return SDD_OK;
}

int sdd_topology_create(sdd_device *device, const struct sdd_mesh_desc *desc, sdd_topology **out, struct sdd_error *err)
{
    struct face_sizes sizes;
    sdd_topology *t;
    *out = NULL;
    int rc = topology_check(desc, err);
    if (!rc)
        rc = check_sizes(desc, &sizes, err);
    if (rc)
        return rc;
    rc = topology_new(device, desc, &sizes, &t, err);
    return topology_done(t, rc ? rc : topology_build(t, desc, err), out, err);
}
