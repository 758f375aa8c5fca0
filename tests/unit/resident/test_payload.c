/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of frames. */
#include "server/resident/payload.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The same plan with other digests and versions gives the same sizes; every piece reads the same bytes as the whole. */
static void test_frame(void **state)
{
    static const int64_t sizes[][2] = {{3, 5}, {64, 64}, {1, 0}, {1000, 77}, {0, 0}};
    struct payload_about about = {.mesh_id = "m_0123456789abcdef",
                                  .topology_id = "00112233445566778899aabbccddeeff",
                                  .backend = "cpu",
                                  .version = 1,
                                  .level = 2};
    unsigned char data[4000], whole[8192], piece[8192];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + 1);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct sdd_plan_info plan = {
            .method = "edge-friend", .n_vertices = 5, .n_faces = 6, .n_edges = 7, .n_blocks = 2};
        struct payload f, planned;
        for (int b = 0; b < 2; b++)
            plan.blocks[b] = (struct sdd_block){.semantic = b ? SDD_INDICES : SDD_POSITIONS,
                                                .components = 1,
                                                .count = sizes[k][b],
                                                .bytes = sizes[k][b] * 4};
        assert_int_equal(payload_make(&about, &plan, &planned, NULL), SDD_OK);
        for (int b = 0; b < 2; b++) {
            plan.blocks[b].data = data;
            plan.blocks[b].digest = 0xffffffffffffffff;
        }
        assert_int_equal(payload_make(&about, &plan, &f, NULL), SDD_OK);
        assert_int_equal(f.bytes, planned.bytes);
        assert_true(f.bytes <= (int64_t)sizeof whole);
        payload_read(&f, 0, whole, (size_t)f.bytes);
        for (int b = 0; b < 2; b++) {
            assert_int_equal(f.blocks[b].offset % PAYLOAD_ALIGN, 0);
            assert_memory_equal(whole + f.blocks[b].offset, data, (size_t)f.blocks[b].bytes);
        }
        for (int64_t at = 0; at < f.bytes; at += 13)
            for (size_t n = 1; n < 200 && at + (int64_t)n <= f.bytes; n += 31) {
                memset(piece, 0xee, n);
                payload_read(&f, at, piece, n);
                assert_memory_equal(piece, whole + at, n);
            }
        payload_fini(&f);
        payload_fini(&planned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
