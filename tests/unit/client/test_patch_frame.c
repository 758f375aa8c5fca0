/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of patches, as they should be and as a hostile server may send them. */
#include "tests/unit/client/frame_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { POSITIONS, PATCH_ROWS, PATCH_PARAMS, INDICES, FACE_PARAMS }; /* blocks of frame_of_patches */

static const struct subd_refine ask = {.level = 2, .include = SUBD_PATCH_BLOCKS};
static const struct subd_refine trusting = {.level = 2, .include = SUBD_PATCH_BLOCKS, .skip_digests = 1};

static void test_good_frame(void **state)
{
    static const size_t steps[] = {1, 5, 64, 1000, 65536};
    struct built *f = frame_of_patches();
    struct subd_frame out = {0};
    struct subd_error err;
    float points[16][3];
    (void)state;
    frame_render(f);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(frame_parse(f->bytes, f->n, steps[i], &ask, &out, &err), SUBD_OK);
        assert_int_equal(out.n_blocks, 5);
        assert_int_equal(out.faces, PATCHES + QUADS);
        for (int b = 0; b < 5; b++)
            assert_memory_equal(out.blocks[b].data, f->contents[b], (size_t)out.blocks[b].bytes);
    }
    assert_ptr_equal(subd_frame_find(&out, SUBD_FACE_PARAMS), &out.blocks[FACE_PARAMS]);
    assert_int_equal(subd_patch_points(&out, PATCHES - 1, points), SUBD_OK);
    assert_int_equal(subd_patch_points(&out, PATCHES, points), SUBD_EUSAGE);
    subd_frame_free(&out);
    free(f);
}

/* Header and blocks, each at its place, are the body again: also with blocks in any order, and a varint that is longer
 * than it had to be. */
static void body_again(const struct subd_frame *out, const unsigned char *bytes, size_t n)
{
    unsigned char *again = calloc(1, n);
    assert_non_null(again);
    assert_int_equal(out->frame_bytes, n);
    memcpy(again, out->head, (size_t)out->head_bytes);
    for (int b = 0; b < out->n_blocks; b++)
        memcpy(again + out->blocks[b].offset, out->blocks[b].data, (size_t)out->blocks[b].bytes);
    assert_memory_equal(again, bytes, n);
    free(again);
}

static void *elsewhere(void *arg, const struct subd_frame *frame, const struct subd_block *b)
{
    (void)frame;
    return b->semantic == SUBD_PATCHES ? arg : NULL;
}

static void test_the_body_comes_back(void **state)
{
    static uint32_t mine[PATCHES][16];
    struct subd_refine placed = ask;
    struct built *f = frame_of_patches();
    struct subd_frame out = {0};
    struct subd_error err;
    size_t length;
    (void)state;
    placed.place = elsewhere;
    placed.place_arg = mine;
    frame_render(f);
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &placed, &out, &err), SUBD_OK);
    assert_memory_equal(mine, f->patches, sizeof mine);
    body_again(&out, f->bytes, f->n);
    f->blocks[0].offset = f->n;
    f->n += 6016;
    frame_render(f);
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &ask, &out, &err), SUBD_OK);
    body_again(&out, f->bytes, f->n);
    length = f->bytes[0] & 127u; /* the header is under 2^14 bytes: a varint of two */
    assert_true(f->bytes[0] & 128 && f->bytes[1] < 128);
    memmove(f->bytes + 3, f->bytes + 2, length + 128u * f->bytes[1]);
    f->bytes[1] |= 128;
    f->bytes[2] = 0;
    assert_int_equal(frame_parse(f->bytes, f->n, 1, &ask, &out, &err), SUBD_OK);
    body_again(&out, f->bytes, f->n);
    subd_frame_free(&out);
    free(f);
}

#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        struct built *f = frame_of_patches();                                                                          \
        change;                                                                                                        \
        assert_int_equal(frame_verdict(f, &trusting), SUBD_EPROTOCOL);                                                 \
        free(f);                                                                                                       \
    } while (0)
#define ALLOWED(change)                                                                                                \
    do {                                                                                                               \
        struct built *f = frame_of_patches();                                                                          \
        change;                                                                                                        \
        assert_int_equal(frame_verdict(f, &trusting), SUBD_OK);                                                        \
        free(f);                                                                                                       \
    } while (0)

static void set(uint32_t row[4], uint32_t parent, uint32_t corner, uint32_t uv, uint32_t flags)
{
    const uint32_t values[4] = {parent, corner, uv, flags};
    memcpy(row, values, sizeof values);
}

static void shape(struct built *f, int i, uint32_t components, uint64_t count)
{
    f->blocks[i].components = components;
    f->blocks[i].count = count;
    f->blocks[i].stride = 4 * components;
    f->blocks[i].bytes = count * f->blocks[i].stride;
}

