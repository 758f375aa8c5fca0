/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: text that grows up to a limit, and JSON written into it, for answers, log lines and metrics. */
#include "server/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

void text_clear(struct text *t)
{
    t->bytes = 0;
    t->failed = false;
    if (t->data)
        t->data[0] = 0;
}

static bool reserve(struct text *t, size_t more)
{
    if (t->failed || more > TEXT_MAX_BYTES - t->bytes - 1)
        return !(t->failed = true);
    if (t->bytes + more < t->capacity)
        return true;
    size_t capacity = t->capacity ? t->capacity * 2 : 256;
    while (capacity <= t->bytes + more)
        capacity *= 2;
    char *data = realloc(t->data, capacity);
    if (!data)
        return !(t->failed = true);
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_add(struct text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
    memcpy(t->data + t->bytes, s, n);
    t->bytes += n;
    t->data[t->bytes] = 0;
}

void text_puts(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->bytes, (size_t)n + 1, format, again);
        t->bytes += (size_t)n;
    }
    va_end(again);
}

void text_json_string(struct text *t, const char *s)
{
    text_add(t, "\"", 1);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            text_printf(t, "\\u%04x", c);
        else
            text_add(t, s, 1);
    }
    text_add(t, "\"", 1);
}

void text_key(struct text *t, const char *key)
{
    char last = t->bytes ? t->data[t->bytes - 1] : '{';
    if (last != '{' && last != '[' && last != ',')
        text_add(t, ",", 1);
    text_json_string(t, key);
    text_add(t, ":", 1);
}

void text_member(struct text *t, const char *key, const char *value)
{
    text_key(t, key);
    text_json_string(t, value);
}

void text_member_int(struct text *t, const char *key, long long value)
{
    text_key(t, key);
    text_printf(t, "%lld", value);
}

void text_member_real(struct text *t, const char *key, double value, int digits)
{
    text_key(t, key);
    text_printf(t, "%.*f", digits, value);
}
