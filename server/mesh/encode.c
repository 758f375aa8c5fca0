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

static const void *take(const char **at, int64_t words)
{
    const void *p = *at;
    *at += words * 4;
    return p;
}

/* Reads what version 2 adds: a channel for each faceVarying primvar of *out that has values. */
static int take_channels(uint32_t version, const char *at, const char *end, int64_t n_corners, struct mesh_arrays *out,
                         struct sdd_error *err)
{
    int64_t n = 0, n_values[SDD_MAX_PRIMVARS], channel = 0;
    if (end - at >= 8)
        memcpy(&n, take(&at, 2), 8);
    bool good = n >= 0 && n <= SDD_MAX_PRIMVARS && (version == 2) == (n > 0) && end - at == 8 * n + 4 * n * n_corners;
    if (good)
        memcpy(n_values, take(&at, 2 * n), (size_t)n * 8);
    for (int i = 0; i < out->n_primvars && good; i++) {
        struct primvar_array *p = &out->primvars[i];
        if (!primvar_has_channel(&p->info))
            continue;
        good = channel < n && n_values[channel++] == p->info.n_values;
        p->indices = (struct i32s){take(&at, n_corners), n_corners};
    }
    return good && channel == n ? SDD_OK : sdd_fail(err, SDD_EMESH, "", "a stored topology has impossible channels");
}

int mesh_decode(const void *data, int64_t bytes, struct mesh_arrays *out, int64_t *n_vertices, int64_t *n_uvs,
                struct sdd_error *err)
{
    const char *at = data;
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
    memcpy(&out->options, at + 8, 24);
    at += MESH_ENCODE_HEADER;
    out->face_counts = (struct i32s){take(&at, n[1]), n[1]};
    out->face_vertices = (struct i32s){take(&at, n[2]), n[2]};
    out->crease_indices = (struct i32s){take(&at, 2 * n[3]), 2 * n[3]};
    out->crease_sharpnesses = (struct f32s){take(&at, n[3]), n[3]};
    out->crease_pairs = 1;
    out->corner_indices = (struct i32s){take(&at, n[4]), n[4]};
    out->corner_sharpnesses = (struct f32s){take(&at, n[4]), n[4]};
    out->hole_indices = (struct i32s){take(&at, n[5]), n[5]};
    out->uv_indices = (struct i32s){take(&at, n[6] ? n[2] : 0), n[6] ? n[2] : 0};
    *n_vertices = n[0];
    *n_uvs = n[6];
    return take_channels(version, at, (const char *)data + bytes, n[2], out, err);
}
