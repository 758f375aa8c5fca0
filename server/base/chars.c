/* SPDX-License-Identifier: Apache-2.0 */
/* chars.c: reads numbers and checks text in request bodies, for the codecs of mesh files. */
#include "server/base/chars.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 127

static bool digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

/* Reads any float. Returns 0 when it has too many characters and -1 when it does not fit. */
static int slow_f32(const char *from, const char *to, float *out)
{
    char copy[MAX_NUMBER + 1];
    size_t n = (size_t)(to - from);
    if (n > MAX_NUMBER)
        return 0;
    memcpy(copy, from, n);
    copy[n] = 0;
    *out = strtof(copy, NULL);
    return isfinite(*out) ? 1 : -1;
}

/* Reads most floats, and returns 0 for the others, which are left to strtof. When the digits are at most 2^53 and the
 * power of ten at most 10^22, both are exact in double, so one operation gives the nearest double. Rounding that to
 * float is right, too, unless it lies exactly between two floats. More digits are rounded themselves; with the rounding
 * of the operation the double is wrong by two of its last places at most, which matters only near such a middle. */
static int fast_f32(uint64_t digits, int scale, bool negative, float *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t bits;
    if (scale < -22 || scale > 22)
        return 0;
    double d = scale < 0 ? (double)digits / power[-scale] : (double)digits * power[scale];
    memcpy(&bits, &d, sizeof bits);
    int64_t from_middle = (int64_t)(bits & 0x1fffffff) - 0x10000000, near = digits > (UINT64_C(1) << 53) ? 8 : 0;
    if (llabs(from_middle) <= near || (digits && d < (double)FLT_MIN) || d > (double)FLT_MAX)
        return 0;
    *out = (float)(negative ? -d : d);
    return 1;
}

/* Reads "[e [+-] digits]" if it is there, and adds it to *scale. Returns false for an e without digits. */
static bool exponent(const char **at, const char *end, int *scale)
{
    const char *p = *at;
    int power = 0;
    if (p == end || (*p != 'e' && *p != 'E'))
        return true;
    p++;
    bool down = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!digit(p, end))
        return false;
    for (; digit(p, end); p++)
        if (power < 100000)
            power = power * 10 + (*p - '0');
    *scale += down ? -power : power;
    *at = p;
    return true;
}

/* Adds the digits from p on to *value, which wraps when they are too many, and returns where they end. */
static const char *add_digits(const char *p, const char *end, uint64_t *value)
{
    uint64_t v = *value;
    for (; digit(p, end); p++)
        v = v * 10 + (uint64_t)(*p - '0');
    *value = v;
    return p;
}

/* How many zeros stand before the first other digit of a number. */
static int64_t leading_zeros(const char *p, const char *end)
{
    int64_t n = 0;
    for (; p < end && (*p == '0' || *p == '.'); p++)
        n += *p == '0';
    return n;
}

int chars_f32(const char **at, const char *end, float *out)
{
    const char *from = *at, *p = from;
    bool negative = p < end && *p == '-';
    uint64_t digits = 0;
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    p = add_digits(p, end, &digits);
    int64_t n = p - first, fraction = 0;
    if (p < end && *p == '.') {
        const char *point = ++p;
        p = add_digits(p, end, &digits);
        fraction = p - point;
        n += fraction;
    }
    int scale = fraction < 1000 ? -(int)fraction : -1000;
    if (!n || !exponent(&p, end, &scale))
        return 0;
    bool exact = n <= 19 || n - leading_zeros(first, end) <= 19; /* 19 digits fit 64 bits. */
    int result = exact && fast_f32(digits, scale, negative, out) ? 1 : slow_f32(from, p, out);
    *at = result ? p : from;
    return result;
}

int chars_i64(const char **at, const char *end, int64_t *out)
{
    const char *p = *at;
    bool negative = p < end && *p == '-';
    uint64_t value = 0;
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    p = add_digits(p, end, &value);
    if (p == first)
        return 0;
    bool fits = p - first <= 18 || p - first - leading_zeros(first, p) <= 18;
    *at = p;
    *out = fits ? (negative ? -(int64_t)value : (int64_t)value) : 0;
    return fits ? 1 : -1;
}

bool chars_utf8(const void *text, size_t bytes)
{
    const unsigned char *p = text, *end = p + bytes;
    while (p < end) {
        unsigned c = *p++, low = 0x80, high = 0xbf;
        if (!c)
            return false;
        if (c < 0x80)
            continue;
        int more = c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
        if (!more || end - p < more)
            return false;
        if (c == 0xe0)
            low = 0xa0;
        if (c == 0xed)
            high = 0x9f;
        if (c == 0xf0)
            low = 0x90;
        if (c == 0xf4)
            high = 0x8f;
        if (*p < low || *p > high)
            return false;
        for (int i = 1; i < more; i++)
            if ((p[i] & 0xc0) != 0x80)
                return false;
        p += more;
    }
    return true;
}

const char *chars_show(const char *text, size_t bytes, char out[CHARS_SHOW_SIZE])
{
    size_t n = bytes < CHARS_SHOW_SIZE - 1 ? bytes : CHARS_SHOW_SIZE - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[n] = 0;
    if (n < bytes)
        memcpy(out + n - 3, "...", 3);
    return out;
}

bool parse_integer(const char *s, size_t n, int64_t *out)
{
    int64_t v = 0;
    if (n == 0 || n > 18)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = v * 10 + (s[i] - '0');
    }
    *out = v;
    return true;
}

/* Those of C1 are the bytes c2 80 to c2 9f. */
bool chars_control(const char *text)
{
    for (const char *s = text; *s; s++) {
        unsigned char c = (unsigned char)*s, next = (unsigned char)s[1];
        if (c < 0x20 || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0))
            return true;
    }
    return false;
}
