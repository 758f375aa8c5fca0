/* SPDX-License-Identifier: Apache-2.0 */
/* Any control mesh to the compute library on the CPU: it is refused with a sentence, or refined by every engine and cut
 * into patches.
 *
 * Bytes: options, vertices, faces, creases, corners, holes, UVs, level and surface; then face sizes, corner indices
 * (signed), and so on, at the end channels and primvars; what the input has no bytes for is 0. */
#include "server/mesh/mesh.h"
#include "tests/refine_once.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *at, *end;
};

static int next(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void read_i32s(struct input *in, int32_t *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = (next(in) ^ 128) - 128; /* the byte, signed */
}

/* A byte of sharpness or coordinate; some are not finite, or huge. */
static void read_f32s(struct input *in, float *out, int64_t n)
{
    static const float odd[] = {1e30f, 1.1e30f, 3e38f, -3e38f};
    for (int64_t i = 0; i < n; i++) {
        int c = next(in);
        out[i] = c < 248 ? (float)c / 16 - 1 : c < 252 ? odd[c - 248] : c == 252 ? INFINITY : c == 253 ? NAN : 1e-40f;
    }
}

static sdd_device *device(void)
{
    static sdd_device *d;
    const struct sdd_device_config config = {.backend = "cpu", .threads = 1, .memory_limit = 64 << 20};
    if (!d && sdd_device_open(&config, &d, NULL))
        abort();
    return d;
}

/* No patch or face names a row that is not there. */
static void check_rows(const sdd_result *result)
{
    const struct sdd_plan_info *p = &sdd_result_info(result)->plan;
    for (int k = 1; k < 4; k += 2)
        for (int64_t i = 0; i < p->blocks[k].count * p->blocks[k].components; i++)
            if (((const uint32_t *)p->blocks[k].data)[i] >= p->n_vertices)
                abort();
}

/* No index of a primvar is past its values. */
static void check_primvars(const sdd_result *result)
{
    const struct sdd_plan_info *p = &sdd_result_info(result)->plan;
    for (int k = 1; k < p->n_blocks; k++) {
        const struct sdd_block *b = &p->blocks[k], *values = b - 1; /* they come in pairs */
        if (b->semantic != SDD_PRIMVAR_INDICES)
            continue;
        if (values->semantic != SDD_PRIMVARS || values->primvar != b->primvar)
            abort();
        for (int64_t i = 0; i < b->count * b->components; i++)
            if (((const uint32_t *)b->data)[i] >= values->count)
                abort();
    }
}

/* UVs and primvars are refused together where there are none of one kind, so each is asked for by itself. */
static void refine(sdd_mesh *m, int level, int surface)
{
    static const int includes[] = {31, SDD_POSITIONS | SDD_FACE_PARAMS | SDD_PRIMVARS | SDD_PRIMVAR_INDICES};
    int n;
    (void)sdd_mesh_primvars(m, &n);
    for (int i = 0; sdd_engine(i / 2); i++) {
        struct sdd_refine_request r = {.level = level,
                                       .surface = surface,
                                       .include = includes[i % 2] | (surface != SDD_SURFACE_REFINED ? SDD_TANGENTS : 0),
                                       .method = sdd_engine(i / 2)->name,
                                       .primvars = (1u << n) - 1};
        struct sdd_error err = {0};
        sdd_result *result = NULL;
        if (refine_once(m, &r, &result, &err) != SDD_OK && !err.text[0])
            abort();
        if (result)
            check_primvars(result);
        sdd_result_free(result);
    }
}

static void patches(sdd_mesh *m, int level, int surface)
{
    struct sdd_patches_request r = {.level = level, .surface = surface, .max_bytes = 1 << 20};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (sdd_patches(m, &r, &result, &err) != SDD_OK && !err.text[0])
        abort();
    if (result)
        check_rows(result);
    sdd_result_free(result);
}

struct primvars {
    int n;
    struct sdd_primvar rows[8];
};

static void build(const struct sdd_mesh_desc *d, const float *points, const float *uvs, const struct primvars *primvars,
                  int level, int surface)
{
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    int rc = sdd_topology_create(device(), d, &t, &err);
    if (!rc)
        rc = sdd_mesh_create(t, points, d->n_uvs ? uvs : NULL, &m, &err);
    if (!rc)
        rc = sdd_mesh_set_primvars(m, primvars->n, primvars->rows, &err);
    if (rc && !err.text[0])
        abort();
    if (!rc) {
        refine(m, level, surface);
        patches(m, level + 1, surface);
    }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

/* Up to three channels, and up to eight primvars that may name them. */
static void read_primvars(struct input *in, struct sdd_mesh_desc *d, struct primvars *out)
{
    static struct sdd_channel channels[3];
    static int32_t indices[3][512];
    static float values[8][SDD_MAX_PRIMVAR_WIDTH * 32];
    d->channels = channels;
    d->n_channels = next(in) % 4;
    for (int i = 0; i < d->n_channels; i++) {
        channels[i] = (struct sdd_channel){next(in) % 32, indices[i]};
        read_i32s(in, indices[i], d->n_corners);
    }
    out->n = next(in) % 9;
    for (int i = 0; i < out->n; i++) {
        int wide = next(in), class = next(in);
        out->rows[i] =
            (struct sdd_primvar){class % 6, wide == 255 ? SDD_MAX_PRIMVAR_WIDTH : wide % 5, class / 6 % 4, values[i]};
        read_f32s(in, values[i], 64);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int32_t counts[32], corners[512], edges[64], vertices[32], holes[32], uv_indices[512];
    static float points[3 * 32], sharp[32], corner_sharp[32], uvs[2 * 16];
    struct input in = {data, data + size};
    int options = next(&in), more = next(&in);
    struct sdd_mesh_desc d = {
        .face_counts = counts,
        .face_vertices = corners,
        .crease_edges = edges,
        .crease_sharpness = sharp,
        .corner_vertices = vertices,
        .corner_sharpness = corner_sharp,
        .hole_faces = holes,
        .uv_indices = uv_indices,
        .options = {options % 4, options / 4 % 3, more % 6, options / 16 % 2, options / 32 % 2, options / 64 % 2}};
    d.n_vertices = next(&in) % 32;
    d.n_faces = next(&in) % 32;
    d.n_creases = next(&in) % 32;
    d.n_corner_tags = next(&in) % 8;
    d.n_holes = next(&in) % 8;
    d.n_uvs = next(&in) % 16;
    read_i32s(&in, counts, d.n_faces);
    for (int64_t f = 0; f < d.n_faces; f++) {
        counts[f] = counts[f] > 15 ? 4 : counts[f];
        d.n_corners += counts[f] > 0 ? counts[f] : 0;
    }
    read_i32s(&in, corners, d.n_corners);
    read_f32s(&in, points, 3 * d.n_vertices);
    read_i32s(&in, edges, 2 * d.n_creases);
    read_f32s(&in, sharp, d.n_creases);
    read_i32s(&in, vertices, d.n_corner_tags);
    read_f32s(&in, corner_sharp, d.n_corner_tags);
    read_i32s(&in, holes, d.n_holes);
    read_i32s(&in, uv_indices, d.n_uvs ? d.n_corners : 0);
    read_f32s(&in, uvs, 2 * d.n_uvs);
    struct primvars primvars;
    read_primvars(&in, &d, &primvars);
    build(&d, points, uvs, &primvars, 1 + more / 8 % 3, more / 64 % 2);
    return 0;
}
