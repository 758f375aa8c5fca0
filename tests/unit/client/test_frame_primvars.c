/* SPDX-License-Identifier: Apache-2.0 */
/* Frames with primvars, as a server should send them and as it should not. */
#include "tests/unit/client/frame_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WEIGHT = 2, TINT, MATERIAL, MAP, MAP_INDICES, PARAMS };
static const struct subd_refine all = {
    .level = 2, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_FACE_PARAMS, .primvars = "*"};

static char *text(const char *s)
{
    return (char *)(uintptr_t)s;
}

static void test_whole(void **state)
{
    struct built *f = frame_of_primvars();
    struct subd_frame out = {0};
    struct subd_refine named = all;
    struct subd_error err = {0};
    (void)state;
    named.primvars = "map,weight,material,tint";
    assert_int_equal(frame_verdict(f, &all), SUBD_OK);
    assert_int_equal(frame_verdict(f, &named), SUBD_OK);
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &all, &out, &err), SUBD_OK);
    const struct subd_block *b = subd_frame_primvar(&out, "map", SUBD_PRIMVAR);
    assert_ptr_equal(b, &out.blocks[MAP]);
    assert_string_equal(b->interpolation, "faceVarying");
    assert_memory_equal(b->data, f->positions, VERTICES * 8);
    assert_ptr_equal(subd_frame_primvar(&out, "map", SUBD_PRIMVAR_INDICES), &out.blocks[MAP_INDICES]);
    assert_null(subd_frame_primvar(&out, "weight", SUBD_PRIMVAR_INDICES));
    assert_string_equal(subd_frame_primvar(&out, "material", SUBD_PRIMVAR)->type, "i32");
    subd_frame_free(&out);
    free(f);
}

static void test_not_as_asked(void **state)
{
    struct subd_refine ask = all;
    struct built *f = frame_of_primvars();
    (void)state;
    static const char *const lists[] = {"map,weight,material", "map,weight,material,tint,x", "map", "tin,map", ""};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ask.primvars = lists[i];
        assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    }
    ask.primvars = NULL;
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    ask = all;
    ask.include &= ~(unsigned)SUBD_FACE_PARAMS;
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    free(f);
}

/* Each change alone makes the frame unsound. */
static void bad(void (*change)(struct built *f))
{
    struct built *f = frame_of_primvars();
    change(f);
    assert_int_equal(frame_verdict(f, &all), SUBD_EPROTOCOL);
    free(f);
}

static void no_name(struct built *f)
{
    f->blocks[TINT].name = text("");
}
static void bad_name(struct built *f)
{
    f->blocks[TINT].name = text("a b");
}
static void twice(struct built *f)
{
    f->blocks[TINT].name = text("weight");
}
static void no_class(struct built *f)
{
    f->blocks[TINT].interpolation = text("");
}
static void other_class(struct built *f)
{
    f->blocks[WEIGHT].interpolation = text("uniform");
}
static void indices_wanted(struct built *f)
{
    f->blocks[WEIGHT].interpolation = text("faceVarying");
}
static void indices_of_another(struct built *f)
{
    f->blocks[MAP_INDICES].name = text("weight");
}
static void indices_of_none(struct built *f)
{
    f->blocks[MAP_INDICES].name = text("none");
}
static void integers(struct built *f)
{
    f->blocks[WEIGHT].type = text("i32");
}
static void no_type(struct built *f)
{
    f->blocks[MATERIAL].type = text("u32");
}
static void two_constants(struct built *f)
{
    f->blocks[TINT].count = 2;
    f->blocks[TINT].bytes = 24;
}
static void no_width(struct built *f)
{
    f->blocks[TINT].components = f->blocks[TINT].stride = 0;
    f->blocks[TINT].bytes = 0;
}
static void too_wide(struct built *f)
{
    f->blocks[TINT].components = 257;
    f->blocks[TINT].stride = 1028;
    f->blocks[TINT].bytes = 1028;
}
static void few_faces(struct built *f)
{
    f->blocks[MAP_INDICES].count = FACES - 1;
    f->blocks[MAP_INDICES].bytes = (FACES - 1) * 16;
}
static void past_the_values(struct built *f)
{
    f->blocks[MAP].count = VERTICES - 1; /* some index names the last */
    f->blocks[MAP].bytes = (VERTICES - 1) * 8;
    frame_digest(f, MAP);
}
static void once_more(struct built *f)
{
    f->pointers[f->header.n_blocks++] = &f->blocks[TINT];
}
static void no_corner(struct built *f)
{
    f->params[7][1] = 4;
    frame_digest(f, PARAMS);
}
static void cell_outside(struct built *f)
{
    f->params[7][2] = 4;
    frame_digest(f, PARAMS);
}

static char *names[] = {(char *)(uintptr_t) "wood", (char *)(uintptr_t) "", (char *)(uintptr_t) "M\u00f6rtel\n"};
static double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};

static void names_of_vertices(struct built *f)
{
    f->blocks[WEIGHT].set_names = names;
    f->blocks[WEIGHT].n_set_names = 1;
}
static void half_a_matrix(struct built *f)
{
    f->header.transform = (ProtobufCBinaryData){64, (uint8_t *)matrix};
}

static int sunk(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *p, size_t n)
{
    (void)p;
    if (f->transform && f->transform[13] == 6 && at + (int64_t)n == b->bytes)
        *(int64_t *)arg += b->n_set_names;
    return 0;
}

/* Names of face sets and the stage are there before the first block, and as long as the frame. */
static void test_words(void **state)
{
    struct built *f = frame_of_primvars();
    struct subd_refine sink = all;
    struct subd_frame out = {0};
    struct subd_error err = {0};
    int64_t seen = 0;
    (void)state;
    f->blocks[MATERIAL].set_names = names;
    f->blocks[MATERIAL].n_set_names = 3;
    f->header.up_axis = text("Z");
    f->header.meters_per_unit = 0.01;
    f->header.transform = (ProtobufCBinaryData){sizeof matrix, (uint8_t *)matrix};
    assert_int_equal(frame_verdict(f, &all), SUBD_OK);
    assert_int_equal(frame_parse(f->bytes, f->n, 7, &all, &out, &err), SUBD_OK);
    const struct subd_block *b = subd_frame_primvar(&out, "material", SUBD_PRIMVAR);
    assert_int_equal(b->n_set_names, 3);
    assert_memory_equal(b->set_names, "wood\0\0M\u00f6rtel?", 15);
    assert_null(subd_frame_primvar(&out, "weight", SUBD_PRIMVAR)->set_names);
    assert_string_equal(out.up_axis, "Z");
    assert_true(out.meters_per_unit == 0.01);
    assert_memory_equal(out.transform, matrix, sizeof matrix);
    sink.sink = sunk;
    sink.sink_arg = &seen;
    assert_int_equal(frame_parse(f->bytes, f->n, 1000, &sink, &out, &err), SUBD_OK);
    assert_int_equal(seen, 3);
    subd_frame_free(&out);
    free(f);
}

static void test_unsound(void **state)
{
    (void)state;
    bad(no_name);
    bad(bad_name);
    bad(twice);
    bad(no_class);
    bad(other_class);
    bad(indices_wanted);
    bad(indices_of_another);
    bad(indices_of_none);
    bad(integers);
    bad(no_type);
    bad(two_constants);
    bad(no_width);
    bad(too_wide);
    bad(few_faces);
    bad(past_the_values);
    bad(once_more);
    bad(cell_outside);
    bad(no_corner);
    bad(names_of_vertices);
    bad(half_a_matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_not_as_asked),
        cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
