/* SPDX-License-Identifier: Apache-2.0 */
/* number.c: writes floats and counts as text for the file writers, some five times faster than printf's %.9g.
 *
 * A float v, which is exact as the double x, is scaled so that its nine digits are an integer: y = x * 10^k. A decimal
 * n reads back as v when |n - y| is less than half the distance from v to its neighbours, scaled in the same way. Nine
 * digits always do, seven or eight often. The product has a relative error of 2^-53, which is about 1e-7 in y. The
 * bound is above 2.9 and is narrowed by 1e-4 of itself. So a decimal that passes the test is surely right, and one that
 * fails it by little costs one more digit, not correctness. */
#include "proto/files/files.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
static const uint32_t integer_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

char *surface_put_count(char *to, uint64_t v)
{
    char digits[20], *p = digits + sizeof digits;
    size_t n;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    n = (size_t)(digits + sizeof digits - p);
    memcpy(to, p, n);
    return to + n;
}

/* Writes n / 10^k without zeros at the end, for k from 0 to 13 and n up to 10^9. */
static char *put_decimal(char *to, uint32_t n, int k)
{
    uint32_t whole = 0;
    for (; k > 0 && n % 10 == 0; k--)
        n /= 10;
    if (k < 10) {
        whole = n / integer_powers[k];
        n -= whole * integer_powers[k];
    }
    if (whole < 10)
        *to++ = (char)('0' + whole);
    else
        to = surface_put_count(to, whole);
    if (k == 0)
        return to;
    *to++ = '.';
    for (int i = k; i-- > 0; n /= 10)
        to[i] = (char)('0' + n % 10);
    return to + k;
}

/* Returns 2^e, where e is the exponent of a normal float. */
static double power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

char *surface_put_float(char *to, float v)
{
    double x = fabs((double)v), y, bound;
    uint32_t n9, n8, n7, bits;
    int e2, e10, k;
    memcpy(&bits, &v, sizeof bits);
    if (!(x >= 1e-5 && x < 1e8) && x != 0) /* Such numbers, and NaN and infinity, are rare in a mesh. */
        return to + snprintf(to, 24, "%.9g", (double)v);
    if (bits >> 31)
        *to++ = '-';
    if (x == 0) {
        *to++ = '0';
        return to;
    }
    e2 = (int)(bits >> 23 & 255) - 127;
    e10 = e2 * 1233 / 4096 - (e2 < 0); /* This is floor(log10(x)) or one less. */
    if (e10 + 1 >= 0 ? x >= powers[e10 + 1] : x * powers[-e10 - 1] >= 1)
        e10++;
    k = 8 - e10;
    y = x * powers[k];
    /* The neighbour below a power of two is only half as far away, so the bound is halved there. */
    bound = (bits & 0x7FFFFF ? 0.49995 : 0.249975) * power_of_two(e2 - 23) * powers[k];
    n9 = (uint32_t)(y + 0.5);
    n8 = (n9 + 5) / 10;
    n7 = (n9 + 50) / 100;
    if (k >= 2 && fabs((double)n7 * 100 - y) <= bound)
        return put_decimal(to, n7, k - 2);
    if (k >= 1 && fabs((double)n8 * 10 - y) <= bound)
        return put_decimal(to, n8, k - 1);
    return put_decimal(to, n9, k);
}
