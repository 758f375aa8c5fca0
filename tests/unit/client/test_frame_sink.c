/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that go to a sink, of which nothing is held; and blocks without a digest, sent while they are made. */
#include "tests/unit/client/frame_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct taken { /* what the sink got, block by block */
    char bytes[3][8192];
    int64_t n[3];
    int calls, cancel_at;
};

static int take(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *p, size_t n)
{
    struct taken *t = arg;
    const int i = (int)(b - f->blocks);
    assert_in_range(i, 0, 2);
    assert_null(b->data);
    assert_int_equal(at, t->n[i]);
    assert_true(at + (int64_t)n <= b->bytes);
    assert_true(f->head_bytes > 0 && f->head);
    memcpy(t->bytes[i] + at, p, n);
    t->n[i] += (int64_t)n;
    return ++t->calls == t->cancel_at;
}

static struct subd_refine asked(struct taken *t)
{
    *t = (struct taken){0};
    return (struct subd_refine){
        .level = 2, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS, .sink = take, .sink_arg = t};
}

static void test_all_goes_there(void **state)
{
    static const size_t steps[] = {1, 63, 1000, 1024, 65536};
    static struct taken t;
    struct built *f = frame_of_refine();
    struct subd_frame out = {0};
    struct subd_error err;
    (void)state;
    frame_render(f);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct subd_refine r = asked(&t);
        assert_int_equal(frame_parse(f->bytes, f->n, steps[i], &r, &out, &err), SUBD_OK);
        for (int b = 0; b < f->n_blocks; b++) {
            assert_int_equal(t.n[b], f->blocks[b].bytes);
            assert_memory_equal(t.bytes[b], f->contents[b], (size_t)t.n[b]);
        }
    }
    subd_frame_free(&out);
    free(f);
}

/* What is held back without a sink is held back with one: wrong digests, wrong indices, an early end. */
static void test_still_checked(void **state)
{
    static struct taken t;
    struct built *f = frame_of_refine();
    struct subd_refine r = asked(&t);
    struct subd_frame out = {0};
    struct subd_error err;
    (void)state;
    f->blocks[2].digest ^= 1;
    frame_render(f);
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &r, &out, &err), SUBD_EDIGEST);
    f->blocks[2].digest ^= 1;
    f->indices[5][1] = VERTICES;
    frame_digest(f, 1);
    frame_render(f);
    r = asked(&t);
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &r, &out, &err), SUBD_EPROTOCOL);
    assert_int_equal(t.n[1], 0);
    f->indices[5][1] = 0;
    frame_digest(f, 1);
    frame_render(f);
    r = asked(&t);
    t.cancel_at = 2;
    assert_int_equal(frame_parse(f->bytes, f->n, 100, &r, &out, &err), SUBD_ECANCELLED);
    assert_int_equal(t.calls, 2);
    subd_frame_free(&out);
    free(f);
}

static void test_undigested(void **state)
{
    static struct taken t;
    struct built *f = frame_of_refine();
    struct subd_refine r = asked(&t);
    struct subd_frame_parser p;
    struct subd_frame out = {0};
    struct subd_error err;
    (void)state;
    for (int sink = 0; sink < 2; sink++, r.sink = NULL) {
        f->blocks[0].digest_kind = (char *)(uintptr_t) "";
        assert_int_equal(frame_verdict(f, &r), SUBD_EPROTOCOL); /* a digest of no kind */
        f->blocks[0].digest = 0;
        t = (struct taken){0};
        assert_int_equal(frame_parse(f->bytes, f->n, 500, &r, &out, &err), SUBD_EPROTOCOL);
        frame_render(f);
        t = (struct taken){0};
        assert_int_equal(frame_parse(f->bytes, f->n, 500, &r, &out, &err), SUBD_OK);
        assert_int_equal(out.blocks[0].digest, 0);
        assert_true(out.blocks[1].digest);
        t = (struct taken){0};
        assert_int_equal(subd_frame_begin(&p, &r, (int64_t)f->n, &out, &err), SUBD_OK);
        assert_int_equal(subd_frame_feed(&p, f->bytes, 1024 + 900), SUBD_OK); /* in the middle of it */
        assert_int_equal(subd_frame_end(&p), SUBD_EPROTOCOL);
        frame_digest(f, 0);
    }
    subd_frame_free(&out);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_goes_there), cmocka_unit_test(test_still_checked),
                                       cmocka_unit_test(test_undigested)};
    return cmocka_run_group_tests_name("frame sink", tests, NULL, NULL);
}
