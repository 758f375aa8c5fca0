/* SPDX-License-Identifier: Apache-2.0 */
/* Frames with compact blocks, as a server should send them and as it should not, and what subd_block_decode makes of
 * each. */
#include "tests/oracle/compact.h"
#include "tests/unit/client/frame_build.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { POSITIONS, INDICES, NORMALS, UVS, UV_INDICES };
#define COMPACT (SUBD_POSITIONS | SUBD_NORMALS | SUBD_UVS)
static const struct subd_refine all = {
    .level = 2, .include = SUBD_INDICES | SUBD_UV_INDICES | COMPACT, .compact = COMPACT};

static void test_whole(void **state)
{
    struct built *f = frame_of_compact();
    struct subd_frame out = {0};
    struct subd_error err = {0};
    (void)state;
    assert_int_equal(frame_verdict(f, &all), SUBD_OK);
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &all, &out, &err), SUBD_OK);
    const struct subd_block *b = &out.blocks[POSITIONS];
    assert_string_equal(b->type, "unorm16");
    assert_int_equal(b->components, 4);
    assert_int_equal(b->bytes, VERTICES * 8);
    assert_memory_equal(b->low, f->box, sizeof b->low);
    assert_memory_equal(b->high, f->box + 3, sizeof b->high);
    assert_string_equal(out.blocks[NORMALS].type, "oct16");
    assert_string_equal(out.blocks[UVS].type, "f16");
    assert_int_equal(out.blocks[UVS].bytes, VERTICES * 4);
    subd_frame_free(&out);
    free(f);
}

/* Compact where it was not asked for, and not where it was. */
static void test_not_as_asked(void **state)
{
    struct subd_refine ask = all;
    (void)state;
    for (unsigned compact = 0; compact < COMPACT; compact++) {
        struct built *f = frame_of_compact();
        ask.compact = compact & COMPACT;
        assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
        free(f);
    }
    struct built *f = frame_of_refine();
    ask = (struct subd_refine){.level = 2, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS};
    assert_int_equal(frame_verdict(f, &ask), SUBD_OK);
    ask.compact = SUBD_NORMALS;
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    free(f);
}

/* Each change alone makes the frame unsound. */
static void bad(void (*change)(struct built *f))
{
    struct built *f = frame_of_compact();
    change(f);
    assert_int_equal(frame_verdict(f, &all), SUBD_EPROTOCOL);
    free(f);
}

static void no_box(struct built *f)
{
    f->blocks[POSITIONS].box.len = 0;
}
static void short_box(struct built *f)
{
    f->blocks[POSITIONS].box.len = 20;
}
static void box_of_normals(struct built *f)
{
    f->blocks[NORMALS].box = f->blocks[POSITIONS].box;
}
static void endless_box(struct built *f)
{
    f->box[4] = INFINITY;
}
static void no_number(struct built *f)
{
    f->box[1] = NAN;
}
static void inside_out(struct built *f)
{
    f->box[2] = f->box[5] + 1;
}
static void other_type(struct built *f)
{
    f->blocks[NORMALS].type = f->blocks[UVS].type;
}
static void three_wide(struct built *f)
{
    f->blocks[POSITIONS].components = 3;
    f->blocks[POSITIONS].stride = 6;
    f->blocks[POSITIONS].bytes = 6 * VERTICES;
}
static void wide_rows(struct built *f)
{
    f->blocks[UVS].stride = 8;
}
static void few_rows(struct built *f)
{
    f->blocks[NORMALS].count--;
    f->blocks[NORMALS].bytes -= 4;
}
static void past_the_values(struct built *f)
{
    f->blocks[UVS].count = VERTICES - 1; /* some index names the last */
    f->blocks[UVS].bytes = (VERTICES - 1) * 4;
    frame_digest(f, UVS);
}

static void test_unsound(void **state)
{
    (void)state;
    bad(no_box);
    bad(short_box);
    bad(box_of_normals);
    bad(endless_box);
    bad(no_number);
    bad(inside_out);
    bad(other_type);
    bad(three_wide);
    bad(wide_rows);
    bad(few_rows);
    bad(past_the_values);
}

/* ---- decoding -------------------------------------------------------------------------------------------------- */
static struct subd_block block_of(int semantic, const char *type, int components, int64_t count, const void *data)
{
    struct subd_block b = {.semantic = semantic, .components = components, .count = count};
    memcpy(b.type, type, strlen(type) + 1);
    b.data = (void *)(uintptr_t)data;
    return b;
}

