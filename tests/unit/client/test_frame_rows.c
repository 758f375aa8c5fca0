/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of neighbours, as they should be and as a hostile server may send them. */
#include "tests/unit/client/frame_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { OFFSETS, IDS, SIGNS }; /* blocks of frame_of_rows */

static const struct subd_refine ask = {.level = 2, .include = SUBD_OFFSETS | SUBD_IDS | SUBD_SIGNS};
static const struct subd_refine unsigned_ask = {.level = 2, .include = SUBD_OFFSETS | SUBD_IDS};

static void test_good_frame(void **state)
{
    static const size_t steps[] = {1, 5, 64, 1000, 65536};
    struct built *f = frame_of_rows("FE");
    struct subd_frame out = {0};
    struct subd_error err;
    (void)state;
    frame_render(f);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(frame_parse_rows(f->bytes, f->n, steps[i], &ask, "FE", &out, &err), SUBD_OK);
        assert_memory_equal(subd_frame_find(&out, SUBD_OFFSETS)->data, f->offsets, sizeof f->offsets);
        assert_memory_equal(subd_frame_find(&out, SUBD_IDS)->data, f->indices, 8 * ROWS);
        assert_memory_equal(subd_frame_find(&out, SUBD_SIGNS)->data, f->signs, 2 * ROWS);
    }
    subd_frame_free(&out);
    free(f);
}

static void assert_verdict(struct built *f, const struct subd_refine *request, int due)
{
    assert_int_equal(frame_verdict(f, request), due);
    free(f);
}

/* The ids of each relation are below the count of what they name. */
static void test_limits_of_ids(void **state)
{
    static const char *const relations[] = {"VV", "EV", "FV", "VE", "FE", "VF", "EF", "FF"};
    (void)state;
    for (int k = 0; k < 8; k++)
        for (int past = 0; past < 2; past++) {
            struct built *f = frame_of_rows(relations[k]);
            const uint32_t limit = relations[k][1] == 'V' ? VERTICES : relations[k][1] == 'E' ? VERTICES + 7 : FACES;
            f->header.edges = VERTICES + 7;
            for (int i = 0; i < 2 * ROWS; i++)
                (&f->indices[0][0])[i] %= limit;
            (&f->indices[0][0])[17] = limit - 1 + (uint32_t)past;
            assert_verdict(f, k == 4 ? &ask : &unsigned_ask, past ? SUBD_EPROTOCOL : SUBD_OK);
        }
}

static void test_offsets(void **state)
{
    struct built *f;
    (void)state;
    f = frame_of_rows("FE");
    f->offsets[0] = 1;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->offsets[7] = 13; /* before f->offsets[6] is 12 and behind is 16: still ascending */
    assert_verdict(f, &ask, SUBD_OK);
    f = frame_of_rows("FE");
    f->offsets[7] = 11;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->offsets[256] = 510; /* the first of a piece: 511 would be below the last one of the piece before */
    f->offsets[255] = 511;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->offsets[ROWS] = 2 * ROWS - 1;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->offsets[ROWS] = 2 * ROWS + 1;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->offsets[40] = UINT32_MAX;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
}

static void test_table(void **state)
{
    struct built *f;
    (void)state;
    f = frame_of_rows("FE");
    f->header.relation = (char *)(uintptr_t) "VE"; /* not what was asked for */
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->blocks[SIGNS].count = f->blocks[SIGNS].bytes = 2 * ROWS - 1;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->blocks[OFFSETS].count = f->blocks[OFFSETS].bytes = 0;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->blocks[OFFSETS].type = (char *)(uintptr_t) "u64"; /* with the stride of u32 */
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->blocks[IDS].type = (char *)(uintptr_t) "u8";
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    f = frame_of_rows("FE");
    f->blocks[IDS].count = (uint64_t)1 << 62; /* times 4 passes 64 bits */
    f->blocks[IDS].bytes = 0;
    assert_verdict(f, &ask, SUBD_EPROTOCOL);
    assert_verdict(frame_of_rows("VV"), &ask, SUBD_EPROTOCOL);          /* lacks the signs */
    assert_verdict(frame_of_rows("FE"), &unsigned_ask, SUBD_EPROTOCOL); /* has them */
    assert_verdict(frame_of_rows("VV"), &(struct subd_refine){.level = 2}, SUBD_EPROTOCOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good_frame), cmocka_unit_test(test_limits_of_ids),
                                       cmocka_unit_test(test_offsets), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests_name("unit/client/frame_rows", tests, NULL, NULL);
}