static void test_hostile_rows(void **state)
{
    const uint32_t polygon = SUBD_PATCH_OF_POLYGON;
    (void)state;
    ALLOWED(f->patches[PATCHES - 1][15] = VERTICES - 1);
    REFUSED(f->patches[PATCHES - 1][15] = VERTICES);
    REFUSED(f->patches[0][0] = UINT32_MAX);
    REFUSED(f->indices[QUADS - 1][3] = VERTICES);
    ALLOWED(set(f->patch_params[7], 9, 0, 3 << 16 | 3, 2));
    REFUSED(set(f->patch_params[7], 9, 0, 4, 2));
    REFUSED(set(f->patch_params[7], 9, 0, 4 << 16, 2));
    REFUSED(set(f->patch_params[7], 9, 0, UINT32_MAX, 2));
    REFUSED(set(f->patch_params[7], 9, 0, 1, 0));              /* level 0 is one cell          */
    REFUSED(set(f->patch_params[7], 9, 0, 0, 3));              /* above the frame's level      */
    REFUSED(set(f->patch_params[7], 9, 1, 0, 2));              /* a quad has no quadrants      */
    ALLOWED(set(f->patch_params[7], 9, 70, 1, 2 | polygon));   /* how many corners, nobody says */
    REFUSED(set(f->patch_params[7], 9, 70, 2, 2 | polygon));   /* a quadrant has half the cells */
    REFUSED(set(f->patch_params[7], 9, 0, 0, 0 | polygon));    /* a polygon is split first      */
    ALLOWED(set(f->patch_params[7], 9, 0, 0, 2 | 0xfff << 4)); /* flags are for the caller      */
    ALLOWED(set(f->face_params[QUADS - 1], 9, 0, 3, 2));
    REFUSED(set(f->face_params[QUADS - 1], 9, 0, 3, 1)); /* faces are of the last level alone */
    REFUSED(set(f->face_params[QUADS - 1], 9, 0, 3, 15));
}

static void test_hostile_tables(void **state)
{
    (void)state;
    REFUSED(shape(f, PATCH_ROWS, 4, PATCHES));
    REFUSED(shape(f, PATCH_ROWS, 3, PATCHES));
    REFUSED(shape(f, PATCH_PARAMS, 3, PATCHES));
    REFUSED(shape(f, FACE_PARAMS, 3, QUADS));
    REFUSED(shape(f, INDICES, 3, QUADS)); /* no scheme of triangles has patches */
    REFUSED(shape(f, INDICES, 16, QUADS));
    REFUSED(shape(f, PATCH_ROWS, 16, PATCHES - 1)); /* counts that do not go together */
    REFUSED(shape(f, PATCH_ROWS, 16, PATCHES - 1); shape(f, PATCH_PARAMS, 4, PATCHES - 1));
    REFUSED(shape(f, PATCH_PARAMS, 4, PATCHES - 1));
    REFUSED(shape(f, INDICES, 4, QUADS - 1));
    REFUSED(shape(f, FACE_PARAMS, 4, QUADS - 1));
    REFUSED(shape(f, POSITIONS, 3, VERTICES - 1));
    REFUSED(f->header.faces--);
    REFUSED(f->header.vertices = 100); /* rows that were good point past the end */
    REFUSED(f->header.level = 3);
    REFUSED(f->header.n_blocks = 4);
    REFUSED(f->blocks[FACE_PARAMS].semantic = f->blocks[PATCH_PARAMS].semantic);
    REFUSED(f->blocks[POSITIONS].semantic = (char *)(uintptr_t) "normals");
    ALLOWED(shape(f, PATCH_ROWS, 16, 0); shape(f, PATCH_PARAMS, 4, 0); f->header.faces = QUADS);
    ALLOWED(shape(f, INDICES, 4, 0); shape(f, FACE_PARAMS, 4, 0); f->header.faces = PATCHES);
}

/* What was asked for is what must come: neither kind of frame passes for the other. */
static void test_the_other_kind(void **state)
{
    static const struct subd_refine refined = {.level = 2};
    struct built *f = frame_of_patches();
    (void)state;
    assert_int_equal(frame_verdict(f, &refined), SUBD_EPROTOCOL);
    free(f);
    f = frame_of_refine();
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    free(f);
}

static void test_digests_count(void **state)
{
    struct built *f = frame_of_patches();
    (void)state;
    assert_int_equal(frame_verdict(f, &ask), SUBD_OK);
    f->blocks[FACE_PARAMS].digest ^= 1;
    assert_int_equal(frame_verdict(f, &ask), SUBD_EDIGEST);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_frame),     cmocka_unit_test(test_the_body_comes_back),
        cmocka_unit_test(test_hostile_rows),   cmocka_unit_test(test_hostile_tables),
        cmocka_unit_test(test_the_other_kind), cmocka_unit_test(test_digests_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
