/* SPDX-License-Identifier: Apache-2.0 */
/* encode.c: writes a topology as the bytes that the store keeps, and reads them back (encode.h). */
#include "server/mesh/encode.h"
#include <stdbool.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays in memory are the bytes on the wire and on disk");
_Static_assert(sizeof(struct sdd_options) == 24 && sizeof(float) == 4, "the encoding has 6 options of 4 bytes");

enum { COUNTS_AT = 32, N_COUNTS = 7 };

static void put(struct mesh_encoding *e, const void *data, int64_t n)
{
    e->parts[e->n].data = data;
    e->parts[e->n++].bytes = (size_t)n * 4;
    e->bytes += n * 4;
}

static void put_channels(struct mesh_encoding *e, const struct mesh *m)
{
    e->channels[0] = m->n_channels;
    for (int i = 0; i < m->n_channels; i++)
        e->channels[1 + i] = m->channels[i].n_values;
    if (m->n_channels)
        put(e, e->channels, 2 * (1 + (int64_t)m->n_channels));
    for (int i = 0; i < m->n_channels; i++)
        put(e, m->channels[i].indices, m->n_corners);
}

void mesh_encode(const struct mesh *m, struct mesh_encoding *e)
{
    const int64_t counts[N_COUNTS] = {m->n_vertices,    m->n_faces, m->n_corners, m->n_creases,
                                      m->n_corner_tags, m->n_holes, m->n_uvs};
    e->n = 0;
    e->bytes = 0;
    memcpy(e->header, "SDDT", 4);
    memcpy(e->header + 8, &m->options, 24);
    memcpy(e->header + COUNTS_AT, counts, sizeof counts);
    put(e, e->header, MESH_ENCODE_HEADER / 4);
    put(e, m->face_counts, m->n_faces);
    put(e, m->face_vertices, m->n_corners);
    put(e, m->crease_edges, 2 * m->n_creases);
    put(e, m->crease_sharpness, m->n_creases);
    put(e, m->corner_vertices, m->n_corner_tags);
    put(e, m->corner_sharpness, m->n_corner_tags);
    put(e, m->hole_faces, m->n_holes);
    if (m->n_uvs)
        put(e, m->uv_indices, m->n_corners);
    put_channels(e, m);
    const uint32_t version = e->channels[0] ? 2 : 1;
    memcpy(e->header + 4, &version, 4);
}

static void *take(char **at, int64_t words)
{
    void *p = *at;
    *at += words * 4;
    return p;
}

/* Reads what version 2 adds. */
static bool take_channels(uint32_t version, char *at, const char *end, struct mesh *m)
{
    int64_t n = 0, n_values[SDD_MAX_PRIMVARS];
    if (end - at >= 8)
        memcpy(&n, take(&at, 2), 8);
    if (n < 0 || n > SDD_MAX_PRIMVARS || (version == 2) != (n > 0) || end - at != 8 * n + 4 * n * m->n_corners)
        return false;
    if (n)
        memcpy(n_values, take(&at, 2 * n), (size_t)n * 8);
    for (int64_t i = 0; i < n; i++)
        m->channels[i] = (struct sdd_channel){n_values[i], take(&at, m->n_corners)};
    m->n_channels = (int)n;
    return true;
}

static bool counts_add_up(const struct mesh *m)
{
    int64_t corners = 0;
    for (int64_t f = 0; f < m->n_faces; f++) {
        if (m->face_counts[f] < 1)
            return false;
        corners += m->face_counts[f];
    }
    return corners == m->n_corners;
}

int mesh_decode_topology(void *data, int64_t bytes, struct mesh *out, struct sdd_error *err)
{
    char *at = data;
    int64_t n[N_COUNTS], words = MESH_ENCODE_HEADER / 4;
    uint32_t version = 0;
    if (bytes >= MESH_ENCODE_HEADER)
        memcpy(&version, at + 4, 4);
    if ((version != 1 && version != 2) || memcmp(at, "SDDT", 4) != 0)
        return sdd_fail(err, SDD_EMESH, "", "not a stored topology");
    memcpy(n, at + COUNTS_AT, sizeof n);
    for (int i = 0; i < N_COUNTS; i++)
        if (n[i] < 0 || n[i] > INT32_MAX)
            return sdd_fail(err, SDD_EMESH, "", "a stored topology has impossible counts");
    words += n[1] + n[2] + 3 * n[3] + 2 * n[4] + n[5] + (n[6] ? n[2] : 0);
    if (words * 4 > bytes)
        return sdd_fail(err, SDD_EMESH, "", "a stored topology has %lld bytes of %lld", (long long)bytes,
                        (long long)words * 4);
    *out = (struct mesh){.n_vertices = n[0],
                         .n_faces = n[1],
                         .n_corners = n[2],
                         .n_creases = n[3],
                         .n_corner_tags = n[4],
                         .n_holes = n[5],
                         .n_uvs = n[6]};
    memcpy(&out->options, at + 8, 24);
    at += MESH_ENCODE_HEADER;
    out->face_counts = take(&at, n[1]);
    out->face_vertices = take(&at, n[2]);
    out->crease_edges = take(&at, 2 * n[3]);
    out->crease_sharpness = take(&at, n[3]);
    out->corner_vertices = take(&at, n[4]);
    out->corner_sharpness = take(&at, n[4]);
    out->hole_faces = take(&at, n[5]);
    out->uv_indices = n[6] ? take(&at, n[2]) : NULL;
    if (!take_channels(version, at, (char *)data + bytes, out))
        return sdd_fail(err, SDD_EMESH, "", "a stored topology has impossible channels");
    return counts_add_up(out) ? SDD_OK : sdd_fail(err, SDD_EMESH, "", "a stored topology has impossible counts");
}

int mesh_decode(void *data, int64_t bytes, struct mesh_arrays *out, int64_t *n_vertices, int64_t *n_uvs,
                struct sdd_error *err)
{
    struct mesh m = {0};
    int channel = 0;
    int rc = mesh_decode_topology(data, bytes, &m, err);
    if (rc)
        return rc;
    out->options = m.options;
    out->face_counts = (struct i32s){m.face_counts, m.n_faces};
    out->face_vertices = (struct i32s){m.face_vertices, m.n_corners};
    out->crease_indices = (struct i32s){m.crease_edges, 2 * m.n_creases};
    out->crease_sharpnesses = (struct f32s){m.crease_sharpness, m.n_creases};
    out->crease_pairs = 1;
    out->corner_indices = (struct i32s){m.corner_vertices, m.n_corner_tags};
    out->corner_sharpnesses = (struct f32s){m.corner_sharpness, m.n_corner_tags};
    out->hole_indices = (struct i32s){m.hole_faces, m.n_holes};
    out->uv_indices = (struct i32s){m.uv_indices, m.n_uvs ? m.n_corners : 0};
    *n_vertices = m.n_vertices;
    *n_uvs = m.n_uvs;
    for (int i = 0; i < out->n_primvars; i++) {
        struct primvar_array *p = &out->primvars[i];
        if (!primvar_has_channel(&p->info))
            continue;
        if (channel == m.n_channels || m.channels[channel].n_values != p->info.n_values)
            return sdd_fail(err, SDD_EMESH, "", "a stored topology has impossible channels");
        p->indices = (struct i32s){m.channels[channel++].indices, m.n_corners};
    }
    return channel == m.n_channels ? SDD_OK : sdd_fail(err, SDD_EMESH, "", "a stored topology has impossible channels");
}
