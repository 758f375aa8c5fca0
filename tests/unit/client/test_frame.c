/* SPDX-License-Identifier: Apache-2.0 */
/* Refined frames as a hostile server may send them: whatever comes, the parser stays inside its memory and says no. */
#include "gpu/sdd/sdd.h"
#include "tests/unit/client/frame_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct subd_refine ask = {.level = 2, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS};

static void refused(struct built *f)
{
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    free(f);
}

static void test_good_frame_in_any_pieces(void **state)
{
    static const size_t steps[] = {1, 2, 63, 64, 1000, 1024, 4096, 65536};
    struct built *f = frame_of_refine();
    struct subd_frame out = {0};
    struct subd_error err;
    (void)state;
    frame_render(f);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(frame_parse(f->bytes, f->n, steps[i], &ask, &out, &err), SUBD_OK);
        assert_int_equal(out.vertices, VERTICES);
        assert_int_equal(out.version, 3);
        assert_string_equal(out.mesh_id, "m_0123");
        for (int b = 0; b < f->n_blocks; b++) {
            assert_memory_equal(out.blocks[b].data, f->contents[b], (size_t)out.blocks[b].bytes);
            assert_int_equal((uintptr_t)out.blocks[b].data % 64, 0);
        }
        assert_ptr_equal(subd_frame_find(&out, SUBD_NORMALS), &out.blocks[2]);
        assert_null(subd_frame_find(&out, SUBD_UVS));
    }
    subd_frame_free(&out);
    free(f);
}

static void *into(void *arg, const struct subd_frame *frame, const struct subd_block *b)
{
    assert_int_equal(frame->faces, FACES);
    return b->semantic == SUBD_INDICES ? arg : NULL;
}

static void test_placed_memory(void **state)
{
    static uint32_t mine[FACES][4];
    struct subd_refine request = ask;
    struct built *f = frame_of_refine();
    struct subd_frame out = {0};
    struct subd_error err;
    (void)state;
    request.place = into;
    request.place_arg = mine;
    frame_render(f);
    assert_int_equal(frame_parse(f->bytes, f->n, 777, &request, &out, &err), SUBD_OK);
    assert_memory_equal(mine, f->indices, sizeof mine);
    assert_ptr_equal(out.blocks[1].data, mine);
    assert_memory_equal(out.blocks[2].data, f->normals, sizeof f->normals);
    request.place_arg = (char *)mine + 1;
    assert_int_equal(frame_parse(f->bytes, f->n, 777, &request, &out, &err), SUBD_EUSAGE);
    subd_frame_free(&out);
    free(f);
}

static void test_any_order_gaps_and_tail(void **state)
{
    struct built *f = frame_of_refine();
    (void)state;
    f->blocks[2].offset = 1024;
    f->blocks[0].offset = 1024 + 64 * 100;
    f->blocks[1].offset = 1024 + 64 * 300;
    f->n = 40000;
    assert_int_equal(frame_verdict(f, &ask), SUBD_OK);
    free(f);
}

static void test_empty_blocks(void **state)
{
    struct built *f = frame_of_refine();
    (void)state;
    f->header.faces = 0;
    f->blocks[1].count = f->blocks[1].bytes = 0;
    f->blocks[1].digest = sdd_digest("", 0);
    assert_int_equal(frame_verdict(f, &ask), SUBD_OK);
    f->blocks[1].offset = f->n;
    assert_int_equal(frame_verdict(f, &ask), SUBD_OK);
    f->blocks[1].offset = f->n + 64;
    refused(f);
}

