/* SPDX-License-Identifier: Apache-2.0 */
/* The test tools themselves: faults planted in a second backend must be found by the parity device, and the fake
 * device must fail the call that it was told to fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/engines/spla/kernels/spla_count.k.h"
#include "tests/kernels/parity_device.h"

#define N 1000

enum plant { NOTHING, WRONG_WORD, BEHIND, LATE_UPLOAD };
static enum plant planted;

static int bad_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    const struct compact_args *a = args;
    int rc = sdd_backend_fake()->launch(device, kernel, args, args_bytes, n);
    if (planted == WRONG_WORD)
        a->list[7] ^= 1;
    if (planted == BEHIND)
        a->list[N] = 1;
    return rc;
}

static int bad_upload(void *device, void *to, const void *from_host, int64_t bytes)
{
    int rc = sdd_backend_fake()->upload(device, to, from_host, bytes);
    if (planted == LATE_UPLOAD)
        memset((char *)to + bytes / 2, 0, 4);
    return rc;
}

/* Runs one kernel and one download on the parity device over cpu and a fake with a planted fault. */
static int run_planted(enum plant plant, int poison)
{
    struct sdd_backend bad = *sdd_backend_fake();
    int32_t flag[N], rank[N];
    uint32_t list[N];
    void *dev, *memory[3];
    char name[256];
    bad.launch = bad_launch;
    bad.upload = bad_upload;
    planted = plant;
    sdd_fake_arm(0, 0, 0);
    const struct sdd_backend *b = parity_backend(sdd_backend_cpu(), &bad, poison);
    assert_int_equal(b->open(0, 1, &dev, name, sizeof name, NULL), SDD_OK);
    for (int i = 0; i < N; i++) {
        flag[i] = i % 3 == 0;
        rank[i] = i / 3 + 1;
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(b->alloc(dev, sizeof flag, &memory[i]), SDD_OK);
    assert_int_equal(b->upload(dev, memory[0], flag, sizeof flag), SDD_OK);
    assert_int_equal(b->upload(dev, memory[1], rank, sizeof rank), SDD_OK);
    const struct compact_args args = {memory[0], memory[1], memory[2]};
    int rc = b->launch(dev, SDD_K_compact, &args, sizeof args, N);
    if (!rc) {
        assert_int_equal(b->download(dev, list, memory[2], sizeof list), SDD_OK);
        assert_int_equal(list[0], 0);
        assert_int_equal(list[333], 999);
        assert_int_equal(list[334], (uint32_t)poison * 0x01010101u); /* nobody wrote it */
    }
    for (int i = 0; i < 3; i++)
        b->free(dev, memory[i], sizeof flag);
    b->close(dev);
    return rc;
}

static void test_equal_is_equal(void **state)
{
    (void)state;
    assert_int_equal(run_planted(NOTHING, 0xCD), SDD_OK);
    assert_int_equal(parity_report()->n_differences, 0);
    assert_int_equal(parity_report()->n_launched[SDD_K_compact], 1);
    assert_int_equal(run_planted(NOTHING, 0x31), SDD_OK);
}

static void test_difference_is_named(void **state)
{
    (void)state;
    assert_int_equal(run_planted(WRONG_WORD, 0xCD), SDD_EDEVICE);
    assert_int_equal(parity_report()->n_differences, 1);
    assert_non_null(strstr(parity_report()->first, "compact"));
    assert_non_null(strstr(parity_report()->first, "byte 28 of allocation 2"));
    assert_non_null(strstr(parity_report()->first, "0x00000015 on cpu and 0x00000014 on fake"));
    assert_int_equal(run_planted(LATE_UPLOAD, 0xCD), SDD_EDEVICE);
}

static void test_write_behind_the_end(void **state)
{
    (void)state;
    assert_int_equal(run_planted(BEHIND, 0xCD), SDD_EDEVICE);
    assert_non_null(strstr(parity_report()->first, "byte 4000"));
}

/* Pointers are found by their values: padding must not hold an old one. spla_count has some within and at the end. */
static struct spla_count_args seen;

static int seeing_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    (void)device, (void)kernel, (void)n;
    assert_int_equal(args_bytes, sizeof seen);
    memcpy(&seen, args, sizeof seen);
    return SDD_OK;
}

static void test_padding_is_zero(void **state)
{
    struct sdd_backend b = *sdd_backend_fake();
    struct spla_count_args args, zeroed;
    struct sdd_error err;
    sdd_device *device;
    (void)state;
    b.launch = seeing_launch;
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(sdd_device_wrap(&b, 0, 1, 0, &device, &err), SDD_OK);
    memset(&args, 0xff, sizeof args);
    memset(&zeroed, 0, sizeof zeroed);
    args.p.q.size = zeroed.p.q.size = 4;
    args.p.gamma = zeroed.p.gamma = SDD_GAMMA_FACE;
    DEV_LAUNCH(device, spla_count, &args, 1);
    const char *at = (const char *)&seen, *want = (const char *)&zeroed;
    const size_t size = offsetof(struct sdd_map, size), map = offsetof(struct sdd_product, q);
    const size_t gamma = offsetof(struct sdd_product, gamma);
    assert_memory_equal(at + map + size, want + map + size, sizeof(struct sdd_map) - size);
    assert_memory_equal(at + gamma, want + gamma, sizeof(struct sdd_product) - gamma);
    sdd_device_close(device);
}

static void test_fake_fails_as_told(void **state)
{
    const struct sdd_backend *b = sdd_backend_fake();
    void *dev, *p;
    char name[96];
    int32_t word = 1;
    (void)state;
    sdd_fake_arm(3, 0, 0);
    assert_int_equal(b->open(0, 1, &dev, name, sizeof name, NULL), SDD_OK);
    assert_int_equal(b->alloc(dev, 4, &p), SDD_OK);
    assert_int_equal(b->upload(dev, p, &word, 4), SDD_EDEVICE);
    assert_int_equal(b->upload(dev, p, &word, 4), SDD_OK);
    assert_int_equal(sdd_fake_calls(), 4);
    assert_int_equal(sdd_fake_live(), 2);
    b->free(dev, p, 4);
    sdd_fake_arm(2, 1, 0);
    assert_int_equal(b->sync(dev), SDD_OK);
    assert_int_equal(b->alloc(dev, 4, &p), SDD_ENO_MEMORY);
    assert_int_equal(b->sync(dev), SDD_EDEVICE);
    assert_int_equal(b->alloc(dev, 4, &p), SDD_ENO_MEMORY);
    sdd_fake_arm(1, 0, 1);
    assert_int_equal(b->alloc(dev, 4, &p), SDD_ENO_MEMORY);
    assert_int_equal(b->alloc(dev, 4, &p), SDD_EDEVICE);
    b->close(dev);
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(sdd_fake_live(), 0);
}

static void test_fake_red_zone(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct sdd_backend *b = sdd_backend_fake();
        void *dev, *p;
        char name[96];
        if (b->open(0, 1, &dev, name, sizeof name, NULL) || b->alloc(dev, 100, &p))
            _exit(1);
        ((char *)p)[100] = 1; /* inside the block, so no sanitizer sees it */
        b->free(dev, p, 100);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_is_equal),       cmocka_unit_test(test_difference_is_named),
        cmocka_unit_test(test_write_behind_the_end), cmocka_unit_test(test_fake_fails_as_told),
        cmocka_unit_test(test_fake_red_zone),        cmocka_unit_test(test_padding_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
