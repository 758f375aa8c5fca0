/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/chars.h"
#include "server/base/size.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void same_as_strtof(const char *text)
{
    float got = 0;
    const char *at = text, *end = text + strlen(text);
    assert_int_equal(chars_f32(&at, end, &got), 1);
    assert_ptr_equal(at, end);
    float want = strtof(text, NULL);
    if (memcmp(&got, &want, 4) != 0)
        fail_msg("%s: %a, not %a", text, (double)got, (double)want);
}

static void test_floats_round_like_strtof(void **state)
{
    static const char *const hard[] = {"0",
                                       "-0",
                                       "1",
                                       "-1.5",
                                       ".5",
                                       "5.",
                                       "1e10",
                                       "1E-10",
                                       "+3.25e+2",
                                       "16777217",
                                       "16777219",
                                       "0.1",
                                       "3.4028235e38",
                                       "1.1754944e-38",
                                       "1e-45",
                                       "1.4e-45",
                                       "0.7006492e-45",
                                       "1e-60",
                                       "8388608.5",
                                       "8388609.5",
                                       "0.50000002980232239",
                                       "9007199254740993",
                                       "123456789012345678901234567890",
                                       "0.00000000000000000000000000000000000001",
                                       "0.000000000000000000001e25",
                                       "1.00000017881393432617187499",
                                       "1.00000017881393432617187500",
                                       "1.00000017881393432617187501",
                                       "4503599627370497.5",
                                       "1e-5000",
                                       "000000000000000000000000000000000001.5"};
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        same_as_strtof(hard[i]);
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint32_t bits = (uint32_t)x;
        float f;
        memcpy(&f, &bits, 4);
        if (!isfinite(f))
            continue;
        (void)snprintf(text, sizeof text, i % 3 ? "%.9g" : "%.6f", (double)f);
        same_as_strtof(text);
        (void)snprintf(text, sizeof text, "%.*e", (int)(x >> 60), (double)f);
        same_as_strtof(text);
        (void)snprintf(text, sizeof text, "%.*f", 12 + (int)(x >> 61),
                       (double)(f = 0.5f + (float)(x >> 40) * 0x1p-25f));
        same_as_strtof(text);
        double middle = ((double)f + (double)nextafterf(f, 2)) / 2; /* and what is next to it in many digits */
        for (int beside = -12; beside <= 12; beside += 3) {
            (void)snprintf(text, sizeof text, "%.19f", middle + beside * 0x1p-53);
            same_as_strtof(text);
        }
    }
}

static int f32(const char *text, size_t n)
{
    float out;
    const char *at = text;
    return chars_f32(&at, text + n, &out);
}

static void test_floats_refused(void **state)
{
    static const char *const bad[] = {"", "-", ".", "+.", "e5", "1e", "1e+", "nan", "inf", "--1"};
    char longest[200];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(f32(bad[i], strlen(bad[i])), 0);
    assert_int_equal(f32("1e39", 4), -1);
    assert_int_equal(f32("-3.5e38", 7), -1);
    memset(longest, '1', sizeof longest);
    assert_int_equal(f32(longest, sizeof longest), 0);
    const char *at = longest;
    float out;
    assert_int_equal(chars_f32(&at, longest + sizeof longest, &out), 0);
    assert_ptr_equal(at, longest);
    assert_int_equal(f32("12", 1), 1); /* the second digit is beyond the end */
}

static int64_t i64(const char *text, int *ok)
{
    int64_t out = 0;
    const char *at = text;
    *ok = chars_i64(&at, text + strlen(text), &out);
    return out;
}

static void test_integers(void **state)
{
    int ok;
    (void)state;
    assert_int_equal(i64("-12/3", &ok), -12);
    assert_int_equal(ok, 1);
    assert_int_equal(i64("+7", &ok), 7);
    (void)i64("99999999999999999999", &ok);
    assert_int_equal(ok, -1);
    (void)i64("-", &ok);
    assert_int_equal(ok, 0);
}

static void test_utf8(void **state)
{
    static const char *const good[] = {
        "", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc0\xaf",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xff",
                                      "a\xe2\x82",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xf0\x80\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xe2\x82",
                                      "a\xe2\x82z"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(chars_utf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(chars_utf8(bad[i], strlen(bad[i])));
    assert_false(chars_utf8("a\0b", 3));
}

static void test_show(void **state)
{
    char out[CHARS_SHOW_SIZE];
    (void)state;
    assert_string_equal(chars_show("a\nb\xff", 4, out), "a?b?");
    char big[100];
    memset(big, 'x', sizeof big);
    assert_int_equal(strlen(chars_show(big, sizeof big, out)), CHARS_SHOW_SIZE - 1);
    assert_string_equal(out + CHARS_SHOW_SIZE - 4, "...");
}

static void test_sizes(void **state)
{
    int64_t out;
    (void)state;
    assert_true(size_mul(3, 4, &out));
    assert_int_equal(out, 12);
    assert_false(size_mul(INT64_MAX, 2, &out));
    assert_int_equal(out, 0);
    assert_false(size_mul(-1, 2, &out));
    assert_false(size_add(INT64_MAX, 1, &out));
    assert_false(size_add(-1, 1, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_round_like_strtof),
        cmocka_unit_test(test_floats_refused),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
