/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of digests: digest_piece, digest_queue and sdd_digest against libxxhash, for every length around
 * pieces and levels of the tree, which is built here level by level. */
#include "tests/kernels/launch.h"
#include "gpu/device/digest.h"
#include "gpu/device/kernels/digest_piece.k.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define PIECE 1024

static unsigned char *random_bytes(int64_t n)
{
    unsigned char *p = xalloc(n, 1);
    uint64_t r = 2024;
    for (int64_t i = 0; i < n; i++)
        p[i] = (unsigned char)random_next(&r);
    return p;
}

/* One level: the XXH64 of each piece. No bytes are one empty piece. */
static int64_t level_of(const void *data, int64_t bytes, uint64_t *out)
{
    int64_t n = 0;
    do {
        int64_t left = bytes - n * PIECE;
        out[n] = XXH64((const char *)data + n * PIECE, (size_t)(left < PIECE ? left : PIECE), 0);
        n++;
    } while (n * PIECE < bytes);
    return n;
}

static uint64_t tree_of(const void *data, int64_t bytes)
{
    uint64_t *a = xalloc(bytes / PIECE + 2, sizeof *a), *b = xalloc(bytes / PIECE + 2, sizeof *b);
    int64_t n = level_of(data, bytes, a);
    while (n > 1) {
        n = level_of(a, n * 8, b);
        memcpy(a, b, (size_t)n * sizeof *a);
    }
    uint64_t root = a[0];
    free(a), free(b);
    return root;
}

static void check_pieces(const unsigned char *data, int64_t bytes)
{
    int64_t n = bytes > 0 ? (bytes + PIECE - 1) / PIECE : 1;
    uint64_t *want = xalloc(n, sizeof *want);
    assert_int_equal(level_of(data, bytes, want), n);
    launch_say("%lld bytes", (long long)bytes);
    struct digest_piece_args a = {launch_in(data, bytes, 1), launch_out(n, 8), bytes};
    LAUNCH(digest_piece, &a, n);
    launch_same(a.out, want, "digests");
    launch_end();
    free(want);
}

static void test_pieces(void **state)
{
    const int64_t large[] = {PIECE * 100, PIECE * 100 - 4, PIECE * 100 + 4, PIECE * 9000 + 36, PIECE * 3000 + 1020};
    unsigned char *data = random_bytes(PIECE * 9001);
    (void)state;
    for (int64_t bytes = 0; bytes <= 5000; bytes += 4)
        check_pieces(data, bytes);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        check_pieces(data, large[i]);
    for (int byte = 0; byte < 256; byte += 255) { /* all bits the same */
        memset(data, byte, 4096);
        check_pieces(data, 1000);
        check_pieces(data, 4096);
    }
    free(data);
}

static const int64_t around[] = {0,           4,           PIECE,       2 * PIECE,  127 * PIECE,
                                 128 * PIECE, 129 * PIECE, 256 * PIECE, 384 * PIECE};

static void test_host(void **state)
{
    const int64_t level3 = (int64_t)PIECE * 128 * 128; /* beyond: four levels */
    unsigned char *data = random_bytes(level3 + 4096);
    (void)state;
    assert_true(sdd_digest("", 0) == 0xEF46DB3751D8E999u); /* the specification's value for nothing */
    for (int64_t bytes = 0; bytes <= 5000; bytes++)
        if (sdd_digest(data, bytes) != tree_of(data, bytes))
            fail_msg("the digest of %lld bytes is wrong", (long long)bytes);
    for (size_t i = 1; i < sizeof around / sizeof *around; i++)
        for (int64_t bytes = around[i] - 3; bytes <= around[i] + 3; bytes++)
            if (sdd_digest(data, bytes) != tree_of(data, bytes))
                fail_msg("the digest of %lld bytes is wrong", (long long)bytes);
    for (int64_t bytes = level3 - 4; bytes <= level3 + 2048; bytes += 684)
        if (sdd_digest(data, bytes) != tree_of(data, bytes))
            fail_msg("the digest of %lld bytes is wrong", (long long)bytes);
    free(data);
}

static void check_queue(sdd_device *d, const unsigned char *data, int64_t bytes)
{
    struct sdd_error err = {0};
    void *block, *scratch, *out;
    uint64_t digest = 0;
    int64_t scratch_bytes = digest_scratch(bytes);
    assert_int_equal(dev_alloc(d, bytes, &block, &err), SDD_OK);
    assert_int_equal(dev_alloc(d, scratch_bytes, &scratch, &err), SDD_OK);
    assert_int_equal(dev_alloc(d, sizeof digest, &out, &err), SDD_OK);
    dev_upload(d, block, data, bytes);
    digest_queue(d, block, bytes, scratch, out);
    dev_download(d, &digest, out, sizeof digest);
    assert_int_equal(dev_finish(d, &err), SDD_OK);
    if (digest != tree_of(data, bytes))
        fail_msg("the device's digest of %lld bytes is wrong", (long long)bytes);
    dev_free(d, block, bytes);
    dev_free(d, scratch, scratch_bytes);
    dev_free(d, out, sizeof digest);
}

static void test_device(void **state)
{
    unsigned char *data = random_bytes(PIECE * 128 * 128 + PIECE);
    sdd_device *d;
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 2, (int64_t)1 << 30, &d, &err), SDD_OK);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        for (int64_t bytes = around[i] - 4; bytes <= around[i] + 4; bytes += 4)
            if (bytes >= 0)
                check_queue(d, data, bytes);
    check_queue(d, data, PIECE * 128 * 128);
    check_queue(d, data, PIECE * 128 * 128 + 4);
    sdd_device_close(d);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_host),
                                       cmocka_unit_test(test_device)};
    return LAUNCH_GROUP("digests", tests);
}
