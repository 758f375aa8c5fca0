/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.c: checks the grammar of untrusted JSON for json_text.c, without recursion, so that deep nesting cannot use
 * up the stack. */
#include "server/mesh/formats/json_scan.h"
#include "server/base/chars.h"
#include <string.h>

#define MAX_NUMBER 63 /* cJSON cuts longer numbers short. */

const char json_too_deep[] = "nested too deeply";

struct scan {
    const char *at, *end, *wrong;
};

static int peek(const struct scan *s)
{
    return s->at < s->end ? (unsigned char)*s->at : -1;
}
static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}
static bool fail(struct scan *s, const char *what)
{
    if (!s->wrong)
        s->wrong = what;
    return false;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool digits(struct scan *s)
{
    if (!is_digit(peek(s)))
        return fail(s, "a number lacks digits");
    while (is_digit(peek(s)))
        s->at++;
    return true;
}

static bool number(struct scan *s)
{
    const char *from = s->at;
    if (peek(s) == '-')
        s->at++;
    if (peek(s) == '0') {
        s->at++;
        if (is_digit(peek(s)))
            return fail(s, "a number starts with 0");
    } else if (!digits(s)) {
        return false;
    }
    if (peek(s) == '.') {
        s->at++;
        if (!digits(s))
            return false;
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (peek(s) == '+' || peek(s) == '-')
            s->at++;
        if (!digits(s))
            return false;
    }
    return s->at - from <= MAX_NUMBER || fail(s, "a number is over 63 characters long");
}

/* The value of the four hex digits of \uXXXX, or -1 when they are not hex digits. s->at is behind the u. */
static int hex4(const struct scan *s)
{
    int value = 0;
    if (s->end - s->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        static const char set[] = "0123456789abcdef";
        const char *p = memchr(set, s->at[i] | 0x20, 16);
        if (!p || s->at[i] < '0')
            return -1;
        value = value * 16 + (int)(p - set);
    }
    return value;
}

static bool escape(struct scan *s)
{
    int c = peek(s);
    if (c < 0 || !strchr("\"\\/bfnrtu", c) || !c)
        return fail(s, "bad escape");
    s->at++;
    if (c != 'u')
        return true;
    int first = hex4(s);
    if (first <= 0 || (first >= 0xdc00 && first < 0xe000))
        return fail(s, first ? "bad \\u escape" : "\\u0000 is refused");
    s->at += 4;
    if (first < 0xd800 || first >= 0xdc00)
        return true;
    if (s->end - s->at < 6 || s->at[0] != '\\' || s->at[1] != 'u')
        return fail(s, "half a surrogate pair");
    s->at += 2;
    int second = hex4(s);
    if (second < 0xdc00 || second >= 0xe000)
        return fail(s, "half a surrogate pair");
    s->at += 4;
    return true;
}

static bool string(struct scan *s)
{
    const char *from = ++s->at;
    while (peek(s) >= ' ' && peek(s) != '"')
        if (*s->at++ == '\\' && !escape(s))
            return false;
    if (peek(s) != '"')
        return fail(s, s->at < s->end ? "a control character in a string" : "a string does not end");
    if (!chars_utf8(from, (size_t)(s->at - from)))
        return fail(s, "a string is not UTF-8");
    s->at++;
    return true;
}

static bool word(struct scan *s, const char *w)
{
    size_t n = strlen(w);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, w, n) != 0)
        return fail(s, "not a JSON value");
    s->at += n;
    return true;
}

static bool scalar(struct scan *s)
{
    switch (peek(s)) {
    case '"': return string(s);
    case 't': return word(s, "true");
    case 'f': return word(s, "false");
    case 'n': return word(s, "null");
    case -1: return fail(s, "a value is missing");
    default: return peek(s) == '-' || is_digit(peek(s)) ? number(s) : fail(s, "not a JSON value");
    }
}

static bool key(struct scan *s)
{
    skip_space(s);
    if (peek(s) != '"')
        return fail(s, "a member lacks its name");
    if (!string(s))
        return false;
    skip_space(s);
    if (peek(s) != ':')
        return fail(s, "a member lacks its colon");
    s->at++;
    return true;
}

/* Goes on after a value: over the brackets that end here, and over a comma and the next key. *depth becomes 0 at the
 * end of the outermost value. */
static bool after_value(struct scan *s, uint64_t objects, int *depth)
{
    while (*depth) {
        bool object = objects >> (*depth - 1) & 1;
        skip_space(s);
        if (peek(s) == ',') {
            s->at++;
            return !object || key(s);
        }
        if (peek(s) != (object ? '}' : ']'))
            return fail(s, "a comma or the closing bracket is missing");
        s->at++;
        (*depth)--;
    }
    return true;
}

static bool value(struct scan *s, int max_depth)
{
    uint64_t objects = 0; /* Bit i tells that level i + 1 is an object, not an array. */
    int depth = 0;
    do {
        skip_space(s);
        int c = peek(s);
        if (c != '{' && c != '[') {
            if (!scalar(s))
                return false;
        } else {
            if (depth == max_depth)
                return fail(s, json_too_deep);
            objects &= ~(UINT64_C(1) << depth);
            objects |= (uint64_t)(c == '{') << depth++;
            s->at++;
            skip_space(s);
            if (peek(s) != (c == '{' ? '}' : ']')) {
                if (c == '{' && !key(s))
                    return false;
                continue;
            }
            s->at++;
            depth--;
        }
        if (!after_value(s, objects, &depth))
            return false;
    } while (depth);
    return true;
}

const char *json_scan(const char *data, size_t bytes, int max_depth, size_t *where)
{
    struct scan s = {data, data + bytes, NULL};
    if (value(&s, max_depth)) {
        skip_space(&s);
        if (s.at < s.end)
            (void)fail(&s, "text after the value");
    }
    *where = (size_t)(s.at - data);
    return s.wrong;
}
