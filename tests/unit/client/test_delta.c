/* SPDX-License-Identifier: Apache-2.0 */
/* Deltas as a hostile server may send them: none of them is applied, nothing is written or allocated that was not
 * checked, and the frame stays as it was. A sound one makes the frame that it says. */
#include "client/lib/subd_internal.h"
#include "proto/grid_rows.h"
#include "tests/unit/client/frame_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct subd_refine ask = {.level = 2, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS};
#define MAX_FRAME ((int64_t)1 << 30)

/* ---- building ---------------------------------------------------------------------------------------------------- */
struct copy {
    uint32_t from, to, n;
};
struct delta {
    unsigned char bytes[1 << 17];
    size_t n, head_at, block_at[SUBD_MAX_BLOCKS];
};

static void put(struct delta *d, const void *data, size_t n)
{
    assert_true(d->n + n <= sizeof d->bytes);
    if (n)
        memcpy(d->bytes + d->n, data, n);
    d->n += n;
}

static void put_head(struct delta *d, const struct built *to, uint64_t base)
{
    const uint64_t total = to->n;
    const uint32_t head_bytes = (uint32_t)to->blocks[0].offset, zero = 0; /* The header and its padding. */
    put(d, &base, 8);
    put(d, &total, 8);
    put(d, &head_bytes, 4);
    put(d, &zero, 4);
    d->head_at = d->n;
    put(d, to->bytes, head_bytes);
}

static void put_block(struct delta *d, int i, uint32_t mode, const struct copy *copies, uint32_t n_copies,
                      const void *rows, uint64_t n_rows, size_t stride)
{
    d->block_at[i] = d->n;
    put(d, &mode, 4);
    put(d, &n_copies, 4);
    put(d, &n_rows, 8);
    put(d, copies, n_copies * sizeof *copies);
    put(d, rows, n_rows * stride);
}

/* Version 8 of a frame of version 7: of the positions rows 100 to 109 are new, and the rest stays. */
struct pair {
    struct built *base, *next;
    struct subd_frame frame;
    struct delta delta;
};

static struct pair *begin(void)
{
    struct pair *p = calloc(1, sizeof *p);
    static const struct copy copies[] = {{0, 0, 100}, {110, 110, VERTICES - 110}};
    struct subd_error err = {0};
    assert_non_null(p);
    p->base = frame_of_refine();
    p->base->header.version = 7;
    frame_render(p->base);
    assert_int_equal(frame_parse(p->base->bytes, p->base->n, p->base->n, &ask, &p->frame, &err), SUBD_OK);
    p->next = frame_of_refine();
    p->next->header.version = 8;
    for (int i = 100; i < 110; i++)
        p->next->positions[i][1] += 1;
    frame_digest(p->next, 0);
    frame_render(p->next);
    put_head(&p->delta, p->next, 7);
    put_block(&p->delta, 0, DELTA_ROWS, copies, 2, p->next->positions[100], 10, 12);
    put_block(&p->delta, 1, DELTA_SAME, NULL, 0, NULL, 0, 0);
    put_block(&p->delta, 2, DELTA_SAME, NULL, 0, NULL, 0, 0);
    return p;
}

static void end(struct pair *p)
{
    subd_frame_free(&p->frame);
    free(p->base);
    free(p->next);
    free(p);
}

/* In memory of its own size, so that a sanitizer sees a step past it. */
static int apply_at(struct pair *p, int64_t version, int64_t max_frame_bytes, struct subd_error *err)
{
    unsigned char *copy = malloc(p->delta.n ? p->delta.n : 1);
    assert_non_null(copy);
    memcpy(copy, p->delta.bytes, p->delta.n);
    const int rc = subd_delta_apply(&p->frame, &ask, version, max_frame_bytes, copy, p->delta.n, err);
    free(copy);
    return rc;
}

static int apply(struct pair *p, struct subd_error *err)
{
    return apply_at(p, 8, MAX_FRAME, err);
}