static void near(float got, double want, double tolerance)
{
    if (!(fabs((double)got - want) <= tolerance) && !((double)got == want))
        fail_msg("%.9g, not %.9g", (double)got, want);
}

static void test_positions(void **state)
{
    static const uint16_t q[][4] = {{0, 0, 0, 0}, {65535, 65535, 65535, 0}, {32768, 1, 65534, 0}};
    static const float low[] = {-1, 1e6f, -1e30f}, high[] = {1, 1e6f + 1, 1e30f};
    struct subd_block b = block_of(SUBD_POSITIONS, "unorm16", 4, 3, q);
    float out[9];
    (void)state;
    memcpy(b.low, low, sizeof low), memcpy(b.high, high, sizeof high);
    assert_int_equal(subd_block_decode(&b, 0, 3, out), SUBD_OK);
    for (int i = 0; i < 3; i++) {
        double want[3];
        compact_position(q[i], low, high, want);
        for (int k = 0; k < 3; k++)
            near(out[3 * i + k], want[k], fabs(want[k]) * 0x1p-24);
    }
    assert_memory_equal(out, low, sizeof low);
    assert_memory_equal(out + 3, high, sizeof high);
}

static void test_normals(void **state)
{
    enum { SIDE = 201 };
    static uint16_t q[SIDE * SIDE][2];
    static float out[SIDE * SIDE][3];
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) { /* the rim and both axes are among them */
        q[i][0] = (uint16_t)((i % SIDE - 100) * 32767 / 100);
        q[i][1] = (uint16_t)((i / SIDE - 100) * 32767 / 100);
    }
    q[7][0] = q[7][1] = 0x8000;
    const struct subd_block b = block_of(SUBD_NORMALS, "oct16", 2, SIDE * SIDE, q);
    assert_int_equal(subd_block_decode(&b, 0, SIDE * SIDE, out[0]), SUBD_OK);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double want[3];
        compact_normal(q[i], want);
        for (int k = 0; k < 3; k++)
            near(out[i][k], want[k], 6e-8);
    }
    assert_true(out[7][0] == 0 && out[7][1] == 0 && out[7][2] == 0);
}

static void test_uvs(void **state)
{
    static uint16_t q[65536];
    static float out[65536];
    (void)state;
    for (int i = 0; i < 65536; i++)
        q[i] = (uint16_t)i;
    const struct subd_block b = block_of(SUBD_UVS, "f16", 2, 32768, q);
    assert_int_equal(subd_block_decode(&b, 0, 32768, out), SUBD_OK);
    for (int i = 0; i < 65536; i++) {
        const double want = compact_half((uint16_t)i);
        assert_true(isnan(want) ? isnan(out[i]) : (double)out[i] == want);
    }
}

/* Some rows of it; floats as they are; nothing of other blocks, nor beyond. */
static void test_rows(void **state)
{
    static const float uvs[] = {0, 1, 2, 3, 4, 5};
    static const uint16_t halves[] = {0x3c00, 0x4000, 0x4200, 0x4400};
    const struct subd_block plain = block_of(SUBD_UVS, "f32", 2, 3, uvs),
                            small = block_of(SUBD_UVS, "f16", 2, 2, halves);
    struct subd_block other = block_of(SUBD_INDICES, "u32", 4, 1, uvs);
    float out[4] = {0};
    (void)state;
    assert_int_equal(subd_block_decode(&plain, 1, 2, out), SUBD_OK);
    assert_memory_equal(out, uvs + 2, sizeof out);
    assert_int_equal(subd_block_decode(&small, 1, 1, out), SUBD_OK);
    assert_true(out[0] == 3 && out[1] == 4 && out[2] == 4 && out[3] == 5);
    assert_int_equal(subd_block_decode(&small, 2, 0, out), SUBD_OK);
    assert_int_equal(subd_block_decode(&small, 1, 2, out), SUBD_EUSAGE);
    assert_int_equal(subd_block_decode(&small, -1, 1, out), SUBD_EUSAGE);
    assert_int_equal(subd_block_decode(&small, 0, -1, out), SUBD_EUSAGE);
    assert_int_equal(subd_block_decode(&other, 0, 1, out), SUBD_EUSAGE);
    other = small;
    other.data = NULL;
    assert_int_equal(subd_block_decode(&other, 0, 1, out), SUBD_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),     cmocka_unit_test(test_not_as_asked), cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_positions), cmocka_unit_test(test_normals),      cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
