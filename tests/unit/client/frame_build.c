/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/client/frame_build.h"
#include "gpu/sdd/sdd.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

void frame_digest(struct built *f, int i)
{
    f->blocks[i].digest = sdd_digest(f->contents[i], (int64_t)f->blocks[i].bytes);
}

static void add_block(struct built *f, const char *semantic, const char *type, uint32_t components, uint64_t count,
                      const void *content)
{
    Subdd__V1__Block *b = &f->blocks[f->n_blocks];
    subdd__v1__block__init(b);
    b->semantic = (char *)(uintptr_t)semantic;
    b->type = (char *)(uintptr_t)type;
    b->components = components;
    b->count = count;
    b->stride = (strstr(type, "16") ? 2u : strcmp(type, "u8") == 0 ? 1u : 4u) * components;
    b->bytes = count * b->stride;
    b->offset = f->n;
    b->codec = (char *)(uintptr_t) "raw";
    b->digest_kind = (char *)(uintptr_t) "xxh64-tree-1k";
    f->pointers[f->n_blocks] = b;
    f->contents[f->n_blocks] = content;
    f->content_bytes[f->n_blocks] = (size_t)b->bytes;
    frame_digest(f, f->n_blocks);
    f->n += (b->bytes + 63) / 64 * 64;
    f->header.n_blocks = (size_t)++f->n_blocks;
}

static struct built *begin(void)
{
    struct built *f = calloc(1, sizeof *f);
    assert_non_null(f);
    for (int i = 0; i < VERTICES * 3; i++) {
        (&f->positions[0][0])[i] = (float)i * 0.37f;
        (&f->normals[0][0])[i] = (float)i * -0.11f;
    }
    for (int i = 0; i < FACES * 4; i++)
        (&f->indices[0][0])[i] = (uint32_t)(i * 7) % VERTICES;
    subdd__v1__frame_header__init(&f->header);
    f->header.mesh_id = (char *)(uintptr_t) "m_0123";
    f->header.version = 3;
    f->header.level = 2;
    f->header.vertices = VERTICES;
    f->header.faces = FACES;
    f->header.blocks = f->pointers;
    f->n = 1024;
    return f;
}

struct built *frame_of_refine(void)
{
    struct built *f = begin();
    add_block(f, "positions", "f32", 3, VERTICES, f->positions);
    add_block(f, "indices", "u32", 4, FACES, f->indices);
    add_block(f, "normals", "f32", 3, VERTICES, f->normals);
    return f;
}

static void add_primvar(struct built *f, const char *name, const char *interpolation, const char *type, uint32_t width,
                        uint64_t rows, const void *content)
{
    add_block(f, "primvar", type, width, rows, content);
    f->blocks[f->n_blocks - 1].name = (char *)(uintptr_t)name;
    f->blocks[f->n_blocks - 1].interpolation = (char *)(uintptr_t)interpolation;
}

struct built *frame_of_primvars(void)
{
    struct built *f = begin();
    for (uint32_t i = 0; i < FACES; i++)
        f->params[i][0] = i, f->params[i][1] = i % 4, f->params[i][2] = i % 4, f->params[i][3] = 2;
    add_block(f, "positions", "f32", 3, VERTICES, f->positions);
    add_block(f, "indices", "u32", 4, FACES, f->indices);
    add_primvar(f, "weight", "vertex", "f32", 2, VERTICES, f->normals);
    add_primvar(f, "tint", "constant", "f32", 3, 1, f->positions);
    add_primvar(f, "material", "uniform", "i32", 1, FACES, f->indices);
    add_primvar(f, "map", "faceVarying", "f32", 2, VERTICES, f->positions);
    add_block(f, "primvar_indices", "u32", 4, FACES, f->indices);
    f->blocks[6].name = f->blocks[5].name;
    add_block(f, "face_params", "u32", 4, FACES, f->params);
    return f;
}

struct built *frame_of_compact(void)
{
    struct built *f = begin();
    for (uint32_t i = 0; i < VERTICES * 4; i++) {
        (&f->fractions[0][0])[i] = i % 4 == 3 ? 0 : (uint16_t)(i * 31);
        (&f->pairs[0][0])[i / 2] = (uint16_t)(i * 17);
    }
    for (int i = 0; i < 6; i++)
        f->box[i] = (float)i * 1.5f - 2;
    add_block(f, "positions", "unorm16", 4, VERTICES, f->fractions);
    f->blocks[0].box = (ProtobufCBinaryData){sizeof f->box, (uint8_t *)f->box};
    add_block(f, "indices", "u32", 4, FACES, f->indices);
    add_block(f, "normals", "oct16", 2, VERTICES, f->pairs);
    add_block(f, "uvs", "f16", 2, VERTICES, f->pairs);
    add_block(f, "uv_indices", "u32", 4, FACES, f->indices);
    return f;
}