static void assert_as_built(const struct subd_frame *f, const struct built *b)
{
    assert_int_equal(f->n_blocks, 3);
    assert_int_equal(f->version, b->header.version);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(f->blocks[i].data, b->contents[i], b->content_bytes[i]);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static void test_sound(void **state)
{
    struct pair *p = begin();
    struct subd_error err = {0};
    const void *data = p->frame.blocks[0].data;
    (void)state;
    assert_int_equal(apply(p, &err), SUBD_OK);
    assert_as_built(&p->frame, p->next);
    assert_ptr_equal(p->frame.blocks[0].data, data);
    assert_memory_equal(p->frame.head, p->next->bytes, (size_t)p->frame.head_bytes);
    end(p);
}

/* Rows that move within the block: the second half comes first. */
static void test_moved(void **state)
{
    static const struct copy copies[] = {{10, 0, 200}, {210, 220, 280}};
    struct pair *p = begin();
    struct subd_error err = {0};
    (void)state;
    for (int i = 0; i < VERTICES; i++)
        memcpy(p->next->positions[i],
               i < 200   ? p->base->positions[i + 10]
               : i < 220 ? p->base->normals[i]
                         : p->base->positions[i - 10],
               12);
    frame_digest(p->next, 0);
    frame_render(p->next);
    p->delta.n = 0;
    put_head(&p->delta, p->next, 7);
    put_block(&p->delta, 0, DELTA_ROWS, copies, 2, p->next->positions[200], 20, 12);
    put_block(&p->delta, 1, DELTA_SAME, NULL, 0, NULL, 0, 0);
    put_block(&p->delta, 2, DELTA_SAME, NULL, 0, NULL, 0, 0);
    assert_int_equal(apply(p, &err), SUBD_OK);
    assert_as_built(&p->frame, p->next);
    end(p);
}

static void set32(struct delta *d, size_t at, uint32_t v)
{
    memcpy(d->bytes + at, &v, 4);
}

static void set64(struct delta *d, size_t at, uint64_t v)
{
    memcpy(d->bytes + at, &v, 8);
}

/* Each changes a sound delta to one that must be refused before the frame is touched. `whole` says that the whole frame
 * is asked for then; else the server is wrong. */
static void base_of_another(struct delta *d)
{
    set64(d, 0, 6);
}
static void huge_frame(struct delta *d)
{
    set64(d, 8, (uint64_t)1 << 62);
}
static void head_of_4_gib(struct delta *d)
{
    set32(d, 16, 0xFFFFFFFCu);
}
static void odd_head(struct delta *d)
{
    set32(d, 16, 63);
}
static void no_zero(struct delta *d)
{
    set32(d, 20, 1);
}
static void long_varint(struct delta *d)
{
    memset(d->bytes + d->head_at, 0xFF, 3);
}
static void header_past_head(struct delta *d)
{
    d->bytes[d->head_at] = 0xFF, d->bytes[d->head_at + 1] = 0x7F;
}
static void garbled_header(struct delta *d)
{
    memset(d->bytes + d->head_at + 2, 0xAA, 40);
}
static void mode_3(struct delta *d)
{
    set32(d, d->block_at[0], 3);
}
static void many_copies(struct delta *d)
{
    set32(d, d->block_at[0] + 4, 0xFFFFFFFFu);
}
static void many_rows(struct delta *d)
{
    set64(d, d->block_at[0] + 8, UINT64_MAX / 12);
}
static void one_row_more(struct delta *d)
{
    set64(d, d->block_at[0] + 8, 11);
}
static void from_past_end(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 12, VERTICES - 1);
}
static void from_far(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 12, 0xFFFFFFF0u);
}
static void to_past_end(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 16, 0xFFFFFFF0u);
}
static void from_overlaps(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 12, 99);
}
static void to_overlaps(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 16, 99);
}
static void no_rows_in_copy(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 8, 0);
}
static void long_copy(struct delta *d)
{
    set32(d, d->block_at[0] + 16 + 8, 0xFFFFFFFFu);
}
static void same_with_rows(struct delta *d)
{
    set64(d, d->block_at[1] + 8, 1);
}
static void same_but_changed(struct delta *d)
{
    d->n = d->block_at[0];
    for (int i = 0; i < 3; i++)
        put_block(d, i, DELTA_SAME, NULL, 0, NULL, 0, 0);
}
static void cut_off(struct delta *d)
{
    d->n -= 1;
}
static void no_blocks(struct delta *d)
{
    d->n = d->block_at[0];
}
static void empty(struct delta *d)
{
    d->n = 0;
}
static void longer(struct delta *d)
{
    put(d, "more", 4);
}
static void faces_past_end(struct delta *d)
{
    static const uint32_t counts[4] = {10, 10, 10, 80};
    static uint32_t quads[75][5];
    for (int i = 0; i < 75; i++) {
        const uint32_t q[5] = {i == 74 ? 10 : 0, 20, 10, 21, (uint32_t)i};
        memcpy(quads[i], q, sizeof q);
    }
    d->n = d->block_at[1];
    const uint32_t mode = DELTA_GRID, none = 0;
    const uint64_t rows = 75;
    put(d, &mode, 4), put(d, &none, 4), put(d, &rows, 8);
    put(d, counts, sizeof counts), put(d, quads, sizeof quads);
    put_block(d, 2, DELTA_SAME, NULL, 0, NULL, 0, 0);
}
static void faces_of_the_world(struct delta *d)
{
    faces_past_end(d);
    for (int i = 0; i < 4; i++)
        set32(d, d->block_at[1] + 16 + 4 * (size_t)i, 0xFFFFFFFFu);
}
static void faces_of_positions(struct delta *d)
{
    set32(d, d->block_at[0], DELTA_GRID);
}