static void test_header_length(void **state)
{
    static const unsigned char many[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
    static const unsigned char zero[64] = {0}, big[] = {0x81, 0x80, 0x04}, past[] = {0x7F, 0, 0}, open[] = {0x80, 0x80};
    struct subd_frame out = {0};
    struct subd_error err;
    struct subd_frame_parser p;
    (void)state;
    for (size_t step = 1; step < 4; step++) {
        assert_int_equal(frame_parse(many, sizeof many, step, &ask, &out, &err), SUBD_EPROTOCOL);
        assert_int_equal(frame_parse(zero, sizeof zero, step, &ask, &out, &err), SUBD_EPROTOCOL);
        assert_int_equal(frame_parse(big, sizeof big, step, &ask, &out, &err), SUBD_EPROTOCOL);
        assert_int_equal(frame_parse(past, sizeof past, step, &ask, &out, &err), SUBD_EPROTOCOL);
        assert_int_equal(frame_parse(open, sizeof open, step, &ask, &out, &err), SUBD_EPROTOCOL);
    }
    assert_int_equal(subd_frame_begin(&p, &ask, -1, &out, &err), SUBD_EPROTOCOL); /* no Content-Length */
}

static void test_truncated_anywhere(void **state)
{
    struct built *f = frame_of_refine();
    struct subd_frame out = {0};
    struct subd_error err;
    struct subd_frame_parser p;
    (void)state;
    frame_render(f);
    for (size_t n = 0; n < f->n - 64; n += n < 300 ? 1 : 997) { /* the last block is followed by padding */
        assert_int_equal(subd_frame_begin(&p, &ask, (int64_t)f->n, &out, &err), SUBD_OK);
        assert_int_equal(subd_frame_feed(&p, f->bytes, n), SUBD_OK);
        assert_int_equal(subd_frame_end(&p), SUBD_EPROTOCOL);
        assert_int_equal(out.n_blocks, 0);
    }
    assert_int_equal(subd_frame_begin(&p, &ask, (int64_t)f->n, &out, &err), SUBD_OK);
    assert_int_equal(subd_frame_feed(&p, f->bytes, f->n + 1), SUBD_EPROTOCOL); /* longer than Content-Length */
    assert_int_equal(subd_frame_end(&p), SUBD_EPROTOCOL);
    subd_frame_free(&out);
    free(f);
}

#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        struct built *f = frame_of_refine();                                                                           \
        change;                                                                                                        \
        refused(f);                                                                                                    \
    } while (0)
#define TEXT(s) ((char *)(uintptr_t)(s))

static void test_hostile_tables(void **state)
{
    (void)state;
    REFUSED(f->blocks[0].offset = 1025);
    REFUSED(f->blocks[0].offset = 0);                   /* over the header     */
    REFUSED(f->blocks[1].offset = f->blocks[0].offset); /* over each other     */
    REFUSED(f->blocks[1].offset = f->blocks[0].offset + 64);
    REFUSED(f->blocks[2].offset = f->n);
    REFUSED(f->blocks[2].offset = UINT64_MAX - 63); /* wraps when added to */
    REFUSED(f->blocks[2].offset = (uint64_t)INT64_MAX + 1);
    REFUSED(f->blocks[0].bytes = 0);
    REFUSED(f->blocks[0].bytes += 4);
    REFUSED(f->blocks[0].stride = 16; f->blocks[0].bytes = VERTICES * 16);
    REFUSED(f->blocks[0].stride = 0; f->blocks[0].bytes = 0);
    REFUSED(f->blocks[0].components = 4; f->blocks[0].stride = 16; f->blocks[0].bytes = VERTICES * 16);
    REFUSED(f->blocks[0].components = 0x40000003; f->blocks[0].stride = 12);
    REFUSED(f->blocks[0].count = f->header.vertices = 1ull << 62; f->blocks[0].bytes = f->blocks[0].count * 12);
    REFUSED(f->blocks[0].count = f->header.vertices = UINT32_MAX; f->blocks[0].bytes = UINT32_MAX * 12ull);
    REFUSED(f->blocks[0].count--; f->blocks[0].bytes -= 12); /* not what the header says */
    REFUSED(f->header.vertices++);
    REFUSED(f->header.faces--);
    REFUSED(f->header.level = 3);
    REFUSED(f->header.version = UINT64_MAX);
    REFUSED(f->blocks[0].type = TEXT("f64"));
    REFUSED(f->blocks[0].semantic = TEXT("colours"));
    REFUSED(f->blocks[0].semantic = TEXT("uvs"));       /* not asked for */
    REFUSED(f->blocks[2].semantic = TEXT("positions")); /* twice         */
    REFUSED(f->blocks[0].codec = TEXT("zstd"));
    REFUSED(f->blocks[0].digest_kind = TEXT("none"));
    REFUSED(f->header.n_blocks = 2); /* one is missing */
    REFUSED(f->header.n_blocks = 0);
    REFUSED(f->header.n_blocks = 6; for (int i = 3; i < 6; i++) f->pointers[i] = &f->blocks[0]);
}