struct built *frame_of_patches(void)
{
    struct built *f = begin();
    for (uint32_t i = 0; i < PATCHES * 16; i++)
        (&f->patches[0][0])[i] = i * 11 % VERTICES;
    for (uint32_t i = 0; i < PATCHES; i++) { /* of all levels, every third in a polygon */
        uint32_t level = i % 3, polygon = level && i % 2, cells = 1u << (level - polygon);
        const uint32_t row[4] = {i, polygon ? i % 5 : 0, i % cells | (i / 2 % cells) << 16,
                                 level | (polygon ? SUBD_PATCH_OF_POLYGON : 0) | (i & 255) << 4};
        memcpy(f->patch_params[i], row, sizeof row);
    }
    for (uint32_t i = 0; i < QUADS; i++) {
        const uint32_t row[4] = {i, 0, i % 4 | (i / 4 % 4) << 16, 2};
        memcpy(f->face_params[i], row, sizeof row);
    }
    add_block(f, "positions", "f32", 3, VERTICES, f->positions);
    add_block(f, "patches", "u32", 16, PATCHES, f->patches);
    add_block(f, "patch_params", "u32", 4, PATCHES, f->patch_params);
    add_block(f, "indices", "u32", 4, QUADS, f->indices);
    add_block(f, "face_params", "u32", 4, QUADS, f->face_params);
    return f;
}

struct built *frame_of_rows(const char *relation)
{
    struct built *f = begin();
    for (uint32_t i = 0; i <= ROWS; i++)
        f->offsets[i] = 2 * i;
    for (uint32_t i = 0; i < 2 * ROWS; i++)
        f->signs[i] = i % 3 == 0;
    f->header.relation = (char *)(uintptr_t)relation;
    f->header.edges = VERTICES;
    f->relation = relation;
    add_block(f, "offsets", "u32", 1, ROWS + 1, f->offsets);
    add_block(f, "ids", "u32", 1, 2 * ROWS, f->indices);
    if (strcmp(relation, "FE") == 0)
        add_block(f, "signs", "u8", 1, 2 * ROWS, f->signs);
    for (int i = 0; i < f->n_blocks; i++) {
        f->blocks[i].digest = 0;
        f->blocks[i].digest_kind = (char *)(uintptr_t) "";
    }
    return f;
}

void frame_render(struct built *f)
{
    unsigned char *p = f->bytes;
    size_t n = subdd__v1__frame_header__get_packed_size(&f->header), v = n;
    memset(f->bytes, 0, sizeof f->bytes);
    for (; v > 127; v >>= 7)
        *p++ = (unsigned char)(v | 128);
    *p++ = (unsigned char)v;
    assert_true(n + 3 <= 1024 && f->n <= sizeof f->bytes);
    subdd__v1__frame_header__pack(&f->header, p);
    for (int i = 0; i < f->n_blocks; i++) {
        const Subdd__V1__Block *b = &f->blocks[i];
        if (b->offset < f->n && b->bytes <= f->n && b->offset + b->bytes <= f->n)
            memcpy(f->bytes + b->offset, f->contents[i],
                   b->bytes <= f->content_bytes[i] ? b->bytes : f->content_bytes[i]);
    }
}

int frame_parse(const unsigned char *bytes, size_t n, size_t step, const struct subd_refine *request,
                struct subd_frame *out, struct subd_error *err)
{
    return frame_parse_rows(bytes, n, step, request, NULL, out, err);
}

int frame_parse_rows(const unsigned char *bytes, size_t n, size_t step, const struct subd_refine *request,
                     const char *relation, struct subd_frame *out, struct subd_error *err)
{
    struct subd_frame_parser p;
    int rc = subd_frame_begin(&p, request, (int64_t)n, out, err);
    p.relation = relation;
    for (size_t i = 0; i < n && rc == SUBD_OK; i += step) {
        size_t m = n - i < step ? n - i : step;
        unsigned char *copy = malloc(m); /* of exact size, so that a sanitizer sees a step past it */
        assert_non_null(copy);
        memcpy(copy, bytes + i, m);
        rc = subd_frame_feed(&p, copy, m);
        free(copy);
    }
    if (subd_frame_end(&p) != SUBD_OK || rc != SUBD_OK)
        return rc != SUBD_OK ? rc : p.failure;
    return SUBD_OK;
}

int frame_verdict(struct built *f, const struct subd_refine *request)
{
    struct subd_frame out = {0};
    struct subd_error err = {0};
    int rc, whole;
    frame_render(f);
    whole = frame_parse_rows(f->bytes, f->n, f->n, request, f->relation, &out, &err);
    assert_int_equal(out.n_blocks, whole == SUBD_OK ? f->n_blocks : 0);
    assert_true(whole == SUBD_OK || *err.text);
    rc = frame_parse_rows(f->bytes, f->n, 13, request, f->relation, &out, &err);
    assert_int_equal(rc, whole);
    subd_frame_free(&out);
    return rc;
}