static void test_hostile(void **state)
{
    static const struct {
        void (*change)(struct delta *d);
        int rc;
    } all[] = {{base_of_another, SUBD_EDIGEST},
               {huge_frame, SUBD_EPROTOCOL},
               {head_of_4_gib, SUBD_EPROTOCOL},
               {odd_head, SUBD_EPROTOCOL},
               {no_zero, SUBD_EPROTOCOL},
               {long_varint, SUBD_EPROTOCOL},
               {header_past_head, SUBD_EPROTOCOL},
               {garbled_header, SUBD_EPROTOCOL},
               {mode_3, SUBD_EPROTOCOL},
               {many_copies, SUBD_EPROTOCOL},
               {many_rows, SUBD_EPROTOCOL},
               {one_row_more, SUBD_EPROTOCOL},
               {from_past_end, SUBD_EPROTOCOL},
               {from_far, SUBD_EPROTOCOL},
               {to_past_end, SUBD_EPROTOCOL},
               {from_overlaps, SUBD_EPROTOCOL},
               {to_overlaps, SUBD_EPROTOCOL},
               {no_rows_in_copy, SUBD_EPROTOCOL},
               {long_copy, SUBD_EPROTOCOL},
               {same_with_rows, SUBD_EPROTOCOL},
               {same_but_changed, SUBD_EDIGEST},
               {cut_off, SUBD_EPROTOCOL},
               {no_blocks, SUBD_EPROTOCOL},
               {empty, SUBD_EPROTOCOL},
               {longer, SUBD_EPROTOCOL},
               {faces_past_end, SUBD_EPROTOCOL},
               {faces_of_the_world, SUBD_EPROTOCOL},
               {faces_of_positions, SUBD_EPROTOCOL}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct pair *p = begin();
        struct subd_error err = {0};
        all[i].change(&p->delta);
        const int rc = apply(p, &err);
        if (rc != all[i].rc)
            fail_msg("case %zu: %d, %s", i, rc, err.text);
        assert_int_equal(err.code, rc);
        assert_as_built(&p->frame, p->base);
        end(p);
    }
}

/* What only the digest, or the indices themselves, can tell. The frame is of no use afterwards. */
static void test_wrong_content(void **state)
{
    struct pair *p = begin();
    struct subd_error err = {0};
    (void)state;
    p->delta.bytes[p->delta.block_at[1] - 1] ^= 1; /* The last of the new rows. */
    assert_int_equal(apply(p, &err), SUBD_EDIGEST);
    assert_int_equal(p->frame.n_blocks, 0);
    end(p);
    p = begin();
    static const struct copy copies[] = {{0, 0, FACES - 1}};
    const uint32_t face[4] = {0, 1, VERTICES, 2};
    memcpy(p->next->indices[FACES - 1], face, sizeof face);
    frame_digest(p->next, 1);
    frame_render(p->next);
    p->delta.n = 0;
    put_head(&p->delta, p->next, 7);
    static const struct copy moved[] = {{0, 0, 100}, {110, 110, VERTICES - 110}};
    put_block(&p->delta, 0, DELTA_ROWS, moved, 2, p->next->positions[100], 10, 12);
    put_block(&p->delta, 1, DELTA_ROWS, copies, 1, face, 1, 16);
    put_block(&p->delta, 2, DELTA_SAME, NULL, 0, NULL, 0, 0);
    assert_int_equal(apply(p, &err), SUBD_EPROTOCOL);
    assert_non_null(strstr(err.text, "indices"));
    assert_int_equal(p->frame.n_blocks, 0);
    end(p);
}

/* The record and the client have a say as well. */
static void test_other_limits(void **state)
{
    struct pair *p = begin();
    struct subd_error err = {0};
    (void)state;
    assert_int_equal(apply_at(p, 9, MAX_FRAME, &err), SUBD_EPROTOCOL);
    assert_int_equal(apply_at(p, 8, 100, &err), SUBD_EPROTOCOL);
    assert_as_built(&p->frame, p->base);
    p->frame.n_blocks = 0; /* There is no frame. */
    assert_int_equal(apply(p, &err), SUBD_EDIGEST);
    end(p);
}

/* No byte of a delta can do harm: it is refused, or the digests hold. */
static void test_any_byte(void **state)
{
    struct pair *first = begin();
    const size_t n = first->delta.n;
    (void)state;
    end(first);
    for (size_t at = 0; at < n; at += at < 400 ? 1 : 37) {
        struct pair *p = begin();
        struct subd_error err = {0};
        p->delta.bytes[at] ^= (unsigned char)(1 << at % 8);
        const int rc = apply(p, &err);
        assert_true(rc == SUBD_OK || rc == SUBD_EPROTOCOL || rc == SUBD_EDIGEST);
        if (rc == SUBD_OK)
            assert_memory_equal(p->frame.blocks[0].data, p->next->positions, sizeof p->next->positions);
        end(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound),        cmocka_unit_test(test_moved),
                                       cmocka_unit_test(test_hostile),      cmocka_unit_test(test_wrong_content),
                                       cmocka_unit_test(test_other_limits), cmocka_unit_test(test_any_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