/* Six floats a vertex, and only where they were asked for. */
static void test_tangents(void **state)
{
    static float tangents[VERTICES][6];
    struct subd_refine asked = ask;
    struct built *f = frame_of_refine();
    Subdd__V1__Block *b = &f->blocks[2];
    (void)state;
    asked.include = SUBD_POSITIONS | SUBD_INDICES | SUBD_TANGENTS;
    b->semantic = TEXT("tangents");
    b->components = 6, b->stride = 24, b->bytes = sizeof tangents;
    f->contents[2] = tangents, f->content_bytes[2] = sizeof tangents;
    f->n = (b->offset + sizeof tangents + 63) / 64 * 64;
    frame_digest(f, 2);
    assert_int_equal(frame_verdict(f, &asked), SUBD_OK);
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    b->components = 3, b->stride = 12, b->bytes /= 2;
    frame_digest(f, 2);
    assert_int_equal(frame_verdict(f, &asked), SUBD_EPROTOCOL);
    b->components = 6, b->stride = 24, b->count = VERTICES / 2;
    assert_int_equal(frame_verdict(f, &asked), SUBD_EPROTOCOL);
    free(f);
}

static void test_content(void **state)
{
    struct subd_refine trusting = ask;
    struct built *f = frame_of_refine();
    (void)state;
    trusting.skip_digests = 1;
    f->blocks[2].digest ^= 1;
    assert_int_equal(frame_verdict(f, &ask), SUBD_EDIGEST);
    assert_int_equal(frame_verdict(f, &trusting), SUBD_OK);
    f->blocks[2].digest ^= 1;
    f->positions[499][2] += 1;
    assert_int_equal(frame_verdict(f, &ask), SUBD_EDIGEST);
    f->positions[499][2] -= 1;
    f->indices[FACES - 1][3] = VERTICES; /* one too far, with a digest that agrees */
    f->blocks[1].digest = sdd_digest(f->indices, sizeof f->indices);
    assert_int_equal(frame_verdict(f, &ask), SUBD_EPROTOCOL);
    assert_int_equal(frame_verdict(f, &trusting), SUBD_EPROTOCOL);
    free(f);
}

static void test_garbled_bytes(void **state)
{
    struct built *f = frame_of_refine();
    unsigned char *copy = malloc(f->n);
    struct subd_frame out = {0};
    uint64_t seed = 1;
    (void)state;
    frame_render(f);
    for (int round = 0; round < 3000; round++) {
        struct subd_error err = {0};
        int rc;
        memcpy(copy, f->bytes, f->n);
        for (int k = 0; k < 1 + round % 4; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % 200] = (unsigned char)(seed >> 56); /* the header lies there */
        }
        rc = frame_parse(copy, f->n, 5000, &ask, &out, &err);
        assert_true(rc == SUBD_OK || (rc < 0 && *err.text && out.n_blocks == 0));
    }
    subd_frame_free(&out);
    free(copy);
    free(f);
}

static void test_digest_tree(void **state)
{
    static const int64_t sizes[] = {0,      1,      4,      1023,   1024,     1025,     2048,    130047,
                                    131071, 131072, 131073, 262144, 16777216, 16777217, 20000003};
    unsigned char *data = malloc(20000003);
    struct subd_digest *d = malloc(sizeof *d);
    (void)state;
    assert_true(data && d);
    for (int i = 0; i < 20000003; i++)
        data[i] = (unsigned char)((unsigned)i * 2654435761u >> 24);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        subd_digest_begin(d);
        for (int64_t at = 0; at < sizes[i]; at += 1024)
            subd_digest_piece(d, data + at, (size_t)(sizes[i] - at < 1024 ? sizes[i] - at : 1024));
        assert_true(subd_digest_end(d) == sdd_digest(data, sizes[i]));
    }
    free(data);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_frame_in_any_pieces),
        cmocka_unit_test(test_placed_memory),
        cmocka_unit_test(test_any_order_gaps_and_tail),
        cmocka_unit_test(test_empty_blocks),
        cmocka_unit_test(test_header_length),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_hostile_tables),
        cmocka_unit_test(test_tangents),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_garbled_bytes),
        cmocka_unit_test(test_digest_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
