/* SPDX-License-Identifier: Apache-2.0 */
/* Scan and sort of each backend against plain loops, with sizes around block and tile borders and every number of
 * bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/kernels/device/both_backends.h"
#include "tests/kernels/parity_device.h"

#define MANY 1000000

static const int64_t sizes[] = {0, 1, 2, 31, 32, 255, 256, 257, 4095, 4097, 16383, 16385, 70000, MANY};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *array_of(int64_t n, size_t item)
{
    void *p = malloc((size_t)(n > 0 ? n : 1) * item);
    assert_non_null(p);
    return p;
}

static void check_scan(struct opened *t, int64_t n, int in_place)
{
    const int64_t bytes = n * 4, scratch_bytes = t->b->scan_scratch(t->dev, n);
    int32_t *in = array_of(n, 4), *want = array_of(n, 4), *got = array_of(n, 4), sum = 0;
    uint64_t random = 88172645463325252u + (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        in[i] = (int32_t)(next_random(&random) % 2001) - 500;
        want[i] = sum += in[i];
    }
    void *in_dev = opened_array(t, bytes, in), *scratch = opened_array(t, scratch_bytes, NULL);
    void *out_dev = in_place ? in_dev : opened_array(t, bytes, NULL);
    assert_int_equal(t->b->scan(t->dev, in_dev, out_dev, n, scratch), SDD_OK);
    assert_int_equal(t->b->download(t->dev, got, out_dev, bytes), SDD_OK);
    assert_memory_equal(got, want, (size_t)bytes);
    if (!in_place) {
        assert_int_equal(t->b->download(t->dev, got, in_dev, bytes), SDD_OK);
        assert_memory_equal(got, in, (size_t)bytes); /* the input is only read */
        t->b->free(t->dev, out_dev, bytes);
    }
    t->b->free(t->dev, in_dev, bytes);
    t->b->free(t->dev, scratch, scratch_bytes);
    free(in), free(want), free(got);
}

static void test_scan(void **state)
{
    struct opened *t = opened_or_skip(state);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] == MANY && parity_levels() < 4)
            continue;
        check_scan(t, sizes[i], 0);
        check_scan(t, sizes[i], 1);
    }
}

/* By the masked key; what is equal stays in the order of the values, which count up. */
struct item {
    uint64_t masked, key;
    int32_t value;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->masked != y->masked)
        return x->masked < y->masked ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void check_sort(struct opened *t, int64_t n, int bits, uint64_t key_mask)
{
    const int64_t scratch_bytes = t->b->sort_scratch(t->dev, n, bits);
    struct item *want = array_of(n, sizeof *want);
    uint64_t *keys = array_of(n, 8), *keys_got = array_of(n, 8),
             random = 88172645463325252u + (uint64_t)(n * 64 + bits);
    int32_t *values = array_of(n, 4), *values_got = array_of(n, 4);
    for (int64_t i = 0; i < n; i++) {
        keys[i] = next_random(&random) & key_mask;
        values[i] = (int32_t)i;
        want[i] = (struct item){bits == 64 ? keys[i] : keys[i] & (((uint64_t)1 << bits) - 1), keys[i], (int32_t)i};
    }
    qsort(want, (size_t)n, sizeof *want, compare_items);
    void *keys_in = opened_array(t, n * 8, keys), *keys_out = opened_array(t, n * 8, NULL);
    void *values_in = opened_array(t, n * 4, values), *values_out = opened_array(t, n * 4, NULL);
    void *scratch = opened_array(t, scratch_bytes, NULL);
    assert_int_equal(t->b->sort_scratch(t->dev, n, bits), scratch_bytes);
    assert_int_equal(t->b->sort(t->dev, keys_in, keys_out, values_in, values_out, n, bits, scratch), SDD_OK);
    assert_int_equal(t->b->download(t->dev, keys_got, keys_out, n * 8), SDD_OK);
    assert_int_equal(t->b->download(t->dev, values_got, values_out, n * 4), SDD_OK);
    for (int64_t i = 0; i < n; i++)
        if (keys_got[i] != want[i].key || values_got[i] != want[i].value)
            fail_msg("%s: %lld keys by %d bits: row %lld is wrong", t->b->name, (long long)n, bits, (long long)i);
    t->b->free(t->dev, keys_in, n * 8), t->b->free(t->dev, keys_out, n * 8);
    t->b->free(t->dev, values_in, n * 4), t->b->free(t->dev, values_out, n * 4);
    t->b->free(t->dev, scratch, scratch_bytes);
    free(want), free(keys), free(keys_got), free(values), free(values_got);
}

static void test_sort(void **state)
{
    struct opened *t = opened_or_skip(state);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int64_t n = sizes[i];
        const int step = n < 5000 ? 1 : n < MANY ? 7 : 21;
        if (n > 5000 && parity_levels() < 4)
            continue;
        for (int bits = 1; bits <= 64; bits += step)
            check_sort(t, n, bits, UINT64_MAX);
    }
    check_sort(t, 70000, 64, UINT64_MAX);
}

static void test_sort_is_stable(void **state)
{
    struct opened *t = opened_or_skip(state);
    check_sort(t, 5000, 64, 0);                 /* all keys equal */
    check_sort(t, 70000, 40, 3);                /* four keys      */
    check_sort(t, 70000, 8, (uint64_t)7 << 40); /* they differ only above the bits that count */
    check_sort(t, 70000, 44, (uint64_t)7 << 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"scan on cpu", test_scan, NULL, NULL, &opened_cpu},
        {"scan on the backend under test", test_scan, NULL, NULL, &opened_other},
        {"sort on cpu", test_sort, NULL, NULL, &opened_cpu},
        {"sort on the backend under test", test_sort, NULL, NULL, &opened_other},
        {"sort is stable on cpu", test_sort_is_stable, NULL, NULL, &opened_cpu},
        {"sort is stable on the backend under test", test_sort_is_stable, NULL, NULL, &opened_other},
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
