/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a frame, in pieces: the first byte says how long a piece is, whether positions are compact (16), whether
 * patches (32) or primvars (64) were asked for and whether digests count (128: not). */
#include "client/lib/subd_frame.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct subd_block *need(const struct subd_frame *f, int semantic, int components, int64_t count)
{
    const struct subd_block *b = subd_frame_find(f, semantic);
    int size = b && strcmp(b->type, "unorm16") == 0 ? 2 : 4;
    if (!b || (components && b->components != components) || b->count != count ||
        b->bytes != b->count * b->components * size)
        abort();
    return b;
}

static void decode_all(const struct subd_block *b)
{
    float row[3];
    for (int64_t i = 0; i < b->count; i++)
        if (subd_block_decode(b, i, 1, row) != SUBD_OK)
            abort();
}

static void below(const struct subd_block *b, int64_t limit)
{
    for (int64_t i = 0; i < b->count * b->components; i++)
        if (((const uint32_t *)b->data)[i] >= limit)
            abort();
}

static void sane(const struct subd_block *b, int level)
{
    const uint32_t(*row)[4] = b->data;
    for (int64_t i = 0; i < b->count; i++) {
        int at = (int)(row[i][3] & SUBD_PATCH_LEVEL_MASK), half = (row[i][3] & SUBD_PATCH_OF_POLYGON) != 0;
        if (at > level || (b->semantic == SUBD_FACE_PARAMS && at != level) || at < half)
            abort();
        if ((row[i][2] & 0xFFFF) >= 1u << (at - half) || row[i][2] >> 16 >= 1u << (at - half))
            abort();
    }
}

/* The names of face sets and the transform lie in the frame's memory. */
static void sane_words(const struct subd_frame *f)
{
    const char *memory = f->memory, *end = memory + f->memory_bytes;
    const char *transform = (const char *)f->transform;
    for (int i = 0; i < f->n_blocks; i++) {
        const char *name = f->blocks[i].set_names;
        if ((name != NULL) != (f->blocks[i].n_set_names > 0))
            abort();
        for (int64_t k = 0; k < f->blocks[i].n_set_names; k++, name += strlen(name) + 1)
            if (name < memory || name >= end)
                abort();
    }
    if (transform && (transform < memory || transform + 16 * sizeof(double) > end))
        abort();
}

static void sane_primvars(const struct subd_frame *f)
{
    for (int i = 0; i < f->n_blocks; i++) {
        const struct subd_block *b = &f->blocks[i], *values = subd_frame_primvar(f, b->name, SUBD_PRIMVAR);
        if (b->semantic == SUBD_PRIMVAR_INDICES)
            below(b, values->count);
        if (b->semantic == SUBD_PRIMVAR && strcmp(b->interpolation, "uniform") == 0 && b->count != f->faces)
            abort();
        if (b->semantic == SUBD_PRIMVAR && strcmp(b->interpolation, "vertex") == 0 && b->count != f->vertices)
            abort();
    }
}

/* What the library promises of a frame that it lets through. */
static void promised(const struct subd_frame *f, int patches, int compact)
{
    const struct subd_block *indices = subd_frame_find(f, SUBD_INDICES), *rows = subd_frame_find(f, SUBD_PATCHES);
    float p[3], du[3], dv[3];
    decode_all(need(f, SUBD_POSITIONS, compact ? 4 : 3, f->vertices));
    if (!indices || f->head_bytes < 2)
        abort();
    below(indices, f->vertices);
    sane_words(f);
    sane_primvars(f);
    if (!patches) {
        need(f, SUBD_INDICES, 0, f->faces);
        return;
    }
    if (!rows)
        abort();
    below(need(f, SUBD_PATCHES, 16, f->faces - indices->count), f->vertices);
    sane(need(f, SUBD_PATCH_PARAMS, 4, rows->count), f->level);
    sane(need(f, SUBD_FACE_PARAMS, 4, indices->count), f->level);
    for (int64_t i = 0; i < rows->count; i++)
        if (subd_patch_evaluate(f, i, 0.25f, 1, p, du, dv) != SUBD_OK)
            abort();
}

static int parse(const struct subd_refine *request, const uint8_t *data, size_t size, size_t step,
                 struct subd_frame *frame, struct subd_error *err)
{
    struct subd_frame_parser p;
    int rc = subd_frame_begin(&p, request, (int64_t)size, frame, err), end;
    for (size_t i = 0; i < size && rc == SUBD_OK; i += step)
        rc = subd_frame_feed(&p, data + i, size - i < step ? size - i : step);
    end = subd_frame_end(&p);
    return rc == SUBD_OK ? end : rc;
}

static int take(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *data,
                size_t n)
{
    (void)data;
    if (b < f->blocks || b >= f->blocks + f->n_blocks || b->data || at < 0 || at > b->bytes ||
        (int64_t)n > b->bytes - at)
        abort();
    *(int64_t *)arg += (int64_t)n;
    return 0;
}

/* A sink gets all that blocks would hold, of the same frames. */
static void sink_agrees(struct subd_refine request, const uint8_t *data, size_t size, size_t step, int want)
{
    struct subd_frame frame = {0};
    struct subd_error err = {0};
    int64_t taken = 0;
    request.sink = take;
    request.sink_arg = &taken;
    if (parse(&request, data, size, step, &frame, &err) != want)
        abort();
    for (int i = 0; i < frame.n_blocks; i++)
        taken -= frame.blocks[i].bytes;
    if (want == SUBD_OK && taken != 0)
        abort();
    subd_frame_free(&frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct subd_refine request = {.level = 1};
    struct subd_frame frame = {0};
    struct subd_error err = {0};
    size_t step;
    int rc, patches, compact;
    if (size < 2)
        return 0;
    step = (*data & 15u) + 1;
    patches = (*data & 32) != 0;
    compact = *data & 16 && !patches;
    request.include = patches ? SUBD_PATCH_BLOCKS : 0;
    request.compact = compact ? SUBD_POSITIONS : 0;
    request.primvars = *data & 64 && !patches ? "*" : NULL;
    request.skip_digests = *data++ >> 7; /* without them the fuzzer gets further */
    size--;
    rc = parse(&request, data, size, step, &frame, &err);
    if (rc == SUBD_OK)
        promised(&frame, patches, compact);
    else if (frame.n_blocks || !*err.text)
        abort();
    subd_frame_free(&frame);
    sink_agrees(request, data, size, step, rc);
    return 0;
}
